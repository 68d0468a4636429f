/* Integrators against closed forms and against a motion of fourth order with tiny steps: what each conserves,
 * its order of convergence, and the resistance of a top with modified inertia. */
#include "tests/test_world.h"

static const char *const names[DRY_INTEGRATOR_COUNT] = {"runge-kutta", "euler", "exponential", "explicit",
                                                        "implicit"};

static dry_settings integrator_settings(dry_integrator integrator)
{
    dry_settings settings = test_settings_weightless();
    settings.method.integrator = integrator;
    settings.substeps = 1;
    return settings;
}

/* The tests' own arithmetic of a free top: moments of inertia, momentum and orientation in the world. */
typedef struct top {
    double inertia[3];
    d3 momentum;
    double q[4]; /* x, y, z, w */
} top;

static d3 turn(const double q[4], d3 v, double sign)
{
    const d3 u = {sign * q[0], sign * q[1], sign * q[2]}, t = d3_scale(d3_cross(u, v), 2);
    return d3_add(d3_add(v, d3_scale(t, q[3])), d3_cross(u, t));
}

static d3 top_velocity(const top *t, const double q[4])
{
    d3 l = turn(q, t->momentum, -1);
    l = (d3){l.x / t->inertia[0], l.y / t->inertia[1], l.z / t->inertia[2]};
    return turn(q, l, 1);
}

/* q' = w q / 2 with w in the world. */
static void top_rate(const top *t, const double q[4], double rate[4])
{
    const d3 w = top_velocity(t, q), u = {q[0], q[1], q[2]};
    const d3 v = d3_add(d3_scale(w, q[3]), d3_cross(w, u));
    rate[0] = v.x / 2, rate[1] = v.y / 2, rate[2] = v.z / 2, rate[3] = -d3_dot(w, u) / 2;
}

static void top_move(top *t, double time, int steps)
{
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {
        double k[4][4], q[4];
        static const double share[4] = {0, 0.5, 0.5, 1};
        for (int s = 0; s < 4; ++s) {
            for (int j = 0; j < 4; ++j)
                q[j] = t->q[j] + (s ? share[s] * h * k[s - 1][j] : 0);
            top_rate(t, q, k[s]);
        }
        double square = 0;
        for (int j = 0; j < 4; ++j) {
            t->q[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
            square += t->q[j] * t->q[j];
        }
        for (int j = 0; j < 4; ++j)
            t->q[j] /= sqrt(square);
    }
}

static const double half[3] = {0.5, 0.3, 0.15};

/* A box of three different moments, and the same top. */
static top add_top(dry_world *world, d3 spin, dry_body_id *id)
{
    *id = add_dynamic(world, pose_at(0, 0, 0), box_shape(half[0], half[1], half[2]));
    set_velocity(world, *id, (d3){0, 0, 0}, spin);
    const double mass = mass_of(world, *id).mass;
    top t = {.q = {0, 0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
        const double a = half[(k + 1) % 3], b = half[(k + 2) % 3];
        t.inertia[k] = mass / 3 * (a * a + b * b);
    }
    const d3 w = spin_of(world, *id);
    t.momentum = (d3){t.inertia[0] * w.x, t.inertia[1] * w.y, t.inertia[2] * w.z};
    return t;
}

/* The angle between the engine's orientation and the top's, rad. */
static double angle_between(const dry_world *world, dry_body_id id, const top *t)
{
    const dry_quat q = pose_of(world, id).orientation;
    const d3 u = {q.x, q.y, q.z}, v = {t->q[0], t->q[1], t->q[2]}; /* of conj(q) t */
    const d3 between = d3_sub(d3_sub(d3_scale(v, q.w), d3_scale(u, t->q[3])), d3_cross(u, v));
    return 2 * d3_length(between);
}

typedef struct run {
    double angle, energy, momentum; /* error, rad; shares gained; of the momentum: the length of its change */
} run;

static run run_top(dry_integrator integrator, d3 spin, double time, int steps, int substeps)
{
    dry_settings settings = integrator_settings(integrator);
    settings.substeps = substeps;
    dry_world *world = world_with(settings);
    dry_body_id id;
    top t = add_top(world, spin, &id);
    const double energy = kinetic_energy(world, id);
    run_steps(world, steps, (float)(time / steps));
    top_move(&t, (double)(float)(time / steps) * steps, 20000);
    const d3 l = spin_momentum(world, id);
    const run r = {angle_between(world, id, &t), kinetic_energy(world, id) / energy - 1,
                   d3_length(d3_sub(l, t.momentum)) / d3_length(t.momentum)};
    dry_world_destroy(world);
    return r;
}

/* A tumbling top for a second. The four of first order halve their error with the step; Runge-Kutta's is
 * that of floats. Two with a momentum keep it; the explicit one gains energy, the implicit one loses it. */
static void test_free_top(void **state)
{
    (void)state;
    const d3 spin = {0.4, 3, 0.6};
    for (int k = 0; k < DRY_INTEGRATOR_COUNT; ++k) {
        const bool first_order = k != DRY_INTEGRATOR_RUNGE_KUTTA;
        const bool keeps = k <= DRY_INTEGRATOR_EXPONENTIAL;
        run last = {0};
        for (int steps = 120; steps <= 960; steps *= 2) {
            const run r = run_top((dry_integrator)k, spin, 1, steps, 1);
            print_message("%-12s h = 1/%d: angle %.2e rad, energy %+.2e, momentum %.2e\n", names[k], steps,
                          r.angle, r.energy, r.momentum);
            if (keeps)
                assert_at_most(r.momentum, 2e-5);
            if (!first_order) {
                assert_at_most(r.angle, 1e-5);
                assert_at_most(fabs(r.energy), 1e-5);
            } else if (steps > 120) {
                assert_near(last.angle / r.angle, 2, 0.3);
                assert_near(last.energy / r.energy, 2, 0.3);
            }
            if (k == DRY_INTEGRATOR_EXPLICIT)
                assert_at_most(1e-5, r.energy);
            if (k == DRY_INTEGRATOR_IMPLICIT)
                assert_at_most(r.energy, -1e-5);
            last = r;
        }
        /* Substeps are steps of the integrator. */
        const run substeps = run_top((dry_integrator)k, spin, 1, 120, 8);
        if (first_order)
            assert_near(substeps.angle, last.angle, 0.05 * last.angle);
    }
}

/* A fast top, 30 rad/s at 60 Hz, for half a second. Those with a momentum drift to the axis of least inertia,
 * which has at most 2.43 times the energy; the explicit torque feeds the top until it is quarantined within 2
 * s, and the implicit one brakes it. */
static void test_fast_top(void **state)
{
    (void)state;
    const d3 spin = {3, 30, 4};
    run r[DRY_INTEGRATOR_COUNT];
    for (int k = 0; k < DRY_INTEGRATOR_COUNT; ++k) {
        r[k] = run_top((dry_integrator)k, spin, 0.5, 30, 1);
        print_message("%-12s energy %+.2e, momentum %.2e\n", names[k], r[k].energy, r[k].momentum);
        if (k <= DRY_INTEGRATOR_EXPONENTIAL)
            assert_at_most(r[k].momentum, 1e-4);
    }
    assert_at_most(fabs(r[DRY_INTEGRATOR_RUNGE_KUTTA].energy), 1e-3);
    assert_at_most(0.5, r[DRY_INTEGRATOR_EXPLICIT].energy);
    assert_at_most(r[DRY_INTEGRATOR_IMPLICIT].energy, 0);
    assert_at_most(run_top(DRY_INTEGRATOR_EXPONENTIAL, spin, 10, 600, 1).energy, 1.5);
    assert_at_most(run_top(DRY_INTEGRATOR_IMPLICIT, spin, 10, 600, 1).energy, -0.5);
    assert_near(run_top(DRY_INTEGRATOR_EXPLICIT, spin, 2, 120, 1).energy, -1, 0); /* in quarantine */
}

/* One step by the documents' own formulas: o' = o + dt/2 w o, and a rotation by |w| dt about w. */
static void test_one_step(void **state)
{
    (void)state;
    const d3 spin = {1, 2, -3};
    const double dt = (double)TEST_DT, w = d3_length(spin);
    for (int k = DRY_INTEGRATOR_EULER; k < DRY_INTEGRATOR_COUNT; ++k) {
        dry_world *world = world_with(integrator_settings((dry_integrator)k));
        dry_body_id id;
        const top t = add_top(world, spin, &id);
        d3 v = spin;
        if (k == DRY_INTEGRATOR_EXPLICIT) { /* at the identity, axes are the world's */
            const d3 torque = d3_cross(spin, t.momentum);
            v = d3_sub(spin, (d3){dt * torque.x / t.inertia[0], dt * torque.y / t.inertia[1],
                                  dt * torque.z / t.inertia[2]});
        }
        run_steps(world, 1, TEST_DT);
        const dry_quat q = pose_of(world, id).orientation;
        if (k == DRY_INTEGRATOR_EULER) {
            const double one = sqrt(1 + dt * dt * w * w / 4);
            assert_near(q.x, dt * spin.x / 2 / one, 1e-6);
            assert_near(q.w, 1 / one, 1e-6);
        } else if (k != DRY_INTEGRATOR_IMPLICIT) {
            const double speed = d3_length(v);
            assert_near(q.y, v.y / speed * sin(speed * dt / 2), 1e-6);
            assert_near(q.w, cos(speed * dt / 2), 1e-6);
        } else { /* the residual of I (w' - w) + dt w' x I w' is of second order */
            const d3 got = spin_of(world, id), change = d3_sub(got, spin);
            const d3 l = {t.inertia[0] * got.x, t.inertia[1] * got.y, t.inertia[2] * got.z};
            const d3 residual =
                d3_add((d3){t.inertia[0] * change.x, t.inertia[1] * change.y, t.inertia[2] * change.z},
                       d3_scale(d3_cross(got, l), dt));
            assert_at_most(d3_length(residual), 0.02 * dt * d3_length(d3_cross(spin, t.momentum)));
        }
        dry_world_destroy(world);
    }
}

/* A fall of n substeps goes g h^2 n (n + 1) / 2 far, the parabola g t^2 / 2. */
static void test_fall(void **state)
{
    (void)state;
    for (int k = 0; k < DRY_INTEGRATOR_COUNT; ++k) {
        dry_settings settings = test_settings();
        settings.method.integrator = (dry_integrator)k;
        settings.substeps = 4;
        dry_world *world = world_with(settings);
        const dry_body_id id = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
        run_steps(world, 60, TEST_DT);
        const double n = k == DRY_INTEGRATOR_RUNGE_KUTTA ? 0 : 1;
        assert_near(position_of(world, id).y, -TEST_G / 2 * (1 + n / 240), 1e-5);
        dry_world_destroy(world);
    }
}

/* Euler's rotation of a sphere is 2 atan(w h / 2) a step, the exponential's w h. */
static void test_sphere(void **state)
{
    (void)state;
    for (int k = 0; k < DRY_INTEGRATOR_COUNT; ++k) {
        dry_world *world = world_with(integrator_settings((dry_integrator)k));
        const dry_body_id id = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
        set_velocity(world, id, (d3){0, 0, 0}, (d3){0, 6, 0});
        run_steps(world, 10, TEST_DT);
        const double each =
            k == DRY_INTEGRATOR_EULER ? 2 * atan(6 * (double)TEST_DT / 2) : 6 * (double)TEST_DT;
        assert_near(turn_angle(pose_of(world, id).orientation), 10 * each, 1e-5);
        dry_world_destroy(world);
    }
}

/* A gyroscope that spins at s about its axis C, hit across by an angular impulse: in a step its axis turns by
 * the impulse times dt / A with I, and with the modified inertia by (A dt, (A - C) s dt^2) / (A^2 + ((A - C)
 * s dt)^2) of it along and across: the resistance grows as (s dt)^2 [Waterson 4.17]. The momentum is kept. */
static void test_gyroscope_resists(void **state)
{
    (void)state;
    const double dt = (double)TEST_DT, s = 200, hit = 0.2;
    for (int modified = 0; modified < 2; ++modified) {
        dry_settings settings = integrator_settings(DRY_INTEGRATOR_EXPONENTIAL);
        settings.method.modified_inertia = modified;
        dry_world *world = world_with(settings);
        const dry_body_id id = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.1, 0.5));
        const double mass = mass_of(world, id).mass, a = mass / 3 * (0.25 + 0.01), c = mass / 3 * 0.5;
        set_velocity(world, id, (d3){0, 0, 0}, (d3){0, s, 0});
        /* An angular impulse that acts within the step. */
        assert_ok(dry_body_apply_torque(world, id, v3(hit * a / dt, 0, 0)));
        const d3 before = spin_momentum(world, id);
        run_steps(world, 1, TEST_DT);
        assert_at_most(d3_length(d3_sub(d3_sub(spin_momentum(world, id), before), (d3){hit * a, 0, 0})),
                       1e-4 * d3_length(before));
        const d3 axis = d3_turn(pose_of(world, id).orientation, (d3){0, 1, 0});
        if (modified) {
            /* The axis turns by w x axis. */
            const double b = (a - c) * s * dt, along = hit * dt * a * a / (a * a + b * b),
                         across = hit * dt * a * b / (a * a + b * b);
            assert_near(axis.z, along, 0.01 * hit * dt);
            assert_near(fabs(axis.x), fabs(across), 0.01 * hit * dt);
            assert_at_most(hypot(axis.x, axis.z), 0.35 * hit * dt);
        }
        dry_world_destroy(world);
    }
}

/* What does not go together is refused, in either order. */
static void test_refusals(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.method.modified_inertia = true;
    dry_world *world = world_with(test_settings());
    assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
    settings.method.modified_inertia = false;
    settings.method.integrator = DRY_INTEGRATOR_EULER;
    settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
    settings.joint_solver = DRY_JOINT_SOLVER_ITERATIVE;
    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
    joint.body_a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.2));
    joint.body_b = add_dynamic(world, pose_at(0, 1, 0), sphere_shape(0.2));
    joint.anchor_a = v3(0, 1, 0);
    joint.solver = DRY_JOINT_SOLVER_DIRECT;
    dry_joint_id id;
    assert_ok(dry_world_create_joint(world, &joint, &id));
    assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
    assert_ok(dry_joint_destroy(world, id));
    assert_ok(dry_world_set_settings(world, &settings));
    assert_int_equal(dry_world_create_joint(world, &joint, &id), DRY_ERROR_ARGUMENT);
    joint.solver = DRY_JOINT_SOLVER_WORLD;
    assert_ok(dry_world_create_joint(world, &joint, &id));
    dry_world_destroy(world);
}

/* Stacks, friction and rest do not depend on the integrator. */
static void test_stack_rests(void **state)
{
    (void)state;
    for (int k = 0; k < DRY_INTEGRATOR_COUNT; ++k)
        for (int modified = 0; modified < (k > 0 ? 2 : 1); ++modified) {
            dry_settings settings = test_settings();
            settings.method.integrator = (dry_integrator)k;
            settings.method.modified_inertia = modified;
            dry_world *world = world_with(settings);
            dry_body_id id[5];
            add_floor(world, 0.6, 0);
            for (int i = 0; i < 5; ++i)
                id[i] = add_dynamic(world, pose_at(0.02 * i, 0.21 + 0.41 * i, 0), box_shape(0.5, 0.2, 0.4));
            run_steps(world, 240, TEST_DT);
            for (int i = 0; i < 5; ++i) {
                assert_near(position_of(world, id[i]).y, 0.2 + 0.4 * i, 0.01);
                assert_at_most(d3_length(velocity_of(world, id[i])) + d3_length(spin_of(world, id[i])), 5e-3);
            }
            dry_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_top), cmocka_unit_test(test_fast_top),
        cmocka_unit_test(test_one_step), cmocka_unit_test(test_fall),
        cmocka_unit_test(test_sphere),   cmocka_unit_test(test_gyroscope_resists),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_stack_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
