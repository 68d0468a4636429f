/* Impacts within a substep: rounds of simultaneous impacts, between its forces and its first sweep. */
#ifndef SOLVER_SWEEPS_IMPACTS_H
#define SOLVER_SWEEPS_IMPACTS_H

#include "core/memory.h"
#include "solver/data/tiers.h"

struct dry_solver_state;
struct dry_solver_step;

/* Finds the tiers in which something may bounce, and reserves room for their bodies. False if memory fails.
 */
bool dry_impacts_reserve(struct dry_solver_step *step, dry_memory *memory);
/* Resolves the impacts of a substep. `begin` is its time since the step began. */
void dry_impacts_resolve(struct dry_solver_step *step, const dry_tier_range *range, float begin, float h);
/* Moves impact rows by a substep, after the bodies moved. */
void dry_impacts_move(struct dry_solver_step *step, const dry_tier_range *range, float h);

#endif
