/* Friction of a contact: its limits, the models of friction along the tangents, and torsion about the normal.
 *
 * Friction acts at the patch's center. The limit of its impulse, the radius of Coulomb's cone, is mu times
 * the normal impulses of the points, except in a box, whose limit is a load estimated from the masses. Reads
 * and writes a contact bundle's friction and torsion impulses. Included by rows.h alone. */
#ifndef SOLVER_SWEEPS_CONTACTS_FRICTION_H
#define SOLVER_SWEEPS_CONTACTS_FRICTION_H

#include "solver/bodies/gather.h"
#include "solver/data/contacts/bundle.h"
#include "solver/data/contacts/mode.h"
#include "solver/data/sweep.h"

#include <float.h>

/* An impulse or a velocity along the tangents. */
typedef struct contact_tangents {
    lane x, y;
} contact_tangents;

/* Returns the sum of the points' normal impulses that limits friction, N s: the present ones, or with two
 * phases those of the phase without friction, which do not change meanwhile [Spook p. 9]. */
LANE_INLINE lane contact_normal_impulse(dry_contact_bundle *c, dry_contact_cold *cold, contact_mode mode,
                                        int at)
{
    dry_lanes *impulse = mode.friction == DRY_FRICTION_TWO_PHASE ? cold->other_impulse : c->impulse;
    return lane_add(lane_add(LOAD(impulse[0]), LOAD(impulse[1])),
                    lane_add(LOAD(impulse[2]), LOAD(impulse[3])));
}

/* Returns a velocity along two rows with what kinematic bodies add to it. */
LANE_INLINE contact_tangents friction_velocity(lane x, lane y, dry_lanes *kinematic, contact_mode mode,
                                               int at)
{
    if (mode.flags & DRY_BUNDLE_KINEMATIC)
        return (contact_tangents){lane_add(x, LOAD(kinematic[0])), lane_add(y, LOAD(kinematic[1]))};
    return (contact_tangents){x, y};
}

/* Returns the impulse that stops a velocity v along two rows. */
LANE_INLINE contact_tangents friction_stopping(contact_inverse inverse, contact_tangents v,
                                               contact_tangents old, int at)
{
    lane xx = contact_inverse_at(inverse, 0, at), xy = contact_inverse_at(inverse, 1, at),
         yy = contact_inverse_at(inverse, 2, at);
    return (contact_tangents){lane_sub_mul(lane_sub_mul(old.x, xy, v.y), xx, v.x),
                              lane_sub_mul(lane_sub_mul(old.y, xy, v.x), yy, v.y)};
}

/* Returns the impulse that stops the sliding along its own direction d = v / |v| [Spook p. 9, as 4-5]. The
 * mass along d is 1 / (d^T K d), with K the 2x2 block whose inverse M the bundle holds:
 *     1 / (d^T K d) = |v|^2 (M_xx M_yy - M_xy^2) / (M_yy v_x^2 - 2 M_xy v_x v_y + M_xx v_y^2)
 * A rest of the sliding turns to the other direction where K differs between the tangents, and is left to
 * the next sweep. `stopped` is the share of v that this sweep stops. */
LANE_INLINE contact_tangents friction_against_velocity(contact_inverse inverse, contact_tangents v,
                                                       contact_tangents stopped, contact_tangents old, int at)
{
    lane xx = contact_inverse_at(inverse, 0, at), xy = contact_inverse_at(inverse, 1, at),
         yy = contact_inverse_at(inverse, 2, at);
    /* Squares of a very small velocity would be 0 or lose their digits. */
    lane size = lane_max(lane_max(lane_abs(v.x), lane_abs(v.y)), lane_set(FLT_MIN));
    lane x = lane_div(v.x, size), y = lane_div(v.y, size);
    lane square = lane_add_mul(lane_mul(x, x), y, y);
    lane determinant = lane_sub_mul(lane_mul(xx, yy), xy, xy);
    lane along = lane_sub_mul(lane_mul(yy, x), xy, y), across = lane_sub_mul(lane_mul(xx, y), xy, x);
    lane block = lane_add_mul(lane_mul(along, x), across, y);
    lane mass = lane_mul(lane_mul(square, determinant), lane_inverse_or_zero(block));
    return (contact_tangents){lane_sub_mul(old.x, mass, stopped.x), lane_sub_mul(old.y, mass, stopped.y)};
}

/* Shortens an impulse to the limit where it is longer. */
LANE_INLINE contact_tangents friction_shortened(contact_tangents f, lane limit)
{
    lane square = lane_add_mul(lane_mul(f.x, f.x), f.y, f.y);
    lane_mask longer = lane_less(lane_mul(limit, limit), square);
    lane scale = lane_div(limit, lane_sqrt(lane_select(longer, square, lane_set(1.0f))));
    return (contact_tangents){lane_select(longer, lane_mul(f.x, scale), f.x),
                              lane_select(longer, lane_mul(f.y, scale), f.y)};
}

/* Clamps an impulse f, which would stop the velocity v, to Coulomb's cone. Where f is outside, the patch
 * slides, friction has the size of its limit, and opposes the sliding. f itself, shortened, would lie along
 * K^-1 v: 20 degrees off for a plank that slides aslant. `inverse` is that of K. */
LANE_INLINE contact_tangents friction_in_cone(contact_inverse inverse, contact_tangents f, contact_tangents v,
                                              contact_tangents old, lane limit, int at);

/* Returns the limit along each tangent of a box, which does not depend on the size of the normal impulse
 * [Spook 43-44, Tamis 5.4]. */
LANE_INLINE lane friction_box(dry_contact_cold *cold, const dry_sweep *s, lane normal_impulse, int at)
{
    lane box = lane_mul(LOAD(cold->friction_box), lane_set(s->substep));
    return lane_select(lane_less(lane_zero(), normal_impulse), box, lane_zero());
}

/* Clamps an impulse to a box. */
LANE_INLINE contact_tangents friction_in_box(contact_tangents f, lane box)
{
    lane low = lane_negate(box);
    return (contact_tangents){lane_clamp(f.x, low, box), lane_clamp(f.y, low, box)};
}

/* Lets a patch that sticks hold up to its static friction [Waterson 5.53]. Returns `stopping` within that
 * limit for a patch that sticks, and `sliding`, which is within the limit of a patch that slides, elsewhere.
 *
 * The equation alone has no memory: a patch that slides would stick again as soon as one substep may stop it
 * within the static limit, at speeds below (mu_s - mu_d) N h / m. A patch that slid when the step began
 * therefore keeps mu_d until friction within mu_d stops it, or until stopping it takes friction against the
 * friction of its sliding, `braking`: then it has come to rest on the way, and turns back. The friction of a
 * patch that begins to slide is that of sticking: it opposes the sliding from the first sweep on.
 *
 * Patches slip between two steps (stiction.c). Within a step the friction of one that sticks is shortened to
 * the static limit, so that a load beyond it leaves the patch a speed. */
LANE_INLINE contact_tangents friction_with_stiction(dry_contact_bundle *c, dry_contact_stiction *stiction,
                                                    contact_mode mode, contact_tangents stopping,
                                                    contact_tangents sliding, contact_tangents braking,
                                                    lane normal_impulse, lane limit, const dry_sweep *s,
                                                    int at)
{
    const bool box = contact_friction_is_box(mode.friction);
    const lane zero = lane_zero(), larger = lane_max(lane_abs(stopping.x), lane_abs(stopping.y));
    const lane square = lane_add_mul(lane_mul(stopping.x, stopping.x), stopping.y, stopping.y);
    const lane along = lane_add_mul(lane_mul(stopping.x, braking.x), stopping.y, braking.y);
    const lane state = LOAD(stiction->state);
    const lane_mask stuck = lane_less(state, lane_set(DRY_PATCH_SLIDES));
    const lane_mask back = lane_mask_and(lane_less(state, lane_set(DRY_PATCH_SLIPS)), lane_less(along, zero));
    /* Lanes without static friction are as in bundles without. */
    const lane_mask given = lane_less(LOAD(c->friction), LOAD(stiction->friction));
    const lane_mask holds = lane_mask_and(given, lane_mask_or(stuck, back));
    lane most = lane_mul(LOAD(stiction->friction), normal_impulse);
    if (box)
        most = lane_select(lane_less(zero, normal_impulse),
                           lane_mul(LOAD(stiction->box), lane_set(s->substep)), zero);
    const lane_mask stops =
        box ? lane_less_equal(larger, limit) : lane_less_equal(square, lane_mul(limit, limit));
    const contact_tangents held = box ? friction_in_box(stopping, most) : friction_shortened(stopping, most);
    const lane sticks = lane_set(DRY_PATCH_STICKS);
    const lane slides = lane_select(given, lane_set(DRY_PATCH_SLIDES), sticks);
    lane_store(stiction->state + at, lane_select(lane_mask_or(holds, stops), sticks, slides));
    return (contact_tangents){lane_select(holds, held.x, sliding.x), lane_select(holds, held.y, sliding.y)};
}

/* Returns the direction of friction that brakes the velocity at which the substep began, for contacts that
 * have forgotten their impulses. */
LANE_INLINE contact_tangents friction_against_start(dry_contact_bundle *c, dry_contact_cold *cold,
                                                    const dry_sweep *s, const contact_pair *m,
                                                    contact_mode mode, int at)
{
    const lane_vec3 start = contact_tangent_start(m, c, s, at);
    const contact_tangents v = friction_velocity(start.x, start.y, cold->kinematic_tangent, mode, at);
    return (contact_tangents){lane_negate(v.x), lane_negate(v.y)};
}

/* Returns the share of a velocity that a sweep stops [Waterson 4.73]. A patch that slides takes no share: its
 * impulse turns to the direction of -v by steps that must not overshoot. */
LANE_INLINE lane friction_relaxed(lane v, const dry_sweep *s, contact_mode mode)
{
    return mode.relaxed ? lane_mul(v, lane_set(s->relaxation)) : v;
}

/* Rounds an impulse before it is stored: its change is applied as stored. */
LANE_INLINE contact_tangents friction_as_stored(contact_tangents f)
{
    return (contact_tangents){lane_as_stored(f.x), lane_as_stored(f.y)};
}

/* Solves the two rows along the tangents. */
LANE_INLINE void contact_solve_tangents(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                        contact_pair *m, lane normal_impulse, lane limit, contact_mode mode,
                                        int at)
{
    const lane_vec3 velocity = contact_tangent_velocity(m, at);
    contact_tangents v = friction_velocity(velocity.x, velocity.y, cold->kinematic_tangent, mode, at);
    if (mode.flags & DRY_BUNDLE_TURNING) {
        v.x = lane_add_mul(v.x, lane_set(s->turned), LOAD(m->turning->tangent[0]));
        v.y = lane_add_mul(v.y, lane_set(s->turned), LOAD(m->turning->tangent[1]));
    }
    contact_tangents old = {LOAD(c->friction_impulse[0]), LOAD(c->friction_impulse[1])};
    const contact_tangents stopped = {friction_relaxed(v.x, s, mode), friction_relaxed(v.y, s, mode)};
    const contact_inverse inverse = contact_tangent_inverse(m, c);
    contact_tangents stopping, f;
    if (mode.friction == DRY_FRICTION_VELOCITY) {
        stopping = friction_against_velocity(inverse, v, stopped, old, at);
        f = friction_shortened(stopping, limit);
    } else {
        stopping = friction_stopping(inverse, stopped, old, at);
        f = contact_friction_is_box(mode.friction)
                ? friction_in_box(stopping, friction_box(cold, s, normal_impulse, at))
                : friction_in_cone(inverse, stopping, v, old, limit, at);
    }
    if (mode.flags & DRY_BUNDLE_STICTION) {
        if (contact_friction_is_box(mode.friction))
            limit = friction_box(cold, s, normal_impulse, at);
        contact_tangents braking = old;
        if (mode.turned && s->afresh)
            braking = friction_against_start(c, cold, s, m, mode, at);
        f = friction_with_stiction(c, &s->stiction[cold - s->cold], mode, stopping, f, braking,
                                   normal_impulse, limit, s, at);
    }
    f = friction_as_stored(f);
    lane_store(c->friction_impulse[0] + at, f.x);
    lane_store(c->friction_impulse[1] + at, f.y);
    contact_apply_friction(m, lane_sub(f.x, old.x), lane_sub(f.y, old.y), mode.summed, at);
}

/* Solves the row about the normal: torsion is within the friction limit at the patch's mean radius. */
LANE_INLINE void contact_solve_torsion(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                       contact_pair *m, lane friction_limit, contact_mode mode, int at)
{
    lane velocity = contact_spin(m, N, at);
    if (mode.flags & DRY_BUNDLE_KINEMATIC)
        velocity = lane_add(velocity, LOAD(cold->kinematic_torsion));
    /* From -0 on, limits of 0 keep their signs. */
    lane limit = lane_mul(friction_limit, LOAD(c->patch_radius)), middle = lane_set(-0.0f);
    if (mode.flags & DRY_BUNDLE_RUBBING) { /* friction along the tangents leaves less, and acts at the load */
        const lane x = LOAD(c->friction_impulse[0]), y = LOAD(c->friction_impulse[1]),
                   drag = LOAD(cold->rubbing[2]), most = friction_limit;
        const lane left = lane_sub_mul(lane_sub_mul(lane_mul(most, most), x, x), y, y);
        const lane holds = lane_mul(LOAD(c->patch_radius), lane_sqrt(lane_max(left, middle)));
        const lane bound = lane_min(lane_add_mul(holds, lane_mul(most, drag), lane_abs(velocity)), limit);
        limit = lane_select(lane_less(middle, drag), bound, limit);
        middle = lane_sub_mul(lane_mul(LOAD(cold->rubbing[0]), y), LOAD(cold->rubbing[1]), x);
    }
    lane old = LOAD(c->torsion_impulse);
    velocity = friction_relaxed(velocity, s, mode);
    lane torsion = lane_sub_mul(old, contact_torsion_mass(m, mode.summed, at), velocity);
    torsion = lane_as_stored(lane_clamp(torsion, lane_sub(middle, limit), lane_add(middle, limit)));
    lane_store(c->torsion_impulse + at, torsion);
    contact_apply_spin(m, N, lane_sub(torsion, old), mode.summed, at);
}

/* Solves the two rows about the tangents in a bundle that resists rolling: the moment stops the relative
 * rotation, and is at most c r N. */
LANE_INLINE void contact_solve_rolling(dry_contact_cold *cold, const dry_sweep *s, contact_pair *m,
                                       lane normal_impulse, contact_mode mode, int at)
{
    const contact_tangents w = friction_velocity(contact_spin(m, T1, at), contact_spin(m, T2, at),
                                                 cold->kinematic_rolling, mode, at);
    const contact_inverse inverse = contact_rolling_inverse(m, cold);
    const contact_tangents old = {LOAD(cold->rolling_impulse[0]), LOAD(cold->rolling_impulse[1])};
    const contact_tangents stopped = {friction_relaxed(w.x, s, mode), friction_relaxed(w.y, s, mode)};
    contact_tangents moment = friction_stopping(inverse, stopped, old, at);
    const lane limit = lane_mul(LOAD(cold->rolling_limit), normal_impulse);
    moment = friction_as_stored(friction_in_cone(inverse, moment, w, old, limit, at));
    lane_store(cold->rolling_impulse[0] + at, moment.x);
    lane_store(cold->rolling_impulse[1] + at, moment.y);
    contact_apply_spin(m, T1, lane_sub(moment.x, old.x), mode.summed, at);
    contact_apply_spin(m, T2, lane_sub(moment.y, old.y), mode.summed, at);
}

/* Solves friction at the patch's center within mu times the normal impulses, then torsion about the normal,
 * then rolling. */
LANE_INLINE void contact_solve_friction(dry_contact_bundle *c, dry_contact_cold *cold, const dry_sweep *s,
                                        contact_pair *m, contact_mode mode, int at)
{
    const lane normal_impulse = contact_normal_impulse(c, cold, mode, at);
    const lane limit = lane_mul(LOAD(c->friction), normal_impulse);
    contact_solve_tangents(c, cold, s, m, normal_impulse, limit, mode, at);
    contact_solve_torsion(c, cold, s, m, limit, mode, at);
    if (mode.flags & DRY_BUNDLE_ROLLING)
        contact_solve_rolling(cold, s, m, normal_impulse, mode, at);
}

#endif
