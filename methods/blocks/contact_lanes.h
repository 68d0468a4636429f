/* Contacts in lanes for block descent: the impulses that they would have at a motion. Motions come from the
 * same code as for sweeps (solver/sweeps/contacts/motion.h). Compiled once per instruction set. */
#ifndef METHODS_BLOCKS_CONTACT_LANES_H
#define METHODS_BLOCKS_CONTACT_LANES_H

#include "methods/blocks/blocks.h"
#include "simd/gather.h"
#include "solver/sweeps/contacts/motion.h"

#include <float.h>

/* Groups of four floats of a contact. */
enum {
    BLOCK_NORMAL = offsetof(dry_block_contact, normal) / 4,
    BLOCK_SIDE = offsetof(dry_block_contact, side) / 4,
    BLOCK_SIDE_FLOATS = sizeof(dry_block_side) / 4,
    BLOCK_OFFSET = offsetof(dry_block_contact, offset) / 4,
    BLOCK_BIAS = offsetof(dry_block_contact, bias) / 4,
    BLOCK_IMPULSE = offsetof(dry_block_contact, impulse) / 4,
    BLOCK_FRICTION = offsetof(dry_block_contact, friction_impulse) / 4,
    BLOCK_PENALTY = offsetof(dry_block_contact, penalty) / 4,
    BLOCK_KINEMATIC = offsetof(dry_block_contact, kinematic) / 4,
    BLOCK_ROLLING = offsetof(dry_block_contact, rolling_impulse) / 4,
    BLOCK_STICTION = offsetof(dry_block_contact, stiction) / 4
};

/* Speeds from here on, m/s, are those of points that do not exist: their rows never push. */
#define BLOCK_FAR 1e20f

/* Motion of b's surface relative to a's in the frame. */
typedef struct block_motion {
    contact_normal_motion normal;
    lane tangent[2], spin; /* of the patch's center, and about the normal */
} block_motion;

/* The impulses that a contact would have at the present motion, and the penalties of those that change with
 * it. */
typedef struct block_response {
    lane error[4]; /* g . u + b, m/s */
    lane normal[4], rho[4];
    lane friction[2], rho_friction;
    lane torsion, rho_torsion;
    lane rolling[2], rho_rolling;
    lane held;  /* 1 where friction is within its limit */
    lane slip;  /* of the patch's center, m/s */
    lane turns; /* 1 where the patch turns with the bodies */
} block_response;

/* A contact as one of its bodies sees it: b of the pair is the body itself, and a the other one. */
typedef struct block_contact {
    contact_pair pair;
    contact_points points;
    lane sign; /* 1 where the body is the contact's b, -1 where it is its a */
    lane friction;
} block_contact;

/* The sides of a contact, for the pair to read. */
typedef struct block_sides {
    _Alignas(64) dry_lanes axis[2][3][3], lever_arm[2][3];
} block_sides;

/* Gathers one body's part of contacts. */
LANE_INLINE void block_gather_side(const float *const *from, dry_lanes axis[3][3], dry_lanes lever_arm[3],
                                   contact_side *side)
{
    lane g[12];
    for (int k = 0; k < 12; k += 4)
        lane_gather4(from, k, g + k);
    for (int k = 0; k < 3; k++) {
        field_store3(axis[k], 0, (lane_vec3){g[3 * k], g[3 * k + 1], g[3 * k + 2]});
        lane_store(lever_arm[k], g[9 + k]);
    }
    side->axis = axis;
    side->lever_arm = lever_arm;
}

/* Gathers contacts, seen from the side that each lane names. */
LANE_INLINE void block_gather(const float *const *contact, const int *own, block_sides *sides,
                              block_contact *c)
{
    const float *side[2][DRY_LANES];
    _Alignas(64) float sign[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        side[0][i] = contact[i] + BLOCK_SIDE + BLOCK_SIDE_FLOATS * (1 - own[i]);
        side[1][i] = contact[i] + BLOCK_SIDE + BLOCK_SIDE_FLOATS * own[i];
        sign[i] = own[i] ? 1.0f : -1.0f;
    }
    lane g[4];
    lane_gather4(contact, BLOCK_NORMAL, g);
    /* Field by field: an initializer would clear the whole pair, and take 1.15 of the time. */
    c->pair.frame = contact_frame_of_normal((lane_vec3){g[0], g[1], g[2]});
    c->pair.impulse = c->pair.velocity = lane_vec3_zero();
    c->pair.inverse_mass = lane_zero();
    c->friction = g[3];
    c->sign = lane_load(sign);
    block_gather_side(side[0], sides->axis[0], sides->lever_arm[0], &c->pair.a);
    block_gather_side(side[1], sides->axis[1], sides->lever_arm[1], &c->pair.b);
    lane_gather4(contact, BLOCK_OFFSET, c->points.x);
    lane_gather4(contact, BLOCK_OFFSET + 4, c->points.y);
}

/* Returns the motion of b's surface relative to a's, whichever the body is. The pair has its velocities. */
LANE_INLINE block_motion block_motion_of(block_contact *c)
{
    contact_pair *m = &c->pair;
    m->velocity = contact_frame_from_world(&m->frame, contact_relative(m->a.inv_sqrt_mass, m->a.velocity.ul,
                                                                       m->b.inv_sqrt_mass, m->b.velocity.ul));
    const lane_vec3 tangent = lane_vec3_scale(contact_tangent_velocity(m, 0), c->sign);
    const contact_normal_motion n = contact_normal_velocity(m, 0);
    return (block_motion){
        {lane_mul(n.center, c->sign), lane_mul(n.gradient_x, c->sign), lane_mul(n.gradient_y, c->sign)},
        {tangent.x, tangent.y},
        lane_mul(contact_spin(m, N, 0), c->sign),
    };
}

/* Finds the moment that resists rolling: at most a length times the normal impulse. The gradients of the
 * normal motion are the rotation about the tangents. */
LANE_INLINE void block_respond_rolling(const float *const *contact, const contact_normal_motion *m,
                                       lane normal, lane penalty, block_response *r)
{
    const lane one = lane_set(1.0f), tiny = lane_set(FLT_MIN);
    lane rolling[4], stiction[4];
    lane_gather4(contact, BLOCK_ROLLING, rolling);
    lane_gather4(contact, BLOCK_STICTION, stiction);
    const lane *kinematic = stiction + 2;
    const lane rho = lane_mul(penalty, lane_mul(rolling[3], rolling[3])), most = lane_mul(rolling[2], normal);
    const lane x = lane_sub_mul(rolling[0], rho, lane_add(m->gradient_y, kinematic[0]));
    const lane y = lane_sub_mul(rolling[1], rho, lane_sub(kinematic[1], m->gradient_x));
    const lane size = lane_sqrt(lane_max(lane_add_mul(lane_mul(x, x), y, y), tiny));
    const lane shorter = lane_select(lane_less(most, size), lane_div(most, size), one);
    r->rolling[0] = lane_mul(x, shorter);
    r->rolling[1] = lane_mul(y, shorter);
    r->rho_rolling = lane_mul(rho, shorter);
}

/* Returns the limit of friction: mu_s times the normal impulse where a patch sticks, else `limit`
 * [Waterson 5.53]. */
LANE_INLINE lane block_static_limit(const float *const *contact, lane normal, lane limit)
{
    lane stiction[4];
    lane_gather4(contact, BLOCK_STICTION, stiction);
    const lane_mask slides = lane_less(lane_zero(), stiction[1]);
    return lane_select(slides, limit, lane_max(limit, lane_mul(stiction[0], normal)));
}

/* Returns the impulses of a contact that moves so. */
LANE_INLINE block_response block_respond(const dry_block_sweep *s, const float *const *contact,
                                         const block_contact *c, const block_motion *m)
{
    const lane zero = lane_zero(), one = lane_set(1.0f), far = lane_set(BLOCK_FAR);
    block_response r;
    lane bias[4], impulse[4], friction[4], penalty[4], kinematic[4];
    lane_gather4(contact, BLOCK_BIAS, bias);
    lane_gather4(contact, BLOCK_IMPULSE, impulse);
    lane_gather4(contact, BLOCK_FRICTION, friction);
    lane_gather4(contact, BLOCK_PENALTY, penalty);
    lane_gather4(contact, BLOCK_KINEMATIC, kinematic);
    lane sum = zero;
    for (int i = 0; i < 4; i++) {
        r.error[i] = lane_add(contact_normal_motion_at(m->normal, c->points.x[i], c->points.y[i]), bias[i]);
        const lane total = lane_sub_mul(impulse[i], penalty[0], r.error[i]);
        const lane_mask pushes = lane_less(zero, total);
        r.normal[i] = lane_select(pushes, total, zero);
        r.rho[i] = lane_select(lane_less(bias[i], far), penalty[0], zero);
        sum = lane_add(sum, r.normal[i]);
    }
    const lane limit = lane_mul(c->friction, sum), tiny = lane_set(FLT_MIN);
    const lane tangent_limit = s->sweep.stiction ? block_static_limit(contact, sum, limit) : limit;
    const lane v1 = lane_add(m->tangent[0], kinematic[0]), v2 = lane_add(m->tangent[1], kinematic[1]);
    const lane f1 = lane_sub_mul(friction[0], penalty[1], v1), f2 = lane_sub_mul(friction[1], penalty[1], v2);
    const lane size = lane_sqrt(lane_max(lane_add_mul(lane_mul(f1, f1), f2, f2), tiny));
    const lane_mask over = lane_less(tangent_limit, size);
    const lane shorter = lane_select(over, lane_div(tangent_limit, size), one);
    r.friction[0] = lane_mul(f1, shorter);
    r.friction[1] = lane_mul(f2, shorter);
    r.rho_friction = lane_mul(penalty[1], shorter);
    r.held = lane_select(over, zero, one);
    r.turns = kinematic[3];
    r.slip = lane_sqrt(lane_add_mul(lane_mul(v1, v1), v2, v2));
    const lane radius = friction[3], most = lane_mul(limit, radius);
    const lane rho_torsion = lane_mul(penalty[1], lane_mul(radius, radius));
    const lane torsion = lane_sub_mul(friction[2], rho_torsion, lane_add(m->spin, kinematic[2]));
    const lane amount = lane_max(lane_abs(torsion), tiny);
    const lane less = lane_select(lane_less(most, amount), lane_div(most, amount), one);
    r.torsion = lane_mul(torsion, less);
    r.rho_torsion = lane_mul(rho_torsion, less);
    r.rolling[0] = r.rolling[1] = r.rho_rolling = zero;
    if (s->rolling)
        block_respond_rolling(contact, &m->normal, sum, penalty[1], &r);
    return r;
}

#endif
