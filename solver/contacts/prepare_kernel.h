/* The prepare kernel: sixteen manifolds into one contact bundle. Compiled once per instruction set.
 *
 * Reads manifolds, orientations and rows through the pointers of a dry_contact_source; writes the bundle and
 * what is rare about it. All in the contact's frame (contact_frame.h). Both bodies' lever arms lead to one
 * point, midway between the surfaces: then a contact's impulses change neither the pair's momentum nor its
 * angular momentum. A lane without a manifold, and a point that a manifold lacks, gets rows of no mass.
 * Included by kernels.c alone. */
#ifndef SOLVER_CONTACTS_PREPARE_KERNEL_H
#define SOLVER_CONTACTS_PREPARE_KERNEL_H

#include "solver/contacts/motion.h"
#include "solver/contacts/source.h"

LANE_INLINE void prepare_store(dry_lanes *to, const lane *v, int count, int at)
{
    for (int i = 0; i < count; i++)
        lane_store(to[i] + at, v[i]);
}

/* One body; vectors in the frame. */
typedef struct prepare_side {
    lane turn[4];          /* orientation */
    frame_inertia inverse; /* times the share */
    lane linear[3];        /* velocity, sqrt(kg) m/s, world */
    lane spin[3];          /* angular velocity, rad/s */
    lane lever[3];         /* from its centre to the patch's, m */
    lane lin, share;
} prepare_side;

typedef struct prepare_pair {
    contact_motion m; /* the frame, and what is in the bundle already */
    prepare_side a, b;
    contact_points points;
    lane present[4]; /* 1 where there is a point, else 0 */
    lane lin;        /* 1/m_a + 1/m_b, with shares */
} prepare_pair;

LANE_INLINE void prepare_gather(const dry_prepare *p, const dry_quat *const *orientation, const int32_t *row,
                                const float *share, lane frame[3][3], const contact_side *bundle,
                                prepare_side *side, int at)
{
    const float *q[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        q[i] = &orientation[at + i]->x;
    lane_gather4(q, 0, side->turn);
    lane_velocity velocity;
    lane_roots roots;
    lane_gather_velocity(p->rows, row + at, &velocity);
    lane_gather_roots(p->rows, row + at, &roots);
    /* By way of the world: the frame's axes are exact where the normal is. One quaternion's product would
     * tilt all contacts of a tower alike. */
    lane principal[3][3], axis[3][3];
    frame_of_turn(side->turn, principal);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            axis[k][i] = lane_mul(lane_dot(principal[i], frame[k]), roots.ang[i]);
        prepare_store(bundle->axis[k], axis[k], 3, at);
        side->spin[k] = lane_dot(axis[k], velocity.ua);
        side->linear[k] = velocity.ul[k];
    }
    side->lin = roots.lin;
    lane_store(bundle->lin + at, roots.lin);
    side->share = p->split_masses ? LOAD(share) : lane_set(1.0f);
    side->inverse = frame_inertia_scaled(frame_inertia_of(axis), side->share);
}

/* The points of a manifold: where they are and how far apart the surfaces are. */
LANE_INLINE void prepare_points(const dry_contact_source *source, dry_contact_bundle *c, prepare_pair *m,
                                const float *const *manifold, int at)
{
    lane count = lane_load(source->count + at), rise = lane_load(source->rise + at);
    lane inverse_count = lane_div(lane_set(1.0f), lane_max(count, lane_set(1.0f)));
    lane place[4][3], center[3] = {lane_zero(), lane_zero(), lane_zero()};
    for (int i = 0; i < 4; i++) {
        lane point[4];
        lane_gather4(manifold, 4 * i, point);
        lane_mask here = lane_less(lane_set((float)i), count);
        m->present[i] = lane_select(here, lane_set(1.0f), lane_zero());
        lane arm[3];
        lane_turn(m->b.turn, point, arm);
        for (int k = 0; k < 3; k++)
            place[i][k] = lane_dot(m->m.frame[k], arm);
        lane separation = lane_sub(lane_add(rise, place[i][N]), point[3]);
        place[i][N] = lane_fma(lane_set(-0.5f), separation, place[i][N]);
        lane_store(c->separation[i] + at, lane_mul(m->present[i], separation));
        for (int k = 0; k < 3; k++)
            center[k] = lane_fma(m->present[i], place[i][k], center[k]);
    }
    lane reach = lane_zero();
    for (int k = 0; k < 3; k++) {
        lane apart[3] = {lane_load(source->apart[0] + at), lane_load(source->apart[1] + at),
                         lane_load(source->apart[2] + at)};
        m->b.lever[k] = lane_mul(center[k], inverse_count);
        m->a.lever[k] = lane_add(m->b.lever[k], lane_dot(m->m.frame[k], apart));
    }
    prepare_store(c->lever_a, m->a.lever, 3, at);
    prepare_store(c->lever_b, m->b.lever, 3, at);
    for (int i = 0; i < 4; i++) {
        lane off[3];
        for (int k = 0; k < 3; k++)
            off[k] = lane_mul(m->present[i], lane_sub(place[i][k], m->b.lever[k]));
        reach = lane_add(reach, lane_sqrt(lane_dot(off, off)));
        if (i < 3)
            prepare_store(c->offset[i], off, 2, at);
    }
    lane_store(c->reach + at, lane_mul(reach, inverse_count));
    m->points = contact_points_of(c, at);
}

/* g_i . g_j of two normal rows at points i and j. */
LANE_INLINE lane prepare_coupling(const prepare_pair *m, int i, int j)
{
    const contact_points *p = &m->points;
    lane sum = m->lin;
    for (int k = 0; k < 2; k++) {
        /* A unit impulse turns a body by (y, -x, 0), y and x from its centre. */
        const prepare_side *side = k ? &m->b : &m->a;
        const frame_inertia *w = &side->inverse;
        lane xi = lane_add(side->lever[T1], p->x[i]), yi = lane_add(side->lever[T2], p->y[i]);
        lane xj = lane_add(side->lever[T1], p->x[j]), yj = lane_add(side->lever[T2], p->y[j]);
        lane across = lane_fnma(w->xy, xj, lane_mul(w->xx, yj));
        lane along = lane_fnma(w->xy, yj, lane_mul(w->yy, xj));
        sum = lane_add(sum, lane_add(lane_mul(xi, along), lane_mul(yi, across)));
    }
    return sum;
}

/* Points are solved two by two from the same motion. Where both push the same way (S_ij > 0) each would do
 * the other's work again, so a row's diagonal grows by that; across a patch S_ij is negative and nothing
 * changes. */
LANE_INLINE void prepare_normal_masses(dry_contact_bundle *c, const prepare_pair *m, int at)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            lane_store(c->coupling[i][j] + at, prepare_coupling(m, i, 2 + j));
    for (int i = 0; i < 4; i += 2) {
        lane coupling = lane_max(prepare_coupling(m, i, i + 1), lane_zero());
        coupling = lane_mul(coupling, lane_mul(m->present[i], m->present[i + 1]));
        for (int k = i; k < i + 2; k++) {
            lane mass = lane_mul(m->present[k], lane_inverse_or_zero(prepare_coupling(m, k, k)));
            lane_store(c->inverse_mass[k] + at, lane_div(mass, lane_fma(mass, coupling, lane_set(1.0f))));
        }
    }
}

/* The inverses of the 2x2 block of friction at the patch's centre and of torsion's row. */
LANE_INLINE void prepare_friction_masses(dry_contact_bundle *c, const prepare_pair *m, int at)
{
    lane xx = m->lin, xy = lane_zero(), yy = m->lin;
    for (int k = 0; k < 2; k++) {
        /* Unit impulses along the tangents turn a body by (0, l3, -l2) and (-l3, 0, l1). */
        const prepare_side *side = k ? &m->b : &m->a;
        const frame_inertia *w = &side->inverse;
        const lane *l = side->lever;
        lane x1 = lane_fnma(w->xz, l[T2], lane_mul(w->xy, l[N]));
        lane y1 = lane_fnma(w->yz, l[T2], lane_mul(w->yy, l[N]));
        lane z1 = lane_fnma(w->zz, l[T2], lane_mul(w->yz, l[N]));
        lane x2 = lane_fnma(w->xx, l[N], lane_mul(w->xz, l[T1]));
        lane z2 = lane_fnma(w->xz, l[N], lane_mul(w->zz, l[T1]));
        xx = lane_fnma(l[T2], z1, lane_fma(l[N], y1, xx));
        xy = lane_fma(l[T1], z1, lane_fnma(l[N], x1, xy));
        yy = lane_fma(l[T1], z2, lane_fnma(l[N], x2, yy));
    }
    lane inverse = lane_inverse_or_zero(lane_fnma(xy, xy, lane_mul(xx, yy)));
    lane_store(c->friction_mass[0] + at, lane_mul(yy, inverse));
    lane_store(c->friction_mass[1] + at, lane_negate(lane_mul(xy, inverse)));
    lane_store(c->friction_mass[2] + at, lane_mul(xx, inverse));
}

/* Last step's impulses, for this step's substeps. */
LANE_INLINE void prepare_impulses(const dry_contact_source *source, dry_contact_bundle *c,
                                  const prepare_pair *m, const float *const *manifold, int at)
{
    lane friction[4], impulse[4], scale = lane_load(source->impulse_scale + at);
    lane_gather4(manifold, offsetof(dry_manifold, friction_impulse) / 4, friction);
    lane_gather4(manifold, offsetof(dry_manifold, impulse) / 4, impulse);
    for (int i = 0; i < 4; i++)
        lane_store(c->impulse[i] + at, lane_mul(lane_mul(scale, m->present[i]), impulse[i]));
    lane_store(c->friction_impulse[0] + at, lane_mul(scale, lane_dot(friction, m->m.frame[T1])));
    lane_store(c->friction_impulse[1] + at, lane_mul(scale, lane_dot(friction, m->m.frame[T2])));
    lane_store(c->twist_impulse + at, lane_mul(scale, friction[3]));
}

/* Speeds that kinematic bodies add: of the surfaces at the patch's centre, and how they turn. */
LANE_INLINE void prepare_driven(const dry_contact_source *source, const contact_motion *m, lane speed[3],
                                lane spin_a[3], lane spin_b[3], int at)
{
    lane world[4][3];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            world[i][k] = lane_load(source->driven[i][k] + at);
    for (int k = 0; k < 3; k++) {
        speed[k] = lane_sub(lane_dot(m->frame[k], world[2]), lane_dot(m->frame[k], world[0]));
        spin_a[k] = lane_dot(m->frame[k], world[1]);
        spin_b[k] = lane_dot(m->frame[k], world[3]);
    }
}

LANE_INLINE void prepare_rare(const dry_contact_source *source, dry_contact_bundle_rare *rare,
                              const prepare_pair *m, float gravity, int at)
{
    lane_store(rare->share_a + at, m->a.share);
    lane_store(rare->share_b + at, m->b.share);
    /* The reduced mass of the pair carries the representative load [Spook 43-44]. */
    lane la = m->a.lin, lb = m->b.lin;
    lane pair = lane_fma(lb, lb, lane_mul(la, la));
    lane load = lane_mul(lane_load(source->friction + at), lane_set(gravity));
    lane_store(rare->friction_box + at, lane_mul(load, lane_inverse_or_zero(pair)));
}

/* How fast the points approach when the step begins. */
LANE_INLINE void prepare_approach(const dry_contact_source *source, dry_contact_bundle_rare *rare,
                                  const prepare_pair *m, dry_contact_speeds *speeds, int at)
{
    const contact_points *points = &m->points;
    lane drift[3];
    for (int k = 0; k < 3; k++)
        drift[k] = lane_fnma(m->a.lin, m->a.linear[k], lane_mul(m->b.lin, m->b.linear[k]));
    contact_tilt own = contact_tilt_of(&m->m, lane_dot(m->m.frame[N], drift), m->a.spin, m->b.spin, at);
    contact_tilt driven = own;
    if (source->is_driven) {
        lane speed[3], spin_a[3], spin_b[3], slip[2];
        prepare_driven(source, &m->m, speed, spin_a, spin_b, at);
        driven = contact_tilt_of(&m->m, speed[N], spin_a, spin_b, at);
        contact_slip_of(&m->m, speed, spin_a, spin_b, slip, at);
        if (rare) {
            prepare_store(rare->driven_friction, slip, 2, at);
            lane_store(rare->driven_twist + at, lane_sub(spin_b[N], spin_a[N]));
        }
    }
    lane fastest = lane_zero();
    for (int i = 0; i < 4; i++) {
        lane approach = contact_tilt_at(own, points->x[i], points->y[i]);
        if (source->is_driven) {
            lane added = contact_tilt_at(driven, points->x[i], points->y[i]);
            approach = lane_add(approach, added);
            if (rare)
                lane_store(rare->driven_normal[i] + at, added);
        }
        approach = lane_mul(m->present[i], approach);
        fastest = lane_min(fastest, approach);
        if (rare) {
            lane_store(rare->approach[i] + at, approach);
            lane_store(rare->met[i] + at, approach);
            lane_store(rare->peak[i] + at, lane_zero());
        }
    }
    lane_store(speeds->fastest + at, fastest);
}

/* Lanes [at, at + DRY_LANES) of one bundle. */
LANE_INLINE void prepare_lanes(const dry_contact_source *source, dry_contact_bundle *c,
                               dry_contact_bundle_rare *rare, dry_contact_speeds *speeds,
                               const dry_prepare *p, int at)
{
    const float *manifold[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        manifold[i] = &source->manifold[at + i]->points[0].anchor_b.x;
    prepare_pair m;
    const lane n[3] = {lane_load(source->normal[0] + at), lane_load(source->normal[1] + at),
                       lane_load(source->normal[2] + at)};
    prepare_store(c->normal, n, 3, at);
    contact_begin(&m.m, c, at);
    prepare_gather(p, source->orientation_a, c->row_a, source->share[0], m.m.frame, &m.m.a, &m.a, at);
    prepare_gather(p, source->orientation_b, c->row_b, source->share[1], m.m.frame, &m.m.b, &m.b, at);
    m.lin = lane_fma(lane_mul(m.b.lin, m.b.lin), m.b.share, lane_mul(lane_mul(m.a.lin, m.a.lin), m.a.share));
    prepare_points(source, c, &m, manifold, at);
    prepare_normal_masses(c, &m, at);
    prepare_friction_masses(c, &m, at);
    prepare_impulses(source, c, &m, manifold, at);
    prepare_approach(source, rare, &m, speeds, at);
    lane_store(c->friction + at, lane_load(source->friction + at));
    if (rare)
        prepare_rare(source, rare, &m, p->gravity, at);
}

/* Copies a bundle past the caches: its lines are not read first, and push nothing out. */
LANE_INLINE void prepare_stream(dry_contact_bundle *to, const dry_contact_bundle *from)
{
    float *t = (float *)(void *)to;
    const float *f = (const float *)(const void *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *t; i += DRY_LANES)
        lane_stream(t + i, lane_load(f + i));
}

#endif
