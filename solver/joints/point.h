/* The bundle of joints with three rows along the world's axes, solved as one 3x3 block. */
#ifndef SOLVER_JOINTS_POINT_H
#define SOLVER_JOINTS_POINT_H

#include "solver/bundle.h"

/* The linear parts of the rows are inv_sqrt_mass_a or inv_sqrt_mass_b, so that only the angular parts are
 * stored. */
typedef struct dry_point_bundle {
    int32_t row_a[DRY_BUNDLE], row_b[DRY_BUNDLE];
    dry_lanes inv_sqrt_mass_a, inv_sqrt_mass_b; /* 1 / sqrt(m), kg^-1/2 */
    dry_lanes angular_a[3][3], angular_b[3][3]; /* [axis][component], whitened */
    dry_lanes error[3];                         /* when the step began, m */
    dry_lanes kinematic[3];                     /* velocity that a kinematic body adds, m/s */
    dry_lanes acceleration[3];                  /* dG/dt W: how fast the error's speed grows, m/s^2 */
    dry_lanes inverse[6];       /* inverse of the block with its softness: xx xy xz yy yz zz */
    dry_lanes relax_inverse[6]; /* the same without softness; a spring's keeps it */
    dry_lanes rate, softness;   /* a [Spook 9], 1/s, and eps [Spook 11], 1/kg; eps 0 if rigid */
    dry_lanes shrink;           /* rigid: the share of the impulse that softness takes back; else 0 */
    dry_lanes rigid;            /* 1: relaxed without softness; 0: a spring stays one */
    dry_lanes impulse[3];       /* world, N s per substep */
} dry_point_bundle;

#endif
