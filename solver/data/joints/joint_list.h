/* The only list of joint types. A type is one file, named after it: what its definition must hold, and its
 * rows. A kind is a layout of bundles with its kernels, which types may share.
 *
 *   point   three rows along the world's axes, solved as one 3x3 block (point.h, point.c, point_kernels.h)
 *   line    one row along a direction (line.h, line.c, line_kernels.h)
 *   block   up to six rows of any direction, solved as one block (block.h, block.c, block_kernels.h)
 *   axes    rows along free axes, with springs, motors, friction and stops (axes.h, axes.c, axes_kernels.h)
 *   quad    one row over four bodies (quad.h, quad.c, quad_kernels.h)
 *
 * A joint with frames may have a lane in a block and one in axes. */
#ifndef SOLVER_DATA_JOINTS_JOINT_LIST_H
#define SOLVER_DATA_JOINTS_JOINT_LIST_H

#include "state/joint_numbers.h"

#define DRY_AXIS_BIT(axis) (1u << (axis))
#define DRY_AXES_ROTATIONS (DRY_AXIS_BIT(DRY_AXIS_RX) | DRY_AXIS_BIT(DRY_AXIS_RY) | DRY_AXIS_BIT(DRY_AXIS_RZ))
#define DRY_AXES_ALL ((1u << DRY_AXIS_COUNT) - 1u)
#define DRY_JOINT_HAS_PLACES (DRY_JOINT_HAS_ROWS | DRY_JOINT_HAS_FRAMES)
#define DRY_JOINT_HAS_POINTS (DRY_JOINT_HAS_ROWS | DRY_JOINT_HAS_SPRING)

/* X(type, TYPE, name, axes, has): DRY_JOINT_<TYPE> is described by dry_joint_<type>, in <type>.c. In the
 * order of dry_joint_type. `name` is the type's in scene files, `axes` are bits of the axes that may be free,
 * and `has` is what else of a definition the type reads. */
/* clang-format off */
#define DRY_JOINT_TYPES(X)                                                                                   \
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
    X(volume, VOLUME, "volume", 0, DRY_JOINT_HAS_POINTS | DRY_JOINT_HAS_CORNERS | DRY_JOINT_HAS_VOLUME)      \
    X(filter, FILTER, "filter", 0, 0)                                                                        \
    X(gear, GEAR, "gear", 0, DRY_JOINT_HAS_PLACES | DRY_JOINT_HAS_TEETH)                                     \
    X(rack, RACK, "rack", 0, DRY_JOINT_HAS_PLACES | DRY_JOINT_HAS_RADIUS)
/* clang-format on */

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

/* X(kind, KIND): in the order in which a sweep goes through them. */
#define DRY_JOINT_KINDS(X)                                                                                   \
    X(point, POINT)                                                                                          \
    X(line, LINE)                                                                                            \
    X(block, BLOCK)                                                                                          \
    X(axes, AXES)                                                                                            \
    X(quad, QUAD)

#endif
