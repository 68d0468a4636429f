/* One step, stage by stage [DESIGN 3]. docs/step.md follows one body through it.
 *
 *   pairs      pairs.c            fat bounds that newly overlap become contacts
 *   contacts   contacts.c         manifolds updated or rebuilt, in parallel
 *   graph      graph.c            begins, ends, colors, wake-ups, islands, serially
 *   prepare    prepare.c          bundles laid out and filled, hit events
 *   solve      solver/substeps.c  the substep loop
 *   impacts    solver/substeps.c  restitution
 *   store      solver/store.c     impulses kept for the next step
 *   finalize   finalize.c         new poses, events, sleep */
#include "core/clock.h"
#include "core/probes.h"
#include "solver/stages.h"
#include "step/stages.h"
#include "step/validate.h"
#include "world/check.h"
#include "world/events.h"
#include "world/world.h"

DRY_PROBE_OF_FILE(stage_begin);
DRY_PROBE_OF_FILE(stage_end);

/* What a stage goes over, for its probes. */
static inline int stage_items(const dry_world *world, dry_stage stage)
{
    const dry_solver_state *solver = &world->solver;
    switch (stage) {
    case DRY_STAGE_PAIRS:
    case DRY_STAGE_FINALIZE:
        return world->bodies.awake_count;
    case DRY_STAGE_SOLVE:
    case DRY_STAGE_IMPACTS:
    case DRY_STAGE_STORE:
        return solver->contact_count + solver->ball_count + solver->distance_count;
    default:
        return world->contacts.active_count;
    }
}

/* A stage begins when the last one ended, unless something came between: the clock is a fiftieth of a small
 * world's step. */
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
    if (world->count_stage_times)
        world->statistics.stage_start_ms[stage] = stage_start_ms(world, stage);
    DRY_PROBE3(stage_begin, world->step_count, stage, stage_items(world, stage));
}

/* All that a stage which ran out of memory tells: it left nothing to time or to hash. */
static bool stage_fails(dry_world *world, dry_stage stage)
{
    DRY_PROBE3(stage_end, world->step_count, stage, stage_items(world, stage));
    if (world->hook.end)
        world->hook.end(stage, world->hook.user);
    dry_validate_failed_stage(world, stage);
    return false;
}

static void stage_ends(dry_world *world, dry_stage stage)
{
    DRY_PROBE3(stage_end, world->step_count, stage, stage_items(world, stage));
    if (world->count_stage_times)
        world->statistics.stage_ms[stage] =
            dry_clock_ms() - world->step_began_ms - world->statistics.stage_start_ms[stage];
    if (world->hook.end)
        world->hook.end(stage, world->hook.user);
    if (world->hash_stages)
        world->stage_hash[stage] = dry_hash_stage(world, stage);
    dry_validate_stage(world, stage);
}

static bool run_stages(dry_world *world, dry_solver_step *step)
{
    dry_validate_calls(world);
    dry_events_clear(world);
    stage_begins(world, DRY_STAGE_PAIRS);
    if (!dry_stage_pairs(world, step->dt))
        return stage_fails(world, DRY_STAGE_PAIRS);
    stage_ends(world, DRY_STAGE_PAIRS);

    stage_begins(world, DRY_STAGE_CONTACTS);
    dry_stage_contacts(world, step->dt);
    stage_ends(world, DRY_STAGE_CONTACTS);

    stage_begins(world, DRY_STAGE_GRAPH);
    if (!dry_stage_graph(world, step))
        return stage_fails(world, DRY_STAGE_GRAPH);
    stage_ends(world, DRY_STAGE_GRAPH);

    stage_begins(world, DRY_STAGE_PREPARE);
    if (!dry_stage_prepare(world, step))
        return stage_fails(world, DRY_STAGE_PREPARE);
    stage_ends(world, DRY_STAGE_PREPARE);
    if (step->dt <= 0.0f) {
        dry_events_begin_step_end(world);
        return true;
    }

    stage_begins(world, DRY_STAGE_SOLVE);
    dry_solver_solve(step);
    stage_ends(world, DRY_STAGE_SOLVE);

    stage_begins(world, DRY_STAGE_IMPACTS);
    dry_solver_impacts(step);
    stage_ends(world, DRY_STAGE_IMPACTS);

    stage_begins(world, DRY_STAGE_STORE);
    dry_solver_store(step);
    stage_ends(world, DRY_STAGE_STORE);

    stage_begins(world, DRY_STAGE_FINALIZE);
    dry_stage_finalize(world, step);
    stage_ends(world, DRY_STAGE_FINALIZE);
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
    dry_solver_step step = dry_solver_step_of(world, call->dt);
    call->ok = run_stages(world, &step);
    dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_NONE);
}

/* Whether a step is long enough for a team. Below this no stage has two blocks, and gathering one costs more
 * than it can save: on a machine with other work a step of a tower of 100 took 16 ms with two threads, 0.1
 * with one, because the OpenMP runtime's workers spin where the other work would run. */
static bool is_worth_sharing(const dry_world *world)
{
    const int items_min = 256;
    return world->bodies.awake_count + world->contacts.active_count + world->joints.active_count >= items_min;
}

dry_result dry_world_step(dry_world *world, float dt)
{
    dry_result result;
    if (!dry_check_world(world, "dry_world_step", &result))
        return result;
    if (!(dt >= 0.0f && dt <= 1.0f))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_world_step: dt must be 0 to 1 second");
    /* Below a tenth of a microsecond single precision cannot carry the rates; nothing would move anyway. */
    if (dt < 1e-7f)
        dt = 0.0f;
    world->stepping = true;
    world->step_began_ms = dry_clock_ms();
    uint64_t allocations = world->memory.allocations;
    /* A trace without room for all of it says so itself. */
    if (world->trace_workers)
        (void)dry_jobs_trace_begin(world->jobs, &world->memory, world->step_began_ms);
    step_call call = {world, dt, false};
    if (is_worth_sharing(world))
        dry_jobs_gather(world->jobs, step_body, &call);
    else
        step_body(&call);
    if (world->trace_workers)
        dry_jobs_trace_end(world->jobs);
    world->statistics.step_ms = dry_clock_ms() - world->step_began_ms;
    if (call.ok) {
        dry_events_publish(world);
        world->step_count++;
    }
    world->allocations_in_last_step = world->memory.allocations - allocations;
    world->allocations_in_steps += world->allocations_in_last_step;
    world->stepping = false;
    if (!call.ok)
        return dry_world_fail(world, DRY_ERROR_MEMORY, "dry_world_step: out of memory; no body moved");
    return DRY_OK;
}
