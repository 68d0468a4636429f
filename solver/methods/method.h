/* A solver method: what it needs, the destination of its changes, its schedule of passes. It honors every
 * friction model and both kinds of stiffness. Nothing outside a method's file branches on its name. */
#ifndef SOLVER_METHODS_METHOD_H
#define SOLVER_METHODS_METHOD_H

#include "solver/methods/method_list.h"
#include "solver/sweep.h"

#include <drystone/world.h>

/* The sweeps of one substep. */
typedef struct dry_schedule {
    int solve_sweeps, relax_sweeps;
} dry_schedule;

typedef struct dry_method {
    const char *name;
    /* Some sweep sums its changes: the method needs dry_solver_state.sums, a row for each body. */
    bool needs_sums;
    /* A body's mass is split among its constraints: prepare counts them. */
    bool splits_masses;
    /* A tier may be cut into partitions, so that one pass follows another through a cache. */
    bool allows_partitions;
    /* The destination of each sweep's changes, which chooses the method's kernels. */
    dry_update update[DRY_SWEEP_COUNT];
    /* Returns the sweeps of a substep in a tier that is given so many sweeps with the position term. */
    dry_schedule (*schedule)(const dry_settings *settings, int sweeps);
    /* Returns the relaxation at which sweeps would converge fastest, if with the present one each sweep's
     * change is `ratio` of the last one's, below 1. */
    double (*relaxation)(const dry_settings *settings, double present, double ratio);
    /* Returns why settings that choose the method cannot be honored, null if they can; null: it honors all.
     */
    const char *(*refuses)(const dry_settings *settings);
} dry_method;

#define X(method, METHOD) extern const dry_method dry_method_##method;
DRY_METHODS(X)
#undef X

/* Returns why the method that settings within their ranges choose cannot honor them; null if it can. */
const char *dry_method_refuses(const dry_settings *settings);

/* Returns the method that the settings choose. */
const dry_method *dry_method_of(const dry_settings *settings);

#endif
