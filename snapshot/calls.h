/* The calls that change a world, with their arguments: the only list of them. Recorder and replayer walk it.
 *
 * A call that changes a world has a row here, and says DRY_RECORD where it has succeeded (snapshot/record.h).
 * A call that only makes another one of these has none. Numbers that a world draws are input, as calls are:
 * the last row, of a call that is not public, gives them again. tests/snapshot/test_recorded_calls.c holds
 * the list to the public headers.
 *
 * Next: snapshot/call_bytes.h, snapshot/record.h, host/replay/calls.c. */
#ifndef SNAPSHOT_CALLS_H
#define SNAPSHOT_CALLS_H

#include "state/definitions.h"

#include <drystone/drystone.h>

/* The kinds of things that calls change, by which their sums after the call are found. */
typedef enum dry_call_thing {
    DRY_NO_THING,
    DRY_THING_BODY,
    DRY_THING_SHAPE,
    DRY_THING_JOINT,
    DRY_THING_SETTINGS
} dry_call_thing;

/* K(KIND, type, what, thing): kinds of arguments that are handed over as values. The product of all COUNTs of
 * a call is the number of elements of its arrays. */
#define DRY_VALUE_KINDS(K)                                                                                   \
    K(BODY, dry_body_id, DRY_WRITTEN_NUMBERS, DRY_THING_BODY)                                                \
    K(SHAPE, dry_shape_id, DRY_WRITTEN_NUMBERS, DRY_THING_SHAPE)                                             \
    K(JOINT, dry_joint_id, DRY_WRITTEN_NUMBERS, DRY_THING_JOINT)                                             \
    K(COUNT, int, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                                         \
    K(INT, int, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                                           \
    K(BITS, unsigned, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                                     \
    K(WORD, uint64_t, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                                     \
    K(NUMBER, float, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                                      \
    K(TRUTH, bool, DRY_WRITTEN_TRUTH, DRY_NO_THING)                                                          \
    K(BODY_TYPE, dry_body_type, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                           \
    K(VECTOR, dry_vec3, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                                   \
    K(POSITION, dry_position, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                             \
    K(POSE, dry_pose, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                                     \
    K(TRANSFORM, dry_transform, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                           \
    K(FILTER, dry_defined_FILTER, DRY_DEFINITION_FILTER, DRY_NO_THING)

/* Kinds that are handed over as pointers to elements, which may be null. */
#define DRY_GIVEN_KINDS(K)                                                                                   \
    K(BODIES, dry_body_id, DRY_WRITTEN_NUMBERS, DRY_THING_BODY)                                              \
    K(JOINTS, dry_joint_id, DRY_WRITTEN_NUMBERS, DRY_THING_JOINT)                                            \
    K(NUMBERS, float, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                                     \
    K(VECTORS, dry_vec3, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                                  \
    K(POSES, dry_pose, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                                    \
    K(VELOCITIES, dry_velocity, DRY_WRITTEN_NUMBERS, DRY_NO_THING)                                           \
    K(MASS, dry_defined_MASS, DRY_DEFINITION_MASS, DRY_NO_THING)                                             \
    K(MATERIALS, dry_defined_MATERIAL, DRY_DEFINITION_MATERIAL, DRY_NO_THING)                                \
    K(SETTINGS, dry_defined_SETTINGS, DRY_DEFINITION_SETTINGS, DRY_THING_SETTINGS)                           \
    K(SHAPE_DEF, dry_defined_SHAPE, DRY_DEFINITION_SHAPE, DRY_NO_THING)                                      \
    K(BODY_DEFS, dry_defined_BODY, DRY_DEFINITION_BODY, DRY_NO_THING)                                        \
    K(JOINT_DEFS, dry_defined_JOINT, DRY_DEFINITION_JOINT, DRY_NO_THING)                                     \
    K(VOLUME_DEFS, dry_defined_VOLUME, DRY_DEFINITION_VOLUME, DRY_NO_THING)                                  \
    K(AXIS_CHANGES, dry_defined_AXIS_CHANGE, DRY_DEFINITION_AXIS_CHANGE, DRY_THING_JOINT)

/* Kinds of results, which the call writes: ids of what it has made. */
#define DRY_MADE_KINDS(K)                                                                                    \
    K(NEW_BODIES, dry_body_id, DRY_WRITTEN_NUMBERS, DRY_THING_BODY)                                          \
    K(NEW_SHAPE, dry_shape_id, DRY_WRITTEN_NUMBERS, DRY_THING_SHAPE)                                         \
    K(NEW_JOINTS, dry_joint_id, DRY_WRITTEN_NUMBERS, DRY_THING_JOINT)

/* X(number, name, arguments, KIND...): the calls. A number names its call in recordings for good. Those of a
 * surface's numbers stand in state/surface.h. */
#define DRY_ONE_NUMBER(X, number, call, ...) X(number, dry_shape_set_##call, 2, SHAPE, NUMBER)
#define DRY_BOTH_NUMBERS(X, number, call, ...) X(number, dry_shape_set_##call, 3, SHAPE, NUMBER, NUMBER)
#define DRY_RECORDED_CALLS(X)                                                                                \
    X(1, dry_world_set_settings, 1, SETTINGS)                                                                \
    X(2, dry_world_create_bodies, 3, COUNT, BODY_DEFS, NEW_BODIES)                                           \
    X(3, dry_world_destroy_bodies, 2, COUNT, BODIES)                                                         \
    X(4, dry_world_set_motion, 4, COUNT, BODIES, POSES, VELOCITIES)                                          \
    X(5, dry_body_move_to, 3, BODY, POSE, NUMBER)                                                            \
    X(6, dry_body_set_type, 2, BODY, BODY_TYPE)                                                              \
    X(7, dry_body_set_gravity_scale, 2, BODY, NUMBER)                                                        \
    X(8, dry_body_set_damping, 3, BODY, NUMBER, NUMBER)                                                      \
    X(9, dry_body_set_locks, 2, BODY, BITS)                                                                  \
    X(10, dry_body_set_user_data, 2, BODY, WORD)                                                             \
    X(11, dry_body_set_enabled, 2, BODY, TRUTH)                                                              \
    X(12, dry_body_set_awake, 2, BODY, TRUTH)                                                                \
    X(13, dry_body_set_can_sleep, 2, BODY, TRUTH)                                                            \
    X(14, dry_body_set_mass, 2, BODY, MASS)                                                                  \
    X(15, dry_body_set_mass_from_shapes, 1, BODY)                                                            \
    X(16, dry_body_apply_force, 2, BODY, VECTOR)                                                             \
    X(17, dry_body_apply_force_at, 3, BODY, VECTOR, POSITION)                                                \
    X(18, dry_body_apply_torque, 2, BODY, VECTOR)                                                            \
    X(19, dry_body_apply_impulse, 2, BODY, VECTOR)                                                           \
    X(20, dry_body_apply_impulse_at, 3, BODY, VECTOR, POSITION)                                              \
    X(21, dry_body_apply_angular_impulse, 2, BODY, VECTOR)                                                   \
    X(22, dry_world_apply_forces, 4, COUNT, BODIES, VECTORS, VECTORS)                                        \
    X(23, dry_body_create_shape, 3, BODY, SHAPE_DEF, NEW_SHAPE)                                              \
    X(24, dry_shape_destroy, 1, SHAPE)                                                                       \
    X(25, dry_shape_set_materials, 3, SHAPE, MATERIALS, COUNT)                                               \
    DRY_SURFACE_CALLS(DRY_ONE_NUMBER, DRY_BOTH_NUMBERS, X)                                                   \
    X(31, dry_shape_set_geometry, 2, SHAPE, SHAPE_DEF)                                                       \
    X(32, dry_shape_set_pose, 2, SHAPE, TRANSFORM)                                                           \
    X(33, dry_shape_set_heights, 6, SHAPE, INT, INT, COUNT, COUNT, NUMBERS)                                  \
    X(34, dry_shape_set_density, 2, SHAPE, NUMBER)                                                           \
    X(35, dry_shape_set_filter, 2, SHAPE, FILTER)                                                            \
    X(36, dry_shape_set_user_data, 2, SHAPE, WORD)                                                           \
    X(37, dry_world_create_joints, 3, COUNT, JOINT_DEFS, NEW_JOINTS)                                         \
    X(38, dry_world_create_volumes, 3, COUNT, VOLUME_DEFS, NEW_JOINTS)                                       \
    X(39, dry_joint_destroy, 1, JOINT)                                                                       \
    X(40, dry_world_set_joint_defs, 3, COUNT, JOINTS, JOINT_DEFS)                                            \
    X(41, dry_world_set_joint_axes, 2, COUNT, AXIS_CHANGES)                                                  \
    X(42, dry_world_set_joints_enabled, 3, COUNT, JOINTS, TRUTH)                                             \
    X(43, dry_world_step_only, 3, NUMBER, BODIES, COUNT)                                                     \
    X(44, dry_world_take_lease, 1, WORD)

/* Goes through the kinds of a row: V(place, KIND). */
#define DRY_ARGUMENTS_1(V, a) V(0, a)
#define DRY_ARGUMENTS_2(V, a, b) V(0, a) V(1, b)
#define DRY_ARGUMENTS_3(V, a, b, c) V(0, a) V(1, b) V(2, c)
#define DRY_ARGUMENTS_4(V, a, b, c, d) V(0, a) V(1, b) V(2, c) V(3, d)
#define DRY_ARGUMENTS_5(V, a, b, c, d, e) V(0, a) V(1, b) V(2, c) V(3, d) V(4, e)
#define DRY_ARGUMENTS_6(V, a, b, c, d, e, f) V(0, a) V(1, b) V(2, c) V(3, d) V(4, e) V(5, f)
enum { DRY_ARGUMENTS_MAX = 6 };

typedef enum dry_argument_kind {
#define K(KIND, ...) DRY_ARGUMENT_##KIND,
    DRY_VALUE_KINDS(K) DRY_GIVEN_KINDS(K) DRY_MADE_KINDS(K)
#undef K
        DRY_ARGUMENT_KIND_COUNT,
} dry_argument_kind;

/* The type of each kind: dry_type_of_BODY and so on. */
#define K(KIND, type, ...) typedef type dry_type_of_##KIND;
DRY_VALUE_KINDS(K)
DRY_GIVEN_KINDS(K)
DRY_MADE_KINDS(K)
#undef K

/* The arguments of each call, as pointers to values or first elements: dry_arguments_of_dry_body_set_type and
 * so on. */
#define V(place, KIND) const dry_type_of_##KIND *argument_##place;
#define X(number, name, count, ...)                                                                          \
    typedef struct dry_arguments_of_##name {                                                                 \
        DRY_ARGUMENTS_##count(V, __VA_ARGS__)                                                                \
    } dry_arguments_of_##name;
DRY_RECORDED_CALLS(X)
#undef X
#undef V

/* DRY_CALL_dry_body_set_type and so on. */
typedef enum dry_call_id {
#define X(number, name, ...) DRY_CALL_##name,
    DRY_RECORDED_CALLS(X)
#undef X
        DRY_CALL_COUNT
} dry_call_id;

typedef enum dry_argument_form { DRY_FORM_VALUE, DRY_FORM_GIVEN, DRY_FORM_MADE } dry_argument_form;

typedef struct dry_argument {
    dry_argument_form form;
    dry_definition_id what;
    dry_call_thing thing;
    size_t size; /* of an element */
} dry_argument;

typedef struct dry_call {
    const char *name;
    uint16_t number;
    uint8_t count;
    uint8_t kind[DRY_ARGUMENTS_MAX];
} dry_call;

extern const dry_argument dry_arguments[DRY_ARGUMENT_KIND_COUNT];
extern const dry_call dry_calls[DRY_CALL_COUNT];

/* Returns how many elements the arrays of a call have: the product of its counts. */
int64_t dry_call_elements(const dry_call *call, const void *const *arguments);

#endif
