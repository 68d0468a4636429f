/* The only lists of joint types and of their numbers. The check of a definition and the scene files walk
 * them. A type is one file, named after it (solver/constraint/joints/types/; volume in methods/volumes/):
 * what its definition must hold, and its rows. state/joints.h has units and defaults of the numbers. */
#ifndef STATE_JOINT_LIST_H
#define STATE_JOINT_LIST_H

#include "state/axis_numbers.h"

/* Bits of what a joint type has of a definition. */
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

#define DRY_AXIS_BIT(axis) (1u << (axis))
#define DRY_AXES_ROTATIONS (DRY_AXIS_BIT(DRY_AXIS_RX) | DRY_AXIS_BIT(DRY_AXIS_RY) | DRY_AXIS_BIT(DRY_AXIS_RZ))
#define DRY_AXES_ALL ((1u << DRY_AXIS_COUNT) - 1u)
#define DRY_JOINT_HAS_PLACES (DRY_JOINT_HAS_ROWS | DRY_JOINT_HAS_FRAMES)
#define DRY_JOINT_HAS_POINTS (DRY_JOINT_HAS_ROWS | DRY_JOINT_HAS_SPRING)

/* X(type, TYPE, name, axes, has): DRY_JOINT_<TYPE> is described by dry_joint_<type>, in <type>.c. In the
 * order of dry_joint_type. `name` is the type's in scene files, `axes` are bits of the axes that may be free,
 * and `has` is what else of a definition the type reads. Y: the same of types that the second volume adds. */
/* clang-format off */
#define DRY_JOINT_TYPES_OF(X, Y)                                                                              \
    X(ball, BALL, "ball", 0, DRY_JOINT_HAS_POINTS | DRY_JOINT_HAS_FRICTION)                                  \
    X(distance, DISTANCE, "distance", 0, DRY_JOINT_HAS_POINTS | DRY_JOINT_HAS_LENGTH)                        \
    X(target, TARGET, "target", 0, DRY_JOINT_HAS_POINTS | DRY_JOINT_HAS_FORCE_MAX)                           \
    X(hinge, HINGE, "hinge", DRY_AXIS_BIT(DRY_AXIS_RX), DRY_JOINT_HAS_PLACES)                                \
    X(slider, SLIDER, "slider", DRY_AXIS_BIT(DRY_AXIS_X), DRY_JOINT_HAS_PLACES)                              \
    X(universal, UNIVERSAL, "universal", DRY_AXIS_BIT(DRY_AXIS_RY) | DRY_AXIS_BIT(DRY_AXIS_RZ),              \
      DRY_JOINT_HAS_PLACES)                                                                                  \
    X(fixed, FIXED, "fixed", 0, DRY_JOINT_HAS_PLACES | DRY_JOINT_HAS_SPRING | DRY_JOINT_HAS_ANGULAR_SPRING)  \
    X(cone_twist, CONE_TWIST, "cone-twist", DRY_AXES_ROTATIONS,                                              \
      DRY_JOINT_HAS_PLACES | DRY_JOINT_HAS_SWING_MAX)                                                        \
    X(wheel, WHEEL, "wheel",                                                                                 \
      DRY_AXIS_BIT(DRY_AXIS_Y) | DRY_AXIS_BIT(DRY_AXIS_RX) | DRY_AXIS_BIT(DRY_AXIS_RY),                      \
      DRY_JOINT_HAS_PLACES)                                                                                  \
    X(generic, GENERIC, "generic", DRY_AXES_ALL, DRY_JOINT_HAS_PLACES | DRY_JOINT_HAS_STATES)                \
    X(align, ALIGN, "align", DRY_AXIS_BIT(DRY_AXIS_RX), DRY_JOINT_HAS_PLACES)                                \
    Y(volume, VOLUME, "volume", 0, DRY_JOINT_HAS_POINTS | DRY_JOINT_HAS_CORNERS | DRY_JOINT_HAS_VOLUME)      \
    X(filter, FILTER, "filter", 0, 0)                                                                        \
    X(gear, GEAR, "gear", 0, DRY_JOINT_HAS_PLACES | DRY_JOINT_HAS_TEETH)                                     \
    X(rack, RACK, "rack", 0, DRY_JOINT_HAS_PLACES | DRY_JOINT_HAS_RADIUS)
/* clang-format on */
#define DRY_JOINT_TYPES(X) DRY_JOINT_TYPES_OF(X, X)

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
/* clang-format on */

/* The definitions of joints of more than two bodies, member by member, as in state/definitions.h. The joint's
 * own is always written, whatever its default here: X(ID, type, FIELDS). */
#define DRY_VOLUME_DEF_FIELDS(F, T)                                                                          \
    F(T, 1, dry_joint_def, joint, , DRY_ARRAY_DEFAULT, "")                                                   \
    F(T, 2, dry_body_id, body_c, , DRY_ARRAY_DEFAULT, "")                                                    \
    F(T, 3, dry_body_id, body_d, , DRY_ARRAY_DEFAULT, "")                                                    \
    F(T, 4, dry_vec3, anchor_c, , DRY_VEC3_DEFAULT, "")                                                      \
    F(T, 5, dry_vec3, anchor_d, , DRY_VEC3_DEFAULT, "")
#define DRY_WIDE_JOINT_DEFINITIONS(X) X(VOLUME, dry_volume_def, DRY_VOLUME_DEF_FIELDS)

/* Traits of a type, for all but the solver's rows. */
typedef struct dry_joint_traits {
    uint32_t axes, has;
} dry_joint_traits;

static const dry_joint_traits dry_joint_traits_of[DRY_JOINT_TYPE_COUNT] = {
#define X(type, TYPE, name, axes, has) [DRY_JOINT_##TYPE] = {axes, has},
    DRY_JOINT_TYPES(X)
#undef X
};

/* Tells whether joints of a type have something: bits DRY_JOINT_HAS_... */
static inline bool dry_joint_has(dry_joint_type type, uint32_t bits)
{
    return (dry_joint_traits_of[type].has & bits) != 0;
}

/* Tells whether joints of a type have an axis. */
static inline bool dry_joint_has_axis(dry_joint_type type, int axis)
{
    return dry_joint_traits_of[type].axes >> axis & 1;
}

#endif
