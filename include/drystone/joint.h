/* SPDX-License-Identifier: MIT
 * Joints between two bodies: ball [Waterson 5.1] and distance [Spook p. 8, Tamis 5.2], rigid or springs. */
#ifndef DRYSTONE_JOINT_H
#define DRYSTONE_JOINT_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dry_joint_type {
    DRY_JOINT_BALL = 0, /**< keeps two anchors together: anchor_b - anchor_a = 0; three rows */
    DRY_JOINT_DISTANCE, /**< keeps two anchors `length` apart: |anchor_b - anchor_a| = length; one row */
    DRY_JOINT_TYPE_COUNT
} dry_joint_type;

/** The definition of a joint; defaults last. */
typedef struct dry_joint_def {
    dry_joint_type type;
    dry_body_id body_a, body_b;  /**< two different bodies, at least one of them dynamic */
    dry_vec3 anchor_a, anchor_b; /**< in the bodies' frames, m, each |component| <= 1e6; 0 */
    float length;                /**< distance joint: m, 0 to 1e6; 1 */
    float stiffness;             /**< spring constant k, N/m, 0 to 1e15; 0 makes the joint rigid, and so does,
                                      beside other joints or contacts, more than substeps converge on; 0 */
    float damping;               /**< of the spring, N s/m, 0 to 1e15; must be 0 if stiffness is 0; 0 */
    bool collide;                /**< lets the two bodies touch each other; false */
    uint64_t user_data;          /**< free for the program; 0 */
} dry_joint_def;

/** Returns the defaults above for a joint of `type`, with null bodies. */
DRY_API dry_joint_def dry_default_joint_def(dry_joint_type type);

/** Creates a joint and wakes both bodies. Ends the contacts between the two bodies unless def->collide.
 * Errors: STALE_ID (of a body), ARGUMENT (the log names the field), MEMORY, LOCKED. */
DRY_API dry_result dry_world_create_joint(dry_world *world, const dry_joint_def *def, dry_joint_id *id);
/** Creates `count` joints, all or none. `ids` has room for `count` ids. Errors: as for one joint. */
DRY_API dry_result dry_world_create_joints(dry_world *world, int count, const dry_joint_def *defs,
                                           dry_joint_id *ids);

/** Destroys a joint and wakes both bodies. Errors: STALE_ID, LOCKED. */
DRY_API dry_result dry_joint_destroy(dry_world *world, dry_joint_id id);

/** Tells whether the id names a living joint of this world. */
DRY_API bool dry_joint_is_valid(const dry_world *world, dry_joint_id id);

/** Reads the definition that created the joint. Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_joint_get_def(const dry_world *world, dry_joint_id id, dry_joint_def *def);

/** Reads the impulse (N s, world axes) that the joint gave body b in the last substep of the last step.
 * Errors: STALE_ID, ARGUMENT. */
DRY_API dry_result dry_joint_get_impulse(const dry_world *world, dry_joint_id id, dry_vec3 *impulse_Ns);

#ifdef __cplusplus
}
#endif

#endif
