/* The term that [Spook 22] neglects, and what rows that are linear at the step's beginning leave of a turn.
 */
#include "tools/lab/experiments.h"
#include "tools/lab/linear.h"

#include <math.h>
#include <string.h>

const char lab_neglected_text[] =
    "The time derivative of g = p . n, with p from body i's point of a contact to body j's and n fixed "
    "in i, has a second term p . (w_i x n) [Spook 22], which [Spook 23] drops: hard to deal with, as its "
    "Jacobian would contain velocities. It does not. p . (w_i x n) = (n x p) . w_i, and so the term "
    "makes i's lever arm r_i + p in place of r_i: both arms lead to one point. What is neglected "
    "otherwise is the speed w s of points that have slid apart by s, and the couple p x n of each "
    "impulse, a loss of angular momentum. The engine's two arms of a contact lead to the point midway "
    "between the surfaces, with p along n at each step: it neglects nothing.\n\n"
    "A row that is linear at the step's beginning leaves out dG/dt W, the bend of the path in the step: "
    "h v^2 / 2 l over the step for a rod of length l that turns with v. With SPOOK's numbers [Spook "
    "9-11] such a rod stays longer by h^2 v^2 / 8 l (2 + 4 d); with the bend on the right-hand side, "
    "from the velocities of the step's beginning, by h^2 v^2 / 8 l. That is 14 times less at d = 3. The "
    "engine's joints have the bend, along a row that does not turn within the step, and count "
    "displacements without it: their rod keeps its length within rounding. Its contacts have no bend; "
    "their points are found anew.\n\n"
    "The chains swing from the horizontal for 5 s, in double precision with all rows solved exactly. The "
    "rows have the largest error of a length with the bend over that without, which goes to the rod's "
    "1/14 as the step gets shorter, and the change of energy as a share of the weight times a link's "
    "length. Without the bend a chain of five loses nine times the energy in steps of 1/60 s. Errors are "
    "of second order in the step either way.\n";

static const double damping = 3.0; /* d of [Spook 9-11], steps */

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Turns v by w t about w, after Rodrigues. */
static void turn(const double w[3], double t, const double v[3], double out[3])
{
    const double speed = lab_length(w, 3);
    if (speed == 0.0) {
        memcpy(out, v, 3 * sizeof *out);
        return;
    }
    double axis[3], side[3];
    for (int k = 0; k < 3; k++)
        axis[k] = w[k] / speed;
    cross(axis, v, side);
    const double c = cos(speed * t), s = sin(speed * t), along = lab_dot(axis, v, 3) * (1.0 - c);
    for (int k = 0; k < 3; k++)
        out[k] = c * v[k] + s * side[k] + along * axis[k];
}

/* A contact of [Spook 21]: bodies i and j, their points and i's normal. Body i spins, its normal turns with
 * it. */
typedef struct meeting {
    double apart[3]; /* from i's center to j's, m */
    double ri[3], rj[3], n[3];
    double vi[3], vj[3], wi[3], wj[3];
} meeting;

/* Returns the way from i's point to j's, t seconds on; sets n to i's normal then. */
static void gap_at(const meeting *m, double t, double p[3], double n[3])
{
    double ri[3], rj[3];
    turn(m->wi, t, m->ri, ri);
    turn(m->wj, t, m->rj, rj);
    turn(m->wi, t, m->n, n);
    for (int k = 0; k < 3; k++)
        p[k] = m->apart[k] + t * (m->vj[k] - m->vi[k]) + rj[k] - ri[k];
}

/* Returns dg/dt by [Spook 23], with i's lever arm longer by `share` of p. */
static double speed_of(const meeting *m, const double p[3], double share)
{
    double arm[3], at_i[3], at_j[3], v[3];
    for (int k = 0; k < 3; k++)
        arm[k] = m->ri[k] + share * p[k];
    cross(m->wi, arm, at_i);
    cross(m->wj, m->rj, at_j);
    for (int k = 0; k < 3; k++)
        v[k] = m->vj[k] + at_j[k] - m->vi[k] - at_i[k];
    return lab_dot(v, m->n, 3);
}

/* A plate that spins about the middle of its edge, and a ball on it whose point has slid by `slid`. */
static meeting plate_and_ball(double slid)
{
    meeting m = {.ri = {0.8, 0.1, 0.2},
                 .n = {0.0, 1.0, 0.0},
                 .rj = {0.0, -0.3, 0.0},
                 .vi = {0.1, -0.2, 0.3},
                 .vj = {-0.4, 0.1, 0.2},
                 .wi = {0.5, -1.0, 6.0},
                 .wj = {2.0, 1.0, -3.0}};
    const double deep = -1e-3;
    m.apart[0] = m.ri[0] - m.rj[0] + slid;
    m.apart[1] = m.ri[1] - m.rj[1] + deep;
    m.apart[2] = m.ri[2] - m.rj[2] - 0.5 * slid;
    return m;
}

static void contact_term(lab_run *run)
{
    static const double slides[] = {0.0, 0.005, 0.05};
    const double t = 1e-5;
    for (int i = 0; i < 3; i++) {
        const meeting m = plate_and_ball(slides[i]);
        double p[3], n[3], ahead[3], n_ahead[3], back[3], n_back[3], turned[3], couple[3];
        gap_at(&m, 0.0, p, n);
        gap_at(&m, t, ahead, n_ahead);
        gap_at(&m, -t, back, n_back);
        const double truth = (lab_dot(ahead, n_ahead, 3) - lab_dot(back, n_back, 3)) / (2.0 * t);
        cross(m.wi, m.n, turned);
        cross(p, m.n, couple);
        lab_add(run, "Spook 22", lab_dot(p, turned, 3), lab_dot(p, turned, 3), truth - speed_of(&m, p, 0.0),
                1e-6, "speed that 23 neglects, points %g mm aside, m/s", 1e3 * slides[i]);
        lab_add(run, "here", 0.0, 0.0, truth - speed_of(&m, p, 1.0), 1e-7,
                "the same with one point for both arms, %g mm aside, m/s", 1e3 * slides[i]);
        lab_add(run, "Spook 25", lab_length(couple, 3), lab_length(couple, 3), hypot(p[0], p[2]), 1e-9,
                "couple of an impulse of 1 N s by 25, %g mm aside, N m s", 1e3 * slides[i]);
    }
}

enum { LINKS_MAX = 10 };

/* Point masses on rods in a plane, the first rod's end fixed at the origin. */
typedef struct rods {
    int count;
    double x[LINKS_MAX][2], v[LINKS_MAX][2];
    double gravity;
    bool curved; /* rows have the curvature of the path in a step */
} rods;

static void rod_of(const rods *r, int i, double p[2], double v[2])
{
    for (int k = 0; k < 2; k++) {
        p[k] = r->x[i][k] - (i > 0 ? r->x[i - 1][k] : 0.0);
        v[k] = r->v[i][k] - (i > 0 ? r->v[i - 1][k] : 0.0);
    }
}

/* Steps by SPOOK with rigid rows: G u' = (1 - b) G u - a q, less half the speed by which the path of the step
 * bends away, if asked. */
static void step_rods(lab_run *run, rods *r, double h)
{
    const double beta = 1.0 / (1.0 + 4.0 * damping), a = 4.0 * beta / h;
    lab_problem p = lab_problem_of(run, r->count);
    double axis[LINKS_MAX][2], x[LINKS_MAX];
    for (int i = 0; i < r->count; i++) {
        double way[2], v[2];
        rod_of(r, i, way, v);
        const double length = lab_length(way, 2),
                     bend = h / 2.0 * (lab_dot(v, v, 2) - pow(lab_dot(way, v, 2) / length, 2.0)) / length;
        for (int k = 0; k < 2; k++)
            axis[i][k] = way[k] / length;
        /* Gravity pulls on both ends of all rods but the first. */
        const double falls = i == 0 ? -h * r->gravity * axis[i][1] : 0.0;
        p.a[i * r->count + i] = i == 0 ? 1.0 : 2.0;
        if (i > 0)
            p.a[i * r->count + i - 1] = p.a[(i - 1) * r->count + i] = -lab_dot(axis[i], axis[i - 1], 2);
        p.b[i] =
            -a * (length - 1.0) - (1.0 - beta) * lab_dot(axis[i], v, 2) - falls - (r->curved ? bend : 0.0);
    }
    lab_solve(run, &p, x);
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < 2; k++) {
            r->v[i][k] += x[i] * axis[i][k] - (i + 1 < r->count ? x[i + 1] * axis[i + 1][k] : 0.0);
            r->v[i][k] -= k == 1 ? h * r->gravity : 0.0;
            r->x[i][k] += h * r->v[i][k];
        }
}

static double energy_of(const rods *r)
{
    double sum = 0.0;
    for (int i = 0; i < r->count; i++)
        sum += 0.5 * lab_dot(r->v[i], r->v[i], 2) + r->gravity * r->x[i][1];
    return sum;
}

static double longest(const rods *r)
{
    double worst = 0.0;
    for (int i = 0; i < r->count; i++) {
        double p[2], v[2];
        rod_of(r, i, p, v);
        worst = fmax(worst, fabs(lab_length(p, 2) - 1.0));
    }
    return worst;
}

/* Lets rods swing from the horizontal for `seconds`. Returns the largest error of a length, and the change of
 * energy as a share of count * gravity * 1 m. */
static double swing(lab_run *run, int count, bool curved, double h, double seconds, double *energy)
{
    rods r = {.count = count, .gravity = 9.81, .curved = curved};
    for (int i = 0; i < count; i++)
        r.x[i][0] = 1.0 + i;
    const double before = energy_of(&r);
    double worst = 0.0, drift = 0.0;
    for (int step = 0; step < (int)lround(seconds / h); step++) {
        step_rods(run, &r, h);
        worst = fmax(worst, longest(&r));
        drift = energy_of(&r) - before;
    }
    *energy = drift / (count * r.gravity);
    return worst;
}

/* Returns by how much the engine's rod of 1 m is longer while a ball turns about its end at 1 m/s. */
static double engine_rod(lab_run *run, double h)
{
    const double k = 1e9;
    const dry_settings settings = lab_settings(1);
    dry_world *world = lab_world(run, &settings);
    dry_shape_def ball = dry_default_shape_def();
    ball.type = DRY_SHAPE_SPHERE;
    ball.radius = 0.1f;
    dry_body_def def = dry_default_body_def();
    def.shapes = &ball;
    def.shape_count = 1;
    dry_joint_def rod = dry_default_joint_def(DRY_JOINT_DISTANCE);
    def.type = DRY_BODY_STATIC;
    lab_check(run, dry_world_create_body(world, &def, &rod.body_a));
    def.type = DRY_BODY_DYNAMIC;
    def.mass = 1.0f;
    def.pose.position.x = 1.0;
    def.velocity.linear.y = 1.0f;
    lab_check(run, dry_world_create_body(world, &def, &rod.body_b));
    rod.stiffness = (float)k;
    rod.damping = (float)(damping * h * k);
    lab_check(run, dry_world_create_joint(world, &rod, &(dry_joint_id){0}));
    for (int step = 0; step < 400; step++)
        lab_check(run, dry_world_step(world, (float)h));
    dry_pose pose;
    lab_check(run, dry_body_get_pose(world, rod.body_b, &pose));
    return hypot(pose.position.x, pose.position.y) - 1.0;
}

static void turning_rod(lab_run *run)
{
    for (int i = 0; i < 4; i++) {
        const double h = 1.0 / 60.0 / (1 << i), without = h * h / 8.0 * (2.0 + 4.0 * damping),
                     with = h * h / 8.0;
        for (int curved = 0; curved < 2; curved++) {
            rods r = {.count = 1, .curved = curved};
            r.x[0][0] = r.v[0][1] = 1.0;
            for (int step = 0; step < 400; step++)
                step_rods(run, &r, h);
            lab_add(run, "Spook 9-11", curved ? with : without, curved ? with : without, longest(&r), 2e-3,
                    "stretch of a rod that turns, %s the bend, step 1/%g s, m", curved ? "with" : "without",
                    1.0 / h);
        }
        lab_add(run, "Spook 9-11", without, 0.0, engine_rod(run, h), 1e-6,
                "stretch of a rod that turns, the engine, step 1/%g s, m", 1.0 / h);
    }
}

static void swinging_chains(lab_run *run)
{
    enum { STEPS = 5 };
    static const int links[] = {1, 5};
    double h[STEPS], error[2][STEPS], energy[2][STEPS];
    lab_add_plot(run, "chain", "Rods that swing from the horizontal for 5 s", "step, s",
                 "largest error of a length, m");
    lab_plot *plot = &run->result->plots[run->result->plot_count - 1];
    plot->log_x = plot->log_y = true;
    for (int c = 0; c < 2; c++) {
        const int count = run->options->quick ? 3 : STEPS;
        for (int i = 0; i < count; i++) {
            h[i] = 1.0 / 60.0 / (1 << i);
            for (int curved = 0; curved < 2; curved++)
                error[curved][i] = swing(run, links[c], curved, h[i], 5.0, &energy[curved][i]);
            /* The share is that of small steps. The next order is h^2 for one rod; several shake each other
             * by the first order. A step of SPOOK damps: energy is lost by the first order. */
            const double units = 60.0 * h[i];
            lab_add(run, "Waterson 4.11", 1.0 / (2.0 + 4.0 * damping), NAN, error[1][i] / error[0][i],
                    links[c] == 1 ? 0.5 * units * units : 1.5 * units,
                    "largest error of a length with the bend, share, %d rods, step 1/%g s", links[c],
                    1.0 / h[i]);
            const double lost = (links[c] == 1 ? 3.0 : 15.0) * h[i];
            lab_add(run, "-", 0.0, NAN, energy[0][i], lost,
                    "energy gained, without the bend, %d rods, step 1/%g s", links[c], 1.0 / h[i]);
            lab_add(run, "-", 0.0, NAN, energy[1][i], lost,
                    "energy gained, with the bend, %d rods, step 1/%g s", links[c], 1.0 / h[i]);
        }
        for (int curved = 0; curved < 2; curved++) {
            char name[LAB_TEXT];
            snprintf(name, sizeof name, "%d rods, %s the bend", links[c], curved ? "with" : "without");
            lab_add_curve(run, name, h, error[curved], count);
        }
    }
}

void lab_neglected(lab_run *run)
{
    lab_part(run);
    contact_term(run);
    lab_part(run);
    turning_rod(run);
    lab_part(run);
    swinging_chains(run);
}
