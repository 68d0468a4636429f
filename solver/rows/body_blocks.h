/* Bodies in blocks of sixteen: what the kernels that begin and end a step are given and give back. */
#ifndef SOLVER_ROWS_BODY_BLOCKS_H
#define SOLVER_ROWS_BODY_BLOCKS_H

#include "solver/bundle.h"
#include "solver/rows/solver_row.h"
#include "state/bodies.h"
#include "state/shapes.h"

/* A step's beginning: the same for all blocks of a class. Row r + 1 of rows belongs to body row r, and so
 * does start row r. */
typedef struct dry_body_begin {
    const dry_bodies *bodies;
    dry_solver_row *rows;
    dry_start_row *start;
    dry_vec3 gravity;
    float dt, h; /* of the step, of a substep */
} dry_body_begin;

/* What beginning tells. */
typedef struct dry_body_squares {
    _Alignas(64) dry_lanes linear, angular; /* squares of the speeds that the first substep begins with */
    dry_lanes force[3];                     /* what changes ul in a substep */
} dry_body_squares;

/* A step's end: the same for all blocks. */
typedef struct dry_body_finish {
    const dry_bodies *bodies;
    const dry_solver_row *rows;
    dry_vec3 gravity;
    float dt;
} dry_body_finish;

/* Sixteen bodies. Lanes that hold none, or one that the kernel is not for, name any row and any form. */
typedef struct dry_body_block {
    int32_t row[DRY_BUNDLE];
    const dry_shape_form *form[DRY_BUNDLE]; /* of the body's one shape */
    _Alignas(64) dry_lanes kind;            /* of it: 0 box, 1 capsule, 2 sphere */
    dry_lanes free;                         /* 1: nothing but forces changes its linear velocity */
    dry_lanes gyroscopic;                   /* 1: its moments of inertia differ */
    bool any_free, any_gyroscopic;
} dry_body_block;

/* The motion that they end with. */
typedef struct dry_body_motion {
    _Alignas(64) dry_lanes linear[3], angular[3];
    dry_lanes moved[3];                 /* displacement of the centre of mass */
    dry_lanes turn[4];                  /* orientation */
    dry_lanes linear2, angular2, turn2; /* squares: not finite, or too large, is not sound */
    dry_lanes speed, spin;
    dry_lanes offset[3], extents[3]; /* of the shape: from the centre of mass; half its bounds */
} dry_body_motion;

#endif
