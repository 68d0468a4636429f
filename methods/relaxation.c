/* Adaptive relaxation [Waterson 4.9.3]: the ratio of the changes that two successive sweeps of a tier make
 * tells how fast they converge, and a method derives the relaxation from it that would converge fastest.
 *
 * A change is the root of the sum of |du|^2, with whitened velocities u: an energy. Summed updates leave du
 * in the sums; direct ones need the velocities before the sweep, which the sums hold meanwhile. */
#include "solver/bodies/begin.h"
#include "solver/data/method.h"
#include "solver/sweeps/passes.h"

#include <math.h>
#include <string.h>

/* The bounds of an adaptive relaxation. */
#define LEAST 0.05f
#define MOST 1.9f

static void keep_row(const void *context, int row)
{
    const dry_body_rows *bodies = &((const dry_solver_step *)context)->state->bodies;
    memcpy(bodies->sums[row + 1].u, bodies->rows[row + 1].u, sizeof bodies->sums[row + 1].u);
}

static void sum_blocks(void *context, dry_items items)
{
    const dry_substeps *run = context;
    const dry_solver_state *s = run->step->state;
    for (int block = items.begin; block < items.end; block++) {
        const int begin = run->range->body_begin + block * DRY_CHANGE_BLOCK;
        double sum = 0.0;
        for (int i = begin; i < dry_min_int(begin + DRY_CHANGE_BLOCK, run->range->body_end); i++) {
            const int row = s->plan.order[i] + 1;
            const float *u = s->bodies.rows[row].u, *other = s->bodies.sums[row].u;
            for (int k = 0; k < 6; k++) {
                const double change = run->step->method->update[DRY_SWEEP_SOLVE] == DRY_UPDATE_SUMMED
                                          ? (double)other[k]
                                          : (double)u[k] - (double)other[k];
                sum += change * change;
            }
        }
        s->bodies.changes[block] = sum;
    }
}

static bool acts(const dry_solver_step *step, const dry_tier_range *range)
{
    (void)range;
    return step->settings->method.relaxation_adaptive;
}

static bool prepare(dry_solver_step *step, dry_memory *memory)
{
    dry_body_rows *bodies = &step->state->bodies;
    const int rows = step->bodies->awake_count;
    return !step->settings->method.relaxation_adaptive ||
           (DRY_RESERVE(memory, bodies->sums, bodies->sums_capacity, rows + 1) &&
            DRY_RESERVE(memory, bodies->changes, bodies->changes_capacity, rows / DRY_CHANGE_BLOCK + 1));
}

/* Takes the present relaxation, and keeps the velocities that the next sweep changes. */
static void begin_sweep(dry_substeps *run)
{
    run->sweep.relaxation = run->step->state->bodies.relaxation;
    if (run->step->method->update[DRY_SWEEP_SOLVE] == DRY_UPDATE_DIRECT)
        dry_over_rows(run->step, run->range, keep_row, run->step);
}

static void start(dry_substeps *run)
{
    dry_body_rows *bodies = &run->step->state->bodies;
    if (run->index == 0)
        bodies->relaxation = run->step->settings->method.relaxation;
    bodies->change = -1.0;
    begin_sweep(run);
}

/* Measures the change that a sweep made, and follows it. */
static void follow(dry_substeps *run)
{
    const dry_solver_step *step = run->step;
    dry_body_rows *bodies = &step->state->bodies;
    const int count = run->range->body_end - run->range->body_begin,
              blocks = (count + DRY_CHANGE_BLOCK - 1) / DRY_CHANGE_BLOCK;
    dry_jobs_for(step->jobs, blocks, 1, sum_blocks, run);
    double sum = 0.0;
    for (int block = 0; block < blocks; block++)
        sum += bodies->changes[block];
    const double before = bodies->change, change = sqrt(sum);
    bodies->change = change;
    if (!(before > 0.0))
        return; /* the first of a substep, or nothing moved */
    const double ratio = change / before;
    double next = (double)bodies->relaxation;
    /* Sweeps that diverge, or whose change is no number, lose half of what is above 1, or a tenth. */
    if (!(ratio < 1.0))
        next = next > 1.0 ? 0.5 * (next + 1.0) : 0.9 * next;
    else
        next = step->method->relaxation(step->settings, next, ratio);
    bodies->relaxation = dry_clamp((float)next, LEAST, MOST);
}

static void sweep(dry_substeps *run, dry_sweep_kind kind)
{
    if (kind != DRY_SWEEP_SOLVE || run->sweep.frictionless)
        return;
    follow(run);
    if (run->sweeps_left > 0)
        begin_sweep(run);
}

const dry_solver_part dry_part_relaxation = {
    .acts = acts, .prepare = prepare, .start = start, .sweep = sweep};
