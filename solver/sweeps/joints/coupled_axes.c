/* Bounded axes of articulations: the rules of axes_kernels.h for one lane in double, by the motion of its
 * rows. Reads and writes the impulses of an axes bundle. */
#define DRY_LANES 1
#define DRY_LANE_DOUBLE
#include "solver/sweeps/joints/joint_bundles.h"

#include "core/inertia.h"
#include "core/math.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/constraint/spook.h"
#include "solver/data/context.h"
#include "solver/data/rounding.h"
#include "solver/sweeps/joints/axes_kernels.h"

static dry_axes_bundle *bundle_of(const dry_solver_step *step, int bundle)
{
    return (dry_axes_bundle *)step->state->sweeps.bundles[DRY_KIND_AXES].bundle + bundle;
}

void dry_axes_couple(const dry_solver_step *step, int bundle, int at, dry_coupled_rows *rows)
{
    const dry_axes_bundle *c = bundle_of(step, bundle);
    rows->row[0] = c->row_a[at];
    rows->row[1] = c->row_b[at];
    rows->count = 0;
    for (int i = 0; i < c->rows; i++) {
        const dry_axis_row *row = &c->row[i];
        for (int k = 0; k < 3; k++) {
            rows->g[i][k] = (double)row->pair.linear_a[k][at];
            rows->g[i][3 + k] = (double)row->pair.angular_a[k][at];
            rows->g[i][6 + k] = (double)row->pair.linear_b[k][at];
            rows->g[i][9 + k] = (double)row->pair.angular_b[k][at];
        }
        if (row->diagonal[at] > 0.0f)
            rows->count = i + 1;
    }
}

/* Returns the speed along a row that bodies have of themselves, `time` after the step's middle. */
static double own_speed(const dry_axis_row *row, float time, int at)
{
    return (double)row->pair.kinematic[at] + (double)row->pair.acceleration[at] * (double)time;
}

static void visit_row(dry_axes_bundle *c, dry_coupled_motion *m, const dry_sweep *s, dry_sweep_kind kind,
                      int i, int at)
{
    const dry_axis_row *row = &c->row[i];
    const double diagonal = m->block[i][i];
    axis_motion motion = {
        .speed = m->speed[i] + own_speed(row, s->acceleration_time, at),
        .begin = m->begin[i] + own_speed(row, s->acceleration_time - s->substep, at),
        .moved = m->moved[i] + (double)row->pair.kinematic[at] * (double)s->time,
        .diagonal = diagonal,
        .inverse = 1.0 / diagonal,
        .scale = diagonal / (double)row->diagonal[at],
    };
    dry_coupled_push(m, i, axis_impulse(c, i, &motion, s, kind, at));
}

/* Solves the friction of a ball joint. */
static void visit_round(dry_axes_bundle *c, dry_coupled_motion *m, const dry_sweep *s, dry_sweep_kind kind,
                        int at)
{
    dry_round_friction *r = &c->round;
    const int count = dry_min_int(m->count, 3);
    dry_inertia t = {0};
    double axes[3][3], diagonal[3], start[3], impulse[3], largest = 0.0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            t.m[i][k] = m->block[i < k ? i : k][i < k ? k : i];
    dry_inertia_diagonalize(&t, axes);
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, t.m[i][i]);
    for (int i = 0; i < 3; i++) {
        diagonal[i] = t.m[i][i] > DRY_FLOAT_ROUNDING * largest ? t.m[i][i] : (double)DRY_STIFFNESS_MAX;
        start[i] = 0.0;
        for (int k = 0; k < count; k++) {
            start[i] += axes[k][i] * (m->speed[k] + own_speed(&c->row[k], s->acceleration_time, at));
            start[i] -= diagonal[i] * axes[k][i] * (double)r->impulse[k][at];
        }
    }
    axes_slow(diagonal, start, (double)r->most[at], impulse);
    for (int k = 0; k < count; k++) {
        const float before = r->impulse[k][at];
        const double wanted = axes[k][0] * impulse[0] + axes[k][1] * impulse[1] + axes[k][2] * impulse[2];
        r->impulse[k][at] = (float)((double)before + joint_share(s, kind) * ((double)before - wanted));
        dry_coupled_push(m, k, (double)r->impulse[k][at] - (double)before);
    }
}

void dry_axes_visit(const dry_solver_step *step, int bundle, int at, const dry_sweep *sweep,
                    dry_sweep_kind kind, dry_coupled_motion *m)
{
    dry_axes_bundle *c = bundle_of(step, bundle);
    const bool round = c->round.most[at] > 0.0f;
    if (kind == DRY_SWEEP_EXCHANGE)
        return;
    if (kind == DRY_SWEEP_WARM) {
        for (int i = 0; i < m->count; i++) {
            const double held = axis_held(&c->row[i], c->uses[i], at);
            m->change[i] += round && i < 3 ? held + (double)c->round.impulse[i][at] : held;
        }
        return;
    }
    if (round) {
        visit_round(c, m, sweep, kind, at);
        return;
    }
    for (int pass = 0; pass < DRY_COUPLED_PASSES && (pass == 0 || m->count > 1); pass++)
        for (int i = 0; i < m->count; i++)
            if (m->block[i][i] > 0.0)
                visit_row(c, m, sweep, kind, i, at);
}

void dry_axes_tally(const dry_solver_step *step, const dry_tier_range *range)
{
    const dry_bundle_range bundles = dry_tier_bundles(step->state, range, DRY_KIND_AXES);
    for (int b = bundles.begin; b < bundles.end; b++) {
        const int32_t *members = step->state->sweeps.bundles[DRY_KIND_AXES].members[b].index;
        for (int at = 0; at < DRY_BUNDLE; at++)
            if (members[at] >= 0 && dry_joint_is_direct(step->settings, step->joints, members[at]))
                axes_tally(bundle_of(step, b), at);
    }
}
