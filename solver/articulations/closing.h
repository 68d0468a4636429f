/* Newton's method that closes the joints of a linkage [Tomcin 3]. */
#ifndef SOLVER_ARTICULATIONS_CLOSING_H
#define SOLVER_ARTICULATIONS_CLOSING_H

#include "solver/articulations/linkage.h"

#include <math.h>

/* Joints are closed within this, m or rad, and rows' speeds, m/s or rad/s: eps_P [Tomcin 3]. */
#define DRY_JOINTS_CLOSED 1e-9
/* Beyond this, m or rad, a joint is open already when the step begins, as its user made it. It is closed
 * without changing velocities, or it would fly. */
#define DRY_JOINTS_OPEN 1e-7

/* A search that ends when it has found or gains nothing. */
typedef struct dry_search {
    double least;
    int iterations, in_vain;
} dry_search;

static inline dry_search dry_search_begin(void)
{
    return (dry_search){.least = INFINITY};
}

/* Tells whether to go on from an error. */
bool dry_search_goes_on(dry_search *s, double error);
/* Counts a search as a correction of poses that left this error. */
void dry_search_count(const dry_search *s, const dry_linkage *l, double error);

/* An iteration that would open joints further is shortened this often at most, then taken back. Returns the
 * share after the i-th time. */
enum { DRY_SHORTENINGS = 4 };
static inline double dry_shorter(double share, int i)
{
    return i < DRY_SHORTENINGS ? 0.25 * share : 0.0;
}

/* Multiplies x. */
void dry_linkage_scale(const dry_linkage *l, double by);
/* Corrects poses alone, where the substep ends. Returns the error before. */
double dry_linkage_close_poses(const dry_linkage *l);
/* Tells whether a correction of poses alone that was to close `asked` is stuck. */
bool dry_linkage_is_stuck(const dry_linkage *l, double asked);
/* Lets all parts of a body end where the first one does, which finalize takes. The next step begins with all
 * of them there: its rows are then those of this step's end, and so is its factor. */
void dry_linkage_unite_parts(const dry_linkage *l);

#endif
