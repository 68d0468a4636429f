/* The definitions that calls take, field by field: the lists of their defaults, and of what is written as
 * bytes and read.
 *
 * A list has the beginning of state/fields.h's rows, up to the unit. What a field is follows from its type:
 * numbers, a truth value, data of a shape, parts with a list of their own, or an array that another member
 * counts.
 *
 * Next: snapshot/call_bytes.h. */
#ifndef STATE_DEFINITIONS_H
#define STATE_DEFINITIONS_H

#include "state/joint_list.h"
#include "state/joints.h"
#include "state/settings.h"
#include "state/surface.h"

#include <drystone/body.h>
#include <drystone/joint.h>
#include <drystone/shape.h>

#define DRY_FILTER_FIELDS(F, T)                                                                              \
    F(T, 1, uint64_t, category, , 1, "")                                                                     \
    F(T, 2, uint64_t, mask, , UINT64_MAX, "")                                                                \
    F(T, 3, int32_t, group, , 0, "")
DRY_LIST_MATCHES(dry_filter, DRY_FILTER_FIELDS, 4);

/* clang-format off */
#define DRY_MATRIX_DEFAULT {{0}}
/* clang-format on */
#define DRY_MASS_FIELDS(F, T)                                                                                \
    F(T, 1, float, mass, , 0.0f, "")                                                                         \
    F(T, 2, dry_vec3, center, , DRY_VEC3_DEFAULT, "")                                                        \
    F(T, 3, float, inertia, [3][3], DRY_MATRIX_DEFAULT, "")
DRY_LIST_MATCHES(dry_mass, DRY_MASS_FIELDS, 0);

#define DRY_MATERIAL_DEF_FIELDS(F, T)                                                                        \
    F(T, 1, uint64_t, id, , 0, "")                                                                           \
    DRY_MATERIAL_MEMBERS(F, T)
DRY_LIST_MATCHES(dry_material, DRY_MATERIAL_DEF_FIELDS, 4);

/* clang-format off */
#define DRY_HALF_EXTENTS_DEFAULT {0.5f, 0.5f, 0.5f}
#define DRY_NORMAL_DEFAULT {0.0f, 1.0f, 0.0f}
#define DRY_SCALE_DEFAULT {1.0f, 1.0f, 1.0f}
#define DRY_POSE_DEFAULT {DRY_POSITION_DEFAULT, DRY_QUAT_DEFAULT}
#define DRY_VELOCITY_DEFAULT {DRY_VEC3_DEFAULT, DRY_VEC3_DEFAULT}
#define DRY_FILTER_DEFAULT {1, UINT64_MAX, 0}
/* clang-format on */

/* `materials` is counted by material_count. */
#define DRY_SHAPE_DEF_FIELDS(F, T)                                                                           \
    F(T, 1, dry_shape_type, type, , DRY_SHAPE_BOX, "")                                                       \
    F(T, 2, dry_vec3, half_extents, , DRY_HALF_EXTENTS_DEFAULT, "")                                          \
    F(T, 3, float, radius, , 0.5f, "")                                                                       \
    F(T, 4, float, half_length, , 0.5f, "")                                                                  \
    F(T, 5, dry_vec3, normal, , DRY_NORMAL_DEFAULT, "")                                                      \
    F(T, 6, float, offset, , 0.0f, "")                                                                       \
    F(T, 7, dry_shape_data *, data, , NULL, "")                                                              \
    F(T, 8, dry_vec3, scale, , DRY_SCALE_DEFAULT, "")                                                        \
    F(T, 9, dry_transform, pose, , DRY_TRANSFORM_DEFAULT, "")                                                \
    F(T, 10, float, density, , 1000.0f, "")                                                                  \
    DRY_SURFACE_MEMBERS(F, T)                                                                                \
    F(T, 11, const dry_material *, materials, , NULL, "")                                                    \
    F(T, 12, dry_filter, filter, , DRY_FILTER_DEFAULT, "")                                                   \
    F(T, 14, uint32_t, events, , DRY_SHAPE_EVENTS_ALL, "")                                                   \
    F(T, 13, uint64_t, user_data, , 0, "")
DRY_LIST_MATCHES(dry_shape_def, DRY_SHAPE_DEF_FIELDS, 12 + sizeof(int));

/* `shapes` is counted by shape_count. */
#define DRY_BODY_DEF_FIELDS(F, T)                                                                            \
    F(T, 1, dry_body_type, type, , DRY_BODY_STATIC, "")                                                      \
    F(T, 2, dry_pose, pose, , DRY_POSE_DEFAULT, "")                                                          \
    F(T, 3, dry_velocity, velocity, , DRY_VELOCITY_DEFAULT, "")                                              \
    F(T, 4, float, gravity_scale, , 1.0f, "")                                                                \
    F(T, 5, float, linear_damping, , 0.0f, "")                                                               \
    F(T, 6, float, angular_damping, , 0.0f, "")                                                              \
    F(T, 7, unsigned, locks, , 0, "")                                                                        \
    F(T, 8, bool, enabled, , true, "")                                                                       \
    F(T, 9, bool, awake, , true, "")                                                                         \
    F(T, 10, bool, can_sleep, , true, "")                                                                    \
    F(T, 11, uint64_t, user_data, , 0, "")                                                                   \
    F(T, 12, const dry_shape_def *, shapes, , NULL, "")                                                      \
    F(T, 13, float, mass, , 0.0f, "")
DRY_LIST_MATCHES(dry_body_def, DRY_BODY_DEF_FIELDS, 9 + sizeof(int));

#define DRY_JOINT_AXIS_FIELDS(F, T)                                                                          \
    F(T, 1, float, min, , 0.0f, "")                                                                          \
    F(T, 2, float, max, , 0.0f, "")                                                                          \
    F(T, 3, float, stop_hertz, , 0.0f, "")                                                                   \
    F(T, 4, float, stop_damping_ratio, , 0.0f, "")                                                           \
    F(T, 5, float, stop_stiffness, , 0.0f, "")                                                               \
    F(T, 6, float, stop_damping, , 0.0f, "")                                                                 \
    F(T, 7, float, stop_restitution, , 0.0f, "")                                                             \
    F(T, 8, dry_motor, motor, , DRY_MOTOR_OFF, "")                                                           \
    F(T, 9, float, velocity, , 0.0f, "")                                                                     \
    F(T, 10, float, position, , 0.0f, "")                                                                    \
    F(T, 11, float, motor_hertz, , 0.0f, "")                                                                 \
    F(T, 12, float, motor_damping_ratio, , 1.0f, "")                                                         \
    F(T, 13, float, force_max, , INFINITY, "")                                                               \
    F(T, 14, float, stiffness, , 0.0f, "")                                                                   \
    F(T, 15, float, damping, , 0.0f, "")                                                                     \
    F(T, 16, float, rest, , 0.0f, "")                                                                        \
    F(T, 17, float, friction, , 0.0f, "")
DRY_LIST_MATCHES(dry_joint_axis, DRY_JOINT_AXIS_FIELDS, 0);

#define X(ID, type, FIELDS) DRY_LIST_MATCHES(type, FIELDS, 0);
DRY_WIDE_JOINT_DEFINITIONS(X)
#undef X

#define DRY_AXIS_CHANGE_FIELDS(F, T)                                                                         \
    F(T, 1, dry_joint_id, joint, , DRY_ARRAY_DEFAULT, "")                                                    \
    F(T, 2, dry_axis, axis, , DRY_AXIS_X, "")                                                                \
    F(T, 3, dry_joint_axis, settings, , DRY_JOINT_AXIS_DEFAULT, "")
DRY_LIST_MATCHES(dry_joint_axis_change, DRY_AXIS_CHANGE_FIELDS, 0);

/* X(ID, type, FIELDS): the definitions. */
#define DRY_DEFINITIONS(X)                                                                                   \
    X(FILTER, dry_filter, DRY_FILTER_FIELDS)                                                                 \
    X(MASS, dry_mass, DRY_MASS_FIELDS)                                                                       \
    X(MATERIAL, dry_material, DRY_MATERIAL_DEF_FIELDS)                                                       \
    X(SHAPE, dry_shape_def, DRY_SHAPE_DEF_FIELDS)                                                            \
    X(BODY, dry_body_def, DRY_BODY_DEF_FIELDS)                                                               \
    X(AXIS, dry_joint_axis, DRY_JOINT_AXIS_FIELDS)                                                           \
    X(JOINT, dry_joint_def, DRY_JOINT_DEF_FIELDS)                                                            \
    DRY_WIDE_JOINT_DEFINITIONS(X)                                                                            \
    X(AXIS_CHANGE, dry_joint_axis_change, DRY_AXIS_CHANGE_FIELDS)                                            \
    X(SETTINGS, dry_settings, DRY_SETTINGS_FIELDS)

/* The type of each: dry_defined_BODY and so on. */
#define X(ID, type, FIELDS) typedef type dry_defined_##ID;
DRY_DEFINITIONS(X)
#undef X

/* Kinds of what is written: one of the definitions, or one of these. */
typedef enum dry_definition_id {
#define X(ID, ...) DRY_DEFINITION_##ID,
    DRY_DEFINITIONS(X)
#undef X
        DRY_DEFINITION_COUNT,
    DRY_WRITTEN_NUMBERS = DRY_DEFINITION_COUNT, /* bytes of numbers */
    DRY_WRITTEN_TRUTH,                          /* one byte, 0 or 1 */
    DRY_WRITTEN_DATA,                           /* the hash of shape data, where the shape's type has some */
} dry_definition_id;

typedef struct dry_member {
    const char *name;
    uint16_t number, offset, size; /* of all parts together, bytes */
    uint8_t what;                  /* DRY_WRITTEN_... or DRY_DEFINITION_... of the parts */
    bool counted;                  /* a pointer to so many elements as the definition's count of them tells */
} dry_member;

typedef struct dry_definition {
    const char *name; /* of its type */
    const dry_member *members;
    const void *standard; /* a definition with the defaults */
    uint16_t size, member_count;
    uint16_t count_offset; /* of the count of its counted member */
} dry_definition;

extern const dry_definition dry_definitions[DRY_DEFINITION_COUNT];

#endif
