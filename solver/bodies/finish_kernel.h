/* The kernel that finishes a step for sixteen bodies: from rows to velocities, displacements, orientations
 * and the bounds of single shapes. Compiled once per instruction set. Included by kernels.c alone. */
#ifndef SOLVER_BODIES_FINISH_KERNEL_H
#define SOLVER_BODIES_FINISH_KERNEL_H

#include "geometry/bounds_lanes.h"
#include "solver/bodies/body_lanes.h"
#include "solver/bodies/gyroscopic_lanes.h"
#include "solver/data/terms.h"

/* Stores the offset and the extents of each lane's shape, as dry_geometry_bounds and dry_shape_bounds. */
LANE_INLINE void finish_bounds(const dry_finish_block *block, lane_quat orientation, dry_body_motion *out,
                               int at)
{
    const float *form[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        form[i] = &block->form[at + i]->geometry.size.x;
    lane g[12];
    lane_gather4(form, 0, g);
    lane_gather4(form, 4, g + 4);
    lane_gather4(form, 8, g + 8);
    lane_vec3 size = {g[0], g[1], g[2]};
    lane_quat q = lane_quat_mul(orientation, (lane_quat){g[7], g[8], g[9], g[10]});
    field_store3(out->offset, at, lane_quat_rotate(orientation, (lane_vec3){g[4], g[5], g[6]}));
    field_store3(out->extents, at, lane_geometry_extents(LOAD(block->shape_type), size, q));
}
_Static_assert(offsetof(dry_geometry_core, type) == 12 && offsetof(dry_shape_form, pose) == 16 &&
                   offsetof(dry_transform, orientation) == 12,
               "the kernel gathers a form by these offsets");

/* The motion of a step. */
typedef struct finish_motion {
    lane_vec3 linear, angular;        /* velocities */
    lane_vec3 displacement, rotation; /* m and rad */
} finish_motion;

/* Returns velocities and displacements from rows. Velocities change by the rows' change: a body that nothing
 * touched keeps its bits, and momentum is not rounded through sqrt(m) and back. A body with locked axes takes
 * the row's velocity itself, without those axes. */
LANE_INLINE finish_motion finish_rows(const dry_finish_block *block, const body_columns *body,
                                      const body_whitening *w, const lane r[12], int at)
{
    lane_vec3 ul = {r[0], r[1], r[2]}, ua = {r[3], r[4], r[5]};
    lane_vec3 linear = lane_vec3_sub(ul, lane_vec3_scale(body->damped_linear, w->sqrt_mass));
    lane_vec3 angular = lane_vec3_sub(ua, body_whiten_angular(w, body->damped_angular));
    linear = lane_vec3_add(body->damped_linear, lane_vec3_scale(linear, w->inv_sqrt_mass));
    angular = lane_vec3_add(body->damped_angular, lane_mat3_mul(w->axes, angular));
    if (block->any_locked) {
        const lane_mask locked = lane_less(lane_zero(), LOAD(block->locked));
        const body_locks locks = body_locks_load(&block->locks, at);
        body_lock(&locks, w, &ul, &ua);
        linear = lane_vec3_select(locked, lane_vec3_scale(ul, w->inv_sqrt_mass), linear);
        angular = lane_vec3_select(locked, lane_mat3_mul(w->axes, ua), angular);
    }
    return (finish_motion){
        .linear = linear,
        .angular = angular,
        .displacement = lane_vec3_scale((lane_vec3){r[6], r[7], r[8]}, w->inv_sqrt_mass),
        .rotation = lane_mat3_mul(w->axes, (lane_vec3){r[9], r[10], r[11]}),
    };
}

/* Substeps round a velocity and a displacement by less than this share of speed and way. */
#define FREE_ROUNDING 1e-5f

/* Gives bodies that only forces moved the parabola itself. Their velocity is the sum of forces once, not
 * rounded in every substep. Substeps move by the velocity at their end; the chord of a parabola goes half a
 * substep's change of velocity less far, and keeps the sum of kinetic and potential energy. A body that a
 * contact or a joint pushed has another velocity, or is elsewhere. */
LANE_INLINE void finish_free(const dry_body_finish *f, const dry_finish_block *block,
                             const body_columns *body, finish_motion *m, int at)
{
    const lane dt = lane_set(f->dt), half = lane_set(0.5f * f->dt);
    lane_vec3 acceleration =
        lane_vec3_scale(lane_vec3_set(f->gravity.x, f->gravity.y, f->gravity.z), body->gravity_scale);
    if (block->any_forced) {
        lane_vec3 force, torque;
        body_gather_force(f->bodies, block->row + at, &force, &torque);
        acceleration = lane_vec3_add(acceleration, lane_vec3_scale(force, body->mass[0]));
    }
    const lane_vec3 velocity = lane_vec3_add(body->damped_linear, lane_vec3_scale(acceleration, dt));
    const lane_vec3 late = lane_vec3_scale(acceleration, lane_mul(half, LOAD(block->substep)));
    const lane_vec3 mean = lane_vec3_add(body->damped_linear, lane_vec3_scale(acceleration, half));
    const lane_vec3 chord = lane_vec3_scale(mean, dt);
    const lane_vec3 other = lane_vec3_sub(m->linear, velocity);
    const lane_vec3 elsewhere = lane_vec3_sub(lane_vec3_sub(m->displacement, chord), late);
    lane speed =
        lane_add(lane_vec3_dot(velocity, velocity), lane_vec3_dot(body->damped_linear, body->damped_linear));
    speed = lane_mul(speed, lane_set(FREE_ROUNDING * FREE_ROUNDING));
    const lane way = lane_mul(lane_mul(speed, dt), dt);
    lane_mask is_free = lane_mask_and(lane_less(lane_zero(), LOAD(block->free)),
                                      lane_less_equal(lane_vec3_dot(other, other), speed));
    is_free = lane_mask_and(is_free, lane_less_equal(lane_vec3_dot(elsewhere, elsewhere), way));
    m->linear = lane_vec3_select(is_free, velocity, m->linear);
    m->displacement = lane_vec3_select(is_free, chord, m->displacement);
}

/* Returns the square of the larger angle by which bodies turn at their velocities before and after the step.
 */
LANE_INLINE lane finish_turned(const body_columns *body, const finish_motion *m, lane dt)
{
    return lane_mul(lane_max(lane_vec3_dot(body->damped_angular, body->damped_angular),
                             lane_vec3_dot(m->angular, m->angular)),
                    lane_mul(dt, dt));
}

/* Returns 1 for lanes whose gyroscopic torque counts. Rotations by less than DRY_MIDDLE_ANGLE in a step are
 * taken at a constant velocity in islands that a fixed body holds by contacts: the torque would change that
 * velocity by less than this share of itself. */
LANE_INLINE lane finish_gyroscopic(const dry_finish_block *block, lane turned, int at)
{
    const lane_mask slow = lane_less(turned, lane_set(DRY_MIDDLE_ANGLE * DRY_MIDDLE_ANGLE));
    const lane_mask rests = lane_mask_and(slow, lane_less(lane_zero(), LOAD(block->rests)));
    return lane_select(rests, lane_zero(), LOAD(block->gyroscopic));
}

/* Returns 1 for lanes that turn fast in an island that nothing fixed holds. */
LANE_INLINE lane finish_fast(const dry_finish_block *block, lane turned, int at)
{
    const lane_mask fast = lane_less(lane_set(DRY_FAST_ROTATION * DRY_FAST_ROTATION), turned);
    return lane_select(fast, LOAD(block->floating), lane_zero());
}

LANE_INLINE void finish_store(dry_body_motion *out, const finish_motion *m, lane_quat orientation, int at)
{
    lane linear_squared = lane_vec3_dot(m->linear, m->linear);
    lane angular_squared = lane_vec3_dot(m->angular, m->angular);
    field_store3(out->linear, at, m->linear);
    field_store3(out->angular, at, m->angular);
    field_store3(out->displacement, at, m->displacement);
    lane_quat_store(out->orientation[0] + at, DRY_BUNDLE, orientation);
    lane_store(out->linear_squared + at, linear_squared);
    lane_store(out->angular_squared + at, angular_squared);
    lane_store(out->orientation_squared + at, lane_quat_length_squared(orientation));
    lane_store(out->linear_speed + at, lane_sqrt(linear_squared));
    lane_store(out->angular_speed + at, lane_sqrt(angular_squared));
}

/* Finishes lanes [at, at + DRY_LANES). The caller finds invalid motion from the squares. */
LANE_INLINE void finish_lanes(const dry_body_finish *f, const dry_finish_block *block, dry_body_motion *out,
                              int at)
{
    const int32_t *row = block->row + at;
    const body_columns body =
        body_gather_columns(f->bodies, row, block->any_moved ? block->start + at : NULL, f->dt);
    lane r[16], dt = lane_set(f->dt);
    for (int k = 0; k < 4; k++)
        BODY_GATHER(f->rows + 1, 4 * k, r + 4 * k);
    const body_whitening w = body_whitening_of(body.orientation, (lane_vec3){r[12], r[13], r[14]}, r[15]);
    finish_motion m = finish_rows(block, &body, &w, r, at);
    if (block->any_free)
        finish_free(f, block, &body, &m, at);
    lane gyroscopic = lane_zero();
    if (block->any_gyroscopic)
        gyroscopic = finish_gyroscopic(block, finish_turned(&body, &m, dt), at);
    const lane_mask is_gyroscopic = lane_less(lane_zero(), gyroscopic);
    const bool any_gyroscopic = lane_any(is_gyroscopic);
    if (any_gyroscopic) {
        /* The rotation besides the torque-free one. */
        lane_vec3 added = lane_vec3_add(m.rotation, lane_vec3_scale(body.damped_angular, lane_negate(dt)));
        m.rotation = lane_vec3_select(is_gyroscopic, added, m.rotation);
    }
    if (block->any_kinematic) {
        lane_mask is_kinematic = lane_less(lane_zero(), LOAD(block->kinematic));
        m.linear = lane_vec3_select(is_kinematic, body.linear, m.linear);
        m.angular = lane_vec3_select(is_kinematic, body.angular, m.angular);
        m.displacement = lane_vec3_select(is_kinematic, lane_vec3_scale(body.linear, dt), m.displacement);
        m.rotation = lane_vec3_select(is_kinematic, lane_vec3_scale(body.angular, dt), m.rotation);
    }
    const lane_quat rotation = body_quat_from_rotation(m.rotation);
    lane_quat orientation = lane_quat_normalize(lane_quat_mul(rotation, body.orientation));
    if (any_gyroscopic)
        body_move_gyroscopically(gyroscopic, LOAD(block->bounded),
                                 finish_fast(block, finish_turned(&body, &m, dt), at), body.orientation,
                                 rotation, (lane_vec3){body.mass[1], body.mass[2], body.mass[3]},
                                 body.damped_angular, f->dt, &orientation, &m.angular);
    finish_store(out, &m, orientation, at);
    finish_bounds(block, orientation, out, at);
}

#undef BODY_GATHER

#endif
