/* Stage "prepare": the softness of joints. Reads settings, islands and joints. */
#include "solver/sweeps/joints/place.h"

#include "solver/bodies/begin.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"

/* The time of a joint's damping, s. A weight that rests q below where its joint would have it swings with
 * w = sqrt(g / q), and 2 / w damps it critically: four joints in a row, each 5/3 mm open
 * (solver/plan/difficulty.c). That is gentler than a contact: a long chain converges slowly, and what is
 * pulled too far one substep swings back. */
#define DRY_JOINT_DAMPING_TIME 0.052f

/* A row that shares a body with others is not solved exactly: its impulse lags. That feeds a vibration by
 * some (w h)^4 / 100 a radian after one Gauss-Seidel sweep, and by a tenth of that or less for each further
 * sweep. Damping of (w h)^3 / 2 substeps takes at least twice as much away, in proportion to the same power
 * (solver/constraint/joints/DECISIONS.md). A spring stiffer than what substeps converge on is solved as a
 * rigid joint. */
#define DRY_SPRING_DAMPING 0.5f
#define DRY_SPRING_LAG_PER_SWEEP 0.1f

/* With so many sweeps the damping is below rounding. */
enum { LAG_SWEEPS_MAX = 8 };

float dry_lag_damping(const dry_settings *settings, float squared)
{
    float share = DRY_SPRING_DAMPING * sqrtf(squared);
    for (int sweep = 1; sweep < dry_min_int(settings->sweeps, LAG_SWEEPS_MAX); sweep++)
        share *= DRY_SPRING_LAG_PER_SWEEP;
    return share * squared;
}

/* Returns how many times softer the constraints of a joint's island are than its substeps converge on. */
static float island_compliance(const dry_solver_step *step, const dry_joint_placed *placed)
{
    const int island = placed->row == 0 ? -1 : step->bodies->sleep[placed->row - 1].island;
    return island < 0 ? 1.0f : step->islands->island[island].compliance;
}

static dry_spook rigid_as_substeps(float compliance, float h)
{
    const float hertz = dry_hertz_of_substep(h), w = 6.2831853f * hertz;
    dry_spook rigid = dry_spook_from_hertz(hertz, 0.5f * DRY_JOINT_DAMPING_TIME * w, h);
    rigid.relative_softness *= compliance;
    return rigid;
}

dry_spook dry_joint_rigid(const dry_solver_step *step, const dry_joint_placed *placed, float h)
{
    return step->method->springs->rigid_joint(island_compliance(step, placed), h);
}

static dry_spook spring_as_substeps(const dry_solver_step *step, float stiffness, float damping,
                                    const dry_joint_placed *placed, float inverse_mass, float h)
{
    const float w = 6.2831853f * dry_hertz_of_substep(h), squared = stiffness * inverse_mass;
    if (placed->shared && squared > w * w)
        return dry_joint_rigid(step, placed, h);
    if (placed->damped) /* an implicit spring has a damping of h k / 2 by itself, which counts as the one
                         * asked for
                         */
        return dry_spook_implicit(stiffness,
                                  dry_clamp(damping - 0.5f * h * stiffness, 0.0f, DRY_STIFFNESS_MAX), h);
    const float numerical = placed->shared ? step->method->lag(step->settings, squared * h * h) : 0.0f;
    return dry_spook_from_stiffness(stiffness,
                                    dry_min(damping / (stiffness * h), DRY_STIFFNESS_MAX) + numerical, h);
}

const dry_method_springs dry_springs_as_substeps = {dry_spook_contact, dry_spook_from_spring,
                                                    rigid_as_substeps, spring_as_substeps};

dry_spook dry_joint_spring(const dry_solver_step *step, float stiffness, float damping,
                           const dry_joint_placed *placed, float inverse_mass, float h)
{
    return stiffness > 0.0f
               ? step->method->springs->joint_spring(step, stiffness, damping, placed, inverse_mass, h)
               : dry_joint_rigid(step, placed, h);
}

float dry_joint_first_impulse(const dry_solver_step *step, int joint, const dry_spook *spook)
{
    return step->settings->warm_start && step->joints->joint[joint].substep <= 0.0f && spook->softness > 0.0f
               ? -spook->rate / spook->softness
               : 0.0f;
}

dry_spook dry_joint_drive(const dry_solver_step *step, const dry_joint_placed *placed, float inverse_mass,
                          float moved, float h)
{
    const float w = 6.2831853f * DRY_DRIVE_SHARE * dry_hertz_of_substep(h);
    const float mass = inverse_mass > 0.0f ? 1.0f / inverse_mass : 0.0f;
    /* Within the range of springs that can be given. */
    const float stiffness = dry_clamp(w * w * mass, FLT_MIN, DRY_STIFFNESS_MAX),
                damping = dry_min(2.0f * w * sqrtf(mass * dry_max(moved, mass)), DRY_STIFFNESS_MAX);
    return dry_joint_spring(step, stiffness, damping, placed, inverse_mass, h);
}

float dry_joint_warm_scale(const dry_solver_step *step, const dry_joint *joint, float h)
{
    if (!step->settings->warm_start || joint->substep <= 0.0f)
        return 0.0f;
    return joint->substep == h ? 1.0f : h / joint->substep;
}
