/* Contacts as a kind of constraint. */
#ifndef SOLVER_CONTACTS_KIND_H
#define SOLVER_CONTACTS_KIND_H

#include "solver/constraint.h"

extern const dry_constraint_kind dry_kind_contact;

/* Returns whether every bundle needs a cold block, because the chosen kernels read one: those that sum
 * changes want the masses' shares, the scaled box its limit, stiffness as k the approach speed. */
bool dry_contacts_need_cold_blocks(const dry_settings *settings, dry_update update);

#endif
