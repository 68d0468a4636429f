/* Locked axes of sixteen bodies, for the kernels that begin and finish a step. */
#ifndef SOLVER_BODIES_LOCKS_H
#define SOLVER_BODIES_LOCKS_H

#include "solver/bodies/body_blocks.h"

static inline void dry_body_locks_gather(const dry_bodies *bodies, const int32_t row[DRY_BUNDLE],
                                         dry_body_locks *locks)
{
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        uint32_t bits = bodies->properties[row[lane]].locks;
        for (int i = 0; i < 3; i++) {
            locks->linear[i][lane] = bits & (DRY_LOCK_LINEAR_X << i) ? 1.0f : 0.0f;
            locks->angular[i][lane] = bits & (DRY_LOCK_ANGULAR_X << i) ? 1.0f : 0.0f;
        }
    }
}

#endif
