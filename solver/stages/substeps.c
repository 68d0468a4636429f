/* Stages "solve" and "repair" over all tiers: the substep loop.
 *
 * A substep applies forces and the warm start, resolves impacts, sweeps with the position term, moves bodies,
 * and sweeps without it. Reads bundles; writes rows and impulses. Next: passes.c, then store.c.
 *
 * Warm starting costs a sweep only in the first substep where rows are constant within a step: all impulses
 * change a body in substep k + 1 by as much as in substep k. With u0 the velocity before and u1 after a
 * substep, the next one starts at u1 + (u1 - u0), forces included. Islands with joints have rows made in
 * lanes, and sweep once more to begin a substep (begin_swept). */
#include "solver/bodies/begin.h"
#include "solver/bodies/frames.h"
#include "solver/direct/articulations.h"
#include "solver/laws/hold.h"
#include "solver/laws/ledger.h"
#include "solver/methods/method.h"
#include "solver/methods/position_substeps.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"
#include "solver/stages/stages.h"
#include "solver/sweeps/contacts/kind.h"
#include "solver/sweeps/fill.h"
#include "solver/sweeps/impacts.h"
#include "solver/sweeps/joints/joint_bundles.h"
#include "solver/sweeps/line_search.h"
#include "solver/sweeps/passes.h"
#include "solver/sweeps/relaxation.h"

/* Chooses the kernels of one sweep for the kinds that have bundles in this step. */
static void choose_kernels(const dry_solver_step *step, dry_sweep_kind sweep, dry_tier_kernels *chosen)
{
    const dry_solver_state *state = step->state;
    dry_sweep_kernels *kernels = &chosen->sweep[sweep];
    kernels->update = step->method->update[sweep];
    kernels->then = NULL;
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        for (int fill = 0; fill < DRY_FILL_COUNT; fill++)
            kernels->kernel[k][fill] =
                state->sweeps.bundles[k].count == 0
                    ? NULL
                    : step->kinds[k]->kernel(step->kinds[k],
                                             dry_level_of_fill(state->sweeps.level, (dry_fill)fill), sweep,
                                             kernels->update, step->settings, step->shapes->spring != NULL);
}

dry_level dry_solver_sweep_level(dry_level level, const dry_settings *settings, bool springs)
{
    const dry_method *method = dry_method_of(settings);
    const bool plain = !method->solve_tier && method->update[DRY_SWEEP_SOLVE] == DRY_UPDATE_DIRECT &&
                       dry_contacts_are_plain(settings, springs);
    return plain ? level : dry_level_rare(level);
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
    sweep.springs = step->shapes->spring ? s->sweeps.springs : NULL;
    sweep.prefetch_end = bytes > DRY_BUNDLES_NEAR_BYTES ? contacts.end : 0;
    sweep.prefetch_rows = range->partition_end - range->partition_begin == 1;
    return sweep;
}

static bool tier_is_empty(const dry_tier_range *range)
{
    return range->body_begin == range->body_end;
}

/* Passes that wait until as many as may run at once have come together. */
typedef struct pass_batch {
    dry_pass pass[DRY_PASSES_MAX];
    int count, room;
    int left, batches; /* passes and batches that are still to come */
} pass_batch;

/* Begins the next batch. Batches are as even as possible, so that no pass comes alone after batches of many.
 */
static void begin_batch(pass_batch *batch)
{
    batch->count = 0;
    if (batch->batches == 0)
        return;
    batch->room = (batch->left + batch->batches - 1) / batch->batches;
    batch->left -= batch->room;
    batch->batches--;
}

/* Adds a pass with a sweep of this kind; DRY_SWEEP_COUNT: without one. */
static void add_pass(dry_solver_step *step, const dry_tier_range *range, pass_batch *batch,
                     dry_body_work work, const dry_sweep *sweep, dry_sweep_kind kind,
                     const dry_tier_kernels *of_tier)
{
    const dry_sweep_kernels *kernels = kind == DRY_SWEEP_COUNT ? NULL : &of_tier->sweep[kind];
    if (batch->room == 1) {
        dry_run_pass(step, range, work, sweep, kernels);
        if (range->articulated && kernels && kind != DRY_SWEEP_CARRY)
            dry_articulations_sweep(step, range, sweep, kind);
        return;
    }
    dry_pass *pass = &batch->pass[batch->count++];
    *pass = (dry_pass){work, kernels, *sweep};
    /* The first pass leaves partitions of whole islands in the cache for all others. */
    if (range->partitions_apart && batch->count > 1)
        pass->sweep.prefetch_end = 0;
    if (batch->count < batch->room)
        return;
    dry_run_passes(step, range, batch->pass, batch->count);
    begin_batch(batch);
}

/* Returns how many sweeps of a substep are without friction: as many as with it, for two-phase friction. */
static int frictionless_sweeps(const dry_solver_step *step, const dry_tier_range *range, int solve_sweeps)
{
    const dry_bundle_range contacts = dry_tier_bundles(step->state, range, DRY_KIND_CONTACT);
    bool two_phase =
        step->settings->method.friction == DRY_FRICTION_TWO_PHASE && contacts.begin < contacts.end;
    return two_phase ? solve_sweeps : 0;
}

/* Solves a substep without friction [Spook p. 9], from the motion that the bodies would have without its
 * impulses, and goes back to the motion with them. The normal impulses that it leaves in the cold blocks
 * limit friction in the substep's other sweeps.
 *
 * Springs push as they are compressed. Contacts given as a frequency stand for rigid ones: their impulses are
 * found without the position term, so that shapes which are pushed apart do not rub harder meanwhile. */
static void add_frictionless_phase(dry_solver_step *step, const dry_tier_range *range, pass_batch *batch,
                                   dry_body_work work, const dry_sweep *with_friction, int sweeps,
                                   const dry_tier_kernels *kernels)
{
    const dry_sweep_kind kind = with_friction->spook ? DRY_SWEEP_SOLVE : DRY_SWEEP_RELAX;
    dry_sweep sweep = *with_friction;
    sweep.frictionless = true;
    add_pass(step, range, batch, work, &sweep, DRY_SWEEP_EXCHANGE, kernels);
    for (int i = 0; i < sweeps; i++)
        add_pass(step, range, batch, DRY_WORK_NONE, &sweep, kind, kernels);
    add_pass(step, range, batch, DRY_WORK_NONE, &sweep, DRY_SWEEP_EXCHANGE, kernels);
}

/* Returns the passes that lessen impulses where a substep begins: one, where a tier has contacts and some
 * impulses fall on, or none. */
static int carries_less(const dry_solver_step *step, const dry_tier_range *range)
{
    const dry_bundle_range contacts = dry_tier_bundles(step->state, range, DRY_KIND_CONTACT);
    return step->islands->unloads && contacts.begin < contacts.end;
}

/* Returns the kernels of a sweep over joints alone. */
static dry_sweep_kernels of_joints(const dry_sweep_kernels *kernels)
{
    dry_sweep_kernels joints = *kernels;
    for (int fill = 0; fill < DRY_FILL_COUNT; fill++)
        joints.kernel[DRY_KIND_CONTACT][fill] = NULL;
    return joints;
}

/* Begins a substep of joints whose rows are made anew: forces, the impulses of contacts, and as much of those
 * of joints, and of all that acts on articulations, as lowers the energy most (line_search.c). Articulations
 * answer the forces first, and then these impulses. Without relax sweeps impulses have closed gaps, too, and
 * one number for both lets a wire fall: then all of them. */
static void begin_swept(dry_solver_step *step, const dry_tier_range *range, bool first,
                        const dry_sweep *sweep, const dry_sweep_kernels *warm)
{
    dry_run_pass(step, range, first ? DRY_WORK_FIRST_FORCES : DRY_WORK_FORCES, sweep, NULL);
    if (first && !step->settings->warm_start)
        return;
    dry_sweep_kernels contacts = *warm;
    for (int k = 0; k < DRY_KIND_JOINTS; k++)
        for (int fill = 0; fill < DRY_FILL_COUNT; fill++)
            contacts.kernel[k][fill] = NULL;
    dry_run_pass(step, range, DRY_WORK_NONE, sweep, &contacts);
    const dry_sweep_kernels joints = of_joints(warm);
    if (step->settings->relax_sweeps == 0) {
        dry_run_pass(step, range, DRY_WORK_NONE, sweep, &joints);
        if (range->articulated)
            dry_articulations_sweep(step, range, sweep, DRY_SWEEP_WARM);
        return;
    }
    if (range->articulated)
        dry_articulations_answer(step, range, sweep);
    dry_line_search_begin(step, range, sweep, &joints);
    if (range->articulated)
        dry_articulations_answer(step, range, sweep);
    dry_line_search_end(step, range);
}

/* Makes the rows of joints where bodies have moved. The relax sweep is over the rows of the solve sweep:
 * along them it takes away what the closing of gaps adds to velocities. Along rows that have turned some is
 * left: cubes kept up to 69 J as a joint closed, and spun cubes lost 1.7 % of their energy in 10 s. */
static void make_swept(dry_solver_step *step, const dry_tier_range *range, const dry_sweep *sweep, bool last)
{
    dry_solver_stop_invalid(step, range);
    dry_solver_keep_speeds(step, range);
    dry_frames_follow(step, range, sweep->substep);
    dry_solver_make_joints(step, range, sweep->time, 0.0f);
    if (step->state->bodies.frames_turning > 0)
        dry_solver_turn_contacts(step, range);
    if (range->articulated && !last)
        dry_articulations_make(step, range, sweep->time);
}

/* Runs the substeps of a tier, or of one of its partitions. */
static void run_substeps(dry_solver_step *step, const dry_tier_range *range, const dry_tier_kernels *kernels,
                         dry_sweep sweep)
{
    const dry_settings *settings = step->settings;
    const dry_schedule schedule = dry_method_schedule(step->method, settings, range->sweeps);
    const int solves = schedule.solve_sweeps, relaxes = schedule.relax_sweeps;
    const int frictionless = frictionless_sweeps(step, range, solves);
    const float h = sweep.substep;
    const bool swept = dry_range_is_swept(range);
    const int at_once = swept || range->impacts || range->articulated || settings->method.relaxation_adaptive
                            ? 1
                            : dry_passes_at_once(step, range);
    const int carries = carries_less(step, range);
    dry_relaxation relaxation = {.value = settings->method.relaxation};
    sweep.acceleration_time = 0.5f * h; /* rows are those of the substep's beginning */
    pass_batch batch;
    batch.room = 1;
    if (at_once > 1) {
        const int phase = frictionless > 0 ? frictionless + 2 : 0;
        batch.left = range->substeps * (carries + phase + solves + dry_max_int(relaxes, 1)) - carries +
                     settings->warm_start;
        batch.batches = (batch.left + at_once - 1) / at_once;
        begin_batch(&batch);
    }
    if (dry_solver_begins_in_substeps(step, range))
        dry_solver_begin_joints(step, range);
    for (int substep = 0; substep < range->substeps; substep++) {
        const bool last = substep == range->substeps - 1;
        dry_body_work work = DRY_WORK_FIRST_FORCES;
        sweep.time = h * (float)substep;
        if (swept) {
            begin_swept(step, range, substep == 0, &sweep, &kernels->sweep[DRY_SWEEP_WARM]);
            work = DRY_WORK_NONE;
        } else if (substep == 0 && settings->warm_start) {
            add_pass(step, range, &batch, work, &sweep, DRY_SWEEP_WARM, kernels);
            work = DRY_WORK_NONE;
        } else if (substep > 0) {
            work = DRY_WORK_NEXT_FORCES;
        }
        if (carries > 0 && substep > 0) {
            add_pass(step, range, &batch, work, &sweep, DRY_SWEEP_CARRY, kernels);
            work = DRY_WORK_NONE;
        }
        if (range->impacts) {
            dry_run_pass(step, range, work, &sweep, NULL);
            dry_impacts_resolve(step, range, sweep.time, h);
            work = DRY_WORK_NONE;
        }
        if (frictionless > 0) {
            if (settings->method.order != DRY_ORDER_COLOR)
                dry_pass_set_order(step, &sweep, DRY_SWEEP_SOLVE, substep * solves);
            add_frictionless_phase(step, range, &batch, work, &sweep, frictionless, kernels);
            work = DRY_WORK_NONE;
        }
        for (int i = 0; i < solves; i++, work = DRY_WORK_NONE) {
            dry_pass_set_order(step, &sweep, DRY_SWEEP_SOLVE, substep * solves + i);
            if (settings->method.relaxation_adaptive) {
                if (i == 0)
                    relaxation.change = -1.0;
                /* The work on bodies comes before the velocities are kept. */
                if (work != DRY_WORK_NONE)
                    dry_run_pass(step, range, work, &sweep, NULL);
                work = DRY_WORK_NONE;
                sweep.relaxation = relaxation.value;
                dry_relaxation_keep(step, range, kernels->sweep[DRY_SWEEP_SOLVE].update);
            }
            sweep.tally = relaxes == 0 && i == solves - 1;
            sweep.loads = last && sweep.tally ? step->state->bodies.load : NULL;
            add_pass(step, range, &batch, work, &sweep, DRY_SWEEP_SOLVE, kernels);
            if (settings->method.relaxation_adaptive)
                dry_relaxation_follow(step, range, kernels->sweep[DRY_SWEEP_SOLVE].update, &relaxation);
        }
        sweep.tally = false;
        sweep.time = h * (float)(substep + 1);
        work = swept ? DRY_WORK_MOVE_VALID : DRY_WORK_MOVE; /* what is moved too far has no rows */
        if (range->impacts) {
            dry_run_pass(step, range, work, &sweep, NULL);
            dry_impacts_move(step, range, h);
            work = DRY_WORK_NONE;
        }
        for (int i = 0; i < relaxes; i++, work = DRY_WORK_NONE) {
            dry_pass_set_order(step, &sweep, DRY_SWEEP_RELAX, substep * relaxes + i);
            sweep.tally = i == relaxes - 1;
            sweep.loads = last && sweep.tally ? step->state->bodies.load : NULL;
            add_pass(step, range, &batch, work, &sweep, DRY_SWEEP_RELAX, kernels);
        }
        sweep.tally = false;
        if (work != DRY_WORK_NONE)
            add_pass(step, range, &batch, work, &sweep, DRY_SWEEP_COUNT, kernels);
        if (range->articulated)
            dry_axes_tally(step, range);
        if (swept && (relaxes > 0 || !last))
            make_swept(step, range, &sweep, last);
    }
    dry_frames_end(step, range);
}

/* The partitions of a tier of joints in sweeps. */
typedef struct partition_job {
    const dry_solver_step *step;
    const dry_tier_range *range;
    const dry_tier_kernels *kernels;
    const dry_sweep *sweep;
} partition_job;

static void solve_partitions(void *context, dry_items items)
{
    const partition_job *job = context;
    dry_solver_step step = *job->step;
    step.jobs = dry_jobs_alone();
    for (int i = items.begin; i < items.end; i++) {
        const dry_tier_range part =
            dry_range_of_partition(job->range, step.state->plan.partitions, job->range->partition_begin + i);
        run_substeps(&step, &part, job->kernels, *job->sweep);
    }
}

/* Runs the substeps of a tier. Partitions of joints in sweeps that no constraint joins go through all of them
 * one after the other, each in its worker's own cache: rows take 1 to 4 KB a joint. */
static void solve_tier(dry_solver_step *step, const dry_tier_range *range, const dry_tier_kernels *kernels)
{
    const dry_sweep sweep = tier_sweep(step, range, step->dt / (float)range->substeps);
    const int partitions = range->partition_end - range->partition_begin;
    if (step->method->positions) {
        dry_substeps_of_positions(step, range, kernels, sweep);
    } else if (dry_range_is_swept(range) && range->partitions_apart && partitions > 1 && !range->impacts &&
               !step->settings->method.relaxation_adaptive) {
        partition_job job = {step, range, kernels, &sweep};
        dry_jobs_for(step->jobs, partitions, 1, solve_partitions, &job);
    } else {
        run_substeps(step, range, kernels, sweep);
    }
}

void dry_solver_solve(dry_solver_step *step)
{
    step->stage = DRY_STAGE_SOLVE;
    if (step->bodies->awake_count == 0)
        return;
    dry_tier_kernels kernels = {0};
    choose_kernels(step, DRY_SWEEP_WARM, &kernels);
    choose_kernels(step, DRY_SWEEP_SOLVE, &kernels);
    choose_kernels(step, DRY_SWEEP_RELAX, &kernels);
    if (step->islands->unloads)
        choose_kernels(step, DRY_SWEEP_CARRY, &kernels);
    if (step->settings->method.friction == DRY_FRICTION_TWO_PHASE)
        choose_kernels(step, DRY_SWEEP_EXCHANGE, &kernels);
    for (int tier = 0; tier < step->state->plan.range_count; tier++) {
        const dry_tier_range *range = &step->state->plan.ranges[tier];
        if (tier_is_empty(range))
            continue;
        if (step->method->solve_tier)
            step->method->solve_tier(step, range);
        else
            solve_tier(step, range, &kernels);
    }
    dry_articulations_correct(step);
}

void dry_solver_repair(dry_solver_step *step)
{
    step->stage = DRY_STAGE_REPAIR;
    if (step->bodies->awake_count == 0)
        return;
    dry_joints_hold(step);
    dry_ledger_close(step);
    dry_articulations_correct(step);
}
