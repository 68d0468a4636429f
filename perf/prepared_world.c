/* Runs the stages before prepare one by one (prepared_world.h). */
#include "perf/prepared_world.h"

#include "perf/bench.h"
#include "solver/stages/stages.h"

void prepare_world(dry_world *world, float dt)
{
    dry_solver_step step = dry_solver_step_of(world, dt);
    bool done = dry_stage_pairs(world, &step) && dry_stage_contacts(world, &step) &&
                dry_stage_graph(world, &step) && dry_solver_layout(&step, &world->memory, &world->scratch) &&
                dry_take_solver_scratch(world);
    bench_check(done ? DRY_OK : DRY_ERROR_MEMORY, "the stages before prepare");
}
