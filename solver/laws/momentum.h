/* The angular momentum of floating islands, which impulses on displaced bodies would change (momentum.c). */
#ifndef SOLVER_LAWS_MOMENTUM_H
#define SOLVER_LAWS_MOMENTUM_H

#include "core/memory.h"

#include <stdint.h>

struct dry_solver_state;
struct dry_solver_step;

/* Sums over a body's substeps, which exist only while some island floats. */
typedef struct dry_momentum_row {
    float begin[6];         /* u when the step began */
    float force[6];         /* change of u by forces in one substep */
    float angular_force[3]; /* sum of displacement x force, N m s */
} dry_momentum_row;

void dry_momentum_free(struct dry_solver_state *state, dry_memory *memory);
/* Counts the floating islands and makes room for their sums. False if memory fails. */
bool dry_momentum_reserve(struct dry_solver_step *step, dry_memory *memory);
/* Begins a body's sums, from its row, the row with a substep's forces, and the change of ul by these; null
 * for a body whose motion is invalid. */
void dry_momentum_begin(dry_momentum_row *sum, const float u[6], const float forced[6], const float *force);
/* Adds up the moments of the forces on `count` bodies of a tier with floating islands: when a substep begins,
 * but for the first one, before which nothing has moved. */
void dry_momentum_gather(const struct dry_solver_step *step, const int32_t *rows, int count);
/* Takes each floating island's error back by a rigid rotation. */
void dry_momentum_repair(struct dry_solver_step *step);

#endif
