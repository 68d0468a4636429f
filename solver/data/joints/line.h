/* The bundle of joints with one row along a direction. */
#ifndef SOLVER_DATA_JOINTS_LINE_H
#define SOLVER_DATA_JOINTS_LINE_H

#include "solver/data/joints/places.h"
#include "solver/data/joints/single_row.h"

/* The linear parts of the row are the axis times inv_sqrt_mass_a or inv_sqrt_mass_b, so that only the angular
 * parts are stored. */
typedef struct dry_line_bundle {
    _Alignas(64) int32_t row_a[DRY_BUNDLE], row_b[DRY_BUNDLE];
    dry_lanes inv_sqrt_mass_a, inv_sqrt_mass_b; /* 1 / sqrt(m), kg^-1/2 */
    dry_joint_places places;
    dry_lanes given, relative;            /* the softness: a number, 1/kg, and a share of |g|^2 */
    dry_lanes rest;                       /* the length at which the error is 0, m */
    dry_lanes past;                       /* the error where rows were made before the last time, m */
    dry_lanes axis[3];                    /* world, from a to b */
    dry_lanes angular_a[3], angular_b[3]; /* whitened */
    dry_single_row single;
    int32_t lanes; /* lanes before this one are in use */
} dry_line_bundle;

#endif
