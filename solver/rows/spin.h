/* The energy of linkages that turn far within a step (spin.c). */
#ifndef SOLVER_ROWS_SPIN_H
#define SOLVER_ROWS_SPIN_H

#include "core/memory.h"

struct dry_solver_state;
struct dry_solver_step;

void dry_spin_free(struct dry_solver_state *state, dry_memory *memory);
/* Counts the islands that rigid joints hold and makes room for their sums. False if memory fails. */
bool dry_spin_reserve(struct dry_solver_step *step, dry_memory *memory);
/* Adds the work that springs and motors do on a row's island in a substep, J. */
void dry_spin_add_work(const struct dry_solver_step *step, int row, double work);
/* Takes from each linkage that turns far within this step the energy that it has gained. */
void dry_spin_limit(struct dry_solver_step *step);
/* Tells whether a row belongs to such a linkage, once the solve is done. */
bool dry_spins_far(const struct dry_solver_step *step, int row);

#endif
