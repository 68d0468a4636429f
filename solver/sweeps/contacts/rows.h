/* The rows of a contact: what one sweep does to their impulses. Compiled once per instruction set in float,
 * and once for one lane in double.
 *
 * The rules for normal impulses are here, those for friction in friction.h. Whoever includes this file says
 * before it what moves: motion.h for bodies, coupled_motion.h for articulations. */
#ifndef SOLVER_SWEEPS_CONTACTS_ROWS_H
#define SOLVER_SWEEPS_CONTACTS_ROWS_H

#include "solver/sweeps/contacts/friction.h"
#include "solver/sweeps/contacts/lane_rows.h"

/* Returns a bundle's flags. */
LANE_INLINE int32_t contact_flags_of(const dry_contact_header *header, const dry_contact_cold *cold)
{
    return cold->flags | (header->impact > 0 ? DRY_BUNDLE_IMPACT : 0) |
           (header->mixed ? DRY_BUNDLE_MIXED : 0) | (header->turns ? DRY_BUNDLE_TURNING : 0);
}

/* One normal row of a pair of points, times its mass: (1 + eps / S_ii) dlambda + (S_ij / S_ii) dlambda_j =
 * -residual [Spook 27]. */
typedef struct contact_row {
    lane old;      /* the impulse so far, N s */
    lane residual; /* N s */
    lane coupling; /* S_ij / S_ii */
    lane softness; /* 1 + eps / S_ii */
    lane inverse_softness;
} contact_row;

/* The numbers of a contact whose stiffness is given as k [Spook 9-11]. */
typedef struct contact_spring {
    lane rate, softness, approach;
    lane_mask given; /* lanes of a stiffness; all others are contacts of a frequency */
} contact_spring;

/* Tells whether a bundle's lanes have springs of their own. */
LANE_INLINE bool contact_has_springs(contact_mode mode)
{
    return mode.springs && (mode.flags & DRY_BUNDLE_SPRING);
}

/* Tells whether some lanes of a bundle have springs while the settings give none. */
LANE_INLINE bool contact_mixes_springs(contact_mode mode)
{
    return contact_has_springs(mode) && !mode.spook;
}

/* Fills the row of a point of given stiffness [Spook 26-27]: one equation on both sides of q = 0, so that
 * nothing but the limit of impulses tells touching from not. Where the impulse would separate the surfaces
 * faster than overlaps may, the row gives them that speed. */
LANE_INLINE void contact_spring_row(contact_row *row, const dry_sweep *s, const contact_spring *spring,
                                    lane mass, lane v, lane start, lane q)
{
    const lane one = lane_set(1.0f), eps = lane_mul(spring->softness, mass);
    const lane softness = lane_add(one, eps);
    const lane change = lane_mul(mass, lane_sub_mul(v, spring->approach, start));
    const lane bias = lane_add_mul(lane_mul(eps, row->old), lane_mul(mass, spring->rate), q);
    const lane alone = lane_div(lane_add(change, bias), softness);
    const lane most = lane_mul(mass, lane_set(-s->bias_speed_max));
    const lane_mask bounded = lane_less(lane_sub_mul(bias, eps, alone), most);
    row->softness = lane_select(bounded, one, softness);
    row->inverse_softness = lane_div(one, row->softness);
    row->residual = lane_add(change, lane_select(bounded, most, bias));
}

/* The softness of a contact whose stiffness is given as a frequency, the spring of one that has a k, and the
 * bundle's impacts. */
typedef struct contact_softness {
    lane eps;   /* eps / S_ii */
    lane scale; /* 1 / (1 + eps / S_ii) */
    contact_spring spring;
    dry_contact_impact *impact; /* only with DRY_BUNDLE_IMPACT */
} contact_softness;

LANE_INLINE contact_spring contact_spring_of(const dry_contact_cold *cold, const dry_sweep *s,
                                             contact_mode mode, int at)
{
    if (!contact_has_springs(mode))
        return (contact_spring){lane_set(s->rate), lane_set(s->softness), lane_set(s->approach_scale),
                                lane_less(lane_zero(), lane_zero())};
    const dry_contact_spring *spring = &s->springs[cold - s->cold];
    return (contact_spring){lane_load(spring->rate + at), lane_load(spring->softness + at),
                            lane_load(spring->approach + at),
                            lane_less(lane_zero(), lane_load(spring->given + at))};
}

LANE_INLINE contact_softness contact_softness_of(const dry_contact_header *header, dry_contact_cold *cold,
                                                 const dry_sweep *s, contact_mode mode, int at)
{
    contact_softness soft = {lane_zero(), lane_zero(), contact_spring_of(cold, s, mode, at), NULL};
    if (mode.flags & DRY_BUNDLE_IMPACT)
        soft.impact = &s->impact[header->impact];
    if (!mode.position || mode.spook)
        return soft;
    const float eps = header->compliance * s->relative_softness;
    soft.eps = lane_set(eps), soft.scale = lane_set(1.0f / (1.0f + eps));
    if (mode.flags & DRY_BUNDLE_MIXED) {
        const lane one = lane_set(1.0f);
        const float *compliance = s->compliance[header - s->headers].lane;
        soft.eps = lane_mul(lane_load(compliance + at), lane_set(s->relative_softness));
        soft.scale = lane_div(one, lane_add(one, soft.eps));
    }
    return soft;
}

/* Replaces the row of a point in the lanes that have a spring of their own. */
LANE_INLINE void contact_mix_row(contact_row *row, const dry_sweep *s, const contact_spring *spring,
                                 lane mass, lane v, lane start, lane q)
{
    contact_row own = *row;
    contact_spring_row(&own, s, spring, mass, v, start, q);
    row->softness = lane_select(spring->given, own.softness, row->softness);
    row->inverse_softness = lane_select(spring->given, own.inverse_softness, row->inverse_softness);
    row->residual = lane_select(spring->given, own.residual, row->residual);
}

/* A point's motion along the normal. */
typedef struct contact_point {
    lane v;     /* now, m/s */
    lane start; /* when the substep began, m/s */
    lane q;     /* separation, m */
} contact_point;

LANE_INLINE contact_point contact_with_kinematic(contact_point p, dry_contact_cold *cold, const dry_sweep *s,
                                                 contact_mode mode, int i, int at)
{
    if (mode.flags & DRY_BUNDLE_KINEMATIC) {
        lane added = LOAD(cold->kinematic_normal[i]);
        p.v = lane_add(p.v, added);
        p.start = lane_add(p.start, added);
        p.q = lane_add_mul(p.q, added, lane_set(s->time));
    }
    return p;
}

/* Returns the row of point `i`, whose S_ii is 1 / mass. The pair's S_ij is `coupling`. */
LANE_INLINE contact_row contact_row_of(dry_contact_bundle *c, const dry_sweep *s, contact_point p, lane mass,
                                       lane coupling, const contact_softness *soft, contact_mode mode, int i,
                                       int at)
{
    const lane v = p.v, start = p.start, q = p.q, one = lane_set(1.0f);
    contact_row row = {.old = LOAD(c->impulse[i]), .coupling = lane_mul(mass, coupling)};
    row.softness = row.inverse_softness = one;
    const lane_mask open = lane_less(lane_zero(), q);
    if (mode.position) {
        if (mode.spook) {
            contact_spring_row(&row, s, &soft->spring, mass, v, start, q);
        } else {
            /* A gap may close within the substep, and is rigid. */
            const lane rate = lane_select(open, lane_set(s->rate_free), lane_set(s->rate));
            const lane eps = lane_select(open, lane_zero(), soft->eps);
            row.softness = lane_add(one, eps);
            row.inverse_softness = lane_select(open, one, soft->scale);
            /* a q + eps lambda, bounded: the speed at which overlaps separate has a limit, the force has
             * none. */
            const lane bias = lane_add_mul(lane_mul(eps, row.old), lane_mul(mass, rate), q);
            row.residual =
                lane_add_mul(lane_max(bias, lane_mul(mass, lane_set(-s->bias_speed_max))), mass, v);
        }
        if (contact_mixes_springs(mode))
            contact_mix_row(&row, s, &soft->spring, mass, v, start, q);
        /* With a share of the residual, the pair removes that share of what it would remove at once. */
        if (mode.relaxed)
            row.residual = lane_mul(row.residual, lane_set(s->relaxation));
    } else {
        const lane bias = lane_max(lane_mul(lane_set(s->rate_free), q), lane_zero());
        row.residual = lane_mul(mass, lane_add(v, bias));
        /* Relaxing would brake what closes its gap in the next substep, before its impact. */
        if (mode.flags & DRY_BUNDLE_IMPACT) {
            const lane_mask bounces =
                lane_mask_and(open, lane_less(lane_zero(), LOAD(soft->impact->restitution)));
            row.residual = lane_select(bounces, lane_max(row.residual, lane_zero()), row.residual);
        }
        if (contact_mixes_springs(mode) && mode.frictionless)
            contact_mix_row(&row, s, &soft->spring, mass, v, start, q);
    }
    return row;
}

/* The lanes whose impulses change. */
typedef enum contact_lanes { CONTACT_ALL, CONTACT_SPRINGS, CONTACT_FREQUENCIES } contact_lanes;

/* Returns the impulse of row `i` if that of row `j` is 0; negative if row `i` would attract. */
LANE_INLINE lane contact_impulse_alone(const contact_row *i, const contact_row *j)
{
    const lane residual = lane_sub_mul(i->residual, i->coupling, j->old);
    return lane_sub_mul(i->old, residual, i->inverse_softness);
}

/* Solves two rows together, exactly, with impulses that do not attract [Spook 32]: a linear complementarity
 * problem of two unknowns. Stores the impulses in x.
 *
 * The impulses minimize a convex function over those that do not attract. If only one row's impulse would
 * attract in the solution of both equations, that impulse is 0 and the other row is alone. If both would,
 * each row gets what it would get alone, and at most one of them pushes. */
LANE_INLINE void contact_solve_pair(const contact_row row[2], const contact_softness *soft,
                                    contact_lanes lanes, lane x[2])
{
    const contact_row *r0 = &row[0], *r1 = &row[1];
    const lane determinant = lane_sub_mul(lane_mul(r0->softness, r1->softness), r0->coupling, r1->coupling);
    const lane inverse = lane_div(lane_set(1.0f), determinant);
    /* The products are ready before the velocities are: two operations follow those. */
    const lane w0 = lane_mul(r1->softness, inverse), w1 = lane_mul(r0->softness, inverse);
    const lane c0 = lane_mul(r0->coupling, inverse), c1 = lane_mul(r1->coupling, inverse);
    const lane both0 = lane_sub_mul(lane_add_mul(r0->old, c0, r1->residual), w0, r0->residual);
    const lane both1 = lane_sub_mul(lane_add_mul(r1->old, c1, r0->residual), w1, r1->residual);
    const lane zero = lane_zero();
    /* A maximum is a number also where the bodies' motion is none. */
    x[0] = lane_max(lane_select(lane_less(both1, zero), contact_impulse_alone(r0, r1), both0), zero);
    x[1] = lane_max(lane_select(lane_less(both0, zero), contact_impulse_alone(r1, r0), both1), zero);
    for (int i = 0; i < 2; i++) {
        if (lanes == CONTACT_SPRINGS)
            x[i] = lane_select(soft->spring.given, x[i], row[i].old);
        else if (lanes == CONTACT_FREQUENCIES)
            x[i] = lane_select(soft->spring.given, row[i].old, x[i]);
    }
}

/* Solves the normal rows of the lanes pair by pair. Points 0 and 1 lie across the patch from each other, as
 * do 2 and 3. The two points of a pair are solved together: solved one by one, the first point would take the
 * larger share, and a body that landed flat would lean more from step to step; solved from one motion each
 * for itself, they would turn the body up to 1.7 times too far, and a stack of plates rings until it falls
 * (solver/sweeps/contacts/DECISIONS.md). */
LANE_INLINE void contact_solve_pairs(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                     contact_pair *m, const contact_softness *soft, contact_mode mode,
                                     contact_lanes lanes, int at);

/* Solves the normal rows. Relaxing leaves springs as they are; solving takes them twice: what the second pair
 * of a body's points makes of the first one's impulses would otherwise be late by a substep, and an undamped
 * box would come to rest. A phase without friction has no sweeps of its own that solve, where the settings
 * give no stiffness (substeps.c): springs of a pair's own act in it. */
LANE_INLINE void contact_solve_normals(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                       contact_pair *m, const contact_softness *soft, contact_mode mode,
                                       int at)
{
    const bool springs_act = mode.position || mode.frictionless, mixes = contact_mixes_springs(mode);
    const bool again = (mixes && springs_act) || (mode.spook && mode.position);
    const int times = mode.spook && !mixes && !mode.position ? 0 : 1 + again;
    contact_lanes lanes = mixes && !springs_act ? CONTACT_FREQUENCIES : CONTACT_ALL;
    for (int i = 0; i < times; i++) {
        contact_solve_pairs(c, cold, s, m, soft, mode, lanes, at);
        lanes = mixes ? CONTACT_SPRINGS : CONTACT_ALL;
    }
}

/* Solves all rows of a contact once. */
LANE_INLINE void contact_solve_rows(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                    contact_pair *m, const contact_softness *soft, contact_mode mode, int at)
{
    /* Positions may begin without impulses, and would then have no friction in the first sweep.
     *
     * Relaxing takes normals first, and friction within their new limit. Solve and relax are then mirror
     * images, and a high pyramid settles. With friction first in both it keeps trembling
     * (solver/DECISIONS.md). */
    const bool friction_first = mode.position && !mode.turned;
    if (friction_first && !mode.frictionless)
        contact_solve_friction(c, cold, s, m, mode, at);
    contact_solve_normals(c, cold, s, m, soft, mode, at);
    if (!friction_first && !mode.frictionless)
        contact_solve_friction(c, cold, s, m, mode, at);
}

/* Returns an impulse that a bundle holds, or exchanges it for the other phase's, and returns the change. */
LANE_INLINE lane contact_held_impulse(float *impulse, float *other, bool exchange)
{
    const lane now = lane_load(impulse);
    if (!exchange)
        return now;
    const lane next = lane_load(other);
    lane_store(impulse, next);
    lane_store(other, now);
    return lane_sub(next, now);
}

/* Finds the impulses that a bundle holds and those of the other phase of friction, by row (lane_rows.h). Null
 * for rows that the bundle has not. */
LANE_INLINE void contact_find_impulses(dry_contact_bundle *c, dry_contact_cold *cold, int at,
                                       float *now[ROWS], float *other[ROWS])
{
    const bool rolls = cold->flags & DRY_BUNDLE_ROLLING;
    for (int i = 0; i < POINTS; i++)
        now[i] = c->impulse[i] + at, other[i] = cold->other_impulse[i] + at;
    for (int i = 0; i < 2; i++) {
        now[TANGENT + i] = c->friction_impulse[i] + at, other[TANGENT + i] = cold->other_friction[i] + at;
        now[ROLLING + i] = rolls ? cold->rolling_impulse[i] + at : NULL;
        other[ROLLING + i] = cold->other_rolling[i] + at;
    }
    now[TORSION] = c->torsion_impulse + at, other[TORSION] = cold->other_torsion + at;
}

#endif
