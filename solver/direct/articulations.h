/* Articulations: awake bodies that hang together by joints which are solved directly [Tomcin].
 *
 * The list is made with the layout, and kept with it. An articulation keeps its factor's ordering and
 * structure until its joints change. Rows are those of the bodies' present poses, in double. Next: linkage.c,
 * which fills them, then solve.c and correct.c. */
#ifndef SOLVER_DIRECT_ARTICULATIONS_H
#define SOLVER_DIRECT_ARTICULATIONS_H

#include "jobs/jobs.h"
#include "solver/bodies/whitening.h"
#include "solver/data/articulations.h"
#include "solver/data/part.h"

/* Lists the articulations of this step's layout. Returns false if memory fails: the list is then empty. */
bool dry_articulations_update(struct dry_solver_step *step, dry_memory *memory);

/* Returns the axes of a body that are locked, DRY_LOCK_..., but for all three of a kind: those take no rows,
 * since the body is infinitely heavy along them. */
static inline uint32_t dry_locked_axes(const dry_bodies *bodies, int row)
{
    const uint32_t locks = bodies->properties[row].locks;
    const uint32_t linear = locks & DRY_LOCKS_LINEAR, angular = locks & DRY_LOCKS_ANGULAR;
    return (linear == DRY_LOCKS_LINEAR ? 0 : linear) | (angular == DRY_LOCKS_ANGULAR ? 0 : angular);
}

/* Calls `run` for all articulations, one at a time. Most go side by side. One with more rows than a worker's
 * share of all of them is shared: its linkage has jobs then. */
void dry_articulations_for(struct dry_solver_step *step, dry_jobs_run *run, void *context);

/* After the substeps: corrects predicted poses until all joints are closed, then velocities [Tomcin 3]. Does
 * so for articulations that are alone in stage "solve", since these are solved here, and for the others in
 * "repair".
 */
void dry_articulations_correct(struct dry_solver_step *step);
/* Counts the articulations of the last step. */
void dry_articulations_count(const struct dry_solver_state *state, dry_statistics *statistics);
/* Keeps the impulses of joints, for queries and break thresholds. */
void dry_articulations_store(const struct dry_solver_step *step);

#endif
