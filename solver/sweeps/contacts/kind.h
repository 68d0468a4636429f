/* Contacts as a kind of constraint. */
#ifndef SOLVER_SWEEPS_CONTACTS_KIND_H
#define SOLVER_SWEEPS_CONTACTS_KIND_H

#include "solver/data/constraint.h"

extern const dry_constraint_kind dry_kind_contact;

/* Returns whether the kernels of the default settings serve contacts: cones of friction, stiffness as a
 * frequency, and no relaxation. `springs`: some shape has a stiffness of its own. */
bool dry_contacts_are_plain(const dry_settings *settings, bool springs);

/* Returns whether every bundle needs a cold block, because the chosen kernels read one: those that sum
 * changes want the masses' shares, the scaled box its limit, stiffness as k the approach speed. */
bool dry_contacts_need_cold_blocks(const dry_settings *settings, dry_update update);

#endif
