/* Rows of joints for block descent: copied from the joints' bundles, and what is done row by row.
 *
 * Reads joint bundles and rows of bodies; writes rows of joints, and impulses into bundles. */
#include "methods/blocks/blocks.h"

#include "core/math.h"
#include "core/rotation.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/joint_motion.h"
#include "solver/data/context.h"
#include "solver/data/joints/axes.h"
#include "solver/data/joints/block.h"
#include "solver/data/joints/line.h"
#include "solver/data/joints/point.h"
#include "solver/laws/ledger.h"

#include <float.h>
#include <string.h>

/* The gap from which on the rows of a joint's point have one penalty, m. */
#define OPEN_GAP 5e-4f

/* Takes the rows of joints one after another. */
typedef struct row_sink {
    const dry_solver_step *step;
    dry_block_joint_row *rows;
    int next, end; /* with `again`: rows before `end` are there already, in this order */
    bool again;
    float h;
    dry_whitening w[2]; /* of the bodies of the present joint; without a mass if nothing moves one */
    dry_vec3 arm[2];    /* their lever arms, world, m */
} row_sink;

static float dot6(const float a[6], const float b[6])
{
    float sum = 0.0f;
    for (int k = 0; k < 6; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Returns g times two bodies' vectors of their rows. */
static float along(const dry_block_joint_row *r, const float *a, const float *b)
{
    return dot6(r->g[0], a) + dot6(r->g[1], b);
}

/* Returns the speed of a row when the substep begins, without what kinematic bodies add. */
static float speed_at_start(const dry_solver_step *step, const dry_block_joint_row *r)
{
    static const float none[6];
    const float *start[2];
    for (int side = 0; side < 2; side++)
        start[side] = r->row[side] ? step->state->bodies.start[r->row[side] - 1].u : none;
    return along(r, start[0], start[1]);
}

/* Makes a row that gives no impulse of one whose part no longer acts. */
static void silence(dry_block_joint_row *r)
{
    r->low = r->high = r->impulse = r->penalty = 0.0f;
}

/* Returns the place of a row; null for one that begins to act between two substeps, which waits for the
 * next step. */
static dry_block_joint_row *place_row(row_sink *to, const float *source)
{
    if (!to->again)
        return &to->rows[to->next];
    int at = to->next;
    while (at < to->end && to->rows[at].source != source)
        at++;
    if (at == to->end)
        return NULL;
    for (; to->next < at; to->next++)
        silence(&to->rows[to->next]);
    return &to->rows[at];
}

/* Finds the geometric stiffness of a unit impulse along a at a lever arm r: (a . r) 1 - sym(r a^T), with
 * which the torque r x a grows against a rotation of the body. */
static void find_geometric(const dry_whitening *w, dry_vec3 r, const float g[6], float geometric[6])
{
    if (!(w->inv_sqrt_mass > 0.0f))
        return;
    const dry_vec3 a = vec3_scale(vec3(g[0], g[1], g[2]), 1.0f / w->inv_sqrt_mass);
    const float whole = vec3_dot(a, r);
    float along[3], arm[3];
    for (int i = 0; i < 3; i++) {
        const dry_vec3 axis = vec3(w->axes[i][0], w->axes[i][1], w->axes[i][2]);
        along[i] = vec3_dot(axis, a);
        arm[i] = vec3_dot(axis, r);
    }
    for (int i = 0, at = 0; i < 3; i++)
        for (int j = i; j < 3; j++, at++) {
            const dry_vec3 x = vec3(w->axes[i][0], w->axes[i][1], w->axes[i][2]);
            const dry_vec3 y = vec3(w->axes[j][0], w->axes[j][1], w->axes[j][2]);
            geometric[at] = whole * vec3_dot(x, y) - 0.5f * (along[i] * arm[j] + along[j] * arm[i]);
        }
}

/* Returns the penalty that a rigid row begins a step with. */
static float first_penalty(const row_sink *to, const dry_block_joint_row *r)
{
    const dry_joint_penalty *kept =
        to->step->joints->penalty ? &to->step->joints->penalty[r->joint] : &dry_joint_default_penalty;
    const float k = to->step->settings->warm_start ? (r->turns ? kept->angular : kept->linear) : 0.0f;
    return DRY_BLOCK_PENALTY_KEPT * k * to->h * to->h;
}

/* Adds a row. A rigid one keeps its multiplier, and between two substeps a share of its penalty: what an
 * impact made stiff would stay so for the step. A spring has `softness`, 1/kg. */
static void add_row(row_sink *to, const dry_block_joint_row *row, float softness)
{
    const float own = dot6(row->g[0], row->g[0]) + dot6(row->g[1], row->g[1]);
    dry_block_joint_row *r = own > 0.0f ? place_row(to, row->source) : NULL;
    if (!r)
        return;
    const float penalty = to->again ? DRY_BLOCK_PENALTY_KEPT * r->penalty : 0.0f;
    *r = *row;
    r->mass = 1.0f / own;
    r->hold = softness > 0.0f ? 0.0f : 1.0f;
    if (softness == 0.0f)
        r->rate = r->rate > 0.0f ? 1.0f : 0.0f;
    r->turns = r->g[0][0] == 0.0f && r->g[0][1] == 0.0f && r->g[0][2] == 0.0f && r->g[1][0] == 0.0f &&
               r->g[1][1] == 0.0f && r->g[1][2] == 0.0f;
    /* A penalty is at least the row's mass, with which it begins. */
    r->penalty = softness > 0.0f ? 1.0f / softness
                                 : dry_min(dry_max(to->again ? penalty : first_penalty(to, r), r->mass),
                                           DRY_BLOCK_PENALTY_MOST * r->mass);
    r->impulse = *r->source;
    r->low = r->stop ? 0.0f : -r->high;
    for (int side = 0; side < 2; side++)
        find_geometric(&to->w[side], to->arm[side], r->g[side], r->geometric[side]);
    to->next++;
}

/* Begins a joint: returns what all of its rows share. */
static dry_block_joint_row begin_joint(row_sink *to, int joint, int lane, const int32_t *row_a,
                                       const int32_t *row_b)
{
    const dry_block_joint_row common = {.row = {row_a[lane], row_b[lane]}, .joint = joint, .high = FLT_MAX};
    for (int side = 0; side < 2; side++) {
        const dry_side_motion m = dry_side_motion_in(to->step, joint, side, DRY_WHERE_STEP_BEGAN);
        to->w[side] =
            common.row[side] ? dry_frames_whitening(to->step, common.row[side] - 1) : (dry_whitening){0};
        /* Geometric stiffness has the lever arms of the mean of the substeps' beginnings: with those of the
         * step's beginning lifts lose bodies. */
        const dry_quat turn = quat_from_rotation(vec3_scale(m.spin, 0.5f * (to->step->dt - to->h)));
        const dry_vec3 arm = quat_rotate(m.orientation, dry_joint_anchor(to->step->joints, joint, side));
        to->arm[side] = quat_rotate(turn, arm);
    }
    return common;
}

static void copy3(float *to, dry_lanes from[3], int lane, float scale)
{
    for (int k = 0; k < 3; k++)
        to[k] = scale * from[k][lane];
}

static void copy_row(dry_block_joint_row *row, dry_pair_row *from, int lane)
{
    copy3(row->g[0], from->linear_a, lane, 1.0f);
    copy3(row->g[0] + 3, from->angular_a, lane, 1.0f);
    copy3(row->g[1], from->linear_b, lane, 1.0f);
    copy3(row->g[1] + 3, from->angular_b, lane, 1.0f);
    row->kinematic = from->kinematic[lane];
    row->acceleration = from->acceleration[lane];
}

static void copy_point(row_sink *to, void *bundle, int lane, int joint)
{
    static const int diagonal[3] = {0, 3, 5};
    dry_point_bundle *c = bundle;
    const dry_block_joint_row common = begin_joint(to, joint, lane, c->row_a, c->row_b);
    for (int k = 0; k < 3; k++) {
        dry_block_joint_row row = common;
        row.g[0][k] = -c->inv_sqrt_mass_a[lane];
        row.g[1][k] = c->inv_sqrt_mass_b[lane];
        copy3(row.g[0] + 3, c->angular_a[k], lane, 1.0f);
        copy3(row.g[1] + 3, c->angular_b[k], lane, 1.0f);
        row.error = c->error[k][lane];
        row.kinematic = c->kinematic[k][lane];
        row.acceleration = c->acceleration[k][lane];
        row.rate = c->rate[lane];
        row.approach = c->approach[lane];
        row.source = &c->impulse[k][lane];
        add_row(to, &row, c->rigid[lane] > 0.5f ? 0.0f : c->softness[diagonal[k]][lane]);
    }
}

static void copy_line(row_sink *to, void *bundle, int lane, int joint)
{
    dry_line_bundle *c = bundle;
    dry_block_joint_row row = begin_joint(to, joint, lane, c->row_a, c->row_b);
    copy3(row.g[0], c->axis, lane, -c->inv_sqrt_mass_a[lane]);
    copy3(row.g[1], c->axis, lane, c->inv_sqrt_mass_b[lane]);
    copy3(row.g[0] + 3, c->angular_a, lane, 1.0f);
    copy3(row.g[1] + 3, c->angular_b, lane, 1.0f);
    row.error = c->single.error[lane];
    row.kinematic = c->single.kinematic[lane];
    row.acceleration = c->single.acceleration[lane];
    row.rate = c->single.rate[lane];
    row.approach = c->single.approach[lane];
    row.source = &c->single.impulse[lane];
    add_row(to, &row, c->single.rigid[lane] > 0.5f ? 0.0f : c->single.softness[lane]);
}

static void copy_block(row_sink *to, void *bundle, int lane, int joint)
{
    dry_block_bundle *c = bundle;
    const dry_block_joint_row common = begin_joint(to, joint, lane, c->row_a, c->row_b);
    for (int i = 0; i < c->rows; i++) {
        dry_block_joint_row row = common;
        dry_block_row *from = &c->row[i];
        copy_row(&row, &from->pair, lane);
        row.error = from->error[lane];
        row.rate = c->rate[lane];
        row.source = &from->impulse[lane];
        add_row(to, &row, 0.0f);
    }
}

/* Copies one part of what acts along an axis. */
static void copy_part(row_sink *to, dry_axis_row *from, const dry_block_joint_row *along, int part, int lane)
{
    dry_axis_part *p = &from->part[part];
    dry_block_joint_row row = *along;
    const bool rigid = part == DRY_PART_FRICTION || p->rigid[lane] > 0.5f;
    row.stop = part == DRY_PART_LOWER || part == DRY_PART_UPPER;
    row.high = p->most[lane];
    row.source = &p->impulse[lane];
    if (part != DRY_PART_FRICTION) {
        row.error = from->value[lane] - p->offset[lane];
        row.rate = p->rate[lane];
        row.approach = p->approach[lane];
    }
    if (part == DRY_PART_UPPER) { /* its gap closes as the coordinate grows */
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 6; k++)
                row.g[side][k] = -row.g[side][k];
        row.error = -row.error;
        row.kinematic = -row.kinematic;
        row.acceleration = -row.acceleration;
    }
    if (part == DRY_PART_SPRING || part == DRY_PART_MOTOR)
        row.speed = p->speed[lane];
    if (row.stop && rigid)
        row.stop_restitution = from->stop_restitution[lane];
    add_row(to, &row, rigid ? 0.0f : p->softness[lane]);
}

static void copy_axes(row_sink *to, void *bundle, int lane, int joint)
{
    dry_axes_bundle *c = bundle;
    const dry_block_joint_row common = begin_joint(to, joint, lane, c->row_a, c->row_b);
    for (int i = 0; i < c->rows; i++) {
        dry_block_joint_row row = common;
        dry_axis_row *from = &c->row[i];
        copy_row(&row, &from->pair, lane);
        for (int part = 0; part < DRY_PART_COUNT; part++)
            if (c->uses[i] >> part & 1 && from->part[part].most[lane] > 0.0f)
                copy_part(to, from, &row, part, lane);
    }
}

typedef void copy_lane(row_sink *to, void *bundle, int lane, int joint);

static copy_lane *const copies[DRY_KIND_JOINTS] = {
    [DRY_KIND_POINT] = copy_point,
    [DRY_KIND_LINE] = copy_line,
    [DRY_KIND_BLOCK] = copy_block,
    [DRY_KIND_AXES] = copy_axes,
};

int dry_block_rows_most(const dry_solver_step *step, const dry_tier_range *range)
{
    static const int most[DRY_KIND_JOINTS] = {
        [DRY_KIND_POINT] = 3,
        [DRY_KIND_LINE] = 1,
        [DRY_KIND_BLOCK] = DRY_BLOCK_ROWS,
        [DRY_KIND_AXES] = DRY_AXES_ROWS * DRY_PART_COUNT,
    };
    int count = 0;
    for (int k = 0; k < DRY_KIND_JOINTS; k++) {
        const dry_bundle_range bundles = dry_tier_bundles(step->state, range, k);
        for (int b = bundles.begin; b < bundles.end; b++)
            count += most[k] * step->kinds[k]->lanes(step->state, step->kinds[k], b);
    }
    return count;
}

static void copy_tier(row_sink *to, const dry_tier_range *range)
{
    for (int k = 0; k < DRY_KIND_JOINTS; k++) {
        const dry_bundle_array *array = &to->step->state->sweeps.bundles[k];
        const dry_bundle_range bundles = dry_tier_bundles(to->step->state, range, k);
        for (int b = bundles.begin; b < bundles.end; b++)
            for (int lane = 0; lane < DRY_BUNDLE; lane++)
                if (array->members[b].index[lane] >= 0)
                    copies[k](to, (char *)array->bundle + (size_t)b * to->step->kinds[k]->bundle_bytes, lane,
                              array->members[b].index[lane]);
    }
}

int dry_block_rows_copy(const dry_solver_step *step, const dry_tier_range *range, dry_block_joint_row *rows,
                        int begin, int end)
{
    row_sink to = {.step = step,
                   .rows = rows,
                   .next = begin,
                   .end = end,
                   .again = begin < end,
                   .h = step->dt / (float)range->substeps};
    copy_tier(&to, range);
    for (int i = to.next; i < end; i++)
        silence(&rows[i]);
    return to.next;
}

/* Finds the bias of a stop: a hard one lets its gap close within the substep, pushes back what went through,
 * and bounces where it is reached fast. */
static void begin_stop(const dry_block_sweep *s, dry_block_joint_row *r, float own, float gap, float begin)
{
    if (r->hold == 0.0f) {
        r->bias = r->relaxed = own + r->rate * gap - r->approach * begin;
        return;
    }
    const float back = r->stop_restitution * begin;
    if (back < 0.0f && begin < -s->sweep.bounce_speed && gap + begin * s->sweep.substep < 0.0f) {
        r->bias = r->relaxed = own + back;
    } else if (gap > 0.0f) {
        r->bias = r->relaxed = own + gap * s->sweep.rate_free;
    } else {
        r->bias = own + dry_max(s->sweep.rate * gap, -s->sweep.bias_speed_max);
        r->relaxed = own;
    }
}

/* The share of a rigid row's multiplier that a substep begins with; its penalty finds the rest again. Nothing
 * else takes back the part that redundant rows hold against each other, which does work as the rows turn
 * (methods/DECISIONS.md). */
#define MULTIPLIER_KEPT 0.997f

void dry_block_rows_begin(const dry_solver_step *step, const dry_block_sweep *s, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        dry_block_joint_row *r = &s->row[i];
        const float own = r->kinematic + r->acceleration * s->sweep.acceleration_time;
        if (r->hold > 0.0f && !r->stop)
            r->impulse *= MULTIPLIER_KEPT;
        const float at_begin = speed_at_start(step, r) + own - r->acceleration * s->sweep.substep;
        const float q = r->error - r->speed * s->sweep.time;
        if (r->stop) {
            begin_stop(s, r, own, q, at_begin);
        } else if (r->hold == 0.0f) {
            r->bias = r->relaxed = own - r->speed + r->rate * q - r->approach * (at_begin - r->speed);
        } else {
            r->bias =
                own - r->speed +
                dry_clamp(r->rate * s->sweep.rate * q, -s->sweep.bias_speed_max, s->sweep.bias_speed_max);
            r->relaxed = own - r->speed;
        }
    }
}

static void multiply_row(const dry_block_sweep *s, dry_block_joint_row *r)
{
    const float error = along(r, s->sweep.rows[r->row[0]].u, s->sweep.rows[r->row[1]].u) + r->bias;
    const float total = r->hold * r->impulse - r->penalty * error;
    r->impulse = dry_max(r->low, dry_min(total, r->high));
    if (r->hold == 0.0f || total <= r->low || total >= r->high)
        return;
    const float most = s->penalty_max * r->mass;
    const float more = r->penalty + s->growth * dry_abs(error) * r->mass;
    r->penalty = dry_max(r->penalty, dry_min(more, most));
}

/* Tells whether a row holds a joint's point rigidly in one direction. */
static bool holds_point(const dry_block_joint_row *r)
{
    return r->hold > 0.0f && !r->turns && !r->stop && r->high >= FLT_MAX && r->speed == 0.0f;
}

/* Returns the end of the rows that hold one joint's point, from `first` on. */
static int end_of_point(const dry_block_sweep *s, int first, int end)
{
    int last = first + 1;
    while (last < end && holds_point(&s->row[first]) && holds_point(&s->row[last]) &&
           s->row[last].joint == s->row[first].joint)
        last++;
    return last;
}

/* Gives the rows of an open joint's point the largest of their penalties. A penalty grows with its own row's
 * error. Contradicting joints that stay open would be stiffer along the axes of their rows than between them.
 * Such joints would go to the pose in which all rows err alike, against any load. */
static void share_penalty(const dry_block_sweep *s, int first, int last)
{
    float square = 0.0f, penalty = 0.0f;
    for (int i = first; i < last; i++) {
        const float closing = s->row[i].bias - s->row[i].relaxed;
        square += closing * closing;
        penalty = dry_max(penalty, s->row[i].penalty);
    }
    const float least = OPEN_GAP * s->sweep.rate;
    for (int i = first; i < last && square > least * least; i++) {
        dry_block_joint_row *r = &s->row[i];
        r->penalty = dry_max(r->penalty, dry_min(penalty, s->penalty_max * r->mass));
    }
}

void dry_block_rows_multiply(const dry_block_sweep *s, int begin, int end)
{
    for (int i = begin; i < end; i++)
        multiply_row(s, &s->row[i]);
    for (int first = begin, last; first < end; first = last) {
        last = end_of_point(s, first, end);
        if (last > first + 1)
            share_penalty(s, first, last);
    }
}

void dry_block_rows_work(const dry_solver_step *step, const dry_block_sweep *s, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        const dry_block_joint_row *r = &s->row[i];
        if (r->hold > 0.0f && r->speed == 0.0f)
            continue;
        const double speed = (double)speed_at_start(step, r) +
                             (double)along(r, s->sweep.rows[r->row[0]].u, s->sweep.rows[r->row[1]].u);
        dry_ledger_add_work(step, (r->row[0] ? r->row[0] : r->row[1]) - 1, 0.5 * (double)r->impulse * speed);
    }
}

void dry_block_rows_write(const dry_block_joint_row *rows, int begin, int end)
{
    for (int i = begin; i < end; i++)
        *rows[i].source = rows[i].impulse;
}

void dry_block_rows_keep(const dry_solver_step *step, const dry_block_joint_row *rows, int begin, int end,
                         float h)
{
    for (int i = begin; i < end; i++)
        if (rows[i].hold > 0.0f)
            step->joints->penalty[rows[i].joint] = dry_joint_default_penalty;
    for (int i = begin; i < end; i++) {
        const dry_block_joint_row *r = &rows[i];
        if (r->hold == 0.0f)
            continue;
        dry_joint_penalty *kept = &step->joints->penalty[r->joint];
        float *k = r->turns ? &kept->angular : &kept->linear;
        *k = dry_max(*k, dry_min(r->penalty / (h * h), FLT_MAX));
    }
}
