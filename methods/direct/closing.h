/* Newton's method that closes the joints of a linkage [Tomcin 3], and what follows where a step ends. */
#ifndef METHODS_DIRECT_CLOSING_H
#define METHODS_DIRECT_CLOSING_H

#include "methods/direct/linkage.h"

#include <math.h>

/* Joints are closed and stops held within this, m or rad, and rows' speeds, m/s or rad/s: eps_P [Tomcin 3].
 */
#define DRY_JOINTS_CLOSED 1e-9
/* Beyond this, m or rad, a joint is open already when the step begins, as its user made it. It is closed
 * without changing velocities, or it would fly. A body whose gap to a stop is less is at that stop. */
#define DRY_JOINTS_OPEN 1e-7
/* A step that begins with joints further open, m or rad, is tried once. Their forces close them, and ask for
 * no substeps; joints that open further do so (correct.c). */
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

/* Gives bodies a share of the last solve's impulses. `sums` tells whether bodies have their sums. Returns the
 * largest error that joints have then; x has all. */
typedef double dry_linkage_take(const dry_linkage *l, double share, bool sums);
/* Newton's method with the one factor: A p = -`rate` c [Tomcin 3], again and again, from this error on. An
 * iteration that would open the joints further is shortened: near poses that no motion can reach, it leads
 * anywhere. `carried` becomes the sum of the impulses. */
void dry_linkage_close(const dry_linkage *l, double error, double rate, dry_linkage_take *take);
/* Corrects poses alone, where the substep ends. Returns the error before. */
double dry_linkage_close_poses(const dry_linkage *l);
/* Goes on with a correction of poses that was to close `asked`, while joints are open: in rounds, each with
 * rows of where the one before led, that are gentler (dry_linkage_take_inertia). They leave the gentler
 * inertia, and tell whether the articulation is stuck. Returns whether there were any. */
bool dry_linkage_close_in_rounds(const dry_linkage *l, double asked);

/* Tells whether a search with the present factor left joints open that a fine factor closes: alpha is more
 * than what the weakest rows move. The articulation is fine from then on. */
bool dry_linkage_needs_fine(const dry_linkage *l);
/* Lets all parts of a body end where the first one does, which finalize takes. The next step begins with all
 * of them there: its rows are then those of this step's end, and so is its factor. */
void dry_linkage_unite_parts(const dry_linkage *l);

/* Hard stops where a step ends: stops.c. */

/* Finds the hard stops of a linkage where the step ends; of many, those that its bodies have passed and those
 * near them. Fills what all joints let them move. Returns how far the worst is beyond where it is to be, m or
 * rad. */
double dry_stops_find(const dry_linkage *linkage);
/* Moves bodies back to these stops, by impulses that act on positions alone and leave the joints closed to
 * first order. Joints are to be closed afterwards. */
void dry_stops_move_back(const dry_linkage *linkage);
/* Stops the bodies that are at their stops where the step ends and still move on: sweeps pass a load from one
 * stop to the next too slowly for many stops, or a heavy body at their end. That takes energy away, unless a
 * kinematic side moves. */
void dry_stops_stop(const dry_linkage *linkage);
/* The velocity correction [Tomcin 3] of an articulation that nothing but its own motors, friction and stops
 * acts on: velocities of the last substep's middle become those of the pose where the step ends. Coordinates
 * that motors and friction hold keep their speeds. Nothing changes where no motor holds a speed, or a stop
 * presses. The energy of islands without motors is bounded: they would lose some in each step. */
void dry_stops_arrive(const dry_linkage *linkage);

/* The vibration that a joint's force gives to its bodies: vibration.c. */

/* Velocity-Verlet follows a vibration while w h < 2; w h = 1 keeps its energy. Sweeps follow w h up to this
 * where contacts alone act on an articulation: contacts take the energy that a vibration gains. Motors hold
 * it up.
 */
#define DRY_VIBRATION_SWEPT 1.5

/* Returns the square of the frequency of the fastest vibration, rad^2/s^2, that the joints' forces give to
 * the bodies of an articulation where a step ends: the forces are the joints' impulses over `time`. Returns
 * any value up to `followed` if that is not above it, and a value within some tenths if it is not above
 * `sure`, which the next step follows whatever else it does. Rows are filled. */
double dry_linkage_vibration(const dry_linkage *linkage, double time, double followed, double sure);
/* Returns what the last step has found. */
double dry_linkage_last_vibration(const dry_linkage *linkage);

#endif
