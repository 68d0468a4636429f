/* Contacts of articulations: the rules of sweep_kernels.h and friction.h for one lane in double, by the
 * motion of its rows. Reads and writes a contact bundle's impulses.
 *
 * Surfaces that meet within a substep bounce in its sweeps, by Newton's law along the normal [Spook 1-7]:
 * the rounds of solver/sweeps/impacts.c know nothing of joints. */
#include "solver/sweeps/contacts/coupled.h"

#include "core/math.h"
#include "solver/constraint/spook.h"
#include "solver/data/contacts/mode.h"
#include "solver/data/context.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rows of a contact: the normal ones at four points, then these. */
enum { POINTS = 4, TANGENT = POINTS, TORSION = TANGENT + 2, ROLLING = TORSION + 1, ROWS = ROLLING + 2 };
_Static_assert((int)ROWS <= (int)DRY_COUPLED_ROWS, "room for all rows");

/* The share of a pair's coupling that the solver takes, as in prepare_kernel.h. */
#define PAIR_COUPLING 0.984375

/* A lane of a bundle. */
typedef struct contact_lane {
    dry_contact_bundle *c;
    dry_contact_cold *cold;
    dry_contact_stiction *stiction; /* read in bundles that have static friction */
    dry_spook spring;               /* of a lane that has a stiffness */
    bool springs;                   /* it has one */
    float compliance;
    int32_t flags;
    int lane;
    const dry_sweep *sweep;
    bool position; /* with the position term */
    float bounce_speed;
} contact_lane;

/* One side of a contact: the frame's axes in the body, whitened, and the lever arm. */
static void add_side(dry_contact_bundle *c, int lane, int side, double frame[3][3], double point[POINTS][2],
                     double inv_sqrt_mass, dry_coupled_rows *rows)
{
    dry_lanes(*axes)[3] = side ? c->axis_b : c->axis_a;
    dry_lanes *arm = side ? c->lever_arm_b : c->lever_arm_a;
    const double r[3] = {(double)arm[0][lane], (double)arm[1][lane], (double)arm[2][lane]};
    const double sign = side ? 1.0 : -1.0;
    /* Each row's direction in the frame, and its angular part there: r x direction. */
    double linear[ROWS][3] = {{0}}, angular[ROWS][3] = {{0}};
    for (int i = 0; i < POINTS; i++) {
        linear[i][2] = 1.0;
        angular[i][0] = r[1] + point[i][1];
        angular[i][1] = -(r[0] + point[i][0]);
    }
    linear[TANGENT][0] = linear[TANGENT + 1][1] = 1.0;
    angular[TANGENT][1] = r[2], angular[TANGENT][2] = -r[1];
    angular[TANGENT + 1][0] = -r[2], angular[TANGENT + 1][2] = r[0];
    angular[TORSION][2] = angular[ROLLING][0] = angular[ROLLING + 1][1] = 1.0;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < 3; k++) {
            double l = 0.0, a = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                l += linear[i][axis] * frame[axis][k];
                a += angular[i][axis] * (double)axes[axis][k][lane];
            }
            rows->g[i][6 * side + k] = sign * inv_sqrt_mass * l;
            rows->g[i][6 * side + 3 + k] = sign * a;
        }
}

void dry_contact_couple(const dry_solver_step *step, int bundle, int lane, dry_coupled_rows *rows)
{
    dry_contact_bundle *c = &dry_contact_bundles(step->state)[bundle];
    const double n[3] = {(double)c->normal[0][lane], (double)c->normal[1][lane], (double)c->normal[2][lane]};
    /* The frame of solver/constraint/contacts/frame.h. */
    const double sign = n[2] < 0.0 ? -1.0 : 1.0, q = 1.0 / (1.0 + fabs(n[2]));
    double frame[3][3] = {{1.0 - n[0] * n[0] * q, -n[0] * n[1] * q, -sign * n[0]},
                          {-sign * n[0] * n[1] * q, sign * (1.0 - n[1] * n[1] * q), -n[1]},
                          {n[0], n[1], n[2]}};
    double point[POINTS][2];
    for (int k = 0; k < 2; k++) {
        point[3][k] = 0.0;
        for (int i = 0; i < 3; i++) {
            point[i][k] = (double)c->offset[i][k][lane];
            point[3][k] -= point[i][k];
        }
    }
    rows->row[0] = c->row_a[lane];
    rows->row[1] = c->row_b[lane];
    rows->count = ROWS;
    for (int side = 0; side < 2; side++)
        add_side(c, lane, side, frame, point, (double)step->state->bodies.rows[rows->row[side]].inv_sqrt_mass,
                 rows);
}

/* Stores an impulse, and applies its change as stored. */
static void set_impulse(float *impulse, double value, dry_coupled_motion *m, int row)
{
    const float before = *impulse;
    *impulse = (float)value;
    dry_coupled_push(m, row, (double)*impulse - (double)before);
}

/* One normal row, times its mass. */
typedef struct normal_row {
    double old, residual, coupling, softness;
} normal_row;

/* [Spook 26-27], as contact_spring_row. */
static void spring_row(normal_row *row, const contact_lane *l, double mass, double v, double start, double q)
{
    const double eps = (double)l->spring.softness * mass;
    const double change = mass * (v - (double)l->spring.approach * start);
    const double bias = mass * (double)l->spring.rate * q + eps * row->old;
    const double alone = (change + bias) / (1.0 + eps), most = -mass * (double)l->sweep->bias_speed_max;
    const bool bounded = bias - eps * alone < most;
    row->softness = bounded ? 1.0 : 1.0 + eps;
    row->residual = change + (bounded ? most : bias);
}

/* Returns the speed to bounce back with, negative, of surfaces that meet within the substep; else 0. */
static double bounce_of(const contact_lane *l, int i, double start, double q)
{
    if (!(l->flags & DRY_BUNDLE_IMPACT) || !(start < -(double)l->bounce_speed))
        return 0.0;
    const bool meet = q + start * (double)l->sweep->substep < 0.0;
    const double back = meet ? (double)l->cold->restitution[l->lane] * start : 0.0;
    l->cold->impact_speed[i][l->lane] = (float)back;
    return (double)l->cold->impact_speed[i][l->lane];
}

/* Returns the share of its error that a row removes, as contact_row_of and friction_relaxed. */
static double share_of(const contact_lane *l)
{
    return l->position ? (double)l->sweep->relaxation : 1.0;
}

static normal_row normal_row_of(const contact_lane *l, const dry_coupled_motion *m, int i, double mass)
{
    const dry_sweep *s = l->sweep;
    double v = m->speed[i], start = m->begin[i];
    double q = (double)l->c->separation[i][l->lane] + m->moved[i];
    if (l->flags & DRY_BUNDLE_KINEMATIC) {
        const double added = (double)l->cold->kinematic_normal[i][l->lane];
        v += added, start += added, q += added * (double)s->time;
    }
    normal_row row = {.old = (double)l->c->impulse[i][l->lane], .softness = 1.0};
    if (l->position) {
        const double bounce = bounce_of(l, i, start, q);
        if (bounce < 0.0) {
            row.residual = mass * (v + bounce);
        } else if (l->springs) {
            spring_row(&row, l, mass, v, start, q);
        } else {
            const bool open = q > 0.0;
            const double compliance =
                l->flags & DRY_BUNDLE_MIXED ? (double)l->cold->compliance[l->lane] : (double)l->compliance;
            const double eps = open ? 0.0 : compliance * (double)s->relative_softness;
            const double bias = mass * (double)(open ? s->rate_free : s->rate) * q + eps * row.old;
            row.softness = 1.0 + eps;
            row.residual = mass * v + fmax(bias, -mass * (double)s->bias_speed_max);
        }
        row.residual *= share_of(l);
        return row;
    }
    if (l->springs) {
        spring_row(&row, l, mass, v, start, q);
        return row;
    }
    row.residual = mass * (v + fmax((double)s->rate_free * q, 0.0));
    if (l->flags & DRY_BUNDLE_IMPACT) {
        const double bounce = (double)l->cold->impact_speed[i][l->lane];
        if (bounce < 0.0)
            row.residual = mass * (v + bounce);
        else if (q > 0.0 && l->cold->restitution[l->lane] > 0.0f)
            row.residual = fmax(row.residual, 0.0);
    }
    return row;
}

static double impulse_alone(const normal_row *i, const normal_row *j)
{
    return i->old - (i->residual - i->coupling * j->old) / i->softness;
}

/* Solves two points together, as contact_solve_pair. */
static void solve_pair(const contact_lane *l, dry_coupled_motion *m, int first)
{
    normal_row row[2];
    double mass[2];
    for (int i = 0; i < 2; i++) {
        const bool present = l->c->inverse_mass[first + i][l->lane] > 0.0f;
        mass[i] = present ? dry_coupled_mass(m, first + i) : 0.0;
        row[i] = normal_row_of(l, m, first + i, mass[i]);
    }
    const bool both = mass[0] > 0.0 && mass[1] > 0.0;
    const double coupling = both ? PAIR_COUPLING * m->block[first][first + 1] : 0.0;
    row[0].coupling = mass[0] * coupling;
    row[1].coupling = mass[1] * coupling;
    const double inverse = 1.0 / (row[0].softness * row[1].softness - row[0].coupling * row[1].coupling);
    const double x0 =
        row[0].old - inverse * (row[1].softness * row[0].residual - row[0].coupling * row[1].residual);
    const double x1 =
        row[1].old - inverse * (row[0].softness * row[1].residual - row[1].coupling * row[0].residual);
    const double total[2] = {fmax(x1 < 0.0 ? impulse_alone(&row[0], &row[1]) : x0, 0.0),
                             fmax(x0 < 0.0 ? impulse_alone(&row[1], &row[0]) : x1, 0.0)};
    for (int i = 0; i < 2; i++)
        set_impulse(&l->c->impulse[first + i][l->lane], mass[i] > 0.0 ? total[i] : 0.0, m, first + i);
}

static void solve_normals(const contact_lane *l, dry_coupled_motion *m)
{
    const bool act = l->position || (l->sweep->frictionless && !l->sweep->spook);
    const int times = !l->springs ? 1 : act ? 2 : 0;
    for (int i = 0; i < times; i++) {
        solve_pair(l, m, 0);
        solve_pair(l, m, 2);
    }
}

/* The inverse of a 2x2 block of S; zeros if there is none. */
typedef struct inverse_block {
    double xx, xy, yy;
} inverse_block;

static inverse_block inverse_at(const dry_coupled_motion *m, int row)
{
    const double xx = m->block[row][row], xy = m->block[row][row + 1], yy = m->block[row + 1][row + 1];
    const double determinant = xx * yy - xy * xy;
    if (!(xx > 0.0) || !(yy > 0.0) || !(determinant > 1e-12 * xx * yy)) {
        /* One direction may hardly move, and the other may: each by itself. */
        return (inverse_block){dry_coupled_mass(m, row), 0.0, dry_coupled_mass(m, row + 1)};
    }
    return (inverse_block){yy / determinant, -xy / determinant, xx / determinant};
}

typedef struct pair {
    double x, y;
} pair;

static bool has_box(const contact_lane *l)
{
    return contact_friction_is_box(l->sweep->friction);
}

static pair shortened(pair f, double limit)
{
    const double size = sqrt(f.x * f.x + f.y * f.y), scale = size > limit ? limit / size : 1.0;
    return (pair){f.x * scale, f.y * scale};
}

/* Newton's steps for sliding friction. Its equation is nearly linear: 6 leave less than 1e-6 of the limit in
 * 998 of 1,000 generated cases (eigenvalues of K up to 1:1e7), and 6 % at most. */
enum { SLIDING_STEPS = 6 };
/* Less than this share of K's trace is rounding of S. */
#define LEAST_SHARE 1e-8

/* Clamps an impulse f, which would stop the motion along two rows, to Coulomb's cone. Outside the cone the
 * patch slides. Friction has the size of its limit then, and opposes the sliding that it leaves: mu f = -v',
 * v' = v + K (f - old). So (K + mu) f = K old - v, for the mu that gives f this size: no friction takes more
 * energy. Joints may leave one direction a thousand times the mobility of the other. Friction against v, as
 * in friction_in_cone, would throw the body along the first one. */
static pair in_cone(const dry_coupled_motion *m, int row, pair f, pair v, pair old, double limit)
{
    if (f.x * f.x + f.y * f.y <= limit * limit)
        return f;
    if (!(limit > 0.0))
        return (pair){0.0, 0.0};
    const double xx = m->block[row][row], xy = m->block[row][row + 1], yy = m->block[row + 1][row + 1];
    const pair r = {xx * old.x + xy * old.y - v.x, xy * old.x + yy * old.y - v.y};
    const double trace = xx + yy, size = sqrt(r.x * r.x + r.y * r.y);
    if (!(size > 1e-100)) /* nothing moves, and nothing is to */
        return shortened(f, limit);
    /* |f| is at least |r| / (trace K + mu): the root lies above this mu, from which Newton's method rises. */
    const double least = LEAST_SHARE * trace;
    double mu = fmax(size / limit - trace, least);
    for (int i = 0; i < SLIDING_STEPS; i++) {
        const double a = xx + mu, c = yy + mu;
        const double inverse = 1.0 / fmax(a * c - xy * xy, least * least);
        f = (pair){inverse * (c * r.x - xy * r.y), inverse * (a * r.y - xy * r.x)};
        const double square = f.x * f.x + f.y * f.y;
        const double bend = inverse * (c * f.x * f.x - 2.0 * xy * f.x * f.y + a * f.y * f.y);
        if (!(bend > 0.0) || !(square > limit * limit))
            break;
        mu += (sqrt(square) / limit - 1.0) * square / bend;
    }
    return shortened(f, limit);
}

/* As friction_against_velocity. */
static pair against_velocity(const inverse_block *b, pair v, pair old, double share)
{
    const double size = fmax(fmax(fabs(v.x), fabs(v.y)), (double)FLT_MIN);
    const pair d = {v.x / size, v.y / size};
    const double determinant = b->xx * b->yy - b->xy * b->xy;
    const double block = (b->yy * d.x - b->xy * d.y) * d.x + (b->xx * d.y - b->xy * d.x) * d.y;
    const double mass = block > 0.0 ? share * (d.x * d.x + d.y * d.y) * determinant / block : 0.0;
    return (pair){old.x - mass * v.x, old.y - mass * v.y};
}

static double box_of(const contact_lane *l, dry_lanes *box, double normal)
{
    return normal > 0.0 ? (double)(*box)[l->lane] * (double)l->sweep->substep : 0.0;
}

static pair in_box(pair f, double box)
{
    return (pair){dry_clamp_double(f.x, -box, box), dry_clamp_double(f.y, -box, box)};
}

/* As friction_with_stiction. */
static pair with_stiction(const contact_lane *l, pair stopping, pair sliding, pair old, double normal,
                          double limit)
{
    float *state = &l->stiction->state[l->lane];
    const bool back = *state < DRY_PATCH_SLIPS && stopping.x * old.x + stopping.y * old.y < 0.0;
    const bool holds = *state < DRY_PATCH_SLIDES || back;
    *state = DRY_PATCH_STICKS;
    if (!(l->stiction->friction[l->lane] > l->c->friction[l->lane]))
        return sliding;
    double most = (double)l->stiction->friction[l->lane] * normal;
    double size = sqrt(stopping.x * stopping.x + stopping.y * stopping.y);
    if (has_box(l)) {
        most = box_of(l, &l->stiction->box, normal);
        size = fmax(fabs(stopping.x), fabs(stopping.y));
    }
    *state = holds || size <= limit ? DRY_PATCH_STICKS : DRY_PATCH_SLIDES;
    if (!holds)
        return sliding;
    return has_box(l) ? in_box(stopping, most) : shortened(stopping, most);
}

static double normal_impulse(const contact_lane *l)
{
    dry_lanes *impulse =
        l->sweep->friction == DRY_FRICTION_TWO_PHASE ? l->cold->other_impulse : l->c->impulse;
    double sum = 0.0;
    for (int i = 0; i < POINTS; i++)
        sum += (double)impulse[i][l->lane];
    return sum;
}

static double added(const contact_lane *l, dry_lanes *kinematic, int k)
{
    return l->flags & DRY_BUNDLE_KINEMATIC ? (double)kinematic[k][l->lane] : 0.0;
}

static void solve_tangents(const contact_lane *l, dry_coupled_motion *m, double normal, double limit)
{
    const inverse_block b = inverse_at(m, TANGENT);
    const pair v = {m->speed[TANGENT] + added(l, l->cold->kinematic_tangent, 0),
                    m->speed[TANGENT + 1] + added(l, l->cold->kinematic_tangent, 1)};
    float *impulse[2] = {&l->c->friction_impulse[0][l->lane], &l->c->friction_impulse[1][l->lane]};
    const pair old = {(double)*impulse[0], (double)*impulse[1]};
    const double share = share_of(l);
    pair stopping = {old.x - share * (b.xx * v.x + b.xy * v.y), old.y - share * (b.xy * v.x + b.yy * v.y)}, f;
    if (l->sweep->friction == DRY_FRICTION_VELOCITY) {
        stopping = against_velocity(&b, v, old, share);
        f = shortened(stopping, limit);
    } else if (has_box(l)) {
        limit = box_of(l, &l->cold->friction_box, normal);
        f = in_box(stopping, limit);
    } else {
        f = in_cone(m, TANGENT, stopping, v, old, limit);
    }
    if (l->flags & DRY_BUNDLE_STICTION)
        f = with_stiction(l, stopping, f, old, normal, limit);
    set_impulse(impulse[0], f.x, m, TANGENT);
    set_impulse(impulse[1], f.y, m, TANGENT + 1);
}

static void solve_rolling(const contact_lane *l, dry_coupled_motion *m, double normal)
{
    const inverse_block b = inverse_at(m, ROLLING);
    const pair w = {m->speed[ROLLING] + added(l, l->cold->kinematic_rolling, 0),
                    m->speed[ROLLING + 1] + added(l, l->cold->kinematic_rolling, 1)};
    float *impulse[2] = {&l->cold->rolling_impulse[0][l->lane], &l->cold->rolling_impulse[1][l->lane]};
    const pair old = {(double)*impulse[0], (double)*impulse[1]};
    const double share = share_of(l);
    const pair stopping = {old.x - share * (b.xx * w.x + b.xy * w.y),
                           old.y - share * (b.xy * w.x + b.yy * w.y)};
    const pair f = in_cone(m, ROLLING, stopping, w, old, (double)l->cold->rolling_limit[l->lane] * normal);
    set_impulse(impulse[0], f.x, m, ROLLING);
    set_impulse(impulse[1], f.y, m, ROLLING + 1);
}

static void solve_friction(const contact_lane *l, dry_coupled_motion *m)
{
    const double normal = normal_impulse(l), limit = (double)l->c->friction[l->lane] * normal;
    solve_tangents(l, m, normal, limit);
    const double w = share_of(l) * (m->speed[TORSION] + added(l, &l->cold->kinematic_torsion, 0));
    float *torsion = &l->c->torsion_impulse[l->lane];
    const double most = limit * (double)l->c->patch_radius[l->lane];
    set_impulse(torsion, dry_clamp_double((double)*torsion - dry_coupled_mass(m, TORSION) * w, -most, most),
                m, TORSION);
    if (l->flags & DRY_BUNDLE_ROLLING)
        solve_rolling(l, m, normal);
}

/* Raises the loads of both bodies, as load.h. A point moves what all joints let it move, and gives way
 * accordingly. */
static void note_loads(const contact_lane *l, const dry_coupled_motion *m)
{
    double largest = 0.0, sum = 0.0, points = 0.0;
    for (int i = 0; i < POINTS; i++) {
        if (!(l->c->inverse_mass[i][l->lane] > 0.0f))
            continue;
        const double load = m->block[i][i] * (double)l->c->impulse[i][l->lane] / (double)l->sweep->substep;
        largest = fmax(largest, load);
        sum += load;
        points += 1.0;
    }
    const float load = (float)(sum > 0.0 ? largest * (largest * points / sum) : 0.0);
    const int32_t row[2] = {l->c->row_a[l->lane], l->c->row_b[l->lane]};
    for (int side = 0; side < 2; side++)
        if (row[side] > 0) {
            uint32_t bits, *most = &l->sweep->loads[row[side] - 1];
            memcpy(&bits, &load, sizeof bits);
            *most = load > 0.0f && bits > *most ? bits : *most;
        }
}

/* The impulses of all rows; null where the bundle has none. */
static void find_impulses(const contact_lane *l, float *now[ROWS], float *other[ROWS])
{
    const int lane = l->lane;
    for (int i = 0; i < POINTS; i++)
        now[i] = &l->c->impulse[i][lane], other[i] = &l->cold->other_impulse[i][lane];
    for (int i = 0; i < 2; i++) {
        now[TANGENT + i] = &l->c->friction_impulse[i][lane];
        other[TANGENT + i] = &l->cold->other_friction[i][lane];
        const bool rolls = l->flags & DRY_BUNDLE_ROLLING;
        now[ROLLING + i] = rolls ? &l->cold->rolling_impulse[i][lane] : NULL;
        other[ROLLING + i] = rolls ? &l->cold->other_rolling[i][lane] : NULL;
    }
    now[TORSION] = &l->c->torsion_impulse[lane], other[TORSION] = &l->cold->other_torsion[lane];
}

/* Applies the impulses that the bundle holds, or exchanges them for those of friction's other phase. */
static void apply_held(const contact_lane *l, dry_sweep_kind kind, dry_coupled_motion *m)
{
    float *now[ROWS], *other[ROWS];
    find_impulses(l, now, other);
    for (int i = 0; i < ROWS; i++) {
        if (!now[i])
            continue;
        const float before = kind == DRY_SWEEP_EXCHANGE ? *now[i] : 0.0f;
        if (kind == DRY_SWEEP_EXCHANGE) {
            *now[i] = *other[i];
            *other[i] = before;
        }
        m->change[i] += (double)l->sweep->warm * ((double)*now[i] - (double)before);
    }
}

/* As contact_spring_of. */
static void find_spring(const dry_solver_step *step, const dry_contact_header *header, contact_lane *l)
{
    const dry_sweep *s = l->sweep;
    l->springs = s->spook;
    l->spring = (dry_spook){.rate = s->rate, .softness = s->softness, .approach = s->approach_scale};
    if (!(l->flags & DRY_BUNDLE_SPRING))
        return;
    const dry_contact_spring *own = &step->state->sweeps.springs[header->cold];
    l->springs = own->given[l->lane] > 0.0f;
    l->spring = (dry_spook){
        .rate = own->rate[l->lane], .softness = own->softness[l->lane], .approach = own->approach[l->lane]};
}

static contact_lane lane_of(const dry_solver_step *step, int bundle, int lane, const dry_sweep *sweep)
{
    const dry_contact_header *header = &step->state->sweeps.headers[bundle];
    dry_contact_cold *cold = &step->state->sweeps.cold[header->cold];
    return (contact_lane){
        .c = &dry_contact_bundles(step->state)[bundle],
        .cold = cold,
        .stiction = cold->flags & DRY_BUNDLE_STICTION ? &step->state->sweeps.stiction[header->cold] : NULL,
        .compliance = header->compliance,
        .flags = cold->flags,
        .lane = lane,
        .sweep = sweep,
        .bounce_speed = step->settings->restitution_speed_min,
    };
}

void dry_contact_visit(const dry_solver_step *step, int bundle, int lane, const dry_sweep *sweep,
                       dry_sweep_kind kind, dry_coupled_motion *m)
{
    contact_lane l = lane_of(step, bundle, lane, sweep);
    l.position = kind == DRY_SWEEP_SOLVE;
    if (kind == DRY_SWEEP_WARM || kind == DRY_SWEEP_EXCHANGE) {
        apply_held(&l, kind, m);
        return;
    }
    find_spring(step, &step->state->sweeps.headers[bundle], &l);
    for (int i = 0; i < DRY_COUPLED_PASSES; i++) {
        if (l.position && !sweep->frictionless)
            solve_friction(&l, m);
        solve_normals(&l, m);
        if (!l.position && !sweep->frictionless)
            solve_friction(&l, m);
    }
    if (sweep->loads)
        note_loads(&l, m);
}

void dry_contact_scale(const dry_solver_step *step, int bundle, int lane, float by)
{
    const contact_lane l = lane_of(step, bundle, lane, NULL);
    float *now[ROWS], *other[ROWS];
    find_impulses(&l, now, other);
    for (int i = 0; i < ROWS; i++)
        if (now[i])
            *now[i] *= by;
}
