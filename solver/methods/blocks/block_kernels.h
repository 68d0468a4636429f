/* The kernels of block descent [Waterson 7.8, 7.10]. Compiled once per instruction set; included by kernels.c
 * alone.
 *
 * In whitened coordinates M is the identity. With y the velocity that forces alone would give, g a row, b its
 * error over h, l its multiplier times h and rho = k h^2, a body's velocity u minimizes
 *     1/2 |u - y|^2 + sum over rows of max(0, l - rho (g . u + b))^2 / (2 rho)
 * while all other bodies stay. A step solves
 *     (1 + sum rho g g^T) du = y - u + sum g l+,    l+ = max(0, l - rho (g . u + b))
 * The sum of the matrix also has the rows that do not push. The matrix is then at least the curvature
 * everywhere, and the potential never rises; with Newton's matrix a body that is about to touch goes too far
 * in one sweep and back in the next, and multipliers grow from it. Friction has l+, and rho, shortened to the
 * cone: the quadric over a potential that rises linearly. */
#ifndef SOLVER_METHODS_BLOCKS_BLOCK_KERNELS_H
#define SOLVER_METHODS_BLOCKS_BLOCK_KERNELS_H

#include "simd/gather.h"
#include "solver/contacts/frame.h"
#include "solver/methods/blocks/block_sweep.h"
#include "solver/rows/gather.h"
#include "solver/rows/lane_fields.h"

#include <float.h>

/* Groups of four floats of a contact. */
enum {
    BLOCK_NORMAL = offsetof(dry_block_contact, normal) / 4,
    BLOCK_SIDE = offsetof(dry_block_contact, side) / 4,
    BLOCK_SIDE_FLOATS = sizeof(dry_block_side) / 4,
    BLOCK_OFFSET = offsetof(dry_block_contact, offset) / 4,
    BLOCK_SEPARATION = offsetof(dry_block_contact, separation) / 4,
    BLOCK_BIAS = offsetof(dry_block_contact, bias) / 4,
    BLOCK_IMPULSE = offsetof(dry_block_contact, impulse) / 4,
    BLOCK_FRICTION = offsetof(dry_block_contact, friction_impulse) / 4,
    BLOCK_PENALTY = offsetof(dry_block_contact, penalty) / 4,
    BLOCK_KINEMATIC = offsetof(dry_block_contact, kinematic) / 4,
    BLOCK_ROLLING = offsetof(dry_block_contact, rolling_impulse) / 4,
    BLOCK_KINEMATIC_ROLLING = offsetof(dry_block_contact, kinematic_rolling) / 4,
    BLOCK_KINEMATIC_NORMAL = offsetof(dry_block_contact, kinematic_normal) / 4
};

/* Speeds from here on, m/s, are those of points that do not exist: their rows never push. */
#define BLOCK_FAR 1e20f

/* One body's part of a contact. */
typedef struct block_side {
    lane_vec3 axis[3];   /* of the frame, in the principal frame, whitened */
    lane_vec3 lever_arm; /* in the frame, m */
} block_side;

/* A contact with its motion. All but the sides is b's relative to a's. */
typedef struct block_pair {
    contact_frame frame;
    block_side own, other;
    lane sign; /* 1 where `own` is b, -1 where it is a */
    lane friction;
    lane x[4], y[4]; /* of the points */
} block_pair;

/* Motion of b's surface relative to a's in the frame: at the patch's center, and about the axes. */
typedef struct block_motion {
    lane_vec3 center, about;
} block_motion;

/* The impulses that a contact would have at the present motion, and the penalties of those that change with
 * it. */
typedef struct block_response {
    lane error[4]; /* g . u + b, m/s */
    lane normal[4], rho[4];
    lane friction[2], rho_friction;
    lane torsion, rho_torsion;
    lane rolling[2], rho_rolling;
    lane held; /* 1 where friction is within its limit */
    lane slip; /* of the patch's center, m/s */
    lane mass[2], penalty[2];
} block_response;

LANE_INLINE block_side block_gather_side(const float *const *side)
{
    lane g[12];
    lane_gather4(side, 0, g);
    lane_gather4(side, 4, g + 4);
    lane_gather4(side, 8, g + 8);
    return (block_side){{{g[0], g[1], g[2]}, {g[3], g[4], g[5]}, {g[6], g[7], g[8]}}, {g[9], g[10], g[11]}};
}

/* Gathers the geometry of a contact, seen from the side that each lane names. */
LANE_INLINE void block_gather(const float *const *contact, const int *side, block_pair *p)
{
    const float *own[DRY_LANES], *other[DRY_LANES];
    _Alignas(64) float sign[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        own[i] = contact[i] + BLOCK_SIDE + BLOCK_SIDE_FLOATS * side[i];
        other[i] = contact[i] + BLOCK_SIDE + BLOCK_SIDE_FLOATS * (1 - side[i]);
        sign[i] = side[i] ? 1.0f : -1.0f;
    }
    lane g[4];
    lane_gather4(contact, BLOCK_NORMAL, g);
    p->frame = contact_frame_of_normal((lane_vec3){g[0], g[1], g[2]});
    p->friction = g[3];
    p->own = block_gather_side(own);
    p->other = block_gather_side(other);
    p->sign = lane_load(sign);
    lane_gather4(contact, BLOCK_OFFSET, p->x);
    lane_gather4(contact, BLOCK_OFFSET + 4, p->y);
}

LANE_INLINE lane_vec3 block_about(const block_side *side, lane_vec3 angular)
{
    return (lane_vec3){lane_vec3_dot_fused(side->axis[T1], angular),
                       lane_vec3_dot_fused(side->axis[T2], angular),
                       lane_vec3_dot_fused(side->axis[N], angular)};
}

/* Returns the motion of two whitened vectors: velocities or displacements. */
LANE_INLINE block_motion block_motion_of(const block_pair *p, lane own_mass, lane_vec3 own_linear,
                                         lane_vec3 own_angular, lane other_mass, lane_vec3 other_linear,
                                         lane_vec3 other_angular)
{
    const lane_vec3 world =
        lane_vec3_sub_scaled_fused(lane_vec3_scale(own_linear, own_mass), other_mass, other_linear);
    const lane_vec3 own = block_about(&p->own, own_angular), other = block_about(&p->other, other_angular);
    lane_vec3 center = contact_frame_from_world(&p->frame, world);
    center = lane_vec3_add(center, lane_vec3_cross_fused(own, p->own.lever_arm));
    center = lane_vec3_sub(center, lane_vec3_cross_fused(other, p->other.lever_arm));
    return (block_motion){lane_vec3_scale(center, p->sign),
                          lane_vec3_scale(lane_vec3_sub(own, other), p->sign)};
}

/* Returns the motion along the normal at point i. */
LANE_INLINE lane block_normal_motion(const block_pair *p, const block_motion *m, int i)
{
    return lane_fnma(m->about.y, p->x[i], lane_fma(m->about.x, p->y[i], m->center.z));
}

/* Finds the moment that resists rolling: at most a length times the normal impulse. */
LANE_INLINE void block_respond_rolling(const float *const *contact, const block_motion *m, lane normal,
                                       lane penalty, block_response *r)
{
    const lane one = lane_set(1.0f), tiny = lane_set(FLT_MIN);
    lane rolling[4], kinematic[4];
    lane_gather4(contact, BLOCK_ROLLING, rolling);
    lane_gather4(contact, BLOCK_KINEMATIC_ROLLING, kinematic);
    const lane rho = lane_mul(penalty, lane_mul(rolling[3], rolling[3])), most = lane_mul(rolling[2], normal);
    const lane x = lane_fnma(rho, lane_add(m->about.x, kinematic[0]), rolling[0]);
    const lane y = lane_fnma(rho, lane_add(m->about.y, kinematic[1]), rolling[1]);
    const lane size = lane_sqrt(lane_max(lane_fma(y, y, lane_mul(x, x)), tiny));
    const lane shorter = lane_select(lane_less(most, size), lane_div(most, size), one);
    r->rolling[0] = lane_mul(x, shorter);
    r->rolling[1] = lane_mul(y, shorter);
    r->rho_rolling = lane_mul(rho, shorter);
}

/* Returns the impulses of a contact that moves so. */
LANE_INLINE block_response block_respond(const dry_block_sweep *s, const float *const *contact,
                                         const block_pair *p, const block_motion *m)
{
    const lane zero = lane_zero(), one = lane_set(1.0f), far = lane_set(BLOCK_FAR);
    block_response r;
    lane bias[4], impulse[4], friction[4], penalty[4], kinematic[4];
    lane_gather4(contact, BLOCK_BIAS, bias);
    lane_gather4(contact, BLOCK_IMPULSE, impulse);
    lane_gather4(contact, BLOCK_FRICTION, friction);
    lane_gather4(contact, BLOCK_PENALTY, penalty);
    lane_gather4(contact, BLOCK_KINEMATIC, kinematic);
    lane sum = zero;
    for (int i = 0; i < 4; i++) {
        r.error[i] = lane_add(block_normal_motion(p, m, i), bias[i]);
        const lane total = lane_fnma(penalty[0], r.error[i], impulse[i]);
        const lane_mask pushes = lane_less(zero, total);
        r.normal[i] = lane_select(pushes, total, zero);
        r.rho[i] = lane_select(lane_less(bias[i], far), penalty[0], zero);
        sum = lane_add(sum, r.normal[i]);
    }
    const lane limit = lane_mul(p->friction, sum), tiny = lane_set(FLT_MIN);
    const lane v1 = lane_add(m->center.x, kinematic[0]), v2 = lane_add(m->center.y, kinematic[1]);
    const lane f1 = lane_fnma(penalty[1], v1, friction[0]), f2 = lane_fnma(penalty[1], v2, friction[1]);
    const lane size = lane_sqrt(lane_max(lane_fma(f2, f2, lane_mul(f1, f1)), tiny));
    const lane shorter = lane_select(lane_less(limit, size), lane_div(limit, size), one);
    r.friction[0] = lane_mul(f1, shorter);
    r.friction[1] = lane_mul(f2, shorter);
    r.rho_friction = lane_mul(penalty[1], shorter);
    r.held = lane_select(lane_less(limit, size), zero, one);
    r.slip = lane_sqrt(lane_fma(v2, v2, lane_mul(v1, v1)));
    const lane radius = friction[3], most = lane_mul(limit, radius);
    const lane rho_torsion = lane_mul(penalty[1], lane_mul(radius, radius));
    const lane torsion = lane_fnma(rho_torsion, lane_add(m->about.z, kinematic[2]), friction[2]);
    const lane amount = lane_max(lane_abs(torsion), tiny);
    const lane less = lane_select(lane_less(most, amount), lane_div(most, amount), one);
    r.torsion = lane_mul(torsion, less);
    r.rho_torsion = lane_mul(rho_torsion, less);
    r.rolling[0] = r.rolling[1] = r.rho_rolling = zero;
    if (s->rolling)
        block_respond_rolling(contact, m, sum, penalty[1], &r);
    for (int i = 0; i < 2; i++)
        r.penalty[i] = penalty[i], r.mass[i] = penalty[2 + i];
    return r;
}

/* Contacts. */

/* The displacements or the velocities of a contact's bodies. */
typedef enum block_of { BLOCK_DISPLACEMENTS, BLOCK_VELOCITIES } block_of;

/* Gathers contacts, seen from b, and returns the motion of `of`. */
LANE_INLINE block_motion block_contact_lanes(const dry_block_sweep *s, int first, float *contact[DRY_LANES],
                                             block_pair *p, block_of of)
{
    _Alignas(64) int32_t a[DRY_LANES], b[DRY_LANES];
    int side[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        dry_block_contact *c = &s->contact[first + i];
        contact[i] = c->normal;
        a[i] = c->row[0], b[i] = c->row[1];
        side[i] = 1;
    }
    block_gather((const float *const *)contact, side, p);
    lane_velocity va, vb;
    lane_displacement da, db;
    lane mass_a, mass_b;
    lane_gather_rows(s->rows, a, &va, &da, &mass_a);
    lane_gather_rows(s->rows, b, &vb, &db, &mass_b);
    return of == BLOCK_VELOCITIES ? block_motion_of(p, mass_b, vb.ul, vb.ua, mass_a, va.ul, va.ua)
                                  : block_motion_of(p, mass_b, db.dl, db.da, mass_a, da.dl, da.da);
}

/* Finds the errors over h. A gap may close within the substep; an overlap is pushed apart at a share of its
 * depth in a substep. */
LANE_INLINE void block_begin_lanes(const dry_block_sweep *s, int first)
{
    float *contact[DRY_LANES];
    block_pair p;
    const block_motion m = block_contact_lanes(s, first, contact, &p, BLOCK_DISPLACEMENTS);
    lane separation[4], kinematic[4], bias[4];
    lane_gather4((const float *const *)contact, BLOCK_SEPARATION, separation);
    lane_gather4((const float *const *)contact, BLOCK_KINEMATIC_NORMAL, kinematic);
    const lane zero = lane_zero(), least = lane_set(-s->bias_speed_max);
    for (int i = 0; i < 4; i++) {
        lane q = lane_add(separation[i], block_normal_motion(&p, &m, i));
        q = lane_fma(kinematic[i], lane_set(s->time), q);
        const lane closing = lane_mul(q, lane_set(s->rate_free));
        const lane pushing = lane_max(lane_mul(q, lane_set(s->rate)), least);
        bias[i] = lane_add(lane_select(lane_less(zero, q), closing, pushing), kinematic[i]);
    }
    lane_scatter4(contact, BLOCK_BIAS, bias);
}

/* Takes the speeds away at which overlaps are pushed apart: gaps still may close by what they were. */
LANE_INLINE void block_relax_lanes(const dry_block_sweep *s, int first)
{
    float *contact[DRY_LANES];
    lane kinematic[4], bias[4];
    for (int i = 0; i < DRY_LANES; i++)
        contact[i] = s->contact[first + i].normal;
    lane_gather4((const float *const *)contact, BLOCK_BIAS, bias);
    lane_gather4((const float *const *)contact, BLOCK_KINEMATIC_NORMAL, kinematic);
    for (int i = 0; i < 4; i++)
        bias[i] = lane_max(bias[i], kinematic[i]);
    lane_scatter4(contact, BLOCK_BIAS, bias);
}

LANE_INLINE void block_multiply_lanes(const dry_block_sweep *s, int first)
{
    float *contact[DRY_LANES];
    block_pair p;
    const block_motion m = block_contact_lanes(s, first, contact, &p, BLOCK_VELOCITIES);
    const block_response r = block_respond(s, (const float *const *)contact, &p, &m);
    const lane zero = lane_zero();
    lane worst = zero;
    for (int i = 0; i < 4; i++)
        worst = lane_max(worst, lane_select(lane_less(zero, r.normal[i]), lane_abs(r.error[i]), zero));
    lane penalty[4] = {r.penalty[0], r.penalty[1], r.mass[0], r.mass[1]};
    const lane grown[2] = {worst, lane_mul(r.held, r.slip)};
    for (int k = 0; k < 2; k++) {
        const lane more = lane_mul(lane_mul(lane_set(s->growth), grown[k]), r.mass[k]);
        const lane most = lane_mul(lane_set(s->penalty_max), r.mass[k]);
        penalty[k] = lane_max(lane_min(lane_add(penalty[k], more), most), penalty[k]);
    }
    lane friction[4];
    lane_gather4((const float *const *)contact, BLOCK_FRICTION, friction);
    friction[0] = r.friction[0], friction[1] = r.friction[1], friction[2] = r.torsion;
    lane_scatter4(contact, BLOCK_IMPULSE, r.normal);
    lane_scatter4(contact, BLOCK_FRICTION, friction);
    lane_scatter4(contact, BLOCK_PENALTY, penalty);
    if (s->rolling) {
        lane rolling[4];
        lane_gather4((const float *const *)contact, BLOCK_ROLLING, rolling);
        rolling[0] = r.rolling[0], rolling[1] = r.rolling[1];
        lane_scatter4(contact, BLOCK_ROLLING, rolling);
    }
}

/* Bodies. */

/* A body's system: H du = force, H by rows of its upper half. */
typedef struct block_system {
    lane h[21];
    lane force[6];
    lane least; /* a bound of H's pivots */
} block_system;

enum { BLOCK_LL = 0, BLOCK_LA = 6, BLOCK_AA = 15 }; /* xx xy xz yy yz zz; rows of 3 x 3; xx ... zz */

/* Returns the torque of a contact's impulses about the own body's center, in the frame. `moment` is the part
 * that no lever arm makes. */
LANE_INLINE lane_vec3 block_torque(const block_pair *p, const lane normal[4], lane_vec3 impulse,
                                   lane_vec3 moment)
{
    lane x = lane_negate(moment.y), y = moment.x;
    for (int i = 0; i < 4; i++) {
        x = lane_fma(normal[i], p->x[i], x);
        y = lane_fma(normal[i], p->y[i], y);
    }
    lane_vec3 torque = lane_vec3_cross_fused(p->own.lever_arm, impulse);
    return (lane_vec3){lane_add(torque.x, y), lane_sub(torque.y, x), lane_add(torque.z, moment.z)};
}

/* Adds a contact's impulse to the force on its body. */
LANE_INLINE void block_add_force(block_system *b, const block_pair *p, lane inv_sqrt_mass, lane_vec3 impulse,
                                 lane_vec3 torque)
{
    const lane_vec3 world = contact_frame_to_world(&p->frame, impulse);
    const lane w = lane_mul(inv_sqrt_mass, p->sign);
    b->force[0] = lane_fma(w, world.x, b->force[0]);
    b->force[1] = lane_fma(w, world.y, b->force[1]);
    b->force[2] = lane_fma(w, world.z, b->force[2]);
    const lane about[3] = {lane_mul(torque.x, p->sign), lane_mul(torque.y, p->sign),
                           lane_mul(torque.z, p->sign)};
    for (int k = 0; k < 3; k++) {
        b->force[3] = lane_fma(about[k], p->own.axis[k].x, b->force[3]);
        b->force[4] = lane_fma(about[k], p->own.axis[k].y, b->force[4]);
        b->force[5] = lane_fma(about[k], p->own.axis[k].z, b->force[5]);
    }
}

/* Adds c a b^T to nine elements. */
LANE_INLINE void block_add_outer(lane *h, lane_vec3 a, lane_vec3 b)
{
    const lane x[3] = {a.x, a.y, a.z};
    for (int i = 0; i < 3; i++) {
        h[3 * i] = lane_fma(x[i], b.x, h[3 * i]);
        h[3 * i + 1] = lane_fma(x[i], b.y, h[3 * i + 1]);
        h[3 * i + 2] = lane_fma(x[i], b.z, h[3 * i + 2]);
    }
}

/* Adds a b^T, which is to be part of a symmetric sum, to its upper half. */
LANE_INLINE void block_add_upper(lane *h, lane_vec3 a, lane_vec3 b)
{
    h[0] = lane_fma(a.x, b.x, h[0]);
    h[1] = lane_fma(a.x, b.y, h[1]);
    h[2] = lane_fma(a.x, b.z, h[2]);
    h[3] = lane_fma(a.y, b.y, h[3]);
    h[4] = lane_fma(a.y, b.z, h[4]);
    h[5] = lane_fma(a.z, b.z, h[5]);
}

/* Adds sum rho g g^T of a contact, and the bound of its impulse's geometric stiffness: |p| |r| h about each
 * axis. The true term is h (sym(p r^T) - p . r) [Waterson 7.5, 7.11], whose eigenvalues are no larger. */
LANE_INLINE void block_add_hessian(block_system *b, const block_pair *p, const block_response *c,
                                   lane inv_sqrt_mass, lane geometric)
{
    const lane_vec3 r = p->own.lever_arm;
    const lane rho = c->rho_friction;
    lane s = lane_zero(), sx = s, sy = s, sxx = s, sxy = s, syy = s;
    for (int i = 0; i < 4; i++) {
        const lane x = lane_add(r.x, p->x[i]), y = lane_add(r.y, p->y[i]);
        const lane px = lane_mul(c->rho[i], x), py = lane_mul(c->rho[i], y);
        s = lane_add(s, c->rho[i]);
        sx = lane_add(sx, px);
        sy = lane_add(sy, py);
        sxx = lane_fma(px, x, sxx);
        sxy = lane_fma(px, y, sxy);
        syy = lane_fma(py, y, syy);
    }
    /* linear: rho 1 + (s - rho) n n^T, over m */
    const lane inverse_mass = lane_mul(inv_sqrt_mass, inv_sqrt_mass);
    const lane even = lane_mul(rho, inverse_mass);
    b->h[BLOCK_LL] = lane_add(b->h[BLOCK_LL], even);
    b->h[BLOCK_LL + 3] = lane_add(b->h[BLOCK_LL + 3], even);
    b->h[BLOCK_LL + 5] = lane_add(b->h[BLOCK_LL + 5], even);
    const lane_vec3 n = p->frame.normal;
    block_add_upper(b->h + BLOCK_LL, lane_vec3_scale(n, lane_mul(lane_sub(s, rho), inverse_mass)), n);
    /* mixed: for each of the frame's axes k, the impulses along the world that a rotation about k makes */
    const lane_vec3 t1 = p->frame.t1, t2 = p->frame.t2;
    const lane x = lane_mul(rho, r.x), y = lane_mul(rho, r.y), z = lane_mul(rho, r.z);
    const lane_vec3 about1 = lane_vec3_sub_scaled_fused(lane_vec3_scale(n, sy), z, t2);
    const lane_vec3 about2 = lane_vec3_sub_scaled_fused(lane_vec3_scale(t1, z), sx, n);
    const lane_vec3 about3 = lane_vec3_sub_scaled_fused(lane_vec3_scale(t2, x), y, t1);
    block_add_outer(b->h + BLOCK_LA, lane_vec3_scale(about1, inv_sqrt_mass), p->own.axis[T1]);
    block_add_outer(b->h + BLOCK_LA, lane_vec3_scale(about2, inv_sqrt_mass), p->own.axis[T2]);
    block_add_outer(b->h + BLOCK_LA, lane_vec3_scale(about3, inv_sqrt_mass), p->own.axis[N]);
    /* angular */
    const lane zz = lane_mul(z, r.z), xy = lane_negate(sxy);
    const lane xz = lane_negate(lane_mul(z, r.x)), yz = lane_negate(lane_mul(z, r.y));
    const lane tilt = lane_add(geometric, c->rho_rolling);
    const lane xx1 = lane_add(lane_add(syy, zz), tilt), yy1 = lane_add(lane_add(sxx, zz), tilt);
    const lane zz1 = lane_add(lane_fma(x, r.x, lane_fma(y, r.y, c->rho_torsion)), geometric);
    const lane_vec3 *axis = p->own.axis;
    const lane k[3][3] = {{xx1, xy, xz}, {xy, yy1, yz}, {xz, yz, zz1}};
    for (int i = 0; i < 3; i++) {
        lane_vec3 row = lane_vec3_scale(axis[0], k[i][0]);
        row = lane_vec3_add_scaled_fused(row, k[i][1], axis[1]);
        row = lane_vec3_add_scaled_fused(row, k[i][2], axis[2]);
        block_add_upper(b->h + BLOCK_AA, axis[i], row);
    }
}

/* Gathers entry j of a group's lanes. */
LANE_INLINE void block_entry_lanes(const dry_block_sweep *s, const dry_block_group *group, int j, int at,
                                   const float *contact[DRY_LANES], int32_t other[DRY_LANES], block_pair *p)
{
    int side[DRY_LANES];
    const int32_t *entry = s->entry + group->entry + DRY_BUNDLE * j + at;
    for (int i = 0; i < DRY_LANES; i++) {
        const dry_block_contact *c = &s->contact[entry[i] >> 1];
        side[i] = entry[i] & 1;
        contact[i] = c->normal;
        other[i] = c->row[1 - side[i]];
    }
    block_gather(contact, side, p);
}

/* Six numbers of a row of a joint for one body. */
typedef struct block_joint_side {
    lane_vec3 linear, angular;
} block_joint_side;

enum {
    BLOCK_ROW_BIAS = offsetof(dry_block_joint_row, bias) / 4,
    BLOCK_ROW_LOW = offsetof(dry_block_joint_row, low) / 4
};

LANE_INLINE block_joint_side block_gather_row_side(const float *const *row)
{
    lane low[4], high[4];
    lane_gather4(row, 0, low);
    lane_gather4(row, 2, high);
    return (block_joint_side){{low[0], low[1], low[2]}, {low[3], high[2], high[3]}};
}

/* Gathers row j of a group's lanes: its begin, the own side, the other body, the own geometric stiffness. */
LANE_INLINE block_joint_side block_row_lanes(const dry_block_sweep *s, const dry_block_group *group, int j,
                                             int at, const float *begin[DRY_LANES],
                                             const float *other_side[DRY_LANES], int32_t other[DRY_LANES],
                                             const float *geometric[DRY_LANES])
{
    const int32_t *entry = s->row_entry + group->row_entry + DRY_BUNDLE * j + at;
    const float *own[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        const dry_block_joint_row *row = &s->row[entry[i] >> 1];
        const int side = entry[i] & 1;
        begin[i] = row->g[0];
        own[i] = row->g[side];
        other_side[i] = row->g[1 - side];
        other[i] = row->row[1 - side];
        geometric[i] = row->geometric[side];
    }
    return block_gather_row_side(own);
}

LANE_INLINE void block_push(block_system *b, const block_joint_side *g, lane impulse)
{
    const lane x[6] = {g->linear.x, g->linear.y, g->linear.z, g->angular.x, g->angular.y, g->angular.z};
    for (int k = 0; k < 6; k++)
        b->force[k] = lane_fma(impulse, x[k], b->force[k]);
}

/* The geometric stiffness of all rows of a body, times h: xx xy xz yy yz zz. */
typedef struct block_geometric {
    lane k[6];
} block_geometric;

/* Adds a row's geometric stiffness at its impulse. */
LANE_INLINE void block_add_geometric(block_geometric *sum, const float *const *geometric, lane impulse)
{
    const block_joint_side unit = block_gather_row_side(geometric);
    const lane k[6] = {unit.linear.x,  unit.linear.y,  unit.linear.z,
                       unit.angular.x, unit.angular.y, unit.angular.z};
    for (int i = 0; i < 6; i++)
        sum->k[i] = lane_fma(impulse, k[i], sum->k[i]);
}

/* (w h)^2 of the frequency w at which an explicit step of the torque and an implicit one have equal parts. An
 * explicit one feeds the rotation from 4 on, an implicit one takes energy at any frequency. */
#define BLOCK_EXPLICIT 1.0f

/* Takes the torque away that joints' impulses lose as the body turns in the substep: an implicit step of it.
 * A diagonal matrix stands for the sum K, the sizes of a row's elements added up: it bounds K, so that
 * neither a tension nor a pressure is so large that it feeds a body's rotation. */
LANE_INLINE void block_resist_turning(block_system *b, const block_geometric *sum, lane h, lane_vec3 angular)
{
    static const int8_t row[3][3] = {{0, 1, 2}, {3, 1, 4}, {5, 2, 4}}, diagonal[3] = {0, 3, 5};
    const lane velocity[3] = {angular.x, angular.y, angular.z};
    for (int i = 0; i < 3; i++) {
        const lane others = lane_add(lane_abs(sum->k[row[i][1]]), lane_abs(sum->k[row[i][2]]));
        const lane whole = lane_mul(h, lane_add(lane_abs(sum->k[row[i][0]]), others));
        const lane square = lane_mul(whole, whole),
                   explicit_square = lane_set(BLOCK_EXPLICIT * BLOCK_EXPLICIT);
        const lane bound = lane_mul(whole, lane_div(square, lane_add(square, explicit_square)));
        b->h[BLOCK_AA + diagonal[i]] = lane_add(bound, b->h[BLOCK_AA + diagonal[i]]);
        b->force[3 + i] = lane_fnma(bound, velocity[i], b->force[3 + i]);
    }
}

/* Adds the rows of joints to a body's system: v is the body's motion. */
LANE_INLINE void block_add_joints(const dry_block_sweep *s, const dry_block_group *group,
                                  const lane_velocity *v, block_system *b, int at)
{
    const lane one = lane_set(1.0f), zero = lane_zero();
    block_geometric sum;
    for (int i = 0; i < 6; i++)
        sum.k[i] = zero;
    for (int j = 0; j < group->row_count; j++) {
        const float *row[DRY_LANES], *other_side[DRY_LANES], *geometric[DRY_LANES];
        _Alignas(64) int32_t other[DRY_LANES];
        lane terms[4], bounds[4];
        lane_velocity w;
        const block_joint_side own = block_row_lanes(s, group, j, at, row, other_side, other, geometric);
        const block_joint_side far = block_gather_row_side(other_side);
        lane_gather_velocity(s->rows, other, &w);
        lane_gather4(row, BLOCK_ROW_BIAS, terms);
        lane_gather4(row, BLOCK_ROW_LOW, bounds);
        lane error = lane_vec3_add_dot_fused(terms[0], own.linear, v->ul);
        error = lane_vec3_add_dot_fused(error, own.angular, v->ua);
        error = lane_vec3_add_dot_fused(error, far.linear, w.ul);
        error = lane_vec3_add_dot_fused(error, far.angular, w.ua);
        const lane total = lane_fnma(terms[2], error, lane_mul(bounds[2], terms[1]));
        const lane impulse = lane_clamp(total, bounds[0], bounds[1]);
        /* A bound on both sides is that of a force that slides: rho is shortened with it. */
        const lane_mask slides =
            lane_mask_and(lane_less(lane_abs(impulse), lane_abs(total)), lane_less(bounds[0], zero));
        const lane shorter = lane_div(lane_abs(impulse), lane_select(slides, lane_abs(total), one));
        const lane rho = lane_mul(terms[2], lane_select(slides, shorter, one));
        block_push(b, &own, impulse);
        const lane_vec3 linear = lane_vec3_scale(own.linear, rho),
                        angular = lane_vec3_scale(own.angular, rho);
        block_add_upper(b->h + BLOCK_LL, linear, own.linear);
        block_add_outer(b->h + BLOCK_LA, linear, own.angular);
        block_add_upper(b->h + BLOCK_AA, angular, own.angular);
        block_add_geometric(&sum, geometric, impulse);
    }
    block_resist_turning(b, &sum, lane_set(s->h), v->ua);
}

LANE_INLINE void block_warm_joints(const dry_block_sweep *s, const dry_block_group *group, block_system *b,
                                   int at)
{
    for (int j = 0; j < group->row_count; j++) {
        const float *row[DRY_LANES], *other_side[DRY_LANES], *geometric[DRY_LANES];
        _Alignas(64) int32_t other[DRY_LANES];
        lane terms[4];
        const block_joint_side own = block_row_lanes(s, group, j, at, row, other_side, other, geometric);
        lane_gather4(row, BLOCK_ROW_BIAS, terms);
        block_push(b, &own, terms[1]);
    }
}

LANE_INLINE void block_warm_lanes(const dry_block_sweep *s, const dry_block_group *group, int at)
{
    const int32_t *row = group->row + at;
    lane_velocity v;
    lane_displacement d;
    lane inv_sqrt_mass;
    lane_gather_rows(s->rows, row, &v, &d, &inv_sqrt_mass);
    const lane_velocity y = lane_gather_start(s->target, row);
    const lane_velocity f = lane_gather_start(s->force, row);
    block_system b = {.force = {f.ul.x, f.ul.y, f.ul.z, f.ua.x, f.ua.y, f.ua.z}};
    for (int j = 0; j < group->count; j++) {
        const float *contact[DRY_LANES];
        _Alignas(64) int32_t other[DRY_LANES];
        block_pair p;
        lane normal[4], friction[4];
        block_entry_lanes(s, group, j, at, contact, other, &p);
        lane_gather4(contact, BLOCK_IMPULSE, normal);
        lane_gather4(contact, BLOCK_FRICTION, friction);
        const lane sum = lane_add(lane_add(normal[0], normal[1]), lane_add(normal[2], normal[3]));
        const lane_vec3 impulse = {friction[0], friction[1], sum};
        lane_vec3 moment = {lane_zero(), lane_zero(), friction[2]};
        if (s->rolling) {
            lane rolling[4];
            lane_gather4(contact, BLOCK_ROLLING, rolling);
            moment.x = rolling[0], moment.y = rolling[1];
        }
        block_add_force(&b, &p, inv_sqrt_mass, impulse, block_torque(&p, normal, impulse, moment));
    }
    block_warm_joints(s, group, &b, at);
    const lane_vec3 linear = {b.force[0], b.force[1], b.force[2]},
                    angular = {b.force[3], b.force[4], b.force[5]};
    const lane along = lane_vec3_add_dot_fused(lane_vec3_dot_fused(linear, f.ul), angular, f.ua);
    const lane whole = lane_vec3_add_dot_fused(lane_vec3_dot_fused(f.ul, f.ul), f.ua, f.ua);
    const lane zero = lane_zero(), one = lane_set(1.0f);
    const lane_mask forced = lane_less(zero, whole);
    const lane share = lane_select(forced, lane_div(along, lane_select(forced, whole, one)), one);
    const lane less = lane_sub(one, lane_clamp(share, zero, one));
    v.ul = lane_vec3_sub_scaled_fused(y.ul, less, f.ul);
    v.ua = lane_vec3_sub_scaled_fused(y.ua, less, f.ua);
    lane_scatter_velocity(s->rows, row, &v);
}

/* Added to the diagonal for a locked axis: a millionth of the motion that others ask for is left. */
#define BLOCK_LOCK 1e6f

LANE_INLINE void block_add_locks(block_system *b, dry_block_locks *locks, int at)
{
    const lane stiff = lane_set(BLOCK_LOCK);
    static const int diagonal[3] = {0, 3, 5};
    for (int i = 0; i < 3; i++) {
        const lane_vec3 axis = field_load3(locks->angular[i], at);
        b->h[BLOCK_LL + diagonal[i]] = lane_fma(stiff, LOAD(locks->linear[i]), b->h[BLOCK_LL + diagonal[i]]);
        block_add_upper(b->h + BLOCK_AA, lane_vec3_scale(axis, stiff), axis);
    }
}

/* Solves the system by H = L D L^T. */
LANE_INLINE void block_solve_system(block_system *b)
{
    static const int8_t at[6][6] = {{0, 1, 2, 6, 7, 8},     {1, 3, 4, 9, 10, 11},    {2, 4, 5, 12, 13, 14},
                                    {6, 9, 12, 15, 16, 17}, {7, 10, 13, 16, 18, 19}, {8, 11, 14, 17, 19, 20}};
    lane l[6][6], inverse[6], x[6];
    for (int j = 0; j < 6; j++) {
        lane d = b->h[at[j][j]], scaled[6];
        for (int k = 0; k < j; k++) {
            scaled[k] = l[j][k]; /* times D */
            d = lane_fnma(scaled[k], lane_mul(scaled[k], inverse[k]), d);
        }
        inverse[j] = lane_div(lane_set(1.0f), lane_max(d, b->least));
        for (int i = j + 1; i < 6; i++) {
            lane sum = b->h[at[j][i]];
            for (int k = 0; k < j; k++)
                sum = lane_fnma(lane_mul(scaled[k], inverse[k]), l[i][k], sum);
            l[i][j] = sum;
        }
    }
    for (int i = 0; i < 6; i++) {
        x[i] = b->force[i];
        for (int k = 0; k < i; k++)
            x[i] = lane_fnma(lane_mul(l[i][k], inverse[k]), x[k], x[i]);
    }
    for (int i = 5; i >= 0; i--) {
        lane sum = x[i];
        for (int k = i + 1; k < 6; k++)
            sum = lane_fnma(l[k][i], b->force[k], sum);
        b->force[i] = lane_mul(sum, inverse[i]);
    }
}

/* Begins the systems of bodies whose velocities are short of their targets by these vectors. The inertia of
 * bodies that turn within the step is that of the substep (rows/turned.h). */
LANE_INLINE void block_begin_system(const dry_block_sweep *s, const int32_t *row, lane_vec3 linear,
                                    lane_vec3 angular, block_system *b)
{
    static const float unturned[8] = {1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.5f, 0.0f};
    const lane one = lane_set(1.0f);
    for (int i = 0; i < 21; i++)
        b->h[i] = lane_zero();
    b->h[BLOCK_LL] = b->h[BLOCK_LL + 3] = b->h[BLOCK_LL + 5] = one;
    b->h[BLOCK_AA] = b->h[BLOCK_AA + 3] = b->h[BLOCK_AA + 5] = one;
    b->least = lane_set(0.5f);
    b->force[0] = linear.x, b->force[1] = linear.y, b->force[2] = linear.z;
    b->force[3] = angular.x, b->force[4] = angular.y, b->force[5] = angular.z;
    if (!s->turned)
        return;
    const float *turned[DRY_LANES];
    lane n[8];
    for (int i = 0; i < DRY_LANES; i++)
        turned[i] = row[i] ? s->turned[row[i] - 1].inertia : unturned;
    lane_gather4(turned, 0, n);
    lane_gather4(turned, 4, n + 4);
    for (int i = 0; i < 6; i++)
        b->h[BLOCK_AA + i] = n[i];
    b->least = n[6];
    b->force[3] = lane_fma(n[2], angular.z, lane_fma(n[1], angular.y, lane_mul(n[0], angular.x)));
    b->force[4] = lane_fma(n[4], angular.z, lane_fma(n[3], angular.y, lane_mul(n[1], angular.x)));
    b->force[5] = lane_fma(n[5], angular.z, lane_fma(n[4], angular.y, lane_mul(n[2], angular.x)));
}

LANE_INLINE void block_descend_lanes(const dry_block_sweep *s, const dry_block_group *group, int at)
{
    const int32_t *row = group->row + at;
    lane_velocity v;
    lane_displacement d;
    lane inv_sqrt_mass;
    lane_gather_rows(s->rows, row, &v, &d, &inv_sqrt_mass);
    const lane_velocity y = lane_gather_start(s->target, row);
    block_system b;
    block_begin_system(s, row, lane_vec3_sub(y.ul, v.ul), lane_vec3_sub(y.ua, v.ua), &b);
    for (int j = 0; j < group->count; j++) {
        const float *contact[DRY_LANES];
        _Alignas(64) int32_t other[DRY_LANES];
        block_pair p;
        lane_velocity w;
        lane_displacement unused;
        lane other_mass;
        block_entry_lanes(s, group, j, at, contact, other, &p);
        lane_gather_rows(s->rows, other, &w, &unused, &other_mass);
        const block_motion m = block_motion_of(&p, inv_sqrt_mass, v.ul, v.ua, other_mass, w.ul, w.ua);
        const block_response c = block_respond(s, contact, &p, &m);
        const lane sum = lane_add(lane_add(c.normal[0], c.normal[1]), lane_add(c.normal[2], c.normal[3]));
        const lane_vec3 impulse = {c.friction[0], c.friction[1], sum};
        const lane_vec3 moment = {c.rolling[0], c.rolling[1], c.torsion};
        block_add_force(&b, &p, inv_sqrt_mass, impulse, block_torque(&p, c.normal, impulse, moment));
        const lane size = lane_sqrt(lane_mul(lane_vec3_dot_fused(impulse, impulse),
                                             lane_vec3_dot_fused(p.own.lever_arm, p.own.lever_arm)));
        block_add_hessian(&b, &p, &c, inv_sqrt_mass, lane_mul(lane_set(s->h), size));
    }
    if (group->row_count > 0)
        block_add_joints(s, group, &v, &b, at);
    if (group->locks >= 0)
        block_add_locks(&b, (dry_block_locks *)&s->locks[group->locks], at);
    block_solve_system(&b);
    v.ul = lane_vec3_add(v.ul, (lane_vec3){b.force[0], b.force[1], b.force[2]});
    v.ua = lane_vec3_add(v.ua, (lane_vec3){b.force[3], b.force[4], b.force[5]});
    lane_scatter_velocity(s->rows, row, &v);
}

#endif
