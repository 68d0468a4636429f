/* Contacts as a kind of constraint. */
#ifndef SOLVER_SWEEPS_CONTACTS_KIND_H
#define SOLVER_SWEEPS_CONTACTS_KIND_H

#include "core/shared.h"
#include "simd/processor.h"
#include "solver/data/constraint.h"
#include "solver/data/coupled.h"

struct dry_added_contact_kernels;

extern const dry_constraint_kind dry_kind_contact;

/* Adds kernels of contacts, found by level. */
DRY_SHARED void dry_contact_kernels_add(const struct dry_added_contact_kernels *(*find)(dry_level level));

void dry_store_contacts(const struct dry_solver_step *step, dry_bundle_part part);
/* Contacts of articulations, one lane at a time (coupled.c): finds the rows of a lane, does what a sweep does
 * to it by their motion, multiplies its impulses. */
DRY_SHARED void dry_contact_couple(const struct dry_solver_step *step, int bundle, int lane,
                                   dry_coupled_rows *rows);
DRY_SHARED void dry_contact_visit(const struct dry_solver_step *step, int bundle, int lane,
                                  const dry_sweep *sweep, dry_sweep_kind kind, dry_coupled_motion *motion);
DRY_SHARED void dry_contact_scale(const struct dry_solver_step *step, int bundle, int lane, float by);

/* Returns whether the kernels of the default settings serve contacts: cones of friction, stiffness as a
 * frequency, and no relaxation. `springs`: some shape has a stiffness of its own. */
bool dry_contacts_are_plain(const dry_settings *settings, bool springs);

/* Returns whether every bundle needs a cold block, because the chosen kernels read one: those that sum
 * changes want the masses' shares, the scaled box its limit, stiffness as k the approach speed. */
bool dry_contacts_need_cold_blocks(const dry_settings *settings, dry_update update);

#endif
