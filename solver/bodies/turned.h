/* How bodies that turn their frames have rotated since the step began, and where they end it.
 *
 * frames.h says which bodies those are, and keeps their rows in the frames of the substeps. At the step's end
 * a row is in the frame of the step's beginning again. Its angular velocity is then that of the inertia as
 * the body has turned: with R the rotation since the step began, in the principal frame, and D the principal
 * moments, the whitened momentum is D^(-1/2) R D R^T D^(-1/2) u. */
#ifndef SOLVER_BODIES_TURNED_H
#define SOLVER_BODIES_TURNED_H

#include "core/integrate.h"
#include "core/memory.h"
#include "core/shared.h"
#include "solver/data/solver_row.h"

#include <stdbool.h>
#include <stdint.h>

struct dry_solver_state;
struct dry_solver_step;

/* Returns the vector of a whitened one, in the same frame. */
static inline dry_double3 dry_row_vector(const dry_solver_row *r, const float whitened[3])
{
    return double3_mul(double3_of_floats(whitened), double3_of_floats(r->inv_sqrt_inertia));
}

/* Whitens a vector. */
static inline void dry_row_whiten(const dry_solver_row *r, dry_double3 v, float whitened[3])
{
    whitened[0] = (float)(v.x / (double)r->inv_sqrt_inertia[0]);
    whitened[1] = (float)(v.y / (double)r->inv_sqrt_inertia[1]);
    whitened[2] = (float)(v.z / (double)r->inv_sqrt_inertia[2]);
}

/* Returns the angular momentum of a whitened velocity, in the same frame; or the torque of a row. */
static inline dry_double3 dry_row_momentum(const dry_solver_row *r, const float whitened[3])
{
    return (dry_double3){(double)whitened[0] / (double)r->inv_sqrt_inertia[0],
                         (double)whitened[1] / (double)r->inv_sqrt_inertia[1],
                         (double)whitened[2] / (double)r->inv_sqrt_inertia[2]};
}

/* Returns the moments of inertia of a row's body. */
static inline dry_rotor dry_row_rotor(const dry_solver_row *r)
{
    const dry_double3 inverse = dry_row_vector(r, r->inv_sqrt_inertia);
    return (dry_rotor){.inverse = inverse, .inertia = {1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z}};
}

typedef struct dry_turned_row {
    dry_rotation orientation; /* since the step began, in the principal frame */
    dry_double3 rotation;     /* its vector, rad */
    int32_t turns;            /* 1: the body has such a frame; 0: that of the step's beginning */
} dry_turned_row;

/* Tells whether the body of a row turns by more than `angle` rad within the step. */
bool dry_body_turns(const struct dry_solver_step *step, int row, float angle);
/* Makes room for all awake rows, none of which turns yet. False if memory fails. */
bool dry_turned_reserve(const struct dry_solver_step *step, dry_memory *memory);
/* Tells whether the frame of a body may turn within a step of substeps h. */
DRY_SHARED bool dry_turned_applies(const struct dry_solver_step *step, int row, float h);
/* Adds a small rotation, in the principal frame of the step's beginning. */
DRY_SHARED void dry_turned_add(dry_turned_row *turned, dry_double3 way);
/* Rotates the body of a row by so much where its substeps end, whether its frame turns or not. */
void dry_turned_shift(const struct dry_solver_step *step, int row, dry_double3 way);
/* Ends the step of a row whose frame others have turned (frames.h): its velocity is that of its angular
 * momentum, in the principal frame of the step's beginning. */
void dry_turned_set(const struct dry_solver_step *step, int row, dry_double3 momentum);
/* Returns a row's record; null if its frame is that of the step's beginning. */
const dry_turned_row *dry_turned_of(const struct dry_solver_step *step, int row);
/* Returns the whitened angular momentum of a row at a whitened angular velocity, in the frame of the step's
 * beginning: D^(-1/2) R D R^T D^(-1/2) u. */
dry_double3 dry_turned_momentum(const struct dry_solver_step *step, int row, dry_double3 u);

#endif
