/* The kernels that take bodies sixteen at a time: what begins a step and what ends it. Compiled once per
 * instruction set.
 *
 * The same arithmetic as bodies.c and step/finalize.c have for one body, operation by operation and without
 * fused ones, so that it does not show which of them a body went through. Reads bodies' columns and the
 * solver's through rows' indices. Included by kernels.c alone. */
#ifndef SOLVER_ROWS_BODY_KERNELS_H
#define SOLVER_ROWS_BODY_KERNELS_H

#include "core/gyroscopic.h"
#include "core/rotation.h"
#include "geometry/bounds.h"
#include "simd/gather.h"
#include "solver/rows/body_blocks.h"
#include "solver/rows/lane_fields.h"

/* A column's four floats at `offset` of the elements that `row` names. */
#define BODY_GATHER(column, offset, out)                                                                     \
    do {                                                                                                     \
        const float *gathered[DRY_LANES];                                                                    \
        for (int i = 0; i < DRY_LANES; i++)                                                                  \
            gathered[i] = (const float *)(const void *)&(column)[row[i]] + (offset);                         \
        lane_gather4(gathered, 0, out);                                                                      \
    } while (0)

enum { POSE_ORIENTATION = offsetof(dry_body_pose, orientation) / sizeof(float) };
_Static_assert(sizeof(dry_body_velocity) == 24 && sizeof(dry_body_force) == 24 &&
                   sizeof(dry_body_drive) == 16,
               "how they are gathered");

/* Two vectors that lie one behind the other in 24 bytes. */
LANE_INLINE void body_gather6(const float *const *p, lane_vec3 *first, lane_vec3 *second)
{
    lane low[4], high[4];
    lane_gather4(p, 0, low);
    lane_gather4(p, 2, high);
    *first = (lane_vec3){low[0], low[1], low[2]};
    *second = (lane_vec3){low[3], high[2], high[3]};
}

/* Velocities after damping, as dry_damped_velocity. */
LANE_INLINE void body_damped(const dry_bodies *bodies, const int32_t *row, const lane drive[4], lane dt,
                             lane_vec3 *linear, lane_vec3 *angular)
{
    const float *p[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        p[i] = &bodies->velocity[row[i]].linear.x;
    body_gather6(p, linear, angular);
    lane one = lane_set(1.0f);
    *linear = lane_vec3_scale(*linear, lane_div(one, lane_add(one, lane_mul(dt, drive[1]))));
    *angular = lane_vec3_scale(*angular, lane_div(one, lane_add(one, lane_mul(dt, drive[2]))));
}

/* A world angular velocity whitened, and back: W^T u. */
LANE_INLINE lane_vec3 body_whiten_angular(lane_mat3 axes, lane_vec3 root_inertia, lane_vec3 v)
{
    return lane_vec3_mul(lane_vec3_mul(lane_mat3_mul_transposed(axes, v), root_inertia), root_inertia);
}

LANE_INLINE lane body_inverse(lane x)
{
    return lane_select(lane_less(lane_zero(), x), lane_div(lane_set(1.0f), x), lane_zero());
}

/* The columns of R D^(-1/2), which take a whitened angular vector to the world. */
LANE_INLINE lane_mat3 body_whitening(lane_quat orientation, lane_vec3 inv_sqrt_inertia)
{
    lane_mat3 r = lane_mat3_from_quat(orientation);
    return (lane_mat3){lane_vec3_scale(r.x, inv_sqrt_inertia.x), lane_vec3_scale(r.y, inv_sqrt_inertia.y),
                       lane_vec3_scale(r.z, inv_sqrt_inertia.z)};
}

/* Bodies that no lock holds and no force pulls but gravity. Whether a row is sound is for the caller to see
 * from the squares. */
LANE_INLINE void begin_lanes(const dry_body_begin *b, const int32_t *row, dry_body_squares *squares, int at)
{
    lane q[4], mass[4], drive[4];
    BODY_GATHER(b->bodies->pose, POSE_ORIENTATION, q);
    BODY_GATHER(b->bodies->mass, 0, mass);
    BODY_GATHER(b->bodies->drive, 0, drive);
    lane_vec3 linear, angular;
    lane_vec3 root = {lane_sqrt(mass[1]), lane_sqrt(mass[2]), lane_sqrt(mass[3])};
    lane_vec3 root_inertia = {body_inverse(root.x), body_inverse(root.y), body_inverse(root.z)};
    lane_mat3 axes = body_whitening((lane_quat){q[0], q[1], q[2], q[3]}, root);
    lane lin = lane_sqrt(mass[0]), root_mass = body_inverse(lin);
    body_damped(b->bodies, row, drive, lane_set(b->dt), &linear, &angular);
    lane_vec3 ul = lane_vec3_scale(linear, root_mass);
    lane_vec3 ua = body_whiten_angular(axes, root_inertia, angular);
    lane weight = lane_mul(lane_mul(drive[0], root_mass), lane_set(b->h));
    lane_mask movable = lane_less(lane_zero(), lin);
    lane_vec3 force = {lane_select(movable, lane_mul(lane_set(b->gravity.x), weight), lane_zero()),
                       lane_select(movable, lane_mul(lane_set(b->gravity.y), weight), lane_zero()),
                       lane_select(movable, lane_mul(lane_set(b->gravity.z), weight), lane_zero())};
    lane_vec3 start = lane_vec3_add(ul, force);
    /* Minus zero becomes zero, as it does where no torque is added. */
    lane_vec3 start_angular = lane_vec3_add(ua, (lane_vec3){lane_zero(), lane_zero(), lane_zero()});
    lane_vec3 v = lane_vec3_scale(start, lin), omega = lane_mat3_mul(axes, start_angular);
    lane_store(squares->linear + at, lane_vec3_dot(v, v));
    lane_store(squares->angular + at, lane_vec3_dot(omega, omega));
    field_store3(squares->force, at, force);

    float *rows[DRY_LANES], *starts[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        rows[i] = b->rows[row[i] + 1].u;
        starts[i] = b->start[row[i]].u;
    }
    lane zero = lane_zero();
    const lane r[4][4] = {{ul.x, ul.y, ul.z, ua.x},
                          {ua.y, ua.z, zero, zero},
                          {zero, zero, zero, zero},
                          {root.x, root.y, root.z, lin}};
    for (int k = 0; k < 4; k++) {
        lane_scatter4(rows, 4 * k, r[k]);
    }
    const lane s[6] = {start.x, start.y, start.z, start_angular.x, start_angular.y, start_angular.z};
    lane_scatter6(starts, s);
}

/* quat_from_rotation for each lane: in double, where one loop has no branch in it. */
LANE_INLINE lane_quat body_quat_from_rotation(lane_vec3 v)
{
    _Alignas(64) float rotation[3][DRY_LANES], q[4][DRY_LANES];
    lane_vec3_store(rotation[0], DRY_LANES, v);
    bool slow = true;
    for (int i = 0; i < DRY_LANES; i++)
        slow &= dry_is_slow_turn(vec3(rotation[0][i], rotation[1][i], rotation[2][i]));
    if (slow) {
        for (int i = 0; i < DRY_LANES; i++) {
            dry_quat one = quat_from_slow_rotation(vec3(rotation[0][i], rotation[1][i], rotation[2][i]));
            q[0][i] = one.x, q[1][i] = one.y, q[2][i] = one.z, q[3][i] = one.w;
        }
    } else {
        for (int i = 0; i < DRY_LANES; i++) {
            dry_quat one = quat_from_rotation(vec3(rotation[0][i], rotation[1][i], rotation[2][i]));
            q[0][i] = one.x, q[1][i] = one.y, q[2][i] = one.z, q[3][i] = one.w;
        }
    }
    return lane_quat_load(q[0], DRY_LANES);
}

/* Lanes of dry_gyro. */
typedef struct gyro_lanes {
    double q[4][DRY_LANES], inverse[3][DRY_LANES], momentum[3][DRY_LANES], after[3][DRY_LANES];
    double h[DRY_LANES], parts[DRY_LANES];
} gyro_lanes;

/* Floats of lanes, one after the other. */
typedef struct gyro_floats {
    _Alignas(64) float turn[4][DRY_LANES], more[4][DRY_LANES], inverse[3][DRY_LANES], first[3][DRY_LANES],
        last[3][DRY_LANES], gyroscopic[DRY_LANES];
} gyro_floats;

LANE_INLINE dry_quat gyro_quat(float (*q)[DRY_LANES], int i)
{
    return (dry_quat){q[0][i], q[1][i], q[2][i], q[3][i]};
}

LANE_INLINE dry_vec3 gyro_vec3(float (*v)[DRY_LANES], int i)
{
    return vec3(v[0][i], v[1][i], v[2][i]);
}

/* gyro_begin for lanes; returns the most parts that one takes. Lanes that do not turn so take none. */
LANE_INLINE int gyro_begin_lanes(gyro_floats *f, float dt, gyro_lanes *l)
{
    for (int i = 0; i < DRY_LANES; i++) {
        dry_gyro g = gyro_begin(gyro_quat(f->turn, i), gyro_vec3(f->inverse, i), gyro_vec3(f->first, i),
                                gyro_vec3(f->last, i), dt);
        l->q[0][i] = g.q.x, l->q[1][i] = g.q.y, l->q[2][i] = g.q.z, l->q[3][i] = g.q.w;
        l->inverse[0][i] = g.inverse.x, l->inverse[1][i] = g.inverse.y, l->inverse[2][i] = g.inverse.z;
        l->momentum[0][i] = g.momentum.x, l->momentum[1][i] = g.momentum.y, l->momentum[2][i] = g.momentum.z;
        l->after[0][i] = g.momentum_after.x, l->after[1][i] = g.momentum_after.y;
        l->after[2][i] = g.momentum_after.z;
        l->h[i] = g.h;
        l->parts[i] = (double)g.parts;
    }
    double most = 0.0;
    for (int i = 0; i < DRY_LANES; i++) {
        l->parts[i] = f->gyroscopic[i] > 0.0f ? l->parts[i] : 0.0;
        most = l->parts[i] > most ? l->parts[i] : most;
    }
    return (int)most;
}

LANE_INLINE void gyro_turn_lanes(gyro_lanes *l, double part)
{
    for (int i = 0; i < DRY_LANES; i++) {
        dry_turn q = {l->q[0][i], l->q[1][i], l->q[2][i], l->q[3][i]};
        dry_turn next =
            turn_freely(q, (dry_double3){l->momentum[0][i], l->momentum[1][i], l->momentum[2][i]},
                        (dry_double3){l->inverse[0][i], l->inverse[1][i], l->inverse[2][i]}, l->h[i]);
        bool goes_on = part < l->parts[i];
        l->q[0][i] = goes_on ? next.x : q.x;
        l->q[1][i] = goes_on ? next.y : q.y;
        l->q[2][i] = goes_on ? next.z : q.z;
        l->q[3][i] = goes_on ? next.w : q.w;
    }
}

/* What step/finalize.c does for one body whose moments of inertia differ: next and angular are theirs where
 * `gyroscopic` is 1, and stay where it is 0. */
LANE_INLINE void body_turn_gyroscopically(lane gyroscopic, lane_quat turn, lane_quat more,
                                          const lane inverse[3], lane_vec3 first, float dt, lane_quat *next,
                                          lane_vec3 *angular)
{
    gyro_floats f;
    gyro_lanes l;
    lane_quat_store(f.turn[0], DRY_LANES, turn);
    lane_quat_store(f.more[0], DRY_LANES, more);
    lane_vec3_store(f.inverse[0], DRY_LANES, (lane_vec3){inverse[0], inverse[1], inverse[2]});
    lane_vec3_store(f.first[0], DRY_LANES, first);
    lane_vec3_store(f.last[0], DRY_LANES, *angular);
    lane_store(f.gyroscopic, gyroscopic);
    int most = gyro_begin_lanes(&f, dt, &l);
    for (int part = 0; part < most; part++)
        gyro_turn_lanes(&l, (double)part);
    for (int i = 0; i < DRY_LANES; i++) {
        dry_gyro g = {.q = {l.q[0][i], l.q[1][i], l.q[2][i], l.q[3][i]},
                      .inverse = {l.inverse[0][i], l.inverse[1][i], l.inverse[2][i]},
                      .momentum_after = {l.after[0][i], l.after[1][i], l.after[2][i]}};
        dry_quat q = gyro_turn(&g, gyro_quat(f.more, i));
        dry_vec3 w = gyro_velocity(&g, q);
        f.turn[0][i] = q.x, f.turn[1][i] = q.y, f.turn[2][i] = q.z, f.turn[3][i] = q.w;
        f.last[0][i] = w.x, f.last[1][i] = w.y, f.last[2][i] = w.z;
    }
    lane_mask is_gyroscopic = lane_less(lane_zero(), gyroscopic);
    *next = lane_quat_select(is_gyroscopic, lane_quat_load(f.turn[0], DRY_LANES), *next);
    *angular = lane_vec3_select(is_gyroscopic, lane_vec3_load(f.last[0], DRY_LANES), *angular);
}

/* Extents and centre of each lane's shape, as dry_geometry_extents and dry_shape_bounds. */
LANE_INLINE void body_bounds(const dry_body_block *block, lane_quat turn, dry_body_motion *out, int at)
{
    const float *form[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        form[i] = &block->form[at + i]->geometry.size.x;
    lane g[12];
    lane_gather4(form, 0, g);
    lane_gather4(form, 4, g + 4);
    lane_gather4(form, 8, g + 8);
    lane_vec3 size = {g[0], g[1], g[2]};
    lane_quat q = lane_quat_mul(turn, (lane_quat){g[7], g[8], g[9], g[10]});
    field_store3(out->offset, at, lane_quat_rotate(turn, (lane_vec3){g[4], g[5], g[6]}));

    lane_mat3 r = lane_mat3_from_quat(q);
    lane_mat3 axes = {lane_vec3_abs(r.x), lane_vec3_abs(r.y), lane_vec3_abs(r.z)};
    lane error = lane_set(DRY_ROTATION_ERROR);
    lane box_pad = lane_mul(error, lane_add3(size.x, size.y, size.z));
    lane capsule_pad = lane_add(size.x, lane_mul(error, lane_add(size.x, size.y)));
    lane_vec3 box = lane_vec3_add(lane_mat3_mul(axes, size), (lane_vec3){box_pad, box_pad, box_pad});
    lane_vec3 capsule =
        lane_vec3_add(lane_vec3_scale(axes.y, size.y), (lane_vec3){capsule_pad, capsule_pad, capsule_pad});
    lane kind = lane_load(block->kind + at);
    lane_mask is_box = lane_less(kind, lane_set(1.0f)), is_sphere = lane_less(lane_set(1.0f), kind);
    lane_vec3 sphere = {size.x, size.x, size.x};
    field_store3(out->extents, at,
                 lane_vec3_select(is_box, box, lane_vec3_select(is_sphere, sphere, capsule)));
}
_Static_assert(offsetof(dry_geometry, type) == 12 && offsetof(dry_shape_form, pose) == 16 &&
                   offsetof(dry_transform, orientation) == 12,
               "how a form is gathered");

/* Dynamic bodies that no lock holds. */
LANE_INLINE void finish_lanes(const dry_body_finish *f, const dry_body_block *block, dry_body_motion *out,
                              int at)
{
    const int32_t *row = block->row + at;
    lane q[4], mass[4], drive[4], r[16];
    BODY_GATHER(f->bodies->pose, POSE_ORIENTATION, q);
    BODY_GATHER(f->bodies->mass, 0, mass);
    BODY_GATHER(f->bodies->drive, 0, drive);
    for (int k = 0; k < 4; k++)
        BODY_GATHER(f->rows + 1, 4 * k, r + 4 * k);
    lane_quat turn = {q[0], q[1], q[2], q[3]};
    lane_mat3 axes = body_whitening(turn, (lane_vec3){r[12], r[13], r[14]});
    lane_vec3 root_inertia = {body_inverse(r[12]), body_inverse(r[13]), body_inverse(r[14])};
    lane lin = r[15], root_mass = body_inverse(lin);
    lane_vec3 first_linear, first;
    body_damped(f->bodies, row, drive, lane_set(f->dt), &first_linear, &first);
    lane_vec3 ul = lane_vec3_scale(first_linear, root_mass);
    lane_vec3 ua = body_whiten_angular(axes, root_inertia, first);
    lane_vec3 change_linear = {lane_sub(r[0], ul.x), lane_sub(r[1], ul.y), lane_sub(r[2], ul.z)};
    lane_vec3 change = {lane_sub(r[3], ua.x), lane_sub(r[4], ua.y), lane_sub(r[5], ua.z)};
    lane_vec3 linear = lane_vec3_add(first_linear, lane_vec3_scale(change_linear, lin));
    lane_vec3 angular = lane_vec3_add(first, lane_mat3_mul(axes, change));
    if (block->any_free) {
        const float *p[DRY_LANES];
        for (int i = 0; i < DRY_LANES; i++)
            p[i] = &dry_bodies_force(f->bodies, row[i])->force.x;
        lane_vec3 force, torque;
        body_gather6(p, &force, &torque);
        lane_vec3 pull = {lane_mul(lane_set(f->gravity.x), drive[0]),
                          lane_mul(lane_set(f->gravity.y), drive[0]),
                          lane_mul(lane_set(f->gravity.z), drive[0])};
        pull = lane_vec3_add(pull, lane_vec3_scale(force, mass[0]));
        lane_vec3 fallen = lane_vec3_add(first_linear, lane_vec3_scale(pull, lane_set(f->dt)));
        lane_mask is_free = lane_less(lane_zero(), lane_load(block->free + at));
        linear = lane_vec3_select(is_free, fallen, linear);
    }
    lane_vec3 turned = lane_mat3_mul(axes, (lane_vec3){r[9], r[10], r[11]});
    lane gyroscopic = lane_load(block->gyroscopic + at);
    if (block->any_gyroscopic) {
        /* Besides the free turn. */
        lane_mask is_gyroscopic = lane_less(lane_zero(), gyroscopic);
        lane_vec3 besides = lane_vec3_add(turned, lane_vec3_scale(first, lane_set(-f->dt)));
        turned = lane_vec3_select(is_gyroscopic, besides, turned);
    }
    lane_quat more = body_quat_from_rotation(turned);
    lane_quat next = lane_quat_normalize(lane_quat_mul(more, turn));
    if (block->any_gyroscopic)
        body_turn_gyroscopically(gyroscopic, turn, more, mass + 1, first, f->dt, &next, &angular);
    lane linear2 = lane_vec3_dot(linear, linear), angular2 = lane_vec3_dot(angular, angular);
    field_store3(out->linear, at, linear);
    field_store3(out->angular, at, angular);
    field_store3(out->moved, at, lane_vec3_scale((lane_vec3){r[6], r[7], r[8]}, lin));
    lane_quat_store(out->turn[0] + at, DRY_BUNDLE, next);
    lane_store(out->linear2 + at, linear2);
    lane_store(out->angular2 + at, angular2);
    lane_store(out->turn2 + at, lane_quat_length_squared(next));
    lane_store(out->speed + at, lane_sqrt(linear2));
    lane_store(out->spin + at, lane_sqrt(angular2));
    body_bounds(block, next, out, at);
}

#undef BODY_GATHER

#endif
