/* Poles, prisms and boxes that are thin fall as their closed form says, and gain no energy. */
#include "tests/solver/turning.h"

/* Poles that fall. */

typedef enum pole_form { BOX_POLE, PRISM_POLE, CAPSULE_POLE, CYLINDER_POLE, POLE_COUNT } pole_form;
static const char *const pole_names[] = {"box", "prism", "capsule", "cylinder"};

/* An upright pole, of length l and thickness d. */
typedef struct pole {
    pole_form form;
    double length, thickness;
} pole;

/* Returns a prism of six sides along y. The program releases its data. */
static dry_shape_def prism_shape(double radius, double half_length)
{
    dry_vec3 corners[12];
    for (int i = 0; i < 12; ++i)
        corners[i] = v3(radius * cos(TEST_PI / 6 * (i / 2 * 2 + 1)), i % 2 ? half_length : -half_length,
                        radius * sin(TEST_PI / 6 * (i / 2 * 2 + 1)));
    dry_shape_data *data = NULL;
    assert_ok(dry_hull_create(corners, 12, 0, NULL, &data, NULL));
    return data_shape(DRY_SHAPE_HULL, data);
}

static dry_shape_def pole_shape(const pole *p)
{
    const double r = p->thickness / 2, l = p->length / 2;
    switch (p->form) {
    case BOX_POLE:
        return box_shape(r, l, r);
    case PRISM_POLE:
        return prism_shape(r / cos(TEST_PI / 6), l);
    case CAPSULE_POLE:
        return capsule_shape(r, l - r);
    default:
        return cylinder_shape(r, l);
    }
}

/* How the height of the center follows the angle from the vertical: a cos + b sin + c. */
typedef struct pole_height {
    double a, b, c;
} pole_height;

static pole_height height_of_pole(const pole *p)
{
    const double r = p->thickness / 2, l = p->length / 2;
    return p->form == CAPSULE_POLE ? (pole_height){l - r, 0, r} : (pole_height){l, r, 0};
}

static double height_at(const pole_height *h, double angle)
{
    return h->a * cos(angle) + h->b * sin(angle) + h->c;
}

/* Returns the time that a pole takes from one angle to another, let go at the first. Without friction its
 * center falls straight down, with y = y(angle): w^2 (I/m + y'^2) / 2 = g (y0 - y). With friction that holds
 * it turns about the point that touches, which is y'(angle) aside: w^2 (I/m + y'^2 + y^2) / 2. With angle =
 * from + u^2 the integrand is smooth at the start. */
static double time_of_fall(const pole_height *h, double gyration2, bool slides, double from, double to)
{
    enum { PARTS = 20000 };
    const double end = sqrt(to - from), y0 = height_at(h, from);
    double sum = 0;
    for (int i = 0; i < PARTS; ++i) {
        const double u = (i + 0.5) * end / PARTS, angle = from + u * u, y = height_at(h, angle);
        const double dy = h->b * cos(angle) - h->a * sin(angle);
        const double about2 = gyration2 + dy * dy + (slides ? 0 : y * y);
        sum += 2 * u * end / PARTS * sqrt(about2 / (2 * TEST_G * (y0 - y)));
    }
    return sum;
}

typedef struct pole_fall {
    course energy; /* above the floor's least */
    double time;   /* to the last angle, s */
    double closed; /* the same, of the closed form */
} pole_fall;

/* Lets a pole that leans by 0.2 rad about z fall, and run on for as long again as it needs to fall. */
static pole_fall let_pole_fall(const pole *p, double friction, dry_settings settings)
{
    const double from = 0.2, to = 1.5;
    dry_world *world = world_with(settings);
    add_floor(world, friction, 0);
    dry_shape_def shape = pole_shape(p);
    shape.friction = (float)friction;
    const pole_height h = height_of_pole(p);
    const dry_body_id id =
        add_dynamic(world, (dry_pose){{0, height_at(&h, from), 0}, quat_about((d3){0, 0, 1}, from)}, shape);
    dry_shape_data_release(shape.data);
    const dry_mass mass = mass_of(world, id);
    const double least = p->thickness / 2;
    pole_fall f = {course_from(energy_above(world, id, least)), NAN,
                   time_of_fall(&h, (double)mass.inertia[2][2] / (double)mass.mass, friction == 0, from, to)};
    double before = from;
    for (int i = 0; i < 2 * f.closed * 60; ++i) {
        run_steps(world, 1, TEST_DT);
        const double angle = acos(d3_turn(pose_of(world, id).orientation, (d3){0, 1, 0}).y);
        if (isnan(f.time) && angle >= to)
            f.time = (i + (to - before) / (angle - before)) / 60;
        before = angle;
        course_goes(&f.energy, energy_above(world, id, least));
    }
    dry_world_destroy(world);
    return f;
}

static const char *const solver_names[DRY_SOLVER_COUNT] = {"", ", Jacobi", ", PBD", ", XPBD", ", AVBD"};

static dry_settings settings_of(dry_solver solver)
{
    dry_settings settings = test_settings();
    settings.method.solver = solver;
    return settings;
}

static void fall_holds(const pole *p, bool rough, dry_solver solver)
{
    const pole_fall f = let_pole_fall(p, rough ? 10 : 0, settings_of(solver));
    char name[160];
    snprintf(name, sizeof name, "%s of %g m x %g mm, %s%s: largest energy", pole_names[p->form], p->length,
             1e3 * p->thickness, rough ? "rough" : "smooth", solver_names[solver]);
    holds(name, f.energy.most, 0, 1.02);
    snprintf(name, sizeof name, "%s of %g m x %g mm, %s%s: time over %.4f s", pole_names[p->form], p->length,
             1e3 * p->thickness, rough ? "rough" : "smooth", solver_names[solver], f.closed);
    holds(name, f.time / f.closed, 0.98, 1.02);
}

static const double pole_sizes[][2] = {{1, 0.02},  {2, 0.02},  {3, 0.015},    {5, 0.01},
                                       {2, 0.004}, {10, 0.02}, {0.5, 0.0005}, {3, 0.003}};

/* Lets poles of all sizes fall, of forms from one on and before another. */
static void let_poles_fall(int first, int end)
{
    for (int i = 0; i < COUNT_OF(pole_sizes); ++i)
        for (int form = first; form < end; ++form)
            for (int rough = 0; rough < 2; ++rough) {
                if (test_quick() && (i + form + rough) % 2)
                    continue;
                const pole p = {(pole_form)form, pole_sizes[i][0], pole_sizes[i][1]};
                fall_holds(&p, rough, DRY_SOLVER_GAUSS_SEIDEL);
            }
    assert_rows_held();
}

static void test_round_poles_fall_as_their_closed_form_says(void **state)
{
    (void)state;
    let_poles_fall(CAPSULE_POLE, POLE_COUNT);
}

static void test_edged_poles_fall_as_their_closed_form_says(void **state)
{
    (void)state;
    let_poles_fall(BOX_POLE, CAPSULE_POLE);
}

static void test_poles_fall_so_with_every_solver(void **state)
{
    (void)state;
    for (int solver = 1; solver < DRY_SOLVER_COUNT; ++solver)
        for (int i = 0; i < COUNT_OF(pole_sizes); ++i)
            for (int k = 0; k < 4; ++k) {
                if (test_quick() && (solver + i + k) % 4)
                    continue;
                const pole p = {k / 2 ? CAPSULE_POLE : BOX_POLE, pole_sizes[i][0], pole_sizes[i][1]};
                fall_holds(&p, k % 2, (dry_solver)solver);
            }
    assert_rows_held();
}

/* Poles drawn at random, thrown down one by one or let fall on each other. */
typedef struct thrown {
    pole pole;
    dry_pose pose;
    d3 velocity, spin;
} thrown;

static pole draw_pole(uint64_t *random)
{
    const double length = random_in(random, 0.5, 5), ratio = pow(10, random_in(random, 1.7, 3));
    return (pole){(pole_form)random_below(random, POLE_COUNT), length, length / ratio};
}

static thrown draw_throw(uint64_t *random)
{
    thrown t = {.pole = draw_pole(random)};
    t.pose = pose_at(0, t.pole.length / 2 + random_in(random, 0.1, 1), 0);
    t.pose.orientation = random_quat(random);
    t.velocity = random_d3(random, 3);
    t.spin = random_d3(random, 3);
    return t;
}

/* Lies about level, above those that were drawn before. */
static thrown draw_layer(uint64_t *random, const pole *p, int number)
{
    thrown t = {.pole = *p};
    t.pose = pose_at(random_in(random, -0.1, 0.1), 0.4 * p->length + 0.3 * p->length * number,
                     random_in(random, -0.1, 0.1));
    const double heading = random_in(random, 0, 2 * TEST_PI), lean = random_in(random, 1.2, 1.5);
    t.pose.orientation = quat_about((d3){cos(heading), 0, sin(heading)}, lean);
    return t;
}

static void add_thrown(dry_world *world, const thrown *t)
{
    dry_shape_def shape = pole_shape(&t->pole);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, t->pose, &shape);
    def.velocity = (dry_velocity){v3_of(t->velocity), v3_of(t->spin)};
    add_def(world, &def);
    dry_shape_data_release(shape.data);
}

/* Runs bodies over a floor. Returns their largest energy over the start's, and by how much of that it rises
 * above the least before. */
static double run_for(dry_world *world, double seconds, double *rise)
{
    const double start = dry_world_energy(world).total_J;
    double least = 1, most = 1;
    *rise = 0;
    for (int i = 0; i < seconds * 60; ++i) {
        run_steps(world, 1, TEST_DT);
        const double now = dry_world_energy(world).total_J / start;
        least = fmin(least, now);
        *rise = fmax(*rise, isfinite(now) ? now - least : INFINITY);
        most = fmax(most, isfinite(now) ? now : INFINITY);
    }
    return most;
}

/* The energy stays below 1.02 of the start's; with the default solver it also never rises by more than 0.02.
 */
static void gains_no_energy(dry_world *world, dry_solver solver, double seconds, const char *what)
{
    char name[160];
    double rise;
    snprintf(name, sizeof name, "%s%s: largest energy", what, solver_names[solver]);
    holds(name, run_for(world, seconds, &rise), 0, 1.02);
    snprintf(name, sizeof name, "%s%s: rise of energy", what, solver_names[solver]);
    holds(name, rise, 0, solver == DRY_SOLVER_GAUSS_SEIDEL ? 0.02 : INFINITY);
}

static void test_thrown_poles_gain_no_energy(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver) {
        uint64_t random = 7;
        for (int i = 0; i < test_pick(40, 8); ++i) {
            const thrown t = draw_throw(&random);
            dry_world *world = world_with(settings_of((dry_solver)solver));
            add_floor(world, 0.6, 0);
            add_thrown(world, &t);
            char name[80];
            snprintf(name, sizeof name, "thrown %s of %.2f m, 1:%.0f", pole_names[t.pole.form], t.pole.length,
                     t.pole.length / t.pole.thickness);
            gains_no_energy(world, (dry_solver)solver, 3, name);
            dry_world_destroy(world);
        }
    }
    assert_rows_held();
}

/* Returns a world in which ten poles of a drawn kind, one over the other, are about to fall. */
static dry_world *draw_heap(uint64_t *random, dry_solver solver, pole *p)
{
    *p = draw_pole(random);
    dry_world *world = world_with(settings_of(solver));
    add_floor(world, 0.6, 0);
    for (int k = 0; k < 10; ++k) {
        const thrown t = draw_layer(random, p, k);
        add_thrown(world, &t);
    }
    return world;
}

static void let_heaps_fall(int first, int end)
{
    for (int solver = first; solver < end; ++solver) {
        uint64_t random = 11;
        for (int i = 0; i < test_pick(8, 1); ++i) {
            pole p;
            dry_world *world = draw_heap(&random, (dry_solver)solver, &p);
            char name[80];
            snprintf(name, sizeof name, "heap of 10, %s of %.2f m, 1:%.0f", pole_names[p.form], p.length,
                     p.length / p.thickness);
            gains_no_energy(world, (dry_solver)solver, 5, name);
            dry_world_destroy(world);
        }
    }
    assert_rows_held();
}

/* A third of them did while contacts turned with whatever spins. */
static void test_few_drawn_heaps_gain_energy(void **state)
{
    (void)state;
    const int count = test_pick(80, 16);
    uint64_t random = 3;
    int gain = 0;
    for (int i = 0; i < count; ++i) {
        pole p;
        double rise;
        dry_world *world = draw_heap(&random, DRY_SOLVER_GAUSS_SEIDEL, &p);
        run_for(world, 5, &rise);
        gain += !(rise <= 0.02);
        dry_world_destroy(world);
    }
    holds("share of drawn heaps whose energy rises by over 0.02", (double)gain / count, 0, 0.125);
    assert_rows_held();
}

static void test_heaps_of_poles_gain_no_energy(void **state)
{
    (void)state;
    let_heaps_fall(DRY_SOLVER_GAUSS_SEIDEL, DRY_SOLVER_GAUSS_SEIDEL + 1);
}

static void test_heaps_gain_none_with_other_solvers(void **state)
{
    (void)state;
    let_heaps_fall(DRY_SOLVER_GAUSS_SEIDEL + 1, DRY_SOLVER_COUNT);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_poles_fall_as_their_closed_form_says),
        cmocka_unit_test(test_heaps_of_poles_gain_no_energy),
        cmocka_unit_test(test_few_drawn_heaps_gain_energy),
    };
    const struct CMUnitTest owed[] = {
        cmocka_unit_test(test_edged_poles_fall_as_their_closed_form_says),
        cmocka_unit_test(test_poles_fall_so_with_every_solver),
        cmocka_unit_test(test_thrown_poles_gain_no_energy),
        cmocka_unit_test(test_heaps_gain_none_with_other_solvers),
    };
    return RUN_ROWS(count, arguments, tests, owed);
}
