/* The impact of one contact [Spook 1-7]. Reads a bundle and its cold block; writes impact rows and the block
 * of impacts. In double precision, lane by lane: few contacts bounce in a step, and energy is as exact
 * as the velocities' single precision allows. */
#include "solver/sweeps/contacts/impact.h"

#include "core/math.h"
#include "solver/bodies/begin.h"
#include "solver/data/context.h"
#include "solver/data/rounding.h"
#include "solver/sweeps/contacts/lane_rows.h"

#include <math.h>

/* Rows of an impact: those before rolling. */
enum { IMPACT_ROWS = ROLLING };

static double dot12(const double a[12], const double b[12])
{
    double sum = 0.0;
    for (int i = 0; i < 12; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Two bodies' motion as one vector. */
typedef struct impact_motion {
    double u[12], d[12], carry[12], lag[12];
    double root[2]; /* 1 / sqrt(m) */
} impact_motion;

static void find_motion(const dry_contact_bundle *c, int lane, const dry_impact_row *rows, impact_motion *m)
{
    const dry_impact_row *side[2] = {&rows[c->row_a[lane]], &rows[c->row_b[lane]]};
    for (int i = 0; i < 2; i++)
        m->root[i] = (double)side[i]->inv_sqrt_mass;
    for (int i = 0; i < 12; i++) {
        m->u[i] = (double)side[i / 6]->u[i % 6];
        m->d[i] = (double)side[i / 6]->d[i % 6];
        m->carry[i] = (double)side[i / 6]->carry[i % 6];
        m->lag[i] = (double)side[i / 6]->lag[i % 6];
    }
}

/* Returns the speed that kinematic bodies add to a row. */
static double kinematic_speed(const dry_contact_cold *cold, int row, int lane)
{
    if (!(cold->flags & DRY_BUNDLE_KINEMATIC))
        return 0.0;
    if (row < TANGENT)
        return (double)cold->kinematic_normal[row][lane];
    return (double)(row < TORSION ? cold->kinematic_tangent[row - TANGENT] : cold->kinematic_torsion)[lane];
}

/* Finding. */

/* Returns when a gap q closes at speed v and acceleration a, both towards larger gaps; more than `latest` if
 * it does not. At that time v^2 has grown by 2 a q: gravity's work on the way to the surface. */
static double closing_time(double q, double v, double a, double latest)
{
    const double never = 2.0 * latest;
    if (q <= 0.0)
        return 0.0;
    const double square = v * v - 2.0 * a * q;
    if (square < 0.0)
        return never;
    const double denominator = sqrt(square) - v;
    return denominator * latest >= 2.0 * q ? 2.0 * q / denominator : never;
}

/* Finds how far b's center is, relative to a's, from where both lever arms lead to one point when the
 * surfaces meet, in the bundle's frame. Beside a body that no impulse moves nobody needs it. */
static void find_shift(const dry_contact_bundle *c, int lane, const dry_coupled_rows *r,
                       const impact_motion *m, const dry_impact_substep *time, double when, double shift[3])
{
    shift[0] = shift[1] = shift[2] = 0.0;
    if (c->row_a[lane] == 0 || c->row_b[lane] == 0)
        return;
    const dry_position *a = &dry_start_pose(time->step, c->row_a[lane] - 1)->position,
                       *b = &dry_start_pose(time->step, c->row_b[lane] - 1)->position;
    double between[3] = {b->x - a->x, b->y - a->y, b->z - a->z};
    for (int i = 0; i < 3; i++)
        between[i] +=
            m->root[1] * (m->d[6 + i] + when * m->u[6 + i]) - m->root[0] * (m->d[i] + when * m->u[i]);
    /* The rows at the patch's center have the directions of the frame. */
    static const int of_axis[3] = {TANGENT, TANGENT + 1, 0};
    for (int k = 0; k < 3; k++) {
        const double *axis = r->g[of_axis[k]] + 6;
        const double along = axis[0] * between[0] + axis[1] * between[1] + axis[2] * between[2];
        shift[k] = along / m->root[1] - ((double)c->lever_arm_a[k][lane] - (double)c->lever_arm_b[k][lane]);
    }
}

typedef struct impact_meeting {
    double when[POINTS]; /* each point closes, from the substep's begin, s */
    double next[POINTS]; /* the gap that the sweeps see half a substep after this one, m */
    double first;        /* the earliest time at which one closes faster than the threshold */
    bool meets;
} impact_meeting;

static impact_meeting find_meeting(const dry_contact_bundle *c, const dry_contact_cold *cold, int lane,
                                   const dry_coupled_rows *r, const impact_motion *m,
                                   const dry_impact_substep *time)
{
    const double h = (double)time->h, never = 2.0 * h;
    impact_meeting meeting = {.when = {never, never, never, never}, .first = h};
    for (int i = 0; i < POINTS && c->inverse_mass[i][lane] > 0.0f; i++) {
        const double added = kinematic_speed(cold, i, lane);
        const double q = (double)c->separation[i][lane] + dot12(r->g[i], m->d) + added * (double)time->begin;
        const double v = dot12(r->g[i], m->u) + added, a = dot12(r->g[i], m->carry) / h;
        /* The sweeps know no parabolas, and close gaps a little earlier: then the surfaces meet in time. */
        const double way = h * (v + a * h), end = q - dot12(r->g[i], m->lag) + way;
        double when = closing_time(q, v, a, h);
        when = when > h && end < 0.0 ? h : when;
        meeting.next[i] = q > 0.0 ? end + 0.5 * way : 0.0;
        meeting.when[i] = when;
        if (when <= h && v + a * when < -(double)time->step->settings->restitution_speed_min) {
            meeting.first = fmin(meeting.first, when);
            meeting.meets = true;
        }
    }
    return meeting;
}

bool dry_impact_find(dry_contact_bundle *c, const dry_contact_cold *cold, dry_contact_impact *impact,
                     int lane, const dry_impact_row *rows, const dry_impact_substep *time)
{
    const dry_impact_row *a = &rows[c->row_a[lane]], *b = &rows[c->row_b[lane]];
    if (!dry_contact_bounces(impact, lane) ||
        (time->round > 0 && a->round != time->round - 1 && b->round != time->round - 1))
        return false;
    impact_motion m;
    find_motion(c, lane, rows, &m);
    static const double none[3] = {0.0, 0.0, 0.0};
    double shift[3], speed[IMPACT_ROWS];
    dry_coupled_rows r;
    dry_contact_find_rows(c, lane, m.root, none, &r);
    const impact_meeting meeting = find_meeting(c, cold, lane, &r, &m, time);
    if (!meeting.meets)
        return false;
    find_shift(c, lane, &r, &m, time, meeting.first, shift);
    dry_contact_find_rows(c, lane, m.root, shift, &r);
    for (int i = 0; i < IMPACT_ROWS; i++)
        speed[i] = dot12(r.g[i], m.u) + dot12(r.g[i], m.carry) * meeting.first / (double)time->h +
                   kinematic_speed(cold, i, lane);
    /* All points that meet within the substep do so at once: a flat landing stays flat. */
    bool any = false;
    for (int i = 0; i < IMPACT_ROWS; i++) {
        const bool meets = i < TANGENT && meeting.when[i] <= (double)time->h && speed[i] < 0.0;
        any |= meets;
        impact->speed[i][lane] = meets || i >= TANGENT ? (float)speed[i] : 0.0f;
        impact->impulse[i][lane] = 0.0f;
    }
    for (int i = 0; i < 3; i++)
        impact->shift[i][lane] = (float)shift[i];
    impact->time[lane] = (float)meeting.first;
    /* No sweep stops surfaces that pass each other, since their normal has turned in this step. */
    for (int i = 0; i < POINTS && !any; i++)
        c->separation[i][lane] -= (float)fmin(meeting.next[i], 0.0);
    return any;
}

/* Solving. */

/* One manifold's equations: impulses j change the rows' speeds from w to w + a j. */
typedef struct impact_block {
    double a[IMPACT_ROWS][IMPACT_ROWS];
    double w[IMPACT_ROWS];
    double wanted[4]; /* -e u of each point that meets */
    bool meets[4];
} impact_block;

/* Sweeps of the points' linear complementarity problem. Landings need 10 to 30; the error shrinks by half and
 * more in each. */
enum { POINT_SWEEPS = 64 };

/* Friction jams a point if it takes away this share of the effect of the point's impulse. */
#define JAMMED 1e-3

/* Finds normal impulses j >= 0 with speeds s + k j >= wanted, equal where j > 0. Returns false if a point's
 * own impulse does not part it, as friction that jams makes it. */
static bool solve_points(const impact_block *b, const double k[4][4], const double s[4], double j[4])
{
    for (int i = 0; i < 4; i++) {
        j[i] = 0.0;
        if (b->meets[i] && !(k[i][i] > JAMMED * b->a[i][i]))
            return false;
    }
    for (int sweep = 0; sweep < POINT_SWEEPS; sweep++) {
        double largest = 0.0, change = 0.0;
        for (int i = 0; i < POINTS; i++) {
            if (!b->meets[i])
                continue;
            double speed = s[i] - b->wanted[i];
            for (int l = 0; l < POINTS; l++)
                speed += k[i][l] * j[l];
            const double next = fmax(j[i] - speed / k[i][i], 0.0);
            change = fmax(change, fabs(next - j[i]));
            largest = fmax(largest, next);
            j[i] = next;
        }
        if (change <= DRY_DOUBLE_ROUNDING * largest)
            break;
    }
    return true;
}

static double sum4(const double j[4])
{
    return j[0] + j[1] + j[2] + j[3];
}

/* Returns the inverse of the tangents' 2x2 block; zero if the contact cannot slide. */
static void invert_tangents(const impact_block *b, double inverse[2][2])
{
    const double xx = b->a[4][4], xy = b->a[4][5], yy = b->a[5][5], determinant = xx * yy - xy * xy;
    const double scale = determinant > DRY_DOUBLE_ROUNDING * xx * yy ? 1.0 / determinant : 0.0;
    inverse[0][0] = yy * scale;
    inverse[1][1] = xx * scale;
    inverse[0][1] = inverse[1][0] = -xy * scale;
}

/* Sticks: the tangent velocity after the impact is 0 [Spook 1-2]. Friction is eliminated from the points'
 * rows. */
static void stick(const impact_block *b, double j[IMPACT_ROWS])
{
    double inverse[2][2], k[4][4], s[4];
    invert_tangents(b, inverse);
    for (int i = 0; i < 4; i++) {
        double coupled[2];
        for (int t = 0; t < 2; t++)
            coupled[t] = b->a[i][TANGENT] * inverse[0][t] + b->a[i][TANGENT + 1] * inverse[1][t];
        s[i] = b->w[i] - coupled[0] * b->w[TANGENT] - coupled[1] * b->w[TANGENT + 1];
        for (int l = 0; l < 4; l++)
            k[i][l] = b->a[i][l] - coupled[0] * b->a[TANGENT][l] - coupled[1] * b->a[TANGENT + 1][l];
    }
    if (!solve_points(b, (const double(*)[4])k, s, j))
        j[0] = j[1] = j[2] = j[3] = 0.0;
    double v[2];
    for (int t = 0; t < 2; t++) {
        v[t] = b->w[TANGENT + t];
        for (int i = 0; i < 4; i++)
            v[t] += b->a[TANGENT + t][i] * j[i];
    }
    j[TANGENT] = -(inverse[0][0] * v[0] + inverse[0][1] * v[1]);
    j[TANGENT + 1] = -(inverse[1][0] * v[0] + inverse[1][1] * v[1]);
}

/* Returns the direction of sliding [Spook 4]: that of the tangent velocity u before the impact. If sticking
 * would take an impulse along u, the contact stops within the impact and slides on the other way; then, and
 * without u, the direction is opposite to that impulse. */
static void find_sliding(const dry_contact_impact *impact, int lane, const double j[IMPACT_ROWS], double t[2])
{
    const double u[2] = {(double)impact->speed[TANGENT][lane], (double)impact->speed[TANGENT + 1][lane]};
    const double speed = sqrt(u[0] * u[0] + u[1] * u[1]);
    const double *f = &j[TANGENT], size = sqrt(f[0] * f[0] + f[1] * f[1]);
    double approach = 0.0;
    for (int i = 0; i < 4; i++)
        approach = fmax(approach, -(double)impact->speed[i][lane]);
    const bool goes_on = speed > DRY_FLOAT_ROUNDING * approach && u[0] * f[0] + u[1] * f[1] < 0.0;
    for (int k = 0; k < 2; k++)
        t[k] = goes_on ? u[k] / speed : -f[k] / size;
}

/* Slides: friction is mu times the normal impulses against t [Spook 4-5]. */
static void slide(const impact_block *b, double mu, const double t[2], double j[IMPACT_ROWS])
{
    double k[4][4], normal[4];
    for (int i = 0; i < 4; i++) {
        const double friction = mu * (b->a[i][TANGENT] * t[0] + b->a[i][TANGENT + 1] * t[1]);
        for (int l = 0; l < 4; l++)
            k[i][l] = b->a[i][l] - friction;
    }
    /* Keeps the impulses of sticking, within the cone, where friction jams. */
    if (solve_points(b, (const double(*)[4])k, b->w, normal))
        for (int i = 0; i < 4; i++)
            j[i] = normal[i];
    for (int i = 0; i < 2; i++)
        j[TANGENT + i] = -mu * sum4(j) * t[i];
}

/* Solves friction about the normal for the present impulses: the points of a patch resist its spin within mu
 * N at the patch's mean radius. */
static void twist(const dry_contact_bundle *c, const impact_block *b, int lane, double j[IMPACT_ROWS])
{
    const float radius = c->patch_radius[lane] > DRY_PATCH_LEAST ? c->patch_radius[lane] : 0.0f;
    const double limit = (double)c->friction[lane] * sum4(j) * (double)radius;
    double speed = b->w[TORSION];
    for (int i = 0; i < TORSION; i++)
        speed += b->a[TORSION][i] * j[i];
    const double own = b->a[TORSION][TORSION];
    j[TORSION] = own > 0.0 ? dry_clamp_double(-speed / own, -limit, limit) : 0.0;
}

/* Makes the impulses energy-neutral if they gain energy, as Newton's law with friction may. The gain of a
 * round is the sum of (speed before + speed after) J / 2 over its contacts. Returns true if this contact's
 * share was positive. */
static bool limit_energy(const dry_contact_impact *impact, int lane, const impact_block *b,
                         const double old[IMPACT_ROWS], double j[IMPACT_ROWS])
{
    double work = 0.0, square = 0.0;
    for (int i = 0; i < IMPACT_ROWS; i++) {
        const double held = i < TORSION ? b->a[i][TORSION] * old[TORSION] : 0.0;
        work += 0.5 * ((double)impact->speed[i][lane] + b->w[i] - held) * j[i];
        for (int k = 0; k < IMPACT_ROWS; k++)
            square += j[i] * b->a[i][k] * j[k];
    }
    if (work + 0.5 * square <= DRY_FLOAT_ROUNDING * fabs(work))
        return false;
    const double scale = square > 0.0 ? fmax(-2.0 * work / square, 0.0) : 0.0;
    for (int i = 0; i < IMPACT_ROWS; i++)
        j[i] = dry_scale_motion(scale, j[i]);
    return true;
}

static void find_block(const dry_contact_cold *cold, const dry_contact_impact *impact, int lane,
                       const dry_coupled_rows *r, const impact_motion *m, double share,
                       const double old[IMPACT_ROWS], impact_block *b)
{
    for (int i = 0; i < IMPACT_ROWS; i++) {
        for (int k = 0; k < IMPACT_ROWS; k++)
            b->a[i][k] = dot12(r->g[i], r->g[k]);
        b->w[i] = dot12(r->g[i], m->u) + share * dot12(r->g[i], m->carry) + kinematic_speed(cold, i, lane);
    }
    for (int i = 0; i < TANGENT; i++) {
        const double u = (double)impact->speed[i][lane];
        b->meets[i] = u < 0.0;
        b->wanted[i] = dry_contact_rebound(impact, lane, u);
    }
    /* The torsion of the last sweep stays while the others are solved; it is solved with theirs afterwards.
     */
    for (int i = 0; i < IMPACT_ROWS; i++)
        for (int k = 0; k < (i == TORSION ? IMPACT_ROWS : TORSION); k++)
            b->w[i] -= b->a[i][k] * old[k];
}

/* Applies the change of the impulses at the time of the impact. */
static void apply(const dry_coupled_rows *r, const double change[IMPACT_ROWS], double when,
                  dry_impact_row *rows, int round)
{
    for (int side = 0; side < 2; side++) {
        dry_impact_row *row = &rows[r->row[side]];
        for (int i = 0; i < 6 && r->row[side] > 0; i++) {
            double du = 0.0;
            for (int k = 0; k < IMPACT_ROWS; k++)
                du += r->g[k][6 * side + i] * change[k];
            row->u[i] = (float)((double)row->u[i] + du);
            row->d[i] = (float)((double)row->d[i] - when * du);
            row->lag[i] = 0.0f;
        }
        if (r->row[side] > 0)
            row->round = round;
    }
}

bool dry_impact_solve(dry_contact_bundle *c, const dry_contact_cold *cold, dry_contact_impact *impact,
                      int lane, dry_impact_row *rows, const dry_impact_substep *time)
{
    dry_coupled_rows r;
    impact_motion m;
    impact_block b;
    double old[IMPACT_ROWS], j[IMPACT_ROWS];
    for (int i = 0; i < IMPACT_ROWS; i++)
        old[i] = (double)impact->impulse[i][lane];
    const double when = (double)impact->time[lane], mu = (double)c->friction[lane];
    const double shift[3] = {(double)impact->shift[0][lane], (double)impact->shift[1][lane],
                             (double)impact->shift[2][lane]};
    find_motion(c, lane, rows, &m);
    dry_contact_find_rows(c, lane, m.root, shift, &r);
    find_block(cold, impact, lane, &r, &m, when / (double)time->h, old, &b);
    stick(&b, j);
    if (j[TANGENT] * j[TANGENT] + j[TANGENT + 1] * j[TANGENT + 1] > mu * mu * sum4(j) * sum4(j)) {
        double t[2];
        find_sliding(impact, lane, j, t);
        slide(&b, mu, t, j);
    }
    twist(c, &b, lane, j);
    const bool limited = limit_energy(impact, lane, &b, old, j);
    impact->limited = (impact->limited & ~(1u << lane)) | (uint32_t)limited << lane;
    bool moved = false;
    for (int i = 0; i < IMPACT_ROWS; i++) {
        /* As stored: what is applied and what is remembered agree. */
        impact->impulse[i][lane] = (float)j[i];
        j[i] = (double)impact->impulse[i][lane] - old[i];
        if (i < POINTS)
            moved |= fabs(j[i]) * b.a[i][i] > 1e-4 * fabs((double)impact->speed[i][lane]);
    }
    apply(&r, j, when, rows, time->round);
    return moved;
}
