/* The only list of joint types. A type is one file, named after it: what its definition must hold, and its
 * rows. A kind is a layout of bundles with its kernels, which types may share.
 *
 *   point   three rows along the world's axes, solved as one 3x3 block (point.h, point.c, point_kernels.h)
 *   line    one row along a direction (line.h, line.c, line_kernels.h) */
#ifndef SOLVER_JOINTS_JOINT_LIST_H
#define SOLVER_JOINTS_JOINT_LIST_H

/* X(type, TYPE, KIND): DRY_JOINT_<TYPE> is described by dry_joint_<type>, in <type>.c. In the order of
 * dry_joint_type. */
#define DRY_JOINT_TYPES(X)                                                                                   \
    X(ball, BALL, POINT)                                                                                     \
    X(distance, DISTANCE, LINE)

/* X(kind, KIND): in the order in which a sweep goes through them. */
#define DRY_JOINT_KINDS(X)                                                                                   \
    X(point, POINT)                                                                                          \
    X(line, LINE)

#endif
