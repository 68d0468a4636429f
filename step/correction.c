/* Stage "finalize": the motion of bodies that closes open joints, which is no velocity.
 *
 * A body of an island with an open joint moves by dt times the mean of its velocities before and after the
 * step, and by its correction. Corrections are read and counted by users; no step reads them.
 *
 * Reads joints, poses, velocities. Writes marks of islands, the column `correction`. */
#include "step/stages.h"

#include "core/rotation.h"
#include "solver/constraint/joints/error.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/plan/islands.h"
#include "world/world.h"

enum { FIND_GRAIN = 64 };

/* Looks at direct joints, which the kernels that make rows do not. */
static void find_unseen(void *context, dry_items items)
{
    const dry_solver_step *step = context;
    for (int i = items.begin; i < items.end; i++) {
        const int joint = step->joints->active[i];
        if (dry_joint_is_direct(step->settings, step->joints, joint) &&
            dry_joint_is_open(step->bodies, step->joints, joint))
            atomic_store_explicit(&step->state->sweeps.open, true, memory_order_relaxed);
    }
}

/* Tells whether some joint is open. Kernels look at those in sweeps while they make their rows: to do so one
 * by one takes 0.1 us a joint, a sixth of a step of joints that are closed. */
static bool is_some_open(dry_solver_step *step)
{
    bool some_unseen = false;
    for (int i = 0; i < step->islands->count && !some_unseen; i++)
        some_unseen = step->islands->island[i].direct != 0;
    if (some_unseen)
        dry_jobs_for(step->jobs, step->joints->active_count, FIND_GRAIN, find_unseen, step);
    return atomic_load_explicit(&step->state->sweeps.open, memory_order_relaxed);
}

void dry_corrections_begin(dry_world *world, dry_solver_step *step)
{
    const int count = world->joints.active_count;
    const bool some = is_some_open(step), had = world->statistics.open_joints > 0;
    world->statistics.open_joints = 0;
    for (int i = 0; i < world->islands.count && (some || had); i++)
        world->islands.island[i].open = false;
    for (int i = 0; i < count && some; i++) {
        int rows[DRY_JOINT_SIDES];
        const int joint = world->joints.active[i];
        const bool open = dry_joint_is_open(&world->bodies, &world->joints, joint);
        world->statistics.open_joints += open;
        for (int k = open ? dry_joint_rows_of(step, joint, rows) : 0; k > 0; k--)
            world->islands.island[world->bodies.sleep[rows[k - 1]].island].open = true;
    }
}

void dry_correction_note(const dry_solver_step *step, int row, const dry_body_pose *pose,
                         const dry_body_velocity *velocity)
{
    const dry_bodies *bodies = step->bodies;
    if (!bodies->correction)
        return;
    bodies->correction[row] = dry_body_default_correction;
    const int island = bodies->sleep[row].island;
    if (island < 0 || !step->islands->island[island].open)
        return;
    const dry_body_pose *from = &bodies->pose[row];
    const dry_body_velocity *before = &bodies->velocity[row];
    const float half = 0.5f * step->dt;
    const dry_vec3 turns = vec3_scale(vec3_add(before->angular, velocity->angular), half);
    const dry_rotation turned =
        rotation_mul(rotation_from_vector(double3_of(turns)), rotation_from_quat(from->orientation));
    const dry_rotation back = {-turned.x, -turned.y, -turned.z, turned.w};
    bodies->correction[row] =
        (dry_body_correction){vec3_sub(position_sub(pose->position, from->position),
                                       vec3_scale(vec3_add(before->linear, velocity->linear), half)),
                              dry_rotation_vector(rotation_mul(rotation_from_quat(pose->orientation), back))};
}
