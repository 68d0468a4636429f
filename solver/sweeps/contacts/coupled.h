/* Contacts of articulations, one lane at a time. */
#ifndef SOLVER_SWEEPS_CONTACTS_COUPLED_H
#define SOLVER_SWEEPS_CONTACTS_COUPLED_H

#include "solver/data/coupled.h"
#include "solver/data/sweep.h"

struct dry_solver_step;

/* The functions of dry_constraint_kind. */
void dry_contact_couple(const struct dry_solver_step *step, int bundle, int lane, dry_coupled_rows *rows);
void dry_contact_visit(const struct dry_solver_step *step, int bundle, int lane, const dry_sweep *sweep,
                       dry_sweep_kind kind, dry_coupled_motion *motion);
void dry_contact_scale(const struct dry_solver_step *step, int bundle, int lane, float by);

#endif
