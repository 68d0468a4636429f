/* Stages "prepare" and "store" of joints with one row. Reads joints, poses, velocities; writes bundles
 * [begin, end), and their impulses back to joints. */
#include "solver/joints/line.h"

#include "solver/context.h"
#include "solver/joints/joint_type.h"
#include "solver/joints/kernel_list.h"
#include "solver/joints/kinds.h"

#include <string.h>

static void prepare_lane(const dry_solver_step *step, dry_line_bundle *c, int lane, int index, float h)
{
    const dry_joint *joint = &step->joints->joint[index];
    const dry_joint_def *def = &step->joints->def[index];
    const dry_joint_side a = dry_joint_side_of(step, index, 0, h);
    const dry_joint_side b = dry_joint_side_of(step, index, 1, h);
    dry_joint_rows rows;
    dry_joint_types[def->type]->measure(joint, def, &a, &b, &rows);
    c->row_a[lane] = a.row;
    c->row_b[lane] = b.row;
    c->inv_sqrt_mass_a[lane] = a.w.inv_sqrt_mass;
    c->inv_sqrt_mass_b[lane] = b.w.inv_sqrt_mass;
    dry_lanes_put3(c->axis, lane, rows.axis);
    c->kinematic[lane] = vec3_dot(rows.axis, vec3_sub(b.kinematic_velocity, a.kinematic_velocity));
    c->acceleration[lane] = rows.acceleration[0];
    dry_vec3 ga = vec3_neg(dry_joint_angular(&a.w, a.mean_lever_arm, rows.axis));
    dry_vec3 gb = dry_joint_angular(&b.w, b.mean_lever_arm, rows.axis);
    c->error[lane] = rows.error[0] - dry_joint_moved(step, &a, &b, rows.axis, ga, gb);
    dry_lanes_put3(c->angular_a, lane, ga);
    dry_lanes_put3(c->angular_b, lane, gb);
    float s = a.mass_share * (a.w.inv_sqrt_mass * a.w.inv_sqrt_mass + vec3_dot(ga, ga)) +
              b.mass_share * (b.w.inv_sqrt_mass * b.w.inv_sqrt_mass + vec3_dot(gb, gb));
    dry_spook spook = dry_joint_spring(step, def->stiffness, def->damping, &a, &b, s, h);
    float softness = spook.softness + spook.relative_softness * s;
    bool rigid = dry_joint_is_rigid(&spook);
    c->inverse[lane] = s > 0.0f ? 1.0f / (s + softness) : 0.0f;
    c->relax_inverse[lane] = rigid && s > 0.0f ? 1.0f / s : 0.0f;
    c->rate[lane] = spook.rate;
    c->approach[lane] = spook.approach;
    c->softness[lane] = softness;
    c->rigid[lane] = rigid ? 1.0f : 0.0f;
    c->impulse[lane] = vec3_dot(rows.axis, joint->impulse) * dry_joint_warm_scale(step, joint, h);
}

static void line_prepare(const dry_solver_step *step, int begin, int end, float h)
{
    const dry_bundle_array *array = &step->state->bundles[DRY_KIND_LINE];
    dry_line_bundle *bundles = array->bundle;
    const bool again = step->since > 0.0f; /* impulses stay */
    for (int b = begin; b < end; b++) {
        dry_line_bundle before;
        if (again)
            before = bundles[b];
        memset(&bundles[b], 0, sizeof bundles[b]);
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (array->members[b].index[lane] >= 0) {
                prepare_lane(step, &bundles[b], lane, array->members[b].index[lane], h);
                bundles[b].lanes = lane + 1;
            }
        if (again)
            memcpy(bundles[b].impulse, before.impulse, sizeof before.impulse);
    }
}

static void line_store(const dry_solver_step *step, int begin, int end, float h)
{
    const dry_bundle_array *array = &step->state->bundles[DRY_KIND_LINE];
    const dry_line_bundle *bundles = array->bundle;
    for (int b = begin; b < end; b++)
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const int joint = array->members[b].index[lane];
            if (joint < 0)
                continue;
            const dry_line_bundle *c = &bundles[b];
            const dry_vec3 axis = vec3(c->axis[0][lane], c->axis[1][lane], c->axis[2][lane]);
            const float load = dry_abs(c->impulse[lane]) / (c->relax_inverse[lane] * h);
            dry_joint_store(step, joint, vec3_scale(axis, c->impulse[lane]), h,
                            c->rigid[lane] > 0.0f ? load : 0.0f);
        }
}

static dry_sweep_kernel *line_kernel(dry_level level, dry_sweep_kind sweep, dry_update update,
                                     const dry_settings *settings)
{
    (void)settings;
    return dry_joint_kernels_at(level)->kernel[DRY_KIND_LINE][sweep][update];
}

static int line_lanes(const dry_solver_state *state, int bundle)
{
    const dry_line_bundle *bundles = state->bundles[DRY_KIND_LINE].bundle;
    return bundles[bundle].lanes;
}

const dry_constraint_kind dry_kind_line = {
    .name = "line",
    .bundle_bytes = sizeof(dry_line_bundle),
    .kernel = line_kernel,
    .bodies = dry_joint_bodies,
    .prepare = line_prepare,
    .store = line_store,
    .lanes = line_lanes,
};
