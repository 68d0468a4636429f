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

typedef struct lane_vec3 {
    lane x, y, z;
} lane_vec3;

LANE_INLINE lane_vec3 lane_vec3_add(lane_vec3 a, lane_vec3 b)
{
    return (lane_vec3){lane_add(a.x, b.x), lane_add(a.y, b.y), lane_add(a.z, b.z)};
}

LANE_INLINE lane_vec3 lane_vec3_scale(lane_vec3 a, lane s)
{
    return (lane_vec3){lane_mul(a.x, s), lane_mul(a.y, s), lane_mul(a.z, s)};
}

LANE_INLINE void lane_vec3_store(dry_lanes *to, lane_vec3 v, int at)
{
    lane_store(to[0] + at, v.x);
    lane_store(to[1] + at, v.y);
    lane_store(to[2] + at, v.z);
}

LANE_INLINE lane lane_sum3(lane a, lane b, lane c)
{
    return lane_add(lane_add(a, b), c);
}

/* As vec3_dot, vec3_cross and quat_rotate. */
LANE_INLINE lane body_dot(lane_vec3 a, lane_vec3 b)
{
    return lane_sum3(lane_mul(a.x, b.x), lane_mul(a.y, b.y), lane_mul(a.z, b.z));
}

LANE_INLINE lane_vec3 body_cross(lane_vec3 a, lane_vec3 b)
{
    return (lane_vec3){lane_sub(lane_mul(a.y, b.z), lane_mul(a.z, b.y)),
                       lane_sub(lane_mul(a.z, b.x), lane_mul(a.x, b.z)),
                       lane_sub(lane_mul(a.x, b.y), lane_mul(a.y, b.x))};
}

LANE_INLINE lane_vec3 body_turn(const lane q[4], lane_vec3 v)
{
    lane_vec3 u = {q[0], q[1], q[2]};
    lane_vec3 t = lane_vec3_scale(body_cross(u, v), lane_set(2.0f));
    return lane_vec3_add(lane_vec3_add(v, lane_vec3_scale(t, q[3])), body_cross(u, t));
}

/* As quat_mul and quat_normalize. */
LANE_INLINE void body_quat_mul(const lane a[4], const lane b[4], lane out[4])
{
    lane x = lane_add(lane_mul(a[3], b[0]), lane_mul(a[0], b[3]));
    lane y = lane_sub(lane_mul(a[3], b[1]), lane_mul(a[0], b[2]));
    lane z = lane_add(lane_mul(a[3], b[2]), lane_mul(a[0], b[1]));
    lane w = lane_sub(lane_mul(a[3], b[3]), lane_mul(a[0], b[0]));
    out[0] = lane_sub(lane_add(x, lane_mul(a[1], b[2])), lane_mul(a[2], b[1]));
    out[1] = lane_add(lane_add(y, lane_mul(a[1], b[3])), lane_mul(a[2], b[0]));
    out[2] = lane_add(lane_sub(z, lane_mul(a[1], b[0])), lane_mul(a[2], b[3]));
    out[3] = lane_sub(lane_sub(w, lane_mul(a[1], b[1])), lane_mul(a[2], b[2]));
}

LANE_INLINE lane body_quat_square(const lane q[4])
{
    return lane_add(lane_sum3(lane_mul(q[0], q[0]), lane_mul(q[1], q[1]), lane_mul(q[2], q[2])),
                    lane_mul(q[3], q[3]));
}

LANE_INLINE void body_quat_normalize(lane q[4])
{
    lane s = lane_div(lane_set(1.0f), lane_sqrt(body_quat_square(q)));
    for (int i = 0; i < 4; i++)
        q[i] = lane_mul(q[i], s);
}

/* The columns of the rotation, as mat3_from_quat. */
LANE_INLINE void body_axes(const lane q[4], lane_vec3 axis[3])
{
    lane one = lane_set(1.0f), two = lane_set(2.0f);
    lane xx = lane_mul(q[0], q[0]), yy = lane_mul(q[1], q[1]), zz = lane_mul(q[2], q[2]);
    lane xy = lane_mul(q[0], q[1]), xz = lane_mul(q[0], q[2]), yz = lane_mul(q[1], q[2]);
    lane wx = lane_mul(q[3], q[0]), wy = lane_mul(q[3], q[1]), wz = lane_mul(q[3], q[2]);
    axis[0] = (lane_vec3){lane_sub(one, lane_mul(two, lane_add(yy, zz))), lane_mul(two, lane_add(xy, wz)),
                          lane_mul(two, lane_sub(xz, wy))};
    axis[1] = (lane_vec3){lane_mul(two, lane_sub(xy, wz)), lane_sub(one, lane_mul(two, lane_add(xx, zz))),
                          lane_mul(two, lane_add(yz, wx))};
    axis[2] = (lane_vec3){lane_mul(two, lane_add(xz, wy)), lane_mul(two, lane_sub(yz, wx)),
                          lane_sub(one, lane_mul(two, lane_add(xx, yy)))};
}

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
LANE_INLINE lane_vec3 body_whiten_angular(const lane_vec3 axis[3], const lane root_inertia[3], lane_vec3 v)
{
    lane u[3];
    for (int i = 0; i < 3; i++)
        u[i] = lane_mul(lane_mul(body_dot(axis[i], v), root_inertia[i]), root_inertia[i]);
    return (lane_vec3){u[0], u[1], u[2]};
}

LANE_INLINE lane_vec3 body_whitened_angular(const lane_vec3 axis[3], lane_vec3 u)
{
    return (lane_vec3){
        lane_sum3(lane_mul(axis[0].x, u.x), lane_mul(axis[1].x, u.y), lane_mul(axis[2].x, u.z)),
        lane_sum3(lane_mul(axis[0].y, u.x), lane_mul(axis[1].y, u.y), lane_mul(axis[2].y, u.z)),
        lane_sum3(lane_mul(axis[0].z, u.x), lane_mul(axis[1].z, u.y), lane_mul(axis[2].z, u.z))};
}

LANE_INLINE lane body_inverse(lane x)
{
    return lane_select(lane_less(lane_zero(), x), lane_div(lane_set(1.0f), x), lane_zero());
}

/* Bodies that no lock holds and no force pulls but gravity. Whether a row is sound is for the caller to see
 * from the squares. */
LANE_INLINE void begin_lanes(const dry_body_begin *b, const int32_t *row, dry_body_squares *squares, int at)
{
    lane turn[4], mass[4], drive[4], root[3], root_inertia[3];
    BODY_GATHER(b->bodies->pose, POSE_ORIENTATION, turn);
    BODY_GATHER(b->bodies->mass, 0, mass);
    BODY_GATHER(b->bodies->drive, 0, drive);
    lane_vec3 axis[3], linear, angular;
    body_axes(turn, axis);
    for (int i = 0; i < 3; i++) {
        root[i] = lane_sqrt(mass[1 + i]);
        axis[i] = lane_vec3_scale(axis[i], root[i]);
        lane_mask turns = lane_less(lane_zero(), mass[1 + i]);
        root_inertia[i] = lane_select(turns, lane_div(lane_set(1.0f), root[i]), lane_zero());
    }
    lane lin = lane_sqrt(mass[0]), root_mass = body_inverse(lin);
    body_damped(b->bodies, row, drive, lane_set(b->dt), &linear, &angular);
    lane_vec3 ul = lane_vec3_scale(linear, root_mass);
    lane_vec3 ua = body_whiten_angular(axis, root_inertia, angular);
    lane weight = lane_mul(lane_mul(drive[0], root_mass), lane_set(b->h));
    lane_mask movable = lane_less(lane_zero(), lin);
    lane_vec3 force = {lane_select(movable, lane_mul(lane_set(b->gravity.x), weight), lane_zero()),
                       lane_select(movable, lane_mul(lane_set(b->gravity.y), weight), lane_zero()),
                       lane_select(movable, lane_mul(lane_set(b->gravity.z), weight), lane_zero())};
    lane_vec3 start = lane_vec3_add(ul, force);
    /* Minus zero becomes zero, as it does where no torque is added. */
    lane_vec3 start_angular = lane_vec3_add(ua, (lane_vec3){lane_zero(), lane_zero(), lane_zero()});
    lane_vec3 v = lane_vec3_scale(start, lin), omega = body_whitened_angular(axis, start_angular);
    lane_store(squares->linear + at, body_dot(v, v));
    lane_store(squares->angular + at, body_dot(omega, omega));
    lane_vec3_store(squares->force, force, at);

    float *rows[DRY_LANES], *starts[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        rows[i] = b->rows[row[i] + 1].u;
        starts[i] = b->start[row[i]].u;
    }
    lane zero = lane_zero();
    const lane r[4][4] = {{ul.x, ul.y, ul.z, ua.x},
                          {ua.y, ua.z, zero, zero},
                          {zero, zero, zero, zero},
                          {root[0], root[1], root[2], lin}};
    for (int k = 0; k < 4; k++) {
        lane_scatter4(rows, 4 * k, r[k]);
    }
    const lane s[6] = {start.x, start.y, start.z, start_angular.x, start_angular.y, start_angular.z};
    lane_scatter6(starts, s);
}

/* quat_from_rotation for each lane: in double, where one loop has no branch in it. */
LANE_INLINE void body_quat_from_rotation(lane_vec3 v, lane out[4])
{
    _Alignas(64) float turned[3][DRY_LANES], q[4][DRY_LANES];
    lane_store(turned[0], v.x);
    lane_store(turned[1], v.y);
    lane_store(turned[2], v.z);
    bool slow = true;
    for (int i = 0; i < DRY_LANES; i++)
        slow &= dry_is_slow_turn(vec3(turned[0][i], turned[1][i], turned[2][i]));
    if (slow) {
        for (int i = 0; i < DRY_LANES; i++) {
            dry_quat turn = quat_from_slow_rotation(vec3(turned[0][i], turned[1][i], turned[2][i]));
            q[0][i] = turn.x, q[1][i] = turn.y, q[2][i] = turn.z, q[3][i] = turn.w;
        }
    } else {
        for (int i = 0; i < DRY_LANES; i++) {
            dry_quat turn = quat_from_rotation(vec3(turned[0][i], turned[1][i], turned[2][i]));
            q[0][i] = turn.x, q[1][i] = turn.y, q[2][i] = turn.z, q[3][i] = turn.w;
        }
    }
    for (int k = 0; k < 4; k++)
        out[k] = lane_load(q[k]);
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
LANE_INLINE void body_turn_gyroscopically(lane gyroscopic, const lane turn[4], const lane more[4],
                                          const lane inverse[3], lane_vec3 first, float dt, lane next[4],
                                          lane_vec3 *angular)
{
    gyro_floats f;
    gyro_lanes l;
    for (int k = 0; k < 4; k++) {
        lane_store(f.turn[k], turn[k]);
        lane_store(f.more[k], more[k]);
    }
    const lane firsts[3] = {first.x, first.y, first.z}, lasts[3] = {angular->x, angular->y, angular->z};
    for (int k = 0; k < 3; k++) {
        lane_store(f.inverse[k], inverse[k]);
        lane_store(f.first[k], firsts[k]);
        lane_store(f.last[k], lasts[k]);
    }
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
    for (int k = 0; k < 4; k++)
        next[k] = lane_select(is_gyroscopic, lane_load(f.turn[k]), next[k]);
    angular->x = lane_select(is_gyroscopic, lane_load(f.last[0]), angular->x);
    angular->y = lane_select(is_gyroscopic, lane_load(f.last[1]), angular->y);
    angular->z = lane_select(is_gyroscopic, lane_load(f.last[2]), angular->z);
}

/* Extents and centre of each lane's shape, as dry_geometry_extents and dry_shape_bounds. */
LANE_INLINE void body_bounds(const dry_body_block *block, const lane turn[4], dry_body_motion *out, int at)
{
    const float *form[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        form[i] = &block->form[at + i]->geometry.size.x;
    lane size[4], place[4], rest[4], q[4];
    lane_gather4(form, 0, size);
    lane_gather4(form, 4, place);
    lane_gather4(form, 8, rest);
    const lane local[4] = {place[3], rest[0], rest[1], rest[2]};
    body_quat_mul(turn, local, q);
    lane_vec3_store(out->offset, body_turn(turn, (lane_vec3){place[0], place[1], place[2]}), at);

    lane_vec3 axis[3];
    body_axes(q, axis);
    for (int i = 0; i < 3; i++)
        axis[i] = (lane_vec3){lane_abs(axis[i].x), lane_abs(axis[i].y), lane_abs(axis[i].z)};
    lane error = lane_set(DRY_ROTATION_ERROR);
    lane box_pad = lane_mul(error, lane_sum3(size[0], size[1], size[2]));
    lane capsule_pad = lane_add(size[0], lane_mul(error, lane_add(size[0], size[1])));
    lane_vec3 box =
        body_whitened_angular(axis, (lane_vec3){size[0], size[1], size[2]}); /* the same product, M v */
    box = lane_vec3_add(box, (lane_vec3){box_pad, box_pad, box_pad});
    lane_vec3 capsule =
        lane_vec3_add(lane_vec3_scale(axis[1], size[1]), (lane_vec3){capsule_pad, capsule_pad, capsule_pad});
    lane kind = lane_load(block->kind + at);
    lane_mask is_box = lane_less(kind, lane_set(1.0f)), is_sphere = lane_less(lane_set(1.0f), kind);
    lane_store(out->extents[0] + at, lane_select(is_box, box.x, lane_select(is_sphere, size[0], capsule.x)));
    lane_store(out->extents[1] + at, lane_select(is_box, box.y, lane_select(is_sphere, size[0], capsule.y)));
    lane_store(out->extents[2] + at, lane_select(is_box, box.z, lane_select(is_sphere, size[0], capsule.z)));
}
_Static_assert(offsetof(dry_geometry, type) == 12 && offsetof(dry_shape_form, pose) == 16 &&
                   offsetof(dry_transform, orientation) == 12,
               "how a form is gathered");

/* Dynamic bodies that no lock holds. */
LANE_INLINE void finish_lanes(const dry_body_finish *f, const dry_body_block *block, dry_body_motion *out,
                              int at)
{
    const int32_t *row = block->row + at;
    lane turn[4], mass[4], drive[4], r[16], root_inertia[3];
    BODY_GATHER(f->bodies->pose, POSE_ORIENTATION, turn);
    BODY_GATHER(f->bodies->mass, 0, mass);
    BODY_GATHER(f->bodies->drive, 0, drive);
    for (int k = 0; k < 4; k++)
        BODY_GATHER(f->rows + 1, 4 * k, r + 4 * k);
    lane_vec3 axis[3];
    body_axes(turn, axis);
    for (int i = 0; i < 3; i++) {
        axis[i] = lane_vec3_scale(axis[i], r[12 + i]);
        root_inertia[i] = body_inverse(r[12 + i]);
    }
    lane lin = r[15], root_mass = body_inverse(lin);
    lane_vec3 first_linear, first;
    body_damped(f->bodies, row, drive, lane_set(f->dt), &first_linear, &first);
    lane_vec3 ul = lane_vec3_scale(first_linear, root_mass);
    lane_vec3 ua = body_whiten_angular(axis, root_inertia, first);
    lane_vec3 change_linear = {lane_sub(r[0], ul.x), lane_sub(r[1], ul.y), lane_sub(r[2], ul.z)};
    lane_vec3 change = {lane_sub(r[3], ua.x), lane_sub(r[4], ua.y), lane_sub(r[5], ua.z)};
    lane_vec3 linear = lane_vec3_add(first_linear, lane_vec3_scale(change_linear, lin));
    lane_vec3 angular = lane_vec3_add(first, body_whitened_angular(axis, change));
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
        linear =
            (lane_vec3){lane_select(is_free, fallen.x, linear.x), lane_select(is_free, fallen.y, linear.y),
                        lane_select(is_free, fallen.z, linear.z)};
    }
    lane_vec3 turned = body_whitened_angular(axis, (lane_vec3){r[9], r[10], r[11]});
    lane gyroscopic = lane_load(block->gyroscopic + at);
    if (block->any_gyroscopic) {
        /* Besides the free turn. */
        lane_mask is_gyroscopic = lane_less(lane_zero(), gyroscopic);
        lane_vec3 besides = lane_vec3_add(turned, lane_vec3_scale(first, lane_set(-f->dt)));
        turned = (lane_vec3){lane_select(is_gyroscopic, besides.x, turned.x),
                             lane_select(is_gyroscopic, besides.y, turned.y),
                             lane_select(is_gyroscopic, besides.z, turned.z)};
    }
    lane more[4], next[4];
    body_quat_from_rotation(turned, more);
    body_quat_mul(more, turn, next);
    body_quat_normalize(next);
    if (block->any_gyroscopic)
        body_turn_gyroscopically(gyroscopic, turn, more, mass + 1, first, f->dt, next, &angular);
    lane linear2 = body_dot(linear, linear), angular2 = body_dot(angular, angular);
    lane_vec3_store(out->linear, linear, at);
    lane_vec3_store(out->angular, angular, at);
    lane_vec3_store(out->moved, lane_vec3_scale((lane_vec3){r[6], r[7], r[8]}, lin), at);
    for (int k = 0; k < 4; k++)
        lane_store(out->turn[k] + at, next[k]);
    lane_store(out->linear2 + at, linear2);
    lane_store(out->angular2 + at, angular2);
    lane_store(out->turn2 + at, body_quat_square(next));
    lane_store(out->speed + at, lane_sqrt(linear2));
    lane_store(out->spin + at, lane_sqrt(angular2));
    body_bounds(block, next, out, at);
}

#undef BODY_GATHER

#endif
