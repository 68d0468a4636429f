/* Articulations: awake bodies that hang together by joints which are solved directly [Tomcin].
 *
 * The list is made with the layout, and kept with it. An articulation keeps its factor's ordering and
 * structure until its joints change. Rows are those of the bodies' present poses, in double. Next: linkage.c,
 * which fills them, then solve.c and correct.c. */
#ifndef SOLVER_DIRECT_ARTICULATIONS_H
#define SOLVER_DIRECT_ARTICULATIONS_H

#include "core/memory.h"
#include "jobs/jobs.h"
#include "solver/bodies/whitening.h"
#include "solver/data/articulations.h"

#include <drystone/world.h>

struct dry_solver_step;
struct dry_sweep;
struct dry_tier_range;

/* Lists the articulations of this step's layout. Returns false if memory fails: the list is then empty. */
bool dry_articulations_update(struct dry_solver_step *step, dry_memory *memory);

/* Tells whether the hard stops of a joint are held where a step ends. */
static inline bool dry_articulations_hold_stops(const dry_articulations *a, int joint)
{
    return a->coupling.items > 0 && joint / 64 < a->direct_words && (a->held[joint / 64] >> joint % 64 & 1);
}

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

/* Begins the step of articulations that something else than their joints acts on too: their rows and factors.
 */
void dry_articulations_prepare(struct dry_solver_step *step);
/* Makes those of a tier anew between two substeps, `since` seconds after the step's begin. Articulations
 * whose rows have turned too little for that keep both. */
void dry_articulations_make(struct dry_solver_step *step, const struct dry_tier_range *range, float since);
/* Lets the joints of a tier's articulations answer what bodies have been given before the first sweep. */
void dry_articulations_answer(struct dry_solver_step *step, const struct dry_tier_range *range,
                              const struct dry_sweep *sweep);
/* Takes back what they gave in the last answer beyond a share: that by which the line search has scaled what
 * they answered. */
void dry_articulations_scale(struct dry_solver_step *step, const struct dry_tier_range *range);
/* Does a sweep over a tier's articulations, after that over all else: solves their joints [Tomcin 3], and
 * between the halves the contacts and axes that act on them [Tomcin 7]. */
void dry_articulations_sweep(struct dry_solver_step *step, const struct dry_tier_range *range,
                             const struct dry_sweep *sweep, dry_sweep_kind kind);
/* Adds the energy of their springs after the last substep to the records of joints. */
void dry_articulations_add_stored(struct dry_solver_step *step);
/* Tells whether a tier has articulations that take part in its sweeps. */
bool dry_articulations_has_tier(const struct dry_solver_step *step, const struct dry_tier_range *range);
/* After the substeps: corrects predicted poses until all joints are closed, then velocities [Tomcin 3]. Does
 * so for articulations that are alone in stage "solve", since these are solved here, and for the others in
 * "repair".
 */
void dry_articulations_correct(struct dry_solver_step *step);
/* Returns the counts of the last step, of all articulations. */
dry_articulation_statistics dry_articulations_count(const dry_articulations *articulations);
/* Keeps the impulses of joints, for queries and break thresholds. */
void dry_articulations_store(const struct dry_solver_step *step);

#endif
