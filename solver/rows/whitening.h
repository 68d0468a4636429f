/* Whitening of single bodies, shared by begin bodies, the substeps and step/finalize.c. */
#ifndef SOLVER_ROWS_WHITENING_H
#define SOLVER_ROWS_WHITENING_H

#include "core/math.h"
#include "state/bodies.h"

/* Faster than this a body is quarantined: 1e5 m/s crosses a kilometre in a step, and beyond it single
 * precision has nothing left for the contacts of its neighbours. */
#define DRY_SPEED_LIMIT 1e5f
#define DRY_SPIN_LIMIT 1e4f

#define DRY_LOCKS_LINEAR (DRY_LOCK_LINEAR_X | DRY_LOCK_LINEAR_Y | DRY_LOCK_LINEAR_Z)
#define DRY_LOCKS_ANGULAR (DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Y | DRY_LOCK_ANGULAR_Z)

/* How a body's vectors are whitened while a step is solved: W = D^(-1/2) R^T takes a world angular direction
 * to its row's angular part. Made anew where it is wanted, from the pose that finalize has not moved yet:
 * kept, it would be one more line a body to write and to read. */
typedef struct dry_whitening {
    float axes[3][3];      /* axes[i] = principal axis i in the world / sqrt(I_i); 0 where locked */
    float ang[3];          /* 1 / sqrt(I_i); 0 where locked */
    float root_inertia[3]; /* sqrt(I_i); 0 where locked */
    float lin;             /* 1 / sqrt(m), kg^-1/2; 0 where locked */
} dry_whitening;

dry_whitening dry_whitening_of(const dry_bodies *bodies, int row);

/* Jacobi: how many constraints split the body's mass, at least 1. */
static inline float dry_mass_share(const dry_bodies *bodies, int row)
{
    return (float)dry_max_int(1, __builtin_popcountll(bodies->state[row].colors));
}

/* The world angular vector of a whitened one: W^T u. */
dry_vec3 dry_whitened_angular(const dry_whitening *w, const float u[3]);

/* A row's velocity after damping, in world axes, and whitened with locked axes taken out: what a step begins
 * with. */
void dry_damped_velocity(const dry_bodies *bodies, int row, float dt, dry_vec3 *linear, dry_vec3 *angular);
void dry_whiten_velocity(const dry_bodies *bodies, int row, float dt, const dry_whitening *w, float ul[3],
                         float ua[3]);

/* Takes the locked world axes out of a whitened vector. */
void dry_lock_row(const dry_whitening *w, uint32_t locks, float ul[3], float ua[3]);

#endif
