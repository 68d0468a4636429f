/* Decides which share of its ticks each priority gets when rooms ask for more than there is. Pure functions.
 */
#ifndef HOST_ROOMS_SHED_H
#define HOST_ROOMS_SHED_H

#include "core/assert.h"

#include <drystone/rooms.h>
#include <stdint.h>

/* The time that the rooms of each priority ask for, in ns of the workers' time for each second. Whole
 * numbers, so that sums that rooms join and leave do not drift. */
typedef struct dry_demand {
    int64_t asked[DRY_ROOM_PRIORITIES];
} dry_demand;

/* The processor time of a room's ticks, in the mean of the last eight or so. */
typedef struct dry_cost {
    double ms; /* 0: not known yet */
    int ticks; /* that it has followed, as far as the mean reaches back */
} dry_cost;

/* Follows a tick that has ended. A room's first tick takes memory and finds its world in no cache: it says
 * nothing of later ones, and does not count. */
static inline void dry_cost_follow(dry_cost *cost, double ms)
{
    enum { TICKS = 8 };
    if (cost->ticks > 0)
        cost->ms += (ms - cost->ms) / cost->ticks;
    cost->ticks += cost->ticks < TICKS;
}

/* Returns what a room asks for whose ticks take `cost_ms`: all of one worker at most. */
static inline int64_t dry_demand_of(double cost_ms, double rate)
{
    const double share = cost_ms * rate * 1e-3;
    return (int64_t)(1e9 * (share < 1.0 ? share : 1.0));
}

/* Returns the load of a number of workers; 1 is all of their time. */
double dry_demand_load(const dry_demand *demand, int workers);

/* Sets the shares of ticks, 0 to 1: higher priorities get what they ask for first, and the first that does
 * not get all of it shares out the rest. */
void dry_shed_shares(const dry_demand *demand, int workers, double load_max,
                     double share[DRY_ROOM_PRIORITIES]);

/* Shares and the last samples of those that the load called for. */
enum { DRY_SHARE_SAMPLES = 20 };
typedef struct dry_shares {
    double now[DRY_ROOM_PRIORITIES];
    double called_for[DRY_SHARE_SAMPLES][DRY_ROOM_PRIORITIES];
    int oldest;
} dry_shares;

/* Returns shares before the first sample: all of the ticks. */
dry_shares dry_shares_new(void);

/* Takes a sample of the load. A priority loses ticks only if all of the last samples call for it, and no more
 * than the mildest of them does: a short load passes, and one that has gone is forgotten at once. */
void dry_shares_follow(dry_shares *shares, const dry_demand *demand, int workers, double load_max);

/* Tells whether no priority loses ticks. */
bool dry_shares_are_whole(const dry_shares *shares);

/* Tells whether a tick is made, of a room that has had credit for earlier ones. Of n ticks with one share, n
 * times the share are made, to within one. */
static inline bool dry_shed_keeps(double *credit, double share)
{
    if (share >= 1.0)
        return true;
    *credit += share;
    if (*credit < 1.0)
        return false;
    *credit -= 1.0;
    DRY_ASSERT(*credit >= 0.0 && *credit < 1.0);
    return true;
}

#endif
