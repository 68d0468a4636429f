/* Slows a room that takes more than its budget: first by fewer substeps, one tier a step, then by fewer
 * ticks. After a second without an excess it climbs back, one rung a second. Pure functions of times. */
#ifndef HOST_ROOMS_BUDGET_H
#define HOST_ROOMS_BUDGET_H

#include <stdbool.h>

typedef struct dry_budget {
    int cap;     /* of substeps; 0: none */
    int divisor; /* only each tick whose number it divides is made; at least 1 */
    double quiet_since_ms;
} dry_budget;

/* The limits that a budget goes by. */
typedef struct dry_budget_limits {
    double budget_ms; /* of a tick; 0: none */
    int substeps_min; /* of the world's settings */
    int substeps_own; /* the cap without a budget: the program's for the room, or dry_settings.substeps_max */
    bool fixed;       /* dry_settings.substeps is set: no cap has an effect */
    double rate;      /* Hz; 0: as fast as it goes */
} dry_budget_limits;

dry_budget dry_budget_new(void);

/* Follows a tick that has ended. `substeps` is the largest number of an island in its step. Returns whether
 * the cap or the divisor has changed. */
bool dry_budget_follow(dry_budget *budget, const dry_budget_limits *limits, double now_ms, double cost_ms,
                       int substeps);

#endif
