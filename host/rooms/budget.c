/* The rungs of a room's budget: tiers of substeps, then divisors of ticks. Reads costs. Writes the budget.
 * Next: tick.c, which applies the cap by a call, and schedule.c, which leaves ticks out. */
#include "host/rooms/budget.h"

#include "core/assert.h"

#include <drystone/world.h>
#include <math.h>

dry_budget dry_budget_new(void)
{
    return (dry_budget){.cap = 0, .divisor = 1, .quiet_since_ms = 0.0};
}

/* Returns the highest tier's substeps below a number, at least `least`. */
static int tier_below(int substeps, int least)
{
    for (int tier = DRY_TIER_COUNT - 1; tier >= 0; tier--)
        if (dry_tier_substeps(tier) < substeps)
            return dry_tier_substeps(tier) > least ? dry_tier_substeps(tier) : least;
    return least;
}

/* Returns the lowest tier's substeps above a number; 0 if the program allows no more. */
static int tier_above(int substeps, int own)
{
    for (int tier = 0; tier < DRY_TIER_COUNT; tier++)
        if (dry_tier_substeps(tier) > substeps)
            return dry_tier_substeps(tier) < own ? dry_tier_substeps(tier) : 0;
    return 0;
}

/* Goes one rung down. A cap above what a step takes would do nothing, so the first one is below that. Ticks
 * become half as many at most, and not fewer than the cost calls for: a room far over its budget is within it
 * after some ticks. At least one tick a second is left. */
static bool go_down(dry_budget *budget, const dry_budget_limits *limits, double cost_ms, int substeps)
{
    const int now = budget->cap > 0 && budget->cap < substeps ? budget->cap : substeps;
    if (!limits->fixed && now > limits->substeps_min && limits->substeps_own > limits->substeps_min) {
        budget->cap = tier_below(now, limits->substeps_min);
        return true;
    }
    const double most = fmin(fmin(2.0 * budget->divisor, ceil(cost_ms / limits->budget_ms)), limits->rate);
    if ((int)most <= budget->divisor)
        return false;
    budget->divisor = (int)most;
    return true;
}

/* Goes one rung up if that rung's cost is known to fit, or not known. */
static bool go_up(dry_budget *budget, const dry_budget_limits *limits, double cost_ms)
{
    if (budget->divisor > 1) {
        if (cost_ms > limits->budget_ms * (budget->divisor - 1))
            return false;
        budget->divisor--;
        return true;
    }
    if (budget->cap == 0)
        return false;
    budget->cap = tier_above(budget->cap, limits->substeps_own);
    return true;
}

bool dry_budget_follow(dry_budget *budget, const dry_budget_limits *limits, double now_ms, double cost_ms,
                       int substeps)
{
    if (limits->budget_ms <= 0.0)
        return false;
    DRY_ASSERT(budget->divisor >= 1 && budget->cap >= 0);
    /* A room that makes each n-th tick has n budgets for it. */
    if (cost_ms > limits->budget_ms * budget->divisor) {
        budget->quiet_since_ms = now_ms;
        return go_down(budget, limits, cost_ms, substeps);
    }
    /* A room that slept has been quiet for many seconds. */
    bool changed = false, may = true;
    for (; may && now_ms - budget->quiet_since_ms >= 1e3; budget->quiet_since_ms += 1e3) {
        may = go_up(budget, limits, cost_ms);
        changed = changed || may;
    }
    if (!may)
        budget->quiet_since_ms = now_ms;
    return changed;
}
