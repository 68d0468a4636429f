/* The bundle of joints with three rows along the world's axes, solved as one 3x3 block. */
#ifndef SOLVER_DATA_JOINTS_POINT_H
#define SOLVER_DATA_JOINTS_POINT_H

#include "solver/data/bundle.h"
#include "solver/data/joints/places.h"

/* The linear parts of the rows are inv_sqrt_mass_a or inv_sqrt_mass_b, so that only the angular parts are
 * stored. */
typedef struct dry_point_bundle {
    _Alignas(64) int32_t row_a[DRY_BUNDLE], row_b[DRY_BUNDLE];
    dry_lanes inv_sqrt_mass_a, inv_sqrt_mass_b; /* 1 / sqrt(m), kg^-1/2 */
    dry_joint_places places;
    dry_lanes given, relative;                  /* the softness: a number, 1/kg, and a share of the block */
    dry_lanes angular_a[3][3], angular_b[3][3]; /* [axis][component], whitened */
    dry_lanes error[3], past[3]; /* dry_sweep.present; where rows were made before the last time, m: for a
                                    spring's energy */
    dry_lanes kinematic[3];      /* velocity that a kinematic body adds, m/s */
    dry_lanes acceleration[3];   /* dG/dt W: how fast the error's speed grows, m/s^2 */
    dry_lanes inverse[6];  /* inverse of the block, a spring's with its softness, kg: xx xy xz yy yz zz */
    dry_lanes softness[6]; /* Sigma [Spook 8], 1/kg: a share of the block if rigid, else eps [Spook 11] */
    dry_lanes mass_scale;  /* rigid: 1 / (1 + that share), which solving multiplies the inverse by; else 1 */
    dry_lanes rate;        /* a [Spook 9], 1/s */
    dry_lanes approach;    /* a spring's 1 - b [Spook 10]; 0 if rigid */
    dry_lanes rigid;       /* 1: relaxed, without softness; 0: relaxing leaves a spring as it is */
    dry_lanes most;        /* largest length of the impulse, N s per substep */
    dry_lanes impulse[3];  /* world, N s per substep */
    dry_lanes sum[3];      /* of the substeps' impulses so far, N s */
    dry_lanes peak;        /* the largest of them, squared */
    int32_t limited;       /* 1: some lane's impulse has a bound */
    int32_t lanes;         /* lanes before this one are in use */
} dry_point_bundle;

#endif
