/* The ledger: what an island has in energy and momentum before and after a step, and the one repair.
 *
 * **Energy.** Joints do no work but by their springs and motors. Sweeps that do not converge, and joints that
 * close what has opened, give some. Each island has an account of what it has lost:
 *     A' = min(A + E_before + W - E_after, CREDIT K)
 * with E its kinetic energy K and that of its springs, and W the work of forces and of motors to a speed.
 * Lost energy may come back, as far as the account holds it: a gap that opens under a load takes energy, and
 * gives it as it closes. PBD's joints may hold the work of their forces along their gaps, in place of CREDIT
 * K. Where A falls below 0, more came out than went in. Then the motion relative to the island as one rigid
 * body is scaled down until A is 0: that motion has no momentum of either kind. An island that something
 * fixed holds has no momentum to keep, and all of its motion is scaled. A step of symplectic Euler has the
 * speeds of half a substep before its positions; E counts the work of forces in between, or a pendulum's
 * energy would rise as it slows down.
 *
 * Moving sides do work that nothing here knows: such islands have no account.
 *
 * **Momentum.** Both bodies of a contact take its impulse at one point, so that a pair's angular momentum is
 * kept as long as the bodies are where the lever arms were made. Within a step they move on. An impulse J on
 * a body displaced by d acts at x + d with the lever arm of x, and adds d x J to the angular momentum.
 * Contacts have the lever arms of the time at which their surfaces meet, joints those of their substeps'
 * beginnings. In an island that nothing fixed holds the error is measured, as the growth beyond the moments
 * of forces. A rigid rotation of the whole island takes the error back exactly. An island that loses a body
 * to quarantine does not keep its momentum.
 *
 * That rotation may add energy: omega . L + omega . I omega / 2, with L before it. An island without joints
 * in which something turns fast gives that back of its relative motion; elsewhere it is less than what sweeps
 * leave. The sweeps of some methods keep no linear momentum either (methods/avbd.c), and where
 * joints are prepared for each substep its rounding grows: an island gets the velocity of its center back
 * that forces alone would give.
 *
 * Reads rows, momentum rows, poses, velocities, masses, forces, bundles of springs; writes velocities after
 * the last substep, and the accounts of joints. Next: store.c. */
#include "solver/laws/ledger.h"

#include "solver/bodies/begin.h"
#include "solver/bodies/body_blocks.h"
#include "solver/bodies/joint_motion.h"
#include "solver/bodies/turned.h"
#include "solver/bodies/whitening.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/constraint/spook.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/data/rounding.h"
#include "solver/data/terms.h"
#include "solver/plan/islands.h"
#include "solver/plan/layout.h"
#include "solver/sweeps/joints/joint_bundles.h"

/* The most that an account holds, as a share of the island's kinetic energy: no passive scene may gain more
 * than a hundredth. With 0 a chain of 20 hinges loses 724 J where it loses 528 J, and a ball of 33 t on a
 * chain 2.4 instead of 1.4 MJ; with 0.03 that one gains 2.8 %. */
#define CREDIT 0.01

/* Rows and velocities are rounded: less than this share of an island's energy, springs' included, is not
 * taken back, and what is taken back is as much more. */
#define ROUNDING (2 * DRY_FLOAT_ROUNDING)

/* Tells whether an island's momentum is looked after here. Articulations keep their own. */
static bool keeps_momentum(const dry_island *island)
{
    return island->floating && island->solved != DRY_JOINTS_ALONE;
}

bool dry_ledger_has_account(const dry_solver_step *step, const dry_island *island)
{
    const bool springy = dry_spook_given_as_k(step->settings) || step->shapes->spring;
    const bool alone = island->joints == 1 && island->manifolds == 0 && !island->direct;
    /* A motor's work on a mechanism that is solved directly is known to second order: an account would take
     * back the swing. */
    const bool driven = (island->features & DRY_JOINT_WORKS) || (island->direct & DRY_JOINT_MOTORED);
    return island->joints > 0 && !island->kinematic && island->solved != DRY_JOINTS_ALONE && !springy &&
           (!(island->features & DRY_JOINT_DRIVES) ||
            (island->solved == DRY_JOINTS_SWEPT && !driven && !alone && step->settings->relax_sweeps > 0));
}

/* Returns the record of an island, or null. */
static dry_island_ledger *record_in(const dry_solver_step *step, const dry_island *island)
{
    DRY_ASSERT(!island || island->ledger < step->state->laws.ledger_count);
    return island && island->ledger >= 0 ? &step->state->laws.ledger[island->ledger] : NULL;
}

dry_island_ledger *dry_ledger_account_in(const dry_solver_step *step, int island)
{
    dry_island_ledger *m = record_in(step, island < 0 ? NULL : &step->islands->island[island]);
    return m && m->counts ? m : NULL;
}

dry_island_ledger *dry_ledger_account(const dry_solver_step *step, int joint)
{
    return dry_ledger_account_in(step, dry_joint_island(step, joint));
}

bool dry_ledger_reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_plan *plan = &step->state->plan;
    dry_law_records *laws = &step->state->laws;
    laws->ledger_count = 0;
    laws->stores = laws->floats = false;
    for (int c = 0; c < plan->range_count; c++)
        plan->ranges[c].floating = false;
    for (int i = 0; i < step->islands->count; i++) {
        dry_island *island = &step->islands->island[i];
        dry_tier_range *range = &plan->ranges[dry_island_range(island)];
        const bool swept = island->solved == DRY_JOINTS_SWEPT, keeps = keeps_momentum(island),
                   counts = step->method->has_account(step, island);
        island->ledger = -1;
        if (!keeps && !counts)
            continue;
        if (!DRY_RESERVE(memory, laws->ledger, laws->ledger_capacity, laws->ledger_count + 1))
            return false;
        island->ledger = laws->ledger_count++;
        laws->ledger[island->ledger] =
            (dry_island_ledger){.substeps = (double)range->substeps,
                                .relaxed = swept && step->settings->relax_sweeps > 0,
                                .floating = keeps,
                                .counts = counts,
                                .rigid.share = 1.0};
        range->floating |= keeps;
        laws->floats |= keeps;
        laws->stores |= counts && swept && (island->features & DRY_JOINT_DRIVES);
    }
    return DRY_RESERVE(memory, laws->stored, laws->stored_capacity,
                       laws->stores ? step->joints->slots.used : 0);
}

static dry_solver_row *row_of(const dry_solver_step *step, int row)
{
    return &step->state->bodies.rows[row + 1];
}

/* Adds some times the angular momentum about the origin of a row with the velocity or force `u`, `turn` being
 * the whitened one about its center. */
static void add_angular(const dry_whitening *w, dry_double3 x, const float u[6], dry_double3 turn,
                        double times, dry_island_ledger *m)
{
    const dry_double3 p = double3_over(double3_of_floats(u), (double)w->inv_sqrt_mass);
    m->error =
        double3_add_scaled(m->error, times, double3_add(double3_cross(x, p), dry_rigid_momentum(w, turn)));
}

/* Adds what a body has more in angular momentum than forces gave it. */
static void add_excess(const dry_solver_step *step, int row, const dry_whitening *w, dry_island_ledger *m)
{
    const dry_momentum_row *sum = &step->state->bodies.momentum_row[row];
    const float *u = row_of(step, row)->u;
    const dry_double3 begin = dry_rigid_begin(step, row, &m->rigid);
    add_angular(w, dry_rigid_place(step, row, &m->rigid), u,
                dry_turned_momentum(step, row, double3_of_floats(u + 3)), 1.0, m);
    add_angular(w, begin, sum->begin, double3_of_floats(sum->begin + 3), -1.0, m);
    add_angular(w, begin, sum->force, double3_of_floats(sum->force + 3), -m->substeps, m);
    m->error = double3_sub(m->error, double3_of_floats(sum->angular_force));
}

/* Returns the force and the torque of gravity and of users on a body. */
static void forces_of(const dry_solver_step *step, int row, double heaviness, dry_vec3 *force,
                      dry_vec3 *torque)
{
    const dry_bodies *bodies = step->bodies;
    const float root_mass = 1.0f / step->state->bodies.rows[row + 1].inv_sqrt_mass;
    const float mass = root_mass * root_mass / (float)heaviness;
    *force = *torque = vec3(0.0f, 0.0f, 0.0f);
    if (isfinite(mass))
        *force = vec3_scale(step->settings->gravity, mass * bodies->properties[row].gravity_scale);
    if (bodies->state[row].flags & DRY_BODY_FORCED) {
        *force = vec3_add(*force, bodies->force[row].force);
        *torque = bodies->force[row].torque;
    }
}

/* Returns the kinetic energy of a row when the step began, J. */
static double begun_energy(const dry_solver_step *step, int row, const dry_whitening *w)
{
    const dry_body_velocity *v = &step->bodies->velocity[row];
    const double root_mass = w->inv_sqrt_mass > 0.0f ? 1.0 / (double)w->inv_sqrt_mass : 0.0;
    const dry_double3 turn = dry_rigid_whiten(w, double3_of(v->angular));
    return 0.5 * (root_mass * root_mass * (double)vec3_length_squared(v->linear) + double3_dot(turn, turn));
}

/* Adds the energy that a body had at the step's beginning, and the work of forces: along its way, and of half
 * a substep's impulse on the speed that it has lost. */
static void add_begun(const dry_solver_step *step, int row, const dry_whitening *w, double heaviness,
                      dry_island_ledger *m)
{
    const dry_solver_row *r = row_of(step, row);
    const dry_body_velocity *v = &step->bodies->velocity[row];
    dry_vec3 force, torque;
    forces_of(step, row, heaviness, &force, &torque);
    DRY_ASSERT(m->substeps > 0.0 && heaviness > 0.0);
    const double h = (double)step->dt / m->substeps;
    const dry_vec3 moved = vec3_scale(vec3(r->dl[0], r->dl[1], r->dl[2]), w->inv_sqrt_mass);
    const dry_vec3 now = vec3_scale(vec3(r->ul[0], r->ul[1], r->ul[2]), w->inv_sqrt_mass);
    m->begun += begun_energy(step, row, w) / heaviness + (double)vec3_dot(force, moved) +
                0.5 * h * (double)vec3_dot(force, vec3_sub(v->linear, now));
    m->lift += (double)(vec3_length(force) * step->bodies->state[row].radius);
    if (step->bodies->state[row].flags & DRY_BODY_FORCED)
        m->begun +=
            (double)vec3_dot(torque, dry_whitening_to_world(w, r->da)) +
            0.5 * h * (double)vec3_dot(torque, vec3_sub(v->angular, dry_whitening_to_world(w, r->ua)));
}

/* Adds twice the energy that a body has now. */
static void add_energy(const dry_solver_step *step, int row, double heaviness, dry_island_ledger *m)
{
    const dry_double3 linear = double3_of_floats(row_of(step, row)->ul),
                      angular = double3_of_floats(row_of(step, row)->ua);
    const double energy =
        double3_dot(linear, linear) + double3_dot(dry_turned_momentum(step, row, angular), angular);
    m->energy += energy;
    m->own += energy / heaviness;
}

static void add_center(const dry_solver_step *step, int row, const dry_whitening *w, dry_island_ledger *m)
{
    if (m->rigid.mass == 0.0)
        m->rigid.origin = step->bodies->pose[row].position;
    const dry_solver_row *r = row_of(step, row);
    add_excess(step, row, w, m);
    dry_rigid_add_mass(step, row, &m->rigid);
    const dry_momentum_row *sum = &step->state->bodies.momentum_row[row];
    const dry_double3 given =
        double3_add_scaled(double3_of_floats(sum->begin), m->substeps, double3_of_floats(sum->force));
    m->rigid.kept = double3_add(m->rigid.kept, double3_over(given, (double)r->inv_sqrt_mass));
    m->fast |= double3_length(dry_row_vector(r, r->ua)) * (double)step->dt > (double)DRY_FAST_ROTATION;
}

/* Tells whether the energy of an island counts in this step. Where the speed at which joints close stays, all
 * that begins open would stay so: there linkages count that turn far, and those that sweeps give energy.
 * Contacts alone give energy where something turns fast. */
static bool counts(const dry_island_ledger *m)
{
    return m->counts &&
           (m->relaxed || ((m->far || m->gives) && !(m->exact && m->floating)) || (m->floating && m->fast));
}

/* Finds what an island has gained beyond its account, twice, and what is left of the account. */
static double find_debt(const dry_solver_step *step, dry_island_ledger *m)
{
    const double before = m->begun + m->work - m->springs, after = 0.5 * m->own;
    const double most = m->relaxed ? CREDIT * (after + m->lift) : m->lent;
    const double rounding = ROUNDING * (after + fabs(before) + m->tension);
    m->account = fmin(m->account + before - after, most);
    if (!(m->account < -rounding))
        return 0.0;
    const double debt = -2.0 * m->account;
    m->account = 0.0;
    step->state->laws.repairs += counts(m) && debt > rounding + ROUNDING * m->lift;
    return debt;
}

/* Finds the rotation that takes the error in momentum back, and the share of relative motion that stays. */
static void find_repair(const dry_solver_step *step, dry_island_ledger *m)
{
    dry_rigid_motion *r = &m->rigid;
    dry_double3 inverse[3], rotation = {0}, back = {0};
    double given = 0.0, common = 0.0;
    m->floating = m->floating && !m->loses && dry_inertia_invert(&r->inertia, inverse);
    if (m->floating) {
        rotation = double3_from_axes(inverse, r->angular);
        back = double3_from_axes(inverse, m->error);
        /* Twice the energy that L - error has over L, moved as one. */
        given = double3_dot(m->error, back) - 2.0 * double3_dot(m->error, rotation);
        common = r->mass * double3_dot(r->kept, r->kept) + double3_dot(r->angular, rotation);
    }
    const double relative = m->energy - common;
    const double heavier = m->own > 0.0 ? m->energy / m->own : 1.0;
    m->own += given;
    const bool counted = counts(m);
    const double debt = counted || m->lent > 0.0 ? find_debt(step, m) : 0.0;
    given = counted ? debt * heavier : m->fast ? given : 0.0;
    if (given > 0.0)
        r->share = sqrt(fmax(0.0, relative > 0.0 ? 1.0 - given / relative : 0.0)) *
                   (1.0 - (counted ? 0.5 * ROUNDING : 0.0));
    /* A linkage that turns far, and whose account gives no credit, may gain more than its relative motion
     * has: its rotation gives the rest. */
    const dry_double3 ahead = double3_sub(rotation, back);
    const double turning = double3_dot(ahead, double3_sub(r->angular, m->error));
    const bool limits = counted && m->floating && !m->relaxed && m->far && given > relative && turning > 0.0;
    const double kept = limits ? sqrt(fmax(0.0, 1.0 - (given - fmax(relative, 0.0)) / turning)) : 1.0;
    r->rotation = double3_add_scaled(double3_scale(ahead, kept), -r->share, rotation);
}

/* Gives an island the velocity of the center that forces alone would give, and the energy and the angular
 * momentum that go with it. */
static void find_center(dry_island_ledger *m)
{
    dry_rigid_motion *r = &m->rigid;
    dry_rigid_divide(r);
    m->error =
        double3_add_scaled(m->error, -r->mass, double3_cross(r->center, double3_sub(r->velocity, r->kept)));
    const double change = r->mass * (double3_dot(r->kept, r->kept) - double3_dot(r->velocity, r->velocity));
    m->energy += change;
    m->own += change;
}

/* Adds to the records of islands by how much the energy of their springs has grown. */
static void add_springs(dry_solver_step *step)
{
    dry_joints_add_stored(step);
    DRY_CALL_PARTS(step, DRY_PARTS_ALL, add_stored, step);
    for (int i = 0; i < step->joints->active_count; i++) {
        const int joint = step->joints->active[i];
        dry_island_ledger *m = dry_ledger_account(step, joint);
        if (m && dry_joint_drives(&step->joints->joint[joint]))
            m->springs += step->state->laws.stored[joint];
    }
}

/* Takes the accounts of islands, and what springs had at the begin, from their joints. */
static void open_accounts(const dry_solver_step *step)
{
    for (int i = 0; i < step->joints->active_count; i++) {
        const int joint = step->joints->active[i];
        dry_island_ledger *m = dry_ledger_account(step, joint);
        if (!m)
            continue;
        m->joints++;
        m->account += (double)step->joints->load[joint].account;
        if (step->state->laws.stores && dry_joint_drives(&step->joints->joint[joint]))
            m->tension -= step->state->laws.stored[joint];
        m->far = m->far || (!m->relaxed && (dry_joint_is_direct(step->settings, step->joints, joint) ||
                                            dry_joint_turns(step, joint, DRY_LINKAGE_FAR)));
    }
}

/* Gives each joint an equal part of its island's account: islands part and unite. */
static void close_accounts(const dry_solver_step *step)
{
    for (int i = 0; i < step->state->laws.ledger_count; i++)
        step->state->laws.ledger[i].account /= fmax(1.0, (double)step->state->laws.ledger[i].joints);
    for (int i = 0; i < step->joints->active_count; i++) {
        const int joint = step->joints->active[i];
        const dry_island_ledger *m = dry_ledger_account(step, joint);
        if (m) /* 0 beyond what a float holds: sums of energies may be no numbers */
            step->joints->load[joint].account = isfinite((float)m->account) ? (float)m->account : 0.0f;
    }
}

static void repair_rows(const dry_solver_step *step)
{
    for (int row = 0; row < step->bodies->awake_count; row++) {
        const dry_island_ledger *m = record_in(step, dry_row_island(step, row));
        if (!m || step->state->bodies.invalid[row])
            continue;
        if (m->floating)
            dry_rigid_move(step, row, &m->rigid);
        else if (m->rigid.share < 1.0)
            dry_rigid_scale(step, row, m->rigid.share);
    }
}

void dry_ledger_add_work(const dry_solver_step *step, int row, double work)
{
    dry_island_ledger *m =
        step->state->laws.ledger_count > 0 ? record_in(step, dry_row_island(step, row)) : NULL;
    if (m)
        m->work += work;
}

void dry_ledger_close(dry_solver_step *step)
{
    dry_solver_state *s = step->state;
    const int count = step->bodies->awake_count;
    if (s->laws.ledger_count == 0 || step->dt <= 0.0f)
        return;
    open_accounts(step);
    if (s->laws.stores)
        add_springs(step);
    for (int row = 0; row < count; row++) {
        dry_island_ledger *m = record_in(step, dry_row_island(step, row));
        if (!m)
            continue;
        if (dry_solver_is_invalid(step, row)) {
            m->loses = true;
            continue;
        }
        const double heaviness = dry_row_heaviness(step, row);
        const dry_whitening w = dry_whitening_of(row_of(step, row), step->bodies->pose[row].orientation);
        add_energy(step, row, heaviness, m);
        if (m->counts)
            add_begun(step, row, &w, heaviness, m);
        if (m->floating)
            add_center(step, row, &w, m);
    }
    for (int i = 0; i < s->laws.ledger_count; i++)
        if (s->laws.ledger[i].floating && !s->laws.ledger[i].loses)
            find_center(&s->laws.ledger[i]);
    for (int row = 0; row < count; row++) {
        dry_island_ledger *m = record_in(step, dry_row_island(step, row));
        if (m && !m->loses && m->floating)
            dry_rigid_add_inertia(step, row, &m->rigid);
    }
    bool repairs = false;
    for (int i = 0; i < s->laws.ledger_count; i++) {
        find_repair(step, &s->laws.ledger[i]);
        repairs = repairs || s->laws.ledger[i].floating || s->laws.ledger[i].rigid.share < 1.0;
    }
    if (repairs)
        repair_rows(step);
    close_accounts(step);
}
