/* The line search along the impulses of joints that a substep begins with. */
#ifndef SOLVER_SWEEPS_LINE_SEARCH_H
#define SOLVER_SWEEPS_LINE_SEARCH_H

#include "solver/data/context.h"

struct dry_sweep_kernels;

/* Makes room for all islands, once frames have begun (solver/bodies/frames.h). False if memory fails. */
bool dry_line_search_reserve(dry_solver_step *step, dry_memory *memory);
/* Keeps the velocities of a range's bodies without the impulses of joints, and applies these by the kernels
 * `warm`, but for those of bundles that a part sweeps. */
void dry_line_search_begin(struct dry_substeps *run, const struct dry_sweep_kernels *warm);
/* Scales these impulses, in the bodies' velocities and in the bundles. Returns whether any changed. */
bool dry_line_search_end(struct dry_substeps *run);

#endif
