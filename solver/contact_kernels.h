/* Contact kernels: what one sweep does to sixteen manifolds. Compiled once per instruction set.
 *
 * Reads a contact bundle and its bodies' rows; writes impulses and velocities. One body of code serves
 * every variant through `contact_mode`, whose fields are constants at each call, so that the compiler
 * leaves only what the variant needs. Included by kernels.c alone. */
#ifndef SOLVER_CONTACT_KERNELS_H
#define SOLVER_CONTACT_KERNELS_H

#include "core/memory.h"
#include "simd/gather.h"
#include "simd/kernel_list.h"
#include "solver/bundles.h"

typedef struct contact_mode {
    bool position; /* with the position term: solve; without: relax */
    bool spook;    /* stiffness as k [Spook 9-11] instead of as a frequency */
    bool jacobi;   /* read rows, write sums, bodies' masses split */
    dry_friction friction;
} contact_mode;

/* The relative motion of one bundle's bodies while a sweep works on it. */
typedef struct contact_motion {
    lane rl[3];        /* relative linear velocity, m/s */
    lane aa[3], ab[3]; /* whitened angular velocities */
    lane lin;          /* 1/m_a + 1/m_b (times the shares), 1/kg */
    lane push[3];      /* linear impulse given so far, on b */
    lane share_a, share_b;
} contact_motion;

#define LOAD(field) lane_load((field) + at)

LANE_INLINE lane lane_dot3(dry_lanes *a, const lane b[3], int at, lane start)
{
    return lane_fma(LOAD(a[2]), b[2], lane_fma(LOAD(a[1]), b[1], lane_fma(LOAD(a[0]), b[0], start)));
}

/* start + g . u of the angular parts, both sides at the same time: a sweep mostly waits for the chain of
 * operations from one row's speed to the next's. */
LANE_INLINE lane contact_dot(dry_lanes *row_a, dry_lanes *row_b, const lane a[3], const lane b[3], lane start,
                             int at)
{
    return lane_add(lane_dot3(row_a, a, at, lane_zero()), lane_dot3(row_b, b, at, start));
}

LANE_INLINE void lane_add_scaled3(lane v[3], dry_lanes *a, lane s, int at)
{
    for (int i = 0; i < 3; i++)
        v[i] = lane_fma(LOAD(a[i]), s, v[i]);
}

/* u += g dlambda for the angular parts [Spook 34]; with split masses the copies move `share` times as far. */
LANE_INLINE void contact_turn(contact_motion *m, dry_lanes *row_a, dry_lanes *row_b, lane d,
                              contact_mode mode, int at)
{
    lane_add_scaled3(m->aa, row_a, mode.jacobi ? lane_mul(d, m->share_a) : d, at);
    lane_add_scaled3(m->ab, row_b, mode.jacobi ? lane_mul(d, m->share_b) : d, at);
}

LANE_INLINE void contact_tangents(dry_contact_bundle *c, int at, lane t1[3], lane t2[3])
{
    lane n[3];
    for (int i = 0; i < 3; i++)
        n[i] = LOAD(c->normal[i]), t1[i] = LOAD(c->tangent[i]);
    t2[0] = lane_fnma(n[2], t1[1], lane_mul(n[1], t1[2]));
    t2[1] = lane_fnma(n[0], t1[2], lane_mul(n[2], t1[0]));
    t2[2] = lane_fnma(n[1], t1[0], lane_mul(n[0], t1[1]));
}

LANE_INLINE lane lane_dot(const lane a[3], const lane b[3])
{
    return lane_fma(a[2], b[2], lane_fma(a[1], b[1], lane_mul(a[0], b[0])));
}

/* Friction at the patch's centre within mu times the normal impulses, then torsion about the normal. */
LANE_INLINE void contact_friction(dry_contact_bundle *c, dry_contact_bundle_rare *rare, const dry_sweep *s,
                                  contact_motion *m, lane normal_impulse, contact_mode mode, int at)
{
    lane t1[3], t2[3];
    contact_tangents(c, at, t1, t2);
    lane v1 = lane_add(contact_dot(c->friction_a[0], c->friction_b[0], m->aa, m->ab, lane_zero(), at),
                       lane_dot(m->rl, t1));
    lane v2 = lane_add(contact_dot(c->friction_a[1], c->friction_b[1], m->aa, m->ab, lane_zero(), at),
                       lane_dot(m->rl, t2));
    if (rare->flags & DRY_BUNDLE_DRIVEN) {
        v1 = lane_add(v1, LOAD(rare->driven_friction[0]));
        v2 = lane_add(v2, LOAD(rare->driven_friction[1]));
    }
    lane old1 = LOAD(c->friction_impulse[0]), old2 = LOAD(c->friction_impulse[1]);
    lane mu = LOAD(c->friction);
    lane limit = lane_mul(mu, normal_impulse);
    lane f1, f2;
    if (mode.friction == DRY_FRICTION_VELOCITY) {
        /* Against the sliding that would remain with no friction at all; its size is the impulse that
         * would stop it, at most mu N [Spook p. 9, as 4-5]. */
        lane k = lane_set(0.5f);
        lane mass = lane_mul(k, lane_add(LOAD(c->friction_mass[0]), LOAD(c->friction_mass[2])));
        lane w1 = lane_fnma(mass, v1, old1), w2 = lane_fnma(mass, v2, old2);
        f1 = w1, f2 = w2;
    } else {
        lane xx = LOAD(c->friction_mass[0]), xy = LOAD(c->friction_mass[1]), yy = LOAD(c->friction_mass[2]);
        f1 = lane_fnma(xx, v1, lane_fnma(xy, v2, old1));
        f2 = lane_fnma(yy, v2, lane_fnma(xy, v1, old2));
    }
    if (mode.friction == DRY_FRICTION_SCALED_BOX) {
        lane box = lane_mul(LOAD(rare->friction_box), lane_set(s->substep));
        box = lane_select(lane_less(lane_zero(), normal_impulse), box, lane_zero());
        lane low = lane_negate(box);
        f1 = lane_max(low, lane_min(f1, box));
        f2 = lane_max(low, lane_min(f2, box));
    } else {
        /* Where nothing in the bundle slides under load, which is the usual case at rest, the root and the
         * quotient are spared. */
        lane square = lane_fma(f2, f2, lane_mul(f1, f1));
        lane_mask slides = lane_less(lane_mul(limit, limit), square);
        lane_mask scaled = lane_mask_and(slides, lane_less(lane_zero(), limit));
        lane cut1 = lane_zero(), cut2 = lane_zero();
        if (lane_any(scaled)) {
            lane scale = lane_div(limit, lane_sqrt(lane_select(scaled, square, lane_set(1.0f))));
            cut1 = lane_select(scaled, lane_mul(f1, scale), cut1);
            cut2 = lane_select(scaled, lane_mul(f2, scale), cut2);
        }
        f1 = lane_select(slides, cut1, f1);
        f2 = lane_select(slides, cut2, f2);
    }
    lane d1 = lane_sub(f1, old1), d2 = lane_sub(f2, old2);
    lane_store(c->friction_impulse[0] + at, f1);
    lane_store(c->friction_impulse[1] + at, f2);
    for (int i = 0; i < 3; i++) {
        lane push = lane_fma(t2[i], d2, lane_mul(t1[i], d1));
        m->push[i] = push;
        m->rl[i] = lane_fma(m->lin, push, m->rl[i]);
    }
    contact_turn(m, c->friction_a[0], c->friction_b[0], d1, mode, at);
    contact_turn(m, c->friction_a[1], c->friction_b[1], d2, mode, at);

    lane spin = contact_dot(c->twist_a, c->twist_b, m->aa, m->ab, lane_zero(), at);
    if (rare->flags & DRY_BUNDLE_DRIVEN)
        spin = lane_add(spin, LOAD(rare->driven_twist));
    lane old = LOAD(c->twist_impulse);
    lane twist_limit = lane_mul(limit, LOAD(c->reach));
    lane twist = lane_fnma(LOAD(c->twist_mass), spin, old);
    twist = lane_max(lane_negate(twist_limit), lane_min(twist, twist_limit));
    lane_store(c->twist_impulse + at, twist);
    contact_turn(m, c->twist_a, c->twist_b, lane_sub(twist, old), mode, at);
}

/* One normal row's new total impulse and its change from the motion as it stands [Spook 27-32]. */
LANE_INLINE lane contact_normal(dry_contact_bundle *c, dry_contact_bundle_rare *rare, const dry_sweep *s,
                                const contact_motion *m, lane vn, lane dn, const lane_displacement *da,
                                const lane_displacement *db, contact_mode mode, int i, int at)
{
    lane v = contact_dot(c->ang_a[i], c->ang_b[i], m->aa, m->ab, vn, at);
    lane q = contact_dot(c->ang_a[i], c->ang_b[i], da->da, db->da, lane_add(LOAD(c->separation[i]), dn), at);
    if (rare->flags & DRY_BUNDLE_DRIVEN) {
        lane driven = LOAD(rare->driven_normal[i]);
        v = lane_add(v, driven);
        q = lane_fma(driven, lane_set(s->time), q);
    }
    lane old = LOAD(c->impulse[i]);
    lane mass = LOAD(c->inverse_mass[i]);
    lane_mask gap = lane_less(lane_zero(), q);
    lane wanted;
    if (mode.position) {
        /* dlambda = -(g.u + a q - (1 - b) g.u0 + eps lambda) / (S + eps) [Spook 27]. A gap may close
         * within the substep, and is rigid. */
        lane overlap = lane_max(lane_mul(lane_set(s->rate), q), lane_set(-s->push_speed_max));
        lane bias = lane_select(gap, lane_mul(lane_set(s->rate_free), q), overlap);
        if (rare->flags & DRY_BUNDLE_IMPACT)
            lane_store(rare->met[i] + at, lane_min(LOAD(rare->met[i]), v));
        lane mass_scale, impulse_scale;
        if (mode.spook) {
            lane eps = lane_mul(lane_set(s->softness), mass);
            mass_scale = lane_div(lane_set(1.0f), lane_add(lane_set(1.0f), eps));
            impulse_scale = lane_mul(eps, mass_scale);
            lane carried = lane_mul(lane_set(s->approach_scale), LOAD(rare->approach[i]));
            bias = lane_sub(bias, lane_select(gap, lane_zero(), carried));
        } else {
            mass_scale = lane_set(s->mass_scale);
            impulse_scale = lane_set(s->impulse_scale);
        }
        mass_scale = lane_select(gap, lane_set(1.0f), mass_scale);
        impulse_scale = lane_select(gap, lane_zero(), impulse_scale);
        lane scaled = lane_mul(mass, mass_scale);
        wanted = lane_fnma(scaled, v, lane_fnma(scaled, bias, lane_fnma(impulse_scale, old, old)));
    } else {
        lane bias = lane_select(gap, lane_mul(lane_set(s->rate_free), q), lane_zero());
        wanted = lane_fnma(mass, v, lane_fnma(mass, bias, old));
    }
    /* The total must not pull [Spook 32]. */
    lane total = lane_max(wanted, lane_zero());
    lane_store(c->impulse[i] + at, total);
    if (rare->flags & DRY_BUNDLE_IMPACT)
        lane_store(rare->peak[i] + at, lane_max(LOAD(rare->peak[i]), total));
    return lane_sub(total, old);
}

/* The normal rows, two by two. Points 0 and 1, 2 and 3 lie across the patch from each other; each pair sees
 * the same motion, so that a flat landing gives equal impulses and stays flat: taken one by one, the first
 * point's share is larger, and the tilt grows from step to step. The points share the normal, so the
 * relative linear velocity along it is one number that goes from pair to pair. */
LANE_INLINE lane contact_normals(dry_contact_bundle *c, dry_contact_bundle_rare *rare, const dry_sweep *s,
                                 contact_motion *m, const lane_displacement *da, const lane_displacement *db,
                                 const lane rd[3], contact_mode mode, int at)
{
    lane vn = lane_dot3(c->normal, m->rl, at, lane_zero());
    lane dn = lane_dot3(c->normal, rd, at, lane_zero());
    lane given = lane_zero();
    for (int i = 0; i < 4; i += 2) {
        lane d0 = contact_normal(c, rare, s, m, vn, dn, da, db, mode, i, at);
        lane d1 = contact_normal(c, rare, s, m, vn, dn, da, db, mode, i + 1, at);
        contact_turn(m, c->ang_a[i], c->ang_b[i], d0, mode, at);
        contact_turn(m, c->ang_a[i + 1], c->ang_b[i + 1], d1, mode, at);
        lane d = lane_add(d0, d1);
        vn = lane_fma(m->lin, d, vn);
        given = lane_add(given, d);
    }
    return given;
}

LANE_INLINE lane contact_normal_impulse(dry_contact_bundle *c, int at)
{
    return lane_add(lane_add(LOAD(c->impulse[0]), LOAD(c->impulse[1])),
                    lane_add(LOAD(c->impulse[2]), LOAD(c->impulse[3])));
}

LANE_INLINE void contact_gather(dry_contact_bundle *c, dry_contact_bundle_rare *rare, const dry_sweep *s,
                                lane_velocity *va, lane_velocity *vb, lane_displacement *da,
                                lane_displacement *db, lane rd[3], contact_motion *m, contact_mode mode,
                                int at)
{
    lane_gather_both(s->rows, c->row_a + at, va, da);
    lane_gather_both(s->rows, c->row_b + at, vb, db);
    lane la = LOAD(c->lin_a), lb = LOAD(c->lin_b);
    for (int i = 0; i < 3; i++) {
        m->rl[i] = lane_fnma(la, va->ul[i], lane_mul(lb, vb->ul[i]));
        rd[i] = lane_fnma(la, da->dl[i], lane_mul(lb, db->dl[i]));
        m->aa[i] = va->ua[i];
        m->ab[i] = vb->ua[i];
        m->push[i] = lane_zero();
    }
    lane ia = lane_mul(la, la), ib = lane_mul(lb, lb);
    if (mode.jacobi) {
        m->share_a = LOAD(rare->share_a);
        m->share_b = LOAD(rare->share_b);
        ia = lane_mul(ia, m->share_a);
        ib = lane_mul(ib, m->share_b);
    }
    m->lin = lane_add(ia, ib);
}

LANE_INLINE void contact_scatter(dry_contact_bundle *c, const dry_sweep *s, lane_velocity *va,
                                 lane_velocity *vb, const contact_motion *m, contact_mode mode, int at)
{
    lane la = LOAD(c->lin_a), lb = LOAD(c->lin_b);
    if (mode.jacobi) {
        /* Averaging the copies: their linear parts together got one push, their angular parts moved
         * `share` times too far. */
        lane_velocity sa, sb;
        lane_displacement unused;
        lane_gather_both(s->sums, c->row_a + at, &sa, &unused);
        lane_gather_both(s->sums, c->row_b + at, &sb, &unused);
        for (int i = 0; i < 3; i++) {
            sa.ul[i] = lane_fnma(la, m->push[i], sa.ul[i]);
            sb.ul[i] = lane_fma(lb, m->push[i], sb.ul[i]);
            sa.ua[i] = lane_add(sa.ua[i], lane_div(lane_sub(m->aa[i], va->ua[i]), m->share_a));
            sb.ua[i] = lane_add(sb.ua[i], lane_div(lane_sub(m->ab[i], vb->ua[i]), m->share_b));
        }
        lane_scatter_velocity(s->sums, c->row_a + at, &sa);
        lane_scatter_velocity(s->sums, c->row_b + at, &sb);
        return;
    }
    for (int i = 0; i < 3; i++) {
        va->ul[i] = lane_fnma(la, m->push[i], va->ul[i]);
        vb->ul[i] = lane_fma(lb, m->push[i], vb->ul[i]);
        va->ua[i] = m->aa[i];
        vb->ua[i] = m->ab[i];
    }
    lane_scatter_velocity(s->rows, c->row_a + at, va);
    lane_scatter_velocity(s->rows, c->row_b + at, vb);
}

/* Where a class's bundles do not fit into the last cache, a sweep waits for memory: processors do not fetch
 * past the end of a page, and a bundle is longer than one. So it fetches the bundle after the next, and the
 * rows of the next, whose numbers are there by now. */
LANE_INLINE void contact_fetch(const dry_contact_bundle *c, int left, const dry_sweep *s)
{
    if (!s->fetches)
        return;
    if (left > 2)
        for (size_t line = 0; line < sizeof *c; line += DRY_CACHE_LINE)
            __builtin_prefetch((const char *)&c[2] + line);
    if (left > 1)
        for (int i = 0; i < DRY_BUNDLE; i++) {
            __builtin_prefetch(&s->rows[c[1].row_a[i]]);
            __builtin_prefetch(&s->rows[c[1].row_b[i]]);
        }
}

LANE_INLINE void contact_sweep(dry_contact_bundle *bundles, dry_contact_bundle_rare *rares, int begin,
                               int end, const dry_sweep *s, contact_mode mode)
{
    for (int b = begin; b < end; b++) {
        dry_contact_bundle *c = &bundles[b];
        dry_contact_bundle_rare *rare = &rares[s->notes[b].rare];
        contact_fetch(c, end - b, s);
        const int lanes = s->notes[b].lanes;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES) {
            lane_velocity va, vb;
            lane_displacement da, db;
            lane rd[3];
            contact_motion m;
            contact_gather(c, rare, s, &va, &vb, &da, &db, rd, &m, mode, at);
            lane before = contact_normal_impulse(c, at);
            lane given;
            if (mode.friction == DRY_FRICTION_TWO_PHASE || !mode.position) {
                /* Normal impulses first, friction within what they then are [Spook p. 9]. Relaxing always
                 * goes this way: solve and relax are then each other's mirror, and a high pyramid settles
                 * where friction first in both kept it trembling (docs/decisions.md). */
                given = contact_normals(c, rare, s, &m, &da, &db, rd, mode, at);
                for (int i = 0; i < 3; i++)
                    m.rl[i] = lane_fma(lane_mul(LOAD(c->normal[i]), m.lin), given, m.rl[i]);
                contact_friction(c, rare, s, &m, contact_normal_impulse(c, at), mode, at);
            } else {
                contact_friction(c, rare, s, &m, before, mode, at);
                given = contact_normals(c, rare, s, &m, &da, &db, rd, mode, at);
            }
            for (int i = 0; i < 3; i++)
                m.push[i] = lane_fma(LOAD(c->normal[i]), given, m.push[i]);
            contact_scatter(c, s, &va, &vb, &m, mode, at);
        }
    }
}

/* Applies the impulses that the bundles hold: the first substep's warm start. */
LANE_INLINE void contact_warm_sweep(dry_contact_bundle *bundles, int begin, int end, const dry_sweep *s)
{
    const contact_mode mode = {0};
    for (int b = begin; b < end; b++) {
        dry_contact_bundle *c = &bundles[b];
        contact_fetch(c, end - b, s);
        const int lanes = s->notes[b].lanes;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES) {
            lane_velocity va, vb;
            lane_gather_velocity(s->rows, c->row_a + at, &va);
            lane_gather_velocity(s->rows, c->row_b + at, &vb);
            contact_motion m;
            for (int i = 0; i < 3; i++)
                m.aa[i] = va.ua[i], m.ab[i] = vb.ua[i];
            lane t1[3], t2[3];
            contact_tangents(c, at, t1, t2);
            lane f1 = LOAD(c->friction_impulse[0]), f2 = LOAD(c->friction_impulse[1]);
            lane normal = contact_normal_impulse(c, at);
            for (int i = 0; i < 3; i++)
                m.push[i] = lane_fma(t2[i], f2, lane_fma(t1[i], f1, lane_mul(LOAD(c->normal[i]), normal)));
            contact_turn(&m, c->friction_a[0], c->friction_b[0], f1, mode, at);
            contact_turn(&m, c->friction_a[1], c->friction_b[1], f2, mode, at);
            contact_turn(&m, c->twist_a, c->twist_b, LOAD(c->twist_impulse), mode, at);
            for (int i = 0; i < 4; i++)
                contact_turn(&m, c->ang_a[i], c->ang_b[i], LOAD(c->impulse[i]), mode, at);
            contact_scatter(c, s, &va, &vb, &m, mode, at);
        }
    }
}

/* One point of an impact: its change of impulse. */
LANE_INLINE lane contact_impact_point(dry_contact_bundle *c, dry_contact_bundle_rare *rare,
                                      const dry_sweep *s, const contact_motion *m, lane vn, int i, int at)
{
    lane v = contact_dot(c->ang_a[i], c->ang_b[i], m->aa, m->ab, vn, at);
    if (rare->flags & DRY_BUNDLE_DRIVEN)
        v = lane_add(v, LOAD(rare->driven_normal[i]));
    lane met = LOAD(rare->met[i]), e = LOAD(rare->restitution);
    lane old = LOAD(c->impulse[i]);
    lane_mask hit =
        lane_mask_and(lane_less(met, lane_set(-s->restitution_speed)),
                      lane_mask_and(lane_less(lane_zero(), LOAD(rare->peak[i])), lane_less(lane_zero(), e)));
    lane wanted = lane_fnma(LOAD(c->inverse_mass[i]), lane_fma(e, met, v), old);
    lane total = lane_select(hit, lane_max(wanted, lane_zero()), old);
    lane_store(c->impulse[i] + at, total);
    return lane_sub(total, old);
}

/* Points of one manifold pull at each other: after one pass a box that lands flat leaves tilted, with 7 % of
 * its height gone; after eight it is flat and right to 0.1 %. */
enum { CONTACT_IMPACT_PASSES = 8 };

/* Newton's law at points that met faster than the threshold and pushed: u' = -e u [Spook 1], the impulse
 * [Spook 2], then friction within the cone of what the normal gave [Spook 3-5]. */
LANE_INLINE void contact_impact_sweep(dry_contact_bundle *bundles, dry_contact_bundle_rare *rares, int begin,
                                      int end, const dry_sweep *s)
{
    const contact_mode mode = {.friction = DRY_FRICTION_CONE};
    for (int b = begin; b < end; b++) {
        dry_contact_bundle *c = &bundles[b];
        dry_contact_bundle_rare *rare = &rares[s->notes[b].rare];
        if (!(rare->flags & DRY_BUNDLE_IMPACT))
            continue;
        const int lanes = s->notes[b].lanes;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES) {
            lane_velocity va, vb;
            lane_displacement da, db;
            lane rd[3];
            contact_motion m;
            contact_gather(c, rare, s, &va, &vb, &da, &db, rd, &m, mode, at);
            lane vn = lane_dot3(c->normal, m.rl, at, lane_zero());
            lane given = lane_zero();
            for (int pass = 0; pass < 2 * CONTACT_IMPACT_PASSES; pass++) {
                int i = pass % 2 * 2;
                lane d0 = contact_impact_point(c, rare, s, &m, vn, i, at);
                lane d1 = contact_impact_point(c, rare, s, &m, vn, i + 1, at);
                contact_turn(&m, c->ang_a[i], c->ang_b[i], d0, mode, at);
                contact_turn(&m, c->ang_a[i + 1], c->ang_b[i + 1], d1, mode, at);
                lane d = lane_add(d0, d1);
                vn = lane_fma(m.lin, d, vn);
                given = lane_add(given, d);
            }
            lane n[3];
            for (int i = 0; i < 3; i++) {
                n[i] = LOAD(c->normal[i]);
                m.rl[i] = lane_fma(lane_mul(n[i], m.lin), given, m.rl[i]);
            }
            contact_friction(c, rare, s, &m, contact_normal_impulse(c, at), mode, at);
            for (int i = 0; i < 3; i++)
                m.push[i] = lane_fma(n[i], given, m.push[i]);
            contact_scatter(c, s, &va, &vb, &m, mode, at);
        }
    }
}

#endif
