/* Lists what the scene file has of joints: the types, and the numbers of joints and of their axes.
 *
 * scene_file.c, scene_write.c and scene_check.c read, write and check a joint by these tables. */
#include "scenes/scene_parts.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#define AXIS(name) (1u << DRY_AXIS_##name)
#define ROTATIONS (AXIS(RX) | AXIS(RY) | AXIS(RZ))

const dry_scene_joint_form dry_scene_joint_forms[DRY_JOINT_TYPE_COUNT] = {
    [DRY_JOINT_BALL] = {.name = "ball"},
    [DRY_JOINT_DISTANCE] = {.name = "distance"},
    [DRY_JOINT_TARGET] = {.name = "target"},
    [DRY_JOINT_HINGE] = {.name = "hinge", .framed = true, .axes = AXIS(RX)},
    [DRY_JOINT_SLIDER] = {.name = "slider", .framed = true, .axes = AXIS(X)},
    [DRY_JOINT_UNIVERSAL] = {.name = "universal", .framed = true, .axes = AXIS(RY) | AXIS(RZ)},
    [DRY_JOINT_FIXED] = {.name = "fixed", .framed = true},
    [DRY_JOINT_CONE_TWIST] = {.name = "cone-twist", .framed = true, .axes = ROTATIONS},
    [DRY_JOINT_WHEEL] = {.name = "wheel", .framed = true, .axes = AXIS(Y) | AXIS(RX) | AXIS(RY)},
    [DRY_JOINT_GENERIC] = {.name = "generic",
                           .framed = true,
                           .states = true,
                           .axes = AXIS(X) | AXIS(Y) | AXIS(Z) | ROTATIONS},
    [DRY_JOINT_ALIGN] = {.name = "align", .framed = true, .axes = AXIS(RX)},
    [DRY_JOINT_VOLUME] = {.name = "volume"},
    [DRY_JOINT_FILTER] = {.name = "filter", .bare = true},
    [DRY_JOINT_GEAR] = {.name = "gear", .framed = true},
    [DRY_JOINT_RACK] = {.name = "rack", .framed = true},
};

const char *const dry_scene_axis_names[DRY_AXIS_COUNT] = {"x", "y", "z", "rx", "ry", "rz"};

const char *const dry_scene_joint_solver_names[DRY_SCENE_JOINT_SOLVERS] = {"iterative", "direct", "auto"};

#define TYPE(name) (1u << DRY_JOINT_##name)
#define SPRUNG (TYPE(BALL) | TYPE(DISTANCE) | TYPE(TARGET) | TYPE(VOLUME) | TYPE(FIXED))
#define ALL (((1u << DRY_JOINT_TYPE_COUNT) - 1u) & ~TYPE(FILTER))
#define PI 3.14159265f
#define NUMBER(name, low, high, types)                                                                       \
    {                                                                                                        \
#name, offsetof(dry_joint_def, name), low, high, types, DRY_MOTOR_OFF                                \
    }

const dry_scene_number dry_scene_joint_numbers[] = {
    NUMBER(stiffness, 0.0f, 1e15f, SPRUNG),
    NUMBER(damping, 0.0f, 1e15f, SPRUNG),
    NUMBER(angular_stiffness, 0.0f, 1e15f, TYPE(FIXED)),
    NUMBER(angular_damping, 0.0f, 1e15f, TYPE(FIXED)),
    NUMBER(friction, 0.0f, 1e15f, TYPE(BALL)),
    NUMBER(force_max, 0.0f, 1e15f, TYPE(TARGET)),
    NUMBER(teeth_a, 1.0f, 1e4f, TYPE(GEAR)),
    NUMBER(teeth_b, -1e4f, 1e4f, TYPE(GEAR)),
    NUMBER(radius, -1e6f, 1e6f, TYPE(RACK)),
    NUMBER(swing_max, 0.0f, PI, TYPE(CONE_TWIST)),
    NUMBER(hertz, 0.0f, 1e4f, ALL),
    NUMBER(break_force, 0.0f, FLT_MAX, ALL),
    NUMBER(break_torque, 0.0f, FLT_MAX, ALL),
    NUMBER(event_force, 0.0f, FLT_MAX, ALL),
    NUMBER(event_torque, 0.0f, FLT_MAX, ALL),
    NUMBER(length_min, 0.0f, 1e6f, TYPE(DISTANCE)),
    NUMBER(length_max, 0.0f, 1e6f, TYPE(DISTANCE)),
    NUMBER(volume, -1e18f, 1e18f, TYPE(VOLUME)),
    NUMBER(length, 0.0f, 1e6f, TYPE(DISTANCE)),
    {0},
};

#define AXIS_NUMBER(name, low, high, motor)                                                                  \
    {                                                                                                        \
#name, offsetof(dry_joint_axis, name), low, high, 0, motor                                           \
    }

const dry_scene_number dry_scene_axis_numbers[] = {
    AXIS_NUMBER(min, -FLT_MAX, FLT_MAX, DRY_MOTOR_OFF),
    AXIS_NUMBER(max, -FLT_MAX, FLT_MAX, DRY_MOTOR_OFF),
    AXIS_NUMBER(stop_hertz, 0.0f, 1e4f, DRY_MOTOR_OFF),
    AXIS_NUMBER(stop_damping_ratio, 0.0f, 1e3f, DRY_MOTOR_OFF),
    AXIS_NUMBER(stop_stiffness, 0.0f, 1e15f, DRY_MOTOR_OFF),
    AXIS_NUMBER(stop_damping, 0.0f, 1e15f, DRY_MOTOR_OFF),
    AXIS_NUMBER(stop_restitution, 0.0f, 1.0f, DRY_MOTOR_OFF),
    AXIS_NUMBER(velocity, -1e6f, 1e6f, DRY_MOTOR_VELOCITY),
    AXIS_NUMBER(position, -1e6f, 1e6f, DRY_MOTOR_POSITION),
    AXIS_NUMBER(motor_hertz, 0.0f, 1e4f, DRY_MOTOR_OFF),
    AXIS_NUMBER(motor_damping_ratio, 0.0f, 1e3f, DRY_MOTOR_OFF),
    AXIS_NUMBER(force_max, 0.0f, 1e15f, DRY_MOTOR_OFF),
    AXIS_NUMBER(stiffness, 0.0f, 1e15f, DRY_MOTOR_OFF),
    AXIS_NUMBER(damping, 0.0f, 1e15f, DRY_MOTOR_OFF),
    AXIS_NUMBER(rest, -1e6f, 1e6f, DRY_MOTOR_OFF),
    AXIS_NUMBER(friction, 0.0f, 1e15f, DRY_MOTOR_OFF),
    {0},
};

bool dry_scene_joint_needs(const dry_joint_def *def, const dry_scene_number *number)
{
    return number->offset == offsetof(dry_joint_def, length) && def->type == DRY_JOINT_DISTANCE &&
           (def->stiffness != 0.0f || (def->length_min == 0.0f && def->length_max == INFINITY));
}

dry_joint_axis dry_scene_free_axis(void)
{
    return dry_default_joint_def(DRY_JOINT_HINGE).axes[DRY_AXIS_RX];
}
