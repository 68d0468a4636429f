/* Stage "solve": one pass over the bodies and constraints of a tier, or several passes behind each other.
 *
 * Phases go one after the other; workers share the bundles of a phase. Reads bundles; writes rows and
 * impulses. Next: store.c.
 *
 * Over slabs, pass k works on slab i after pass k - 1 worked on slab i + 1 and pass k itself on slab i - 1.
 * The bodies of slab i are then in their last state, and so are those of slab i + 1, which constraints of
 * slab i reach:
 *
 *   slab        0   1   2   3   4   5   6
 *   pass 0     t0  t1  t2  t3  t4  t5  t6
 *   pass 1             t2  t3  t4  t5  t6    two slabs behind: the slabs of one time are
 *   pass 2                     t4  t5  t6    no neighbors, and workers take them at once
 *
 * A slab's bundles therefore come from memory once for all of these passes. A partition of whole islands goes
 * through all passes by itself, in its worker's own cache. */
#include "solver/sweeps/passes.h"

#include "core/probes.h"
#include "solver/bodies/begin.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/whitening.h"
#include "solver/constraint/spook.h"
#include "solver/data/constraint.h"
#include "solver/data/method.h"

#include <string.h>

/* Items of a block: enough that claiming it costs nothing beside its work. */
enum { BUNDLE_GRAIN = 8, BODY_GRAIN = 512 };

typedef struct body_job {
    const dry_solver_step *step;
    const dry_tier_range *range;
    const int32_t *order; /* the tier's bodies, or a partition's */
    float h;
} body_job;

/* Takes the locked axes out of the velocities of bodies; most tiers have none. */
static void apply_locks(const body_job *job, dry_items items)
{
    dry_solver_state *s = job->step->state;
    if (!atomic_load_explicit(&job->range->locked, memory_order_relaxed))
        return;
    for (int i = items.begin; i < items.end; i++) {
        int row = job->order[i];
        uint32_t locks = job->step->bodies->properties[row].locks;
        if (locks) {
            dry_solver_row *r = &s->bodies.rows[row + 1];
            const dry_whitening w = dry_whitening_of(r, dry_start_pose(job->step, row)->orientation);
            dry_whitening_lock(&w, locks, r->ul, r->ua);
        }
    }
}

/* Exchanges u and the row's start: u becomes the velocity with the first substep's forces, the start without.
 */
static void first_forces(void *context, dry_items items)
{
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    for (int i = items.begin; i < items.end; i++) {
        int row = job->order[i];
        dry_start_row before;
        memcpy(before.u, s->bodies.rows[row + 1].u, sizeof before.u);
        memcpy(s->bodies.rows[row + 1].u, s->bodies.start[row].u, sizeof before.u);
        s->bodies.start[row] = before;
        if (dry_range_is_swept(job->range))
            dry_frame_begin_search(&s->bodies.frames[row], s->bodies.rows[row + 1].u);
    }
}

static void keep_forces(void *context, dry_items items)
{
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    first_forces(context, items);
    for (int i = items.begin; i < items.end; i++) {
        const int row = job->order[i];
        for (int k = 0; k < 6; k++)
            s->bodies.sums[row + 1].u[k] = s->bodies.rows[row + 1].u[k] - s->bodies.start[row].u[k];
    }
}

static void forces(void *context, dry_items items)
{
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    if (job->range->floating)
        dry_momentum_gather(job->step, job->order + items.begin, items.end - items.begin);
    apply_locks(job, items);
    const bool stopped = dry_range_is_swept(job->range); /* before rows were made */
    for (int i = items.begin; i < items.end; i++) {
        const int row = job->order[i];
        if (!stopped)
            dry_solver_stop_if_invalid(job->step, row);
        memcpy(s->bodies.start[row].u, s->bodies.rows[row + 1].u, sizeof s->bodies.start[row].u);
        const float *force =
            row < s->bodies.frames_count ? s->bodies.frames[row].force : s->bodies.sums[row + 1].u;
        for (int k = 0; k < 6 && !s->bodies.invalid[row]; k++)
            s->bodies.rows[row + 1].u[k] += force[k];
        if (stopped)
            dry_frame_begin_search(&s->bodies.frames[row], s->bodies.rows[row + 1].u);
    }
}

/* u += u - u0, u0 = u. The arrays do not overlap, which the compiler cannot know from their rows. */
static inline void carry(float *restrict u, float *restrict begin)
{
    for (int k = 0; k < 6; k++) {
        float now = u[k];
        u[k] = now + (now - begin[k]);
        begin[k] = now;
    }
}

static void next_forces(void *context, dry_items items)
{
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    if (job->range->floating)
        dry_momentum_gather(job->step, job->order + items.begin, items.end - items.begin);
    apply_locks(job, items);
    for (int i = items.begin; i < items.end; i++)
        carry(s->bodies.rows[job->order[i] + 1].u, s->bodies.start[job->order[i]].u);
}

/* Moves bodies: x += h v [Spook 37], whitened, with x the displacement since the step began. */
static void move(void *context, dry_items items)
{
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    float h = job->h;
    apply_locks(job, items);
    for (int i = items.begin; i < items.end; i++) {
        dry_solver_row *r = &s->bodies.rows[job->order[i] + 1];
        for (int k = 0; k < 6; k++)
            r->d[k] += h * r->u[k];
    }
}

static void move_valid(void *context, dry_items items)
{
    const body_job *job = context;
    for (int i = items.begin; i < items.end; i++)
        dry_solver_stop_if_invalid(job->step, job->order[i]);
    move(context, items);
}

static void clear_sums(void *context, dry_items items)
{
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    for (int i = items.begin; i < items.end; i++)
        s->bodies.sums[job->order[i] + 1] = (dry_solver_row){0};
}

static void add_sums(void *context, dry_items items)
{
    const body_job *job = context;
    dry_solver_state *s = job->step->state;
    for (int i = items.begin; i < items.end; i++) {
        int row = job->order[i] + 1;
        for (int k = 0; k < 6; k++)
            s->bodies.rows[row].u[k] += s->bodies.sums[row].u[k];
    }
}

static void over_bodies(dry_solver_step *step, const dry_tier_range *range, float h, dry_jobs_run *run)
{
    body_job job = {step, range, step->state->plan.order + range->body_begin, h};
    dry_jobs_for(step->jobs, range->body_end - range->body_begin, BODY_GRAIN, run, &job);
}

typedef struct sweep_job {
    dry_solver_state *state;
    const dry_sweep *sweep;
    const dry_sweep_kernels *kernels;
    dry_kind kind;
    int offset;
} sweep_job;

dry_level dry_level_of_fill(dry_level level, dry_fill fill)
{
    static const int lanes[DRY_FILL_COUNT] = {DRY_BUNDLE, DRY_BUNDLE / 2};
    return dry_level_narrowed(level, lanes[fill]);
}

dry_sweep_kernels dry_kernels_of(const dry_sweep_kernels *kernels, uint32_t kinds)
{
    dry_sweep_kernels some = *kernels;
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        for (int fill = 0; fill < DRY_FILL_COUNT && !(kinds >> k & 1u); fill++)
            some.kernel[k][fill] = NULL;
    return some;
}

static void run_kernels(const sweep_job *job, const dry_sweep_kernels *kernels, int begin, int end)
{
    const dry_constraint_kind *kind = dry_constraint_kinds[job->kind];
    dry_sweep_kernel *const *kernel = kernels->kernel[job->kind];
    void *bundles = job->state->sweeps.bundles[job->kind].bundle;
    /* A color's last bundle, in a small island its only one, may hold little. */
    const dry_fill fill = dry_fill_of(kind->lanes(job->state, kind, end - 1));
    const int wide = fill == DRY_FILL_WHOLE ? end : end - 1;
    if (begin < wide)
        kernel[DRY_FILL_WHOLE](bundles, begin, wide, job->sweep);
    if (wide < end)
        kernel[fill](bundles, wide, end, job->sweep);
}

static void sweep_bundles(const sweep_job *job, int begin, int end)
{
    const int grain = job->kernels->then ? BUNDLE_GRAIN : end - begin;
    for (int next; begin < end; begin = next) {
        next = dry_min_int(begin + grain, end);
        for (const dry_sweep_kernels *k = job->kernels; k; k = k->then)
            run_kernels(job, k, begin, next);
    }
}

static void run_bundles(void *context, dry_items items)
{
    const sweep_job *job = context;
    sweep_bundles(job, items.begin + job->offset, items.end + job->offset);
}

/* Sweeps a phase's bundles of a kind; without jobs one after the other, in a pass of several. */
static void over_phase(dry_jobs *jobs, const dry_phase *phase, dry_kind k, sweep_job *job)
{
    const dry_bundle_range bundles = dry_phase_bundles(phase, k);
    const int count = bundles.end - bundles.begin;
    if (count == 0 || !job->kernels->kernel[k][DRY_FILL_WHOLE])
        return;
    DRY_ASSERT(count > 0 && bundles.end <= job->state->sweeps.bundles[k].count);
    job->kind = k;
    job->offset = bundles.begin;
    /* Constraints of overflow share bodies: one worker sweeps them in order, each way in turns. */
    if (jobs && phase->color != DRY_COLOR_OVERFLOW)
        dry_jobs_for(jobs, count, BUNDLE_GRAIN, run_bundles, job);
    else if (phase->color != DRY_COLOR_OVERFLOW || !job->sweep->backward)
        sweep_bundles(job, bundles.begin, bundles.end);
    else
        for (int b = bundles.end - 1; b >= bundles.begin; b--)
            sweep_bundles(job, b, b + 1);
}

static int bundles_of(const dry_phase *phase)
{
    int count = 0;
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        count += phase[1].begin[k] - phase[0].begin[k];
    return count;
}

DRY_PROBE_OF_FILE(color_begin);
DRY_PROBE_OF_FILE(color_end);

/* The phases of a partition in the order of a sweep. */
typedef struct phase_order {
    const dry_phase *first;
    int count;
    uint8_t drawn[DRY_COLOR_COUNT]; /* if the sweep is shuffled */
} phase_order;

static phase_order phases_of(const dry_solver_step *step, const dry_partition *partition,
                             const dry_sweep *sweep)
{
    phase_order order;
    order.first = step->state->plan.phases + partition->phase_begin;
    order.count = partition->phase_end - partition->phase_begin;
    DRY_ASSERT(order.count >= 0 && order.count <= DRY_COLOR_COUNT);
    if (sweep->shuffled)
        step->order->draw(sweep, order.first, order.count, order.drawn);
    return order;
}

/* Returns phase `i` in the order of a sweep. */
static const dry_phase *phase_at(const phase_order *order, const dry_sweep *sweep, int i)
{
    const int at = sweep->backward ? order->count - 1 - i : i;
    return &order->first[sweep->shuffled ? order->drawn[at] : at];
}

static void sweep_partition(const dry_solver_step *step, const dry_tier_range *range, int partition,
                            const dry_sweep *sweep, const dry_sweep_kernels *kernels, dry_jobs *jobs)
{
    sweep_job job = {.state = step->state, .sweep = sweep, .kernels = kernels};
    const phase_order order = phases_of(step, &step->state->plan.partitions[partition], sweep);
    for (int i = 0; i < order.count; i++) {
        const dry_phase *phase = phase_at(&order, sweep, i);
        DRY_PROBE5(color_begin, step->number, step->stage, (int)range->index, phase->color,
                   bundles_of(phase));
        for (int k = 0; k < DRY_KIND_COUNT; k++)
            over_phase(jobs, phase, (dry_kind)k, &job);
        DRY_PROBE5(color_end, step->number, step->stage, (int)range->index, phase->color, bundles_of(phase));
    }
}

static void sweep_phases(dry_solver_step *step, const dry_tier_range *range, const dry_sweep *sweep,
                         const dry_sweep_kernels *kernels)
{
    for (int i = range->partition_begin; i < range->partition_end; i++) {
        /* A pass is followed by the next one from the first partition on, unless partitions are layers. */
        const bool falling = range->layered && sweep->backward;
        const int at = falling ? range->partition_end - 1 - (i - range->partition_begin) : i;
        sweep_partition(step, range, at, sweep, kernels, step->jobs);
    }
}

/* All constraints see the same velocities; their changes are summed, then applied. */
static void sweep_summed(dry_solver_step *step, const dry_tier_range *range, const dry_sweep *sweep,
                         const dry_sweep_kernels *kernels)
{
    over_bodies(step, range, 0.0f, clear_sums);
    sweep_phases(step, range, sweep, kernels);
    over_bodies(step, range, 0.0f, add_sums);
}

static dry_jobs_run *const body_work[] = {
    [DRY_WORK_FIRST_FORCES] = first_forces,
    [DRY_WORK_NEXT_FORCES] = next_forces,
    [DRY_WORK_KEEP_FORCES] = keep_forces,
    [DRY_WORK_FORCES] = forces,
    [DRY_WORK_MOVE] = move,
    [DRY_WORK_MOVE_VALID] = move_valid,
};

void dry_run_pass(dry_solver_step *step, const dry_tier_range *range, dry_body_work work,
                  const dry_sweep *sweep, const dry_sweep_kernels *kernels)
{
    if (work != DRY_WORK_NONE)
        over_bodies(step, range, sweep->substep, body_work[work]);
    if (kernels)
        (kernels->update == DRY_UPDATE_SUMMED ? sweep_summed : sweep_phases)(step, range, sweep, kernels);
}

/* Ten passes work on some 10 MB at a time, which stay in a cache. More workers have a larger cache, and need
 * as many passes as there are workers. */
enum { FEW_PASSES = 10 };

int dry_passes_at_once(const dry_solver_step *step, const dry_tier_range *range)
{
    if (range->partition_end - range->partition_begin == 1 || range->layered)
        return 1;
    return range->partitions_apart || dry_jobs_workers(step->jobs) > FEW_PASSES ? DRY_PASSES_MAX : FEW_PASSES;
}

/* Passes over the partitions of a tier. One wavefront has a time, and a first pass that has work then. */
typedef struct wavefront {
    const dry_solver_step *step;
    const dry_tier_range *range;
    const dry_pass *passes;
    int count, first, time;
} wavefront;

static void work_on_bodies(const wavefront *w, const dry_pass *pass, int partition)
{
    if (partition >= w->range->partition_end || pass->work == DRY_WORK_NONE)
        return;
    const dry_partition *bodies = &w->step->state->plan.partitions[partition];
    body_job job = {w->step, w->range, w->step->state->plan.order + bodies->body_begin, pass->sweep.substep};
    body_work[pass->work](&job, (dry_items){.end = bodies->body_end - bodies->body_begin});
}

static void work_on_constraints(const wavefront *w, const dry_pass *pass, int partition)
{
    if (pass->kernels)
        sweep_partition(w->step, w->range, partition, &pass->sweep, pass->kernels, NULL);
}

/* Runs one partition of each pass. Its constraints reach the bodies of the next partition, so that the work
 * on those bodies comes first. */
static void run_wavefront(void *context, dry_items items)
{
    const wavefront *w = context;
    for (int i = items.begin; i < items.end; i++) {
        const int k = w->first + i, partition = w->range->partition_begin + w->time - 2 * k;
        const dry_pass *pass = &w->passes[k];
        DRY_ASSERT(k < w->count && partition >= w->range->partition_begin);
        if (partition == w->range->partition_begin)
            work_on_bodies(w, pass, partition);
        work_on_bodies(w, pass, partition + 1);
        work_on_constraints(w, pass, partition);
    }
}

static void run_wavefronts(wavefront *w)
{
    const int partitions = w->range->partition_end - w->range->partition_begin;
    for (w->time = 0; w->time < partitions + 2 * (w->count - 1); w->time++) {
        w->first = dry_max_int(0, (w->time - partitions + 2) / 2);
        const int last = dry_min_int(w->count - 1, w->time / 2);
        dry_jobs_for(w->step->jobs, last - w->first + 1, 1, run_wavefront, w);
    }
}

/* Runs partitions that no constraint joins: each goes through all passes. */
static void run_apart(void *context, dry_items items)
{
    const wavefront *w = context;
    for (int i = items.begin; i < items.end; i++)
        for (const dry_pass *pass = w->passes; pass < w->passes + w->count; pass++) {
            work_on_bodies(w, pass, w->range->partition_begin + i);
            work_on_constraints(w, pass, w->range->partition_begin + i);
        }
}

void dry_run_passes(dry_solver_step *step, const dry_tier_range *range, const dry_pass *passes, int count)
{
    wavefront w = {.step = step, .range = range, .passes = passes, .count = count};
    DRY_ASSERT(count > 0 && count <= DRY_PASSES_MAX);
    if (count == 1)
        dry_run_pass(step, range, passes->work, &passes->sweep, passes->kernels);
    else if (range->partitions_apart)
        dry_jobs_for(step->jobs, range->partition_end - range->partition_begin, 1, run_apart, &w);
    else
        run_wavefronts(&w);
}

/* Begins the next batch. Batches are as even as possible, so that no pass comes alone after batches of many.
 */
static void begin_batch(dry_substeps *run)
{
    run->waiting_count = 0;
    if (run->batches == 0)
        return;
    run->room = (run->left + run->batches - 1) / run->batches;
    run->left -= run->room;
    run->batches--;
}

void dry_substeps_begin(dry_substeps *run)
{
    const bool alone = dry_range_is_swept(run->range) || run->range->parts;
    const int at_once = alone ? 1 : dry_passes_at_once(run->step, run->range);
    run->room = 1;
    run->batches = at_once > 1 ? (run->left + at_once - 1) / at_once : 0;
    begin_batch(run);
}

void dry_substeps_pass(dry_substeps *run, const dry_sweep_kernels *kernels)
{
    const dry_body_work work = run->work;
    run->work = DRY_WORK_NONE;
    if (run->room == 1) {
        dry_run_pass(run->step, run->range, work, &run->sweep, kernels);
        return;
    }
    dry_pass *pass = &run->waiting[run->waiting_count++];
    *pass = (dry_pass){work, kernels, run->sweep};
    /* The first pass leaves partitions of whole islands in the cache for all others. */
    if (run->range->partitions_apart && run->waiting_count > 1)
        pass->sweep.prefetch_end = 0;
    if (run->waiting_count < run->room)
        return;
    dry_run_passes(run->step, run->range, run->waiting, run->waiting_count);
    begin_batch(run);
}

void dry_substeps_sweep(dry_substeps *run, dry_sweep_kind kind, const dry_sweep_kernels *kernels)
{
    dry_substeps_pass(run, kernels);
    DRY_CALL_PARTS(run->step, run->range->parts, sweep, run, kind);
}

void dry_pass_set_order(const dry_solver_step *step, dry_sweep *sweep, dry_sweep_kind kind, int i)
{
    sweep->backward = (i % 2 == 0) == (kind == DRY_SWEEP_RELAX);
    if (step->order && step->order->set)
        step->order->set(step, sweep, kind, i);
}

/* The parameters and the kernels of sweeps, which follow from the settings. */

dry_sweep dry_sweep_of(const dry_method *method, const dry_settings *settings, float h, float hertz_max)
{
    const dry_spook spook = method->springs->contact(settings, h, hertz_max);
    return (dry_sweep){
        .rate_free = 1.0f / h,
        /* At most the whole error in one substep: beyond, without [Spook 10]'s term, it would overshoot. */
        .rate = spook.approach > 0.0f ? spook.rate : dry_min(spook.rate, 1.0f / h),
        .relative_softness = spook.relative_softness,
        .softness = spook.softness,
        .approach_scale = spook.approach,
        .bias_speed_max = settings->push_out_speed_max,
        .relaxation = settings->method.relaxation,
        .joint_speed_max = settings->push_out_speed_max,
        .bounce_speed = settings->restitution_speed_min,
        .substep = h,
        .friction = settings->method.friction,
        .spook = dry_spook_given_as_k(settings),
        .summed = method->update[DRY_SWEEP_SOLVE] == DRY_UPDATE_SUMMED,
    };
}

dry_sweep_kernels dry_choose_kernels(const dry_solver_step *step, dry_sweep_kind sweep)
{
    const dry_solver_state *state = step->state;
    dry_sweep_kernels kernels = {.update = step->method->update[sweep]};
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        for (int fill = 0; fill < DRY_FILL_COUNT && state->sweeps.bundles[k].count > 0; fill++)
            kernels.kernel[k][fill] =
                step->kinds[k]->kernel(step->kinds[k], dry_level_of_fill(state->sweeps.level, (dry_fill)fill),
                                       sweep, kernels.update, step->settings, step->shapes->spring != NULL);
    return kernels;
}
