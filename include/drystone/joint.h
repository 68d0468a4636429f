/* SPDX-License-Identifier: MIT
 * Joints: ball [Waterson 5.1] and distance [Spook p. 8, Tamis 5.2], rigid or as springs. */
#ifndef DRYSTONE_JOINT_H
#define DRYSTONE_JOINT_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dry_joint_type {
    DRY_JOINT_BALL = 0, /**< holds two anchors together: anchor_b - anchor_a = 0, three rows */
    DRY_JOINT_DISTANCE, /**< holds two anchors `length` apart: |anchor_b - anchor_a| = length, one row */
    DRY_JOINT_TYPE_COUNT
} dry_joint_type;

typedef struct dry_joint_def {
    dry_joint_type type;
    dry_body_id body_a, body_b;  /**< different; at least one dynamic */
    dry_vec3 anchor_a, anchor_b; /**< in the bodies' frames, m, |component| <= 1e6 */
    float length;                /**< distance joint, m, >= 0 and <= 1e6 */
    float stiffness;             /**< spring constant k, N/m, 0 to 1e15; 0: rigid */
    float damping;               /**< spring's damping, N s/m, 0 to 1e15; with stiffness 0 it must be 0 */
    bool collide;                /**< whether the two bodies also touch each other; false */
    uint64_t user_data;
} dry_joint_def;

DRY_API dry_joint_def dry_default_joint_def(dry_joint_type type);

/** Errors: STALE_ID (a body), ARGUMENT, MEMORY, LOCKED. Wakes both bodies. */
DRY_API dry_result dry_world_create_joint(dry_world *world, const dry_joint_def *def, dry_joint_id *id);
DRY_API dry_result dry_world_create_joints(dry_world *world, int count, const dry_joint_def *defs,
                                           dry_joint_id *ids);
DRY_API dry_result dry_joint_destroy(dry_world *world, dry_joint_id id);
DRY_API bool dry_joint_is_valid(const dry_world *world, dry_joint_id id);
DRY_API dry_result dry_joint_get_def(const dry_world *world, dry_joint_id id, dry_joint_def *def);
/** The impulse (N s) that the joint gave body b during the last substep of the last step, world axes. */
DRY_API dry_result dry_joint_get_impulse(const dry_world *world, dry_joint_id id, dry_vec3 *impulse_Ns);

#ifdef __cplusplus
}
#endif

#endif
