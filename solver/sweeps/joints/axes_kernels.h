/* Sweeps over what acts along the free coordinates of joints. Compiled once for each level, and once for one
 * lane in double, of which coupled_axes.c takes the rules. */
#ifndef SOLVER_SWEEPS_JOINTS_AXES_KERNELS_H
#define SOLVER_SWEEPS_JOINTS_AXES_KERNELS_H

#include "solver/data/joints/axes.h"
#include "solver/sweeps/joints/joint_lanes.h"

/* A row's motion in one substep. */
typedef struct axis_motion {
    lane speed; /* now, m/s or rad/s */
    lane begin; /* when the substep began */
    lane moved; /* since the step began, m or rad */
    lane diagonal, inverse;
#ifdef DRY_LANE_DOUBLE
    lane scale; /* of rigid parts' softness: joints leave the row this share of its own diagonal */
#endif
    dry_update update;
} axis_motion;

/* Returns a part's softness along its row. */
LANE_INLINE lane axis_softness(dry_axis_part *p, const axis_motion *m, int at)
{
#ifdef DRY_LANE_DOUBLE
    return LOAD(p->softness) * (LOAD(p->rigid) > 0.5 ? m->scale : 1.0);
#else
    (void)m;
    return LOAD(p->softness);
#endif
}

/* Returns the inverse of a row's diagonal with a part's softness. */
LANE_INLINE lane axis_mass(dry_axis_part *p, const axis_motion *m, int at)
{
#ifdef DRY_LANE_DOUBLE
    return 1.0 / (m->diagonal + axis_softness(p, m, at));
#else
    (void)m;
    return LOAD(p->mass);
#endif
}

/* Adds a change to a part's impulse, as far as its bounds allow; the row's speed follows. */
LANE_INLINE void axis_apply(dry_axis_part *p, axis_motion *m, lane change, lane low, lane high, lane sign,
                            lane *sum, int at)
{
    const lane before = LOAD(p->impulse);
    const lane after = lane_as_stored(lane_min(lane_max(lane_add(before, change), low), high));
    const lane applied = lane_mul(sign, lane_sub(after, before));
    lane_store(p->impulse + at, after);
    m->speed = lane_add_mul(m->speed, m->diagonal, applied);
    *sum = lane_add(*sum, applied);
}

/* Returns a bias velocity within the bound of rigid joints, of a stop by its gap; springs have none. */
LANE_INLINE lane axis_bounded(lane bias, lane gap, lane rigid, const dry_sweep *s, dry_update update)
{
    const lane most = joint_closing(update == DRY_UPDATE_DIRECT ? lane_negate(gap) : lane_zero(), s);
    lane bounded = lane_min(lane_max(bias, lane_negate(most)), most);
    if (update == DRY_UPDATE_TURNED)
        bounded = lane_add_mul(bounded, lane_set(JOINT_TURNED_SHARE), lane_sub(bias, bounded));
    return lane_select(lane_less(lane_set(0.5f), rigid), bounded, bias);
}

/* Solves a spring or a motor: v + a q + eps lambda - (1 - b) v_begin = 0, with v from the speed wanted. */
LANE_INLINE void axis_spring(dry_axis_part *p, axis_motion *m, const dry_sweep *s, dry_sweep_kind sweep,
                             lane *sum, int at)
{
    const lane most = LOAD(p->most), rigid = LOAD(p->rigid), wanted = LOAD(p->speed);
    const lane speed = lane_sub(m->speed, wanted);
    lane change;
    if (sweep == DRY_SWEEP_SOLVE) {
        const lane q = lane_sub_mul(lane_add(LOAD(p->error), m->moved), wanted, lane_set(s->time));
        lane bias = lane_add_mul(lane_mul(axis_softness(p, m, at), LOAD(p->impulse)), LOAD(p->rate), q);
        bias = axis_bounded(bias, lane_zero(), rigid, s, m->update);
        bias = lane_sub_mul(bias, LOAD(p->approach), lane_sub(m->begin, wanted));
        change = lane_mul(axis_mass(p, m, at), lane_mul(joint_share(s, sweep), lane_add(speed, bias)));
    } else {
        change = lane_mul(lane_mul(rigid, m->inverse), lane_negate(speed));
    }
    axis_apply(p, m, change, lane_negate(most), most, lane_set(1.0f), sum, at);
}

/* Solves dry friction: v = 0 as far as the bound allows. */
LANE_INLINE void axis_friction(dry_axis_part *p, axis_motion *m, const dry_sweep *s, dry_sweep_kind sweep,
                               lane *sum, int at)
{
    const lane most = LOAD(p->most);
    axis_apply(p, m, lane_mul(m->inverse, lane_mul(joint_share(s, sweep), m->speed)), lane_negate(most), most,
               lane_set(1.0f), sum, at);
}

/* Solves a stop, for which speeds are positive away from it. A hard one lets the gap close within the
 * substep, and pushes back what went through. A soft one is a spring that only pushes. */
LANE_INLINE void axis_stop(dry_axis_part *p, axis_motion *m, lane e, bool bounces, lane sign,
                           const dry_sweep *s, dry_sweep_kind sweep, lane *sum, int at)
{
    const lane zero = lane_zero(), rigid = LOAD(p->rigid), impulse = LOAD(p->impulse);
    const lane speed = lane_mul(sign, m->speed), begin = lane_mul(sign, m->begin);
    const lane gap = lane_add_mul(LOAD(p->error), sign, m->moved);
    const lane_mask hard = lane_less(lane_set(0.5f), rigid), open = lane_less(zero, gap);
    const lane_mask free = lane_mask_and(hard, open);
    const lane closing = lane_mul(gap, lane_set(s->rate_free));
    lane bias, mass;
    if (sweep == DRY_SWEEP_SOLVE) {
        bias = lane_add_mul(lane_mul(axis_softness(p, m, at), impulse), LOAD(p->rate), gap);
        bias = lane_sub_mul(axis_bounded(bias, gap, rigid, s, m->update), LOAD(p->approach), begin);
        bias = lane_select(free, closing, bias);
        mass = lane_select(free, m->inverse, axis_mass(p, m, at));
        if (bounces) {
            /* Reached within the substep, and fast: the speed after is a share of that before. */
            const lane reach = lane_add_mul(gap, begin, lane_set(s->substep));
            const lane back = lane_mul(e, begin);
            const lane_mask hit = lane_mask_and(lane_less(begin, lane_set(-s->bounce_speed)),
                                                lane_mask_and(lane_less(reach, zero), lane_less(back, zero)));
            bias = lane_select(hit, back, bias);
            mass = lane_select(hit, m->inverse, mass);
            lane_store(p->speed + at, lane_select(hit, back, zero));
        }
    } else {
        bias = lane_select(open, closing, zero);
        mass = lane_mul(rigid, m->inverse);
        if (bounces) {
            const lane back = LOAD(p->speed);
            const lane_mask hit = lane_less(back, zero);
            bias = lane_select(hit, back, bias);
            /* One that is just reached as the substep ends is hit in the next one. */
            const lane_mask fast =
                lane_mask_and(lane_less(zero, e), lane_less(begin, lane_set(-s->bounce_speed)));
            mass = lane_select(lane_mask_without(fast, hit), zero, mass);
        }
    }
    const lane change = lane_mul(mass, lane_mul(joint_share(s, sweep), lane_add(speed, bias)));
    axis_apply(p, m, change, zero, LOAD(p->most), sign, sum, at);
}

/* The velocities of both bodies when the substep began, where some part of the bundle asks for them. */
typedef struct axes_start {
    lane_velocity a, b;
    bool some;
} axes_start;

LANE_INLINE void axes_begin(const dry_axes_bundle *c, const dry_sweep *s, bool asked, axes_start *start,
                            int at)
{
    start->some = asked;
    if (asked) {
        start->a = lane_gather_start(s->start, c->row_a + at);
        start->b = lane_gather_start(s->start, c->row_b + at);
    }
}

LANE_INLINE axis_motion axis_motion_of(dry_axis_row *row, const dry_sweep *s, const lane_velocity *va,
                                       const lane_velocity *vb, const axes_start *start,
                                       const lane_displacement *da, const lane_displacement *db,
                                       dry_update update, int at)
{
    axis_motion m = {.diagonal = LOAD(row->diagonal), .inverse = LOAD(row->inverse), .update = update};
    m.speed = pair_dot(&row->pair, va->ul, va->ua, vb->ul, vb->ua,
                       pair_own_speed(&row->pair, s->acceleration_time, at), at);
    m.begin = lane_zero();
    if (start->some) {
        const lane own = pair_own_speed(&row->pair, s->acceleration_time - s->substep, at);
        m.begin = pair_dot(&row->pair, start->a.ul, start->a.ua, start->b.ul, start->b.ua, own, at);
    }
    m.moved = pair_dot(&row->pair, da->dl, da->da, db->dl, db->da,
                       lane_mul(LOAD(row->pair.kinematic), lane_set(s->time)), at);
    return m;
}

/* Returns the change of a row's impulse, with those of its parts in the bundle. */
LANE_INLINE lane axis_impulse(dry_axes_bundle *c, int i, axis_motion *m, const dry_sweep *s,
                              dry_sweep_kind sweep, int at)
{
    dry_axis_row *row = &c->row[i];
    const uint32_t uses = c->uses[i];
    lane sum = lane_zero();
    if (uses & 1u << DRY_PART_SPRING)
        axis_spring(&row->part[DRY_PART_SPRING], m, s, sweep, &sum, at);
    if (uses & 1u << DRY_PART_MOTOR)
        axis_spring(&row->part[DRY_PART_MOTOR], m, s, sweep, &sum, at);
    if (uses & 1u << DRY_PART_FRICTION)
        axis_friction(&row->part[DRY_PART_FRICTION], m, s, sweep, &sum, at);
    const lane e = LOAD(row->stop_restitution);
    if (uses & 1u << DRY_PART_LOWER)
        axis_stop(&row->part[DRY_PART_LOWER], m, e, c->bounces, lane_set(1.0f), s, sweep, &sum, at);
    if (uses & 1u << DRY_PART_UPPER)
        axis_stop(&row->part[DRY_PART_UPPER], m, e, c->bounces, lane_set(-1.0f), s, sweep, &sum, at);
    return sum;
}

/* Returns the impulse that a row holds by the parts of it that are in use. */
LANE_INLINE lane axis_held(dry_axis_row *row, uint32_t uses, int at)
{
    lane sum = lane_zero();
    for (int p = DRY_PART_SPRING; p < DRY_PART_UPPER; p++)
        if (uses & 1u << p)
            sum = lane_add(sum, LOAD(row->part[p].impulse));
    return uses & 1u << DRY_PART_UPPER ? lane_sub(sum, LOAD(row->part[DRY_PART_UPPER].impulse)) : sum;
}

/* Adds the impulses of a substep to those of the step. */
LANE_INLINE void axes_tally(dry_axes_bundle *c, int at)
{
    lane squared = lane_zero();
    for (int i = 0; i < c->rows; i++) {
        dry_axis_row *row = &c->row[i];
        lane impulse = axis_held(row, c->uses[i], at);
        if (c->rounds && i < 3)
            impulse = lane_add(impulse, LOAD(c->round.impulse[i]));
        pair_tally(&row->pair, impulse, &squared, at);
    }
    lane_store(c->peak + at, lane_max(LOAD(c->peak), squared));
}

/* Takes all impulses away. */
LANE_INLINE void axes_forget(dry_axes_bundle *c, int at)
{
    for (int i = 0; i < c->rows; i++)
        for (int p = 0; p < DRY_PART_COUNT; p++)
            if (c->uses[i] & 1u << p)
                lane_store(c->row[i].part[p].impulse + at, lane_zero());
    for (int i = 0; i < 3; i++)
        lane_store(c->round.impulse[i] + at, lane_zero());
}

/* Returns the product of a lane's axis, or of its rows' parts along one, with a vector. */
LANE_INLINE lane axes_dot3(lane x, lane y, lane z, const lane v[3])
{
    return lane_add_mul(lane_add_mul(lane_mul(x, v[0]), y, v[1]), z, v[2]);
}

/* Returns in `impulse` the friction about the axes of a ball joint, along which rows have the speed `start`
 * without it. */
LANE_INLINE void axes_slow(const lane diagonal[3], const lane start[3], lane most, lane impulse[3])
{
    const lane tiny = lane_set(FLT_MIN), one = lane_set(1.0f);
    lane k = lane_zero(), length = lane_zero();
    for (int step = 0; step <= DRY_ROUND_STEPS; step++) {
        lane squared = lane_zero(), slope = lane_zero();
        for (int i = 0; i < 3; i++) {
            const lane softened = lane_max(lane_add(diagonal[i], k), tiny);
            impulse[i] = lane_div(lane_negate(start[i]), softened);
            const lane square = lane_mul(impulse[i], impulse[i]);
            squared = lane_add(squared, square);
            slope = lane_add(slope, lane_div(square, softened));
        }
        length = lane_sqrt(squared);
        const lane beyond = lane_max(lane_sub(lane_div(length, lane_max(most, tiny)), one), lane_zero());
        if (step < DRY_ROUND_STEPS)
            k = lane_add_mul(k, beyond, lane_div(squared, lane_max(slope, tiny)));
    }
    const lane scale = lane_min(lane_div(most, lane_max(length, tiny)), one);
    for (int i = 0; i < 3; i++)
        impulse[i] = lane_select(lane_less(lane_zero(), most), lane_mul(scale, impulse[i]), lane_zero());
}

/* Solves the friction of ball joints. */
LANE_INLINE void axes_round(dry_axes_bundle *c, const dry_sweep *s, dry_sweep_kind sweep,
                            const lane_velocity *va, const lane_velocity *vb, lane_velocity *ca,
                            lane_velocity *cb, int at)
{
    dry_round_friction *r = &c->round;
    const lane held[3] = {LOAD(r->impulse[0]), LOAD(r->impulse[1]), LOAD(r->impulse[2])};
    lane speed[3], diagonal[3], start[3], impulse[3];
    for (int i = 0; i < 3; i++) {
        dry_pair_row *row = &c->row[i].pair;
        speed[i] =
            pair_dot(row, va->ul, va->ua, vb->ul, vb->ua, pair_own_speed(row, s->acceleration_time, at), at);
    }
    for (int i = 0; i < 3; i++) {
        const lane x = LOAD(r->axis[i][0]), y = LOAD(r->axis[i][1]), z = LOAD(r->axis[i][2]);
        diagonal[i] = LOAD(r->diagonal[i]);
        start[i] = lane_sub_mul(axes_dot3(x, y, z, speed), diagonal[i], axes_dot3(x, y, z, held));
    }
    axes_slow(diagonal, start, LOAD(r->most), impulse);
    for (int i = 0; i < 3; i++) {
        const lane wanted = axes_dot3(LOAD(r->axis[0][i]), LOAD(r->axis[1][i]), LOAD(r->axis[2][i]), impulse);
        const lane change =
            sweep == DRY_SWEEP_WARM ? held[i] : lane_mul(joint_share(s, sweep), lane_sub(held[i], wanted));
        if (sweep != DRY_SWEEP_WARM)
            lane_store(r->impulse[i] + at, lane_add(held[i], change));
        pair_push(&c->row[i].pair, change, change, ca, cb, at);
    }
}

KIND_SWEEP void axes_sweep(dry_axes_bundle *c, const dry_sweep *s, dry_sweep_kind sweep, dry_update update,
                           int at)
{
    lane_velocity va, vb, ca, cb;
    lane_displacement da, db;
    lane_gather_both(s->rows, c->row_a + at, &va, &da);
    lane_gather_both(s->rows, c->row_b + at, &vb, &db);
    if (joint_forgets(s, sweep, update))
        axes_forget(c, at);
    axes_start start;
    axes_begin(c, s, c->bounces || (sweep == DRY_SWEEP_SOLVE && c->begins), &start, at);
    lane_velocity now_a = va, now_b = vb;
    ca.ul = ca.ua = cb.ul = cb.ua = lane_vec3_zero();
    for (int i = 0; i < c->rows; i++) {
        dry_axis_row *row = &c->row[i];
        lane impulse;
        if (sweep == DRY_SWEEP_WARM) {
            impulse = axis_held(row, c->uses[i], at);
        } else {
            axis_motion m = axis_motion_of(row, s, &now_a, &now_b, &start, &da, &db, update, at);
            impulse = axis_impulse(c, i, &m, s, sweep, at);
            pair_push(&row->pair, lane_mul(LOAD(c->share_a), impulse), lane_mul(LOAD(c->share_b), impulse),
                      &now_a, &now_b, at);
        }
        pair_push(&row->pair, impulse, impulse, &ca, &cb, at);
    }
    if (c->rounds)
        axes_round(c, s, sweep, &now_a, &now_b, &ca, &cb, at);
    if (s->tally && sweep != DRY_SWEEP_WARM)
        axes_tally(c, at);
    joint_scatter(c->row_a + at, c->row_b + at, s, &ca, &cb, &va, &vb, update);
}

#endif
