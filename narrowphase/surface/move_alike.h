/* Tells whether two bodies that no contact moves move alike, so that their surfaces may be one. */
#ifndef NARROWPHASE_SURFACE_MOVE_ALIKE_H
#define NARROWPHASE_SURFACE_MOVE_ALIKE_H

#include "state/bodies.h"

/* Solids move alike if one moves at most this far against the other in a step, m: a tenth of the distance
 * within which surfaces continue each other. */
#define DRY_MOVE_ALIKE 1e-4f

/* Returns the velocity of a static or kinematic body at a place relative to `center`, m/s. */
static inline dry_vec3 dry_fixed_velocity(const dry_bodies *bodies, int slot, const dry_position *center,
                                          dry_vec3 place)
{
    if (dry_body_state_of(bodies, slot)->type != DRY_BODY_KINEMATIC)
        return vec3(0.0f, 0.0f, 0.0f);
    const dry_body_velocity *v = dry_body_velocity_of(bodies, slot);
    const dry_position *at = &dry_body_pose_of(bodies, slot)->position;
    const dry_vec3 way =
        vec3((float)(center->x - at->x), (float)(center->y - at->y), (float)(center->z - at->z));
    return vec3_add(v->linear, vec3_cross(v->angular, vec3_add(way, place)));
}

/* Tells whether two fixed bodies move alike within a step of dt at a place relative to `center`, m. */
static inline bool dry_move_alike(const dry_bodies *bodies, int slot, int other, const dry_position *center,
                                  dry_vec3 place, float dt)
{
    return slot == other || dt * vec3_distance(dry_fixed_velocity(bodies, slot, center, place),
                                               dry_fixed_velocity(bodies, other, center, place)) <=
                                DRY_MOVE_ALIKE;
}

#endif
