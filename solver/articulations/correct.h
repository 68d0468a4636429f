/* The parts of the joint correction and the velocity correction of articulations [Tomcin 3]. */
#ifndef SOLVER_ARTICULATIONS_CORRECT_H
#define SOLVER_ARTICULATIONS_CORRECT_H

#include "solver/articulations/linkage.h"

/* Joints are closed within this, m or rad, and rows' speeds, m/s or rad/s: eps_P [Tomcin 3]. */
#define DRY_CLOSED 1e-9
/* Beyond this, m or rad, a joint is open already when the step begins, as its user made it. It is closed
 * without changing velocities, or it would fly. */
#define DRY_OPEN 1e-7

/* A search that ends when it has found or gains nothing. */
typedef struct dry_search {
    double least;
    int iterations, in_vain;
} dry_search;

dry_search dry_search_begin(void);
/* Tells whether to go on from an error. */
bool dry_search_goes_on(dry_search *search, double error);

/* The joint correction: A p = -c / h [Tomcin 3], again and again. Without velocities only poses change.
 * Returns the error before. */
double dry_linkage_close(const dry_linkage *l, bool velocities);
/* Tells whether a correction of poses alone that was to close `asked` is stuck. */
bool dry_linkage_is_stuck(const dry_linkage *l, double asked);
/* Lets all parts of a body end where the first one does, which finalize takes. The next step begins with all
 * of them there: its rows are then those of this step's end, and so is its factor. */
void dry_linkage_unite_parts(const dry_linkage *l);

/* Moves an articulation that nothing else acts on by a step, in `substeps` or more. Returns the substeps that
 * it took; 1 if no number of them was enough. */
int dry_linkage_move_alone(dry_linkage l, int substeps);
/* Closes the joints of an articulation after the sweeps of a step. Sweeps have found the velocities, with
 * contacts and motors: poses alone are corrected [Tomcin 7]. Velocities that were corrected without contacts
 * would move what contacts hold. */
void dry_linkage_correct_swept(const dry_linkage *l);

#endif
