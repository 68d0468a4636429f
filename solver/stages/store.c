/* Stage "store": impulses from bundles back to manifolds and joints, for the next step's warm start and for
 * queries. Reads bundles; writes manifolds and joints. Next: step/finalize.c. */
#include "solver/data/constraint.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/direct/articulations.h"
#include "solver/stages/stages.h"

/* Bundles of a block. */
enum { STORE_GRAIN = 16 };

typedef struct store_job {
    const dry_solver_step *step;
    const dry_constraint_kind *kind;
    int offset;
    float h;
} store_job;

static void store_bundles(void *context, int begin, int end, int worker)
{
    (void)worker;
    const store_job *job = context;
    job->kind->store(job->step, job->kind, begin + job->offset, end + job->offset, job->h);
}

void dry_solver_store(dry_solver_step *step)
{
    if (step->bodies->awake_count == 0)
        return;
    step->state->sweeps.stored_dt = step->dt;
    dry_articulations_store(step);
    if (step->method->store)
        step->method->store(step);
    for (int tier = 0; tier < step->state->plan.range_count; tier++) {
        const dry_tier_range *range = &step->state->plan.ranges[tier];
        const float h = step->dt / (float)range->substeps;
        for (int k = 0; k < DRY_KIND_COUNT; k++) {
            const dry_bundle_range bundles = dry_tier_bundles(step->state, range, k);
            if (bundles.begin == bundles.end)
                continue;
            store_job job = {step, step->kinds[k], bundles.begin, h};
            dry_jobs_for(step->jobs, bundles.end - bundles.begin, STORE_GRAIN, store_bundles, &job);
        }
    }
}
