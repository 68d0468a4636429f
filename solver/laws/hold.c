/* Stage "repair": holds joints in sweeps that the step's substeps let open. Reads joints, poses and rows;
 * writes the displacements of rows. Next: the repair of momentum.
 *
 * An impact gives the bodies of a figure velocities that so few sweeps cannot share among all of its joints.
 * The rest opens joints and leads past stops before the next substeps take it away. Here the bodies move as
 * if it had not: joints that are open too far are closed one by one, in rounds, by successive over-relaxation
 * [Tomcin 7: positions after velocities]. Velocities are those that sweeps left. */
#include "solver/laws/ledger.h"

#include "core/disjoint_sets.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/integrators.h"
#include "solver/bodies/joint_motion.h"
#include "solver/bodies/turned.h"
#include "solver/data/context.h"
#include "solver/data/joints/places.h"
#include "solver/data/method.h"
#include "solver/sweeps/fill.h"

#include <string.h>

/* How far open a joint may end that did not begin further open: bounds of 5 mm and 0.01 rad less a tenth.
 * Sweeps leave the most loaded joint 2 mm open at rest. */
#define GAP_MOST 4.5e-3
#define TURN_MOST (2 * GAP_MOST)
/* Each round takes this times what a joint is open beyond that: one joint opens the next. With 1.4, half the
 * figures that fall in few substeps open by over 5 mm, and rain costs 1.4 times; with 1.9 rain tears. */
#define OVER_RELAXATION 1.8
/* No round turns farther, rad: rows that turn lead elsewhere. Unbounded, it threw figures apart in 162 of 360
 * falls in few substeps instead of 5. */
#define TURN_STEP 0.2
/* Stops that began passed are brought back in this time, s, while what is thrown against them presses on.
 * Half of it opens joints of figures in few substeps by 22 mm instead of 15; with twice it figures thrown at
 * 40 rad/s are 0.02 rad beyond their stops for 0.4 s instead of 0.1 s. */
#define TURN_TIME 0.08
/* Joints that are open when the step begins are left to sweeps, with all that hangs together with them: they
 * may contradict each other, and share their errors by least squares. Joints of bodies whose masses differ by
 * more than this are left, too: the heavy one is no more to be moved than a kinematic one, and would drag the
 * other through what supports it. */
#define MASS_RATIO_MAX 1.1e4f

/* In half the rounds figures that rain open by 33 mm. Bridges of 92 joints and more open as far with the
 * fewest rounds as with the most, which take up to 40 times the median step. So do ropes of 6 to 100 links
 * under 1,000 times their mass with 11 rounds, so that rounds fall with the ratio of masses. */
enum { ROUNDS_MIN = 8, ROUNDS_MAX = 128, JOINTS_MANY = 90, LOOK_GRAIN = 16 };

static bool has_joints(const dry_solver_step *step)
{
    return step->joints->active_count > 0 &&
           !dry_integrates_apart(step->settings); /* which turns bodies otherwise than their rows */
}

bool dry_joints_hold_reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    const int joints = step->joints->active_count, rows = step->bodies->awake_count;
    return !has_joints(step) || (DRY_RESERVE(memory, s->laws.hold, s->laws.hold_capacity, joints) &&
                                 DRY_RESERVE(memory, s->laws.held, s->laws.held_capacity, joints) &&
                                 DRY_RESERVE(memory, s->laws.moved_in, s->laws.moved_in_capacity, rows) &&
                                 DRY_RESERVE(memory, s->laws.figure_of, s->laws.figure_of_capacity, rows));
}

/* Returns the frames of a joint so long after the step began: by the rows, or at 0 where they began. */
static dry_joint_frames frames_of(const dry_solver_step *step, int index, float since)
{
    const dry_moment at = {.moved = since > 0.0f, .since = since};
    const dry_precise_motion a = dry_precise_of(dry_side_motion_in(step, index, 0, at)),
                             b = dry_precise_of(dry_side_motion_in(step, index, 1, at));
    return dry_joint_frames_between(&step->joints->joint[index], &a, &b);
}

/* Returns how far open it is. */
static dry_joint_error error_of(const dry_solver_step *step, int index, float since)
{
    const dry_joint_frames frames = frames_of(step, index, since);
    dry_open_rows open;
    dry_joint_find_open_rows(step->joints, index, &frames, &open);
    return open.all;
}

/* Tells whether a joint can be held: its rows are rigid, sweeps solve it, and impulses move its bodies along
 * all axes. */
static bool may_hold(const dry_solver_step *step, int index)
{
    const dry_joint *joint = &step->joints->joint[index];
    const bool plain = dry_joint_has_kind(joint, DRY_KIND_POINT) || dry_joint_has_kind(joint, DRY_KIND_LINE);
    const bool soft = plain && dry_joint_is_spring(&step->joints->def[index]);
    int rows[DRY_JOINT_SIDES];
    const int count = dry_joint_rows_of(step, index, rows);
    bool holds = count > 0 && !soft && dry_joint_sides(joint) == 2 &&
                 !dry_joint_is_direct(step->settings, step->joints, index);
    for (int i = 0; i < count && holds; i++)
        holds = !step->state->bodies.invalid[rows[i]] && step->bodies->properties[rows[i]].locks == 0 &&
                !dry_articulated_body_of(&step->state->articulations, rows[i]);
    return holds;
}

/* Takes how far joints are open from the kernels that made their rows where the step ends. */
static void take_told(const dry_solver_step *step, dry_bundle_part part)
{
    const dry_bundle_array *set = &step->state->sweeps.bundles[part.kind->index];
    for (int b = part.begin; b < part.end; b++) {
        const char *bundle = (const char *)set->bundle + (size_t)b * part.kind->bundle_bytes;
        const dry_joint_places *places =
            (const dry_joint_places *)(const void *)(bundle + part.kind->places_offset);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const int32_t index = set->members[b].index[lane];
            if (index < 0)
                continue;
            dry_joint_hold *hold = &step->state->laws.hold[step->joints->joint[index].active];
            hold->gap_end += places->gap[lane];
            hold->turn_end += places->turn[lane];
            hold->told = true;
        }
    }
}

/* Does so for all that have such rows there: without relax sweeps the last ones are older. */
static void take_all_told(const dry_solver_step *step)
{
    const dry_tier_range *ranges = step->state->plan.ranges;
    for (int i = DRY_TIER_COUNT; i < step->state->plan.range_count; i++)
        for (int k = 0; k < DRY_KIND_JOINTS; k++)
            if (step->kinds[k]->place_lane &&
                dry_method_schedule(step->method, step->settings, ranges[i].sweeps).relax_sweeps > 0)
                dry_over_bundles(step, &ranges[i], k, take_told, DRY_WHERE_STEP_BEGAN);
}

/* Looks at joints where the step ends. */
static void look(void *context, dry_items items)
{
    const dry_solver_step *step = context;
    for (int i = items.begin; i < items.end; i++) {
        const int index = step->joints->active[i];
        dry_joint_hold *hold = &step->state->laws.hold[i];
        if (!hold->told && may_hold(step, index)) {
            const dry_joint_error now = error_of(step, index, step->dt);
            hold->gap_end = (float)(now.gap * now.gap);
            hold->turn_end = (float)(now.turn * now.turn);
        }
        const bool opens = hold->gap_end > GAP_MOST * GAP_MOST || hold->turn_end > TURN_MOST * TURN_MOST;
        if (opens && may_hold(step, index))
            hold->seen = -1;
    }
}

/* Looks at listed joints where the step began: they may be as far open. */
static void look_back(void *context, dry_items items)
{
    const dry_solver_step *step = context;
    for (int k = items.begin; k < items.end; k++) {
        const int i = step->state->laws.held[k];
        dry_joint_hold *hold = &step->state->laws.hold[i];
        hold->begin = error_of(step, step->joints->active[i], 0.0f);
        hold->allowed.gap = fmax(GAP_MOST, hold->begin.gap);
        hold->allowed.turn = fmax(TURN_MOST, hold->begin.turn / (1.0 + (double)step->dt / TURN_TIME));
    }
}

/* Lists the joints of figures of which some joint is open, one figure after the other. Returns how many there
 * are. */
static int list_open(const dry_solver_step *step)
{
    const dry_law_records *laws = &step->state->laws;
    const int count = step->joints->active_count, awake = step->bodies->awake_count;
    int32_t *first = laws->moved_in; /* joint of each figure, until bodies move */
    int listed = 0;
    memset(first, -1, (size_t)awake * sizeof *first);
    dry_sets_begin(laws->figure_of, awake);
    for (int i = 0; i < count; i++) {
        const int index = step->joints->active[i];
        dry_joint_hold *hold = &laws->hold[i];
        for (int side = 0; side < 2; side++)
            hold->row[side] = dry_island_row(step, dry_joint_body(step->joints, index, side));
        hold->figure = may_hold(step, index) ? dry_max_int(hold->row[0], hold->row[1]) : -1;
        if (hold->figure >= 0 && hold->row[0] >= 0 && hold->row[1] >= 0)
            dry_sets_unite(laws->figure_of, hold->row[0], hold->row[1]);
    }
    for (int i = count - 1; i >= 0; i--) {
        dry_joint_hold *hold = &laws->hold[i];
        if (hold->figure < 0)
            continue;
        hold->figure = dry_sets_root(laws->figure_of, hold->figure);
        hold->next = first[hold->figure];
        first[hold->figure] = i;
    }
    for (int i = 0; i < count; i++) {
        if (laws->hold[i].seen >= 0)
            continue;
        for (int k = first[laws->hold[i].figure]; k >= 0; k = laws->hold[k].next)
            laws->held[listed++] = k;
        first[laws->hold[i].figure] = -1;
    }
    return listed;
}

/* Moves the body of a row by a whitened displacement. */
static void move(const dry_solver_step *step, int row, const double change[6])
{
    if (row < 0)
        return;
    dry_solver_row *r = &step->state->bodies.rows[row + 1];
    for (int k = 0; k < 3; k++)
        r->dl[k] = (float)((double)r->dl[k] + change[k]);
    dry_turned_shift(
        step, row,
        double3_mul(double3(change[3], change[4], change[5]), double3_of_floats(r->inv_sqrt_inertia)));
}

/* Returns the share of an error that goes in a round. */
static double share_of(double error, double allowed)
{
    return error > allowed ? OVER_RELAXATION * (1.0 - allowed / error) : 0.0;
}

/* Returns the product of two whitened rows. */
static double product(double p[2][6], double q[2][6])
{
    double sum = 0.0;
    for (int k = 0; k < 12; k++)
        sum += p[k / 6][k % 6] * q[k / 6][k % 6];
    return sum;
}

/* Closes a joint: the smallest displacements that take the shares of its errors away. */
static void close_joint(const dry_solver_step *step, int joint, const dry_joint_frames *frames,
                        dry_open_rows *open)
{
    const dry_joint_hold *hold = &step->state->laws.hold[joint];
    const dry_joint_def *def = &step->joints->def[step->joints->active[joint]];
    const double of_gap = share_of(open->all.gap, hold->allowed.gap),
                 of_turn = fmin(share_of(open->all.turn, hold->allowed.turn), TURN_STEP / open->all.turn);
    const int count = open->count;
    double g[DRY_BLOCK_ROWS + 1][2][6] = {{{0.0}}}, impulse[DRY_BLOCK_ROWS + 1];
    double a[DRY_ELIMINATION_SIDE][DRY_ELIMINATION_SIDE], change[2][6] = {{0.0}};
    dry_joint_row row[DRY_BLOCK_ROWS + 1];
    for (int i = 0; i < count; i++)
        row[i] = dry_joint_form_row(def, frames, (dry_row_form)open->form[i], &open->swing);
    for (int side = 0; side < 2; side++) {
        if (hold->row[side] < 0)
            continue;
        const dry_whitening w = dry_frames_whitening(step, hold->row[side]);
        for (int i = 0; i < count; i++)
            dry_whitening_half(&w, side ? 1.0 : -1.0, row[i].linear,
                               side ? row[i].angular_b : row[i].angular_a, g[i][side]);
    }
    for (int i = 0; i < count; i++) {
        for (int k = i; k < count; k++)
            a[i][k] = a[k][i] = product(g[i], g[k]);
        a[i][count] =
            -dry_scale_motion(dry_form_moves((dry_row_form)open->form[i]) ? of_gap : of_turn, open->error[i]);
    }
    dry_rows_eliminate(a, count, count + 1);
    for (int i = count - 1; i >= 0; i--) {
        impulse[i] = a[i][count];
        for (int k = i + 1; k < count; k++)
            impulse[i] -= a[i][k] * impulse[k];
        impulse[i] = a[i][i] > 0.0 ? impulse[i] / a[i][i] : 0.0;
        for (int k = 0; k < 12; k++)
            change[k / 6][k % 6] += impulse[i] * g[i][k / 6][k % 6];
    }
    move(step, hold->row[0], change[0]);
    move(step, hold->row[1], change[1]);
}

/* Tells whether a joint may be open: it was, or a body of it has moved since it was not. */
static bool is_doubtful(const dry_solver_step *step, const dry_joint_hold *hold)
{
    bool doubtful = hold->seen < 0;
    for (int side = 0; side < 2; side++)
        doubtful =
            doubtful || (hold->row[side] >= 0 && step->state->laws.moved_in[hold->row[side]] > hold->seen);
    return doubtful;
}

/* Holds a joint if it is open. Returns whether it was. `moves` counts the joints that moved their bodies. */
static bool hold_joint(const dry_solver_step *step, int i, int32_t *moves)
{
    const int index = step->joints->active[i];
    dry_joint_hold *hold = &step->state->laws.hold[i];
    dry_open_rows open;
    if (!is_doubtful(step, hold))
        return false;
    const dry_joint_frames frames = frames_of(step, index, step->dt);
    dry_joint_find_open_rows(step->joints, index, &frames, &open);
    hold->seen = *moves;
    if (!(open.all.gap > hold->allowed.gap) && !(open.all.turn > hold->allowed.turn))
        return false;
    close_joint(step, i, &frames, &open);
    ++*moves;
    for (int side = 0; side < 2; side++)
        if (hold->row[side] >= 0)
            step->state->laws.moved_in[hold->row[side]] = *moves;
    return true;
}

/* Goes over the joints of a figure in turns, forward and back, until none is open. Leaves the figure to
 * sweeps if a joint began open, or masses differ too far. */
static void close_figure(const dry_solver_step *step, const int32_t *joints, int count)
{
    const dry_body_mass *mass = step->bodies->mass;
    int32_t moves = 0;
    bool goes_on = true;
    float ratio = 1.0f; /* the largest one of the masses of a joint's bodies */
    for (int k = 0; k < count && goes_on; k++) {
        const dry_joint_hold *hold = &step->state->laws.hold[joints[k]];
        const bool both = hold->row[0] >= 0 && hold->row[1] >= 0;
        const float b_to_a = both ? mass[hold->row[0]].inverse_mass / mass[hold->row[1]].inverse_mass : 1.0f;
        ratio = dry_max(ratio, dry_max(b_to_a, 1.0f / b_to_a));
        goes_on = !dry_is_open(hold->begin.gap, hold->begin.turn) && ratio <= MASS_RATIO_MAX;
    }
    const int most = count > JOINTS_MANY ? ROUNDS_MIN : (int)(MASS_RATIO_MAX / ratio),
              rounds = dry_min_int(ROUNDS_MAX, dry_max_int(ROUNDS_MIN, most));
    for (int round = 0; round < rounds && goes_on; round++) {
        goes_on = false;
        for (int k = 0; k < count; k++)
            goes_on |= hold_joint(step, joints[round % 2 ? count - 1 - k : k], &moves);
    }
}

/* Closes the figures whose first joint is among these. */
static void close_figures(void *context, dry_items items)
{
    const dry_solver_step *step = context;
    const dry_law_records *laws = &step->state->laws;
    for (int k = items.begin, next; k < items.end; k = next) {
        const int32_t figure = laws->hold[laws->held[k]].figure;
        for (next = k + 1; next < laws->held_count && laws->hold[laws->held[next]].figure == figure;)
            next++;
        if (k == 0 || laws->hold[laws->held[k - 1]].figure != figure)
            close_figure(step, laws->held + k, next - k);
    }
}

void dry_joints_hold(dry_solver_step *step)
{
    const int count = step->joints->active_count;
    dry_solver_state *s = step->state;
    if (!has_joints(step) || step->dt <= 0.0f)
        return;
    memset(s->laws.hold, 0, (size_t)count * sizeof *s->laws.hold);
    take_all_told(step);
    dry_jobs_for(step->jobs, count, LOOK_GRAIN, look, step);
    bool open = false;
    for (int i = 0; i < count && !open; i++)
        open = s->laws.hold[i].seen < 0;
    if (open) {
        s->laws.held_count = list_open(step);
        dry_jobs_for(step->jobs, s->laws.held_count, LOOK_GRAIN, look_back, step);
        memset(s->laws.moved_in, 0, (size_t)step->bodies->awake_count * sizeof *s->laws.moved_in);
        dry_jobs_for(step->jobs, s->laws.held_count, LOOK_GRAIN, close_figures, step);
    }
}
