/* The kernels of block descent that visit contacts: errors of a substep, relaxation, multipliers. Compiled
 * once per instruction set; included by kernels.c alone. */
#ifndef SOLVER_METHODS_BLOCKS_CONTACT_KERNELS_H
#define SOLVER_METHODS_BLOCKS_CONTACT_KERNELS_H

#include "solver/methods/blocks/contact_lanes.h"

/* The displacements or the velocities of a contact's bodies, or those when the substep began. */
typedef enum block_of { BLOCK_DISPLACEMENTS, BLOCK_VELOCITIES, BLOCK_STARTS } block_of;

/* Gathers contacts, seen from b, and returns the motion of `of`. */
LANE_INLINE block_motion block_contact_lanes(const dry_block_sweep *s, int first, float *contact[DRY_LANES],
                                             block_pair *p, block_of of)
{
    _Alignas(64) int32_t a[DRY_LANES], b[DRY_LANES];
    int side[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        dry_block_contact *c = &s->contact[first + i];
        contact[i] = c->normal;
        a[i] = c->row[0], b[i] = c->row[1];
        side[i] = 1;
    }
    block_gather((const float *const *)contact, side, p);
    lane_velocity va, vb;
    lane_displacement da, db;
    lane mass_a, mass_b;
    lane_gather_rows(s->rows, a, &va, &da, &mass_a);
    lane_gather_rows(s->rows, b, &vb, &db, &mass_b);
    if (of == BLOCK_STARTS)
        va = lane_gather_start(s->start, a), vb = lane_gather_start(s->start, b);
    return of == BLOCK_DISPLACEMENTS ? block_motion_of(p, mass_b, db.dl, db.da, mass_a, da.dl, da.da)
                                     : block_motion_of(p, mass_b, vb.ul, vb.ua, mass_a, va.ul, va.ua);
}

/* The places of contacts in their bundle. */
typedef struct block_bundle {
    dry_contact_bundle *c;
    const dry_contact_cold *cold;
    dry_contact_stiction *patch; /* null: none has static friction */
    int at;
} block_bundle;

LANE_INLINE block_bundle block_bundle_of(const dry_block_sweep *s, int first)
{
    const int cold = s->header[first / DRY_BUNDLE].cold;
    const bool sticks = s->stiction && s->cold[cold].flags & DRY_BUNDLE_STICTION;
    return (block_bundle){&s->bundle[first / DRY_BUNDLE], &s->cold[cold], sticks ? &s->patch[cold] : NULL,
                          first % DRY_BUNDLE};
}

/* Returns the speed that kinematic bodies add to the row of point i. */
LANE_INLINE lane block_kinematic_normal(const block_bundle *b, int i)
{
    return b->cold->flags & DRY_BUNDLE_KINEMATIC ? lane_load(b->cold->kinematic_normal[i] + b->at)
                                                 : lane_zero();
}

/* Finds the errors over h. A gap may close within the substep; an overlap is pushed apart at a share of its
 * depth in a substep. Keeps the direction of friction against the sliding at which the substep begins. */
LANE_INLINE void block_begin_lanes(const dry_block_sweep *s, int first)
{
    float *contact[DRY_LANES];
    block_pair p;
    const block_motion m = block_contact_lanes(s, first, contact, &p, BLOCK_DISPLACEMENTS);
    const block_bundle b = block_bundle_of(s, first);
    lane bias[4];
    const lane zero = lane_zero(), least = lane_set(-s->bias_speed_max);
    for (int i = 0; i < 4; i++) {
        const lane_mask here = lane_less(zero, lane_load(b.c->inverse_mass[i] + b.at));
        const lane kinematic = block_kinematic_normal(&b, i);
        lane q = lane_select(here, lane_load(b.c->separation[i] + b.at), lane_set(FLT_MAX));
        q = lane_fma(kinematic, lane_set(s->time), lane_add(q, block_normal_motion(&p, &m, i)));
        const lane closing = lane_mul(q, lane_set(s->rate_free));
        const lane pushing = lane_max(lane_mul(q, lane_set(s->rate)), least);
        bias[i] = lane_add(lane_select(lane_less(zero, q), closing, pushing), kinematic);
    }
    lane_scatter4(contact, BLOCK_BIAS, bias);
    if (!b.patch)
        return;
    const block_motion start = block_contact_lanes(s, first, contact, &p, BLOCK_STARTS);
    lane kinematic[4];
    lane_gather4((const float *const *)contact, BLOCK_KINEMATIC, kinematic);
    lane_store(b.patch->braking[0] + b.at, lane_negate(lane_add(start.center.x, kinematic[0])));
    lane_store(b.patch->braking[1] + b.at, lane_negate(lane_add(start.center.y, kinematic[1])));
}

/* Takes the speeds away at which overlaps are pushed apart: gaps still may close by what they were. */
LANE_INLINE void block_relax_lanes(const dry_block_sweep *s, int first)
{
    const block_bundle b = block_bundle_of(s, first);
    float *contact[DRY_LANES];
    lane bias[4];
    for (int i = 0; i < DRY_LANES; i++)
        contact[i] = s->contact[first + i].normal;
    lane_gather4((const float *const *)contact, BLOCK_BIAS, bias);
    for (int i = 0; i < 4; i++)
        bias[i] = lane_max(bias[i], block_kinematic_normal(&b, i));
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
    const lane along = lane_fma(r->friction[1], y, lane_mul(r->friction[0], x));
    const lane still = lane_select(lane_less(along, zero), zero, one);
    const lane sliding = s->last ? lane_mul(still, lane_sub(one, r->held)) : still;
    stiction[1] = lane_select(lane_less(zero, stiction[1]), sliding, zero);
    lane_scatter4(contact, BLOCK_STICTION, stiction);
}

LANE_INLINE void block_multiply_lanes(const dry_block_sweep *s, int first)
{
    float *contact[DRY_LANES];
    block_pair p;
    const block_motion m = block_contact_lanes(s, first, contact, &p, BLOCK_VELOCITIES);
    const block_response r = block_respond(s, (const float *const *)contact, &p, &m);
    const lane zero = lane_zero();
    lane worst = zero;
    for (int i = 0; i < 4; i++)
        worst = lane_max(worst, lane_select(lane_less(zero, r.normal[i]), lane_abs(r.error[i]), zero));
    const block_bundle b = block_bundle_of(s, first);
    const lane xx = lane_load(b.c->friction_mass[0] + b.at), yy = lane_load(b.c->friction_mass[2] + b.at);
    lane mass[2] = {zero, lane_mul(lane_set(0.5f), lane_add(xx, yy))}, penalty[4];
    for (int i = 0; i < 4; i++)
        mass[0] = lane_max(mass[0], lane_load(b.c->inverse_mass[i] + b.at));
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
