/* Stage "solve" for methods that solve for positions: the substep loop of a tier.
 *
 * A row's `u` is the velocity that takes the body to where it shall be at the substep's end: x = x0 + h u. A
 * sweep that moves the body by dx changes u by dx / h, so that velocities follow from positions without a
 * difference of positions [Waterson 4.8]. Contacts are measured at the bodies' poses at the substep's end
 * (sweeps/contacts/turned.h). Errors of joints are measured there, too, before each sweep, and joints are
 * swept before contacts; their rows are those of the substep's beginning, where impulses keep the angular
 * momentum (sweeps/joints/make_kernels.h).
 *
 * A substep is an impulse of joints and contacts at the pose in which it begins, and then motion on which
 * nothing acts. The row of a body on joints is whitened in the principal frame of the substep's beginning
 * (bodies/frames.h), where impulses meet the inertia that the body has there: a force across a slender link
 * gives it no spin about its length. Its angular momentum then turns the body as it turns a free one, by the
 * velocity of the substep's middle. From substep to substep rotations are composed: the sum of their vectors
 * would turn a body otherwise than its momentum says, and the joints of balls would feed on the difference.
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
#include "core/integrate.h"
#include "methods/linkage_energy.h"
#include "methods/methods.h"
#include "solver/bodies/begin.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/stiffened.h"
#include "solver/bodies/turned.h"
#include "solver/sweeps/fill.h"
#include "solver/sweeps/passes.h"

static bool has_joints(const dry_solver_state *s, const dry_tier_range *range)
{
    for (int k = 0; k < DRY_KIND_JOINTS; k++) {
        const dry_bundle_range bundles = dry_tier_bundles(s, range, k);
        if (bundles.begin < bundles.end)
            return true;
    }
    return false;
}

/* Takes a row to the frame of the beginning of a substep. One with equal moments has the same in all. */
static void begin_frame(const dry_solver_step *step, int row, float h)
{
    (void)h;
    if (!inertia_is_isotropic(step->bodies->mass[row].inverse_inertia))
        dry_frames_take(step, row, step->state->bodies.turned[row].orientation);
}

/* Returns the vector of a free body's rotation in a substep, in the principal frame of the step's beginning.
 * The inertia is the body's own, where its row has more (stiffened.h). */
static dry_double3 find_way(const dry_solver_step *step, int row, float h)
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_vec3 inverse = step->bodies->mass[row].inverse_inertia;
    const dry_double3 none = {0.0, 0.0, 0.0};
    const dry_double3 own = dry_row_vector(r, r->ua);
    const dry_rotation frame = step->state->bodies.frames[row].turn;
    if (inertia_is_isotropic(inverse))
        return double3_add_scaled(none, (double)h, rotation_apply(frame, own));
    dry_rotor rotor = {.inverse = double3_of(inverse)};
    rotor.inertia = (dry_double3){1.0 / rotor.inverse.x, 1.0 / rotor.inverse.y, 1.0 / rotor.inverse.z};
    const dry_double3 half = rotor_half_turn(&rotor, double3_mul(rotor.inertia, own), (double)h);
    return double3_add_scaled(none, 2.0, rotation_apply(frame, half));
}

/* Finds the rotation of a body from the step's beginning to the end of a substep, by its momentum as it is
 * now.
 */
static void predict_rotation(const dry_solver_step *step, int row, float h)
{
    const dry_rotation way = rotation_from_vector(find_way(step, row, h));
    const dry_rotation turned = rotation_mul(way, step->state->bodies.turned[row].orientation);
    const dry_double3 axis = rotation_apply(rotation_from_quat(step->bodies->pose[row].orientation),
                                            (dry_double3){turned.x, turned.y, turned.z});
    step->state->bodies.frames[row].ahead =
        quat_normalize((dry_quat){(float)axis.x, (float)axis.y, (float)axis.z, (float)turned.w});
}

/* Turns a body there, once its center has moved. */
static void rotate(const dry_solver_step *step, int row, float h)
{
    dry_turned_add(&step->state->bodies.turned[row], find_way(step, row, h));
    dry_frames_place(step, row);
}

/* Makes the rows of joints, whose errors are those of the poses at the substep's end. */
static void turn_joints(dry_solver_step *step, const dry_tier_range *range, const dry_sweep *sweep)
{
    dry_solver_stop_invalid(step, range);
    dry_frames_over(step, range, sweep->substep, predict_rotation);
    dry_solver_make_joints(step, range, sweep->time, sweep->substep);
}

/* Takes rows to the frames in which the substep begins, and contacts with them. */
static void begin_frames(dry_solver_step *step, const dry_tier_range *range)
{
    if (step->state->bodies.frames_count == 0)
        return;
    dry_frames_over(step, range, 0.0f, begin_frame);
    dry_solver_turn_contacts(step, range);
}

/* Gives rows the inertia of stiffened ones while positions are swept, and then their own back. */
static void stiffen(dry_solver_step *step, const dry_tier_range *range, bool begins)
{
    dry_stiffened_whiten(step, range, begins);
    dry_solver_turn_contacts(step, range);
}

/* A sweep is divided into two. Springs and hinges push bodies before contacts hold them: one that came after
 * its contacts would move a body by F h^2 / m in each substep, whatever friction holds. Volumes are swept
 * with contacts: both are closed by what comes last. */
#define KINDS_LAST (1u << DRY_KIND_CONTACT | 1u << DRY_KIND_QUAD)

void dry_substeps_of_positions(dry_substeps *run)
{
    dry_solver_step *step = run->step;
    run->sweep.joint_speed_max = DRY_POSITION_SPEED_MAX / step->settings->method.relaxation;
    const dry_tier_range *range = run->range;
    const dry_tier_kernels *kernels = run->kernels;
    dry_sweep *sweep = &run->sweep;
    const int solves = run->schedule.solve_sweeps, relaxes = run->schedule.relax_sweeps;
    const bool warm = step->settings->warm_start, joints = has_joints(step->state, range);
    const bool stiff = joints && step->state->bodies.stiffened_count > 0;
    const float h = step->dt / (float)range->substeps;
    const dry_sweep_kernels *solve = &kernels->sweep[DRY_SWEEP_SOLVE];
    const dry_sweep_kernels first = dry_kernels_of(solve, ~KINDS_LAST),
                            then = dry_kernels_of(solve, KINDS_LAST);
    for (int substep = 0; substep < range->substeps; substep++) {
        const bool last = substep == range->substeps - 1;
        sweep->time = h * (float)substep;
        dry_run_pass(step, range, substep == 0 ? DRY_WORK_KEEP_FORCES : DRY_WORK_FORCES, sweep, NULL);
        dry_linkage_energy_force(step, range);
        if (substep > 0)
            begin_frames(step, range);
        if (warm && !stiff)
            dry_run_pass(step, range, DRY_WORK_NONE, sweep, &kernels->sweep[DRY_SWEEP_WARM]);
        DRY_CALL_PARTS(step, range->parts, start, run);
        if (stiff)
            stiffen(step, range, true);
        if (warm && stiff)
            dry_run_pass(step, range, DRY_WORK_NONE, sweep, &kernels->sweep[DRY_SWEEP_WARM]);
        for (int i = 0; i < solves; i++) {
            if (joints)
                turn_joints(step, range, sweep);
            sweep->first = i == 0;
            sweep->afresh = !warm && i == 0;
            dry_pass_set_order(step, sweep, DRY_SWEEP_SOLVE, (joints ? solves : substep * solves) + i);
            if (joints)
                dry_run_pass(step, range, DRY_WORK_NONE, sweep, &first);
            dry_run_pass(step, range, DRY_WORK_NONE, sweep, &then);
            if (!stiff)
                dry_linkage_energy_bound(step, range);
        }
        sweep->afresh = false;
        if (stiff) {
            stiffen(step, range, false);
            if (last) /* the loads of joints, which the step stores, are by their own inertia */
                turn_joints(step, range, sweep);
            dry_linkage_energy_bound(step, range);
        }
        sweep->time = h * (float)(substep + 1);
        dry_run_pass(step, range, DRY_WORK_MOVE, sweep, NULL);
        dry_frames_over(step, range, h, rotate);
        DRY_CALL_PARTS(step, range->parts, move, run);
        for (int i = 0; i < relaxes; i++) {
            dry_pass_set_order(step, sweep, DRY_SWEEP_RELAX, substep * relaxes + i);
            sweep->loads = last && i == relaxes - 1 ? step->state->bodies.load : NULL;
            dry_run_pass(step, range, DRY_WORK_NONE, sweep, &kernels->sweep[DRY_SWEEP_RELAX]);
        }
        dry_linkage_energy_bound(step, range);
    }
    dry_frames_end(step, range, NULL);
}
