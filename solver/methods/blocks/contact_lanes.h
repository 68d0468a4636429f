/* Contacts in lanes for block descent: geometry, motion, and the impulses at a motion. Compiled once per
 * instruction set. */
#ifndef SOLVER_METHODS_BLOCKS_CONTACT_LANES_H
#define SOLVER_METHODS_BLOCKS_CONTACT_LANES_H

#include "simd/gather.h"
#include "solver/bodies/gather.h"
#include "solver/constraint/contacts/frame.h"
#include "solver/data/contacts/bundle.h"
#include "solver/methods/blocks/block_sweep.h"

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

/* One body's part of a contact. */
typedef struct block_side {
    lane_vec3 axis[3];   /* of the frame, in the principal frame, whitened */
    lane_vec3 lever_arm; /* in the frame, m */
} block_side;

/* A contact with its motion. All but the sides is b's relative to a's. */
typedef struct block_pair {
    contact_frame frame;
    block_side own, other;
    lane sign; /* 1 where `own` is b, -1 where it is a */
    lane friction;
    lane x[4], y[4]; /* of the points */
} block_pair;

/* Motion of b's surface relative to a's in the frame: at the patch's center, and about the axes. */
typedef struct block_motion {
    lane_vec3 center, about;
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

LANE_INLINE block_side block_gather_side(const float *const *side)
{
    lane g[12];
    lane_gather4(side, 0, g);
    lane_gather4(side, 4, g + 4);
    lane_gather4(side, 8, g + 8);
    return (block_side){{{g[0], g[1], g[2]}, {g[3], g[4], g[5]}, {g[6], g[7], g[8]}}, {g[9], g[10], g[11]}};
}

/* Gathers the geometry of a contact, seen from the side that each lane names. */
LANE_INLINE void block_gather(const float *const *contact, const int *side, block_pair *p)
{
    const float *own[DRY_LANES], *other[DRY_LANES];
    _Alignas(64) float sign[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        own[i] = contact[i] + BLOCK_SIDE + BLOCK_SIDE_FLOATS * side[i];
        other[i] = contact[i] + BLOCK_SIDE + BLOCK_SIDE_FLOATS * (1 - side[i]);
        sign[i] = side[i] ? 1.0f : -1.0f;
    }
    lane g[4];
    lane_gather4(contact, BLOCK_NORMAL, g);
    p->frame = contact_frame_of_normal((lane_vec3){g[0], g[1], g[2]});
    p->friction = g[3];
    p->own = block_gather_side(own);
    p->other = block_gather_side(other);
    p->sign = lane_load(sign);
    lane_gather4(contact, BLOCK_OFFSET, p->x);
    lane_gather4(contact, BLOCK_OFFSET + 4, p->y);
}

LANE_INLINE lane_vec3 block_about(const block_side *side, lane_vec3 angular)
{
    return (lane_vec3){lane_vec3_dot_fused(side->axis[T1], angular),
                       lane_vec3_dot_fused(side->axis[T2], angular),
                       lane_vec3_dot_fused(side->axis[N], angular)};
}

/* Returns the motion of two whitened vectors: velocities or displacements. */
LANE_INLINE block_motion block_motion_of(const block_pair *p, lane own_mass, lane_vec3 own_linear,
                                         lane_vec3 own_angular, lane other_mass, lane_vec3 other_linear,
                                         lane_vec3 other_angular)
{
    const lane_vec3 world =
        lane_vec3_sub_scaled_fused(lane_vec3_scale(own_linear, own_mass), other_mass, other_linear);
    const lane_vec3 own = block_about(&p->own, own_angular), other = block_about(&p->other, other_angular);
    lane_vec3 center = contact_frame_from_world(&p->frame, world);
    center = lane_vec3_add(center, lane_vec3_cross_fused(own, p->own.lever_arm));
    center = lane_vec3_sub(center, lane_vec3_cross_fused(other, p->other.lever_arm));
    return (block_motion){lane_vec3_scale(center, p->sign),
                          lane_vec3_scale(lane_vec3_sub(own, other), p->sign)};
}

/* Returns the motion along the normal at point i. */
LANE_INLINE lane block_normal_motion(const block_pair *p, const block_motion *m, int i)
{
    return lane_fnma(m->about.y, p->x[i], lane_fma(m->about.x, p->y[i], m->center.z));
}

/* Finds the moment that resists rolling: at most a length times the normal impulse. */
LANE_INLINE void block_respond_rolling(const float *const *contact, const block_motion *m, lane normal,
                                       lane penalty, block_response *r)
{
    const lane one = lane_set(1.0f), tiny = lane_set(FLT_MIN);
    lane rolling[4], stiction[4];
    lane_gather4(contact, BLOCK_ROLLING, rolling);
    lane_gather4(contact, BLOCK_STICTION, stiction);
    const lane *kinematic = stiction + 2;
    const lane rho = lane_mul(penalty, lane_mul(rolling[3], rolling[3])), most = lane_mul(rolling[2], normal);
    const lane x = lane_fnma(rho, lane_add(m->about.x, kinematic[0]), rolling[0]);
    const lane y = lane_fnma(rho, lane_add(m->about.y, kinematic[1]), rolling[1]);
    const lane size = lane_sqrt(lane_max(lane_fma(y, y, lane_mul(x, x)), tiny));
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
                                         const block_pair *p, const block_motion *m)
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
        r.error[i] = lane_add(block_normal_motion(p, m, i), bias[i]);
        const lane total = lane_fnma(penalty[0], r.error[i], impulse[i]);
        const lane_mask pushes = lane_less(zero, total);
        r.normal[i] = lane_select(pushes, total, zero);
        r.rho[i] = lane_select(lane_less(bias[i], far), penalty[0], zero);
        sum = lane_add(sum, r.normal[i]);
    }
    const lane limit = lane_mul(p->friction, sum), tiny = lane_set(FLT_MIN);
    const lane tangent_limit = s->stiction ? block_static_limit(contact, sum, limit) : limit;
    const lane v1 = lane_add(m->center.x, kinematic[0]), v2 = lane_add(m->center.y, kinematic[1]);
    const lane f1 = lane_fnma(penalty[1], v1, friction[0]), f2 = lane_fnma(penalty[1], v2, friction[1]);
    const lane size = lane_sqrt(lane_max(lane_fma(f2, f2, lane_mul(f1, f1)), tiny));
    const lane_mask over = lane_less(tangent_limit, size);
    const lane shorter = lane_select(over, lane_div(tangent_limit, size), one);
    r.friction[0] = lane_mul(f1, shorter);
    r.friction[1] = lane_mul(f2, shorter);
    r.rho_friction = lane_mul(penalty[1], shorter);
    r.held = lane_select(over, zero, one);
    r.turns = kinematic[3];
    r.slip = lane_sqrt(lane_fma(v2, v2, lane_mul(v1, v1)));
    const lane radius = friction[3], most = lane_mul(limit, radius);
    const lane rho_torsion = lane_mul(penalty[1], lane_mul(radius, radius));
    const lane torsion = lane_fnma(rho_torsion, lane_add(m->about.z, kinematic[2]), friction[2]);
    const lane amount = lane_max(lane_abs(torsion), tiny);
    const lane less = lane_select(lane_less(most, amount), lane_div(most, amount), one);
    r.torsion = lane_mul(torsion, less);
    r.rho_torsion = lane_mul(rho_torsion, less);
    r.rolling[0] = r.rolling[1] = r.rho_rolling = zero;
    if (s->rolling)
        block_respond_rolling(contact, m, sum, penalty[1], &r);
    return r;
}

#endif
