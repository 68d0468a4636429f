/* Stage "solve" for methods that solve for positions: the substep loop of a tier.
 *
 * A row's `u` is the velocity that takes the body to where it shall be at the substep's end: x = x0 + h u. A
 * sweep that moves the body by dx changes u by dx / h, so that velocities follow from positions without a
 * difference of positions [Waterson 4.8]. Contacts are measured at the bodies' poses at the substep's end
 * (sweeps/contacts/turned.h). Errors of joints are measured there, too, before each sweep, and joints are
 * swept before contacts; their rows are those of the substep's beginning, where impulses keep the angular
 * momentum (sweeps/joints/make_kernels.h).
 *
 * A tier with joints sweeps all substeps in the same orders. Joints begin each substep with no impulse, and
 * sweeps that do not converge leave an error that their order decides: substeps in two orders would take
 * bodies from one error to the other and back for good.
 *
 * With geometric stiffness rows have another inertia while positions are swept: bodies/stiffened.h.
 *
 * With a warm start each substep begins with the impulses that contacts had in the one before. Joints begin
 * with none: nothing takes back the velocity of a position that was corrected, so that their impulses
 * alternate, and the last one is the worst guess of the next (methods/DECISIONS.md).
 *
 * Rounds of impacts come before the sweeps, as in all methods. */
#include "solver/methods/position_substeps.h"
#include "solver/bodies/begin.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/free_rotation.h"
#include "solver/bodies/stiffened.h"
#include "solver/laws/linkage_energy.h"
#include "solver/methods/method.h"
#include "solver/sweeps/fill.h"
#include "solver/sweeps/impacts.h"

static bool has_joints(const dry_solver_state *s, const dry_tier_range *range)
{
    for (int k = 0; k < DRY_KIND_JOINTS; k++) {
        const dry_bundle_range bundles = dry_tier_bundles(s, range, k);
        if (bundles.begin < bundles.end)
            return true;
    }
    return false;
}

/* Makes the rows of joints, whose errors are those of the poses at the substep's end. */
static void turn_joints(dry_solver_step *step, const dry_tier_range *range, const dry_sweep *sweep)
{
    dry_solver_stop_invalid(step, range);
    dry_free_rotation_predict(step, range, sweep->substep);
    dry_solver_make_joints(step, range, sweep->time, sweep->substep);
}

/* Takes rows to the frames in which the substep begins, and contacts with them. */
static void begin_frames(dry_solver_step *step, const dry_tier_range *range)
{
    if (step->state->bodies.frames_count == 0)
        return;
    dry_free_rotation_begin(step, range);
    dry_solver_turn_contacts(step, range);
}

static void begin_stiffened(dry_solver_step *step, const dry_tier_range *range)
{
    dry_stiffened_begin(step, range);
    dry_solver_turn_contacts(step, range);
}

/* Gives rows their own inertia back. What the step stores of joints, their loads, is by that inertia. */
static void end_stiffened(dry_solver_step *step, const dry_tier_range *range, const dry_sweep *sweep,
                          bool last)
{
    dry_stiffened_end(step, range);
    dry_solver_turn_contacts(step, range);
    if (last)
        turn_joints(step, range, sweep);
}

/* Divides a sweep into two. Springs and hinges push bodies before contacts hold them: one that came after its
 * contacts would move a body by F h^2 / m in each substep, whatever friction holds. Volumes are swept with
 * contacts: both are closed by what comes last. */
static void split_sweep(const dry_sweep_kernels *whole, dry_sweep_kernels *first, dry_sweep_kernels *then)
{
    *first = *then = *whole;
    for (int k = 0; k < DRY_KIND_COUNT; k++) {
        dry_sweep_kernels *without = k == DRY_KIND_CONTACT || k == DRY_KIND_QUAD ? first : then;
        for (int fill = 0; fill < DRY_FILL_COUNT; fill++)
            without->kernel[k][fill] = NULL;
    }
}

void dry_substeps_of_positions(dry_solver_step *step, const dry_tier_range *range,
                               const dry_tier_kernels *kernels, dry_sweep sweep)
{
    const dry_settings *settings = step->settings;
    const dry_schedule schedule = step->method->schedule(settings, range->sweeps);
    const int solves = schedule.solve_sweeps, relaxes = schedule.relax_sweeps;
    const bool warm = settings->warm_start, joints = has_joints(step->state, range);
    const bool stiff = joints && dry_stiffened_any(step->state);
    const float h = step->dt / (float)range->substeps;
    dry_sweep_kernels first, then;
    split_sweep(&kernels->sweep[DRY_SWEEP_SOLVE], &first, &then);
    for (int substep = 0; substep < range->substeps; substep++) {
        const bool last = substep == range->substeps - 1;
        sweep.time = h * (float)substep;
        dry_run_pass(step, range, substep == 0 ? DRY_WORK_KEEP_FORCES : DRY_WORK_FORCES, &sweep, NULL);
        dry_linkage_energy_force(step, range, substep == 0);
        if (substep > 0)
            begin_frames(step, range);
        if (warm && !stiff)
            dry_run_pass(step, range, DRY_WORK_NONE, &sweep, &kernels->sweep[DRY_SWEEP_WARM]);
        if (range->impacts)
            dry_impacts_resolve(step, range, sweep.time, h);
        if (stiff)
            begin_stiffened(step, range);
        if (warm && stiff)
            dry_run_pass(step, range, DRY_WORK_NONE, &sweep, &kernels->sweep[DRY_SWEEP_WARM]);
        for (int i = 0; i < solves; i++) {
            if (joints)
                turn_joints(step, range, &sweep);
            sweep.first = i == 0;
            sweep.afresh = !warm && i == 0;
            dry_pass_set_order(step, &sweep, DRY_SWEEP_SOLVE, (joints ? solves : substep * solves) + i);
            if (joints)
                dry_run_pass(step, range, DRY_WORK_NONE, &sweep, &first);
            dry_run_pass(step, range, DRY_WORK_NONE, &sweep, &then);
            if (!stiff)
                dry_linkage_energy_bound(step, range);
        }
        sweep.afresh = false;
        if (stiff) {
            end_stiffened(step, range, &sweep, last);
            dry_linkage_energy_bound(step, range);
        }
        sweep.time = h * (float)(substep + 1);
        dry_run_pass(step, range, DRY_WORK_MOVE, &sweep, NULL);
        dry_free_rotation_move(step, range, h);
        if (range->impacts)
            dry_impacts_move(step, range, h);
        for (int i = 0; i < relaxes; i++) {
            dry_pass_set_order(step, &sweep, DRY_SWEEP_RELAX, substep * relaxes + i);
            sweep.loads = last && i == relaxes - 1 ? step->state->bodies.load : NULL;
            dry_run_pass(step, range, DRY_WORK_NONE, &sweep, &kernels->sweep[DRY_SWEEP_RELAX]);
        }
        dry_linkage_energy_bound(step, range);
    }
    dry_frames_end(step, range);
}
