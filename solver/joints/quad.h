/* The bundle of joints with one row over four bodies. */
#ifndef SOLVER_JOINTS_QUAD_H
#define SOLVER_JOINTS_QUAD_H

#include "solver/bundle.h"

enum { DRY_QUAD_SIDES = 4 };

/* One body's part of the row, whitened. */
typedef struct dry_quad_side {
    int32_t row[DRY_BUNDLE];
    dry_lanes linear[3], angular[3];
} dry_quad_side;

/* The row is divided by the length of its gradient, so that errors are lengths and impulses N s, as those of
 * a line. */
typedef struct dry_quad_bundle {
    _Alignas(64) dry_quad_side side[DRY_QUAD_SIDES];
    dry_lanes error;          /* when the step began, m */
    dry_lanes kinematic;      /* velocity that kinematic bodies add, m/s */
    dry_lanes acceleration;   /* dG/dt W: how fast the error's speed grows, m/s^2 */
    dry_lanes inverse;        /* 1 / (|g|^2 + eps), kg */
    dry_lanes relax_inverse;  /* the same without softness; 0: relaxing leaves a spring */
    dry_lanes rate, softness; /* a [Spook 9], 1/s, and eps [Spook 11], 1/kg */
    dry_lanes approach;       /* a spring's 1 - b [Spook 10]; 0 if rigid */
    dry_lanes rigid;          /* 1: the bias velocity is bounded; 0: a spring */
    dry_lanes impulse;        /* along the row, N s per substep */
    dry_lanes per_length;     /* 1 / the gradient's length, 1/m^2 */
    dry_lanes direction_b[3]; /* the row's direction at body b, world: for the impulse that is stored */
    int32_t lanes;            /* lanes before this one are in use */
} dry_quad_bundle;

#endif
