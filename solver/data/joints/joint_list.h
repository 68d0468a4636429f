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

/* X(type, TYPE): DRY_JOINT_<TYPE> is described by dry_joint_<type>, in <type>.c. In the order of
 * dry_joint_type. */
#define DRY_JOINT_TYPES(X)                                                                                   \
    X(ball, BALL)                                                                                            \
    X(distance, DISTANCE)                                                                                    \
    X(target, TARGET)                                                                                        \
    X(hinge, HINGE)                                                                                          \
    X(slider, SLIDER)                                                                                        \
    X(universal, UNIVERSAL)                                                                                  \
    X(fixed, FIXED)                                                                                          \
    X(cone_twist, CONE_TWIST)                                                                                \
    X(wheel, WHEEL)                                                                                          \
    X(generic, GENERIC)                                                                                      \
    X(align, ALIGN)                                                                                          \
    X(volume, VOLUME)                                                                                        \
    X(filter, FILTER)                                                                                        \
    X(gear, GEAR)                                                                                            \
    X(rack, RACK)

/* X(kind, KIND): in the order in which a sweep goes through them. */
#define DRY_JOINT_KINDS(X)                                                                                   \
    X(point, POINT)                                                                                          \
    X(line, LINE)                                                                                            \
    X(block, BLOCK)                                                                                          \
    X(axes, AXES)                                                                                            \
    X(quad, QUAD)

#endif
