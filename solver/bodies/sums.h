/* Sums over a step that laws of energy and momentum ask for (solver/laws). */
#ifndef SOLVER_BODIES_SUMS_H
#define SOLVER_BODIES_SUMS_H

#include "state/bodies.h"

#include <stdbool.h>
#include <stdint.h>

struct dry_solver_step;

/* Sums over a body's substeps, which exist only while some island floats. */
typedef struct dry_momentum_row {
    float begin[6];         /* u when the step began */
    float force[6];         /* change of u by forces in one substep */
    float angular_force[3]; /* sum of displacement x force, N m s */
} dry_momentum_row;

/* Begins a body's sums, from its row, the row with a substep's forces, and the change of ul by these; null
 * for a body whose motion is invalid. */
void dry_momentum_begin(dry_momentum_row *sum, const float u[6], const float forced[6], const float *force);
/* Adds up the moments of the forces on `count` bodies of a tier with floating islands: when a substep begins,
 * but for the first one, before which nothing has moved. */
void dry_momentum_gather(const struct dry_solver_step *step, const int32_t *rows, int count);

#endif
