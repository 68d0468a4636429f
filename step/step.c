/* One step, stage by stage [DESIGN 3]. docs/step.md follows one body through it. */
#include "core/clock.h"
#include "core/probes.h"
#include "snapshot/history.h"
#include "snapshot/record.h"
#include "solver/stages/stages.h"
#include "step/checks.h"
#include "step/stages.h"
#include "world/change.h"
#include "world/check.h"
#include "world/events.h"
#include "world/hold.h"
#include "world/world.h"

#include <string.h>

static int awake_bodies(const dry_world *world)
{
    return world->bodies.awake_count;
}

static int active_contacts(const dry_world *world)
{
    return world->contacts.active_count;
}

static int bundles(const dry_world *world)
{
    int count = 0;
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        count += world->solver.sweeps.bundles[k].count;
    return count;
}

/* A line of the table of stages. `run` returns false if memory fails; stages that cannot fail and see no more
 * than the solver's step have `solve` instead. `items` returns how many things the stage goes over, for
 * probes. A step of length 0 leaves out stages with `moves`. */
typedef struct stage_entry {
    const char *name;
    bool (*run)(dry_world *world, dry_solver_step *step);
    void (*solve)(dry_solver_step *step);
    int (*items)(const dry_world *world);
    bool moves;
} stage_entry;

/* The step: its stages in order. The lists of fields in state/ say which stages write a field, and the
 * validating build checks that no other does. */
static const stage_entry stages[DRY_STAGE_COUNT] = {
    /* Fat bounds that newly overlap become contacts. */
    [DRY_STAGE_PAIRS] = {"pairs", dry_stage_pairs, NULL, awake_bodies, false},
    /* Manifolds are updated or rebuilt, in parallel. */
    [DRY_STAGE_CONTACTS] = {"contacts", dry_stage_contacts, NULL, active_contacts, false},
    /* Contacts begin and end, bodies wake, islands are built and rated, serially. */
    [DRY_STAGE_GRAPH] = {"graph", dry_stage_graph, NULL, active_contacts, false},
    /* Bundles are laid out and filled; hits are raised. The last stage that may fail. */
    [DRY_STAGE_PREPARE] = {"prepare", dry_stage_prepare, NULL, active_contacts, false},
    /* The substep loop: forces, impacts, sweeps, motion, relaxation. */
    [DRY_STAGE_SOLVE] = {"solve", NULL, dry_solver_solve, bundles, true},
    /* Joints that are held; the momentum of floating islands and the energy of joined ones. */
    [DRY_STAGE_REPAIR] = {"repair", NULL, dry_solver_repair, bundles, true},
    /* Impulses are kept for the next step. */
    [DRY_STAGE_STORE] = {"store", NULL, dry_solver_store, bundles, true},
    /* Poses, velocities, fat bounds, events, quarantine, sleep. */
    [DRY_STAGE_FINALIZE] = {"finalize", dry_stage_finalize, NULL, awake_bodies, true},
};

const char *dry_stage_name(dry_stage stage)
{
    return (unsigned)stage < DRY_STAGE_COUNT ? stages[stage].name : NULL;
}

#ifdef DRY_VALIDATE
const dry_step_checks *dry_checks;
#endif

DRY_PROBE_OF_FILE(stage_begin);
DRY_PROBE_OF_FILE(stage_end);

/* Returns when a stage starts: when the one before it ended, unless hooks or hashes ran in between. Reading
 * the clock once more would take a fiftieth of a small world's step. */
static double stage_start_ms(const dry_world *world, dry_stage stage)
{
    const dry_statistics *statistics = &world->statistics;
    if (stage == DRY_STAGE_PAIRS || world->hook.begin || world->hook.end || world->hash_stages)
        return dry_clock_ms() - world->step_began_ms;
    return statistics->stage_start_ms[stage - 1] + statistics->stage_ms[stage - 1];
}

static void stage_begins(dry_world *world, dry_stage stage)
{
    if (world->hook.begin)
        world->hook.begin(stage, world->hook.user);
    if (world->trace_workers)
        dry_jobs_trace_stage(world->jobs, stage);
    if (world->times_stages)
        world->statistics.stage_start_ms[stage] = stage_start_ms(world, stage);
    DRY_PROBE3(stage_begin, world->step_count, stage, stages[stage].items(world));
}

/* Ends a stage. One that ran out of memory has nothing to time or to hash. */
static void stage_ends(dry_world *world, const dry_solver_step *step, dry_stage stage, bool done)
{
    DRY_PROBE3(stage_end, world->step_count, stage, stages[stage].items(world));
    if (world->times_stages && done)
        world->statistics.stage_ms[stage] =
            dry_clock_ms() - world->step_began_ms - world->statistics.stage_start_ms[stage];
    if (world->hook.end)
        world->hook.end(stage, world->hook.user);
    if (world->hash_stages && done)
        world->stage_hash[stage] = dry_hash_stage(world, stage, step->dt > 0.0f);
}

static bool run_stage(dry_world *world, dry_solver_step *step, dry_stage stage)
{
    void *before = dry_checks ? dry_checks->before(world) : NULL;
    DRY_ASSERT(!stages[stage].run != !stages[stage].solve && world->stepping);
    bool done = true;
    if (stages[stage].run)
        done = stages[stage].run(world, step);
    else
        stages[stage].solve(step);
    if (dry_checks)
        dry_checks->after(world, stage, done, before);
    return done;
}

static bool run_stages(dry_world *world, dry_solver_step *step)
{
    dry_events_clear(world);
    memset(world->stage_hash, 0, sizeof world->stage_hash); /* of stages that are left out, too */
    for (dry_stage stage = 0; stage < DRY_STAGE_COUNT; stage++) {
        if (stages[stage].moves && step->dt <= 0.0f)
            continue;
        stage_begins(world, stage);
        const bool done = run_stage(world, step, stage);
        stage_ends(world, step, stage, done);
        if (!done)
            return false;
    }
    /* A step of length 0 leaves out the stage that raises the events of a step's end. */
    if (step->dt <= 0.0f)
        dry_events_begin_step_end(world);
    return true;
}

typedef struct step_call {
    dry_world *world;
    float dt;
    bool ok;
} step_call;

static void step_body(void *context)
{
    step_call *call = context;
    dry_world *world = call->world;
    if (world->bodies.target)
        dry_bodies_aim(world, call->dt);
    dry_solver_step step = dry_solver_step_of(world, call->dt);
    step.stored = world->solver.sweeps.stored_dt == call->dt;
    world->solver.sweeps.stored_dt = 0.0f; /* until this step has stored its bundles, too */
    call->ok = run_stages(world, &step);
    DRY_CALL_PARTS(&step, call->ok ? DRY_PARTS_ALL : 0, count, step.state, &world->statistics);
    /* After a step, its events are the last lifetime. */
    if (!call->ok)
        dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_NONE);
}

/* Returns how many awake things a step goes over. */
static int awake_items(const dry_world *world)
{
    return world->bodies.awake_count + world->contacts.active_count + world->joints.active_count;
}

/* Runs the stages, by several workers if there are enough items. With fewer no stage has two blocks, and
 * waking the workers costs more than they can save: a small world's step takes microseconds. Returns false if
 * memory fails. */
static bool share_stages(dry_world *world, float dt)
{
    const int items_min = 256;
    step_call call = {world, dt, false};
    if (awake_items(world) >= items_min)
        dry_jobs_begin_parallel(world->jobs, step_body, &call);
    else
        step_body(&call);
    return call.ok;
}

/* Begins the times and the trace of a step. Stages are not timed where nothing is awake: reading the clock
 * would take half of such a step. The spans of a trace lie within stages, always; a trace that lacks room
 * counts the spans that it loses. */
static void begin_watching(dry_world *world)
{
    world->step_began_ms = dry_clock_ms();
    world->times_stages = world->count_stage_times && (world->trace_workers || awake_items(world) > 0);
    if (!world->times_stages) {
        memset(world->statistics.stage_ms, 0, sizeof world->statistics.stage_ms);
        memset(world->statistics.stage_start_ms, 0, sizeof world->statistics.stage_start_ms);
    }
    if (world->trace_workers)
        (void)dry_jobs_trace_begin(world->jobs, &world->memory, world->step_began_ms);
}

static void end_watching(dry_world *world)
{
    if (world->trace_workers)
        dry_jobs_trace_end(world->jobs);
    world->statistics.step_ms = dry_clock_ms() - world->step_began_ms;
}

/* Makes a step's outcome known: to those who read events, to later calls, to the history. */
static void publish(dry_world *world, bool done, bool some)
{
    if (done) {
        dry_events_publish(world);
        world->step_count++;
    }
    world->called = !done; /* a step that memory stops may have done a part */
    if (world->history)
        dry_history_keep(world->history, done, some);
}

static void count_allocations(dry_world *world, uint64_t before)
{
    world->allocations_in_last_step = world->memory.allocations - before;
    world->allocations_in_steps += world->allocations_in_last_step;
}

/* Checks what all steps ask for. `name` is the call. */
static dry_result check_step(const dry_world *world, float dt, const char *name)
{
    DRY_RETURN_REFUSAL(dry_check_world(world, name));
    if (world->pooled && world->step_count >= world->pooled_steps)
        return dry_world_fail(world, DRY_ERROR_LOCKED,
                              "%s: the world is a room's, whose steps the pool makes; its functions only "
                              "make again those that they took back",
                              name);
    if (dt == 0.0f || dry_step_may_last(dt))
        return DRY_OK;
    return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: dt must be 0, or 1e-7 to 1 second; it is %g", name,
                          (double)dt);
}

/* Steps the bodies that are not held, and ends the hold. */
static dry_result run_step(dry_world *world, float dt, const char *name, uint64_t allocations)
{
    const bool some = world->hold.on;
    DRY_ASSERT(!world->stepping && !world->moving);
    world->stepping = world->moving = true;
    begin_watching(world);
    const bool done = share_stages(world, dt);
    if (some)
        dry_hold_end(world);
    end_watching(world);
    publish(world, done, some);
    count_allocations(world, allocations);
    world->stepping = world->moving = false;
    return done ? DRY_OK : dry_world_fail(world, DRY_ERROR_MEMORY, "%s: out of memory; no body moved", name);
}

dry_result dry_world_step(dry_world *world, float dt)
{
    DRY_RETURN_REFUSAL(check_step(world, dt, __func__));
    if (dry_checks)
        dry_checks->calls(world);
    dry_hold_settle(world);
    const bool idle = awake_items(world) == 0;
    const dry_result result = run_step(world, dt, __func__, world->memory.allocations);
    if (world->recorder)
        dry_record_step(world, dt, result, idle);
    return result;
}

dry_result dry_world_step_only(dry_world *world, float dt, const dry_body_id *ids, int count)
{
    DRY_RETURN_REFUSAL(check_step(world, dt, __func__));
    DRY_RETURN_REFUSAL(dry_check_bodies(world, __func__, count, ids));
    if (dry_checks)
        dry_checks->calls(world);
    const uint64_t allocations = world->memory.allocations;
    DRY_RETURN_REFUSAL(dry_hold_begin(world, __func__, ids, count));
    const dry_result result = run_step(world, dt, __func__, allocations);
    if (dry_checks)
        dry_checks->calls(world);
    if (world->recorder && result != DRY_OK) {
        dry_record_restored(world); /* memory may stop a step halfway */
    } else if (world->recorder) {
        (void)DRY_RECORD(world, dry_world_step_only, &dt, ids, &count);
        dry_record_some(world);
    }
    return result;
}
