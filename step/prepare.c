/* Stage "prepare": bundles laid out and filled, hit events raised.
 *
 * Reads islands, manifolds, joints, poses. Writes the solver's rows and bundles, hit events. Nothing that
 * outlives the step has changed when this stage fails. Next: solver/stages/substeps.c. */
#include "solver/bodies/begin.h"
#include "solver/data/context.h"
#include "solver/methods/method.h"
#include "solver/plan/islands.h"
#include "solver/stages/stages.h"
#include "step/stages.h"
#include "world/world.h"

bool dry_stage_prepare(dry_world *world, dry_solver_step *step)
{
    if (!dry_solver_layout(step, &world->memory, &world->scratch) || !dry_take_solver_scratch(world))
        return false;
    if (step->dt <= 0.0f || step->bodies->awake_count == 0) {
        /* Nothing fills the bundles, and nobody may read them. */
        for (int k = 0; k < DRY_KIND_COUNT; k++)
            world->solver.sweeps.bundles[k].bundle = NULL;
        return true;
    }
    dry_islands_find_supports(step);
    dry_solver_begin_bodies(step);
    return dry_solver_prepare(step, &world->memory) &&
           (!step->method->prepare || step->method->prepare(step, &world->memory)) &&
           (world->joints.active_count == 0 || dry_bodies_need_correction(&world->bodies, &world->memory)) &&
           (!world->settings.sleep || dry_bodies_need_timed(&world->bodies, &world->memory)) &&
           dry_hits_raise(world, step);
}
