/* The energy of linkages that turn far within a step (spin.c). */
#ifndef SOLVER_LAWS_SPIN_H
#define SOLVER_LAWS_SPIN_H

#include "core/memory.h"

struct dry_solver_state;
struct dry_solver_step;

void dry_spin_free(struct dry_solver_state *state, dry_memory *memory);
/* Counts the islands that rigid joints hold, finds those with an open joint, and makes room for their sums.
 * False if memory fails. */
bool dry_spin_reserve(struct dry_solver_step *step, dry_memory *memory);
/* Adds the work that springs and motors do on a row's island in a substep, J. */
void dry_spin_add_work(const struct dry_solver_step *step, int row, double work);
/* Tells whether a joint of an island was open when the step began; false under methods that take back what
 * closing it leaves, or whose linkages are all bounded. */
bool dry_spin_is_open(const struct dry_solver_step *step, int island);
/* Takes from each linkage that turns far within this step, or that something fixed holds and that has an open
 * joint, or from all of a method that gives energy, what it has gained. */
void dry_spin_limit(struct dry_solver_step *step);
#endif
