/* Stage "prepare": joint bundles from joints. */
#ifndef SOLVER_JOINTS_PREPARE_H
#define SOLVER_JOINTS_PREPARE_H

struct dry_solver_step;

/* Bundles [begin, end) of a class with substeps of length h. */
void dry_prepare_balls(const struct dry_solver_step *step, int begin, int end, float h);
void dry_prepare_distances(const struct dry_solver_step *step, int begin, int end, float h);

#endif
