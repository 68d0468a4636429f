/* The table of solver methods. A step is given its method's description (data/method.h). */
#ifndef SOLVER_METHODS_METHOD_H
#define SOLVER_METHODS_METHOD_H

#include "solver/data/method.h"

/* The only list of methods. X(method, METHOD): DRY_SOLVER_<METHOD> is described by dry_method_<method>, in
 * <method>.c; those of positions are in positions.c. */
#define DRY_METHODS(X)                                                                                       \
    X(gauss_seidel, GAUSS_SEIDEL)                                                                            \
    X(jacobi, JACOBI)                                                                                        \
    X(pbd, PBD)                                                                                              \
    X(xpbd, XPBD)                                                                                            \
    X(avbd, AVBD)

#define X(method, METHOD) extern const dry_method dry_method_##method;
DRY_METHODS(X)
#undef X

/* Solves for positions: forces, sweeps over positions at the substep's end, motion, sweeps over velocities
 * (position_substeps.c). */
void dry_substeps_of_positions(struct dry_substeps *run);

/* Returns what is wrong with settings: a value out of its range, or one that the method they choose cannot
 * honor; null if nothing is. */
const char *dry_settings_error(const dry_settings *settings);
/* Returns what of a joint the settings' method cannot honor, in words; null if nothing. */
const char *dry_settings_joint_error(const dry_settings *settings, const dry_joint_def *def);
/* Returns why it cannot honor springs of shapes; null if it can. */
const char *dry_settings_spring_error(const dry_settings *settings);

/* Returns the method that the settings choose. */
const dry_method *dry_method_of(const dry_settings *settings);

#endif
