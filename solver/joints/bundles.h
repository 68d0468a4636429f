/* The bundles of joints. The linear parts of their rows are the shared direction times lin_a or
 * lin_b = 1 / sqrt(m), so that only angular parts are stored per row. */
#ifndef SOLVER_JOINTS_BUNDLES_H
#define SOLVER_JOINTS_BUNDLES_H

#include "solver/bundle.h"

#include <stdint.h>

/* A ball joint: three rows along the world's axes [Waterson 5.1]. */
typedef struct dry_ball_bundle {
    int32_t row_a[DRY_BUNDLE], row_b[DRY_BUNDLE];
    dry_lanes lin_a, lin_b;
    dry_lanes ang_a[3][3], ang_b[3][3]; /* [axis][component] */
    dry_lanes error[3];                 /* anchor_b - anchor_a when the step began, m */
    dry_lanes driven[3];                /* speed that a kinematic body adds, m/s */
    dry_lanes turning[3];               /* dG/dt W: how fast the error's speed grows as levers turn, m/s^2 */
    dry_lanes inverse[6];               /* inverse of the 3x3 block with its softness: xx xy xz yy yz zz */
    dry_lanes relax_inverse[6];         /* the same without softness; a spring's keeps it */
    dry_lanes rate, softness;           /* a [Spook 9], 1/s, and eps [Spook 11], 1/kg; eps 0 if rigid */
    dry_lanes shrink;                   /* rigid: the share of the impulse that softness takes back; else 0 */
    dry_lanes rigid;                    /* 1: relaxed without softness; 0: a spring stays one */
    dry_lanes impulse[3];
    int32_t joint[DRY_BUNDLE];
} dry_ball_bundle;

/* A distance joint: one row along the line between the anchors [Spook p. 8, Tamis 5.2]. */
typedef struct dry_distance_bundle {
    int32_t row_a[DRY_BUNDLE], row_b[DRY_BUNDLE];
    dry_lanes lin_a, lin_b;
    dry_lanes axis[3];
    dry_lanes ang_a[3], ang_b[3];
    dry_lanes error, driven, turning;
    dry_lanes inverse, relax_inverse;
    dry_lanes rate, softness, rigid;
    dry_lanes impulse;
    int32_t joint[DRY_BUNDLE];
} dry_distance_bundle;

#endif
