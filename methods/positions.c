/* The methods that solve for positions (position_substeps.c).
 *
 * XPBD: constraints are solved for positions, one after another, each at the bodies as the others have moved
 * and turned them [Waterson 4.8]. Springs have their compliance [Waterson 6.4], and total multipliers make a
 * spring alone independent of the number of sweeps. Velocities follow from positions; sliding friction is
 * solved for velocities afterwards [Waterson 5.5-5.6].
 *
 * PBD: XPBD without compliance [Waterson 4.8, 5]. Every constraint is rigid, and what needs a stiffness is
 * refused: the stiffness k of classical PBD is the setting `relaxation`, and depends on the number of sweeps
 * [Waterson 4.13]. A joint that sweeps leave open is elastic, and gives back what it took.
 */
#include "core/math.h"
#include "methods/linkage_energy.h"
#include "methods/methods.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/joint_impulses.h"
#include "solver/bodies/turned.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/constraint/spook.h"
#include "solver/data/contacts/source.h"
#include "solver/laws/ledger.h"
#include "solver/plan/islands.h"
#include "solver/sweeps/joints/place.h"
#include "state/settings.h"

static dry_spook rigid_joint(float compliance, float h)
{
    (void)compliance;
    return (dry_spook){.rate = 1.0f / h, .relative_softness = DRY_IMPLICIT_SOFTNESS};
}

static dry_spook joint_spring(const struct dry_solver_step *step, float stiffness, float damping,
                              const dry_joint_placed *placed, float inverse_mass, float h)
{
    (void)step, (void)placed, (void)inverse_mass;
    return dry_spook_implicit(stiffness, dry_min(damping, DRY_STIFFNESS_MAX), h);
}

static void fill_round(const dry_contact_filling *f, int lane)
{
    f->source->round |= (uint16_t)(f->source->patch_least[lane] == 0.0f) << lane;
}

void dry_total_of_last(float substeps, int rows, dry_joint_total *total)
{
    double squared = 0.0;
    for (int i = 0; i < rows; i++) {
        total->row[i] = total->last[i] * (double)substeps;
        squared += total->last[i] * total->last[i];
    }
    total->peak = (float)squared;
}

/* Bodies of joints have the frames in which substeps begin, however far they turn. */
static bool has_frame(const dry_solver_step *step, int row, const dry_island *island)
{
    (void)island;
    return dry_turned_applies(step, row, 0.0f);
}

static bool begin_joints(dry_solver_step *step, dry_memory *memory)
{
    return dry_frames_list(step, memory, 0, has_frame);
}

/* Each substep's forces are kept in the sums. Joints keep both momenta to rounding at any speed: no bound of
 * an energy takes any from an island that nothing holds. Closing a joint leaves its bodies a velocity: while
 * one is open, the energy of its island is bounded. */
static bool prepare(dry_solver_step *step, dry_memory *memory)
{
    dry_body_rows *bodies = &step->state->bodies;
    return DRY_RESERVE(memory, bodies->sums, bodies->sums_capacity, step->bodies->awake_count + 1) &&
           dry_linkage_energy_begin(step, memory);
}

static const dry_method_joints joints = {.begin = begin_joints};

/* The members that both have in common. */
#define SPRINGS_OF_POSITIONS dry_spook_implicit, rigid_joint, joint_spring
#define OF_POSITIONS                                                                                         \
    .joints = &joints, .run_substeps = dry_substeps_of_positions, .each = {1, 1}, .meet = 1,                 \
    .whole_below = DRY_PARTITION_NEVER, .has_account = dry_ledger_has_account, .fill_contact = fill_round,   \
    .find_total = dry_total_of_last,                                                                         \
    .update = {[DRY_SWEEP_WARM] = DRY_UPDATE_TURNED,                                                         \
               [DRY_SWEEP_SOLVE] = DRY_UPDATE_TURNED,                                                        \
               [DRY_SWEEP_RELAX] = DRY_UPDATE_TURNED}

/* Returns what no method of positions can honor, in words; null if nothing. */
static const char *refuses(const dry_settings *settings)
{
    if (settings->method.friction == DRY_FRICTION_TWO_PHASE)
        return "solver pbd and xpbd have no phase without friction: friction must not be two-phase";
    if (settings->joint_solver == DRY_JOINT_SOLVER_DIRECT)
        return "solver pbd and xpbd have no velocity that a direct solve could start from: joint_solver must "
               "not be direct";
    if (settings->method.relaxation_adaptive)
        return "solver pbd and xpbd turn each change of relaxation into motion: relaxation_adaptive must be "
               "false";
    if (settings->method.push_factor > 0.0f)
        return "solver pbd and xpbd close overlaps by position: push_factor must be 0";
    if (settings->method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA)
        return "solver pbd and xpbd end each substep at their own positions: integrator must be Runge-Kutta";
    return settings->relax_sweeps == 0
               ? "solver pbd and xpbd slide in the sweeps over velocities: relax_sweeps must be at least 1"
               : NULL;
}

static const char *refuses_joint(const dry_joint_def *def)
{
    return def->solver == DRY_JOINT_SOLVER_DIRECT
               ? "solver pbd and xpbd have no velocity that a direct solve could start from: solver must not "
                 "be direct"
               : NULL;
}

const dry_method dry_method_xpbd = {
    .springs = &(const dry_method_springs){dry_spook_contact_implicit, SPRINGS_OF_POSITIONS},
    .refuses = refuses,
    .refuses_joint = refuses_joint,
    .prepare = prepare,
    OF_POSITIONS,
};

static const char *pbd_refuses(const dry_settings *settings)
{
    if (settings->contact_stiffness > 0.0f || settings->contact_hertz > 0.0f)
        return "solver pbd has no compliance: contact_stiffness and contact_hertz must be 0; xpbd takes them";
    if (settings->contact_damping_ratio != dry_settings_default().contact_damping_ratio)
        return "solver pbd has no compliance: contact_damping_ratio must be its default; xpbd takes it";
    return refuses(settings);
}

static bool is_sprung(const dry_joint_axis *axis)
{
    return axis->stiffness > 0.0f || axis->damping > 0.0f || dry_joint_stops_softly(axis) ||
           dry_joint_aims(axis);
}

static const char *pbd_refuses_joint(const dry_joint_def *def)
{
    bool sprung = def->stiffness > 0.0f || def->type == DRY_JOINT_TARGET;
    for (int i = 0; i < DRY_AXIS_COUNT; i++)
        sprung = sprung || is_sprung(&def->axes[i]);
    return sprung ? "solver pbd has no compliance: no springs, soft stops, motors to a position or target "
                    "joints; xpbd takes them"
                  : refuses_joint(def);
}

/* An implicit step of positions closes contacts altogether. */
static dry_spook pbd_contact(const dry_settings *settings, float h, float hertz_max)
{
    (void)settings, (void)hertz_max;
    return (dry_spook){.rate = 1.0f / h};
}

/* Adds to accounts what open joints may hold of the energy that they took: the work of the last forces along
 * the gaps. */
static bool pbd_prepare(dry_solver_step *step, dry_memory *memory)
{
    for (int i = 0; i < step->joints->active_count; i++) {
        const int joint = step->joints->active[i];
        const dry_joint_rows_state *last = &step->joints->rows[joint];
        dry_island_ledger *m = dry_ledger_account(step, joint);
        if (!m)
            continue;
        const dry_joint_error error = dry_joint_error_now(step->bodies, step->joints, joint);
        m->lent +=
            (double)vec3_length(last->force) * error.gap + (double)vec3_length(last->torque) * error.turn;
    }
    return prepare(step, memory);
}

const dry_method dry_method_pbd = {
    .springs = &(const dry_method_springs){pbd_contact, SPRINGS_OF_POSITIONS},
    .refuses = pbd_refuses,
    .refuses_joint = pbd_refuses_joint,
    .prepare = pbd_prepare,
    .no_contact_springs = "solver pbd has no compliance: contact_stiffness must be 0; xpbd takes it",
    OF_POSITIONS,
};
