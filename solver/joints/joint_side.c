/* Stage "prepare": the bodies of a joint. Reads joints, poses, velocities. */
#include "solver/joints/joint_side.h"

#include "core/rotation.h"
#include "solver/context.h"
#include "solver/islands/difficulty.h"
#include "solver/methods/method.h"

/* Gentler than a contact: a long chain converges slowly, and what is pulled too far one substep swings back.
 * A bridge of 40 planks keeps 189 kJ after 10 s at ratio 1, 62 kJ at 5. */
#define DRY_JOINT_DAMPING_RATIO 5.0f
/* The time of a joint's damping is this long at least, s. A weight that rests q below where its joint would
 * have it swings with w = sqrt(g / q), and 2 / w damps it critically. Joints gape by 1 mm at rest. */
#define DRY_JOINT_DAMPING_TIME 0.04f

dry_joint_side dry_joint_side_of(const dry_solver_step *step, int body, dry_vec3 anchor, float h)
{
    const dry_bodies *bodies = step->bodies;
    int row = dry_bodies_row(bodies, body);
    dry_joint_side s = {.mass_share = 1.0f, .center = &bodies->pose[row].position};
    s.lever_arm = s.mean_lever_arm = quat_rotate(bodies->pose[row].orientation, anchor);
    if (row >= bodies->awake_count)
        return s;
    s.shared = (bodies->state[row].colors & (bodies->state[row].colors - 1)) != 0;
    /* A body that cannot be integrated is taken as at rest, so that no neighbor sees it. */
    const bool dynamic = bodies->state[row].type == DRY_BODY_DYNAMIC;
    static const dry_body_velocity none;
    const dry_body_velocity *v = dynamic && step->state->invalid[row] ? &none : &bodies->velocity[row];
    float ahead = 0.5f * (step->dt - h);
    s.mean_lever_arm = quat_rotate(quat_from_rotation(vec3_scale(v->angular, ahead)), s.lever_arm);
    s.drift = vec3_scale(v->linear, ahead);
    dry_vec3 sweep = vec3_cross(v->angular, s.mean_lever_arm);
    s.acceleration = vec3_cross(v->angular, sweep);
    s.velocity = vec3_add(v->linear, sweep);
    if (dynamic) {
        s.w = dry_whitening_of(&step->state->rows[row + 1], bodies->pose[row].orientation);
        s.row = row + 1;
        if (dry_method_of(step->settings)->splits_masses)
            s.mass_share = dry_mass_share(step->state, row);
    } else if (bodies->state[row].type == DRY_BODY_KINEMATIC) {
        s.kinematic_velocity = s.velocity;
    }
    return s;
}

/* A row that shares a body with others is not solved exactly: its impulse lags, which feeds a vibration by
 * some (w h)^4 / 100 a radian after one Gauss-Seidel sweep, and by a tenth of that or less for each further
 * sweep. Damping of (w h)^3 / 2 substeps takes at least twice as much away, in proportion to the same power.
 * Jacobi gets (w h)^2 / 2 substeps for any number of sweeps (solver/joints/DECISIONS.md). A spring stiffer
 * than what substeps converge on is solved as a rigid joint. */
#define DRY_SPRING_DAMPING 0.5f
#define DRY_SPRING_LAG_PER_SWEEP 0.1f

/* With so many sweeps the damping is below rounding. */
enum { LAG_SWEEPS_MAX = 8 };

/* Returns the substeps of damping that a spring with (w h)^2 = `squared` gets for the lag of its impulse. */
static float lag_damping(const dry_solver_step *step, float squared)
{
    if (dry_method_of(step->settings)->splits_masses)
        return DRY_SPRING_DAMPING * squared;
    float share = DRY_SPRING_DAMPING * sqrtf(squared);
    for (int sweep = 1; sweep < dry_min_int(step->settings->sweeps, LAG_SWEEPS_MAX); sweep++)
        share *= DRY_SPRING_LAG_PER_SWEEP;
    return share * squared;
}

/* Returns how many times softer the constraints of a joint's island are than its substeps converge on. */
static float island_compliance(const dry_solver_step *step, const dry_joint_side *a, const dry_joint_side *b)
{
    const int row = dry_max_int(a->row, b->row) - 1;
    const int island = row < 0 ? -1 : step->bodies->sleep[row].island;
    return island < 0 ? 1.0f : step->islands->island[island].compliance;
}

dry_spook dry_joint_spook(const dry_solver_step *step, const dry_joint *joint, const dry_joint_side *a,
                          const dry_joint_side *b, float inverse_mass, float h)
{
    const float k = joint->def.stiffness, rigid_hertz = dry_hertz_of_substep(h);
    const float w = 6.2831853f * rigid_hertz, squared = k * inverse_mass;
    const bool alone = !a->shared && !b->shared;
    if (k <= 0.0f || (!alone && squared > w * w)) {
        const float ratio = dry_max(DRY_JOINT_DAMPING_RATIO, 0.5f * DRY_JOINT_DAMPING_TIME * w);
        dry_spook rigid = dry_spook_from_hertz(rigid_hertz, ratio, h);
        rigid.relative_softness *= island_compliance(step, a, b);
        return rigid;
    }
    const float numerical = alone ? 0.0f : lag_damping(step, squared * h * h);
    return dry_spook_from_stiffness(k, dry_min(joint->def.damping / (k * h), 1e15f) + numerical, h);
}

float dry_joint_warm_scale(const dry_solver_step *step, const dry_joint *joint, float h)
{
    if (!step->settings->warm_start || joint->substep <= 0.0f)
        return 0.0f;
    return joint->substep == h ? 1.0f : h / joint->substep;
}

void dry_joint_store(const dry_solver_step *step, int joint, dry_vec3 impulse, float h, float measured)
{
    dry_joint *of = &step->joints->joint[joint];
    const bool finite = vec3_length_squared(impulse) <= FLT_MAX;
    of->impulse = finite ? impulse : vec3(0.0f, 0.0f, 0.0f);
    of->substep = finite ? h : 0.0f;
    const int a = dry_island_row(step, of->body_a), b = dry_island_row(step, of->body_b);
    if (a < 0 && b < 0)
        return;
    const dry_island_measure *island = &step->islands->measure[step->bodies->sleep[a >= 0 ? a : b].island];
    const float gravity = vec3_length(step->settings->gravity);
    float *load = &step->joints->load[joint].value;
    const float next = dry_load_sustained(*load, measured, island->joint_load, 1.0f, gravity, step->dt);
    *load = dry_max(next, 0.0f);
}

void dry_joint_bodies(const dry_solver_step *step, int joint, int body[2])
{
    body[0] = step->joints->joint[joint].body_a;
    body[1] = step->joints->joint[joint].body_b;
}
