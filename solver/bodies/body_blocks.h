/* Bodies in blocks of sixteen: inputs and outputs of the kernels that begin and finish a step. */
#ifndef SOLVER_BODIES_BODY_BLOCKS_H
#define SOLVER_BODIES_BODY_BLOCKS_H

#include "solver/data/bundle.h"
#include "solver/data/solver_row.h"
#include "state/bodies.h"
#include "state/shapes.h"

struct dry_solver_step;

/* Locked axes of sixteen bodies, world axes: 1 where one is locked, else 0. */
typedef struct dry_body_locks {
    _Alignas(64) dry_lanes linear[3], angular[3];
} dry_body_locks;

static inline void dry_body_locks_gather(const dry_bodies *bodies, const int32_t row[DRY_BUNDLE],
                                         dry_body_locks *locks)
{
    for (int i = 0; i < DRY_BUNDLE; i++) {
        uint32_t bits = bodies->properties[row[i]].locks;
        for (int k = 0; k < 3; k++) {
            locks->linear[k][i] = bits & (DRY_LOCK_LINEAR_X << k) ? 1.0f : 0.0f;
            locks->angular[k][i] = bits & (DRY_LOCK_ANGULAR_X << k) ? 1.0f : 0.0f;
        }
    }
}

/* Beginning. */

/* The same for all blocks of a tier. Row r + 1 of rows belongs to body row r, and so does start row r. */
typedef struct dry_body_begin {
    const dry_bodies *bodies;
    dry_solver_row *rows;
    dry_start_row *start;
    dry_vec3 gravity;
    float dt, h; /* s, of the step and of a substep */
} dry_body_begin;

/* Sixteen bodies; a row may be named more than once. Locks and `forced` are set only where a flag says so. */
typedef struct dry_begin_block {
    int32_t row[DRY_BUNDLE];
    const dry_body_pose *start[DRY_BUNDLE]; /* if any_moved: whose frames the rows are in */
    bool any_locked, any_forced, any_moved;
    dry_body_locks locks;
    dry_lanes forced;              /* 1: the body's force and torque are not zero */
    dry_lanes moved[3], turned[3]; /* if any_moved: from there to where the body is, world, m and rad */
} dry_begin_block;

/* Results of beginning. */
typedef struct dry_body_squares {
    _Alignas(64) dry_lanes linear, angular; /* squares of the speeds that the first substep begins with */
    dry_lanes force[3];                     /* the change of ul in a substep */
} dry_body_squares;

/* Finishing. */

/* The same for all blocks. */
typedef struct dry_body_finish {
    const dry_bodies *bodies;
    const dry_solver_row *rows;
    dry_vec3 gravity;
    float dt;
} dry_body_finish;

/* Sixteen bodies and their only shapes; a row may be named more than once. Each kind of lane has a flag that
 * says if any lane is of that kind; locks are set only with theirs. */
typedef struct dry_finish_block {
    int32_t row[DRY_BUNDLE];
    const dry_body_pose *start[DRY_BUNDLE]; /* if any_moved: whose frames the rows are in */
    const dry_shape_form *form[DRY_BUNDLE]; /* of the body's one shape; any form if it has none or several */
    bool any_free, any_forced, any_gyroscopic, any_kinematic, any_locked, any_moved;
    _Alignas(64) dry_lanes shape_type; /* dry_shape_type of the form */
    dry_lanes free;                    /* 1: dynamic without locked axes: maybe only forces moved it */
    dry_lanes substep;                 /* of the body's tier, s */
    dry_lanes gyroscopic;              /* 1: the moments of inertia differ */
    dry_lanes rests;                   /* 1: in an island that a fixed body holds by contacts alone */
    dry_lanes bounded;                 /* 1: the new orientation must not add energy to the momentum */
    dry_lanes floating;                /* 1: in an island that nothing fixed holds */
    dry_lanes kinematic;               /* 1: the body keeps its velocity, and has no row */
    dry_lanes locked;                  /* 1: some axis is locked */
    dry_body_locks locks;
} dry_finish_block;

/* Results of finishing: the bodies' motion at the step's end. */
typedef struct dry_body_motion {
    _Alignas(64) dry_lanes linear[3], angular[3]; /* velocities */
    dry_lanes displacement[3];                    /* of the center of mass from where it started, m */
    dry_lanes orientation[4];
    dry_lanes linear_squared, angular_squared, orientation_squared; /* not finite or too large: invalid */
    dry_lanes linear_speed, angular_speed;
    dry_lanes offset[3], extents[3]; /* of the shape: from the center of mass; half its bounds */
} dry_body_motion;

/* Computes the motion of rows [first, first + count), at most sixteen. Lanes past the end repeat the last
 * body. A body without just one shape in the broadphase gets a form without a proxy. */
void dry_finish_bodies(const struct dry_solver_step *step, int first, int count, dry_finish_block *block,
                       dry_body_motion *motion);

#endif
