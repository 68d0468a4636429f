/* Stage "store": the impulses of joints. Writes joints, their rows and axes, and their loads. */
#include "solver/bodies/joint_impulses.h"

#include "solver/bodies/begin.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"

#include <float.h>

/* A load follows what is measured in this time, s. Blows and swings are shorter: substeps that followed them
 * would stiffen joints while they are open, which lifts what hangs on them. */
static const float LOAD_TIME = 1.0f;

void dry_joint_store(const dry_solver_step *step, int joint, dry_vec3 impulse, float h, float measured)
{
    dry_joint *of = &step->joints->joint[joint];
    const bool finite = vec3_length_squared(impulse) <= FLT_MAX;
    of->impulse = finite ? impulse : vec3(0.0f, 0.0f, 0.0f);
    of->substep = finite ? h : 0.0f;
    if (dry_joint_island(step, joint) < 0)
        return;
    float *load = &step->joints->load[joint].value;
    measured = dry_load_bounded(measured * dry_joint_relief(step, joint));
    const float share = *load < 0.0f ? 1.0f : dry_min(step->dt / LOAD_TIME, 1.0f);
    *load = dry_max(*load, 0.0f);
    *load += share * (measured - *load);
    DRY_ASSERT(*load >= 0.0f && *load <= FLT_MAX);
}

void dry_joint_store_total(const dry_solver_step *step, int joint, dry_vec3 linear, dry_vec3 angular,
                           float peak, float h, bool adds)
{
    dry_joint_rows_state *to = &step->joints->rows[joint];
    const dry_vec3 zero = {0.0f, 0.0f, 0.0f};
    const float rate = 1.0f / step->dt, one = sqrtf(peak) / h, other = adds ? to->peak : 0.0f;
    const dry_vec3 force = vec3_add_scaled(adds ? to->force : zero, rate, linear);
    const dry_vec3 torque = vec3_add_scaled(adds ? to->torque : zero, rate, angular);
    const float largest = dry_max(sqrtf(other * other + one * one), vec3_length(force));
    const bool finite = vec3_is_finite(force) && vec3_is_finite(torque) && largest <= FLT_MAX;
    to->force = finite ? force : zero;
    to->torque = finite ? torque : zero;
    to->peak = finite ? largest : 0.0f;
}

void dry_joint_store_sums(const dry_solver_step *step, int joint, dry_joint_total *total, int rows, float h,
                          bool adds)
{
    dry_vec3 linear = {0}, about = {0};
    if (step->method->find_total)
        step->method->find_total(step->dt / h, rows, total);
    for (int i = 0; i < rows; i++) {
        linear = vec3_add_scaled(linear, (float)total->row[i], total->linear[i]);
        about = vec3_add_scaled(about, (float)total->row[i], total->about[i]);
    }
    dry_joint_store_total(step, joint, linear, about, total->peak, h, adds);
}

void dry_joint_store_rows(const dry_solver_step *step, int joint, dry_vec3 angular, const float *rows)
{
    bool finite = vec3_length_squared(angular) <= FLT_MAX;
    for (int i = 0; i < DRY_BLOCK_ROWS; i++)
        finite = finite && dry_abs(rows[i]) <= FLT_MAX;
    dry_joint_rows_state *to = &step->joints->rows[joint];
    for (int i = 0; i < DRY_BLOCK_ROWS; i++)
        to->impulse[i] = finite ? rows[i] : 0.0f;
    to->angular_impulse = finite ? angular : vec3(0.0f, 0.0f, 0.0f);
}

void dry_joint_store_axes(const dry_solver_step *step, int index, dry_vec3 linear, dry_vec3 angular,
                          const dry_joint_axes_state *axes, float h)
{
    dry_joint *joint = &step->joints->joint[index];
    dry_joint_rows_state *rows = &step->joints->rows[index];
    if (dry_joint_has_kind(joint, DRY_KIND_BLOCK) ||
        dry_joint_is_direct(step->settings, step->joints, index)) {
        linear = vec3_add(linear, joint->impulse);
        angular = vec3_add(angular, rows->angular_impulse);
    }
    bool finite = vec3_length_squared(linear) + vec3_length_squared(angular) <= FLT_MAX;
    for (int i = 0; i < DRY_COORDINATE_COUNT * DRY_PART_COUNT; i++)
        finite = finite && dry_abs(axes->impulse[i]) <= FLT_MAX;
    for (int i = 0; i < 3; i++)
        finite = finite && dry_abs(axes->angle[i]) <= FLT_MAX;
    if (!finite) {
        dry_joints_clear_impulses(step->joints, index);
        return;
    }
    joint->impulse = linear;
    joint->substep = h;
    rows->angular_impulse = angular;
    step->joints->axes[index] = *axes;
}
