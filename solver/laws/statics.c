/* The energy of bodies that touch static bodies alone. Reads motions, bodies, islands; writes nothing. */
#include "solver/laws/ledger.h"

#include "solver/constraint/spook.h"
#include "solver/data/context.h"
#include "solver/plan/islands.h"

/* Returns the speed at which the mass of a body has the kinetic energy of a motion, m/s. */
static float energy_speed(const dry_body_mass *mass, dry_quat orientation, dry_vec3 linear, dry_vec3 angular)
{
    const dry_vec3 w = quat_rotate_inverse(orientation, angular),
                   i = vec3_max(mass->inverse_inertia, vec3(FLT_MIN, FLT_MIN, FLT_MIN));
    return sqrtf(vec3_length_squared(linear) +
                 mass->inverse_mass * (w.x * w.x / i.x + w.y * w.y / i.y + w.z * w.z / i.z));
}

/* Tells whether a body touches static bodies, and nothing that does work on it. */
static bool only_static_holds(const dry_solver_step *step, int row)
{
    const int index = step->bodies->sleep[row].island;
    const dry_island *island = index < 0 ? NULL : &step->islands->island[index];
    return island && island->bodies == 1 && island->manifolds > 0 && island->joints == 0 &&
           !island->kinematic && !step->shapes->spring && !dry_spook_given_as_k(step->settings);
}

float dry_statics_share(const dry_solver_step *step, int row, const dry_body_velocity *end,
                        dry_quat orientation, float fall, float forced)
{
    if (!only_static_holds(step, row))
        return 1.0f;
    const dry_body_velocity *v = &step->bodies->velocity[row];
    const dry_body_mass *mass = &step->bodies->mass[row];
    const float push = step->settings->push_out_speed_max,
                had = energy_speed(mass, step->bodies->pose[row].orientation, v->linear, v->angular) + forced,
                has = energy_speed(mass, orientation, end->linear, end->angular);
    const bool gains = has > dry_max(push, had + fall) && isfinite(has); /* else its motion is invalid */
    return gains ? dry_max(push, had) / has : 1.0f;
}
