/* Contact kernels: what one sweep does to sixteen manifolds. Compiled once per instruction set.
 *
 * Reads a contact bundle and its bodies' rows; writes impulses and velocities. The rules for impulses are
 * here, what they do to the bodies in contact_motion.h. One body of code serves every variant through
 * `contact_mode`, whose fields are constants at each call, so that the compiler leaves only what the variant
 * needs. Included by kernels.c alone. */
#ifndef SOLVER_CONTACTS_KERNELS_H
#define SOLVER_CONTACTS_KERNELS_H

#include "core/memory.h"
#include "solver/contacts/motion.h"

typedef struct contact_mode {
    bool position; /* with the position term: solve; without: relax */
    bool spook;    /* stiffness as k [Spook 9-11] instead of as a frequency */
    bool jacobi;   /* read rows, write sums, bodies' masses split */
    dry_friction friction;
} contact_mode;

/* Friction at the patch's centre within mu times the normal impulses, then torsion about the normal. */
LANE_INLINE void contact_friction(dry_contact_bundle *c, dry_contact_bundle_rare *rare, const dry_sweep *s,
                                  contact_motion *m, lane normal_impulse, contact_mode mode, int at)
{
    lane slip[2];
    contact_slip(m, slip, at);
    lane v1 = slip[T1], v2 = slip[T2];
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
    contact_give_friction(m, d1, d2, mode.jacobi, at);

    lane spin = contact_twist(m, at);
    if (rare->flags & DRY_BUNDLE_DRIVEN)
        spin = lane_add(spin, LOAD(rare->driven_twist));
    lane old = LOAD(c->twist_impulse);
    lane twist_limit = lane_mul(limit, LOAD(c->reach));
    lane twist = lane_fnma(contact_twist_mass(m, mode.jacobi, at), spin, old);
    twist = lane_max(lane_negate(twist_limit), lane_min(twist, twist_limit));
    lane_store(c->twist_impulse + at, twist);
    contact_give_twist(m, lane_sub(twist, old), mode.jacobi, at);
}

/* One normal row's new total impulse at speed v and separation q [Spook 27-32]; returns its change. */
LANE_INLINE lane contact_normal(dry_contact_bundle *c, dry_contact_bundle_rare *rare, const dry_sweep *s,
                                lane v, lane q, contact_mode mode, int i, int at)
{
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
 * point's share is larger, and the tilt grows from step to step. What the first pair changes at the second
 * comes from their couplings: by way of the bodies it would take twice as long. */
LANE_INLINE void contact_normals(dry_contact_bundle *c, dry_contact_bundle_rare *rare, const dry_sweep *s,
                                 contact_motion *m, contact_mode mode, int at)
{
    contact_points p = contact_points_of(c, at);
    contact_tilt speed = contact_speed(m, at);
    lane d[4];
    for (int k = 0; k < 4; k++) {
        lane v = contact_tilt_at(speed, p.x[k], p.y[k]);
        if (k > 1) /* each product rounded, as in lane_dot4 */
            v = lane_add(v, lane_add(lane_mul(LOAD(c->coupling[0][k - 2]), d[0]),
                                     lane_mul(LOAD(c->coupling[1][k - 2]), d[1])));
        lane q = lane_add(LOAD(c->separation[k]), contact_tilt_at(m->gap, p.x[k], p.y[k]));
        d[k] = contact_normal(c, rare, s, v, q, mode, k, at);
    }
    contact_give_normals(m, &p, d, mode.jacobi, at);
}

LANE_INLINE lane contact_normal_impulse(dry_contact_bundle *c, int at)
{
    return lane_add(lane_add(LOAD(c->impulse[0]), LOAD(c->impulse[1])),
                    lane_add(LOAD(c->impulse[2]), LOAD(c->impulse[3])));
}

/* Where a class's bundles do not fit into the last cache, a sweep waits for memory: processors do not fetch
 * past the end of a page, and a bundle is most of one. So it fetches the bundle after the next, and the
 * rows of the next, whose numbers are there by now; past the end of its range too, for what follows there is
 * mostly its worker's next. */
LANE_INLINE void contact_fetch(const dry_contact_bundle *c, int b, const dry_sweep *s)
{
    if (b + 2 < s->fetch_end)
        for (size_t line = 0; line < sizeof *c; line += DRY_CACHE_LINE)
            __builtin_prefetch((const char *)&c[2] + line);
    if (s->fetch_rows && b + 1 < s->fetch_end)
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
        contact_fetch(c, b, s);
        const int lanes = s->notes[b].lanes;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES) {
            contact_motion m;
            contact_begin(&m, c, at);
            contact_gather(&m, c, rare, s, mode.jacobi, at);
            if (mode.friction == DRY_FRICTION_TWO_PHASE || !mode.position) {
                /* Normal impulses first, friction within what they then are [Spook p. 9]. Relaxing always
                 * goes this way: solve and relax are then each other's mirror, and a high pyramid settles
                 * where friction first in both kept it trembling (docs/decisions.md). */
                contact_normals(c, rare, s, &m, mode, at);
                contact_friction(c, rare, s, &m, contact_normal_impulse(c, at), mode, at);
            } else {
                contact_friction(c, rare, s, &m, contact_normal_impulse(c, at), mode, at);
                contact_normals(c, rare, s, &m, mode, at);
            }
            contact_scatter(&m, c, s, mode.jacobi, at);
        }
    }
}

/* Applies the impulses that the bundles hold: the first substep's warm start. */
LANE_INLINE void contact_warm_sweep(dry_contact_bundle *bundles, int begin, int end, const dry_sweep *s)
{
    for (int b = begin; b < end; b++) {
        dry_contact_bundle *c = &bundles[b];
        contact_fetch(c, b, s);
        const int lanes = s->notes[b].lanes;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES) {
            contact_motion m = {.lin = lane_zero()};
            contact_begin(&m, c, at);
            lane_gather_velocity(s->rows, c->row_a + at, &m.a.velocity);
            lane_gather_velocity(s->rows, c->row_b + at, &m.b.velocity);
            contact_points p = contact_points_of(c, at);
            const lane d[4] = {LOAD(c->impulse[0]), LOAD(c->impulse[1]), LOAD(c->impulse[2]),
                               LOAD(c->impulse[3])};
            contact_give_normals(&m, &p, d, false, at);
            contact_give_friction(&m, LOAD(c->friction_impulse[0]), LOAD(c->friction_impulse[1]), false, at);
            contact_give_twist(&m, LOAD(c->twist_impulse), false, at);
            contact_scatter(&m, c, s, false, at);
        }
    }
}

/* One point of an impact at speed v: its change of impulse. */
LANE_INLINE lane contact_impact_point(dry_contact_bundle *c, dry_contact_bundle_rare *rare,
                                      const dry_sweep *s, lane v, int i, int at)
{
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
            contact_motion m;
            contact_begin(&m, c, at);
            contact_gather(&m, c, rare, s, mode.jacobi, at);
            contact_points p = contact_points_of(c, at);
            for (int pass = 0; pass < 2 * CONTACT_IMPACT_PASSES; pass++) {
                int i = pass % 2 * 2;
                contact_tilt speed = contact_speed(&m, at);
                lane d[4] = {lane_zero(), lane_zero(), lane_zero(), lane_zero()};
                for (int k = i; k < i + 2; k++)
                    d[k] = contact_impact_point(c, rare, s, contact_tilt_at(speed, p.x[k], p.y[k]), k, at);
                contact_give_normals(&m, &p, d, mode.jacobi, at);
            }
            contact_friction(c, rare, s, &m, contact_normal_impulse(c, at), mode, at);
            contact_scatter(&m, c, s, mode.jacobi, at);
        }
    }
}

#endif
