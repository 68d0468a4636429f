/* The angular momentum of floating islands, which impulses on displaced bodies would change (momentum.c). */
#ifndef SOLVER_ROWS_MOMENTUM_H
#define SOLVER_ROWS_MOMENTUM_H

#include "core/memory.h"

#include <stdint.h>

struct dry_solver_state;
struct dry_solver_step;

/* Sums over a body's substeps, which exist only while some island floats. */
typedef struct dry_momentum_row {
    float begin[6];           /* u when the step began */
    float force[6];           /* change of u by forces in one substep */
    float moved[3];           /* ul when the body last moved */
    float angular_impulse[3]; /* sum of displacement x impulse of constraints, N m s */
    float angular_force[3];   /* the same of forces */
} dry_momentum_row;

void dry_momentum_free(struct dry_solver_state *state, dry_memory *memory);
/* Counts the floating islands and makes room for their sums. False if memory fails. */
bool dry_momentum_reserve(struct dry_solver_step *step, dry_memory *memory);
/* Begins a body's sums, from its row, the row with a substep's forces, and the change of ul by these; null
 * for a body whose motion is invalid. */
void dry_momentum_begin(dry_momentum_row *sum, const float u[6], const float forced[6], const float *force);
/* Adds up the errors of `count` bodies of a tier with floating islands, after each substep and after the
 * impacts; h is the substep. */
void dry_momentum_gather(const struct dry_solver_step *step, const int32_t *rows, int count, float h);
/* Adds displacement x (change of ul) to a body's sum. */
void dry_momentum_add(dry_momentum_row *sum, const float displacement[3], const float change[3]);
/* Takes each floating island's error back by a rigid rotation. */
void dry_momentum_repair(struct dry_solver_step *step);

#endif
