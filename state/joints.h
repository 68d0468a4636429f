/* Joints. A joint's index is its slot. */
#ifndef STATE_JOINTS_H
#define STATE_JOINTS_H

#include "state/bodies.h"
#include "state/colors.h"

#include <drystone/joint.h>

/* The definition, as the user gave it; anchors in the users' frames. */
#define DRY_JOINT_DEF_FIELDS(F, T)                                                                           \
    F(T, 1, dry_joint_type, type, , DRY_JOINT_BALL, "", DRY_HASHED, DRY_BY_CALLS, "dry_joint_type")          \
    F(T, 2, dry_body_id, body_a, , {0}, "", DRY_UNHASHED("dry_joint.body_a has its slot"), DRY_BY_CALLS,     \
      "id")                                                                                                  \
    F(T, 3, dry_body_id, body_b, , {0}, "", DRY_UNHASHED("dry_joint.body_b has its slot"), DRY_BY_CALLS,     \
      "id")                                                                                                  \
    F(T, 4, dry_vec3, anchor_a, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the frame that the user gave body a")                                                              \
    F(T, 5, dry_vec3, anchor_b, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the frame that the user gave body b")                                                              \
    F(T, 6, float, length, , 0.0f, "m", DRY_HASHED, DRY_BY_CALLS,                                            \
      "distance joint: how far the anchors are held apart")                                                  \
    F(T, 7, float, stiffness, , 0.0f, "N/m", DRY_HASHED, DRY_BY_CALLS, "0: rigid")                           \
    F(T, 8, float, damping, , 0.0f, "N s/m", DRY_HASHED, DRY_BY_CALLS, "of the spring")                      \
    F(T, 9, bool, collide, , false, "", DRY_HASHED, DRY_BY_CALLS, "the two bodies also touch each other")    \
    F(T, 10, uint64_t, user_data, , 0, "", DRY_UNHASHED("the caller's own"), DRY_BY_CALLS,                   \
      "returned to the caller as given")

DRY_LIST_MATCHES(dry_joint_def, DRY_JOINT_DEF_FIELDS, 7);

#define DRY_JOINT_FIELDS(F, T)                                                                               \
    F(T, 1, dry_joint_def, def, , {0}, "", DRY_UNHASHED("the definition has a list of its own"),             \
      DRY_BY_CALLS, "as given")                                                                              \
    F(T, 2, dry_vec3, anchor_a, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the principal frame of body a")                                                                    \
    F(T, 3, dry_vec3, anchor_b, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the principal frame of body b")                                                                    \
    F(T, 4, int32_t, body_a, , -1, "", DRY_HASHED, DRY_BY_CALLS, "slot")                                     \
    F(T, 5, int32_t, body_b, , -1, "", DRY_HASHED, DRY_BY_CALLS, "slot")                                     \
    F(T, 6, int32_t, next, [2], DRY_ENDS_DEFAULT, "", DRY_HASHED, DRY_BY_CALLS,                              \
      "in the lists of side a's and side b's body, as joint * 2 + side; -1: none")                           \
    F(T, 7, int32_t, prev, [2], DRY_ENDS_DEFAULT, "", DRY_UNHASHED("follows from `next`"), DRY_BY_CALLS,     \
      "likewise")                                                                                            \
    F(T, 8, int32_t, active, , -1, "", DRY_HASHED, DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS,            \
      "place in the list of active joints; -1: no awake body")                                               \
    F(T, 9, int32_t, color, , DRY_COLOR_NONE, "", DRY_HASHED, DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, \
      "DRY_COLOR_...")                                                                                       \
    F(T, 10, dry_vec3, impulse, , DRY_VEC3_DEFAULT, "N s", DRY_HASHED,                                       \
      DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,                                                         \
      "on b, world axes, over one substep of length `substep`")                                              \
    F(T, 11, float, substep, , 0.0f, "s", DRY_HASHED, DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,         \
      "the substep that the impulse is for; 0: none yet")

DRY_STRUCT_OF(dry_joint, DRY_JOINT_FIELDS);

/* A column of its own: the next step's tiers read it of every active joint. */
#define DRY_JOINT_LOAD_FIELDS(F, T)                                                                          \
    F(T, 1, float, value, , -1.0f, "m/s^2", DRY_HASHED, DRY_BY_STORE | DRY_BY_FINALIZE | DRY_BY_CALLS,       \
      "force over the mass that the joint moves, sustained; 0: a spring; -1: not measured yet")

DRY_STRUCT_OF(dry_joint_load, DRY_JOINT_LOAD_FIELDS);

/* X(ID, type, name, FIELDS, number), as DRY_BODY_COLUMNS; rows are slots. */
#define DRY_JOINT_COLUMNS(X)                                                                                 \
    X(JOINT, dry_joint, joint, DRY_JOINT_FIELDS, 50)                                                         \
    X(JOINT_LOAD, dry_joint_load, load, DRY_JOINT_LOAD_FIELDS, 55)

#define DRY_JOINT_ACTIVE_FIELDS(F, T)                                                                        \
    F(dry_index_element, 1, int32_t, value, , 0, "", DRY_UNHASHED("follows from dry_joint.active"),          \
      DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "a joint with an awake body")

typedef struct dry_joints {
    dry_slots slots;
#define X(ID, type, name, ...)                                                                               \
    type *name;                                                                                              \
    int name##_capacity;
    DRY_JOINT_COLUMNS(X)
#undef X
    int32_t *active;
    int active_capacity, active_count;
} dry_joints;

bool dry_joints_reserve(dry_joints *joints, dry_memory *memory, int more);
void dry_joints_free(dry_joints *joints, dry_memory *memory);
/* Adds a joint and links it to its bodies; room must be reserved. */
int dry_joints_add(dry_joints *joints, dry_bodies *bodies, int body_a, int body_b);
/* Unlinks and forgets; it must hold no color. */
void dry_joints_remove(dry_joints *joints, dry_bodies *bodies, int joint);
void dry_joints_set_active(dry_joints *joints, int joint, bool active);

#endif
