/* Stage "finalize", first part: the motion of sixteen bodies at the step's end from their rows.
 *
 * Reads rows, poses, velocities, masses, forces, shapes. Writes nothing of the world. Next:
 * step/finalize.c, which calls this for each block of rows. */

#include "solver/bodies/begin.h"
#include "solver/bodies/body_blocks.h"
#include "solver/bodies/integrators.h"
#include "solver/bodies/kernel_list.h"
#include "solver/bodies/turned.h"
#include "solver/plan/layout.h"

/* Written as the library of methods is loaded. */
static dry_integrate_run *integrators;

void dry_integrators_add(dry_integrate_run *run)
{
    integrators = run;
}

static const dry_shape_form no_form = {.proxy = -1};

/* Returns the body's shape if it has just one, with bounds in lanes; else a form without a proxy. */
static const dry_shape_form *only_form(const dry_shapes *shapes, const dry_body_state *state)
{
    if (state->first_shape < 0 || state->first_shape != state->last_shape)
        return &no_form;
    const dry_shape_form *form = &shapes->form[state->first_shape];
    return dry_type_properties(form->geometry.type) & DRY_TYPE_IN_LANES ? form : &no_form;
}

static void gather_lane(const dry_solver_step *step, int row, int i, dry_finish_block *block)
{
    const dry_bodies *bodies = step->bodies;
    const dry_body_state *state = &bodies->state[row];
    const bool dynamic = state->type == DRY_BODY_DYNAMIC;
    const bool locked = dynamic && bodies->properties[row].locks;
    const bool unlocked = dynamic && !locked;
    const bool apart = dry_integrates_apart(step->settings);
    const bool stays = dry_stays(step, row);
    const bool gyroscopic = unlocked && !apart && !stays &&
                            !inertia_is_isotropic(bodies->mass[row].inverse_inertia) &&
                            !dry_turned_of(step, row);
    const dry_island *island = dry_row_island(step, row);
    block->row[i] = row;
    if (block->any_moved)
        block->start[i] = dry_start_pose(step, row);
    block->form[i] = apart ? &no_form : only_form(step->shapes, state);
    block->shape_type[i] = (float)block->form[i]->geometry.type;
    /* Joints keep bodies together that move alike: a parabola for some would part them by g h dt / 2. */
    const bool joined = island && island->joints > 0;
    block->free[i] = unlocked && !apart && !joined && !stays ? 1.0f : 0.0f;
    block->substep[i] = unlocked ? dry_island_substep(step, island) : 0.0f;
    block->gyroscopic[i] = gyroscopic ? 1.0f : 0.0f;
    const bool held = island && !island->floating;
    block->bounded[i] = held ? 1.0f : 0.0f;
    block->floating[i] = island && !held && !joined ? 1.0f : 0.0f;
    block->rests[i] = held && !joined ? 1.0f : 0.0f;
    block->kinematic[i] = dynamic ? 0.0f : 1.0f;
    block->locked[i] = locked ? 1.0f : 0.0f;
    block->any_free |= unlocked && !apart;
    block->any_forced |= (state->flags & DRY_BODY_FORCED) != 0;
    block->any_gyroscopic |= gyroscopic;
    block->any_kinematic |= !dynamic;
    block->any_locked |= locked;
}

void dry_finish_bodies(const dry_solver_step *step, int first, int count, dry_finish_block *block,
                       dry_body_motion *motion)
{
    block->any_free = block->any_forced = block->any_gyroscopic = block->any_kinematic = block->any_locked =
        false;
    block->any_moved = step->islands->staying;
    DRY_ASSERT(count > 0 && first + count <= step->bodies->awake_count);
    for (int i = 0; i < DRY_BUNDLE; i++)
        gather_lane(step, first + dry_min_int(i, count - 1), i, block);
    if (block->any_locked)
        dry_body_locks_gather(step->bodies, block->row, &block->locks);
    const dry_body_finish finish = {step->bodies, step->state->bodies.rows, step->settings->gravity,
                                    step->dt};
    dry_body_kernels_at(step->state->sweeps.level)->bodies_finish(&finish, block, motion);
    DRY_ASSERT(integrators || !dry_integrates_apart(step->settings));
    if (dry_integrates_apart(step->settings))
        integrators(step, block, count, motion);
}
