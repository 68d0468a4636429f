/* Stage "prepare": bundles laid out and filled, hit events raised.
 *
 * Reads islands, manifolds, joints, poses. Writes the solver's rows and bundles, hit events. Nothing that
 * outlives the step has changed when this stage fails. Next: solver/substeps.c. */
#include "solver/context.h"
#include "solver/layout/layout.h"
#include "solver/stages.h"
#include "step/hits.h"
#include "step/stages.h"
#include "world/events.h"
#include "world/world.h"

dry_solver_step dry_solver_step_of(dry_world *world, float dt)
{
    return (dry_solver_step){
        .state = &world->solver,
        .settings = &world->settings,
        .jobs = world->jobs,
        .bodies = &world->bodies,
        .shapes = &world->shapes,
        .contacts = &world->contacts,
        .joints = &world->joints,
        .islands = &world->islands,
        .number = world->step_count,
        .dt = dt,
    };
}

bool dry_take_solver_scratch(dry_world *world)
{
    dry_scratch *scratch = &world->scratch;
    dry_solver_state *solver = &world->solver;
    size_t rows = (size_t)world->bodies.awake_count, bundles = (size_t)solver->contact_count;
    size_t solve =
        dry_scratch_bytes(bundles, sizeof *solver->contact) + dry_scratch_bytes(rows, sizeof *solver->start);
    /* Events follow when the step can no longer fail, and calls between steps take parts behind them. */
    size_t events = dry_events_scratch_bytes(world) + dry_scratch_promised(scratch);
    dry_scratch_begin(scratch, &world->memory, DRY_LIFETIME_SOLVE);
    if (!dry_scratch_reserve(scratch, &world->memory, solve > events ? solve : events))
        return false;
    solver->contact = DRY_SCRATCH_TAKE(scratch, dry_contact_bundle, bundles);
    solver->start = DRY_SCRATCH_TAKE(scratch, dry_start_row, rows);
    return true;
}

bool dry_stage_prepare(dry_world *world, dry_solver_step *step)
{
    if (!dry_solver_layout(step, &world->memory) || !dry_take_solver_scratch(world))
        return false;
    if (step->dt <= 0.0f)
        return true;
    dry_solver_begin_bodies(step);
    return dry_solver_prepare(step, &world->memory) && dry_hits_raise(world, step);
}
