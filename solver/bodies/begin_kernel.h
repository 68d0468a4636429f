/* The kernel that begins a step for sixteen bodies: rows from poses and velocities, and the velocities with a
 * substep's forces. Compiled once per instruction set. Included by kernels.c alone. */
#ifndef SOLVER_BODIES_BEGIN_KERNEL_H
#define SOLVER_BODIES_BEGIN_KERNEL_H

#include "solver/bodies/body_lanes.h"

/* A change of a row's velocity, or its displacement. */
typedef struct begin_force {
    lane_vec3 linear, angular;
} begin_force;

/* Returns the change by gravity, and by force and torque where a body has them, in a substep. */
LANE_INLINE begin_force begin_forces(const dry_body_begin *b, const dry_begin_block *block,
                                     const body_columns *body, const body_whitening *w, int at)
{
    lane h = lane_set(b->h);
    lane weight = lane_mul(lane_mul(body->gravity_scale, w->sqrt_mass), h);
    begin_force change = {
        .linear = lane_vec3_scale(lane_vec3_set(b->gravity.x, b->gravity.y, b->gravity.z), weight),
        .angular = lane_vec3_zero(),
    };
    if (block->any_forced) {
        lane_mask forced = lane_less(lane_zero(), LOAD(block->forced));
        lane_vec3 force, torque;
        body_gather_force(b->bodies, block->row + at, &force, &torque);
        force = lane_vec3_scale(lane_vec3_scale(force, w->inv_sqrt_mass), h);
        torque = lane_vec3_scale(lane_mat3_mul_transposed(w->axes, torque), h);
        change.linear = lane_vec3_select(forced, lane_vec3_add(change.linear, force), change.linear);
        change.angular = lane_vec3_select(forced, torque, change.angular);
    }
    lane_mask movable = lane_less(lane_zero(), w->inv_sqrt_mass);
    change.linear = lane_vec3_select(movable, change.linear, lane_vec3_zero());
    return change;
}

/* Returns the displacement from where the row's frame is. */
LANE_INLINE begin_force begin_displacement(const dry_begin_block *block, const body_whitening *w, int at)
{
    if (!block->any_moved)
        return (begin_force){lane_vec3_zero(), lane_vec3_zero()};
    return (begin_force){lane_vec3_scale(lane_vec3_load(block->moved[0] + at, DRY_BUNDLE), w->sqrt_mass),
                         body_whiten_angular(w, lane_vec3_load(block->turned[0] + at, DRY_BUNDLE))};
}

LANE_INLINE void begin_store(const dry_body_begin *b, const int32_t *row, lane_vec3 inv_sqrt_inertia,
                             lane inv_sqrt_mass, lane_vec3 ul, lane_vec3 ua, begin_force start, begin_force d)
{
    float *rows[DRY_LANES], *starts[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        rows[i] = b->rows[row[i] + 1].u;
        starts[i] = b->start[row[i]].u;
    }
    const lane r[4][4] = {{ul.x, ul.y, ul.z, ua.x},
                          {ua.y, ua.z, d.linear.x, d.linear.y},
                          {d.linear.z, d.angular.x, d.angular.y, d.angular.z},
                          {inv_sqrt_inertia.x, inv_sqrt_inertia.y, inv_sqrt_inertia.z, inv_sqrt_mass}};
    for (int k = 0; k < 4; k++)
        lane_scatter4(rows, 4 * k, r[k]);
    const lane s[6] = {start.linear.x,  start.linear.y,  start.linear.z,
                       start.angular.x, start.angular.y, start.angular.z};
    lane_scatter6(starts, s);
}

/* Begins lanes [at, at + DRY_LANES). The caller finds invalid rows from the squares. */
LANE_INLINE void begin_lanes(const dry_body_begin *b, const dry_begin_block *block, dry_body_squares *squares,
                             int at)
{
    const int32_t *row = block->row + at;
    body_columns body =
        body_gather_columns(b->bodies, row, block->any_moved ? block->start + at : NULL, b->dt);
    body_locks locks;
    if (block->any_locked) {
        /* A body locked altogether is infinitely heavy; single axes are taken out of the velocities. */
        locks = body_locks_load(&block->locks, at);
        body.mass[0] = lane_select(locks.all_linear, lane_zero(), body.mass[0]);
        for (int i = 1; i < 4; i++)
            body.mass[i] = lane_select(locks.all_angular, lane_zero(), body.mass[i]);
    }
    lane_vec3 inv_sqrt_inertia = {lane_sqrt(body.mass[1]), lane_sqrt(body.mass[2]), lane_sqrt(body.mass[3])};
    const body_whitening w = body_whitening_of(body.orientation, inv_sqrt_inertia, lane_sqrt(body.mass[0]));
    lane_vec3 ul = lane_vec3_scale(body.damped_linear, w.sqrt_mass);
    lane_vec3 ua = body_whiten_angular(&w, body.damped_angular);
    begin_force change = begin_forces(b, block, &body, &w, at);
    if (block->any_locked) {
        body_lock(&locks, &w, &ul, &ua);
        body_lock(&locks, &w, &change.linear, &change.angular);
    }
    /* Without a torque the sum makes zero of minus zero. */
    const begin_force start = {lane_vec3_add(ul, change.linear), lane_vec3_add(ua, change.angular)};
    lane_vec3 v = lane_vec3_scale(start.linear, w.inv_sqrt_mass);
    lane_vec3 omega = lane_mat3_mul(w.axes, start.angular);
    lane_store(squares->linear + at, lane_vec3_dot(v, v));
    lane_store(squares->angular + at, lane_vec3_dot(omega, omega));
    field_store3(squares->force, at, change.linear);
    begin_store(b, row, inv_sqrt_inertia, w.inv_sqrt_mass, ul, ua, start, begin_displacement(block, &w, at));
}

#endif
