/* The parameters of sweeps that follow from the settings. */
#ifndef SOLVER_SWEEPS_SWEEP_H
#define SOLVER_SWEEPS_SWEEP_H

#include "solver/data/method.h"
#include "solver/data/sweep.h"

/* Returns the parameters that follow from the method and the settings, for substeps of length h and contacts
 * of at most `hertz_max`. Rows, times and prefetching are the caller's. */
dry_sweep dry_sweep_of(const dry_method *method, const dry_settings *settings, float h, float hertz_max);

#endif
