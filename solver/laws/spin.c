/* The energy of linkages that turn far within a step, or whose joints are open.
 *
 * Rows of joints stay for a substep or a step, and lever arms turn. A rotation term stands for that as
 * long as the arms turn by a part of a radian; where they turn further the rows point anywhere, and the
 * target speeds of the term feed the motion: two cubes on a ball joint that turn by 5 rad a step gain 74
 * times their energy within 10 s. Joints do no work, so that forces alone change the energy of an island held
 * by rigid joints. Energy beyond that is taken back, in equal parts of every velocity. The velocity of the
 * center of mass is kept where nothing fixed holds the island.
 *
 * Some methods close a joint by motion that nothing takes back (dry_method.bounds_open_joints). There the
 * bound holds, too, while a joint is open.
 *
 * Springs give back energy, and what a kinematic body drives gains some: such islands are left alone.
 *
 * The sweeps of block descent keep no momentum, so that multipliers that lag may give energy to anything that
 * moves. Under such a method every linkage is bounded, and the work of its springs and motors counts. Half a
 * substep's impulse of the forces counts, too: a step of symplectic Euler has the speeds of half a substep
 * before its positions, and a pendulum's energy would seem to rise while it slows down.
 *
 * Reads rows, poses, velocities, masses, forces and joints; writes velocities after the repair of momentum.
 * Next: store.c. */
#include "solver/laws/spin.h"

#include "solver/bodies/sums.h"

#include "solver/bodies/heavier.h"
#include "solver/bodies/invalid.h"
#include "solver/bodies/turned.h"
#include "solver/bodies/turning.h"
#include "solver/bodies/whitening.h"
#include "solver/constraint/joints/error.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/islands.h"

/* The energy of a linkage of which something turns by more than this within a step is bounded. 20 cubes gain
 * energy from 1.3 rad on; one linkage in a hundred of light bodies on long arms from 0.3 rad on. */
#define SPIN_ANGLE_MIN 0.25f /* rad */

/* The share of the velocity that is taken beyond the gain: finalize rounds velocities, and bodies of 9000
 * rad/s gain 1.8e-4 of their energy by that within 10 s. */
#define SPIN_ROUNDING 1e-6

void dry_spin_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->laws.spin, state->laws.spin_capacity);
}

/* Returns the record of the island of an active joint, or null. Fills the rows of its bodies. */
static dry_island_spin *record_of_joint(const dry_solver_step *step, int joint, int rows[DRY_JOINT_SIDES],
                                        int *count)
{
    *count = dry_joint_rows_of(step, joint, rows);
    return *count == 0 ? NULL : dry_island_spin_of(step, rows[0]);
}

/* Returns how fast the bodies of a joint move apart, m/s. */
static double speed_between(const dry_solver_step *step, const int *rows, int count)
{
    const dry_vec3 first = step->bodies->velocity[rows[0]].linear;
    return (double)vec3_length(count == 1 ? first : vec3_sub(first, step->bodies->velocity[rows[1]].linear));
}

/* Finds the islands with an open joint: beyond what an overlap closes in a step, and the way that its bodies
 * go meanwhile. Less opens as bodies swing, and the bound would slow them. */
static void find_open(const dry_solver_step *step)
{
    const double dt = (double)step->dt, speed = (double)step->settings->push_out_speed_max;
    for (int i = 0; i < step->joints->active_count; i++) {
        const int index = step->joints->active[i];
        int rows[DRY_JOINT_SIDES], count;
        dry_island_spin *spin = record_of_joint(step, index, rows, &count);
        if (!spin || spin->open)
            continue;
        const dry_joint_error error = dry_joint_error_now(step->bodies, step->joints, index);
        const double most = dt * (speed + speed_between(step, rows, count));
        spin->open = error.gap > most || error.turn > most;
    }
}

bool dry_spin_reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    s->laws.spin_count = 0;
    for (int i = 0; i < step->islands->count; i++) {
        dry_island *island = &step->islands->island[i];
        const bool looked_at = island->joints > 0 && !island->kinematic && !island->alone &&
                               (!island->sprung || step->method->gives_energy);
        island->spin = looked_at ? s->laws.spin_count++ : -1;
    }
    if (!DRY_RESERVE(memory, s->laws.spin, s->laws.spin_capacity, s->laws.spin_count))
        return false;
    for (int i = 0; i < s->laws.spin_count; i++)
        s->laws.spin[i] = (dry_island_spin){0};
    if (s->laws.spin_count > 0 && step->dt > 0.0f && step->method->bounds_open_joints)
        find_open(step);
    return true;
}

bool dry_spin_is_open(const dry_solver_step *step, int island)
{
    const int spin = step->islands->island[island].spin;
    return spin >= 0 && step->state->laws.spin[spin].open;
}

/* Marks the linkages that turn far, and those with an open joint that something fixed holds: others give
 * their gain up with the repair of momentum. Returns false if there are none. */
static bool find_fast(const dry_solver_step *step)
{
    bool found = false;
    for (int i = 0; i < step->islands->count; i++)
        if (!step->islands->island[i].floating && dry_spin_is_open(step, i))
            found = step->state->laws.spin[step->islands->island[i].spin].fast = true;
    for (int i = 0; i < step->joints->active_count; i++) {
        const int index = step->joints->active[i];
        int rows[DRY_JOINT_SIDES], count;
        dry_island_spin *spin = record_of_joint(step, index, rows, &count);
        if (!spin || spin->fast)
            continue;
        const dry_method *method = step->method;
        /* Sweeps solve direct joints and contacts where the substep begins, and may feed their motion. */
        const dry_island *island = &step->islands->island[step->bodies->sleep[rows[0]].island];
        if (method->keeps_momentum && island->floating)
            continue;
        if ((method->gives_energy && !island->floating) ||
            (!island->swept && dry_joint_is_direct(step->settings, step->joints, index)) ||
            dry_joint_turns(step, index, SPIN_ANGLE_MIN))
            found = spin->fast = true;
    }
    return found;
}

/* Returns the work of half a substep's impulse of forces on the speed that a body has lost in the step, J. */
static double half_impulse_work(const dry_solver_step *step, int row, const dry_whitening *w, dry_vec3 force)
{
    const dry_bodies *bodies = step->bodies;
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_island *island = &step->islands->island[bodies->sleep[row].island];
    const double h = (double)step->dt / (double)step->state->plan.ranges[dry_island_range(island)].substeps;
    const dry_vec3 linear = vec3_scale(vec3(r->ul[0], r->ul[1], r->ul[2]), w->inv_sqrt_mass);
    double power = (double)vec3_dot(force, vec3_sub(bodies->velocity[row].linear, linear));
    if (bodies->state[row].flags & DRY_BODY_FORCED)
        power += (double)vec3_dot(bodies->force[row].torque,
                                  vec3_sub(bodies->velocity[row].angular, dry_whitening_to_world(w, r->ua)));
    return 0.5 * h * power;
}

/* Adds a body's energies to its island's. The motion so far is the row's displacement. */
static void add_energies(const dry_solver_step *step, int row, dry_island_spin *spin)
{
    const dry_bodies *bodies = step->bodies;
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_whitening w = dry_whitening_of(r, bodies->pose[row].orientation);
    const dry_body_velocity *v = &bodies->velocity[row];
    const float root_mass = w.inv_sqrt_mass > 0.0f ? 1.0f / w.inv_sqrt_mass : 0.0f;
    const float own_mass = root_mass * root_mass / (float)dry_row_heaviness(step, row);
    dry_vec3 force = vec3_scale(step->settings->gravity, own_mass * bodies->properties[row].gravity_scale);
    const bool forced = bodies->state[row].flags & DRY_BODY_FORCED;
    if (forced)
        force = vec3_add(force, bodies->force[row].force);
    const dry_vec3 moved = vec3_scale(vec3(r->dl[0], r->dl[1], r->dl[2]), w.inv_sqrt_mass);
    spin->allowed += 0.5 * (double)root_mass * (double)root_mass * (double)vec3_length_squared(v->linear);
    spin->allowed += (double)vec3_dot(force, moved);
    if (forced)
        spin->allowed += (double)vec3_dot(bodies->force[row].torque, dry_whitening_to_world(&w, r->da));
    if (step->method->gives_energy)
        spin->allowed += half_impulse_work(step, row, &w, force);
    double momentum[3];
    dry_turned_momentum(step, row, momentum);
    for (int k = 0; k < 3; k++) {
        const double root = (double)w.sqrt_inertia[k];
        const double turn =
            root * root *
            ((double)w.axes[k][0] * (double)v->angular.x + (double)w.axes[k][1] * (double)v->angular.y +
             (double)w.axes[k][2] * (double)v->angular.z);
        spin->allowed += 0.5 * turn * turn;
        spin->energy += 0.5 * ((double)r->ul[k] * (double)r->ul[k] + momentum[k] * (double)r->ua[k]);
    }
    const double mass = (double)root_mass * (double)root_mass, dt = (double)step->dt;
    spin->mass += mass;
    spin->momentum[0] += mass * (double)v->linear.x + dt * (double)force.x;
    spin->momentum[1] += mass * (double)v->linear.y + dt * (double)force.y;
    spin->momentum[2] += mass * (double)v->linear.z + dt * (double)force.z;
}

/* Finds the factor on the velocities relative to the center of mass. */
static void find_scale(dry_island_spin *spin, bool floating)
{
    double common = 0.0;
    for (int k = 0; k < 3; k++) {
        common += floating ? 0.5 * spin->momentum[k] * spin->momentum[k] / spin->mass : 0.0;
        spin->momentum[k] = floating ? spin->momentum[k] / spin->mass : 0.0; /* now the center's velocity */
    }
    const double allowed = spin->allowed - common, energy = spin->energy - common;
    if (!(energy > allowed))
        spin->scale = 1.0;
    else
        spin->scale = allowed > 0.0 ? sqrt(allowed / energy) * (1.0 - SPIN_ROUNDING) : 0.0;
}

static void scale_row(const dry_solver_step *step, int row, const dry_island_spin *spin)
{
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const double root_mass = r->inv_sqrt_mass > 0.0f ? 1.0 / (double)r->inv_sqrt_mass : 0.0;
    for (int k = 0; k < 3; k++) {
        const double center = root_mass * spin->momentum[k];
        r->ul[k] = (float)(center + spin->scale * ((double)r->ul[k] - center));
        r->ua[k] = (float)(spin->scale * (double)r->ua[k]);
    }
}

void dry_spin_add_work(const dry_solver_step *step, int row, double work)
{
    dry_island_spin *spin = step->state->laws.spin_count > 0 ? dry_island_spin_of(step, row) : NULL;
    if (spin)
        spin->allowed += work;
}

void dry_spin_limit(dry_solver_step *step)
{
    dry_solver_state *s = step->state;
    if (s->laws.spin_count == 0 || step->dt <= 0.0f || !find_fast(step))
        return;
    const int rows = step->bodies->awake_count;
    for (int row = 0; row < rows; row++) {
        dry_island_spin *spin = dry_island_spin_of(step, row);
        if (!spin || !spin->fast)
            continue;
        /* The energy of a body that goes into quarantine is not counted: the others would be left nothing.
         * The mark makes sure that it goes: a rotation to another axis could bring its speed below the limit.
         */
        s->bodies.invalid[row] = s->bodies.invalid[row] || !dry_row_is_valid(&s->bodies.rows[row + 1]);
        if (s->bodies.invalid[row])
            spin->loses = true;
        else
            add_energies(step, row, spin);
    }
    for (int i = 0; i < step->islands->count; i++) {
        const dry_island *island = &step->islands->island[i];
        if (island->spin >= 0 && s->laws.spin[island->spin].fast)
            find_scale(&s->laws.spin[island->spin], island->floating && !s->laws.spin[island->spin].loses);
    }
    for (int row = 0; row < rows; row++) {
        const dry_island_spin *spin = dry_island_spin_of(step, row);
        if (spin && spin->fast && spin->scale < 1.0 && !s->bodies.invalid[row])
            scale_row(step, row, spin);
    }
}
