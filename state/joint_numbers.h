/* The numbers of joints and of their axes, with their ranges: the only lists of them. The check of a
 * definition and the scene files walk them. state/joints.h has units and defaults. */
#ifndef STATE_JOINT_NUMBERS_H
#define STATE_JOINT_NUMBERS_H

#include <drystone/joint.h>
#include <float.h>

/* What a joint type has of a definition: bits, which solver/data/joints/joint_list.h gives each type. */
enum {
    DRY_JOINT_HAS_ROWS = 1 << 0,    /* anchors, forces, and all else that a joint that only filters lacks */
    DRY_JOINT_HAS_FRAMES = 1 << 1,  /* orientations */
    DRY_JOINT_HAS_STATES = 1 << 2,  /* its axes are locked unless they are set */
    DRY_JOINT_HAS_CORNERS = 1 << 3, /* bodies and anchors c and d */
    DRY_JOINT_HAS_SPRING = 1 << 4,
    DRY_JOINT_HAS_ANGULAR_SPRING = 1 << 5,
    DRY_JOINT_HAS_FRICTION = 1 << 6,
    DRY_JOINT_HAS_FORCE_MAX = 1 << 7,
    DRY_JOINT_HAS_TEETH = 1 << 8,
    DRY_JOINT_HAS_RADIUS = 1 << 9,
    DRY_JOINT_HAS_SWING_MAX = 1 << 10,
    DRY_JOINT_HAS_LENGTH = 1 << 11,
    DRY_JOINT_HAS_VOLUME = 1 << 12,
};

/* X(name, low, high, OWNER, foreign, range): a number from `low` to `high`, or its default, which may be
 * infinite. Types that have DRY_JOINT_HAS_<OWNER> have it. `foreign` is what the log says of another type
 * whose number is not the default; NULL: its number is held to the range alone. `range` is what it says of a
 * number outside; NULL: the type's own check says that. `length` is last, so that a reader of files knows the
 * others. */
/* clang-format off */
#define DRY_JOINT_NUMBERS(X)                                                                                 \
    X(stiffness, 0.0f, 1e15f, SPRING, "stiffness: joints of this type have springs along their axes",        \
      "stiffness must be 0 to 1e15")                                                                         \
    X(damping, 0.0f, 1e15f, SPRING, "damping needs a stiffness", "damping must be 0 to 1e15")                \
    X(angular_stiffness, 0.0f, 1e15f, ANGULAR_SPRING, "angular_stiffness is for fixed joints",               \
      "angular_stiffness and angular_damping must be 0 to 1e15")                                             \
    X(angular_damping, 0.0f, 1e15f, ANGULAR_SPRING, "angular_damping needs an angular_stiffness",            \
      "angular_stiffness and angular_damping must be 0 to 1e15")                                             \
    X(friction, 0.0f, 1e15f, FRICTION, "friction is for ball joints, and for axes",                          \
      "friction must be 0 to 1e15")                                                                          \
    X(force_max, 0.0f, 1e15f, FORCE_MAX, "force_max is for target joints, and for motors of axes",           \
      "force_max must be 0 to 1e15 or INFINITY")                                                             \
    X(teeth_a, 1.0f, 1e4f, TEETH, "teeth_a and teeth_b are for gear joints", NULL)                           \
    X(teeth_b, -1e4f, 1e4f, TEETH, "teeth_a and teeth_b are for gear joints", NULL)                          \
    X(radius, -1e6f, 1e6f, RADIUS, "radius is for rack joints", NULL)                                        \
    X(swing_max, 0.0f, 3.14159265f, SWING_MAX, "swing_max is for cone-twist joints",                         \
      "swing_max must be 0 to pi, or INFINITY")                                                              \
    X(hertz, 0.0f, 1e4f, ROWS, "solver, hertz: a filter joint has nothing to solve",                         \
      "hertz must be 0 to 1e4")                                                                              \
    X(break_force, 0.0f, FLT_MAX, ROWS, DRY_JOINT_FORCELESS, DRY_JOINT_THRESHOLD)                            \
    X(break_torque, 0.0f, FLT_MAX, ROWS, DRY_JOINT_FORCELESS, DRY_JOINT_THRESHOLD)                           \
    X(event_force, 0.0f, FLT_MAX, ROWS, DRY_JOINT_FORCELESS, DRY_JOINT_THRESHOLD)                            \
    X(event_torque, 0.0f, FLT_MAX, ROWS, DRY_JOINT_FORCELESS, DRY_JOINT_THRESHOLD)                           \
    X(length_min, 0.0f, 1e6f, LENGTH, "length_min and length_max are for distance joints", NULL)             \
    X(length_max, 0.0f, 1e6f, LENGTH, "length_min and length_max are for distance joints", NULL)             \
    X(volume, -1e18f, 1e18f, VOLUME, "volume is for volume joints", "volume must be within 1e18")            \
    X(length, 0.0f, 1e6f, LENGTH, NULL, "length must be 0 to 1e6")
#define DRY_JOINT_FORCELESS                                                                                  \
    "break_force, break_torque, event_force, event_torque: a filter joint has no force"
#define DRY_JOINT_THRESHOLD                                                                                  \
    "break_force, break_torque, event_force and event_torque must be finite and not negative"

/* X(name, low, high, motor, range): likewise of an axis. In a scene file the number's presence makes the
 * motor DRY_MOTOR_<motor>. */
#define DRY_JOINT_AXIS_NUMBERS(X)                                                                            \
    X(min, -FLT_MAX, FLT_MAX, OFF, NULL)                                                                     \
    X(max, -FLT_MAX, FLT_MAX, OFF, NULL)                                                                     \
    X(stop_hertz, 0.0f, 1e4f, OFF, "stop_hertz must be 0 to 1e4")                                            \
    X(stop_damping_ratio, 0.0f, 1e3f, OFF, "stop_damping_ratio must be 0 to 1e3")                            \
    X(stop_stiffness, 0.0f, 1e15f, OFF, "stop_stiffness and stop_damping must be 0 to 1e15")                 \
    X(stop_damping, 0.0f, 1e15f, OFF, "stop_stiffness and stop_damping must be 0 to 1e15")                   \
    X(stop_restitution, 0.0f, 1.0f, OFF, "stop_restitution must be 0 to 1")                                  \
    X(velocity, -1e6f, 1e6f, VELOCITY, "velocity, position and rest must be within 1e6")                     \
    X(position, -1e6f, 1e6f, POSITION, "velocity, position and rest must be within 1e6")                     \
    X(motor_hertz, 0.0f, 1e4f, OFF, "motor_hertz must be 0 to 1e4")                                          \
    X(motor_damping_ratio, 0.0f, 1e3f, OFF, "motor_damping_ratio must be 0 to 1e3")                          \
    X(force_max, 0.0f, 1e15f, OFF, "force_max must be 0 to 1e15 or INFINITY")                                \
    X(stiffness, 0.0f, 1e15f, OFF, "stiffness and damping must be 0 to 1e15")                                \
    X(damping, 0.0f, 1e15f, OFF, "stiffness and damping must be 0 to 1e15")                                  \
    X(rest, -1e6f, 1e6f, OFF, "velocity, position and rest must be within 1e6")                              \
    X(friction, 0.0f, 1e15f, OFF, "friction must be 0 to 1e15")
/* clang-format on */

#endif
