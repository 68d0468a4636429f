/* Relaxation of sweeps [Waterson 4.9] and their order: against the closed form for one constraint, iterations
 * in double precision for chains, and the radii of [Waterson 8.2]. */
#include "tests/method_limits.h"
#include "tests/scene_worlds.h"

#include "tests/world_checker.h"

/* A rigid joint, which sweeps soften by a share of its own mass's inverse. */
static dry_joint_id add_rod(dry_world *world, dry_body_id a, dry_body_id b, double length)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    def.body_a = a;
    def.body_b = b;
    def.length = (float)length;
    dry_joint_id id;
    assert_ok(dry_world_create_joint(world, &def, &id));
    return id;
}

/* One step of so many sweeps from rest impulses, without the sweeps that take the position term back. */
static dry_settings sweeps_only(int sweeps, float relaxation)
{
    dry_settings settings = test_settings_weightless();
    settings.substeps = 1;
    settings.sweeps = sweeps;
    settings.relax_sweeps = 0;
    settings.warm_start = false;
    settings.method.relaxation = relaxation;
    settings.push_out_speed_max = 1e6f; /* and so no bound of the softness's term */
    return settings;
}

/* Returns whether a method solves for positions. */
static bool solves_positions(dry_solver solver)
{
    return solver == DRY_SOLVER_PBD || solver == DRY_SOLVER_XPBD;
}

/* Gives settings a method. One that solves for positions needs a sweep over velocities, which leaves joints
 * as they are. */
static void set_solver(dry_settings *settings, dry_solver solver)
{
    settings->method.solver = solver;
    settings->relax_sweeps = solves_positions(solver) ? 1 : 0;
}

/* Returns whether a method takes a relaxation other than 1. */
static bool takes_relaxation(const dry_settings *settings)
{
    dry_settings relaxed = *settings;
    relaxed.method.relaxation = 0.5f;
    return !limit_of(&relaxed);
}

/* Returns how far a speed may be off. A method that solves for positions measures a rod of 3 m to 2^-22 m in
 * each sweep, and divides the error by the step. Sweeps that leave 1 - xi of it add such errors up. */
static double speed_tolerance(dry_solver solver, double otherwise, double xi)
{
    return solves_positions(solver) ? ldexp(1, -22) / (double)TEST_DT / (1 - fabs(1 - xi)) : otherwise;
}

static const float shares[] = {0.25f, 0.5f, 0.9f, 1.0f, 1.3f, 1.75f};

/* Runs a step of two bodies on a rod, and returns the speed at which they part. */
static double rod_speed(const dry_settings *settings)
{
    dry_world *world = world_with(*settings);
    dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    dry_body_id b = add_dynamic(world, pose_at(3, 0, 0), sphere_shape(0.7));
    add_rod(world, a, b, 3);
    set_velocity(world, b, (d3){1, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 1, TEST_DT);
    const double speed = velocity_of(world, b).x - velocity_of(world, a).x;
    dry_world_destroy(world);
    return speed;
}

/* Each sweep leaves 1 - xi of the error of a constraint that is alone [Waterson 4.73]. Jacobi splits the
 * masses among one constraint, and sweeps twice. */
static void test_one_joint(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++)
        for (int i = 0; i < COUNT_OF(shares); i++) {
            dry_settings settings = sweeps_only(1, 1.0f);
            set_solver(&settings, (dry_solver)solver);
            if (!takes_relaxation(&settings))
                continue;
            const double solved = rod_speed(&settings);
            const int times = solver == DRY_SOLVER_JACOBI ? 2 : 1;
            for (int k = 1; k <= 8; k++) {
                settings.sweeps = k;
                settings.method.relaxation = shares[i];
                const double left = pow(1 - (double)shares[i], times * k) * (1 - solved);
                assert_near(rod_speed(&settings), solved + left,
                            speed_tolerance(settings.method.solver, 2e-6, (double)shares[i]));
            }
        }
}

/* Returns the mean speed in a step of a ball above the ground that is to stop at the surface: the contact's
 * row is rigid, and pushes all the time. */
static double fall_speed(const dry_settings *settings)
{
    dry_world *world = world_with(*settings);
    add_floor(world, 0, 0);
    dry_body_id ball = add_dynamic(world, pose_at(0, 0.51, 0), sphere_shape(0.5));
    set_velocity(world, ball, (d3){0, -10, 0}, (d3){0, 0, 0});
    run_steps(world, 1, TEST_DT);
    const double speed = (position_of(world, ball).y - 0.51) / (double)TEST_DT;
    dry_world_destroy(world);
    return speed;
}

static void test_one_contact(void **state)
{
    (void)state;
    static const dry_solver solvers[] = {DRY_SOLVER_GAUSS_SEIDEL, DRY_SOLVER_PBD, DRY_SOLVER_XPBD};
    const double solved = -0.01 * 60;
    for (int s = 0; s < COUNT_OF(solvers); s++)
        for (int friction = 0; friction < DRY_FRICTION_COUNT; friction++)
            for (int i = 0; i < COUNT_OF(shares); i++)
                for (int k = 1; k <= 8; k++) {
                    dry_settings settings = sweeps_only(k, shares[i]);
                    set_solver(&settings, solvers[s]);
                    settings.method.friction = (dry_friction)friction;
                    if (limit_of(&settings))
                        continue;
                    const double left = pow(1 - (double)shares[i], k) * (-10 - solved);
                    assert_near(fall_speed(&settings), solved + left, 1e-4);
                }
}

enum { CHAIN = 10, RODS = CHAIN - 1 };

/* A chain of bodies of 1 kg in double. Its rows are A + e D, with A = G M^-1 G^T and D the diagonal of A. */
typedef struct chain {
    double v[CHAIN], impulse[RODS];
    double softness; /* e */
} chain;

/* Returns e of a method's rigid joint: it leaves e / (1 + e) of the speed at which two bodies part. */
static double joint_softness(dry_solver solver)
{
    dry_settings settings = sweeps_only(1, 1.0f);
    set_solver(&settings, solver);
    const double left = rod_speed(&settings);
    return left / (1 - left);
}

/* Visits a rod. */
static void visit_rod(chain *c, int rod, double relaxation)
{
    const double residual = c->v[rod + 1] - c->v[rod] + 2 * c->softness * c->impulse[rod];
    const double change = -relaxation * residual / (2 * (1 + c->softness));
    c->impulse[rod] += change;
    c->v[rod] -= change;
    c->v[rod + 1] += change;
}

/* Sweep `k` of a step. By color, rods 0, 2, 4 ... come first; up the layers, they rise. */
static void sweep_chain(chain *c, double relaxation, dry_order order, int k)
{
    const bool alternates = order == DRY_ORDER_COLOR || order == DRY_ORDER_LAYERS;
    const bool backward = order == DRY_ORDER_LAYERS_DOWN || (alternates && k % 2 == 1);
    if (order == DRY_ORDER_COLOR || order == DRY_ORDER_FORWARD) {
        for (int half = 0; half < 2; half++)
            for (int rod = backward ? 1 - half : half; rod < RODS; rod += 2)
                visit_rod(c, rod, relaxation);
        return;
    }
    for (int i = 0; i < RODS; i++)
        visit_rod(c, backward ? RODS - 1 - i : i, relaxation);
}

/* Runs a step of a chain along x, which is up: gravity has a direction and, at 1e-7 m/s^2, no effect. */
static void run_chain(const dry_settings *of_step, const double start[CHAIN], double v[CHAIN], int steps)
{
    dry_settings settings = *of_step;
    settings.gravity = v3(-1e-7, 0, 0);
    dry_world *world = world_with(settings);
    dry_body_id id[CHAIN];
    for (int i = 0; i < CHAIN; i++)
        id[i] = add_dynamic(world, pose_at(3 * i, 0, 0), sphere_shape(0.5));
    for (int i = 1; i < CHAIN; i++)
        add_rod(world, id[i - 1], id[i], 3);
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < CHAIN; i++) {
            set_velocity(world, id[i], (d3){start[i], 0, 0}, (d3){0, 0, 0});
            assert_ok(dry_body_set_pose(world, id[i], pose_at(3 * i, 0, 0)));
        }
        run_steps(world, 1, TEST_DT);
    }
    for (int i = 0; i < CHAIN; i++)
        v[i] = velocity_of(world, id[i]).x;
    dry_world_destroy(world);
}

static void draw_start(double start[CHAIN])
{
    uint64_t random = 7;
    for (int i = 0; i < CHAIN; i++)
        start[i] = random_in(&random, -1, 1);
}

/* The speeds of the slowest mode of a chain without softness. */
static void draw_slowest(double start[CHAIN])
{
    for (int i = 0; i < CHAIN; i++)
        start[i] = cos(TEST_PI * (i + 0.5) / CHAIN);
}

/* After each number of sweeps all bodies have the speeds of the iteration in double, in every order. */
static void test_chain(void **state)
{
    (void)state;
    static const dry_solver solvers[] = {DRY_SOLVER_GAUSS_SEIDEL, DRY_SOLVER_PBD, DRY_SOLVER_XPBD};
    double start[CHAIN], found[CHAIN];
    draw_start(start);
    for (int s = 0; s < COUNT_OF(solvers); s++) {
        const double softness = joint_softness(solvers[s]);
        assert_true(softness > (solves_positions(solvers[s]) ? 0.9e-4 : 0.01) && softness < 0.5);
        for (int order = 0; order <= DRY_ORDER_LAYERS; order++)
            for (int i = 0; i < COUNT_OF(shares); i++)
                for (int sweeps = 1; sweeps <= 24; sweeps++) {
                    const double tolerance = speed_tolerance(solvers[s], 1e-5, (double)shares[i]);
                    dry_settings settings = sweeps_only(sweeps, shares[i]);
                    set_solver(&settings, solvers[s]);
                    settings.method.order = (dry_order)order;
                    chain expected = {.softness = softness};
                    memcpy(expected.v, start, sizeof expected.v);
                    /* Substeps with joints all end backward where positions are swept. */
                    const bool positions = solvers[s] == DRY_SOLVER_PBD || solvers[s] == DRY_SOLVER_XPBD;
                    for (int k = 0; k < sweeps; k++)
                        sweep_chain(&expected, (double)shares[i], (dry_order)order, k + positions * sweeps);
                    run_chain(&settings, start, found, 1);
                    for (int b = 0; b < CHAIN; b++)
                        assert_near(found[b], expected.v[b], tolerance);
                }
    }
}

/* Velocities that follow from positions carry on what a relaxation leaves of an error. A ball on a rod at the
 * places p of the substeps' ends, with r = (1 - xi)^n of the error left by n sweeps, goes by
 * p'' = r (2 p' - p). The larger root of z^2 - 2 r z + r is 1 for r = -1/3: with one sweep the ball comes to
 * rest below xi = 4/3, and swings up above. */
static void test_overshoot(void **state)
{
    (void)state;
    static const float relaxations[] = {0.5f, 0.9f, 1.0f, 1.3f, 1.4f, 1.5f};
    enum { STEPS = 8 };
    for (int solver = DRY_SOLVER_PBD; solver <= DRY_SOLVER_XPBD; solver++)
        for (int i = 0; i < COUNT_OF(relaxations); i++)
            for (int sweeps = 1; sweeps <= 3; sweeps++) {
                dry_settings settings = sweeps_only(sweeps, relaxations[i]);
                set_solver(&settings, (dry_solver)solver);
                dry_world *world = world_with(settings);
                dry_body_id ball = add_dynamic(world, pose_at(0, -1, 0), sphere_shape(0.5));
                add_rod(world, (dry_body_id){0}, ball, 1);
                set_velocity(world, ball, (d3){0, -0.02, 0}, (d3){0, 0, 0});
                const double left = pow(1 - (double)relaxations[i], sweeps);
                double last = 0.02 * (double)TEST_DT, present = 0, largest = 0;
                for (int step = 0; step < STEPS; step++) {
                    const double next = left * (2 * present - last);
                    last = present;
                    present = next;
                    largest = fmax(largest, fabs(present));
                    run_steps(world, 1, TEST_DT);
                    assert_near(position_of(world, ball).y + 1, present, 2e-3 * largest + 3e-7);
                }
                dry_world_destroy(world);
            }
}

enum { HUNG = 10 };

/* Classical PBD of balls of 1 kg that hang below each other on rods of 1 m, in double [Waterson 4.90-4.91].
 */
typedef struct hung {
    d3 at[HUNG], v[HUNG];
} hung;

/* Moves the ends of a rod by k of its error, along the rod as the step found it (methods/DECISIONS.md). */
static void project_rod(const hung *m, int rod, double k, d3 ahead[HUNG])
{
    const d3 top = {0};
    const d3 was = d3_sub(m->at[rod], rod > 0 ? m->at[rod - 1] : top);
    const double error = d3_length(d3_sub(ahead[rod], rod > 0 ? ahead[rod - 1] : top)) - 1;
    const d3 move = d3_scale(was, k * error / (rod > 0 ? 2 : 1) / d3_length(was));
    ahead[rod] = d3_sub(ahead[rod], move);
    if (rod > 0)
        ahead[rod - 1] = d3_add(ahead[rod - 1], move);
}

/* Predicts positions, sweeps over the rods by color, the last sweep of an alternating order backward, and
 * takes the velocities from the positions. */
static void step_hung(hung *m, double h, double k, int sweeps, bool alternates)
{
    d3 ahead[HUNG];
    for (int i = 0; i < HUNG; i++)
        ahead[i] = d3_add(m->at[i], d3_scale(d3_add(m->v[i], (d3){0, -TEST_G * h, 0}), h));
    for (int s = 1; s <= sweeps; s++) {
        const bool backward = alternates && (sweeps - s) % 2 == 0;
        for (int half = 0; half < 2; half++)
            for (int rod = backward ? 1 - half : half; rod < HUNG; rod += 2)
                project_rod(m, rod, k, ahead);
    }
    for (int i = 0; i < HUNG; i++) {
        m->v[i] = d3_scale(d3_sub(ahead[i], m->at[i]), 1 / h);
        m->at[i] = ahead[i];
    }
}

/* Follows a chain that is let go from an angle to the vertical, for 5 s. Positions and velocities differ from
 * the model's by at most 1e-3 of the largest way and of the largest speed so far. */
static void check_hung(dry_settings settings, double angle)
{
    const double h = (double)TEST_DT / settings.substeps, k = (double)settings.method.relaxation;
    hung m = {0};
    d3 start[HUNG];
    dry_body_id id[HUNG];
    dry_world *world = world_with(settings);
    for (int i = 0; i < HUNG; i++) {
        m.at[i] = start[i] = (d3){(i + 1) * sin(angle), -(i + 1) * cos(angle), 0};
        id[i] = add_dynamic(world, pose_at(start[i].x, start[i].y, 0), sphere_shape(0.1));
        add_rod(world, i > 0 ? id[i - 1] : (dry_body_id){0}, id[i], 1);
    }
    double way = 0, speed = 0;
    for (int step = 0; step < 300; step++) {
        run_steps(world, 1, TEST_DT);
        for (int i = 0; i < settings.substeps; i++)
            step_hung(&m, h, k, settings.sweeps, settings.method.order == DRY_ORDER_COLOR);
        for (int i = 0; i < HUNG; i++) {
            way = fmax(way, d3_length(d3_sub(m.at[i], start[i])));
            speed = fmax(speed, d3_length(m.v[i]));
        }
        for (int i = 0; i < HUNG; i++) {
            assert_at_most(d3_length(d3_sub(position_of(world, id[i]), m.at[i])), 1e-3 * way);
            assert_at_most(d3_length(d3_sub(velocity_of(world, id[i]), m.v[i])), 1e-3 * speed);
        }
    }
    dry_world_destroy(world);
}

/* The stiffness k of classical PBD [Waterson 4.13] does at every step what its definition says, also where
 * joints are open by more than an overlap closes in a step: what they take of the motion comes back. */
static void test_classical_pbd(void **state)
{
    (void)state;
    static const float stiffnesses[] = {0.05f, 0.25f, 0.5f};
    for (int i = 0; i < COUNT_OF(stiffnesses); i++)
        for (int sweeps = 1; sweeps <= 16; sweeps += 15)
            for (int substeps = 1; substeps <= 4; substeps += 3)
                for (int variant = 0; variant < 4; variant++) {
                    dry_settings settings = test_settings();
                    settings.method.solver = DRY_SOLVER_PBD;
                    settings.method.relaxation = stiffnesses[i];
                    settings.method.order = variant % 2 ? DRY_ORDER_FORWARD : DRY_ORDER_COLOR;
                    settings.sweeps = sweeps;
                    settings.substeps = substeps;
                    settings.sleep = false;
                    check_hung(settings, variant / 2 ? 0.5 : 0);
                }
}

/* Returns how far a chain is from its solution after one step of so many sweeps. */
static double chain_error(const dry_settings *settings, const double start[CHAIN], const double solved[CHAIN])
{
    double found[CHAIN], sum = 0;
    run_chain(settings, start, found, 1);
    for (int i = 0; i < CHAIN; i++)
        sum += (found[i] - solved[i]) * (found[i] - solved[i]);
    return sqrt(sum);
}

/* Returns the mean factor by which a sweep shrinks the error, between two numbers of sweeps. */
static double chain_rate(const dry_settings *of_sweeps, const double start[CHAIN], int from, int to)
{
    double solved[CHAIN];
    dry_settings settings = sweeps_only(256, 1.0f);
    run_chain(&settings, start, solved, 1);
    settings = *of_sweeps;
    settings.sweeps = from;
    const double first = chain_error(&settings, start, solved);
    settings.sweeps = to;
    return pow(chain_error(&settings, start, solved) / first, 1.0 / (to - from));
}

/* The slowest mode of a chain of N bodies shrinks by mu^2 a sweep, mu = cos(pi / N) [Waterson 8.13], here
 * over 1 + e for the softness; with the best relaxation by xi - 1 [8.22], but for the double root. Sweeps by
 * color that alternate visit each color twice in a row, the second time for nothing: mu a sweep. */
static void test_radii(void **state)
{
    (void)state;
    double start[CHAIN];
    const double mu = cos(TEST_PI / CHAIN) / (1 + joint_softness(DRY_SOLVER_GAUSS_SEIDEL));
    const double best = 2 / (1 + sqrt(1 - mu * mu));
    draw_slowest(start);
    dry_settings settings = sweeps_only(1, 1.0f);
    assert_near(chain_rate(&settings, start, 16, 24), mu, 0.01 * mu);
    settings.method.order = DRY_ORDER_FORWARD;
    assert_near(chain_rate(&settings, start, 12, 20), mu * mu, 0.01);
    settings.method.order = DRY_ORDER_LAYERS_UP; /* ordered consistently, too */
    assert_near(chain_rate(&settings, start, 12, 20), mu * mu, 0.01);
    settings.method.order = DRY_ORDER_FORWARD;
    settings.method.relaxation = (float)best;
    /* k (xi - 1)^k, from sweep 4 to 10. */
    const double rate = chain_rate(&settings, start, 4, 10);
    assert_at_most(rate, (best - 1) * pow(10.0 / 4, 1.0 / 6) * 1.02);
    assert_at_most((best - 1) * 0.9, rate);
    /* Under-relaxation is slower [4.77]: 1 - xi (1 - l) for simultaneous changes, a little more here. */
    settings.method.relaxation = 0.5f;
    assert_true(chain_rate(&settings, start, 12, 20) > 0.5 + 0.5 * mu * mu);
}

/* In double and without softness, sweeps until the slowest mode of 10 bodies is down to 1 %: 47, and 12 with
 * the best relaxation of [Waterson 8.21], 1.528. */
static void test_document(void **state)
{
    (void)state;
    static const double relaxations[] = {1, 1.528};
    static const int expected[] = {47, 12};
    for (int i = 0; i < 2; i++) {
        chain c = {.softness = 0};
        double first = 0;
        draw_slowest(c.v); /* whose solution is rest */
        for (int b = 0; b < CHAIN; b++)
            first += c.v[b] * c.v[b];
        int sweeps = 0;
        for (double left = first; left > 1e-4 * first; sweeps++) {
            sweep_chain(&c, relaxations[i], DRY_ORDER_FORWARD, sweeps);
            left = 0;
            for (int b = 0; b < CHAIN; b++)
                left += c.v[b] * c.v[b];
        }
        assert_true(sweeps == expected[i] || sweeps == expected[i] - 1);
    }
}

/* A shuffled order of two colors is one of two. Both come, at the same steps in every world. */
static void test_shuffled(void **state)
{
    (void)state;
    double start[CHAIN], found[CHAIN];
    draw_start(start);
    const double softness = joint_softness(DRY_SOLVER_GAUSS_SEIDEL);
    int forward = 0, sweeps = 0;
    for (int steps = 1; steps <= 24; steps++) {
        chain expected[2] = {{.softness = softness}, {.softness = softness}};
        for (int k = 0; k < 2; k++) {
            memcpy(expected[k].v, start, sizeof expected[k].v);
            sweep_chain(&expected[k], 1, DRY_ORDER_COLOR, k);
        }
        dry_settings settings = sweeps_only(1, 1.0f);
        settings.method.order = DRY_ORDER_SHUFFLED;
        run_chain(&settings, start, found, steps);
        double apart[2] = {0};
        for (int b = 0; b < CHAIN; b++)
            for (int k = 0; k < 2; k++)
                apart[k] = fmax(apart[k], fabs(found[b] - expected[k].v[b]));
        assert_at_most(fmin(apart[0], apart[1]), 1e-5);
        forward += apart[0] < apart[1];
        settings.method.order = DRY_ORDER_SHUFFLED_SWEEPS;
        run_chain(&settings, start, found, steps);
        sweeps += fabs(found[0] - expected[0].v[0]) < 1e-5;
    }
    assert_true(forward >= 6 && forward <= 18);
    assert_true(sweeps >= 6 && sweeps <= 18);
}

/* Shuffling makes the number of steps a part of the state. */
static void test_shuffled_hash(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    dry_world *world = world_with(settings);
    const uint64_t before = dry_world_hash(world);
    run_steps(world, 1, TEST_DT);
    assert_true(dry_world_hash(world) == before);
    settings.method.order = DRY_ORDER_SHUFFLED;
    assert_ok(dry_world_set_settings(world, &settings));
    const uint64_t shuffled = dry_world_hash(world);
    run_steps(world, 1, TEST_DT);
    assert_true(dry_world_hash(world) != shuffled);
    dry_world_destroy(world);
}

/* From any start, an adaptive relaxation leaves much less of the slowest mode after 20 sweeps than none does:
 * Gauss-Seidel 9e-6 to 1e-4 instead of 6e-3, where the best relaxation leaves 2e-7; Jacobi 2e-4 to 1.3e-3
 * instead of 8e-3. */
static void test_adaptive(void **state)
{
    (void)state;
    double start[CHAIN], solved[CHAIN];
    draw_slowest(start);
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++)
        for (int i = 0; i < COUNT_OF(shares); i++) {
            dry_settings settings = sweeps_only(256, 1.0f);
            settings.method.solver = (dry_solver)solver;
            settings.method.relaxation_adaptive = true;
            if (limit_of(&settings))
                continue;
            settings.method.relaxation_adaptive = false;
            run_chain(&settings, start, solved, 1);
            settings.sweeps = 20;
            settings.method.order = solver == DRY_SOLVER_JACOBI ? DRY_ORDER_COLOR : DRY_ORDER_FORWARD;
            const double plain = chain_error(&settings, start, solved);
            settings.method.relaxation = shares[i];
            settings.method.relaxation_adaptive = true;
            const double adaptive = chain_error(&settings, start, solved);
            assert_at_most(adaptive, (solver == DRY_SOLVER_JACOBI ? 0.2 : 0.02) * plain);
        }
}

static void test_refused(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    dry_world *world = world_with(settings);
    settings.method.relaxation_adaptive = true;
    assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
    settings.sweeps_min = 2;
    assert_ok(dry_world_set_settings(world, &settings));
    settings.sweeps = 1;
    assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
    settings.sweeps = 2;
    assert_ok(dry_world_set_settings(world, &settings));
    settings.method.solver = DRY_SOLVER_JACOBI;
    assert_ok(dry_world_set_settings(world, &settings));
    settings.method.order = DRY_ORDER_LAYERS;
    assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
    dry_world_def def = test_world_def();
    def.settings = settings;
    dry_world *none = world;
    assert_int_equal(dry_world_create(&def, &none), DRY_ERROR_ARGUMENT);
    assert_null(none);
    dry_world_destroy(world);
}

static uint64_t scene_hash(const char *name, int size, const dry_settings *settings, int threads, dry_isa isa)
{
    dry_scene scene = scene_of(name, size);
    dry_world_def def = test_world_def();
    def.settings = *settings;
    def.threads = threads;
    def.isa = isa;
    dry_world *world = world_from(&def);
    dry_body_id *ids = built_in(world, &scene);
    run_steps(world, 6, scene.dt);
    const uint64_t hash = dry_world_hash(world);
    dry_world_destroy(world);
    free(ids);
    dry_scene_free(&scene);
    return hash;
}

/* The same bits for every number of threads and instruction set. The pyramid has more bodies than one block
 * of a sum, the ragdolls have joints with stops, and direct joints have contacts. */
static void test_threads_and_instruction_sets(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int size;
        dry_joint_solver joints;
    } scenes[] = {{"pyramid", 34, DRY_JOINT_SOLVER_ITERATIVE},
                  {"ragdolls", 2, DRY_JOINT_SOLVER_ITERATIVE},
                  {"ragdolls", 2, DRY_JOINT_SOLVER_DIRECT}};
    static const dry_solver others[] = {DRY_SOLVER_JACOBI, DRY_SOLVER_PBD, DRY_SOLVER_XPBD};
    for (int i = 0; i < COUNT_OF(scenes); i++)
        for (int variant = 0; variant < DRY_ORDER_COUNT + COUNT_OF(others); variant++) {
            dry_settings settings = test_settings();
            settings.joint_solver = scenes[i].joints;
            settings.method.relaxation = 1.3f;
            settings.sweeps = 2;
            settings.method.relaxation_adaptive = variant % 2;
            settings.method.order = (dry_order)(variant % DRY_ORDER_COUNT);
            if (variant >= DRY_ORDER_COUNT)
                settings.method.solver = others[variant - DRY_ORDER_COUNT];
            if (solves_positions(settings.method.solver))
                settings.method.relaxation_adaptive = false;
            /* The quick form runs each variant in half of the scenes. */
            if (limit_of(&settings) || (test_quick() && (i + variant) % 2))
                continue;
            const uint64_t expected =
                scene_hash(scenes[i].name, scenes[i].size, &settings, 1, DRY_ISA_SCALAR);
            static const int threads[] = {2, 3, 8, 1};
            /* The order of sweeps decides no kernel: two variants and the other methods run at all sets. */
            const bool all = !test_quick() && (variant < 2 || variant >= DRY_ORDER_COUNT);
            for (int isa = DRY_ISA_SCALAR, t = variant; isa < DRY_ISA_COUNT; isa++)
                if (dry_isa_available((dry_isa)isa) && (all || isa == (int)test_widest_isa()))
                    assert_true(scene_hash(scenes[i].name, scenes[i].size, &settings, threads[t++ % 4],
                                           (dry_isa)isa) == expected);
        }
}

/* A pyramid has a band for each of its rows: n bands make 2 n + 1 layers. Every constraint has its lane
 * between its bodies' layers, also where most have no color. */
static void test_layers(void **state)
{
    (void)state;
    enum { BASE = 7 };
    for (int order = DRY_ORDER_LAYERS_UP; order <= DRY_ORDER_LAYERS; order++)
        for (int colors = 0; colors <= 2; colors += 2) {
            char error[256];
            dry_scene scene;
            dry_settings settings = test_settings();
            settings.method.order = (dry_order)order;
            settings.method.colors_max = colors;
            dry_world *world = world_with(settings);
            assert_true(dry_scene_make("pyramid", BASE, &scene, error, sizeof error));
            dry_body_id *ids = built_in(world, &scene);
            for (int i = 0; i < 30; i++) {
                run_steps(world, 1, scene.dt);
                assert_int_equal(check_layout(world), 2 * BASE + 1);
            }
            dry_world_destroy(world);
            free(ids);
            dry_scene_free(&scene);
        }
}

/* A block that slides over level ground is slower by mu g t, whatever share sweeps take. */
static void test_friction(void **state)
{
    (void)state;
    static const float slow[] = {0.6f, 1.4f};
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++)
        for (int friction = 0; friction < DRY_FRICTION_COUNT; friction++)
            for (int i = 0; i < COUNT_OF(slow); i++) {
                dry_settings settings = test_settings();
                settings.method.solver = (dry_solver)solver;
                settings.method.friction = (dry_friction)friction;
                settings.method.relaxation = slow[i];
                settings.sweeps = 4;
                if (limit_of(&settings))
                    continue;
                dry_world *world = world_with(settings);
                add_floor(world, 0.5, 0);
                dry_shape_def shape = box_shape(0.5, 0.2, 0.5);
                shape.friction = 0.5f;
                dry_body_id block = add_dynamic(world, pose_at(0, 0.2, 0), shape);
                run_steps(world, 120, TEST_DT);
                set_velocity(world, block, (d3){3, 0, 0}, (d3){0, 0, 0});
                run_steps(world, 24, TEST_DT);
                assert_near(velocity_of(world, block).x, 3 - 0.5 * TEST_G * 24 / 60, 0.02);
                run_steps(world, 60, TEST_DT);
                assert_near(d3_length(velocity_of(world, block)), 0, 1e-4);
                dry_world_destroy(world);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_joint),
        cmocka_unit_test(test_one_contact),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_overshoot),
        cmocka_unit_test(test_classical_pbd),
        cmocka_unit_test(test_radii),
        cmocka_unit_test(test_document),
        cmocka_unit_test(test_shuffled),
        cmocka_unit_test(test_shuffled_hash),
        cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_threads_and_instruction_sets),
        cmocka_unit_test(test_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
