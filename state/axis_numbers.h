/* The numbers of a joint's axes, with their ranges and rules: the only lists of them. The check of a
 * definition and the scene files walk them. state/joints.h has units and defaults. */
#ifndef STATE_AXIS_NUMBERS_H
#define STATE_AXIS_NUMBERS_H

#include <drystone/joint.h>
#include <float.h>
#include <math.h>

/* X(name, low, high, motor, range): a number from `low` to `high`, or its default, which may be infinite.
 * `range` is what the log says of a number outside; NULL: the check of the axis says that. In a scene file
 * the number's presence makes the motor DRY_MOTOR_<motor>. */
/* clang-format off */
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
    X(a->motor_hertz == 0.0f && a->motor_damping_ratio != 1.0f,                                              \
      motor_damping_ratio, "1 without motor_hertz", "motor_damping_ratio needs motor_hertz")                 \
    X(a->stiffness == 0.0f && a->rest != 0.0f, rest, "0 without stiffness", "rest needs a stiffness")
/* Rules of scene files alone: a definition keeps what its motor will have when it is switched on. */
#define DRY_JOINT_AXIS_SCENE_RULES(X)                                                                        \
    X(!u.to_position && a->motor_hertz != 0.0f, motor_hertz, "0 without a position", )                       \
    X(a->motor == DRY_MOTOR_OFF && a->force_max != INFINITY,                                                 \
      force_max, "none without a velocity or a position", )
#define DRY_AXIS_LOCKED "nothing can act along an axis that is locked: min is max"
#define DRY_AXIS_STOPLESS "stop_... need a stop: min or max, and min less than max"
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
