/* Contact kernels: what one sweep does to sixteen manifolds. Compiled once per instruction set.
 *
 * Reads a contact bundle and its bodies' rows; writes impulses and velocities. The rules for normal impulses
 * are here, those for friction in friction.h, and the effect of impulses on the bodies in motion.h. Included
 * by kernels.c alone. */
#ifndef SOLVER_CONTACTS_SWEEP_KERNELS_H
#define SOLVER_CONTACTS_SWEEP_KERNELS_H

#include "core/memory.h"
#include "solver/contacts/friction.h"

/* Solves one normal row at velocity v and separation q [Spook 27-32]. Returns the change of its impulse. */
LANE_INLINE lane contact_solve_point(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                     lane v, lane q, contact_mode mode, int i, int at)
{
    if (cold->flags & DRY_BUNDLE_KINEMATIC) {
        lane added = LOAD(cold->kinematic_normal[i]);
        v = lane_add(v, added);
        q = lane_fma(added, lane_set(s->time), q);
    }
    lane old = LOAD(c->impulse[i]);
    lane mass = LOAD(c->inverse_mass[i]);
    lane_mask open = lane_less(lane_zero(), q);
    lane wanted;
    if (mode.position) {
        /* dlambda = -(g.u + a q - (1 - b) g.u0 + eps lambda) / (S + eps) [Spook 27]. A gap may close
         * within the substep, and is rigid. */
        lane overlap = lane_max(lane_mul(lane_set(s->rate), q), lane_set(-s->bias_speed_max));
        lane bias = lane_select(open, lane_mul(lane_set(s->rate_free), q), overlap);
        if (cold->flags & DRY_BUNDLE_IMPACT)
            lane_store(cold->max_approach[i] + at, lane_min(LOAD(cold->max_approach[i]), v));
        lane mass_scale, impulse_scale;
        if (mode.spook) {
            lane eps = lane_mul(lane_set(s->softness), mass);
            mass_scale = lane_div(lane_set(1.0f), lane_add(lane_set(1.0f), eps));
            impulse_scale = lane_mul(eps, mass_scale);
            lane carried = lane_mul(lane_set(s->approach_scale), LOAD(cold->approach[i]));
            bias = lane_sub(bias, lane_select(open, lane_zero(), carried));
        } else {
            mass_scale = lane_set(s->mass_scale);
            impulse_scale = lane_set(s->impulse_scale);
        }
        mass_scale = lane_select(open, lane_set(1.0f), mass_scale);
        impulse_scale = lane_select(open, lane_zero(), impulse_scale);
        lane scaled = lane_mul(mass, mass_scale);
        wanted = lane_fnma(scaled, v, lane_fnma(scaled, bias, lane_fnma(impulse_scale, old, old)));
    } else {
        lane bias = lane_select(open, lane_mul(lane_set(s->rate_free), q), lane_zero());
        wanted = lane_fnma(mass, v, lane_fnma(mass, bias, old));
    }
    /* The total impulse must not attract [Spook 32]. */
    lane total = lane_max(wanted, lane_zero());
    lane_store(c->impulse[i] + at, total);
    if (cold->flags & DRY_BUNDLE_IMPACT)
        lane_store(cold->max_impulse[i] + at, lane_max(LOAD(cold->max_impulse[i]), total));
    return lane_sub(total, old);
}

/* Solves the normal rows two by two. Points 0 and 1 lie across the patch from each other, as do 2 and 3. Both
 * points of a pair see the same motion, so that a flat landing gives equal impulses and stays flat. Solved
 * one by one, the first point would take the larger share, and the body would lean more from step to step.
 * The first pair's effect on the second comes from their couplings: through the bodies it would take twice as
 * long. */
LANE_INLINE void contact_solve_normals(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                       contact_pair *m, contact_mode mode, int at)
{
    contact_points p = contact_points_of(c, at);
    contact_normal_motion speed = contact_normal_velocity(m, at);
    lane d[4];
    for (int k = 0; k < 4; k++) {
        lane v = contact_normal_motion_at(speed, p.x[k], p.y[k]);
        if (k > 1) /* each product rounded, as in contact_dot4 */
            v = lane_add(v, lane_add(lane_mul(LOAD(c->coupling[0][k - 2]), d[0]),
                                     lane_mul(LOAD(c->coupling[1][k - 2]), d[1])));
        lane q = lane_add(LOAD(c->separation[k]), contact_normal_motion_at(m->movement, p.x[k], p.y[k]));
        d[k] = contact_solve_point(c, cold, s, v, q, mode, k, at);
    }
    contact_apply_normal_impulses(m, &p, d, mode.summed, at);
}

/* Prefetches the bundle after the next one, and the rows of the next one, whose indices have arrived by now.
 * A sweep waits for memory if the tier's bundles do not fit into the last cache: processors do not prefetch
 * past the end of a page, and a bundle is most of a page. Prefetching goes past the end of a sweep's range
 * too, because the same worker mostly takes the bundles that follow. */
LANE_INLINE void contact_prefetch(const dry_contact_bundle *c, int b, const dry_sweep *s)
{
    if (b + 2 < s->prefetch_end)
        for (size_t line = 0; line < sizeof *c; line += DRY_CACHE_LINE)
            __builtin_prefetch((const char *)&c[2] + line);
    if (s->prefetch_rows && b + 1 < s->prefetch_end)
        for (int i = 0; i < DRY_BUNDLE; i++) {
            __builtin_prefetch(&s->rows[c[1].row_a[i]]);
            __builtin_prefetch(&s->rows[c[1].row_b[i]]);
        }
}

LANE_INLINE void contact_sweep(dry_contact_bundle *bundles, dry_contact_cold *cold_blocks, int begin, int end,
                               const dry_sweep *s, contact_mode mode)
{
    for (int b = begin; b < end; b++) {
        dry_contact_bundle *c = &bundles[b];
        dry_contact_cold *cold = &cold_blocks[s->headers[b].cold];
        contact_prefetch(c, b, s);
        const int lanes = s->headers[b].lanes;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES) {
            contact_pair m;
            contact_begin(&m, c, at);
            contact_gather(&m, c, cold, s, mode.summed, at);
            if (mode.frictionless) {
                contact_solve_normals(c, cold, s, &m, mode, at);
            } else if (!mode.position) {
                /* Relaxing takes normals first, and friction within their new limit. Solve and relax are then
                 * mirror images, and a high pyramid settles. With friction first in both it keeps trembling
                 * (solver/DECISIONS.md). */
                contact_solve_normals(c, cold, s, &m, mode, at);
                contact_solve_friction(c, cold, s, &m, mode, at);
                contact_solve_rolling(c, cold, &m, mode, at);
            } else {
                contact_solve_friction(c, cold, s, &m, mode, at);
                contact_solve_rolling(c, cold, &m, mode, at);
                contact_solve_normals(c, cold, s, &m, mode, at);
            }
            contact_scatter(&m, c, s, mode.summed, at);
        }
    }
}

/* Applies the impulses that the bundles hold: the first substep's warm start. */
LANE_INLINE void contact_warm_sweep(dry_contact_bundle *bundles, int begin, int end, const dry_sweep *s)
{
    for (int b = begin; b < end; b++) {
        dry_contact_bundle *c = &bundles[b];
        dry_contact_cold *cold = &s->cold[s->headers[b].cold];
        contact_prefetch(c, b, s);
        const int lanes = s->headers[b].lanes;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES) {
            contact_pair m = {.inverse_mass = lane_zero()};
            contact_begin(&m, c, at);
            lane_gather_velocity(s->rows, c->row_a + at, &m.a.velocity);
            lane_gather_velocity(s->rows, c->row_b + at, &m.b.velocity);
            contact_points p = contact_points_of(c, at);
            const lane d[4] = {LOAD(c->impulse[0]), LOAD(c->impulse[1]), LOAD(c->impulse[2]),
                               LOAD(c->impulse[3])};
            contact_apply_normal_impulses(&m, &p, d, false, at);
            contact_apply_friction(&m, LOAD(c->friction_impulse[0]), LOAD(c->friction_impulse[1]), false, at);
            contact_apply_torsion(&m, LOAD(c->torsion_impulse), false, at);
            if (cold->flags & DRY_BUNDLE_ROLLING)
                contact_apply_rolling(&m, LOAD(cold->rolling_impulse[0]), LOAD(cold->rolling_impulse[1]),
                                      false, at);
            contact_scatter(&m, c, s, false, at);
        }
    }
}

/* Exchanges an impulse with the other phase's. Returns the change. */
LANE_INLINE lane contact_exchange_impulse(float *impulse, float *other)
{
    lane now = lane_load(impulse), next = lane_load(other);
    lane_store(impulse, next);
    lane_store(other, now);
    return lane_sub(next, now);
}

/* Exchanges the impulses of the two phases of friction, and applies the changes: the rows take leave of one
 * phase's motion and take on the other's. */
LANE_INLINE void contact_exchange_sweep(dry_contact_bundle *bundles, dry_contact_cold *cold_blocks, int begin,
                                        int end, const dry_sweep *s)
{
    for (int b = begin; b < end; b++) {
        dry_contact_bundle *c = &bundles[b];
        dry_contact_cold *cold = &cold_blocks[s->headers[b].cold];
        contact_prefetch(c, b, s);
        const int lanes = s->headers[b].lanes;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES) {
            contact_pair m = {.inverse_mass = lane_zero()};
            contact_begin(&m, c, at);
            lane_gather_velocity(s->rows, c->row_a + at, &m.a.velocity);
            lane_gather_velocity(s->rows, c->row_b + at, &m.b.velocity);
            contact_points p = contact_points_of(c, at);
            lane d[4], friction[2];
            for (int i = 0; i < 4; i++)
                d[i] = contact_exchange_impulse(c->impulse[i] + at, cold->other_impulse[i] + at);
            for (int i = 0; i < 2; i++)
                friction[i] =
                    contact_exchange_impulse(c->friction_impulse[i] + at, cold->other_friction[i] + at);
            lane torsion = contact_exchange_impulse(c->torsion_impulse + at, cold->other_torsion + at);
            contact_apply_normal_impulses(&m, &p, d, false, at);
            contact_apply_friction(&m, friction[0], friction[1], false, at);
            contact_apply_torsion(&m, torsion, false, at);
            if (cold->flags & DRY_BUNDLE_ROLLING) {
                lane t1 =
                    contact_exchange_impulse(cold->rolling_impulse[0] + at, cold->other_rolling[0] + at);
                lane t2 =
                    contact_exchange_impulse(cold->rolling_impulse[1] + at, cold->other_rolling[1] + at);
                contact_apply_rolling(&m, t1, t2, false, at);
            }
            contact_scatter(&m, c, s, false, at);
        }
    }
}

#endif
