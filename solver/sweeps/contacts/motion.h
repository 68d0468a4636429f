/* Two bodies in the frame of their contact while a kernel works on it. Compiled once per instruction set.
 *
 * Rows of [Spook 25] are not stored. T_k are the frame's axes in a body, whitened, and r is the lever arm
 * from the body's center to the patch's center. An impulse p at the patch's center changes the whitened
 * angular velocity by sum_k T_k (r x p)_k. The surface's velocity there is v + w x r with w_k = T_k . u. So
 * 24 numbers of the frame, lever arms and two coordinates a point replace the 42 numbers of nine rows.
 *
 * Reads a contact bundle and rows; writes rows. Included by the kernels of contacts alone. */
#ifndef SOLVER_SWEEPS_CONTACTS_MOTION_H
#define SOLVER_SWEEPS_CONTACTS_MOTION_H

#include "solver/bodies/gather.h"
#include "solver/constraint/contacts/frame.h"
#include "solver/data/contacts/bundle.h"
#include "solver/data/sweep.h"

/* One body. Fields of the bundle are loaded where they are used: held, they would not fit into registers. */
typedef struct contact_side {
    dry_lanes (*axis)[3], *lever_arm;
    lane inv_sqrt_mass;     /* kg^-1/2 */
    lane_velocity velocity; /* the angular part with all impulses so far, the linear one as gathered */
    lane_vec3 before;       /* summed: the angular part as gathered */
    lane share;             /* summed: how many constraints split the mass */
} contact_side;

/* Motion of b's surface relative to a's along the normal: at the patch's center, and its gradient along the
 * tangents. */
typedef struct contact_normal_motion {
    lane center, gradient_x, gradient_y;
} contact_normal_motion;

/* A pair of touching bodies; vectors in the frame. */
typedef struct contact_pair {
    contact_frame frame;
    contact_side a, b;
    lane_vec3 velocity;                 /* of b's center relative to a's, m/s */
    contact_normal_motion movement;     /* the change of the separation since the step began, m */
    lane inverse_mass;                  /* 1/m_a + 1/m_b (times the shares), 1/kg */
    lane_vec3 impulse;                  /* given so far, on b, N s */
    const dry_contact_turning *turning; /* of bundles that turn */
} contact_pair;

/* Returns T_k . u: a body's angular motion about the frame's axis k. */
LANE_INLINE lane contact_angular_motion(const contact_side *side, int k, lane_vec3 u, int at)
{
    return lane_vec3_dot(field_load3(side->axis[k], at), u);
}

/* Returns that about all three axes. */
LANE_INLINE lane_vec3 contact_angular_motions(const contact_side *side, lane_vec3 u, int at)
{
    return (lane_vec3){contact_angular_motion(side, T1, u, at), contact_angular_motion(side, T2, u, at),
                       contact_angular_motion(side, N, u, at)};
}

/* Adds T_k times an angular impulse to u, or takes it away: what b gains, a loses. With split masses a copy
 * moves `share` times as far. */
LANE_INLINE void contact_apply_torque(contact_side *side, int k, lane torque, bool minus, bool summed, int at)
{
    lane_vec3 *u = &side->velocity.ua;
    if (summed)
        torque = lane_mul(torque, side->share);
    lane_vec3 axis = field_load3(side->axis[k], at);
    *u = minus ? lane_vec3_sub_scaled(*u, torque, axis) : lane_vec3_add_scaled(*u, torque, axis);
}

/* Motion along the normal. */

/* Returns v + w x r along the normal from the centers' relative motion and the bodies' angular motions about
 * the tangents. Both sides at the same time: a sweep mostly waits for the chain of operations. */
LANE_INLINE contact_normal_motion contact_normal_motion_of(const contact_pair *m, lane along, const lane a[2],
                                                           const lane b[2], int at)
{
    lane a1 = LOAD(m->a.lever_arm[T1]), a2 = LOAD(m->a.lever_arm[T2]);
    lane b1 = LOAD(m->b.lever_arm[T1]), b2 = LOAD(m->b.lever_arm[T2]);
    return (contact_normal_motion){
        lane_add(lane_sub_mul(lane_mul(b[T1], b2), b[T2], b1),
                 lane_add_mul(lane_sub_mul(along, a[T1], a2), a[T2], a1)),
        lane_sub(a[T2], b[T2]),
        lane_sub(b[T1], a[T1]),
    };
}

/* Returns the motion along the normal at a point of the patch. */
LANE_INLINE lane contact_normal_motion_at(contact_normal_motion n, lane x, lane y)
{
    return lane_add_mul(lane_add_mul(n.center, n.gradient_x, x), n.gradient_y, y);
}

/* Returns the motion along the normal from the bodies' whitened angular motions. */
LANE_INLINE contact_normal_motion contact_normal_motion_by(const contact_pair *m, lane along, lane_vec3 ua,
                                                           lane_vec3 ub, int at)
{
    const lane a[2] = {contact_angular_motion(&m->a, T1, ua, at), contact_angular_motion(&m->a, T2, ua, at)};
    const lane b[2] = {contact_angular_motion(&m->b, T1, ub, at), contact_angular_motion(&m->b, T2, ub, at)};
    return contact_normal_motion_of(m, along, a, b, at);
}

LANE_INLINE contact_normal_motion contact_normal_velocity(const contact_pair *m, int at)
{
    return contact_normal_motion_by(m, m->velocity.z, m->a.velocity.ua, m->b.velocity.ua, at);
}

/* Motion along the tangents, and about the normal. */

/* Returns v + w x r along the tangents at the patch's center, where v is `linear` and w are the bodies'
 * angular velocities in the frame; z is 0. */
LANE_INLINE lane_vec3 contact_tangent_velocity_of(const contact_pair *m, lane_vec3 linear, lane_vec3 wa,
                                                  lane_vec3 wb, int at)
{
    lane_vec3 a = field_load3(m->a.lever_arm, at), b = field_load3(m->b.lever_arm, at);
    return (lane_vec3){
        .x = lane_add(lane_sub_mul(lane_mul(wb.y, b.z), wb.z, b.y),
                      lane_add_mul(lane_sub_mul(linear.x, wa.y, a.z), wa.z, a.y)),
        .y = lane_add(lane_sub_mul(lane_mul(wb.z, b.x), wb.x, b.z),
                      lane_add_mul(lane_sub_mul(linear.y, wa.z, a.x), wa.x, a.z)),
        .z = lane_zero(),
    };
}

LANE_INLINE lane_vec3 contact_tangent_velocity(const contact_pair *m, int at)
{
    return contact_tangent_velocity_of(m, m->velocity, contact_angular_motions(&m->a, m->a.velocity.ua, at),
                                       contact_angular_motions(&m->b, m->b.velocity.ua, at), at);
}

/* Returns b's angular velocity about axis k of the frame relative to a's. */
LANE_INLINE lane contact_spin(const contact_pair *m, int k, int at)
{
    return lane_sub(contact_angular_motion(&m->b, k, m->b.velocity.ua, at),
                    contact_angular_motion(&m->a, k, m->a.velocity.ua, at));
}

/* Returns the angular impulse about the normal that changes the angular velocity about it by one: 1 / |g|^2,
 * kg m^2. */
LANE_INLINE lane contact_torsion_mass(const contact_pair *m, bool summed, int at)
{
    lane_vec3 a = field_load3(m->a.axis[N], at), b = field_load3(m->b.axis[N], at);
    lane aa = lane_vec3_dot(a, a), bb = lane_vec3_dot(b, b);
    if (summed) {
        aa = lane_mul(aa, m->a.share);
        bb = lane_mul(bb, m->b.share);
    }
    return lane_inverse_or_zero(lane_add(aa, bb));
}

/* The inverse of the 2x2 block of two rows, by the fields of a bundle: xx, xy, yy. */
typedef dry_lanes *contact_inverse;

LANE_INLINE lane contact_inverse_at(contact_inverse inverse, int k, int at)
{
    return LOAD(inverse[k]);
}

LANE_INLINE contact_inverse contact_tangent_inverse(const contact_pair *m, dry_contact_bundle *c)
{
    (void)m;
    return c->friction_mass;
}

LANE_INLINE contact_inverse contact_rolling_inverse(const contact_pair *m, dry_contact_cold *cold)
{
    (void)m;
    return cold->rolling_mass;
}

/* Points. */

/* Positions of the points from the patch's center. */
typedef struct contact_points {
    lane x[4], y[4];
} contact_points;

LANE_INLINE contact_points contact_points_of(dry_contact_bundle *c, int at)
{
    contact_points p;
    for (int i = 0; i < 3; i++)
        p.x[i] = LOAD(c->offset[i][0]), p.y[i] = LOAD(c->offset[i][1]);
    p.x[3] = lane_sub(lane_negate(p.x[0]), lane_add(p.x[1], p.x[2]));
    p.y[3] = lane_sub(lane_negate(p.y[0]), lane_add(p.y[1], p.y[2]));
    return p;
}

/* Two by two and each product rounded: equal impulses at points across from each other cancel exactly. */
LANE_INLINE lane contact_dot4(const lane a[4], const lane b[4])
{
    return lane_add(lane_add(lane_mul(a[0], b[0]), lane_mul(a[1], b[1])),
                    lane_add(lane_mul(a[2], b[2]), lane_mul(a[3], b[3])));
}

/* Impulses. */

/* Applies impulses along the normal at the four points. */
LANE_INLINE void contact_apply_normal_impulses(contact_pair *m, const contact_points *p, const lane d[4],
                                               bool summed, int at)
{
    lane sum = lane_add(lane_add(d[0], d[1]), lane_add(d[2], d[3]));
    lane x = contact_dot4(p->x, d), y = contact_dot4(p->y, d);
    m->impulse.z = lane_add(m->impulse.z, sum);
    m->velocity.z = lane_add_mul(m->velocity.z, m->inverse_mass, sum);
    for (int k = 0; k < 2; k++) {
        bool minus = k == 0;
        contact_side *side = minus ? &m->a : &m->b;
        lane r1 = LOAD(side->lever_arm[T1]), r2 = LOAD(side->lever_arm[T2]);
        contact_apply_torque(side, T1, lane_add_mul(y, r2, sum), minus, summed, at);
        contact_apply_torque(side, T2, lane_add_mul(x, r1, sum), !minus, summed, at);
    }
}

/* Applies impulses along the tangents at the patch's center. The pair's `velocity` does not follow: friction
 * reads the tangent velocity once. */
LANE_INLINE void contact_apply_friction(contact_pair *m, lane p1, lane p2, bool summed, int at)
{
    m->impulse.x = p1;
    m->impulse.y = p2;
    for (int k = 0; k < 2; k++) {
        bool minus = k == 0;
        contact_side *side = minus ? &m->a : &m->b;
        lane height = LOAD(side->lever_arm[N]);
        lane about_normal =
            lane_sub_mul(lane_mul(LOAD(side->lever_arm[T1]), p2), LOAD(side->lever_arm[T2]), p1);
        contact_apply_torque(side, T1, lane_mul(height, p2), !minus, summed, at);
        contact_apply_torque(side, T2, lane_mul(height, p1), minus, summed, at);
        contact_apply_torque(side, N, about_normal, minus, summed, at);
    }
}

/* Applies an angular impulse about axis k of the frame. */
LANE_INLINE void contact_apply_spin(contact_pair *m, int k, lane impulse, bool summed, int at)
{
    contact_apply_torque(&m->a, k, impulse, true, summed, at);
    contact_apply_torque(&m->b, k, impulse, false, summed, at);
}

/* Loading and storing a pair. */

/* Loads the parts that are in the bundle. */
LANE_INLINE void contact_begin(contact_pair *m, dry_contact_bundle *c, int at)
{
    m->frame = contact_frame_of_normal(field_load3(c->normal, at));
    m->a.axis = c->axis_a, m->a.lever_arm = c->lever_arm_a;
    m->b.axis = c->axis_b, m->b.lever_arm = c->lever_arm_b;
    m->impulse = lane_vec3_zero();
}

/* Returns the relative motion of two centers from their whitened motions. */
LANE_INLINE lane_vec3 contact_relative(lane inv_sqrt_mass_a, lane_vec3 a, lane inv_sqrt_mass_b, lane_vec3 b)
{
    return lane_vec3_sub_scaled(lane_vec3_scale(b, inv_sqrt_mass_b), inv_sqrt_mass_a, a);
}

/* Gathers the bodies' velocities and masses alone, for sweeps that only apply impulses. */
LANE_INLINE void contact_gather_velocities(contact_pair *m, dry_contact_bundle *c, const dry_sweep *s, int at)
{
    lane_displacement unused;
    lane_gather_rows(s->rows, c->row_a + at, &m->a.velocity, &unused, &m->a.inv_sqrt_mass);
    lane_gather_rows(s->rows, c->row_b + at, &m->b.velocity, &unused, &m->b.inv_sqrt_mass);
}

/* Gathers the parts that are in the bodies' rows. */
LANE_INLINE void contact_gather(contact_pair *m, dry_contact_bundle *c, dry_contact_cold *cold,
                                const dry_sweep *s, bool summed, int at)
{
    lane_displacement da, db;
    lane_gather_rows(s->rows, c->row_a + at, &m->a.velocity, &da, &m->a.inv_sqrt_mass);
    lane_gather_rows(s->rows, c->row_b + at, &m->b.velocity, &db, &m->b.inv_sqrt_mass);
    const lane la = m->a.inv_sqrt_mass, lb = m->b.inv_sqrt_mass;
    lane_vec3 velocity = contact_relative(la, m->a.velocity.ul, lb, m->b.velocity.ul);
    lane_vec3 moved = contact_relative(la, da.dl, lb, db.dl);
    m->velocity = contact_frame_from_world(&m->frame, velocity);
    m->movement = contact_normal_motion_by(m, lane_vec3_dot(m->frame.normal, moved), da.da, db.da, at);
    lane ia = lane_mul(la, la), ib = lane_mul(lb, lb);
    if (summed) {
        m->a.share = LOAD(cold->share_a), m->b.share = LOAD(cold->share_b);
        ia = lane_mul(ia, m->a.share);
        ib = lane_mul(ib, m->b.share);
        m->a.before = m->a.velocity.ua;
        m->b.before = m->b.velocity.ua;
    }
    m->inverse_mass = lane_add(ia, ib);
}

/* Returns the pair as it moved when the substep began. */
LANE_INLINE contact_pair contact_at_start(const contact_pair *m, dry_contact_bundle *c, const dry_sweep *s,
                                          int at)
{
    contact_pair start = *m;
    start.a.velocity = lane_gather_start(s->start, c->row_a + at);
    start.b.velocity = lane_gather_start(s->start, c->row_b + at);
    const lane_vec3 velocity =
        contact_relative(m->a.inv_sqrt_mass, start.a.velocity.ul, m->b.inv_sqrt_mass, start.b.velocity.ul);
    start.velocity = contact_frame_from_world(&m->frame, velocity);
    return start;
}

/* Returns the motion along the normal when the substep began. */
LANE_INLINE contact_normal_motion contact_start_velocity(const contact_pair *m, dry_contact_bundle *c,
                                                         const dry_sweep *s, int at)
{
    const contact_pair start = contact_at_start(m, c, s, at);
    return contact_normal_velocity(&start, at);
}

/* Returns the tangent velocity when the substep began. */
LANE_INLINE lane_vec3 contact_tangent_start(const contact_pair *m, dry_contact_bundle *c, const dry_sweep *s,
                                            int at)
{
    const contact_pair start = contact_at_start(m, c, s, at);
    return contact_tangent_velocity(&start, at);
}

/* Adds the mean of the copies' changes to a body's sum: a copy's angular part moved `share` times too far. */
LANE_INLINE void contact_add_share(lane_velocity *sum, const contact_side *side)
{
    lane_vec3 change = lane_vec3_sub(side->velocity.ua, side->before);
    sum->ua =
        lane_vec3_add(sum->ua, (lane_vec3){lane_div(change.x, side->share), lane_div(change.y, side->share),
                                           lane_div(change.z, side->share)});
}

/* Applies the impulse given so far to the linear velocities. */
LANE_INLINE void contact_apply_linear(const contact_pair *m, lane_velocity *a, lane_velocity *b)
{
    lane_vec3 impulse = contact_frame_to_world(&m->frame, m->impulse);
    a->ul = lane_vec3_sub_scaled(a->ul, m->a.inv_sqrt_mass, impulse);
    b->ul = lane_vec3_add_scaled(b->ul, m->b.inv_sqrt_mass, impulse);
}

/* Scatters the impulses' changes to the rows or to the sums. The linear parts got one impulse. */
LANE_INLINE void contact_scatter(contact_pair *m, dry_contact_bundle *c, const dry_sweep *s, bool summed,
                                 int at)
{
    lane_velocity va = m->a.velocity, vb = m->b.velocity;
    if (summed) {
        lane_gather_velocity(s->sums, c->row_a + at, &va);
        lane_gather_velocity(s->sums, c->row_b + at, &vb);
        contact_add_share(&va, &m->a);
        contact_add_share(&vb, &m->b);
    }
    contact_apply_linear(m, &va, &vb);
    dry_solver_row *rows = summed ? s->sums : s->rows;
    lane_scatter_velocity(rows, c->row_a + at, &va);
    lane_scatter_velocity(rows, c->row_b + at, &vb);
}

#endif
