/* The table of solver methods. A step is given its method's description (data/method.h). The book has
 * Gauss-Seidel and Jacobi, and sweeps by color; the second volume, libdrystone_methods, adds other methods
 * and orders of sweeps when it is loaded. */
#ifndef SOLVER_METHODS_METHOD_H
#define SOLVER_METHODS_METHOD_H

#include "core/shared.h"
#include "solver/data/method.h"

extern const dry_method dry_method_gauss_seidel, dry_method_jacobi;

/* Both hold joints that a step lets open where it ends, and count bodies that too large a load goes through
 * as heavier. */
extern const dry_method_joints dry_joints_in_sweeps;
/* Both carry on impulses that bear what rests, and their relax sweeps leave it without speed. */
bool dry_sweeps_may_rest(const dry_settings *settings);

/* Adds a method, or an order of sweeps. */
DRY_SHARED void dry_method_add(dry_solver solver, const dry_method *method);
DRY_SHARED void dry_order_add(dry_order order, const dry_sweep_order *sweep_order);

/* Returns what is wrong with settings: a value out of its range, one that no method of this program has, or
 * one that the method they choose cannot honor; null if nothing is. */
const char *dry_settings_error(const dry_settings *settings);
/* Returns what of a joint the settings' method cannot honor, in words; null if nothing. */
const char *dry_settings_joint_error(const dry_settings *settings, const dry_joint_def *def);
/* Returns why it cannot honor springs of shapes; null if it can. */
const char *dry_settings_spring_error(const dry_settings *settings);

/* Returns the method that the settings choose. */
const dry_method *dry_method_of(const dry_settings *settings);
/* Returns the order of sweeps that they choose; null: the default one. */
const dry_sweep_order *dry_order_of(const dry_settings *settings);

#endif
