/* Impacts: Newton's law at points that approached faster than the threshold, then friction. Compiled once per
 * instruction set.
 *
 * Reads a contact bundle, its cold block and its bodies' rows; writes impulses and velocities. A lane without
 * an impact stays as it is to the bit, whatever the other lanes of its bundle do. Included by kernels.c
 * alone.
 */
#ifndef SOLVER_CONTACTS_IMPACT_KERNEL_H
#define SOLVER_CONTACTS_IMPACT_KERNEL_H

#include "solver/contacts/friction.h"

/* Points of one manifold change each other's velocities. After one pass a box that lands flat leaves at an
 * angle and loses 7 % of its height; after eight passes it is flat, and its height is right to 0.1 %. */
enum { CONTACT_IMPACT_PASSES = 8 };

/* Finds the points that bounce: in lanes that can bounce and approached faster than the threshold when the
 * step began, points that did so at any time of the step and had an impulse. Returns the lanes of any such
 * point. */
LANE_INLINE lane_mask contact_impact_points(dry_contact_cold *cold, const dry_sweep *s, lane_mask point[4],
                                            int at)
{
    const lane threshold = lane_set(-s->restitution_speed);
    lane_mask approaches = lane_less(LOAD(cold->approach[0]), threshold);
    for (int i = 1; i < 4; i++)
        approaches = lane_mask_or(approaches, lane_less(LOAD(cold->approach[i]), threshold));
    approaches = lane_mask_and(approaches, lane_less(lane_zero(), LOAD(cold->restitution)));
    for (int i = 0; i < 4; i++) {
        lane_mask hit = lane_mask_and(lane_less(LOAD(cold->max_approach[i]), threshold),
                                      lane_less(lane_zero(), LOAD(cold->max_impulse[i])));
        point[i] = lane_mask_and(approaches, hit);
    }
    return lane_mask_or(lane_mask_or(point[0], point[1]), lane_mask_or(point[2], point[3]));
}

/* Solves one point at velocity v: u' = -e u [Spook 1], the impulse [Spook 2]. Returns the change of its
 * impulse, 0 in lanes where the point does not bounce. */
LANE_INLINE lane contact_impact_point(dry_contact_bundle *c, dry_contact_cold *cold, lane_mask hit, lane v,
                                      int i, int at)
{
    if (cold->flags & DRY_BUNDLE_KINEMATIC)
        v = lane_add(v, LOAD(cold->kinematic_normal[i]));
    lane old = LOAD(c->impulse[i]),
         rebound = lane_fma(LOAD(cold->restitution), LOAD(cold->max_approach[i]), v);
    /* Points two by two see the same motion: where both impulses change both velocities in one direction, the
     * row's diagonal grows by the coupling. */
    lane mass = LOAD(c->inverse_mass[i]), coupling = lane_max(LOAD(c->pair_coupling[i / 2]), lane_zero());
    mass = lane_div(mass, lane_fma(mass, coupling, lane_set(1.0f)));
    lane wanted = lane_fnma(mass, rebound, old);
    lane total = lane_select(hit, lane_max(wanted, lane_zero()), old);
    lane_store(c->impulse[i] + at, total);
    return lane_sub(total, old);
}

/* Solves the points two by two, pair after pair. */
LANE_INLINE void contact_impact_normals(dry_contact_bundle *c, dry_contact_cold *cold, contact_pair *m,
                                        const lane_mask point[4], int at)
{
    const contact_points p = contact_points_of(c, at);
    for (int pass = 0; pass < 2 * CONTACT_IMPACT_PASSES; pass++) {
        int i = pass % 2 * 2;
        contact_normal_motion velocity = contact_normal_velocity(m, at);
        lane d[4] = {lane_zero(), lane_zero(), lane_zero(), lane_zero()};
        for (int k = i; k < i + 2; k++)
            d[k] = contact_impact_point(c, cold, point[k], contact_normal_motion_at(velocity, p.x[k], p.y[k]),
                                        k, at);
        contact_apply_normal_impulses(m, &p, d, false, at);
    }
}

/* Solves friction within the cone of the new normal impulses [Spook 3-5] in the lanes of an impact. */
LANE_INLINE void contact_impact_friction(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                         contact_pair *m, lane_mask hit, int at)
{
    const contact_mode mode = {.friction = DRY_FRICTION_CONE};
    float *stored[3] = {c->friction_impulse[0] + at, c->friction_impulse[1] + at, c->torsion_impulse + at};
    const lane old[3] = {lane_load(stored[0]), lane_load(stored[1]), lane_load(stored[2])};
    contact_solve_friction(c, cold, s, m, mode, at);
    for (int i = 0; i < 3; i++)
        lane_store(stored[i], lane_select(hit, lane_load(stored[i]), old[i]));
}

/* Scatters the velocities of the lanes of an impact; the others keep those that were gathered. */
LANE_INLINE void contact_impact_scatter(const contact_pair *m, dry_contact_bundle *c, const dry_sweep *s,
                                        lane_mask hit, const lane_velocity *before_a,
                                        const lane_velocity *before_b, int at)
{
    lane_velocity a = m->a.velocity, b = m->b.velocity;
    contact_apply_linear(m, &a, &b);
    a.ul = lane_vec3_select(hit, a.ul, before_a->ul);
    a.ua = lane_vec3_select(hit, a.ua, before_a->ua);
    b.ul = lane_vec3_select(hit, b.ul, before_b->ul);
    b.ua = lane_vec3_select(hit, b.ua, before_b->ua);
    lane_scatter_velocity(s->rows, c->row_a + at, &a);
    lane_scatter_velocity(s->rows, c->row_b + at, &b);
}

LANE_INLINE void contact_impact_lanes(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                      int at)
{
    lane_mask point[4], hit = contact_impact_points(cold, s, point, at);
    if (!lane_any(hit))
        return;
    contact_pair m;
    contact_begin(&m, c, at);
    contact_gather(&m, c, cold, s, false, at);
    const lane_velocity before_a = m.a.velocity, before_b = m.b.velocity;
    contact_impact_normals(c, cold, &m, point, at);
    contact_impact_friction(c, cold, s, &m, hit, at);
    contact_impact_scatter(&m, c, s, hit, &before_a, &before_b, at);
}

/* Solves the impacts of bundles [begin, end). */
LANE_INLINE void contact_impact_sweep(dry_contact_bundle *bundles, dry_contact_cold *cold_blocks, int begin,
                                      int end, const dry_sweep *s)
{
    for (int b = begin; b < end; b++) {
        dry_contact_cold *cold = &cold_blocks[s->headers[b].cold];
        if (!(cold->flags & DRY_BUNDLE_IMPACT))
            continue;
        const int lanes = s->headers[b].lanes;
        for (int at = 0; at < DRY_BUNDLE && at < lanes; at += DRY_LANES)
            contact_impact_lanes(&bundles[b], cold, s, at);
    }
}

#endif
