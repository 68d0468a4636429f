/* Joints. A joint's index is its slot. */
#ifndef STATE_JOINTS_H
#define STATE_JOINTS_H

#include "state/bodies.h"

#include <drystone/joint.h>

typedef struct dry_joint {
    dry_joint_def def;           /* as given; anchors in the users' frames */
    dry_vec3 anchor_a, anchor_b; /* in the principal frames, m */
    int32_t body_a, body_b;      /* slots */
    int32_t next[2], prev[2];    /* of side a's and b's body, as joint * 2 + side, -1 ends */
    int32_t active;              /* index in dry_joints.active, -1: no awake body */
    int32_t color;               /* DRY_COLOR_... */
    dry_vec3 impulse;            /* on b, world axes, N s over one substep of length `substep` */
    float substep;               /* s; 0: none yet */
} dry_joint;

typedef struct dry_joints {
    dry_slots slots;
    dry_joint *joint;
    int32_t *active;
    int joint_capacity, active_capacity;
    int active_count;
} dry_joints;

bool dry_joints_reserve(dry_joints *joints, dry_memory *memory, int more);
void dry_joints_free(dry_joints *joints, dry_memory *memory);
/* Adds a joint and links it to its bodies; room must be reserved. */
int dry_joints_add(dry_joints *joints, dry_bodies *bodies, int body_a, int body_b);
/* Unlinks and forgets; it must hold no colour. */
void dry_joints_remove(dry_joints *joints, dry_bodies *bodies, int joint);
void dry_joints_set_active(dry_joints *joints, int joint, bool active);

#endif
