/* Bounded axes of articulations: the rules of axes_kernels.h for one lane in double, by the motion of its
 * rows. Reads and writes the impulses of an axes bundle. */
#include "solver/sweeps/joints/coupled_axes.h"

#include "core/inertia.h"
#include "core/math.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/data/joints/axes.h"

#include <math.h>

static dry_axes_bundle *bundle_of(const dry_solver_step *step, int bundle)
{
    return (dry_axes_bundle *)step->state->sweeps.bundles[DRY_KIND_AXES].bundle + bundle;
}

/* Tells whether some lane of a bundle has a part of a row: else the part is not cleared. */
static bool uses(const dry_axes_bundle *c, int row, int part)
{
    return (c->uses[row] & 1u << part) != 0;
}

void dry_axes_couple(const dry_solver_step *step, int bundle, int lane, dry_coupled_rows *rows)
{
    const dry_axes_bundle *c = bundle_of(step, bundle);
    rows->row[0] = c->row_a[lane];
    rows->row[1] = c->row_b[lane];
    rows->count = 0;
    for (int i = 0; i < c->rows; i++) {
        const dry_axis_row *row = &c->row[i];
        for (int k = 0; k < 3; k++) {
            rows->g[i][k] = (double)row->linear_a[k][lane];
            rows->g[i][3 + k] = (double)row->angular_a[k][lane];
            rows->g[i][6 + k] = (double)row->linear_b[k][lane];
            rows->g[i][9 + k] = (double)row->angular_b[k][lane];
        }
        if (row->diagonal[lane] > 0.0f)
            rows->count = i + 1;
    }
}

/* A part of what acts along a row. */
typedef struct axis_lane {
    dry_axis_row *row;
    dry_axis_part *part;
    dry_coupled_motion *motion;
    const dry_sweep *sweep;
    bool position;
    double speed, begin, moved; /* of the row, with what bodies do of themselves */
    int i, lane;
} axis_lane;

/* Adds the sweep's share of a change to a part's impulse, as far as its bounds allow. */
static void apply(axis_lane *l, double change, double low, double high, double sign)
{
    const double share = l->position ? (double)l->sweep->relaxation : 1.0;
    float *impulse = &l->part->impulse[l->lane];
    const float before = *impulse;
    *impulse = (float)dry_clamp_double((double)before + share * change, low, high);
    const double applied = sign * ((double)*impulse - (double)before);
    l->speed += l->motion->block[l->i][l->i] * applied;
    dry_coupled_push(l->motion, l->i, applied);
}

/* Returns a part's softness along the row as joints let it move: a rigid part's is a share of its diagonal.
 */
static double softness_of(const axis_lane *l)
{
    const double softness = (double)l->part->softness[l->lane];
    if (!(l->part->rigid[l->lane] > 0.5f))
        return softness;
    return softness * l->motion->block[l->i][l->i] / (double)l->row->diagonal[l->lane];
}

static double bounded(const axis_lane *l, double bias)
{
    const double most = (double)l->sweep->bias_speed_max;
    return l->part->rigid[l->lane] > 0.5f ? fmin(fmax(bias, -most), most) : bias;
}

/* A spring or a motor: v + a q + eps lambda - (1 - b) v_begin = 0. */
static void solve_spring(axis_lane *l)
{
    const dry_axis_part *p = l->part;
    const int lane = l->lane;
    const double most = (double)p->most[lane], wanted = (double)p->speed[lane];
    const double speed = l->speed - wanted, diagonal = l->motion->block[l->i][l->i];
    double change = 0.0;
    if (l->position) {
        const double softness = softness_of(l);
        const double q = (double)p->error[lane] + l->moved - wanted * (double)l->sweep->time;
        double bias = (double)p->rate[lane] * q + softness * (double)p->impulse[lane];
        bias = bounded(l, bias) - (double)p->approach[lane] * (l->begin - wanted);
        change = -(speed + bias) / (diagonal + softness);
    } else if (p->rigid[lane] > 0.5f) {
        change = -speed / diagonal;
    }
    apply(l, change, -most, most, 1.0);
}

static void solve_friction(axis_lane *l)
{
    const double most = (double)l->part->most[l->lane];
    apply(l, -l->speed / l->motion->block[l->i][l->i], -most, most, 1.0);
}

/* Returns the speed to bounce back with of a stop that is reached within the substep; else 0. */
static double bounce_of(const axis_lane *l, double begin, double gap, double bounce_speed)
{
    const double back = (double)l->row->restitution[l->lane] * begin;
    const bool hit = begin < -bounce_speed && gap + begin * (double)l->sweep->substep < 0.0 && back < 0.0;
    return hit ? back : 0.0;
}

static void solve_stop(axis_lane *l, double sign, double bounce_speed)
{
    dry_axis_part *p = l->part;
    const int lane = l->lane;
    const double diagonal = l->motion->block[l->i][l->i];
    const double speed = sign * l->speed, begin = sign * l->begin;
    const double gap = (double)p->error[lane] + sign * l->moved;
    const bool rigid = p->rigid[lane] > 0.5f, bounces = l->row->restitution[lane] > 0.0f;
    const double closing = gap * (double)l->sweep->rate_free;
    double bias, mass = 1.0 / diagonal;
    if (l->position) {
        const double back = bounces ? bounce_of(l, begin, gap, bounce_speed) : 0.0;
        if (bounces)
            p->speed[lane] = (float)back;
        if (back < 0.0) {
            bias = back;
        } else if (rigid && gap > 0.0) {
            bias = closing;
        } else {
            const double softness = softness_of(l);
            bias = (double)p->rate[lane] * gap + softness * (double)p->impulse[lane];
            bias = bounded(l, bias) - (double)p->approach[lane] * begin;
            mass = 1.0 / (diagonal + softness);
        }
    } else {
        const double back = bounces ? (double)p->speed[lane] : 0.0;
        bias = back < 0.0 ? back : fmax(closing, 0.0);
        /* One that is just reached as the substep ends is hit in the next one. */
        const bool waits = bounces && begin < -bounce_speed && !(back < 0.0);
        mass = rigid && !waits ? mass : 0.0;
    }
    apply(l, -mass * (speed + bias), 0.0, (double)p->most[lane], sign);
}

static void visit_row(dry_axes_bundle *c, axis_lane *l, int i)
{
    l->row = &c->row[i];
    l->i = i;
    const int lane = l->lane;
    const double kinematic = (double)l->row->kinematic[lane], own = (double)l->row->acceleration[lane];
    const dry_sweep *s = l->sweep;
    l->speed = l->motion->speed[i] + kinematic + own * (double)s->acceleration_time;
    l->begin = l->motion->begin[i] + kinematic + own * (double)(s->acceleration_time - s->substep);
    l->moved = l->motion->moved[i] + kinematic * (double)s->time - own * (double)s->acceleration_lag;
    for (int p = 0; p < DRY_PART_COUNT; p++) {
        l->part = &l->row->part[p];
        if (!uses(c, i, p) || !(l->part->most[lane] > 0.0f))
            continue;
        if (p == DRY_PART_SPRING || p == DRY_PART_MOTOR)
            solve_spring(l);
        else if (p == DRY_PART_FRICTION)
            solve_friction(l);
        else
            solve_stop(l, p == DRY_PART_LOWER ? 1.0 : -1.0, (double)c->bounce_speed);
    }
}

/* Finds the impulse of dry_round_friction about axes with these diagonal elements, along which rows have the
 * speed `start` without it. */
static void slow(const double diagonal[3], const double start[3], double most, double impulse[3])
{
    double k = 0.0, length = 0.0;
    for (int step = 0; step <= DRY_ROUND_STEPS; step++) {
        double squared = 0.0, slope = 0.0;
        for (int i = 0; i < 3; i++) {
            const double softened = diagonal[i] + k;
            impulse[i] = softened > 0.0 ? -start[i] / softened : 0.0;
            squared += impulse[i] * impulse[i];
            slope += softened > 0.0 ? impulse[i] * impulse[i] / softened : 0.0;
        }
        length = sqrt(squared);
        if (length > most && step < DRY_ROUND_STEPS)
            k += (length / most - 1.0) * squared / slope;
    }
    for (int i = 0; i < 3 && length > most; i++)
        impulse[i] *= most / length;
}

/* Solves the friction of a ball joint. */
static void visit_round(dry_axes_bundle *c, const axis_lane *l)
{
    dry_coupled_motion *m = l->motion;
    dry_round_friction *r = &c->round;
    const int lane = l->lane, count = dry_min_int(m->count, 3);
    dry_inertia t = {0};
    double axes[3][3], diagonal[3], start[3], impulse[3], largest = 0.0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            t.m[i][k] = m->block[i < k ? i : k][i < k ? k : i];
    dry_inertia_diagonalize(&t, axes);
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, t.m[i][i]);
    for (int i = 0; i < 3; i++) {
        diagonal[i] = t.m[i][i] > DRY_ROUND_MIN * largest ? t.m[i][i] : 0.0;
        start[i] = 0.0;
        for (int k = 0; k < count; k++) {
            const dry_axis_row *row = &c->row[k];
            const double own = (double)row->kinematic[lane] +
                               (double)row->acceleration[lane] * (double)l->sweep->acceleration_time;
            start[i] += axes[k][i] * (m->speed[k] + own);
            start[i] -= diagonal[i] * axes[k][i] * (double)r->impulse[k][lane];
        }
    }
    slow(diagonal, start, (double)r->most[lane], impulse);
    const double share = l->position ? (double)l->sweep->relaxation : 1.0;
    for (int k = 0; k < count; k++) {
        const float before = r->impulse[k][lane];
        const double wanted = axes[k][0] * impulse[0] + axes[k][1] * impulse[1] + axes[k][2] * impulse[2];
        r->impulse[k][lane] = (float)((double)before + share * (wanted - (double)before));
        dry_coupled_push(m, k, (double)r->impulse[k][lane] - (double)before);
    }
}

void dry_axes_visit(const dry_solver_step *step, int bundle, int lane, const dry_sweep *sweep,
                    dry_sweep_kind kind, dry_coupled_motion *m)
{
    dry_axes_bundle *c = bundle_of(step, bundle);
    if (kind == DRY_SWEEP_EXCHANGE)
        return;
    axis_lane l = {.motion = m, .sweep = sweep, .position = kind == DRY_SWEEP_SOLVE, .lane = lane};
    if (kind == DRY_SWEEP_WARM) {
        for (int i = 0; i < m->count; i++)
            for (int p = 0; p < DRY_PART_COUNT; p++)
                if (uses(c, i, p)) {
                    const double held = (double)c->row[i].part[p].impulse[lane];
                    m->change[i] += (double)sweep->warm * (p == DRY_PART_UPPER ? -held : held);
                }
        for (int i = 0; i < m->count && i < 3 && c->round.most[lane] > 0.0f; i++)
            m->change[i] += (double)sweep->warm * (double)c->round.impulse[i][lane];
        return;
    }
    if (c->round.most[lane] > 0.0f) {
        visit_round(c, &l);
        return;
    }
    for (int pass = 0; pass < DRY_COUPLED_PASSES && (pass == 0 || m->count > 1); pass++)
        for (int i = 0; i < m->count; i++)
            if (m->block[i][i] > 0.0)
                visit_row(c, &l, i);
}

static void tally_lane(dry_axes_bundle *c, int lane)
{
    float squared = 0.0f;
    for (int i = 0; i < c->rows; i++) {
        dry_axis_row *row = &c->row[i];
        float impulse = i < 3 && c->rounds ? c->round.impulse[i][lane] : 0.0f;
        for (int p = 0; p < DRY_PART_COUNT; p++)
            impulse += !uses(c, i, p)        ? 0.0f
                       : p == DRY_PART_UPPER ? -row->part[p].impulse[lane]
                                             : row->part[p].impulse[lane];
        row->sum[lane] += impulse;
        squared += row->force[lane] * impulse * impulse;
    }
    c->peak[lane] = dry_max(c->peak[lane], squared);
}

void dry_axes_tally(const dry_solver_step *step, const dry_tier_range *range)
{
    const dry_bundle_range bundles = dry_tier_bundles(step->state, range, DRY_KIND_AXES);
    for (int b = bundles.begin; b < bundles.end; b++) {
        const int32_t *members = step->state->sweeps.bundles[DRY_KIND_AXES].members[b].index;
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            if (members[lane] >= 0 && dry_joint_is_direct(step->settings, step->joints, members[lane]))
                tally_lane(bundle_of(step, b), lane);
    }
}

void dry_axes_scale(const dry_solver_step *step, int bundle, int lane, float by)
{
    dry_axes_bundle *c = bundle_of(step, bundle);
    for (int i = 0; i < c->rows; i++)
        for (int p = 0; p < DRY_PART_COUNT; p++)
            if (uses(c, i, p))
                c->row[i].part[p].impulse[lane] *= by;
    for (int i = 0; i < 3 && c->rounds; i++)
        c->round.impulse[i][lane] *= by;
}
