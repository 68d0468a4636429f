/* Adaptive relaxation: how much the sweeps of a tier change, and the relaxation that follows (relaxation.c).
 */
#ifndef SOLVER_SWEEPS_RELAXATION_H
#define SOLVER_SWEEPS_RELAXATION_H

#include "solver/data/context.h"
#include "solver/data/sweep.h"

/* The relaxation of one tier in one step. */
typedef struct dry_relaxation {
    float value;
    double change; /* of the last sweep of this substep, sqrt(J); negative: there was none */
} dry_relaxation;

/* Keeps the velocities that the next sweep of a tier changes. */
void dry_relaxation_keep(dry_solver_step *step, const dry_tier_range *range, dry_update update);
/* Measures the change that the sweep made, and follows it. */
void dry_relaxation_follow(dry_solver_step *step, const dry_tier_range *range, dry_update update,
                           dry_relaxation *relaxation);

#endif
