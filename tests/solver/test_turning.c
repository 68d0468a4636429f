/* Bodies that turn on a contact keep their energy and their place: roly-polys, boards on logs, poles that
 * fall, Euler's disk, blocks that rock, troughs of facets, and bodies that ride a turntable. Sleep is off,
 * nothing damps.
 *
 * Without DRYSTONE_TEST_QUICK the program measures: it runs all cases, and prints each figure with its
 * bounds. A pattern as its argument runs what the engine still owes, too: "*" runs all. */
#include "tests/meshes.h"

/* Figures that left their bounds, of one test. */
static int off;

/* Prints a figure, and counts it if it leaves its bounds. A value that is not a number leaves them. */
static void holds(const char *what, double figure, double least, double most)
{
    const bool inside = figure >= least && figure <= most;
    if (!inside || !test_quick())
        print_message("%s %-78s %10.4g  (%g to %g)\n", inside ? "     " : "FAILS", what, figure, least, most);
    off += !inside;
}

static void assert_rows_held(void)
{
    const int count = off;
    off = 0;
    assert_int_equal(count, 0);
}

/* How an energy went, as shares of that at the start. */
typedef struct course {
    double start, most, last;
} course;

static course course_from(double energy)
{
    return (course){energy, 1, 1};
}

static void course_goes(course *c, double energy)
{
    c->last = energy / c->start;
    c->most = fmax(c->most, c->last);
}

/* Bounds the energy at the end by `most`, and the largest on the way by `largest`: velocities are half a
 * substep older than poses, so that the sum of both energies sways within a swing. */
static void course_holds(const course *c, const char *what, double least, double most, double largest)
{
    char name[160];
    snprintf(name, sizeof name, "%s: energy at the end", what);
    holds(name, c->last, least, most);
    snprintf(name, sizeof name, "%s: largest", what);
    holds(name, c->most, 0, largest);
}

/* Returns kinetic and gravitational energy, the latter above a height of the center of mass. */
static double energy_above(const dry_world *world, dry_body_id id, double height)
{
    return kinetic_energy(world, id) + mass_of(world, id).mass * TEST_G * (center_of(world, id).y - height);
}

/* Returns the angle about z, of a body that turns about z alone. */
static double angle_about_z(const dry_world *world, dry_body_id id)
{
    const dry_quat q = pose_of(world, id).orientation;
    return 2 * atan2(q.z, q.w);
}

static dry_shape_def cylinder_shape(double radius, double half_length)
{
    dry_shape_def def = capsule_shape(radius, half_length);
    def.type = DRY_SHAPE_CYLINDER;
    return def;
}

/* Level floors, y = 0. */
typedef enum ground { ON_HALFSPACE, ON_BOX, ON_MESH, ON_FIELD, GROUND_COUNT } ground;
static const char *const ground_names[] = {"half-space", "box", "mesh", "field"};

static void add_data(dry_world *world, dry_shape_type type, dry_shape_data *data, d3 at, double friction)
{
    dry_shape_def shape = data_shape(type, data);
    shape.friction = (float)friction;
    add_body(world, DRY_BODY_STATIC, pose_at(at.x, at.y, at.z), shape);
    dry_shape_data_release(data);
}

static void add_surface(dry_world *world, surface *s, d3 at, double friction)
{
    const dry_mesh mesh = surface_mesh(s);
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, NULL, NULL, &data, NULL));
    add_data(world, DRY_SHAPE_MESH, data, at, friction);
    surface_free(s);
}

/* The cells of a mesh or a field are so small that what rocks rolls over their edges. */
static void add_ground(dry_world *world, ground kind, double friction)
{
    enum { CELLS = 24 };
    const double cell = 0.13;
    const d3 corner = {-CELLS * cell / 2, 0, -CELLS * cell / 2};
    if (kind == ON_HALFSPACE) {
        add_floor(world, friction, 0);
    } else if (kind == ON_BOX) {
        dry_shape_def box = box_shape(5, 1, 5);
        box.friction = (float)friction;
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), box);
    } else if (kind == ON_MESH) {
        uint64_t seed = 5;
        surface s = grid_surface(CELLS, cell, 0, &seed);
        add_surface(world, &s, corner, friction);
    } else {
        static const float heights[(CELLS + 1) * (CELLS + 1)];
        const dry_height_field_def def = {.rows = CELLS + 1,
                                          .columns = CELLS + 1,
                                          .spacing = {(float)cell, (float)cell},
                                          .heights = heights};
        dry_shape_data *data = NULL;
        assert_ok(dry_height_field_create(&def, NULL, &data, NULL));
        add_data(world, DRY_SHAPE_HEIGHT_FIELD, data, corner, friction);
    }
}

/* Roly-polys. */

typedef enum round_shape { BALL, CAPSULE, CYLINDER, ROUND_COUNT } round_shape;
static const char *const round_names[] = {"ball", "capsule", "cylinder"};

/* The axis of a capsule and of a cylinder lies along z. */
static dry_shape_def round_along_z(round_shape shape, double radius, double half_length)
{
    dry_shape_def def = shape == BALL      ? sphere_shape(radius)
                        : shape == CAPSULE ? capsule_shape(radius, half_length)
                                           : cylinder_shape(radius, half_length);
    if (shape != BALL)
        def.pose.orientation = quat_about((d3){1, 0, 0}, TEST_PI / 2);
    def.friction = 1;
    return def;
}

typedef struct roly_poly {
    double radius, below, angle, seconds, least;
} roly_poly;

/* A round body of 1 kg with its center of mass below its middle rocks, and loses nothing as it rolls. Its
 * height is that of its angle: how deep it lies in the floor under its weight is not counted. */
static course rock_roly_poly(const roly_poly *r, round_shape shape, ground kind)
{
    dry_world *world = world_with(test_settings());
    add_ground(world, kind, 1);
    const dry_shape_def def = round_along_z(shape, r->radius, r->radius);
    const dry_body_id id =
        add_dynamic(world, (dry_pose){{0.3, r->radius, 0.2}, quat_about((d3){0, 0, 1}, r->angle)}, def);
    const float inertia = (float)(0.4 * r->radius * r->radius);
    const dry_mass mass = {.mass = 1,
                           .center = v3(0, -r->below, 0),
                           .inertia = {{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}}};
    assert_ok(dry_body_set_mass(world, id, &mass));
    course c = course_from(TEST_G * r->below * (1 - cos(r->angle)));
    for (int i = 0; i < r->seconds * 60; ++i) {
        run_steps(world, 1, TEST_DT);
        const double up = d3_turn(pose_of(world, id).orientation, (d3){0, 1, 0}).y;
        course_goes(&c, kinetic_energy(world, id) + TEST_G * r->below * (1 - up));
    }
    dry_world_destroy(world);
    return c;
}

static void test_roly_polys_keep_their_energy(void **state)
{
    (void)state;
    static const roly_poly rows[] = {
        {0.1, 0.04, 0.3, 30, 0.9}, {0.1, 0.04, 0.02, 60, 0.9}, {0.5, 0.2, 0.3, 30, 0.95}};
    for (int i = 0; i < COUNT_OF(rows); ++i)
        for (int shape = 0; shape < ROUND_COUNT; ++shape)
            for (int kind = 0; kind < GROUND_COUNT; ++kind) {
                if (test_quick() && (i + shape + kind) % 3)
                    continue;
                const course c = rock_roly_poly(&rows[i], (round_shape)shape, (ground)kind);
                char name[120];
                snprintf(name, sizeof name, "roly-poly, %s of %g m, %g rad, on a %s", round_names[shape],
                         rows[i].radius, rows[i].angle, ground_names[kind]);
                course_holds(&c, name, rows[i].least, 1.01, INFINITY);
            }
    assert_rows_held();
}

/* Boards on logs. */

typedef struct log_board {
    double radius, half_length, half_thickness, angle;
} log_board;

/* Returns the energy of a board that touches a log about z: its center is R + h off the axis across itself,
 * and where it is along itself. */
static double board_energy(const dry_world *world, dry_body_id id, const log_board *b)
{
    const double angle = angle_about_z(world, id), off_axis = b->radius + b->half_thickness;
    const double along = d3_dot(position_of(world, id), (d3){cos(angle), sin(angle), 0});
    return kinetic_energy(world, id) +
           mass_of(world, id).mass * TEST_G * (off_axis * (cos(angle) - 1) + along * sin(angle));
}

/* A board that lies across a static log, and has rolled on it by an angle, rocks. */
static course rock_board(const log_board *b, double seconds, bool *stays)
{
    dry_world *world = world_with(test_settings());
    dry_shape_def wood = round_along_z(CYLINDER, b->radius, 0.5),
                  board = box_shape(b->half_length, b->half_thickness, 0.3);
    wood.friction = board.friction = 2;
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), wood);
    const double s = sin(b->angle), c = cos(b->angle), across = b->radius + b->half_thickness,
                 along = b->radius * b->angle;
    const dry_body_id id = add_dynamic(
        world,
        (dry_pose){{along * c - across * s, across * c + along * s, 0}, quat_about((d3){0, 0, 1}, b->angle)},
        board);
    course energy = course_from(board_energy(world, id, b));
    *stays = true;
    for (int i = 0; i < seconds * 60 && *stays; ++i) {
        run_steps(world, 1, TEST_DT);
        course_goes(&energy, board_energy(world, id, b));
        *stays = position_of(world, id).y > b->radius;
    }
    dry_world_destroy(world);
    return energy;
}

static void test_boards_rock_on_logs(void **state)
{
    (void)state;
    static const log_board boards[] = {{0.3, 0.6, 0.02, 0.15}, {0.2, 0.3, 0.02, 0.15}};
    for (int i = 0; i < COUNT_OF(boards); ++i) {
        bool stays;
        const course c = rock_board(&boards[i], 30, &stays);
        char name[120];
        snprintf(name, sizeof name, "board of %g m on a log of %g m", 2 * boards[i].half_length,
                 boards[i].radius);
        course_holds(&c, name, 0.9, 1.01, INFINITY);
        snprintf(name, sizeof name, "board of %g m: stays", 2 * boards[i].half_length);
        holds(name, stays, 1, 1);
    }
    assert_rows_held();
}

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

static void test_poles_fall_as_their_closed_form_says(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(pole_sizes); ++i)
        for (int form = 0; form < POLE_COUNT; ++form)
            for (int rough = 0; rough < 2; ++rough) {
                if (test_quick() && (i + form + rough) % 2)
                    continue;
                const pole p = {(pole_form)form, pole_sizes[i][0], pole_sizes[i][1]};
                fall_holds(&p, rough, DRY_SOLVER_GAUSS_SEIDEL);
            }
    assert_rows_held();
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

/* Runs bodies over a floor. Their energy stays below 1.02 of the start's; with the default solver it also
 * never rises by more than 0.02 of the start's above the least before. */
static void gains_no_energy(dry_world *world, dry_solver solver, double seconds, const char *what)
{
    const double start = dry_world_energy(world).total_J;
    double least = 1, rise = 0, most = 1;
    for (int i = 0; i < seconds * 60; ++i) {
        run_steps(world, 1, TEST_DT);
        const double now = dry_world_energy(world).total_J / start;
        least = fmin(least, now);
        rise = fmax(rise, isfinite(now) ? now - least : INFINITY);
        most = fmax(most, isfinite(now) ? now : INFINITY);
    }
    char name[160];
    snprintf(name, sizeof name, "%s%s: largest energy", what, solver_names[solver]);
    holds(name, most, 0, 1.02);
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

static void test_heaps_of_poles_gain_no_energy(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver) {
        uint64_t random = 11;
        for (int i = 0; i < test_pick(8, 1); ++i) {
            const pole p = draw_pole(&random);
            dry_world *world = world_with(settings_of((dry_solver)solver));
            add_floor(world, 0.6, 0);
            for (int k = 0; k < 10; ++k) {
                const thrown t = draw_layer(&random, &p, k);
                add_thrown(world, &t);
            }
            char name[80];
            snprintf(name, sizeof name, "heap of 10, %s of %.2f m, 1:%.0f", pole_names[p.form], p.length,
                     p.length / p.thickness);
            gains_no_energy(world, (dry_solver)solver, 5, name);
            dry_world_destroy(world);
        }
    }
    assert_rows_held();
}

/* Turntables. */

typedef enum rider_kind { RIDES_BOX, RIDES_DISC, RIDES_CAPSULE, RIDES_SLED, RIDER_COUNT } rider_kind;
static const char *const rider_names[] = {"box", "disc", "capsule", "sled"};

typedef struct ride {
    rider_kind rider;
    bool motor;             /* turns the table; else the table is kinematic */
    double share, rate, at; /* of the friction that holds; rad/s; m from the axis */
} ride;

static const double ride_friction = 0.6;

/* Returns a table whose top is y = 0. */
static dry_body_id add_turntable(dry_world *world, const ride *r)
{
    dry_shape_def shape = cylinder_shape(r->at + 3, 0.1);
    shape.friction = (float)ride_friction;
    const dry_body_id table =
        add_body(world, r->motor ? DRY_BODY_DYNAMIC : DRY_BODY_KINEMATIC, pose_at(0, -0.1, 0), shape);
    set_velocity(world, table, (d3){0, 0, 0}, (d3){0, r->rate, 0});
    if (!r->motor)
        return table;
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    hinge.body_b = table;
    assert_ok(dry_joint_def_place(world, &hinge, (dry_position){0, -0.1, 0}, v3(0, 1, 0)));
    hinge.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
    hinge.axes[DRY_AXIS_RX].velocity = (float)r->rate;
    dry_joint_id id;
    assert_ok(dry_world_create_joint(world, &hinge, &id));
    return table;
}

/* A capsule lies along the radius. It would roll off along the table's rim, where it is not in balance, and
 * so has a rolling resistance; a sled of two capsules needs none. */
static dry_body_id add_rider(dry_world *world, const ride *r)
{
    dry_shape_def shapes[2] = {box_shape(0.2, 0.1, 0.2)};
    if (r->rider == RIDES_DISC)
        shapes[0] = cylinder_shape(0.2, 0.1);
    if (r->rider == RIDES_CAPSULE || r->rider == RIDES_SLED) {
        shapes[0] = capsule_shape(0.1, 0.2);
        shapes[0].pose.orientation = quat_about((d3){0, 0, 1}, TEST_PI / 2);
        shapes[0].rolling_resistance = r->rider == RIDES_CAPSULE ? 0.05f : 0.0f;
    }
    shapes[0].friction = (float)ride_friction;
    shapes[1] = shapes[0];
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(r->at, 0.1, 0), shapes);
    if (r->rider == RIDES_SLED) {
        def.shape_count = 2;
        shapes[0].pose.position.z = -0.15f;
        shapes[1].pose.position.z = 0.15f;
    }
    def.velocity.linear = v3(0, 0, -r->rate * r->at);
    def.velocity.angular = v3(0, r->rate, 0);
    return add_def(world, &def);
}

/* Returns where the rider is in the frame of the table. */
static d3 on_table(const dry_world *world, dry_body_id table, dry_body_id rider)
{
    return d3_turn_back(pose_of(world, table).orientation, position_of(world, rider));
}

/* Returns how far the rider drifts over the table. */
static double drift_of_ride(const ride *r, double seconds)
{
    dry_world *world = world_with(test_settings());
    const dry_body_id table = add_turntable(world, r), rider = add_rider(world, r);
    const d3 start = on_table(world, table, rider);
    double drift = 0;
    for (int i = 0; i < seconds * 60; ++i) {
        run_steps(world, 1, TEST_DT);
        const d3 moved = d3_sub(on_table(world, table, rider), start);
        drift = fmax(drift, hypot(moved.x, moved.z));
    }
    dry_world_destroy(world);
    return drift;
}

/* Returns how far a point with Coulomb friction slides over the table. */
static double slide_of_a_point(const ride *r, double seconds)
{
    const double h = 1e-5;
    double x = r->at, z = 0, vx = 0, vz = -r->rate * r->at;
    for (double t = 0; t < seconds; t += h) {
        const double ux = vx - r->rate * z, uz = vz + r->rate * x, u = fmax(hypot(ux, uz), 1e-6);
        vx -= h * ride_friction * TEST_G * ux / u;
        vz -= h * ride_friction * TEST_G * uz / u;
        x += h * vx;
        z += h * vz;
    }
    const double c = cos(r->rate * seconds), s = sin(r->rate * seconds);
    return hypot(x * c - z * s - r->at, x * s + z * c);
}

static void name_ride(char *name, size_t size, const ride *r, const char *figure)
{
    snprintf(name, size, "turntable%s, %s at %.2f m, %.3f rad/s, %g of friction: %s",
             r->motor ? " (motor)" : "", rider_names[r->rider], r->at, r->rate, r->share, figure);
}

/* Places a ride so that it needs its share of the friction: 2 m off the axis, or where its rate says. */
static ride ride_of(rider_kind rider, bool motor, double share, double rate)
{
    const double most = share * ride_friction * TEST_G;
    return (ride){rider, motor, share, rate > 0 ? rate : sqrt(most / 2), rate > 0 ? most / (rate * rate) : 2};
}

/* Most of the drift in 30 s, mm: 0.5 mm/s. */
enum { DRIFT_MOST = 15 };

static void test_turntables_keep_what_half_of_friction_holds(void **state)
{
    (void)state;
    for (int i = 0; i < RIDER_COUNT * 4; ++i) {
        const ride r = ride_of((rider_kind)(i / 4), false, i % 2 ? 0.5 : 0.2, i / 2 % 2 ? 0.5 : 0);
        char name[160];
        name_ride(name, sizeof name, &r, "drift in 30 s, mm");
        if (r.rider != RIDES_CAPSULE)
            holds(name, 1e3 * drift_of_ride(&r, 30), 0, DRIFT_MOST);
    }
    assert_rows_held();
}

static void test_turntables_keep_what_friction_holds(void **state)
{
    (void)state;
    static const double shares[] = {0.2, 0.5, 0.8, 0.9, 0.95}, rates[] = {0, 0.5, 4};
    for (int i = 0; i < RIDER_COUNT * 2 * COUNT_OF(shares) * COUNT_OF(rates); ++i) {
        const int share = i % COUNT_OF(shares), rate = i / COUNT_OF(shares) % COUNT_OF(rates);
        const int kind = i / (COUNT_OF(shares) * COUNT_OF(rates));
        if (test_quick() && (share + rate + kind) % 5)
            continue;
        const ride r = ride_of((rider_kind)(kind / 2), kind % 2, shares[share], rates[rate]);
        char name[160];
        name_ride(name, sizeof name, &r, "drift in 30 s, mm");
        holds(name, 1e3 * drift_of_ride(&r, 30), 0, DRIFT_MOST);
    }
    assert_rows_held();
}

/* Beyond what friction holds a rider slides as a point does; a capsule rolls, too. */
static void slide_rides(bool motor)
{
    static const double shares[] = {1.1, 1.5};
    for (int i = 0; i < RIDER_COUNT * COUNT_OF(shares); ++i) {
        const ride r = ride_of((rider_kind)(i / 2), motor, shares[i % 2], 0);
        if (r.rider == RIDES_CAPSULE)
            continue;
        char name[160];
        name_ride(name, sizeof name, &r, "slide in 1 s over the law's");
        holds(name, drift_of_ride(&r, 1) / slide_of_a_point(&r, 1), 0.97, 1.03);
    }
    assert_rows_held();
}

static void test_turntables_lose_what_friction_does_not_hold(void **state)
{
    (void)state;
    slide_rides(false);
}

static void test_motors_lose_what_friction_does_not_hold(void **state)
{
    (void)state;
    slide_rides(true);
}

/* Euler's disk. */

/* Returns the share of its energy that a disk keeps for a second that rolls about its own center, at rest,
 * as it leans by 0.5 rad. Its spin w, along the line from the center to the contact, goes round the vertical
 * at W: W^2 sin (A cos - C h/r sin) = m g (r cos - h sin), w = W sin / r along each of the radius r and the
 * half thickness h, with A across and C about the axis. */
static course spin_disk(double hertz)
{
    const double r = 0.5, h = 0.01, lean = 0.5, s = sin(lean), c = cos(lean);
    dry_world *world = world_with(test_settings());
    add_floor(world, 2, 0);
    dry_shape_def shape = cylinder_shape(r, h);
    shape.friction = 2;
    const dry_body_id id =
        add_dynamic(world, (dry_pose){{0, r * s + h * c, 0}, quat_about((d3){0, 0, 1}, -lean)}, shape);
    const dry_mass mass = mass_of(world, id);
    const double across = mass.inertia[0][0], about = mass.inertia[1][1];
    const double rate = sqrt(mass.mass * TEST_G * (r * c - h * s) / (s * (across * c - about * h / r * s)));
    /* The lowest point of the rim lies at +x; down the slope is (c, -s), the axis (s, c). */
    const d3 down = {c, -s, 0}, axis = {s, c, 0};
    set_velocity(world, id, (d3){0, 0, 0},
                 d3_add(d3_scale(down, -rate * s), d3_scale(axis, rate * s * h / r)));
    course energy = course_from(energy_above(world, id, h));
    for (int i = 0; i < hertz; ++i) {
        run_steps(world, 1, (float)(1 / hertz));
        course_goes(&energy, energy_above(world, id, h));
    }
    dry_world_destroy(world);
    return energy;
}

static void test_eulers_disk_keeps_its_energy(void **state)
{
    (void)state;
    const course slow = spin_disk(60), fast = spin_disk(240);
    course_holds(&slow, "Euler's disk at 60 Hz, 1 s", 0.95, 1.01, 1.01);
    course_holds(&fast, "Euler's disk at 240 Hz, 1 s", 0.99, 1.01, 1.01);
    assert_rows_held();
}

/* Rocking blocks. */

/* Lets a block of 1 m, and of 1/slender of it in width, rock from a share of the angle at which it would
 * topple. Returns the ratio of its angular speeds after the first impact and before: that of the roots of its
 * energy at the first step's end beyond the upright and at the start. */
static double ratio_of_first_impact(double slender, double share, double hertz)
{
    const double h = 0.5, b = h / slender, topples = atan(1 / slender), r = hypot(h, b);
    const double angle = share * topples;
    dry_world *world = world_with(test_settings());
    add_floor(world, 2, 0);
    dry_shape_def shape = box_shape(b, h, h / 2);
    shape.friction = 2;
    /* The corner at +x bears it, at the origin. */
    const d3 at = {-r * sin(topples - angle), r * cos(topples - angle), 0};
    const dry_body_id id =
        add_dynamic(world, (dry_pose){{at.x, at.y, 0}, quat_about((d3){0, 0, 1}, -angle)}, shape);
    for (int i = 0; i < 10 * hertz && angle_about_z(world, id) <= 0; ++i)
        run_steps(world, 1, (float)(1 / hertz));
    const double rises = TEST_G * r * (cos(topples - fabs(angle_about_z(world, id))) - cos(topples));
    const double start = TEST_G * r * (cos(topples - angle) - cos(topples));
    const double after = kinetic_energy(world, id) / mass_of(world, id).mass + rises;
    dry_world_destroy(world);
    return sqrt(after / start);
}

/* A block loses what Housner's ratio says, 1 - 3/2 sin^2 of the angle at which it topples. */
static void rock_blocks(double hertz)
{
    static const double slender[] = {4, 3, 6, 8}, shares[] = {0.5, 0.8};
    for (int i = 0; i < COUNT_OF(slender) * COUNT_OF(shares); ++i) {
        const double h = slender[i / 2], share = shares[i % 2];
        const double s = sin(atan(1 / h)), housner = 1 - 1.5 * s * s;
        char name[120];
        snprintf(name, sizeof name, "block 1:%g from %g of toppling, %g Hz: over Housner's %.4f", h, share,
                 hertz, housner);
        holds(name, ratio_of_first_impact(h, share, hertz) / housner, 0.99, 1.01);
    }
    assert_rows_held();
}

static void test_rocking_blocks_lose_what_housner_says(void **state)
{
    (void)state;
    rock_blocks(240);
}

static void test_rocking_blocks_at_60_hz(void **state)
{
    (void)state;
    rock_blocks(60);
}

/* Troughs and bowls of facets. */

/* Half a pipe along z with its axis at y = r: facets touch a circle of radius r from outside. */
static surface trough_surface(int facets, double r, double half_length)
{
    surface s = {0};
    const double corner = r / cos(TEST_PI / (2 * facets));
    for (int i = 0; i <= facets; ++i) {
        const double a = TEST_PI * ((double)i / facets - 0.5);
        for (int side = -1; side <= 1; side += 2)
            surface_vertex(&s, (d3){corner * sin(a), r - corner * cos(a), side * half_length});
    }
    for (int i = 0; i < 2 * facets; i += 2) {
        surface_triangle(&s, i, i + 1, i + 3);
        surface_triangle(&s, i, i + 3, i + 2);
    }
    return s;
}

/* Half a ball with its center at y = r, of so many facets around and a quarter of them up, all outside of a
 * sphere of radius r. */
static surface bowl_surface(int facets, double r)
{
    surface s = {0};
    const double corner = r / (cos(TEST_PI / facets) * cos(TEST_PI / facets));
    surface_vertex(&s, (d3){0, r - corner, 0});
    for (int ring = 1; ring <= facets / 4; ++ring)
        for (int i = 0; i < facets; ++i) {
            const double up = 2 * TEST_PI * ring / facets, a = 2 * TEST_PI * i / facets;
            surface_vertex(&s,
                           (d3){corner * sin(up) * cos(a), r - corner * cos(up), corner * sin(up) * sin(a)});
        }
    for (int i = 0; i < facets; ++i)
        surface_triangle(&s, 0, 1 + (i + 1) % facets, 1 + i);
    for (int ring = 0; ring < facets / 4 - 1; ++ring)
        for (int i = 0; i < facets; ++i) {
            const int a = 1 + ring * facets + i, b = 1 + ring * facets + (i + 1) % facets;
            surface_triangle(&s, a, b, b + facets);
            surface_triangle(&s, a, b + facets, a + facets);
        }
    return s;
}

/* Slides a body without friction from 0.5 rad off the lowest place. */
static course slide_in(surface s, double r, const dry_shape_def *shape, double low, double heading,
                       double seconds)
{
    dry_world *world = world_with(test_settings());
    add_surface(world, &s, (d3){0, 0, 0}, 0);
    dry_shape_def smooth = *shape;
    smooth.friction = 0;
    const double a = 0.5, out = (r - low) * sin(a);
    const dry_body_id id =
        add_dynamic(world,
                    (dry_pose){{out * cos(heading), r - (r - low) * cos(a), out * sin(heading)},
                               quat_about((d3){-sin(heading), 0, cos(heading)}, a)},
                    smooth);
    course energy = course_from(energy_above(world, id, low));
    for (int i = 0; i < seconds * 60; ++i) {
        run_steps(world, 1, TEST_DT);
        course_goes(&energy, energy_above(world, id, low));
    }
    dry_world_destroy(world);
    return energy;
}

static void test_facets_give_no_energy(void **state)
{
    (void)state;
    static const double radii[] = {2, 0.3};
    static const int facets[] = {64, 256};
    const int seconds = test_pick(30, 6);
    const double rounding = 1e-4; /* of single precision */
    for (int i = 0; i < 2; ++i)
        for (int form = 0; form < 4; ++form) {
            const double R = radii[i], size = R / 20;
            /* The bottom edges of a box stay on the circle. */
            const double low = form < 3 ? size : R - (sqrt(R * R - size * size) - size);
            const dry_shape_def shape =
                form < 3 ? round_along_z((round_shape)form, size, size) : box_shape(size, size, size);
            const course c = slide_in(trough_surface(257, R, 0.5), R, &shape, low, 0, seconds);
            char name[120];
            snprintf(name, sizeof name, "%s in a trough of %g m", form < 3 ? round_names[form] : "box", R);
            course_holds(&c, name, 0, 1.0 + rounding, 1.0 + rounding);
        }
    for (int i = 0; i < 4; ++i) {
        const double R = radii[i % 2];
        const dry_shape_def ball = sphere_shape(R / 20);
        const course c = slide_in(bowl_surface(facets[i / 2], R), R, &ball, R / 20, 0.4, seconds);
        char name[120];
        snprintf(name, sizeof name, "ball in a bowl of %g m and %d facets", R, facets[i / 2]);
        course_holds(&c, name, 0, 1.0 + rounding, 1.0 + rounding);
    }
    assert_rows_held();
}

/* test_turning PATTERN: runs the tests whose names match, as "*roly*", what is owed among them. */
int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roly_polys_keep_their_energy),
        cmocka_unit_test(test_boards_rock_on_logs),
        cmocka_unit_test(test_turntables_keep_what_half_of_friction_holds),
        cmocka_unit_test(test_turntables_lose_what_friction_does_not_hold),
        cmocka_unit_test(test_eulers_disk_keeps_its_energy),
        cmocka_unit_test(test_rocking_blocks_lose_what_housner_says),
    };
    const struct CMUnitTest owed[] = {
        cmocka_unit_test(test_poles_fall_as_their_closed_form_says),
        cmocka_unit_test(test_poles_fall_so_with_every_solver),
        cmocka_unit_test(test_thrown_poles_gain_no_energy),
        cmocka_unit_test(test_heaps_of_poles_gain_no_energy),
        cmocka_unit_test(test_turntables_keep_what_friction_holds),
        cmocka_unit_test(test_motors_lose_what_friction_does_not_hold),
        cmocka_unit_test(test_rocking_blocks_at_60_hz),
        cmocka_unit_test(test_facets_give_no_energy),
    };
    if (count == 1)
        return cmocka_run_group_tests(tests, NULL, NULL);
    cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(owed, NULL, NULL);
}
