/* Contact kernels: what one sweep does to sixteen manifolds. Compiled once per instruction set.
 *
 * Reads a contact bundle and its bodies' rows; writes impulses and velocities. The rules for impulses are in
 * rows.h and friction.h, and their effect on the bodies in motion.h. Included by kernels.c and rare_kernels.c
 * alone. */
#ifndef SOLVER_SWEEPS_CONTACTS_SWEEP_KERNELS_H
#define SOLVER_SWEEPS_CONTACTS_SWEEP_KERNELS_H

#include "core/memory.h"
#include "solver/sweeps/contacts/load.h"
#include "solver/sweeps/contacts/motion.h"
#include "solver/sweeps/contacts/rows.h"
#include "solver/sweeps/contacts/turned.h"

/* Repeated sweeps lead old - mass v, of the limit's length, to the direction of -v for every mass; with
 * 2 / trace K, at most twice 1 / the largest eigenvalue of K, without overshooting. The root and the
 * quotients are spared if nothing in the bundle slides under load, which is the usual case at rest. */
LANE_INLINE contact_tangents friction_in_cone(contact_inverse inverse, contact_tangents f, contact_tangents v,
                                              contact_tangents old, lane limit, int at)
{
    lane square = lane_add_mul(lane_mul(f.x, f.x), f.y, f.y);
    lane_mask slides = lane_less(lane_mul(limit, limit), square);
    lane_mask loaded = lane_mask_and(slides, lane_less(lane_zero(), limit));
    lane x = lane_zero(), y = lane_zero();
    if (lane_any(loaded)) {
        const lane tiny = lane_set(FLT_MIN);
        lane xx = contact_inverse_at(inverse, 0, at), xy = contact_inverse_at(inverse, 1, at),
             yy = contact_inverse_at(inverse, 2, at);
        /* 2 / trace K = 2 det M / trace M, with M the inverse of K. */
        lane determinant = lane_sub_mul(lane_mul(xx, yy), xy, xy),
             half = lane_mul(lane_set(0.5f), lane_add(xx, yy));
        lane mass = lane_div(determinant, lane_max(half, tiny));
        lane gx = lane_sub_mul(old.x, mass, v.x), gy = lane_sub_mul(old.y, mass, v.y);
        lane scale = lane_div(limit, lane_sqrt(lane_max(lane_add_mul(lane_mul(gx, gx), gy, gy), tiny)));
        x = lane_select(loaded, lane_mul(gx, scale), x);
        y = lane_select(loaded, lane_mul(gy, scale), y);
    }
    return (contact_tangents){lane_select(slides, x, f.x), lane_select(slides, y, f.y)};
}

/* Adds what the turning of a contact adds to its motion along the normal in so much time. */
LANE_INLINE void contact_add_turning(contact_normal_motion *n, const dry_contact_turning *turning, float time,
                                     int at)
{
    const lane t = lane_set(time);
    n->center = lane_add_mul(n->center, t, lane_load(turning->normal[0] + at));
    n->gradient_x = lane_add_mul(n->gradient_x, t, lane_load(turning->normal[1] + at));
    n->gradient_y = lane_add_mul(n->gradient_y, t, lane_load(turning->normal[2] + at));
}

/* The first pair's effect on the second comes from their couplings: through the bodies it would take twice as
 * long. */
LANE_INLINE void contact_solve_pairs(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                     contact_pair *m, const contact_softness *soft, contact_mode mode,
                                     contact_lanes lanes, int at)
{
    contact_points p = contact_points_of(c, at);
    contact_normal_motion speed = contact_normal_velocity(m, at), start = speed;
    if (mode.spook || contact_mixes_springs(mode))
        start = contact_start_velocity(m, c, s, at);
    for (int i = 0; i < 2 && (mode.flags & DRY_BUNDLE_TURNING); i++)
        contact_add_turning(i ? &start : &speed, m->turning, s->turned, at);
    lane d[4];
    for (int k = 0; k < 4; k += 2) {
        const lane coupling = LOAD(c->pair_coupling[k / 2]);
        contact_row row[2];
        for (int i = 0; i < 2; i++) {
            lane x = p.x[k + i], y = p.y[k + i];
            lane v = contact_normal_motion_at(speed, x, y);
            if (k > 0) /* each product rounded, as in contact_dot4 */
                v = lane_add(v, lane_add(lane_mul(LOAD(c->coupling[0][i]), d[0]),
                                         lane_mul(LOAD(c->coupling[1][i]), d[1])));
            lane q = lane_add(LOAD(c->separation[k + i]), contact_normal_motion_at(m->movement, x, y));
            const contact_point point = contact_with_kinematic(
                (contact_point){v, contact_normal_motion_at(start, x, y), q}, cold, s, mode, k + i, at);
            row[i] =
                contact_row_of(c, s, point, LOAD(c->inverse_mass[k + i]), coupling, soft, mode, k + i, at);
        }
        lane total[2];
        contact_solve_pair(row, soft, lanes, total);
        for (int i = 0; i < 2; i++) {
            lane_store(c->impulse[k + i] + at, total[i]);
            d[k + i] = lane_sub(total[i], row[i].old);
        }
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
            DRY_PREFETCH((const char *)&c[2] + line);
    if (s->prefetch_rows && b + 1 < s->prefetch_end)
        for (int i = 0; i < DRY_BUNDLE; i++) {
            DRY_PREFETCH(&s->rows[c[1].row_a[i]]);
            DRY_PREFETCH(&s->rows[c[1].row_b[i]]);
        }
}

/* Takes the impulses out of the bundle; the bodies have not been given them. */
LANE_INLINE void contact_forget(dry_contact_bundle *c, dry_contact_cold *cold, int at)
{
    float *held[ROWS], *other[ROWS];
    contact_find_impulses(c, cold, at, held, other);
    for (int i = 0; i < ROWS && held[i]; i++)
        lane_store(held[i], lane_zero());
}

/* One sweep over the lanes of a bundle that has the flags of `mode`. */
LANE_INLINE void contact_sweep_lanes(dry_contact_bundle *c, dry_contact_cold *cold,
                                     const dry_contact_header *header, const dry_sweep *s, contact_mode mode)
{
    /* Empty lanes, too: kernels of every width leave the same bits. */
    for (int at = 0; mode.turned && s->afresh && at < DRY_BUNDLE; at += DRY_LANES)
        contact_forget(c, cold, at);
    for (int at = 0; at < DRY_BUNDLE && at < header->lanes; at += DRY_LANES) {
        contact_pair m;
        contact_turned turned;
        contact_begin(&m, c, at);
        if (mode.turned)
            contact_gather_turned(&m, c, header, s, &turned, mode.position, at);
        else
            contact_gather(&m, c, cold, s, mode.summed, at);
        if (mode.flags & DRY_BUNDLE_TURNING) {
            m.turning = &s->turning[header - s->headers];
            contact_add_turning(&m.movement, m.turning, s->turned_way, at);
        }
        const contact_softness soft = contact_softness_of(header, cold, s, mode, at);
        contact_solve_rows(c, cold, s, &m, &soft, mode, at);
        contact_scatter(&m, c, s, mode.summed, at);
        if (s->loads)
            contact_note_loads(c, s, NULL, at);
    }
}

LANE_INLINE void contact_sweep(dry_contact_bundle *bundles, dry_contact_cold *cold_blocks, int begin, int end,
                               const dry_sweep *s, contact_mode mode)
{
    for (int b = begin; b < end; b++) {
        dry_contact_bundle *c = &bundles[b];
        dry_contact_cold *cold = &cold_blocks[s->headers[b].cold];
        contact_prefetch(c, b, s);
        mode.flags = contact_flags_of(&s->headers[b], cold);
        if ((mode.flags & ~DRY_BUNDLE_TURNING) == 0 && mode.plain_apart) {
            mode.flags = mode.flags & DRY_BUNDLE_TURNING; /* all others are constants to the compiler */
            contact_sweep_lanes(c, cold, &s->headers[b], s, mode);
        } else {
            contact_sweep_lanes(c, cold, &s->headers[b], s, mode);
        }
    }
}

/* Defines the kernel of a variant, whose fields follow the name. */
#define CONTACT_SWEEP(name, ...)                                                                             \
    static void name(void *bundles, int begin, int end, const dry_sweep *sweep)                              \
    {                                                                                                        \
        contact_sweep(bundles, sweep->cold, begin, end, sweep, (contact_mode){__VA_ARGS__});                 \
    }

/* Applies the impulses that the bundles hold: a warm start. `turned` applies them at the bodies as they have
 * moved and turned so far, for methods that solve for positions. `exchange` exchanges the impulses of the two
 * phases of friction, and applies the changes: the rows take leave of one phase's motion and take on the
 * other's. */
LANE_INLINE void contact_apply_sweep(dry_contact_bundle *bundles, int begin, int end, const dry_sweep *s,
                                     bool turned, bool exchange)
{
    for (int b = begin; b < end; b++) {
        dry_contact_bundle *c = &bundles[b];
        const dry_contact_header *header = &s->headers[b];
        dry_contact_cold *cold = &s->cold[header->cold];
        contact_prefetch(c, b, s);
        const int lanes = header->lanes;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES) {
            contact_pair m = {.inverse_mass = lane_zero()};
            contact_turned place;
            contact_begin(&m, c, at);
            if (turned)
                contact_gather_turned(&m, c, header, s, &place, false, at);
            else
                contact_gather_velocities(&m, c, s, at);
            const contact_points p = contact_points_of(c, at);
            float *now[ROWS], *other[ROWS];
            lane d[ROWS];
            contact_find_impulses(c, cold, at, now, other);
            for (int i = 0; i < ROWS; i++)
                d[i] = now[i] ? contact_held_impulse(now[i], other[i], exchange) : lane_zero();
            contact_apply_normal_impulses(&m, &p, d, false, at);
            contact_apply_friction(&m, d[TANGENT], d[TANGENT + 1], false, at);
            contact_apply_spin(&m, N, d[TORSION], false, at);
            for (int i = T1; i <= T2 && now[ROLLING]; i++)
                contact_apply_spin(&m, i, d[ROLLING + i], false, at);
            contact_scatter(&m, c, s, false, at);
        }
    }
}

/* Writes the velocities of the lanes of a mask back to the rows. All other rows keep their bits. */
LANE_INLINE void contact_scatter_where(lane_mask mask, contact_pair *m, const contact_pair *before,
                                       dry_contact_bundle *c, const dry_sweep *s, int at)
{
    contact_apply_linear(m, &m->a.velocity, &m->b.velocity);
    for (int k = 0; k < 2; k++) {
        lane_velocity *v = k ? &m->b.velocity : &m->a.velocity;
        const lane_velocity *was = k ? &before->b.velocity : &before->a.velocity;
        v->ul = lane_vec3_select(mask, v->ul, was->ul);
        v->ua = lane_vec3_select(mask, v->ua, was->ua);
        lane_scatter_velocity(s->rows, (k ? c->row_b : c->row_a) + at, v);
    }
}

/* Returns the share of the impulses of points 2 k and 2 k + 1 that is carried. */
LANE_INLINE lane contact_share_carried(dry_contact_bundle *c, dry_contact_past *past, int k, int at)
{
    const lane now = lane_add(LOAD(c->impulse[2 * k]), LOAD(c->impulse[2 * k + 1]));
    const lane mass = lane_add(LOAD(c->inverse_mass[2 * k]), LOAD(c->inverse_mass[2 * k + 1]));
    const lane before = LOAD(past->impulse[k]);
    const lane expected = lane_add_mul(now, LOAD(past->fall), lane_sub(now, before));
    const lane next = lane_max(expected, lane_mul(LOAD(past->sustained), mass));
    lane_store(past->impulse[k] + at, now);
    return lane_select(lane_less(next, now), lane_div(next, now), lane_set(1.0f));
}

/* Begins a substep with less of an impact's impulses than the one before ended with, and takes the rest back
 * from the bodies.
 *
 * A sweep unloads a light body under a heavy one by the share of their masses only. What stopped the heavy
 * one would go on pushing it: dropped on boxes of a tenth of its mass, it bounced with a third of its speed
 * without restitution. So an impulse beyond what the bodies bear for long is expected to fall on. */
LANE_INLINE void contact_carry_lanes(dry_contact_bundle *c, dry_contact_cold *cold, dry_contact_past *past,
                                     const dry_sweep *s, int at)
{
    const lane one = lane_set(1.0f), zero = lane_zero();
    const lane share[2] = {contact_share_carried(c, past, 0, at), contact_share_carried(c, past, 1, at)};
    const lane_mask less = lane_mask_or(lane_less(share[0], one), lane_less(share[1], one));
    if (!lane_any(less))
        return;
    float *impulse[ROWS], *other[ROWS];
    lane change[ROWS], all = zero, lost = zero;
    contact_find_impulses(c, cold, at, impulse, other);
    for (int i = 0; i < POINTS; i++) {
        const lane now = lane_load(impulse[i]);
        change[i] = lane_sub(lane_mul(share[i / 2], now), now);
        all = lane_add(all, now);
        lost = lane_add(lost, change[i]);
    }
    const lane part = lane_select(less, lane_div(lost, all), zero); /* of friction, as of the whole */
    for (int i = POINTS; i < ROLLING; i++)
        change[i] = lane_mul(part, lane_load(impulse[i]));
    for (int i = 0; i < ROLLING; i++) {
        const lane now = lane_load(impulse[i]);
        lane_store(impulse[i], lane_select(less, lane_add(now, change[i]), now));
    }
    contact_pair m = {.inverse_mass = zero};
    contact_begin(&m, c, at);
    contact_gather_velocities(&m, c, s, at);
    const contact_pair before = m;
    const contact_points points = contact_points_of(c, at);
    contact_apply_normal_impulses(&m, &points, change, false, at);
    contact_apply_friction(&m, change[TANGENT], change[TANGENT + 1], false, at);
    contact_apply_spin(&m, N, change[TORSION], false, at);
    contact_scatter_where(less, &m, &before, c, s, at);
}

LANE_INLINE void contact_carry_sweep(dry_contact_bundle *bundles, int begin, int end, const dry_sweep *s)
{
    for (int b = begin; b < end; b++)
        for (int at = 0; s->headers[b].falls && at < s->headers[b].lanes; at += DRY_LANES)
            contact_carry_lanes(&bundles[b], &s->cold[s->headers[b].cold], &s->past[b], s, at);
}

#endif
