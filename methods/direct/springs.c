/* Springs and dampers of joints that are solved directly. Reads definitions, rows and bodies of
 * articulations; writes springs. Used by linkage.c, solve.c, closing.c and alone.c.
 *
 * Sweeps solve for the force where the substep ends, -k q' - c v', with its eps in Sigma
 * (dry_spook_implicit). A midpoint spring [Spook 8-11] keeps the energy of a speed half a substep before its
 * length: linkages of drawn springs gained up to 16 % of theirs at the steps' ends.
 *
 * Articulations alone give half of a spring's force where the substep begins, and half where it ends. Both
 * impulses depend on both elongations, q and q':
 *
 *     p = -h k ((1/2 - beta) q + beta q')        p' = -h k (beta q + (1/2 - beta) q')
 *
 * along the rows there. These are the derivatives of h (k q^2 / 4 + k q'^2 / 4 - beta k (q' - q)^2 / 2) by
 * the two poses. So the method is variational, as RATTLE is: it keeps momentum, and energy over any time.
 * With beta = 1/12 its period is off by (w h)^4 / 480; with 1/4 it is stable for every w h, and off by
 * (w h)^2 / 12. The first equation is a row with Sigma = 1 / (h^2 k beta) in the joint correction.
 *
 * Springs that substeps do not follow are not kept swinging. Both impulses are -h k q' / 2, and a damper of
 * h k / 2 acts with the speed where the substep ends: a vibration is left 1 / (1 + (w h)^2 / 2) of itself. */
#include "methods/direct/springs.h"

#include "core/assert.h"
#include "core/rotation.h"
#include "solver/bodies/whitening.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"

/* Substeps follow (w h)^2 up to FOLLOWED: 0.05 % of a period. Springs that would take more than SUBSTEPS are
 * not followed: they keep their elongation under a force, and lose their vibration. With beta = 1/12 the sum
 * over all springs of two bodies must stay below 6. Below FOLLOWED the energy may be off by a tenth of what
 * it changes by; up to 4, by twice that, and steps that made some went by. */
#define FOLLOWED 0.5
enum { SUBSTEPS = 8 };
static const double BETA_EXACT = 1.0 / 12.0, BETA_STABLE = 0.25;

void dry_springs_measure(const dry_linkage *l, const dry_articulated_joint *joint, dry_joint_row *rows)
{
    const dry_joints *joints = l->step->joints;
    const dry_joint_def *def = &joints->def[joint->joint];
    dry_spring_def springs[DRY_BLOCK_ROWS];
    const int count = dry_joint_find_springs(def, springs);
    for (int k = 0; k < count && k < joint->springs; k++) {
        dry_joint_row *row = &rows[dry_linkage_locked(joint) + k];
        const int coordinate = springs[k].coordinate;
        if (coordinate >= 0)
            row->error = dry_joint_known_value(def, coordinate, true, &joints->axes[joint->joint], row,
                                               &l->spring[joint->spring + k].value);
        row->error -= springs[k].rest;
    }
}

/* Returns what side `side` of a body adds to the product of two rows of a joint. Parts of a body are held
 * together. */
static double side_product(const dry_linkage *l, const dry_articulated_joint *joint,
                           const dry_articulated_row *p, const dry_articulated_row *q, int side)
{
    const dry_articulated_body *body = &l->body[joint->body[side]];
    return (body->inverse_mass * double3_dot(p->linear, q->linear) +
            double3_dot(p->angular[side], l->swings[q - l->row].side[side])) /
           (double)body->parts;
}

/* Returns the inverse mass that a spring moves, 1/kg: of its row, without what its joint's locked rows hold.
 */
static double inverse_mass_of(const dry_linkage *l, const dry_articulated_joint *joint, int spring)
{
    const dry_articulated_row *row = dry_linkage_rows_of(l, joint);
    const int locked = dry_linkage_locked(joint), rows = locked + 1;
    double a[DRY_ELIMINATION_SIDE][DRY_ELIMINATION_SIDE];
    DRY_ASSERT(rows <= DRY_ELIMINATION_SIDE);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows; k++) {
            const dry_articulated_row *p = &row[i < locked ? i : locked + spring];
            const dry_articulated_row *q = &row[k < locked ? k : locked + spring];
            a[i][k] = side_product(l, joint, p, q, 0) + side_product(l, joint, p, q, 1);
        }
    const double own = a[locked][locked];
    dry_rows_eliminate(a, locked, rows);
    return fmin(fmax(a[locked][locked], 0.0), own);
}

/* Fills the springs of a joint, without impulses, and adds those that substeps follow to the bodies' sums. */
static void survey_joint(const dry_linkage *l, const dry_articulated_joint *joint)
{
    dry_spring_def springs[DRY_BLOCK_ROWS];
    const int count = dry_joint_find_springs(&l->step->joints->def[joint->joint], springs);
    const double most = (double)SUBSTEPS / (double)l->step->dt;
    for (int k = 0; k < joint->springs; k++) {
        dry_articulated_spring *spring = &l->spring[joint->spring + k];
        *spring = (dry_articulated_spring){
            .sigma = DRY_SPRING_NO_IMPULSE, .coordinate = -1, .value = spring->value};
        if (k >= count)
            continue;
        spring->stiffness = springs[k].stiffness;
        spring->damping = springs[k].damping;
        spring->coordinate = springs[k].coordinate;
        spring->inverse_mass = inverse_mass_of(l, joint, k);
        spring->resolved = spring->stiffness * spring->inverse_mass <= FOLLOWED * most * most;
        for (int side = 0; side < 2 && spring->resolved; side++) {
            const dry_articulated_row *row = &dry_linkage_rows_of(l, joint)[dry_linkage_locked(joint) + k];
            l->body[joint->body[side]].sprung += spring->stiffness * side_product(l, joint, row, row, side);
        }
    }
}

static void survey(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        l->body[b].sprung = 0.0;
    for (int j = 0; j < l->joints; j++)
        if (l->joint[j].springs > 0)
            survey_joint(l, &l->joint[j]);
}

/* Returns the sum of k / m over all springs of the two bodies of a joint, 1/s^2. */
static double sum_at(const dry_linkage *l, const dry_articulated_joint *joint)
{
    return l->body[joint->body[0]].sprung + l->body[joint->body[1]].sprung;
}

/* Sets how a spring is solved in substeps of length h. */
static void choose(const dry_linkage *l, const dry_articulated_joint *joint, int k, double h)
{
    dry_articulated_spring *spring = &l->spring[joint->spring + k];
    spring->resolved = spring->resolved && spring->stiffness * spring->inverse_mass * h * h <= 1.0;
    const double beta = sum_at(l, joint) * h * h <= FOLLOWED ? BETA_EXACT : BETA_STABLE;
    spring->begin[0] = spring->resolved ? 0.5 - beta : 0.0;
    spring->begin[1] = 0.5 - spring->begin[0];
    spring->end[0] = spring->resolved ? beta : 0.0;
    spring->end[1] = 0.5 - spring->end[0];
    /* A damper that would turn the speed round within half a substep acts with the speed where it ends. */
    const double decay = spring->damping * spring->inverse_mass * h;
    spring->implicit = !spring->resolved ? 1.0 : decay > 2.0 ? 1.0 - 1.0 / decay : 0.5;
    DRY_ASSERT(spring->implicit >= 0.5 && spring->implicit <= 1.0);
}

void dry_springs_begin(const dry_linkage *l)
{
    if (l->springs == 0)
        return;
    survey(l);
    for (int j = 0; j < l->joints; j++)
        for (int k = 0; k < l->joint[j].springs; k++)
            choose(l, &l->joint[j], k, l->h);
}

void dry_springs_begin_sweeps(const dry_linkage *l, double h)
{
    if (l->springs == 0)
        return;
    survey(l);
    for (int i = 0; i < l->springs; i++) {
        dry_articulated_spring *spring = &l->spring[l->articulation->spring_begin + i];
        const double both = h * spring->stiffness + spring->damping;
        if (!(both > 0.0))
            continue;
        spring->rate = spring->stiffness / both;
        spring->sigma = 1.0 / (h * both);
    }
}

void dry_springs_forget(const dry_linkage *l)
{
    for (int i = 0; i < l->springs; i++)
        l->spring[l->articulation->spring_begin + i].given = 0.0;
}

double dry_springs_vibration(const dry_linkage *l)
{
    if (l->springs == 0)
        return 0.0;
    survey(l);
    const double most = (double)SUBSTEPS / (double)l->step->dt;
    double largest = 0.0;
    for (int j = 0; j < l->joints; j++)
        for (int k = 0; k < l->joint[j].springs; k++)
            if (l->spring[l->joint[j].spring + k].resolved)
                largest = fmax(largest, sum_at(l, &l->joint[j]));
    return fmin(largest / FOLLOWED, most * most);
}

void dry_springs_factor(const dry_linkage *l, dry_springs_use use)
{
    for (int i = 0; i < l->springs; i++) {
        dry_articulated_spring *spring = &l->spring[l->articulation->spring_begin + i];
        const double brake = spring->resolved ? 0.0 : 0.5 * l->h * spring->stiffness;
        const double stiff = use == DRY_SPRINGS_POSITION ? l->h * l->h * spring->stiffness * spring->begin[1]
                             : use == DRY_SPRINGS_SPEED  ? l->h * (spring->damping * spring->implicit + brake)
                                                         : 0.0;
        spring->sigma = stiff > 1.0 / DRY_SPRING_NO_IMPULSE ? 1.0 / stiff : DRY_SPRING_NO_IMPULSE;
        spring->impulse = 0.0;
    }
    dry_linkage_factor(l);
}

/* Returns the impulse of a spring, whose joint and row these are. */
typedef double spring_impulse(const dry_linkage *l, const dry_articulated_joint *joint,
                              const dry_articulated_row *row, dry_articulated_spring *spring);

/* Gives bodies the impulses of all springs, where the substep begins or ends. */
static void push_all(const dry_linkage *l, spring_impulse *impulse, bool at_end)
{
    if (l->springs == 0)
        return;
    for (int i = 0; i < l->rows; i++)
        l->impulses[i] = 0.0;
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        for (int k = 0; k < joint->springs; k++) {
            const dry_articulated_row *row = &dry_linkage_rows_of(l, joint)[dry_linkage_locked(joint) + k];
            l->impulses[row - l->row] = impulse(l, joint, row, &l->spring[joint->spring + k]);
        }
    }
    dry_linkage_sum_impulses(l);
    dry_linkage_count_impulses(l);
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        dry_articulated_push(&l->body[b], at_end ? &l->body[b].end : &l->body[b].begin, 1.0);
}

/* Keeps where the substep begins, too. */
static double impulse_at_begin(const dry_linkage *l, const dry_articulated_joint *joint,
                               const dry_articulated_row *row, dry_articulated_spring *spring)
{
    spring->before = row->error;
    spring->direction = row->linear;
    return -l->h * spring->damping * (1.0 - spring->implicit) * dry_linkage_speed(l, joint, row, false);
}

/* Returns -1 if the anchors of a distance joint have passed each other within the substep: its row points the
 * other way then. */
static double sign_of(const dry_articulated_spring *spring, dry_double3 linear)
{
    return spring->coordinate < 0 && double3_dot(spring->direction, linear) < 0.0 ? -1.0 : 1.0;
}

static double impulse_at_end(const dry_linkage *l, const dry_articulated_joint *joint,
                             const dry_articulated_row *row, dry_articulated_spring *spring)
{
    (void)joint;
    const double before = sign_of(spring, row->linear) * spring->before;
    return -l->h * spring->stiffness * (spring->end[0] * before + spring->end[1] * row->error);
}

void dry_springs_push_begin(const dry_linkage *l)
{
    push_all(l, impulse_at_begin, false);
}

void dry_springs_push_end(const dry_linkage *l)
{
    push_all(l, impulse_at_end, true);
}

void dry_springs_take(const dry_linkage *l, double share)
{
    for (int j = 0; j < l->joints && l->springs > 0; j++)
        for (int k = 0; k < l->joint[j].springs; k++) {
            const dry_articulated_joint *joint = &l->joint[j];
            l->spring[joint->spring + k].impulse +=
                share * l->impulses[joint->row - l->articulation->row_begin + dry_linkage_locked(joint) + k];
        }
}

static const dry_articulated_spring *spring_of(const dry_linkage *l, const dry_articulated_joint *joint,
                                               int i)
{
    return &l->spring[joint->spring + i - dry_linkage_locked(joint)];
}

double dry_spring_left(const dry_linkage *l, const dry_articulated_joint *joint, int i,
                       const dry_joint_row *row)
{
    const dry_articulated_spring *spring = spring_of(l, joint, i);
    if (spring->sigma >= DRY_SPRING_NO_IMPULSE)
        return 0.0;
    return sign_of(spring, row->linear) * row->error + spring->begin[0] / spring->begin[1] * spring->before +
           spring->sigma * l->h * spring->impulse;
}

double dry_spring_left_speed(const dry_linkage *l, const dry_articulated_joint *joint, int i)
{
    const dry_articulated_spring *spring = spring_of(l, joint, i);
    if (spring->sigma >= DRY_SPRING_NO_IMPULSE)
        return 0.0;
    return dry_linkage_speed(l, joint, &dry_linkage_rows_of(l, joint)[i], true) +
           spring->sigma * spring->impulse;
}

double dry_spring_left_in_sweeps(const dry_linkage *l, const dry_articulated_joint *joint, int i, double h)
{
    const dry_articulated_spring *spring = spring_of(l, joint, i);
    const int at = joint->row - l->articulation->row_begin + i;
    return dry_linkage_speed(l, joint, &l->row[at], false) + spring->rate * l->row[at].error +
           spring->sigma * l->carried[at] + 0.5 * h * l->articulation->share * l->acceleration[at];
}

dry_springs_energy dry_springs_find_energy(const dry_linkage *l)
{
    dry_springs_energy e = {0};
    for (int j = 0; j < l->joints && l->springs > 0; j++)
        for (int k = 0; k < l->joint[j].springs; k++) {
            const dry_articulated_joint *joint = &l->joint[j];
            const dry_articulated_spring *spring = &l->spring[joint->spring + k];
            const double q = dry_linkage_rows_of(l, joint)[dry_linkage_locked(joint) + k].error;
            e.elastic += 0.5 * spring->stiffness * q * q;
            e.damped = e.damped || spring->damping > 0.0 || !spring->resolved;
            if (spring->begin[1] < 0.5 * (BETA_EXACT + BETA_STABLE)) {
                const double lag = (BETA_STABLE - BETA_EXACT) * sum_at(l, joint) * l->h * l->h;
                DRY_ASSERT(!(lag >= 1.0));
                e.lag = fmax(e.lag, lag / (1.0 - lag));
            }
        }
    return e;
}

void dry_springs_add_stored(const dry_linkage *l, bool begins, double h)
{
    for (int j = 0; j < l->joints && l->springs > 0; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        if (joint->springs == 0)
            continue;
        double now = 0.0;
        for (int k = 0; k < joint->springs; k++) {
            const dry_articulated_spring *spring = &l->spring[joint->spring + k];
            const dry_articulated_row *row = &dry_linkage_rows_of(l, joint)[dry_linkage_locked(joint) + k];
            /* Rows are those where the last substep begins. */
            const double way = begins ? 0.0 : h * dry_linkage_speed(l, joint, row, false);
            now += 0.5 * spring->stiffness * (row->error + way) * (row->error + way);
        }
        double *stored = &l->step->state->laws.stored[joint->joint];
        const bool beside =
            dry_joint_has_lane(l->step->settings, l->step->joints, joint->joint, DRY_KIND_AXES);
        *stored = (begins && !beside ? 0.0 : *stored) + (begins ? -now : now);
    }
}

void dry_springs_store(const dry_solver_step *step, const dry_articulated_joint *joint)
{
    const dry_articulations *a = &step->state->articulations;
    dry_joint_axes_state axes = {DRY_JOINT_AXES_FIELDS(DRY_FIELD_DEFAULT, dry_joint_axes_state)};
    bool finite = true;
    for (int k = 0; k < joint->springs; k++) {
        const dry_articulated_spring *spring = &a->spring[joint->spring + k];
        if (spring->coordinate < 0)
            return;
        const float impulse = (float)spring->given;
        axes.impulse[DRY_PART_COUNT * spring->coordinate + DRY_PART_SPRING] = impulse;
        if (spring->coordinate >= DRY_AXIS_RX && spring->coordinate <= DRY_AXIS_RZ)
            axes.angle[spring->coordinate - DRY_AXIS_RX] = (float)spring->value;
        finite = finite && dry_abs(impulse) <= FLT_MAX && fabs(spring->value) <= DRY_SPEED_SOLVED_MAX;
    }
    if (finite)
        step->joints->axes[joint->joint] = axes;
}
