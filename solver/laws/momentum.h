/* The angular momentum of floating islands, which impulses on displaced bodies would change (momentum.c). */
#ifndef SOLVER_LAWS_MOMENTUM_H
#define SOLVER_LAWS_MOMENTUM_H

#include "core/memory.h"

#include <stdint.h>

struct dry_solver_state;
struct dry_solver_step;

void dry_momentum_free(struct dry_solver_state *state, dry_memory *memory);
/* Counts the floating islands and makes room for their sums. False if memory fails. */
bool dry_momentum_reserve(struct dry_solver_step *step, dry_memory *memory);
/* Takes each floating island's error back by a rigid rotation. */
void dry_momentum_repair(struct dry_solver_step *step);

#endif
