/* Stages "prepare" and "store" of joints. Reads joints, poses, velocities; writes bundles [begin, end) of a
 * kind, and their impulses back to joints. */
#include "solver/sweeps/joints/joint_bundles.h"

#include "solver/sweeps/joints/kernel_list.h"

#include <string.h>

static char *bundle_at(const dry_solver_state *state, const dry_constraint_kind *kind, int bundle)
{
    return (char *)state->sweeps.bundles[kind->index].bundle + (size_t)bundle * kind->bundle_bytes;
}

static int32_t *lanes_in_use(const dry_constraint_kind *kind, char *bundle)
{
    return (int32_t *)(void *)(bundle + kind->lanes_offset);
}

dry_sweep_kernel *dry_joint_kernel(const dry_constraint_kind *kind, dry_level level, dry_sweep_kind sweep,
                                   dry_update update, const dry_settings *settings, bool springs)
{
    (void)springs;
    (void)settings;
    return update == DRY_UPDATE_DIRECT ? dry_joint_kernels_at(level)->kernel[kind->index][sweep][update]
                                       : dry_rare_joint_kernels_at(level)->kernel[kind->index][sweep][update];
}

_Static_assert((int)DRY_CONSTRAINT_BODIES == (int)DRY_JOINT_SIDES, "a joint has a side for each body");

int dry_joint_bodies(const dry_solver_step *step, int joint, int body[DRY_CONSTRAINT_BODIES])
{
    return dry_joint_find_bodies(step->joints, joint, body);
}

void dry_joint_prepare(const dry_solver_step *step, const dry_constraint_kind *kind, int begin, int end,
                       float h)
{
    for (int b = begin; b < end; b++) {
        const int32_t *members = step->state->sweeps.bundles[kind->index].members[b].index;
        char *bundle = bundle_at(step->state, kind, b);
        /* Joints that are prepared again are in the lanes in which they were, and fill the same members. */
        if (dry_joint_begins(step))
            memset(bundle, 0, kind->bundle_bytes);
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (members[lane] >= 0) {
                kind->prepare_lane(step, bundle, lane, members[lane], h);
                *lanes_in_use(kind, bundle) = lane + 1;
            }
    }
}

void dry_joint_store_bundles(const dry_solver_step *step, const dry_constraint_kind *kind, int begin, int end,
                             float h)
{
    for (int b = begin; b < end; b++) {
        const int32_t *members = step->state->sweeps.bundles[kind->index].members[b].index;
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (members[lane] >= 0)
                kind->store_lane(step, bundle_at(step->state, kind, b), lane, members[lane], h);
    }
}

int dry_joint_lanes(const dry_solver_state *state, const dry_constraint_kind *kind, int bundle)
{
    return *lanes_in_use(kind, bundle_at(state, kind, bundle));
}
