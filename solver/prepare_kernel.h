/* The prepare kernel: sixteen manifolds into one contact bundle. Compiled once per instruction set.
 *
 * Reads manifolds, orientations, whitening and rows through the pointers of a dry_contact_source; writes the
 * bundle and what is rare about it. Both bodies' lever arms lead to one point, midway between the surfaces:
 * then a contact's impulses change neither the pair's momentum nor its angular momentum. A lane without a
 * manifold, and a point that a manifold lacks, gets rows of no mass. Included by kernels.c alone. */
#ifndef SOLVER_PREPARE_KERNEL_H
#define SOLVER_PREPARE_KERNEL_H

#include "simd/gather.h"
#include "solver/contact_source.h"

typedef struct lane_vec3 {
    lane x, y, z;
} lane_vec3;

LANE_INLINE lane_vec3 lane_vec3_cross(lane_vec3 a, lane_vec3 b)
{
    return (lane_vec3){lane_fnma(a.z, b.y, lane_mul(a.y, b.z)), lane_fnma(a.x, b.z, lane_mul(a.z, b.x)),
                       lane_fnma(a.y, b.x, lane_mul(a.x, b.y))};
}

LANE_INLINE lane lane_vec3_dot(lane_vec3 a, lane_vec3 b)
{
    return lane_fma(a.z, b.z, lane_fma(a.y, b.y, lane_mul(a.x, b.x)));
}

/* a + s b */
LANE_INLINE lane_vec3 lane_vec3_add_scaled(lane_vec3 a, lane s, lane_vec3 b)
{
    return (lane_vec3){lane_fma(s, b.x, a.x), lane_fma(s, b.y, a.y), lane_fma(s, b.z, a.z)};
}

LANE_INLINE lane_vec3 lane_vec3_add(lane_vec3 a, lane_vec3 b)
{
    return (lane_vec3){lane_add(a.x, b.x), lane_add(a.y, b.y), lane_add(a.z, b.z)};
}

LANE_INLINE lane_vec3 lane_vec3_scale(lane_vec3 a, lane s)
{
    return (lane_vec3){lane_mul(a.x, s), lane_mul(a.y, s), lane_mul(a.z, s)};
}

LANE_INLINE lane_vec3 lane_vec3_negate(lane_vec3 a)
{
    return (lane_vec3){lane_negate(a.x), lane_negate(a.y), lane_negate(a.z)};
}

LANE_INLINE void lane_vec3_store(dry_lanes *to, lane_vec3 v, int at)
{
    lane_store(to[0] + at, v.x);
    lane_store(to[1] + at, v.y);
    lane_store(to[2] + at, v.z);
}

/* v turned by the quaternion q (xyzw): v + 2 w (u x v) + 2 u x (u x v). */
LANE_INLINE lane_vec3 lane_turn(const lane q[4], lane_vec3 v)
{
    lane_vec3 u = {q[0], q[1], q[2]};
    lane_vec3 t = lane_vec3_scale(lane_vec3_cross(u, v), lane_set(2.0f));
    return lane_vec3_add(lane_vec3_add_scaled(v, q[3], t), lane_vec3_cross(u, t));
}

/* One side's whitening, gathered. */
typedef struct lane_whitening {
    lane_vec3 axis[3];
    lane lin, share;
} lane_whitening;

LANE_INLINE lane_whitening lane_gather_whitening(const dry_whitening *whitening, const int32_t *row)
{
    const float *p[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        p[i] = whitening[row[i]].axes[0];
    lane g[16];
    lane_gather4(p, 0, g);
    lane_gather4(p, 4, g + 4);
    lane_gather4(p, 8, g + 8);
    lane_gather4(p, 12, g + 12);
    return (lane_whitening){{{g[0], g[1], g[2]}, {g[3], g[4], g[5]}, {g[6], g[7], g[8]}}, g[9], g[13]};
}
_Static_assert(offsetof(dry_whitening, lin) == 36 && offsetof(dry_whitening, share) == 52,
               "where the gather finds them");

LANE_INLINE lane_vec3 lane_whiten(const lane_whitening *w, lane_vec3 v)
{
    return (lane_vec3){lane_vec3_dot(w->axis[0], v), lane_vec3_dot(w->axis[1], v),
                       lane_vec3_dot(w->axis[2], v)};
}

/* What is common to a bundle's rows while they are prepared. */
typedef struct prepare_sides {
    lane_whitening a, b;
    lane share_a, share_b;
    lane lin; /* 1/m_a + 1/m_b, with shares */
} prepare_sides;

/* A pair of angular rows, g_a with [Spook 25]'s sign, for a direction at lever arms ra and rb. */
typedef struct prepare_row {
    lane_vec3 a, b;
} prepare_row;

LANE_INLINE prepare_row prepare_row_of(const prepare_sides *s, lane_vec3 direction, lane_vec3 ra,
                                       lane_vec3 rb)
{
    return (prepare_row){lane_vec3_negate(lane_whiten(&s->a, lane_vec3_cross(ra, direction))),
                         lane_whiten(&s->b, lane_vec3_cross(rb, direction))};
}

/* g_i . g_j of the angular parts, with shares. */
LANE_INLINE lane prepare_dot(const prepare_sides *s, const prepare_row *i, const prepare_row *j, lane start)
{
    lane a = lane_vec3_dot(i->a, j->a), b = lane_vec3_dot(i->b, j->b);
    return lane_fma(s->share_b, b, lane_fma(s->share_a, a, start));
}

LANE_INLINE lane lane_inverse_or_zero(lane x)
{
    lane_mask positive = lane_less(lane_zero(), x);
    return lane_select(positive, lane_div(lane_set(1.0f), lane_select(positive, x, lane_set(1.0f))),
                       lane_zero());
}

/* A unit vector across the unit vector n, as vec3_perpendicular chooses it. */
LANE_INLINE lane_vec3 prepare_tangent(lane_vec3 n)
{
    lane_mask steep = lane_less(lane_max(n.x, lane_negate(n.x)), lane_set(0.57735f));
    lane_vec3 p = {lane_select(steep, lane_zero(), n.y), lane_select(steep, n.z, lane_negate(n.x)),
                   lane_select(steep, lane_negate(n.y), lane_zero())};
    return lane_vec3_scale(p, lane_div(lane_set(1.0f), lane_sqrt(lane_vec3_dot(p, p))));
}

/* The speed that kinematic bodies add along a direction. */
LANE_INLINE lane prepare_driven(const dry_contact_source *source, lane_vec3 direction, lane_vec3 ra,
                                lane_vec3 rb, int at)
{
    lane_vec3 v[4];
    for (int i = 0; i < 4; i++)
        v[i] = (lane_vec3){lane_load(source->driven[i][0] + at), lane_load(source->driven[i][1] + at),
                           lane_load(source->driven[i][2] + at)};
    lane_vec3 va = lane_vec3_add(v[0], lane_vec3_cross(v[1], ra));
    lane_vec3 vb = lane_vec3_add(v[2], lane_vec3_cross(v[3], rb));
    return lane_sub(lane_vec3_dot(direction, vb), lane_vec3_dot(direction, va));
}

LANE_INLINE void prepare_friction(const dry_contact_source *source, dry_contact_bundle *c,
                                  dry_contact_bundle_rare *rare, const prepare_sides *s,
                                  const lane impulse[4], lane_vec3 n, lane_vec3 ra, lane_vec3 rb,
                                  float gravity, int at)
{
    lane scale = lane_load(source->impulse_scale + at), mu = lane_load(source->friction + at);
    lane_vec3 t1 = prepare_tangent(n), t2 = lane_vec3_cross(n, t1);
    lane_vec3_store(c->tangent, t1, at);
    prepare_row first = prepare_row_of(s, t1, ra, rb), second = prepare_row_of(s, t2, ra, rb);
    lane_vec3_store(c->friction_a[0], first.a, at);
    lane_vec3_store(c->friction_b[0], first.b, at);
    lane_vec3_store(c->friction_a[1], second.a, at);
    lane_vec3_store(c->friction_b[1], second.b, at);
    lane xx = prepare_dot(s, &first, &first, s->lin), yy = prepare_dot(s, &second, &second, s->lin);
    lane xy = prepare_dot(s, &first, &second, lane_zero());
    lane inverse = lane_inverse_or_zero(lane_fnma(xy, xy, lane_mul(xx, yy)));
    lane_store(c->friction_mass[0] + at, lane_mul(yy, inverse));
    lane_store(c->friction_mass[1] + at, lane_negate(lane_mul(xy, inverse)));
    lane_store(c->friction_mass[2] + at, lane_mul(xx, inverse));
    lane_vec3 old = {impulse[0], impulse[1], impulse[2]};
    lane_store(c->friction_impulse[0] + at, lane_mul(scale, lane_vec3_dot(old, t1)));
    lane_store(c->friction_impulse[1] + at, lane_mul(scale, lane_vec3_dot(old, t2)));
    lane_store(c->friction + at, mu);

    prepare_row twist = {lane_vec3_negate(lane_whiten(&s->a, n)), lane_whiten(&s->b, n)};
    lane_vec3_store(c->twist_a, twist.a, at);
    lane_vec3_store(c->twist_b, twist.b, at);
    lane_store(c->twist_mass + at, lane_inverse_or_zero(prepare_dot(s, &twist, &twist, lane_zero())));
    lane_store(c->twist_impulse + at, lane_mul(scale, impulse[3]));

    if (!rare)
        return;
    lane_store(rare->share_a + at, s->share_a);
    lane_store(rare->share_b + at, s->share_b);
    /* The reduced mass of the pair carries the representative load [Spook 43-44]. */
    lane pair = lane_fma(s->b.lin, s->b.lin, lane_mul(s->a.lin, s->a.lin));
    lane load = lane_mul(lane_mul(mu, lane_set(gravity)), lane_inverse_or_zero(pair));
    lane_store(rare->friction_box + at, load);
    if (source->is_driven) {
        lane_store(rare->driven_friction[0] + at, prepare_driven(source, t1, ra, rb, at));
        lane_store(rare->driven_friction[1] + at, prepare_driven(source, t2, ra, rb, at));
        lane_vec3 wa = {lane_load(source->driven[1][0] + at), lane_load(source->driven[1][1] + at),
                        lane_load(source->driven[1][2] + at)};
        lane_vec3 wb = {lane_load(source->driven[3][0] + at), lane_load(source->driven[3][1] + at),
                        lane_load(source->driven[3][2] + at)};
        lane_store(rare->driven_twist + at, lane_sub(lane_vec3_dot(n, wb), lane_vec3_dot(n, wa)));
    }
}

/* Lanes [at, at + DRY_LANES) of one bundle. */
LANE_INLINE void prepare_lanes(const dry_contact_source *source, dry_contact_bundle *c,
                               dry_contact_bundle_rare *rare, dry_contact_speeds *speeds,
                               const dry_prepare *p, int at)
{
    const float *m[DRY_LANES], *qb[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        m[i] = &source->manifold[at + i]->points[0].anchor_b.x;
        qb[i] = &source->orientation_b[at + i]->x;
    }
    lane turn_b[4], friction[4], impulse[4];
    lane_gather4(qb, 0, turn_b);
    lane_gather4(m, offsetof(dry_manifold, friction_impulse) / 4, friction);
    lane_gather4(m, offsetof(dry_manifold, impulse) / 4, impulse);

    prepare_sides s;
    s.a = lane_gather_whitening(p->whitening, c->row_a + at);
    s.b = lane_gather_whitening(p->whitening, c->row_b + at);
    s.share_a = p->split_masses ? s.a.share : lane_set(1.0f);
    s.share_b = p->split_masses ? s.b.share : lane_set(1.0f);
    s.lin = lane_fma(lane_mul(s.b.lin, s.b.lin), s.share_b, lane_mul(lane_mul(s.a.lin, s.a.lin), s.share_a));
    lane_store(c->lin_a + at, s.a.lin);
    lane_store(c->lin_b + at, s.b.lin);

    lane_vec3 n = {lane_load(source->normal[0] + at), lane_load(source->normal[1] + at),
                   lane_load(source->normal[2] + at)};
    lane rise = lane_load(source->rise + at);
    lane_vec3_store(c->normal, n, at);
    lane_vec3 apart = {lane_load(source->apart[0] + at), lane_load(source->apart[1] + at),
                       lane_load(source->apart[2] + at)};
    lane_velocity va, vb;
    lane_gather_velocity(p->rows, c->row_a + at, &va);
    lane_gather_velocity(p->rows, c->row_b + at, &vb);
    lane_vec3 drift = {lane_fnma(s.a.lin, va.ul[0], lane_mul(s.b.lin, vb.ul[0])),
                       lane_fnma(s.a.lin, va.ul[1], lane_mul(s.b.lin, vb.ul[1])),
                       lane_fnma(s.a.lin, va.ul[2], lane_mul(s.b.lin, vb.ul[2]))};
    lane_vec3 spin_a = {va.ua[0], va.ua[1], va.ua[2]}, spin_b = {vb.ua[0], vb.ua[1], vb.ua[2]};
    lane closing = lane_vec3_dot(n, drift);

    lane scale = lane_load(source->impulse_scale + at), count = lane_load(source->count + at);
    lane fastest = lane_zero();
    lane_vec3 lever[4], center = {lane_zero(), lane_zero(), lane_zero()};
    prepare_row rows[4];
    lane mass[4], present[4];
    for (int i = 0; i < 4; i++) {
        lane point[4];
        lane_gather4(m, 4 * i, point);
        lane_mask here = lane_less(lane_set((float)i), count);
        present[i] = lane_select(here, lane_set(1.0f), lane_zero());
        lane_vec3 rb = lane_turn(turn_b, (lane_vec3){point[0], point[1], point[2]});
        lane separation = lane_sub(lane_add(rise, lane_vec3_dot(n, rb)), point[3]);
        rb = lane_vec3_add_scaled(rb, lane_mul(lane_set(-0.5f), separation), n);
        lever[i] = rb;
        center = lane_vec3_add_scaled(center, present[i], rb);
        lane_vec3 ra = lane_vec3_add(apart, rb);
        rows[i] = prepare_row_of(&s, n, ra, rb);
        mass[i] = lane_mul(present[i], lane_inverse_or_zero(prepare_dot(&s, &rows[i], &rows[i], s.lin)));
        lane_vec3_store(c->ang_a[i], rows[i].a, at);
        lane_vec3_store(c->ang_b[i], rows[i].b, at);
        lane_store(c->separation[i] + at, lane_mul(present[i], separation));
        lane_store(c->impulse[i] + at, lane_mul(lane_mul(scale, present[i]), impulse[i]));
        lane approach =
            lane_add(lane_vec3_dot(rows[i].b, spin_b), lane_add(lane_vec3_dot(rows[i].a, spin_a), closing));
        if (source->is_driven) {
            lane driven = prepare_driven(source, n, ra, rb, at);
            approach = lane_add(approach, driven);
            if (rare)
                lane_store(rare->driven_normal[i] + at, driven);
        }
        approach = lane_mul(present[i], approach);
        fastest = lane_min(fastest, approach);
        if (rare) {
            lane_store(rare->approach[i] + at, approach);
            lane_store(rare->met[i] + at, approach);
            lane_store(rare->peak[i] + at, lane_zero());
        }
    }
    lane_store(speeds->fastest + at, fastest);

    /* Points are solved two by two from the same motion. Where both push the same way (S_ij > 0) each would
     * do the other's work again, so a row's diagonal grows by that; across a patch S_ij is negative and
     * nothing changes. */
    for (int i = 0; i < 4; i += 2) {
        lane coupling = prepare_dot(&s, &rows[i], &rows[i + 1], s.lin);
        coupling = lane_mul(lane_max(coupling, lane_zero()), lane_mul(present[i], present[i + 1]));
        for (int k = i; k < i + 2; k++)
            lane_store(c->inverse_mass[k] + at,
                       lane_div(mass[k], lane_fma(mass[k], coupling, lane_set(1.0f))));
    }
    lane inverse_count = lane_div(lane_set(1.0f), lane_max(count, lane_set(1.0f)));
    center = lane_vec3_scale(center, inverse_count);
    lane reach = lane_zero();
    for (int i = 0; i < 4; i++) {
        lane_vec3 off = lane_vec3_add_scaled(lever[i], lane_set(-1.0f), center);
        reach = lane_fma(present[i], lane_sqrt(lane_vec3_dot(off, off)), reach);
    }
    lane_store(c->reach + at, lane_mul(reach, inverse_count));
    prepare_friction(source, c, rare, &s, friction, n, lane_vec3_add(apart, center), center, p->gravity, at);
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
