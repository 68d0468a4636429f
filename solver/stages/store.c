/* Stage "store": impulses from bundles back to manifolds and joints, for the next step's warm start and for
 * queries. Reads bundles; writes manifolds and joints. Next: step/finalize.c. */
#include "solver/data/constraint.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/stages/stages.h"
#include "solver/sweeps/fill.h"

void dry_solver_store(dry_solver_step *step)
{
    if (step->bodies->awake_count == 0)
        return;
    step->state->sweeps.stored_dt = step->dt;
    DRY_CALL_PARTS(step, DRY_PARTS_ALL, store, step);
    if (step->method->store)
        step->method->store(step);
    for (int tier = 0; tier < step->state->plan.range_count; tier++) {
        const dry_tier_range *range = &step->state->plan.ranges[tier];
        for (int k = 0; k < DRY_KIND_COUNT && range->body_begin < range->body_end; k++)
            dry_over_bundles(step, range, k, step->kinds[k]->store, DRY_WHERE_STEP_BEGAN);
    }
}
