/* The stages before prepare, one by one: see prepared_world.h. */
#include "perf/prepared_world.h"

#include "perf/bench.h"

dry_solver_step prepared_step(dry_world *world, float dt)
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
        .dt = dt,
    };
}

void prepare_world(dry_world *world, float dt)
{
    dry_solver_step step = prepared_step(world, dt);
    bool done = dry_stage_pairs(world, dt);
    if (done)
        dry_stage_contacts(world, dt);
    done = done && dry_stage_graph(world);
    if (done) {
        dry_difficulty_rate(&step);
        /* As world/step.c lends it. */
        size_t rows = (size_t)world->bodies.awake_count * sizeof *world->solver.start;
        world->solver.start = dry_broadphase_lend(world->broadphase, rows);
        done = world->solver.start && dry_solver_layout(&step, &world->memory);
    }
    bench_check(done ? DRY_OK : DRY_ERROR_MEMORY, "the stages before prepare");
}
