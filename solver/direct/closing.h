/* Newton's method that closes the joints of a linkage [Tomcin 3]. */
#ifndef SOLVER_DIRECT_CLOSING_H
#define SOLVER_DIRECT_CLOSING_H

#include "solver/direct/linkage.h"

#include <math.h>

/* Joints are closed and stops held within this, m or rad, and rows' speeds, m/s or rad/s: eps_P [Tomcin 3].
 */
#define DRY_JOINTS_CLOSED 1e-9
/* Beyond this, m or rad, a joint is open already when the step begins, as its user made it. It is closed
 * without changing velocities, or it would fly. A body whose gap to a stop is less is at that stop. */
#define DRY_JOINTS_OPEN 1e-7
/* A step that begins with joints further open, m or rad, is tried once. Their forces close them, and ask for
 * no substeps; joints that open further do so (correct.c). Among contacts, closed joints that end further
 * open are torn: the motion of a step led where no search finds back. */
#define DRY_JOINTS_FAR 1e-4
/* A step may open joints by less than this, m or rad: rows that turn so far are kept, and joints that open
 * further ask for more substeps. */
#define DRY_JOINTS_UNSEEN 1e-6

/* A search gains nothing in a round that leaves more than this share of the error, and little in one that
 * leaves more than the second. */
#define DRY_GAINS_NOTHING 0.9
#define DRY_GAINS_LITTLE 0.5

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
/* Rounds that close joints which are open. The first has the bodies' own inertia; later ones are gentler
 * (dry_linkage_take_inertia), each with rows of where the one before led. */
typedef struct dry_closing {
    double asked, least; /* by the first round, and by any; m or rad */
    int rounds;
} dry_closing;

static inline dry_closing dry_closing_begin(void)
{
    return (dry_closing){.least = INFINITY};
}

/* Counts a round that was to close `asked`. */
static inline void dry_closing_count(dry_closing *c, double asked)
{
    if (c->rounds++ == 0)
        c->asked = asked;
    c->least = fmin(c->least, asked);
}

/* Tells whether another round follows: with the correction as bodies move, a substep has four at most. */
static inline bool dry_closing_goes_on(const dry_closing *c, const dry_articulation *a)
{
    return a->error > DRY_JOINTS_OPEN && !a->stuck && c->rounds < 3 &&
           (c->rounds == 1 || a->error < 0.95 * c->least);
}

/* After the last round: joints that several rounds hardly close contradict each other, too. Near the poses
 * where they are closest no row says so: some motion still closes them, to first order. */
static inline bool dry_closing_is_stuck(const dry_closing *c, const dry_articulation *a)
{
    return a->stuck ||
           (c->rounds > 1 && a->error > DRY_JOINTS_OPEN && a->error > DRY_GAINS_NOTHING * c->asked);
}

/* Tells whether a search with the present factor left joints open that a fine factor closes: alpha is more
 * than what the weakest rows move. The articulation is fine from then on. */
bool dry_linkage_needs_fine(const dry_linkage *l);
/* Lets all parts of a body end where the first one does, which finalize takes. The next step begins with all
 * of them there: its rows are then those of this step's end, and so is its factor. */
void dry_linkage_unite_parts(const dry_linkage *l);

#endif
