/* Adaptive relaxation [Waterson 4.9.3]: the ratio of the changes that two successive sweeps of a tier make
 * tells how fast they converge, and a method derives the relaxation from it that would converge fastest.
 *
 * A change is the root of the sum of |du|^2, with whitened velocities u: an energy. Summed updates leave du
 * in the sums; direct ones need the velocities before the sweep, which the sums hold meanwhile. Called by
 * substeps.c. */
#include "solver/sweeps/relaxation.h"

#include "solver/data/method.h"

#include <math.h>
#include <string.h>

/* The bounds of an adaptive relaxation. */
#define LEAST 0.05f
#define MOST 1.9f

typedef struct change_job {
    const dry_solver_step *step;
    const dry_tier_range *range;
    dry_update update;
} change_job;

/* The bodies of a block, in the order of the tier. */
static int block_end(const dry_tier_range *range, int block)
{
    return dry_min_int(range->body_end, range->body_begin + (block + 1) * DRY_CHANGE_BLOCK);
}

static void keep_blocks(void *context, dry_items items)
{
    const change_job *job = context;
    const dry_solver_state *s = job->step->state;
    const int first = job->range->body_begin + items.begin * DRY_CHANGE_BLOCK;
    for (int i = first; i < block_end(job->range, items.end - 1); i++) {
        const int row = s->plan.order[i] + 1;
        memcpy(s->bodies.sums[row].u, s->bodies.rows[row].u, sizeof s->bodies.sums[row].u);
    }
}

static void sum_blocks(void *context, dry_items items)
{
    const change_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int block = items.begin; block < items.end; block++) {
        double sum = 0.0;
        for (int i = job->range->body_begin + block * DRY_CHANGE_BLOCK; i < block_end(job->range, block);
             i++) {
            const int row = s->plan.order[i] + 1;
            const float *u = s->bodies.rows[row].u, *other = s->bodies.sums[row].u;
            for (int k = 0; k < 6; k++) {
                const double change =
                    job->update == DRY_UPDATE_SUMMED ? (double)other[k] : (double)u[k] - (double)other[k];
                sum += change * change;
            }
        }
        s->bodies.changes[block] = sum;
    }
}

static int block_count(const dry_tier_range *range)
{
    return (range->body_end - range->body_begin + DRY_CHANGE_BLOCK - 1) / DRY_CHANGE_BLOCK;
}

void dry_relaxation_keep(dry_solver_step *step, const dry_tier_range *range, dry_update update)
{
    change_job job = {step, range, update};
    if (update == DRY_UPDATE_DIRECT)
        dry_jobs_for(step->jobs, block_count(range), 1, keep_blocks, &job);
}

void dry_relaxation_follow(dry_solver_step *step, const dry_tier_range *range, dry_update update,
                           dry_relaxation *relaxation)
{
    change_job job = {step, range, update};
    const int blocks = block_count(range);
    dry_jobs_for(step->jobs, blocks, 1, sum_blocks, &job);
    double sum = 0.0;
    for (int block = 0; block < blocks; block++)
        sum += step->state->bodies.changes[block];
    const double before = relaxation->change, change = sqrt(sum);
    relaxation->change = change;
    if (!(before > 0.0))
        return; /* the first of a substep, or nothing moved */
    const double ratio = change / before;
    double next = (double)relaxation->value;
    /* Sweeps that diverge, or whose change is no number, lose half of what is above 1, or a tenth. */
    if (!(ratio < 1.0))
        next = next > 1.0 ? 0.5 * (next + 1.0) : 0.9 * next;
    else
        next = step->method->relaxation(step->settings, next, ratio);
    relaxation->value = dry_clamp((float)next, LEAST, MOST);
}
