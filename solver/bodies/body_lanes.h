/* Bodies in lanes, for the kernels that begin and finish a step: their columns, damping, whitening and locked
 * axes. Compiled once per instruction set. Included by those kernels alone.
 *
 * Each value has the bits of the scalar functions of core/math.h and whitening.h. */
#ifndef SOLVER_BODIES_BODY_LANES_H
#define SOLVER_BODIES_BODY_LANES_H

#include "simd/gather.h"
#include "solver/bodies/body_blocks.h"
#include "solver/bodies/gather.h"

#include <stddef.h>

/* Columns. */

/* Gathers a column's four floats at `offset` of the elements that `row` names. */
#define BODY_GATHER(column, offset, out)                                                                     \
    do {                                                                                                     \
        const float *gathered[DRY_LANES];                                                                    \
        for (int i = 0; i < DRY_LANES; i++)                                                                  \
            gathered[i] = (const float *)(const void *)&(column)[row[i]] + (offset);                         \
        lane_gather4(gathered, 0, out);                                                                      \
    } while (0)

/* The columns that both kernels read. */
typedef struct body_columns {
    lane_quat orientation;
    lane mass[4]; /* inverse mass and the inverse inertias */
    lane gravity_scale;
    lane_vec3 linear, angular;               /* velocities */
    lane_vec3 damped_linear, damped_angular; /* velocities after damping */
} body_columns;

enum { POSE_ORIENTATION = offsetof(dry_body_pose, orientation) / sizeof(float) };
_Static_assert(sizeof(dry_body_velocity) == 24 && sizeof(dry_body_force) == 24 &&
                   sizeof(dry_body_properties) == 16,
               "the kernels gather them by these sizes");

/* Gathers two vectors that lie one behind the other in 24 bytes. */
LANE_INLINE void body_gather6(const float *const *p, lane_vec3 *first, lane_vec3 *second)
{
    lane six[6];
    lane_gather6(p, six);
    *first = (lane_vec3){six[0], six[1], six[2]};
    *second = (lane_vec3){six[3], six[4], six[5]};
}

LANE_INLINE void body_gather_force(const dry_bodies *bodies, const int32_t *row, lane_vec3 *force,
                                   lane_vec3 *torque)
{
    const float *p[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        p[i] = &dry_bodies_force(bodies, row[i])->force.x;
    body_gather6(p, force, torque);
}

LANE_INLINE lane_vec3 body_damp(lane_vec3 velocity, lane damping, lane dt)
{
    lane one = lane_set(1.0f);
    return lane_vec3_scale(velocity, lane_div(one, lane_add(one, lane_mul(dt, damping))));
}

/* Gathers the columns of bodies, which start elsewhere than where they are if `start` says so. */
LANE_INLINE body_columns body_gather_columns(const dry_bodies *bodies, const int32_t *row,
                                             const dry_body_pose *const *start, float dt)
{
    body_columns b;
    lane q[4], properties[4];
    if (start) {
        const float *orientation[DRY_LANES];
        for (int i = 0; i < DRY_LANES; i++)
            orientation[i] = &start[i]->orientation.x;
        lane_gather4(orientation, 0, q);
    } else {
        BODY_GATHER(bodies->pose, POSE_ORIENTATION, q);
    }
    BODY_GATHER(bodies->mass, 0, b.mass);
    BODY_GATHER(bodies->properties, 0, properties);
    const float *velocity[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        velocity[i] = &bodies->velocity[row[i]].linear.x;
    body_gather6(velocity, &b.linear, &b.angular);
    b.orientation = (lane_quat){q[0], q[1], q[2], q[3]};
    b.gravity_scale = properties[0];
    b.damped_linear = body_damp(b.linear, properties[1], lane_set(dt));
    b.damped_angular = body_damp(b.angular, properties[2], lane_set(dt));
    return b;
}

/* Whitening. */

typedef struct body_whitening {
    lane_mat3 axes; /* R D^(-1/2): takes a whitened angular vector to the world */
    lane_vec3 sqrt_inertia;
    lane sqrt_mass, inv_sqrt_mass;
} body_whitening;

LANE_INLINE lane body_inverse_or_zero(lane x)
{
    return lane_select(lane_less(lane_zero(), x), lane_div(lane_set(1.0f), x), lane_zero());
}

LANE_INLINE body_whitening body_whitening_of(lane_quat orientation, lane_vec3 inv_sqrt_inertia,
                                             lane inv_sqrt_mass)
{
    lane_mat3 r = lane_mat3_from_quat(orientation);
    return (body_whitening){
        .axes = {lane_vec3_scale(r.x, inv_sqrt_inertia.x), lane_vec3_scale(r.y, inv_sqrt_inertia.y),
                 lane_vec3_scale(r.z, inv_sqrt_inertia.z)},
        .sqrt_inertia = {body_inverse_or_zero(inv_sqrt_inertia.x), body_inverse_or_zero(inv_sqrt_inertia.y),
                         body_inverse_or_zero(inv_sqrt_inertia.z)},
        .sqrt_mass = body_inverse_or_zero(inv_sqrt_mass),
        .inv_sqrt_mass = inv_sqrt_mass,
    };
}

LANE_INLINE lane_vec3 body_whiten_angular(const body_whitening *w, lane_vec3 v)
{
    lane_vec3 u = lane_mat3_mul_transposed(w->axes, v);
    return lane_vec3_mul(lane_vec3_mul(u, w->sqrt_inertia), w->sqrt_inertia);
}

/* Locked axes. */

typedef struct body_locks {
    lane_mask linear[3], angular[3];
    lane_mask all_linear, all_angular, some_angular;
} body_locks;

LANE_INLINE body_locks body_locks_load(const dry_body_locks *locks, int at)
{
    body_locks l;
    for (int i = 0; i < 3; i++) {
        l.linear[i] = lane_less(lane_zero(), LOAD(locks->linear[i]));
        l.angular[i] = lane_less(lane_zero(), LOAD(locks->angular[i]));
    }
    l.all_linear = lane_mask_and(lane_mask_and(l.linear[0], l.linear[1]), l.linear[2]);
    l.all_angular = lane_mask_and(lane_mask_and(l.angular[0], l.angular[1]), l.angular[2]);
    l.some_angular = lane_mask_or(lane_mask_or(l.angular[0], l.angular[1]), l.angular[2]);
    return l;
}

LANE_INLINE lane_vec3 body_zero_locked(const lane_mask locked[3], lane_vec3 v)
{
    return (lane_vec3){lane_select(locked[0], lane_zero(), v.x), lane_select(locked[1], lane_zero(), v.y),
                       lane_select(locked[2], lane_zero(), v.z)};
}

/* Takes the locked world axes out of a whitened vector, as dry_whitening_lock. */
LANE_INLINE void body_lock(const body_locks *locks, const body_whitening *w, lane_vec3 *ul, lane_vec3 *ua)
{
    *ul = body_zero_locked(locks->linear, *ul);
    lane_vec3 world = body_zero_locked(locks->angular, lane_mat3_mul(w->axes, *ua));
    *ua = lane_vec3_select(locks->some_angular, body_whiten_angular(w, world), *ua);
}

#endif
