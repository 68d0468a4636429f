/* The kernels of block descent that visit contacts: errors of a substep, relaxation, multipliers. Compiled
 * once per instruction set; included by kernels.c alone. */
#ifndef METHODS_BLOCKS_MULTIPLIER_KERNELS_H
#define METHODS_BLOCKS_MULTIPLIER_KERNELS_H

#include "methods/blocks/contact_lanes.h"

/* Contacts in their bundle, with their bodies. */
typedef struct block_bundle {
    dry_contact_bundle *c;
    dry_contact_cold *cold;
    dry_contact_stiction *patch; /* null: none has static friction */
    int at;
    contact_pair pair;
} block_bundle;

LANE_INLINE block_bundle block_bundle_of(const dry_block_sweep *s, int first)
{
    const int bundle = first / DRY_BUNDLE, cold = s->sweep.headers[bundle].cold;
    block_bundle b = {.c = &s->bundle[bundle], .cold = &s->sweep.cold[cold], .at = first % DRY_BUNDLE};
    b.patch = s->sweep.stiction && b.cold->flags & DRY_BUNDLE_STICTION ? &s->sweep.stiction[cold] : NULL;
    contact_begin(&b.pair, b.c, b.at);
    contact_gather(&b.pair, b.c, b.cold, &s->sweep, false, b.at);
    return b;
}

/* Finds the addresses of contacts. */
LANE_INLINE void block_contacts_of(const dry_block_sweep *s, int first, float *contact[DRY_LANES])
{
    for (int i = 0; i < DRY_LANES; i++)
        contact[i] = s->contact[first + i].normal;
}

/* Returns a speed that kinematic bodies add to a row. */
LANE_INLINE lane block_kinematic(const block_bundle *b, const float *speed)
{
    return b->cold->flags & DRY_BUNDLE_KINEMATIC ? lane_load(speed + b->at) : lane_zero();
}

/* Finds the errors over h. A gap may close within the substep; an overlap is pushed apart at a share of its
 * depth in a substep. Keeps the direction of friction against the sliding at which the substep begins. */
LANE_INLINE void block_begin_lanes(const dry_block_sweep *s, int first)
{
    float *contact[DRY_LANES];
    const block_bundle b = block_bundle_of(s, first);
    const int at = b.at;
    const contact_points p = contact_points_of(b.c, at);
    lane bias[4];
    const lane zero = lane_zero(), least = lane_set(-s->sweep.bias_speed_max);
    for (int i = 0; i < 4; i++) {
        const lane_mask here = lane_less(zero, LOAD(b.c->inverse_mass[i]));
        const lane kinematic = block_kinematic(&b, b.cold->kinematic_normal[i]);
        lane q = lane_select(here, LOAD(b.c->separation[i]), lane_set(FLT_MAX));
        q = lane_add(q, contact_normal_motion_at(b.pair.movement, p.x[i], p.y[i]));
        q = lane_add_mul(q, kinematic, lane_set(s->sweep.time));
        const lane closing = lane_mul(q, lane_set(s->sweep.rate_free));
        const lane pushing = lane_max(lane_mul(q, lane_set(s->sweep.rate)), least);
        bias[i] = lane_add(lane_select(lane_less(zero, q), closing, pushing), kinematic);
    }
    block_contacts_of(s, first, contact);
    lane_scatter4(contact, BLOCK_BIAS, bias);
    if (!b.patch)
        return;
    const lane_vec3 start = contact_tangent_start(&b.pair, b.c, &s->sweep, at);
    const lane x = lane_add(start.x, block_kinematic(&b, b.cold->kinematic_tangent[0]));
    const lane y = lane_add(start.y, block_kinematic(&b, b.cold->kinematic_tangent[1]));
    lane_store(b.patch->braking[0] + at, lane_negate(x));
    lane_store(b.patch->braking[1] + at, lane_negate(y));
}

/* Takes the speeds away at which overlaps are pushed apart: gaps still may close by what they were. */
LANE_INLINE void block_relax_lanes(const dry_block_sweep *s, int first)
{
    const block_bundle b = block_bundle_of(s, first);
    float *contact[DRY_LANES];
    lane bias[4];
    block_contacts_of(s, first, contact);
    lane_gather4((const float *const *)contact, BLOCK_BIAS, bias);
    for (int i = 0; i < 4; i++)
        bias[i] = lane_max(bias[i], block_kinematic(&b, b.cold->kinematic_normal[i]));
    lane_scatter4(contact, BLOCK_BIAS, bias);
}

/* Lets patches that slide stick where friction pushes them on: they have come to rest on the way, and turn
 * back. In a substep's last sweep they also stick where friction within mu N stops them. */
LANE_INLINE void block_stick(const dry_block_sweep *s, const block_bundle *b, float *const *contact,
                             const block_response *r)
{
    const lane zero = lane_zero(), one = lane_set(1.0f);
    lane stiction[4];
    lane_gather4((const float *const *)contact, BLOCK_STICTION, stiction);
    const lane x = lane_load(b->patch->braking[0] + b->at), y = lane_load(b->patch->braking[1] + b->at);
    const lane along = lane_add_mul(lane_mul(r->friction[0], x), r->friction[1], y);
    const lane still = lane_select(lane_less(along, zero), zero, one);
    const lane sliding = s->last ? lane_mul(still, lane_sub(one, r->held)) : still;
    stiction[1] = lane_select(lane_less(zero, stiction[1]), sliding, zero);
    lane_scatter4(contact, BLOCK_STICTION, stiction);
}

LANE_INLINE void block_multiply_lanes(const dry_block_sweep *s, int first)
{
    const block_bundle b = block_bundle_of(s, first);
    const int at = b.at;
    float *contact[DRY_LANES];
    int side[DRY_LANES];
    block_sides sides;
    block_contact c;
    block_contacts_of(s, first, contact);
    for (int i = 0; i < DRY_LANES; i++)
        side[i] = 1;
    block_gather((const float *const *)contact, side, &sides, &c);
    contact_gather_velocities(&c.pair, b.c, &s->sweep, at);
    const block_motion m = block_motion_of(&c);
    const block_response r = block_respond(s, (const float *const *)contact, &c, &m);
    const lane zero = lane_zero();
    lane worst = zero;
    for (int i = 0; i < 4; i++)
        worst = lane_max(worst, lane_select(lane_less(zero, r.normal[i]), lane_abs(r.error[i]), zero));
    const lane xx = LOAD(b.c->friction_mass[0]), yy = LOAD(b.c->friction_mass[2]);
    lane mass[2] = {zero, lane_mul(lane_set(0.5f), lane_add(xx, yy))}, penalty[4];
    for (int i = 0; i < 4; i++)
        mass[0] = lane_max(mass[0], LOAD(b.c->inverse_mass[i]));
    lane_gather4((const float *const *)contact, BLOCK_PENALTY, penalty);
    const lane grown[2] = {worst, lane_mul(r.held, r.slip)};
    for (int k = 0; k < 2; k++) {
        const lane more = lane_mul(lane_mul(lane_set(s->growth), grown[k]), mass[k]);
        const lane most = lane_mul(lane_set(s->penalty_max), mass[k]);
        penalty[k] = lane_max(lane_min(lane_add(penalty[k], more), most), penalty[k]);
    }
    lane friction[4];
    lane_gather4((const float *const *)contact, BLOCK_FRICTION, friction);
    friction[0] = r.friction[0], friction[1] = r.friction[1], friction[2] = r.torsion;
    lane_scatter4(contact, BLOCK_IMPULSE, r.normal);
    lane_scatter4(contact, BLOCK_FRICTION, friction);
    lane_scatter4(contact, BLOCK_PENALTY, penalty);
    if (b.patch)
        block_stick(s, &b, contact, &r);
    if (s->rolling) {
        lane rolling[4];
        lane_gather4((const float *const *)contact, BLOCK_ROLLING, rolling);
        rolling[0] = r.rolling[0], rolling[1] = r.rolling[1];
        lane_scatter4(contact, BLOCK_ROLLING, rolling);
    }
}

#endif
