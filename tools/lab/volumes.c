/* Volume joints [Waterson 6.5.2]: one tetrahedron by Newton's method, lattices of them by sweeps, and what is
 * left of a volume that falls. */
#include "tools/lab/bodies.h"
#include "tools/lab/experiments.h"
#include "tools/lab/linear.h"

#include <math.h>
#include <string.h>

const char lab_volumes_text[] =
    "A volume joint holds the volume of the tetrahedron that four bodies span: one row over four "
    "bodies, whose gradient at each is a third of the area across from it [Waterson 6.50-6.55].\n\n"
    "**One tetrahedron.** A sweep of positions is one step of Newton's method along the gradient over "
    "the masses. Four equal masses keep a regular tetrahedron regular, so that an error e leaves e^2 "
    "/ 3; a corner of 1000 kg hardly changes that. *Exact* is the same step in double precision. The "
    "engine's PBD follows, down to the softness of a rigid row, 1e-4 of the first error.\n\n"
    "**Many.** Rows of cubes of five tetrahedra each, the same corners in up to ten of them, at rest "
    "under forces without a pattern. A and its radii come from the bodies' positions, the engine's "
    "impulses from the joints' pressures: they agree with double precision to 2e-7 after seven "
    "sweeps, so that colors are those of a greedy choice. *Rate* compares residuals of the engine "
    "with those of the same sweeps in double precision; *predicted* is the radius, which two and four "
    "cubes do not reach within these sweeps. Plain Jacobi diverges from two cubes on. The ratio of "
    "masses hardly matters: a heavy corner stands still, and its neighbors fill the volume.\n\n"
    "**A fall.** A tetrahedron of soft edges falls 2 m onto a floor, in four substeps. Rows over "
    "velocities are linear within a substep and leave 0.1 to 0.8 % of the volume in the impact, and "
    "up to 1.1 % with a corner of 1000 kg, but 0.002 to 0.09 % at rest. With equal masses more than "
    "four sweeps change little: what is left is the second order of a substep's way. XPBD measures "
    "the volume before each sweep, and leaves 2.5e-6 and 1.5e-4 with one sweep, less than 2.3e-6 with "
    "four and sixteen.\n";

enum { CORNERS_MAX = 64, JOINTS_MAX = 80, SIDES = 4 };

static const double step_s = 0.01;

/* A tetrahedron of four bodies' centers. */
typedef struct cell {
    int corner[SIDES];
    double volume; /* that it is to have, m^3 */
} cell;

/* Balls and the cells between them. */
typedef struct lattice {
    int corners, cells;
    double at[CORNERS_MAX][3], mass[CORNERS_MAX];
    double change[CORNERS_MAX][3]; /* of velocity in a step, by forces, m/s */
    cell cell[JOINTS_MAX];
    dry_body_id id[CORNERS_MAX];
    dry_joint_id joint[JOINTS_MAX];
} lattice;

static void difference(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[k] - b[k];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Writes the gradients of a cell's volume, a third of the opposite areas, and returns the volume
 * [6.51, 6.52].
 */
static double gradients(const lattice *l, const cell *c, double gradient[SIDES][3])
{
    double d[3][3];
    for (int i = 0; i < 3; i++)
        difference(l->at[c->corner[i + 1]], l->at[c->corner[0]], d[i]);
    for (int i = 0; i < 3; i++)
        cross(d[(i + 1) % 3], d[(i + 2) % 3], gradient[i + 1]);
    const double volume = dot(d[0], gradient[1]) / 6.0;
    for (int k = 0; k < 3; k++) {
        gradient[0][k] = 0.0;
        for (int i = 1; i < SIDES; i++) {
            gradient[i][k] /= 6.0;
            gradient[0][k] -= gradient[i][k];
        }
    }
    return volume;
}

static double volume_of(const lattice *l, const cell *c)
{
    double unused[SIDES][3];
    return gradients(l, c, unused);
}

/* Adds the lattice to a new world, at rest, with the forces of its next step. */
static dry_world *build(lab_run *run, lattice *l, const dry_settings *settings, double stiffness,
                        double damping)
{
    const dry_vec3 still = {0.0f, 0.0f, 0.0f};
    dry_world *world = lab_world(run, settings);
    const dry_shape_def ball = lab_shape(DRY_SHAPE_SPHERE, 0.1);
    for (int i = 0; i < l->corners; i++) {
        const double *at = l->at[i], *change = l->change[i], share = l->mass[i] / step_s;
        l->id[i] = lab_add_body(run, world, &ball, l->mass[i], (dry_position){at[0], at[1], at[2]}, still);
        const dry_vec3 force = {(float)(share * change[0]), (float)(share * change[1]),
                                (float)(share * change[2])};
        lab_check(run, dry_body_apply_force(world, l->id[i], force));
    }
    for (int i = 0; i < l->cells; i++) {
        const cell *c = &l->cell[i];
        dry_volume_def def = {.joint = dry_default_joint_def(DRY_JOINT_VOLUME),
                              .body_c = l->id[c->corner[2]],
                              .body_d = l->id[c->corner[3]]};
        def.joint.body_a = l->id[c->corner[0]];
        def.joint.body_b = l->id[c->corner[1]];
        def.joint.volume = (float)c->volume;
        def.joint.stiffness = (float)stiffness;
        def.joint.damping = (float)damping;
        lab_check(run, dry_world_create_volumes(world, 1, &def, &l->joint[i]));
    }
    return world;
}

static void read_corners(lab_run *run, const dry_world *world, lattice *l)
{
    for (int i = 0; i < l->corners; i++) {
        const dry_position p = lab_position(run, world, l->id[i]);
        l->at[i][0] = p.x, l->at[i][1] = p.y, l->at[i][2] = p.z;
    }
}

/* A tetrahedron, regular for equal masses, that is `scale` times as wide as it is to be. */
static lattice single(double scale, double heavy)
{
    static const double corner[SIDES][3] = {{1, 1, 1}, {1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}};
    lattice l = {.corners = SIDES, .cells = 1};
    for (int i = 0; i < SIDES; i++) {
        l.cell[0].corner[i] = i;
        l.mass[i] = i == 3 ? heavy : 1.0;
        for (int k = 0; k < 3; k++)
            l.at[i][k] = scale * corner[i][k];
    }
    l.cell[0].volume = 8.0 / 3.0;
    return l;
}

/* One sweep of positions: Newton's method along the gradient over the masses [6.54, 6.55], rigid. */
static void project(lattice *l, const cell *c)
{
    double gradient[SIDES][3], response = 0.0;
    const double error = gradients(l, c, gradient) - c->volume;
    for (int i = 0; i < SIDES; i++)
        response += dot(gradient[i], gradient[i]) / l->mass[c->corner[i]];
    for (int i = 0; i < SIDES; i++)
        for (int k = 0; k < 3; k++)
            l->at[c->corner[i]][k] -= error / response / l->mass[c->corner[i]] * gradient[i][k];
}

/* Returns the volume's error, as a share, after a step of the engine. */
static double engine_error(lab_run *run, double scale, double heavy, int sweeps)
{
    dry_settings settings = lab_settings(sweeps);
    settings.method.solver = DRY_SOLVER_PBD;
    settings.relax_sweeps = 1;
    lattice l = single(scale, heavy);
    dry_world *world = build(run, &l, &settings, 0.0, 0.0);
    lab_check(run, dry_world_step(world, (float)step_s));
    read_corners(run, world, &l);
    return volume_of(&l, &l.cell[0]) / l.cell[0].volume - 1.0;
}

/* Sweeps over a tetrahedron that is too large or too small. */
static void newton(lab_run *run)
{
    static const double scales[] = {0.95, 1.05}, masses[] = {1.0, 1000.0};
    enum { NEWTON = 4 };
    lab_add_plot(run, "newton", "A tetrahedron by PBD", "sweeps", "volume's error, share")->log_y = true;
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 2; i++) {
            lattice exact = single(scales[i], masses[m]);
            const cell *c = &exact.cell[0];
            const double first = volume_of(&exact, c) / c->volume - 1.0;
            double errors[NEWTON + 1] = {fabs(first)}, before = first;
            for (int k = 1; k <= NEWTON; k++) {
                project(&exact, c);
                const double wanted = volume_of(&exact, c) / c->volume - 1.0,
                             found = engine_error(run, scales[i], masses[m], k);
                /* The engine's rigid rows keep a softness of 1e-4. */
                const double bound = 0.01 * fabs(wanted) + 1.2e-4 * fabs(first);
                errors[k] = fabs(found);
                if (k < 3)
                    lab_add(run, "Waterson 6.54", m == 0 ? before * before / 3.0 : NAN, wanted, found,
                            bound / fabs(wanted),
                            "error of the volume, %g times as wide, a corner of %g kg, sweeps %d, share",
                            scales[i], masses[m], k);
                before = wanted;
            }
            char name[LAB_TEXT];
            snprintf(name, sizeof name, "%g times as wide, a corner of %g kg", scales[i], masses[m]);
            lab_add_sequence(run, name, 0.0, errors, NEWTON + 1);
        }
}

/* `count` cubes in a row, each of five tetrahedra, in turn mirrored. The corners at odd places have `heavy`
 * kg. */
static lattice row_of_cubes(int count, double heavy)
{
    static const int corners[5][SIDES][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                             {{1, 1, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}},
                                             {{1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {1, 1, 1}},
                                             {{0, 1, 1}, {0, 0, 1}, {0, 1, 0}, {1, 1, 1}},
                                             {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}};
    lattice l = {.corners = 4 * (count + 1), .cells = 5 * count};
    for (int i = 0; i < l.corners; i++) {
        l.at[i][0] = i / 4, l.at[i][1] = i / 2 % 2, l.at[i][2] = i % 2;
        l.mass[i] = i / 4 % 2 ? heavy : 1.0;
        for (int k = 0; k < 3; k++)
            l.change[i][k] = ((7 * i + 5 * k + i * i) % 11 - 5.0) * 0.1;
    }
    for (int i = 0; i < l.cells; i++) {
        for (int s = 0; s < SIDES; s++) {
            const int *at = corners[i % 5][s], x = i / 5 % 2 ? 1 - at[0] : at[0];
            l.cell[i].corner[s] = 4 * (i / 5 + x) + 2 * at[1] + at[2];
        }
        l.cell[i].volume = volume_of(&l, &l.cell[i]);
    }
    return l;
}

/* A and -h J M^-1 f of the cells' rows. */
static lab_problem equation(lab_run *run, const lattice *l)
{
    const int n = l->cells, columns = 3 * l->corners;
    lab_problem p = lab_problem_of(run, n);
    double *j = lab_doubles(run, n * columns), *whitened = lab_doubles(run, n * columns);
    for (int i = 0; i < n; i++) {
        double gradient[SIDES][3];
        gradients(l, &l->cell[i], gradient);
        for (int s = 0; s < SIDES; s++)
            for (int k = 0; k < 3; k++) {
                const int corner = l->cell[i].corner[s], at = i * columns + 3 * corner + k;
                j[at] = gradient[s][k];
                whitened[at] = gradient[s][k] / l->mass[corner];
                p.b[i] -= gradient[s][k] * l->change[corner][k];
            }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            p.a[i * n + k] = lab_dot(&j[i * columns], &whitened[k * columns], columns);
    return p;
}

/* Returns the cells in the order of their colors: each takes the lowest that none of its corners has. */
static int *color_order(lab_run *run, const lattice *l, bool backward)
{
    int *order = lab_take(run, (size_t)l->cells, sizeof *order), color[JOINTS_MAX], colors = 0, count = 0;
    uint64_t taken[CORNERS_MAX] = {0};
    for (int i = 0; i < l->cells; i++) {
        uint64_t all = 0;
        for (int s = 0; s < SIDES; s++)
            all |= taken[l->cell[i].corner[s]];
        color[i] = 0;
        while (all >> color[i] & 1)
            color[i]++;
        for (int s = 0; s < SIDES; s++)
            taken[l->cell[i].corner[s]] |= UINT64_C(1) << color[i];
        colors = color[i] + 1 > colors ? color[i] + 1 : colors;
    }
    for (int k = 0; k < colors; k++)
        for (int i = 0; i < l->cells; i++)
            if (color[i] == (backward ? colors - 1 - k : k))
                order[count++] = i;
    return order;
}

enum { SWEEPS = 200 };

/* Steps the engine with 1 to SWEEPS sweeps. Writes the residuals, and the impulses of `compared` sweeps. */
static void engine(lab_run *run, const lattice *start, const lab_problem *p, dry_settings settings,
                   double *lengths, int compared, double *impulses)
{
    double most = 0.0, *x = lab_doubles(run, p->n), *r = lab_doubles(run, p->n);
    for (int i = 0; i < p->n; i++)
        most = fmax(most, p->a[i * p->n + i]);
    const double stiffness = 4000.0 / most;
    lengths[0] = lab_residual(p, x, r);
    for (int k = 1; k <= SWEEPS; k++) {
        lattice l = *start;
        settings.sweeps = k;
        dry_world *world = build(run, &l, &settings, stiffness, 1e9 * stiffness * step_s);
        lab_check(run, dry_world_step(world, (float)step_s));
        for (int i = 0; i < p->n; i++) {
            float volume, pressure;
            lab_check(run, dry_joint_get_volume(world, l.joint[i], &volume, &pressure));
            x[i] = (double)pressure * step_s;
            if (k == compared)
                impulses[i] = x[i];
        }
        lengths[k] = lab_residual(p, x, r);
    }
}

/* Returns the rate of the residuals' tail; all rates are taken between the same residuals. */
static double tail_of(const double *lengths)
{
    return lab_tail_rate(lengths, SWEEPS + 1, 0.5, 1e-5);
}

/* Compares the engine's residuals with those of the same sweeps in double precision, whose radius is known.
 */
static void engine_rows(lab_run *run, const lattice *l, const lab_problem *p, const lab_method *method,
                        const char *what, const char *name)
{
    enum { COMPARED = 7 };
    dry_settings settings = lab_settings(1);
    settings.method.order = method->alternate ? DRY_ORDER_COLOR : DRY_ORDER_FORWARD;
    double lengths[SWEEPS + 1], exact[SWEEPS + 1],
        *impulses = lab_doubles(run, p->n), *x = lab_doubles(run, p->n), *work = lab_doubles(run, p->n);
    engine(run, l, p, settings, lengths, COMPARED, impulses);
    double worst = 0.0, size = 0.0;
    for (int k = 0; k <= SWEEPS; k++) {
        exact[k] = lab_residual(p, x, work);
        for (int i = 0; i < p->n && k == COMPARED; i++) {
            worst = fmax(worst, fabs(x[i] - impulses[i]));
            size = fmax(size, fabs(x[i]));
        }
        lab_sweep(p, method, k, x, work);
    }
    lab_add(run, "Waterson 4.70", lab_sweep_radius(run, p, method), tail_of(exact), tail_of(lengths), 0.01,
            "rate, the engine%s, %s", name, what);
    lab_add(run, "Spook 17-20", NAN, 0.0, worst / size, 1e-5,
            "impulses after %d sweeps, the engine%s against double precision, %s", COMPARED, name, what);
    if (method->alternate)
        lab_add_sequence(run, what, 0.0, lengths, 61);
}

static void lattices(lab_run *run, int count, double heavy)
{
    const lattice l = row_of_cubes(count, heavy);
    const lab_problem p = equation(run, &l);
    const lab_method jacobi = {.kind = LAB_JACOBI, .relaxation = 1.0},
                     forward = {.kind = LAB_GAUSS_SEIDEL,
                                .relaxation = 1.0,
                                .order = color_order(run, &l, false)},
                     both = {.kind = LAB_GAUSS_SEIDEL,
                             .relaxation = 1.0,
                             .order = forward.order,
                             .back = color_order(run, &l, true),
                             .alternate = true};
    char what[LAB_TEXT];
    snprintf(what, sizeof what, "%d cube%s, 1 kg and %g kg", count, count > 1 ? "s" : "", heavy);
    lab_add(run, "Waterson 4.71", NAN, NAN, lab_dominance(&p), 0.0, "dominance r, %s", what);
    lab_add(run, "Waterson 4.43", NAN, lab_sweep_radius(run, &p, &jacobi),
            lab_sweep_power_radius(run, &p, &jacobi, 4000), 1e-3, "radius, Jacobi, %s", what);
    lab_add(run, "Waterson 4.70", NAN, lab_sweep_radius(run, &p, &forward),
            lab_sweep_power_radius(run, &p, &forward, 4000), 1e-3, "radius, Gauss-Seidel by color, %s", what);
    engine_rows(run, &l, &p, &forward, what, " forward");
    engine_rows(run, &l, &p, &both, what, "");
}

/* Drops a tetrahedron of a rigid volume and six soft edges by 2 m. Writes the largest error of the volume,
 * and that of the last second. */
static void drop(lab_run *run, dry_solver solver, int sweeps, double heavy, double *worst, double *late)
{
    lattice l = single(1.0, heavy);
    for (int i = 0; i < SIDES; i++)
        l.at[i][1] += 3.0;
    dry_settings settings = dry_default_settings();
    settings.method.solver = solver;
    settings.substeps = 4;
    settings.sweeps = sweeps;
    settings.sleep = false;
    dry_world *world = build(run, &l, &settings, 0.0, 0.0);
    lab_add_plane(run, world, (dry_vec3){0.0f, 1.0f, 0.0f}, 0.5f);
    for (int a = 0; a < SIDES; a++)
        for (int b = a + 1; b < SIDES; b++) {
            dry_joint_def spring = dry_default_joint_def(DRY_JOINT_DISTANCE);
            spring.body_a = l.id[a];
            spring.body_b = l.id[b];
            spring.length = 2.0f * sqrtf(2.0f);
            spring.stiffness = 200.0f * (float)heavy;
            spring.damping = 2.0f * (float)heavy;
            spring.collide = true;
            lab_check(run, dry_world_create_joint(world, &spring, &(dry_joint_id){0}));
        }
    *worst = *late = 0.0;
    /* The volume lands on an edge, off which rounding tips it within 10 s; after 13 s it lies on a face. */
    const int steps = 960;
    for (int step = 0; step < steps; step++) {
        lab_check(run, dry_world_step(world, 1.0f / 60.0f));
        read_corners(run, world, &l);
        const double error = fabs(volume_of(&l, &l.cell[0]) / l.cell[0].volume - 1.0);
        *worst = fmax(*worst, error);
        if (step >= steps - 60)
            *late = fmax(*late, error);
    }
}

static void drops(lab_run *run)
{
    static const struct {
        const char *name;
        dry_solver solver;
    } ways[] = {
        {"Gauss-Seidel", DRY_SOLVER_GAUSS_SEIDEL}, {"Jacobi", DRY_SOLVER_JACOBI}, {"XPBD", DRY_SOLVER_XPBD}};
    static const double masses[] = {1.0, 1000.0};
    for (int m = 0; m < 2; m++)
        for (int w = 0; w < 3; w++)
            for (int sweeps = 1; sweeps <= 16; sweeps *= 4) {
                double worst, late;
                drop(run, ways[w].solver, sweeps, masses[m], &worst, &late);
                /* A linear row leaves the second order of a substep's way, v h = 0.026 m, and its sweeps as
                 * much again; positions leave what sweeps do. At rest there is the rigid row's softness. */
                const bool positions = ways[w].solver == DRY_SOLVER_XPBD;
                lab_add(run, "Waterson 6.50", 0.0, 0.0, worst, positions ? 5e-4 : 0.02,
                        "largest error of a volume that falls, a corner of %g kg, %s, %d sweep%s, share",
                        masses[m], ways[w].name, sweeps, sweeps > 1 ? "s" : "");
                lab_add(run, "Waterson 6.50", 0.0, 0.0, late, positions ? 1e-6 : 1e-3,
                        "the same in the last second, a corner of %g kg, %s, %d sweep%s, share", masses[m],
                        ways[w].name, sweeps, sweeps > 1 ? "s" : "");
            }
}

void lab_volumes(lab_run *run)
{
    lab_part(run);
    newton(run);
    lab_part(run);
    lab_plot *plot =
        lab_add_plot(run, "lattices", "Rows of cubes of five tetrahedra", "sweeps", "residual, m^3/s");
    plot->log_y = true;
    static const int counts[] = {1, 2, 4};
    for (int i = 0; i < (run->options->quick ? 2 : 3); i++)
        lattices(run, counts[i], 1.0);
    lattices(run, 2, 100.0);
    lattices(run, 2, 1000.0);
    lab_part(run);
    drops(run);
}
