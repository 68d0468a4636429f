/* Articulations: awake bodies that hang together by joints which are solved directly [Tomcin].
 *
 * The list is made with the layout, and kept with it. An articulation keeps its factor's ordering and
 * structure until its joints change. Rows are those of the bodies' present poses, in double. Next: linkage.c,
 * which fills them, then solve.c and correct.c. */
#ifndef METHODS_DIRECT_ARTICULATIONS_H
#define METHODS_DIRECT_ARTICULATIONS_H

#include "jobs/jobs.h"
#include "methods/sparse/factor.h"
#include "methods/sparse/panel.h"
#include "solver/bodies/whitening.h"
#include "solver/data/articulations.h"
#include "solver/data/part.h"

/* A factor, with the graph that it was made for. */
typedef struct dry_articulation_factor {
    dry_factor factor;
    int32_t (*body)[2];
    uint8_t *rows;
    int body_capacity, rows_capacity, nodes;
    int32_t links;             /* the first nodes; the others are fixations */
    double regularization;     /* the largest share; less of a slender articulation */
    uint64_t made_of;          /* a hash of the rows that the factor is of; 0: none */
    int32_t raised, redundant; /* its pivots that were raised to alpha; that alpha alone holds up */
    int32_t per_part;          /* links of a part of a split body; 0: none is split */
    int32_t first;             /* slot of the first joint of the articulation that had it last; -1: none */
    bool used;
} dry_articulation_factor;

/* Values of work on columns for each row of a padded vector, which has more rows than the articulation: two
 * panels, and the sides of a body, of all rows at most. */
enum { DRY_COUPLING_WORK = 5 * DRY_PATH_COLUMNS };

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
