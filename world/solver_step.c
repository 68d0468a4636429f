/* The view of a world that the solver is given, and its scratch memory.
 *
 * Reads the layout. Writes where rows and bundles lie. Next: solver/stages/stages.h. */
#include "world/solver_step.h"

#include "solver/bodies/begin.h"
#include "solver/data/constraint.h"
#include "solver/data/part.h"
#include "solver/methods/method.h"
#include "solver/stages/stages.h"
#include "world/events.h"
#include "world/world.h"

dry_solver_step dry_solver_step_of(dry_world *world, float dt)
{
    return (dry_solver_step){
        .state = &world->solver,
        .settings = &world->settings,
        .method = dry_method_of(&world->settings),
        .order = dry_order_of(&world->settings),
        .kinds = dry_constraint_kinds,
        .parts = dry_solver_parts,
        .jobs = world->jobs,
        .bodies = &world->bodies,
        .shapes = &world->shapes,
        .contacts = &world->contacts,
        .joints = &world->joints,
        .islands = &world->islands,
        .number = world->step_count,
        .dt = dt,
        .held = world->hold.on ? world->hold.named : world->bodies.count,
    };
}

static size_t bundle_bytes(const dry_solver_state *solver, dry_kind kind)
{
    return dry_scratch_bytes((size_t)solver->sweeps.bundles[kind].count,
                             dry_constraint_kinds[kind]->bundle_bytes);
}

bool dry_take_solver_scratch(dry_world *world)
{
    dry_scratch *scratch = &world->scratch;
    dry_solver_state *solver = &world->solver;
    size_t rows = (size_t)world->bodies.awake_count, floating = solver->laws.floats ? rows : 0,
           solve = dry_scratch_bytes(rows, sizeof *solver->bodies.start) +
                   dry_scratch_bytes(floating, sizeof *solver->bodies.momentum_row);
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        solve += bundle_bytes(solver, (dry_kind)k);
    /* Events follow when the step can no longer fail, and calls between steps take parts behind them. */
    size_t events = dry_events_scratch_bytes(world) + dry_scratch_promised(scratch);
    dry_scratch_begin(scratch, &world->memory, DRY_LIFETIME_SOLVE);
    if (!dry_scratch_reserve(scratch, &world->memory, solve > events ? solve : events))
        return false;
    const void *kept = dry_scratch_kept(scratch), *before = solver->sweeps.bundles[DRY_KIND_CONTACT].bundle;
    /* Contacts come last, where little takes their place until the next step. */
    solver->bodies.start = DRY_SCRATCH_TAKE(scratch, dry_start_row, rows);
    solver->bodies.momentum_row = DRY_SCRATCH_TAKE(scratch, dry_momentum_row, floating);
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        solver->sweeps.bundles[k].bundle = dry_scratch_take(scratch, bundle_bytes(solver, (dry_kind)k));
    solver->sweeps.kept = before == solver->sweeps.bundles[DRY_KIND_CONTACT].bundle ? kept : NULL;
    dry_scratch_keep(scratch);
    return true;
}
