/* The loads of joints that hold for the first time: the springs that pull at their bodies. */
#ifndef SOLVER_PLAN_SPRING_LOAD_H
#define SOLVER_PLAN_SPRING_LOAD_H

#include <drystone/types.h>

#include <stdbool.h>

struct dry_solver_step;

/* How springs would accelerate a body without any joint. */
typedef struct dry_spring_pull {
    dry_vec3 linear, angular; /* m/s^2, rad/s^2 */
} dry_spring_pull;

/* Adds what springs ask of joints that were never solved to their loads, in islands that are `fresh`. `pull`
 * is by row, and begins as zero. */
void dry_spring_loads(const struct dry_solver_step *step, const bool *fresh, dry_spring_pull *pull);

#endif
