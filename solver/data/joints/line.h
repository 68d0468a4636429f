/* The bundle of joints with one row along a direction. */
#ifndef SOLVER_DATA_JOINTS_LINE_H
#define SOLVER_DATA_JOINTS_LINE_H

#include "solver/data/joints/places.h"

/* The row of joints that have one: what it asks for, and how it answers. */
typedef struct dry_single_row {
    dry_lanes error;          /* of lines dry_sweep.present, else when the step began, m */
    dry_lanes kinematic;      /* velocity that kinematic bodies add, m/s */
    dry_lanes acceleration;   /* dG/dt W: how fast the error's speed grows, m/s^2 */
    dry_lanes inverse;        /* 1 / (|g|^2 + eps), kg */
    dry_lanes relax_inverse;  /* the same without softness; 0: relaxing leaves a spring */
    dry_lanes rate, softness; /* a [Spook 9], 1/s, and eps [Spook 11], 1/kg */
    dry_lanes approach;       /* a spring's 1 - b [Spook 10]; 0 if rigid */
    dry_lanes rigid;          /* 1: the bias velocity is bounded; 0: a spring */
    dry_lanes impulse;        /* along the row, N s per substep */
    dry_lanes sum;            /* of the substeps' impulses so far, N s */
    dry_lanes peak;           /* the largest of them, squared */
} dry_single_row;

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
