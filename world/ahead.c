/* Bundles of a restored world, filled before its next step.
 *
 * A step of a world at rest fills no bundles: they are those of the step before. A world that was loaded has
 * none, and filling them takes longer than the rest of its first step, above all in memory that nobody has
 * touched. So the restoration fills them.
 *
 * Reads all tables. Writes islands, the layout, rows and bundles; nothing that outlives a step.
 * Next: solver/stages/stages.h. */
#include "world/state_tables.h"

#include "solver/bodies/begin.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"
#include "solver/plan/layout.h"
#include "solver/stages/stages.h"
#include "world/solver_step.h"
#include "world/world.h"

/* Tells whether the next step may find its islands unchanged: nothing is awake, or most bodies were still in
 * the last step, whose length is known. Slabs are state, and steps alone look for them; joints move. */
static bool is_at_rest(const dry_world *world)
{
    const int awake = world->bodies.awake_count;
    return (awake == 0 || 2 * world->islands.staying > awake) && world->joints.active_count == 0 &&
           dry_step_may_last(world->ways_dt) && world->contacts.touching_count < DRY_SLABS_LEAST;
}

static bool make_islands(dry_world *world, dry_solver_step *step)
{
    return dry_islands_reserve(&world->islands, &world->memory, world->contacts.touching_count) &&
           dry_islands_build(&world->islands, &world->memory, &world->scratch, &world->bodies,
                             &world->contacts, &world->shapes, &world->joints) &&
           dry_joint_groups_update(step, &world->memory, &world->scratch) &&
           (world->bodies.awake_count == 0 || dry_difficulty_rate(step, &world->memory, &world->scratch));
}

/* Tells whether preparing the next step writes state: contacts change their lengths, or a shape has its first
 * static friction. */
static bool writes_state(const dry_world *world)
{
    return dry_islands_lengthen(&world->islands, &world->contacts) ||
           (world->shapes.stiction && !world->contacts.sticking);
}

/* Fills the bundles, if any will stay. What writes state is left to the step. */
static bool fill(dry_world *world, dry_solver_step *step)
{
    const bool asleep = world->bodies.awake_count == 0, stays = world->islands.staying > 0;
    if (!(asleep || stays) || writes_state(world) ||
        !dry_solver_layout(step, &world->memory, &world->scratch) || !dry_take_solver_scratch(world))
        return false;
    if (asleep)
        return true;
    dry_islands_find_supports(step);
    dry_solver_begin_bodies(step);
    return dry_solver_prepare(step, &world->memory);
}

void dry_make_ahead(dry_world *world)
{
    if (!is_at_rest(world))
        return;
    dry_solver_step step = dry_solver_step_of(world, world->ways_dt);
    dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_GRAPH);
    if (make_islands(world, &step) && fill(world, &step))
        world->solver.sweeps.stored_dt = step.dt;
    else
        dry_world_forget_islands(world);
    dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_NONE);
}
