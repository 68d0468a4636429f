/* Kernels of contacts and of joints that this library adds, by level. */
#ifndef METHODS_ADDED_KERNELS_H
#define METHODS_ADDED_KERNELS_H

#include "solver/sweeps/contacts/kernel_list.h"
#include "solver/sweeps/joints/kernel_list.h"

/* X(kind, KIND, sweep, SWEEP, UPDATE): sweeps over joints of methods that solve for positions, and all sweeps
 * over quads. */
#define DRY_ADDED_JOINT_SWEEPS(X)                                                                            \
    X(point, POINT, solve_turned, SOLVE, TURNED)                                                             \
    X(line, LINE, solve_turned, SOLVE, TURNED)                                                               \
    X(block, BLOCK, solve_turned, SOLVE, TURNED)                                                             \
    X(axes, AXES, solve_turned, SOLVE, TURNED)                                                               \
    X(quad, QUAD, solve_turned, SOLVE, TURNED)                                                               \
    DRY_JOINT_SWEEPS(X, quad, QUAD)                                                                          \
    DRY_RARE_JOINT_SWEEPS(X, quad, QUAD)

DRY_RARE_TABLES(dry_added_contact_kernels, dry_added_contact_kernels_at)
DRY_RARE_TABLES(dry_added_joint_kernels, dry_added_joint_kernels_at)

#endif
