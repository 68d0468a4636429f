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

bool dry_take_start_rows(dry_world *world)
{
    size_t rows = (size_t)world->bodies.awake_count;
    dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_SOLVE);
    if (!dry_scratch_reserve(&world->scratch, &world->memory, dry_scratch_bytes(rows, sizeof(dry_start_row))))
        return false;
    world->solver.start = DRY_SCRATCH_TAKE(&world->scratch, dry_start_row, rows);
    return true;
}

bool dry_stage_prepare(dry_world *world, dry_solver_step *step)
{
    if (!dry_take_start_rows(world) || !dry_events_reserve_step(world) ||
        !dry_solver_layout(step, &world->memory))
        return false;
    if (step->dt <= 0.0f)
        return true;
    dry_solver_begin_bodies(step);
    return dry_solver_prepare(step, &world->memory) && dry_hits_raise(world, step);
}
