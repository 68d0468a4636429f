/* Stages "solve", "repair" and "store" over all tiers: the substep loop.
 *
 * A substep applies forces and the warm start, sweeps with the position term, moves bodies, and sweeps
 * without it. Parts act in between (data/part.h). Reads bundles; writes rows and impulses, and at
 * last manifolds and joints. Next: passes.c, then step/finalize.c.
 *
 * Warm starting costs a sweep only in the first substep where rows are constant within a step: all impulses
 * change a body in substep k + 1 by as much as in substep k. With u0 the velocity before and u1 after a
 * substep, the next one starts at u1 + (u1 - u0), forces included. Islands with joints have rows made in
 * lanes, and sweep once more to begin a substep (begin_swept). */
#include "solver/bodies/frames.h"
#include "solver/laws/ledger.h"
#include "solver/methods/method.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"
#include "solver/stages/stages.h"
#include "solver/sweeps/fill.h"
#include "solver/sweeps/passes.h"

dry_level dry_solver_sweep_level(dry_level level, const dry_settings *settings, bool springs)
{
    const dry_method *method = dry_method_of(settings);
    return method->is_plain && method->is_plain(settings, springs) ? level : dry_level_rare(level);
}

/* Returns the parameters of a tier's sweeps, but for the time. */
static dry_sweep tier_sweep(const dry_solver_step *step, const dry_tier_range *range, float h)
{
    const dry_solver_state *s = step->state;
    const dry_bundle_range contacts = dry_tier_bundles(s, range, DRY_KIND_CONTACT);
    const size_t bytes = (size_t)(contacts.end - contacts.begin) * sizeof(dry_contact_bundle);
    dry_sweep sweep =
        dry_sweep_of(step->method, step->settings, h, dry_tier_hertz(range->index % DRY_TIER_COUNT));
    sweep.rows = s->bodies.rows;
    sweep.sums = s->bodies.sums;
    sweep.start = s->bodies.start;
    sweep.search = s->bodies.frames;
    sweep.headers = s->sweeps.headers;
    sweep.cold = s->sweeps.cold;
    sweep.impact = s->sweeps.impact;
    sweep.compliance = s->sweeps.compliance;
    sweep.stiction = s->sweeps.stiction;
    sweep.past = s->sweeps.past;
    sweep.turning = s->sweeps.turning;
    sweep.springs = step->shapes->spring ? s->sweeps.springs : NULL;
    sweep.prefetch_end = bytes > DRY_BUNDLES_NEAR_BYTES ? contacts.end : 0;
    sweep.prefetch_rows = range->partition_end - range->partition_begin == 1;
    return sweep;
}

/* Begins a substep of joints whose rows are made anew: forces, the impulses of contacts, and as much of those
 * of joints, and of all that parts do, as lowers the energy most (line_search.c). Parts answer the forces
 * first, and then these impulses. Without relax sweeps impulses have closed gaps, too, and one number for
 * both lets a wire fall: then all of them. */
static void begin_swept(dry_substeps *run)
{
    dry_solver_step *step = run->step;
    const bool first = run->index == 0, searches = step->settings->relax_sweeps > 0;
    const dry_sweep_kernels *warm = &run->kernels->sweep[DRY_SWEEP_WARM];
    const dry_sweep_kernels contacts = dry_kernels_of(warm, 1u << DRY_KIND_CONTACT),
                            joints = dry_kernels_of(warm, ~(1u << DRY_KIND_CONTACT));
    if (!first)
        DRY_CALL_PARTS(step, run->range->parts, begin, run);
    run->work = first ? DRY_WORK_FIRST_FORCES : DRY_WORK_FORCES;
    dry_substeps_pass(run, NULL);
    if (first && !step->settings->warm_start)
        return;
    dry_substeps_pass(run, &contacts);
    if (!searches) {
        dry_substeps_sweep(run, DRY_SWEEP_WARM, &joints);
        return;
    }
    DRY_CALL_PARTS(step, run->range->parts, answer, run);
    dry_line_search_begin(run, &joints);
    DRY_CALL_PARTS(step, run->range->parts, sweep, run, DRY_SWEEP_WARM);
    DRY_CALL_PARTS(step, run->range->parts, answer, run);
    if (dry_line_search_end(run))
        DRY_CALL_PARTS(step, run->range->parts, scale, run);
}

/* Sets the time after so many substeps. Velocities lead impulses by half a substep, as in a leapfrog. */
static void set_time(dry_substeps *run, int count)
{
    const float h = run->sweep.substep, lead = h - 0.5f * h * (float)run->range->substeps;
    const float time = run->sweep.time = h * (float)count;
    run->sweep.turned = lead + h * (float)run->index;
    run->sweep.turned_way = 0.5f * time * (time - h) + lead * time;
}

/* Applies forces and the impulses of the substep before, or in the first one those of the last step. */
static void begin_substep(dry_substeps *run)
{
    set_time(run, run->index);
    if (dry_range_is_swept(run->range)) {
        begin_swept(run);
        return;
    }
    run->work = run->index == 0 ? DRY_WORK_FIRST_FORCES : DRY_WORK_NEXT_FORCES;
    if (run->index == 0 && run->step->settings->warm_start)
        dry_substeps_sweep(run, DRY_SWEEP_WARM, &run->kernels->sweep[DRY_SWEEP_WARM]);
}

/* Tells whether some impulses of contacts fall on where a substep begins. */
static bool carries_less(const dry_substeps *run)
{
    const dry_bundle_range contacts = dry_tier_bundles(run->step->state, run->range, DRY_KIND_CONTACT);
    return run->step->islands->unloads && contacts.begin < contacts.end;
}

/* Sweeps with the position term, or without it. The last sweep of a substep adds up what joints gave, and the
 * step's last one loads. */
static void sweep(dry_substeps *run, dry_sweep_kind kind, int count, bool is_last)
{
    const bool ends = run->index == run->range->substeps - 1;
    for (int i = 0; i < count; i++) {
        dry_pass_set_order(run->step, &run->sweep, kind, run->index * count + i);
        run->sweeps_left = count - 1 - i;
        run->sweep.tally = is_last && run->sweeps_left == 0;
        run->sweep.loads = ends && run->sweep.tally ? run->step->state->bodies.load : NULL;
        dry_substeps_sweep(run, kind, &run->kernels->sweep[kind]);
    }
    run->sweep.tally = false;
}

/* Makes the rows of joints where bodies have moved. The relax sweep is over the rows of the solve sweep:
 * along them it takes away what the closing of gaps adds to velocities. Along rows that have turned some is
 * left: cubes kept up to 69 J as a joint closed, and spun cubes lost 1.7 % of their energy in 10 s. */
static void make_swept(const dry_substeps *run)
{
    dry_solver_follow_joints(run->step, run->range, run->sweep.time, run->sweep.substep, dry_frames_follow);
    if (run->step->state->bodies.frames_turning > 0)
        dry_solver_turn_contacts(run->step, run->range);
}

/* Lets parts act where all that comes before them is done. */
#define PARTS_ACT(run, function)                                                                             \
    if ((run)->range->parts) {                                                                               \
        dry_substeps_pass(run, NULL);                                                                        \
        DRY_CALL_PARTS((run)->step, (run)->range->parts, function, run);                                     \
    }

static void run_substep(dry_substeps *run)
{
    const bool swept = dry_range_is_swept(run->range), last = run->index == run->range->substeps - 1;
    const int solves = run->schedule.solve_sweeps, relaxes = run->schedule.relax_sweeps;
    begin_substep(run);
    if (run->index > 0 && carries_less(run))
        dry_substeps_sweep(run, DRY_SWEEP_CARRY, &run->kernels->sweep[DRY_SWEEP_CARRY]);
    PARTS_ACT(run, start);
    sweep(run, DRY_SWEEP_SOLVE, solves, relaxes == 0);
    set_time(run, run->index + 1);
    run->work = swept ? DRY_WORK_MOVE_VALID : DRY_WORK_MOVE; /* what is moved too far has no rows */
    PARTS_ACT(run, move);
    sweep(run, DRY_SWEEP_RELAX, relaxes, true);
    if (run->work != DRY_WORK_NONE)
        dry_substeps_pass(run, NULL);
    if (swept && (relaxes > 0 || !last))
        make_swept(run);
}

/* Runs the substeps of a tier, or of one of its partitions. */
static void run_substeps(dry_substeps *run)
{
    const dry_tier_range *range = run->range;
    dry_pass waiting[DRY_PASSES_MAX];
    const int carries = carries_less(run);
    run->sweep.acceleration_time = 0.5f * run->sweep.substep; /* rows are those of the substep's beginning */
    run->waiting = waiting;
    run->left = range->substeps *
                    (carries + run->schedule.solve_sweeps + dry_max_int(run->schedule.relax_sweeps, 1)) -
                carries + run->step->settings->warm_start;
    dry_substeps_begin(run);
    if (dry_solver_begins_in_substeps(range))
        dry_solver_begin_joints(run->step, range);
    for (run->index = 0; run->index < range->substeps; run->index++)
        run_substep(run);
    DRY_ASSERT(run->left >= 0);
    dry_frames_end(run->step, range, dry_frames_find_rotation);
}

static void run_partitions(void *context, dry_items items)
{
    const dry_substeps *tier = context;
    dry_solver_step step = *tier->step;
    step.jobs = dry_jobs_alone();
    for (int i = items.begin; i < items.end; i++) {
        const dry_tier_range part = dry_range_of_partition(tier->range, step.state->plan.partitions,
                                                           tier->range->partition_begin + i);
        dry_substeps run = *tier;
        run.step = &step;
        run.range = &part;
        run_substeps(&run);
    }
}

/* Runs the substeps of a tier. Partitions of joints in sweeps that no constraint joins go through all of them
 * one after the other, each in its worker's own cache: rows take 1 to 4 KB a joint. */
static void solve_tier(dry_solver_step *step, const dry_tier_range *range, const dry_tier_kernels *kernels)
{
    const int partitions = range->partition_end - range->partition_begin;
    dry_substeps run = {.step = step, .range = range, .kernels = kernels};
    run.schedule = dry_method_schedule(step->method, step->settings, range->sweeps);
    run.sweep = tier_sweep(step, range, step->dt / (float)range->substeps);
    if (step->method->run_substeps)
        step->method->run_substeps(&run);
    else if (dry_range_is_swept(range) && range->partitions_apart && partitions > 1 && !range->parts)
        dry_jobs_for(step->jobs, partitions, 1, run_partitions, &run);
    else
        run_substeps(&run);
}

void dry_solver_solve(dry_solver_step *step)
{
    step->stage = DRY_STAGE_SOLVE;
    if (step->bodies->awake_count == 0)
        return;
    DRY_ASSERT(step->dt > 0.0f && step->islands->scheduled);
    dry_tier_kernels kernels = {0};
    for (dry_sweep_kind kind = DRY_SWEEP_WARM; kind <= DRY_SWEEP_CARRY; kind++)
        if (kind != DRY_SWEEP_CARRY || step->islands->unloads)
            kernels.sweep[kind] = dry_choose_kernels(step, kind);
    for (int tier = 0; tier < step->state->plan.range_count; tier++) {
        const dry_tier_range *range = &step->state->plan.ranges[tier];
        if (range->body_begin < range->body_end)
            solve_tier(step, range, &kernels);
    }
    DRY_CALL_PARTS(step, DRY_PARTS_ALL, repair, step);
}

void dry_solver_repair(dry_solver_step *step)
{
    step->stage = DRY_STAGE_REPAIR;
    if (step->bodies->awake_count == 0)
        return;
    if (step->method->joints->repair)
        step->method->joints->repair(step);
    dry_ledger_close(step);
    DRY_CALL_PARTS(step, DRY_PARTS_ALL, repair, step);
}

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
