/* Bodies that are too light for the loads that go through them count as heavier. */
#ifndef SOLVER_BODIES_HEAVIER_H
#define SOLVER_BODIES_HEAVIER_H

#include <stdint.h>

struct dry_solver_step;

/* A member of a dry_method: makes those of some rows heavier through which joints in sweeps pass more load
 * than substeps of h seconds bear. The rows must have begun, and no constraint been prepared. */
void dry_rows_make_heavier(const struct dry_solver_step *step, const int32_t *rows, int count, float h);
/* Returns how many times as heavy a row is as its body. */
double dry_row_heaviness(const struct dry_solver_step *step, int row);
/* Returns how many times further an impulse of a joint would part its bodies if no row was heavier. */
float dry_joint_relief(const struct dry_solver_step *step, int joint);

#endif
