/* Two bodies in the frame of their contact while a kernel works on it. Compiled once per instruction set.
 *
 * Rows of [Spook 25] are not stored: with T_k the frame's axes in a body, whitened, and l the lever from its
 * centre to the patch's, an impulse p at the patch's centre changes its whitened angular velocity by
 * sum_k T_k (l x p)_k, and the surface's velocity there is v + w x l with w_k = T_k . u. So 24 numbers of the
 * frame, levers and two coordinates a point stand for the 42 of nine rows. Reads a contact bundle and rows;
 * writes rows. Included by contact_kernels.h and prepare_kernel.h alone. */
#ifndef SOLVER_CONTACTS_MOTION_H
#define SOLVER_CONTACTS_MOTION_H

#include "simd/kernel_list.h"
#include "solver/bundles.h"
#include "solver/contacts/frame.h"

/* One body. What is in the bundle is loaded where it is used: held, it would not fit into registers. */
typedef struct contact_side {
    dry_lanes (*axis)[3], *lever;
    float *lin;
    lane_velocity velocity; /* the angular part with all impulses so far, the linear one as gathered */
    lane before[3], share;  /* Jacobi: the angular part as gathered; how many split the mass */
} contact_side;

/* Motion of b's surface relative to a's along the normal: at the patch's centre, and what it grows by along
 * the tangents. */
typedef struct contact_tilt {
    lane middle, x, y;
} contact_tilt;

/* What passes between the bodies; vectors in the frame. */
typedef struct contact_motion {
    lane frame[3][3]; /* axes in the world */
    contact_side a, b;
    lane speed[3];    /* of b's centre relative to a's, m/s */
    contact_tilt gap; /* what the separation grew by since the step began, m */
    lane lin;         /* 1/m_a + 1/m_b (times the shares), 1/kg */
    lane push[3];     /* impulse given so far, on b, N s */
} contact_motion;

LANE_INLINE void contact_load3(dry_lanes *from, int at, lane to[3])
{
    for (int i = 0; i < 3; i++)
        to[i] = LOAD(from[i]);
}

/* T_k . u: a turn about the frame's axis k. */
LANE_INLINE lane contact_turn(const contact_side *side, int k, const lane u[3], int at)
{
    lane t[3];
    contact_load3(side->axis[k], at, t);
    return lane_dot(t, u);
}

/* u += T_k torque, or -=: what is given to b is taken from a. With split masses a copy moves `share` times as
 * far. */
LANE_INLINE void contact_give(contact_side *side, int k, lane torque, bool minus, bool jacobi, int at)
{
    lane *u = side->velocity.ua;
    if (jacobi)
        torque = lane_mul(torque, side->share);
    for (int i = 0; i < 3; i++)
        u[i] = minus ? lane_fnma(LOAD(side->axis[k][i]), torque, u[i])
                     : lane_fma(LOAD(side->axis[k][i]), torque, u[i]);
}

/* From the bodies' turns about the tangents and a motion of their centres along the normal: v + w x l. Both
 * sides at the same time: a sweep mostly waits for the chain of operations. */
LANE_INLINE contact_tilt contact_tilt_of(const contact_motion *m, lane along, const lane a[2],
                                         const lane b[2], int at)
{
    lane a1 = LOAD(m->a.lever[T1]), a2 = LOAD(m->a.lever[T2]);
    lane b1 = LOAD(m->b.lever[T1]), b2 = LOAD(m->b.lever[T2]);
    return (contact_tilt){
        lane_add(lane_fnma(b[T2], b1, lane_mul(b[T1], b2)), lane_fma(a[T2], a1, lane_fnma(a[T1], a2, along))),
        lane_sub(a[T2], b[T2]),
        lane_sub(b[T1], a[T1]),
    };
}

LANE_INLINE lane contact_tilt_at(contact_tilt t, lane x, lane y)
{
    return lane_fma(t.y, y, lane_fma(t.x, x, t.middle));
}

LANE_INLINE contact_tilt contact_speed(const contact_motion *m, int at)
{
    const lane *ua = m->a.velocity.ua, *ub = m->b.velocity.ua;
    const lane a[2] = {contact_turn(&m->a, T1, ua, at), contact_turn(&m->a, T2, ua, at)};
    const lane b[2] = {contact_turn(&m->b, T1, ub, at), contact_turn(&m->b, T2, ub, at)};
    return contact_tilt_of(m, m->speed[N], a, b, at);
}

/* Relative motion along the tangents at the patch's centre, from the bodies' turns. */
LANE_INLINE void contact_slip_of(const contact_motion *m, const lane along[2], const lane wa[3],
                                 const lane wb[3], lane slip[2], int at)
{
    lane a[3], b[3];
    contact_load3(m->a.lever, at, a);
    contact_load3(m->b.lever, at, b);
    slip[T1] = lane_add(lane_fnma(wb[N], b[T2], lane_mul(wb[T2], b[N])),
                        lane_fma(wa[N], a[T2], lane_fnma(wa[T2], a[N], along[T1])));
    slip[T2] = lane_add(lane_fnma(wb[T1], b[N], lane_mul(wb[N], b[T1])),
                        lane_fma(wa[T1], a[N], lane_fnma(wa[N], a[T1], along[T2])));
}

LANE_INLINE void contact_slip(const contact_motion *m, lane slip[2], int at)
{
    lane wa[3], wb[3];
    for (int k = 0; k < 3; k++) {
        wa[k] = contact_turn(&m->a, k, m->a.velocity.ua, at);
        wb[k] = contact_turn(&m->b, k, m->b.velocity.ua, at);
    }
    contact_slip_of(m, m->speed, wa, wb, slip, at);
}

LANE_INLINE lane lane_inverse_or_zero(lane x)
{
    lane_mask positive = lane_less(lane_zero(), x);
    return lane_select(positive, lane_div(lane_set(1.0f), lane_select(positive, x, lane_set(1.0f))),
                       lane_zero());
}

/* What an angular impulse about the normal must be to change the turn about it by one: 1 / |g|^2, kg m^2. */
LANE_INLINE lane contact_twist_mass(const contact_motion *m, bool jacobi, int at)
{
    lane a[3], b[3];
    contact_load3(m->a.axis[N], at, a);
    contact_load3(m->b.axis[N], at, b);
    lane aa = lane_dot(a, a), bb = lane_dot(b, b);
    if (jacobi) {
        aa = lane_mul(aa, m->a.share);
        bb = lane_mul(bb, m->b.share);
    }
    return lane_inverse_or_zero(lane_add(aa, bb));
}

/* How fast b turns about the normal relative to a. */
LANE_INLINE lane contact_twist(const contact_motion *m, int at)
{
    return lane_sub(contact_turn(&m->b, N, m->b.velocity.ua, at),
                    contact_turn(&m->a, N, m->a.velocity.ua, at));
}

/* Where the points are, from the patch's centre. */
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
LANE_INLINE lane lane_dot4(const lane a[4], const lane b[4])
{
    return lane_add(lane_add(lane_mul(a[0], b[0]), lane_mul(a[1], b[1])),
                    lane_add(lane_mul(a[2], b[2]), lane_mul(a[3], b[3])));
}

/* Impulses along the normal at the four points. */
LANE_INLINE void contact_give_normals(contact_motion *m, const contact_points *p, const lane d[4],
                                      bool jacobi, int at)
{
    lane push = lane_add(lane_add(d[0], d[1]), lane_add(d[2], d[3]));
    lane x = lane_dot4(p->x, d), y = lane_dot4(p->y, d);
    m->push[N] = lane_add(m->push[N], push);
    m->speed[N] = lane_fma(m->lin, push, m->speed[N]);
    for (int k = 0; k < 2; k++) {
        bool minus = k == 0;
        contact_side *side = minus ? &m->a : &m->b;
        contact_give(side, T1, lane_fma(LOAD(side->lever[T2]), push, y), minus, jacobi, at);
        contact_give(side, T2, lane_fma(LOAD(side->lever[T1]), push, x), !minus, jacobi, at);
    }
}

/* Impulses along the tangents at the patch's centre. Nobody asks for the slip again: `speed` keeps it. */
LANE_INLINE void contact_give_friction(contact_motion *m, lane p1, lane p2, bool jacobi, int at)
{
    m->push[T1] = p1;
    m->push[T2] = p2;
    for (int k = 0; k < 2; k++) {
        bool minus = k == 0;
        contact_side *side = minus ? &m->a : &m->b;
        lane height = LOAD(side->lever[N]);
        lane turn = lane_fnma(LOAD(side->lever[T2]), p1, lane_mul(LOAD(side->lever[T1]), p2));
        contact_give(side, T1, lane_mul(height, p2), !minus, jacobi, at);
        contact_give(side, T2, lane_mul(height, p1), minus, jacobi, at);
        contact_give(side, N, turn, minus, jacobi, at);
    }
}

LANE_INLINE void contact_give_twist(contact_motion *m, lane twist, bool jacobi, int at)
{
    contact_give(&m->a, N, twist, true, jacobi, at);
    contact_give(&m->b, N, twist, false, jacobi, at);
}

/* The parts that are in the bundle. */
LANE_INLINE void contact_begin(contact_motion *m, dry_contact_bundle *c, int at)
{
    lane normal[3];
    contact_load3(c->normal, at, normal);
    frame_of_normal(normal, m->frame);
    m->a.axis = c->axis_a, m->a.lever = c->lever_a, m->a.lin = c->lin_a;
    m->b.axis = c->axis_b, m->b.lever = c->lever_b, m->b.lin = c->lin_b;
    for (int k = 0; k < 3; k++)
        m->push[k] = lane_zero();
}

/* And those of the rows. */
LANE_INLINE void contact_gather(contact_motion *m, dry_contact_bundle *c, dry_contact_bundle_rare *rare,
                                const dry_sweep *s, bool jacobi, int at)
{
    lane_displacement da, db;
    lane_gather_both(s->rows, c->row_a + at, &m->a.velocity, &da);
    lane_gather_both(s->rows, c->row_b + at, &m->b.velocity, &db);
    lane la = LOAD(c->lin_a), lb = LOAD(c->lin_b), speed[3], moved[3];
    for (int i = 0; i < 3; i++) {
        speed[i] = lane_fnma(la, m->a.velocity.ul[i], lane_mul(lb, m->b.velocity.ul[i]));
        moved[i] = lane_fnma(la, da.dl[i], lane_mul(lb, db.dl[i]));
    }
    for (int k = 0; k < 3; k++)
        m->speed[k] = lane_dot(m->frame[k], speed);
    const lane ta[2] = {contact_turn(&m->a, T1, da.da, at), contact_turn(&m->a, T2, da.da, at)};
    const lane tb[2] = {contact_turn(&m->b, T1, db.da, at), contact_turn(&m->b, T2, db.da, at)};
    m->gap = contact_tilt_of(m, lane_dot(m->frame[N], moved), ta, tb, at);
    lane ia = lane_mul(la, la), ib = lane_mul(lb, lb);
    if (jacobi) {
        m->a.share = LOAD(rare->share_a), m->b.share = LOAD(rare->share_b);
        ia = lane_mul(ia, m->a.share);
        ib = lane_mul(ib, m->b.share);
        for (int i = 0; i < 3; i++)
            m->a.before[i] = m->a.velocity.ua[i], m->b.before[i] = m->b.velocity.ua[i];
    }
    m->lin = lane_add(ia, ib);
}

/* What was given, to the rows; or, so that the copies' mean comes out, to the sums: linear parts got one push
 * together, angular parts moved `share` times too far. */
LANE_INLINE void contact_scatter(contact_motion *m, dry_contact_bundle *c, const dry_sweep *s, bool jacobi,
                                 int at)
{
    lane_velocity va = m->a.velocity, vb = m->b.velocity;
    if (jacobi) {
        lane_gather_velocity(s->sums, c->row_a + at, &va);
        lane_gather_velocity(s->sums, c->row_b + at, &vb);
        for (int i = 0; i < 3; i++) {
            lane a = lane_sub(m->a.velocity.ua[i], m->a.before[i]);
            lane b = lane_sub(m->b.velocity.ua[i], m->b.before[i]);
            va.ua[i] = lane_add(va.ua[i], lane_div(a, m->a.share));
            vb.ua[i] = lane_add(vb.ua[i], lane_div(b, m->b.share));
        }
    }
    for (int i = 0; i < 3; i++) {
        lane push = lane_mul(m->frame[T1][i], m->push[T1]);
        push = lane_fma(m->frame[N][i], m->push[N], lane_fma(m->frame[T2][i], m->push[T2], push));
        va.ul[i] = lane_fnma(LOAD(m->a.lin), push, va.ul[i]);
        vb.ul[i] = lane_fma(LOAD(m->b.lin), push, vb.ul[i]);
    }
    dry_solver_row *rows = jacobi ? s->sums : s->rows;
    lane_scatter_velocity(rows, c->row_a + at, &va);
    lane_scatter_velocity(rows, c->row_b + at, &vb);
}

#endif
