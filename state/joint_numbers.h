/* The numbers of joints and of their axes, with their ranges and rules: the only lists of them. The check of
 * a definition and the scene files walk them. state/joints.h has units and defaults. */
#ifndef STATE_JOINT_NUMBERS_H
#define STATE_JOINT_NUMBERS_H

#include <drystone/joint.h>
#include <float.h>
#include <math.h>

/* Bits of what a joint type has of a definition. solver/data/joints/joint_list.h gives them to each type. */
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
    X(stiffness, 0.0f, 1e15f, SPRING, "stiffness is for joints of points and fixed ones, and for axes",      \
      "stiffness must be 0 to 1e15")                                                                         \
    X(damping, 0.0f, 1e15f, SPRING, "damping is for joints of points and fixed ones, and for axes",          \
      "damping must be 0 to 1e15")                                                                         \
    X(angular_stiffness, 0.0f, 1e15f, ANGULAR_SPRING, "angular_stiffness is for fixed joints",               \
      "angular_stiffness and angular_damping must be 0 to 1e15")                                             \
    X(angular_damping, 0.0f, 1e15f, ANGULAR_SPRING, "angular_damping is for fixed joints",                   \
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

/* X(broken, field, expected, error): a rule that an axis `a` breaks, by its uses `u`, although each number is
 * within its range. A scene file names the field and what is expected of it, and the log says `error`. */
#define DRY_JOINT_AXIS_RULES(X)                                                                              \
    X(u.locked && u.to_velocity, velocity, "none along a locked axis", DRY_AXIS_LOCKED)                      \
    X(u.locked && u.to_position, position, "none along a locked axis", DRY_AXIS_LOCKED)                      \
    X(u.locked && a->stiffness > 0.0f, stiffness, "0 along a locked axis", DRY_AXIS_LOCKED)                  \
    X(u.locked && a->damping > 0.0f, damping, "0 along a locked axis", DRY_AXIS_LOCKED)                      \
    X(u.locked && a->friction > 0.0f, friction, "0 along a locked axis", DRY_AXIS_LOCKED)                    \
    X(!u.stopped && u.by_hertz, stop_hertz, "0 without stops", DRY_AXIS_STOPLESS)                            \
    X(!u.stopped && u.by_k, stop_stiffness, "0 without stops", DRY_AXIS_STOPLESS)                            \
    X(!u.stopped && u.bounces, stop_restitution, "0 without stops", DRY_AXIS_STOPLESS)                       \
    X(u.by_hertz && u.by_k, stop_stiffness, "0 beside stop_hertz",                                           \
      "stop_hertz and stop_stiffness exclude each other")                                                    \
    X((u.by_hertz || u.by_k) && u.bounces, stop_restitution, "0 at a soft stop",                             \
      "stop_restitution needs a hard stop")                                                                  \
    X(!u.by_hertz && a->stop_damping_ratio != 0.0f, stop_damping_ratio, "0 without stop_hertz",              \
      "stop_damping_ratio needs stop_hertz")                                                                 \
    X(!u.by_k && a->stop_damping != 0.0f, stop_damping, "0 without stop_stiffness",                          \
      "stop_damping needs stop_stiffness")                                                                   \
    X(!u.to_velocity && a->velocity != 0.0f, velocity, "0 without a motor to it",                            \
      "velocity needs a motor to a velocity")                                                                \
    X(!u.to_position && a->position != 0.0f, position, "0 without a motor to it", DRY_AXIS_AIMLESS)          \
    X(!u.to_position && a->motor_hertz != 0.0f, motor_hertz, "0 without a position", DRY_AXIS_AIMLESS)       \
    X(a->motor_hertz == 0.0f && a->motor_damping_ratio != 1.0f,                                              \
      motor_damping_ratio, "1 without motor_hertz", "motor_damping_ratio needs motor_hertz")                 \
    X(a->motor == DRY_MOTOR_OFF && a->force_max != INFINITY,                                                 \
      force_max, "none without a velocity or a position", "force_max needs a motor")                         \
    X(a->stiffness == 0.0f && a->rest != 0.0f, rest, "0 without stiffness", "rest needs a stiffness")
#define DRY_AXIS_LOCKED "nothing can act along an axis that is locked: min is max"
#define DRY_AXIS_STOPLESS "stop_... need a stop: min or max, and min less than max"
#define DRY_AXIS_AIMLESS "position and motor_hertz need a motor to a position"
/* clang-format on */

/* Tells what acts along an axis. */
typedef struct dry_axis_uses {
    bool locked, stopped, by_hertz, by_k, bounces, to_velocity, to_position;
} dry_axis_uses;

static inline dry_axis_uses dry_axis_uses_of(const dry_joint_axis *a)
{
    return (dry_axis_uses){
        .locked = a->min == a->max,
        .stopped = a->min != a->max && (a->min > -INFINITY || a->max < INFINITY),
        .by_hertz = a->stop_hertz > 0.0f,
        .by_k = a->stop_stiffness > 0.0f,
        .bounces = a->stop_restitution > 0.0f,
        .to_velocity = (a->motor & DRY_MOTOR_VELOCITY) != 0,
        .to_position = (a->motor & DRY_MOTOR_POSITION) != 0,
    };
}

#endif
