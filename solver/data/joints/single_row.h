/* The row of joints that have one, in their bundles: what it asks for, and how it answers. */
#ifndef SOLVER_DATA_JOINTS_SINGLE_ROW_H
#define SOLVER_DATA_JOINTS_SINGLE_ROW_H

#include "solver/data/bundle.h"

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

#endif
