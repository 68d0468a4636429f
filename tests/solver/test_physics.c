/* Motion without contact against closed form: free fall, damping, forces, locks, mass, free spin. */
#include "tests/saved_worlds.h"
#include "tests/test_world.h"

/* How much farther than g t^2 / 2 a sphere has fallen after `seconds`. */
static double free_fall_excess(float dt, int substeps, double seconds)
{
    dry_settings settings = test_settings();
    settings.substeps = substeps;
    dry_world *world = world_with(settings);
    dry_body_id ball = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    int steps = (int)lround(seconds / dt);
    run_steps(world, steps, dt);
    double t = steps * (double)dt;
    double excess = -position_of(world, ball).y - 0.5 * TEST_G * t * t;
    assert_near(velocity_of(world, ball).y, -TEST_G * t, 1e-4);
    dry_world_destroy(world);
    return excess;
}

/* A body that only forces move follows the parabola y = -g t^2 / 2, whatever the step and its substeps. A
 * fall of 1 s rounds its velocity at most 240 times by 2^-22 m/s, and its displacements by as much. */
static void test_free_fall(void **state)
{
    (void)state;
    static const struct {
        float dt;
        int substeps;
    } cases[] = {{1.0f / 60, 1}, {1.0f / 120, 1}, {1.0f / 60, 4}, {1.0f / 240, 8}};
    for (int i = 0; i < COUNT_OF(cases); ++i) {
        assert_near(free_fall_excess(cases[i].dt, cases[i].substeps, 1), 0, 240 * 0x1p-22);
    }
}

/* A heap with more constraints than colors. Its overflow is its own: a body that nothing touches moves to the
 * bit as it does without the heap. */
static void test_free_fall_beside_overflow(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.method.colors_max = 1;
    dry_world *worlds[2];
    dry_body_id ball[2];
    for (int i = 0; i < 2; ++i) {
        worlds[i] = world_with(settings);
        ball[i] = add_dynamic(worlds[i], pose_at(0, 100, 0), box_shape(0.3, 0.5, 0.7));
        set_velocity(worlds[i], ball[i], (d3){1, 2, 3}, (d3){0.1, 0.2, 0.3});
    }
    add_floor(worlds[1], 0.5, 0);
    for (int k = 0; k < 4; ++k)
        add_dynamic(worlds[1], pose_at(20, 0.5 + k, 0), box_shape(0.5, 0.5, 0.5));
    for (int step = 0; step < 60; ++step) {
        dry_velocity velocity[2];
        for (int i = 0; i < 2; ++i) {
            run_steps(worlds[i], 1, TEST_DT);
            assert_ok(dry_body_get_velocity(worlds[i], ball[i], &velocity[i]));
        }
        assert_memory_equal(&velocity[0], &velocity[1], sizeof velocity[0]);
    }
    assert_true(dry_world_statistics(worlds[1]).overflow > 0);
    for (int i = 0; i < 2; ++i)
        dry_world_destroy(worlds[i]);
}

static void test_gravity_scale(void **state)
{
    (void)state;
    static const float scales[] = {0, 1, 2, -1, 0.5f};
    dry_world *world = world_with(test_settings());
    dry_body_id balls[COUNT_OF(scales)];
    for (int i = 0; i < COUNT_OF(scales); ++i) {
        dry_shape_def shape = sphere_shape(0.5);
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(3 * i, 0, 0), &shape);
        def.gravity_scale = scales[i];
        balls[i] = add_def(world, &def);
    }
    run_steps(world, 60, TEST_DT);
    for (int i = 0; i < COUNT_OF(scales); ++i)
        assert_near(velocity_of(world, balls[i]).y, -TEST_G * scales[i], 1e-4);
    assert_ok(dry_body_set_gravity_scale(world, balls[0], 1));
    run_steps(world, 60, TEST_DT);
    assert_near(velocity_of(world, balls[0]).y, -TEST_G, 1e-4);
    dry_world_destroy(world);
}

/* The speed after one second from 10 m/s at 0.5 /s, minus 10 exp(-0.5). */
static double damping_error(float dt)
{
    dry_settings settings = test_settings_weightless();
    settings.substeps = 1;
    dry_world *world = world_with(settings);
    dry_shape_def shape = sphere_shape(0.5);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 0, 0), &shape);
    def.velocity = (dry_velocity){v3(10, 0, 0), v3(0, 0, 4)};
    def.linear_damping = 0.5f;
    def.angular_damping = 0.25f;
    dry_body_id ball = add_def(world, &def);
    int steps = (int)lround(1.0 / dt);
    run_steps(world, steps, dt);
    double v = velocity_of(world, ball).x;
    assert_near(v, 10 / pow(1 + dt * 0.5, steps), 1e-4);
    assert_near(spin_of(world, ball).z, 4 / pow(1 + dt * 0.25, steps), 1e-4);
    dry_world_destroy(world);
    return v - 10 * exp(-0.5);
}

/* ln(1 + x) = x - x^2 / 2: the error is v exp(-c t) c^2 t dt / 2, first order. */
static void test_damping(void **state)
{
    (void)state;
    assert_near(damping_error(TEST_DT), 10 * exp(-0.5) * 0.25 / 2 / 60, 1e-3);
    assert_near(damping_error(TEST_DT) / damping_error(TEST_DT / 2), 2, 0.05);
}

static void test_locks(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    for (unsigned locks = 0; locks <= DRY_LOCK_ALL; ++locks) {
        dry_shape_def shape = sphere_shape(0.5);
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(5.0 * locks, 0, 0), &shape);
        def.locks = locks;
        dry_body_id ball = add_def(world, &def);
        double m = mass_of(world, ball).mass, inertia = 0.4 * m * 0.25;
        assert_ok(dry_body_apply_impulse(world, ball, v3(m, 2 * m, 3 * m)));
        assert_ok(dry_body_apply_angular_impulse(world, ball, v3(inertia, 2 * inertia, 3 * inertia)));
        run_steps(world, 1, TEST_DT);
        d3 v = velocity_of(world, ball), w = spin_of(world, ball);
        assert_near(v.x, locks & DRY_LOCK_LINEAR_X ? 0 : 1, 1e-5);
        assert_near(v.y, locks & DRY_LOCK_LINEAR_Y ? 0 : 2, 1e-5);
        assert_near(v.z, locks & DRY_LOCK_LINEAR_Z ? 0 : 3, 1e-5);
        assert_near(w.x, locks & DRY_LOCK_ANGULAR_X ? 0 : 1, 1e-4);
        assert_near(w.y, locks & DRY_LOCK_ANGULAR_Y ? 0 : 2, 1e-4);
        assert_near(w.z, locks & DRY_LOCK_ANGULAR_Z ? 0 : 3, 1e-4);
        assert_ok(dry_body_destroy(world, ball));
    }
    dry_world_destroy(world);
}

/* A wholly locked body carries a load like a wall; one locked against fall floats until it is freed. */
static void test_locked_body_carries(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_shape_def plank = box_shape(1, 0.1, 1);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 2, 0), &plank);
    def.locks = DRY_LOCK_ALL;
    dry_body_id shelf = add_def(world, &def);
    dry_body_id load = add_dynamic(world, pose_at(0.3, 2.6, 0.2), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 120, TEST_DT);
    assert_near(d3_length(d3_sub(position_of(world, shelf), (d3){0, 2, 0})), 0, 1e-9);
    assert_near(position_of(world, load).y, 2.6, 5e-3);
    assert_ok(dry_body_set_locks(world, shelf, 0));
    run_steps(world, 60, TEST_DT);
    assert_true(position_of(world, shelf).y < -2);
    dry_world_destroy(world);
}

static void test_forces(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    dry_body_id box = add_dynamic(world, pose_at(4, 5, 6), box_shape(0.5, 0.25, 1));
    double m = mass_of(world, box).mass;
    assert_ok(dry_body_apply_force(world, box, v3(m, 0, 0)));
    assert_ok(dry_body_apply_force(world, box, v3(0, 2 * m, 3 * m)));
    run_steps(world, 1, TEST_DT);
    d3 expected = {TEST_DT, 2 * TEST_DT, 3 * TEST_DT};
    assert_near(d3_length(d3_sub(velocity_of(world, box), expected)), 0, 1e-6);
    run_steps(world, 5, TEST_DT); /* the force is forgotten */
    assert_near(d3_length(d3_sub(velocity_of(world, box), expected)), 0, 1e-6);

    /* A force off the center: acceleration F / m, angular acceleration (r x F) / I. */
    dry_body_id beam = add_dynamic(world, pose_at(0, -9, 0), box_shape(0.5, 0.25, 1));
    dry_mass mass = mass_of(world, beam);
    assert_ok(dry_body_apply_force_at(world, beam, v3(1000, 0, 0), (dry_position){0, -8.75, 0}));
    run_steps(world, 1, TEST_DT);
    assert_near(velocity_of(world, beam).x, 1000 / mass.mass * TEST_DT, 1e-6);
    assert_near(spin_of(world, beam).z, -0.25 * 1000 / mass.inertia[2][2] * TEST_DT, 1e-6);
    dry_world_destroy(world);
}

static void test_torque_about_each_axis(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    for (int axis = 0; axis < 3; ++axis) {
        dry_body_id box = add_dynamic(world, pose_at(5 * axis, 0, 0), box_shape(0.5, 0.25, 1));
        double inertia = mass_of(world, box).inertia[axis][axis];
        float torque[3] = {0, 0, 0};
        torque[axis] = (float)(7 * inertia);
        assert_ok(dry_body_apply_torque(world, box, (dry_vec3){torque[0], torque[1], torque[2]}));
        run_steps(world, 1, TEST_DT);
        d3 w = spin_of(world, box);
        double spin[3] = {w.x, w.y, w.z};
        for (int i = 0; i < 3; ++i)
            assert_near(spin[i], i == axis ? 7 * TEST_DT : 0, 1e-5);
        assert_near(d3_length(velocity_of(world, box)), 0, 1e-7);
    }
    dry_world_destroy(world);
}

static void test_force_batch_equals_single_calls(void **state)
{
    (void)state;
    dry_world *worlds[2];
    for (int side = 0; side < 2; ++side) {
        dry_world *world = worlds[side] = world_with(test_settings());
        dry_body_id ids[8];
        dry_vec3 forces[8], torques[8];
        for (int i = 0; i < 8; ++i) {
            ids[i] = add_dynamic(world, pose_at(3 * i, 0, 0), box_shape(0.5, 0.4, 0.3));
            forces[i] = v3(100 * i, 50, -20 * i);
            torques[i] = v3(3, -5 * i, i);
        }
        if (side == 0)
            assert_ok(dry_world_apply_forces(world, 8, ids, forces, torques));
        for (int i = 0; side == 1 && i < 8; ++i) {
            assert_ok(dry_body_apply_force(world, ids[i], forces[i]));
            assert_ok(dry_body_apply_torque(world, ids[i], torques[i]));
        }
        run_steps(world, 3, TEST_DT);
    }
    assert_true(dry_world_hash(worlds[0]) == dry_world_hash(worlds[1]));
    dry_world_destroy(worlds[0]);
    dry_world_destroy(worlds[1]);
}

/* v = J / m and w = I^-1 (r x J), at once, in a turned body. */
static void test_impulse_at_a_point(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    dry_pose pose = {{1, 2, 3}, quat_about((d3){1, 2, 3}, 0.7)};
    dry_body_id box = add_dynamic(world, pose, box_shape(0.5, 0.25, 1));
    dry_mass mass = mass_of(world, box);
    d3 r = {0.3, -0.2, 0.4}, impulse = {100, 200, -150};
    assert_ok(
        dry_body_apply_impulse_at(world, box, v3_of(impulse), (dry_position){1 + r.x, 2 + r.y, 3 + r.z}));
    d3 l = d3_turn_back(pose.orientation, d3_cross(r, impulse));
    d3 w = {l.x / mass.inertia[0][0], l.y / mass.inertia[1][1], l.z / mass.inertia[2][2]};
    w = d3_turn(pose.orientation, w);
    assert_near(d3_length(d3_sub(velocity_of(world, box), d3_scale(impulse, 1 / (double)mass.mass))), 0,
                1e-6);
    assert_near(d3_length(d3_sub(spin_of(world, box), w)), 0, 1e-5 * d3_length(w));
    dry_world_destroy(world);
}

static void check_mass(dry_shape_def shape, double m, double ix, double iy, double iz)
{
    dry_world *world = world_with(test_settings());
    dry_mass mass = mass_of(world, add_dynamic(world, pose_at(0, 0, 0), shape));
    assert_near(mass.mass, m, 1e-5 * m);
    assert_near(mass.inertia[0][0], ix, 1e-5 * ix);
    assert_near(mass.inertia[1][1], iy, 1e-5 * iy);
    assert_near(mass.inertia[2][2], iz, 1e-5 * iz);
    assert_near(fabs(mass.inertia[0][1]) + fabs(mass.inertia[0][2]) + fabs(mass.inertia[1][2]), 0, 1e-4 * ix);
    dry_world_destroy(world);
}

static void test_mass_of_shapes(void **state)
{
    (void)state;
    double hx = 0.5, hy = 0.25, hz = 1, m = 1000 * 8 * hx * hy * hz;
    check_mass(box_shape(hx, hy, hz), m, m / 3 * (hy * hy + hz * hz), m / 3 * (hx * hx + hz * hz),
               m / 3 * (hx * hx + hy * hy));
    double r = 0.3;
    m = 1000 * 4.0 / 3 * TEST_PI * r * r * r;
    check_mass(sphere_shape(r), m, 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r);

    /* A cylinder with half a ball at each end, whose centroids lie 3 r / 8 beyond the cylinder's ends. */
    double l = 1.2, cylinder = 1000 * TEST_PI * r * r * l, ball = m;
    double axial = cylinder * r * r / 2 + ball * 0.4 * r * r;
    double across = cylinder * (r * r / 4 + l * l / 12) + ball * (0.4 * r * r + l * l / 4 + 3 * l * r / 8);
    check_mass(capsule_shape(r, l / 2), cylinder + ball, across, axial, across);
}

/* Two equal spheres 2 m apart, one of them at the body's origin: parallel axes. */
static void test_mass_of_compound(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_shape_def shapes[2] = {sphere_shape(0.5), sphere_shape(0.5)};
    shapes[1].pose.position = v3(2, 0, 0);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(10, 0, 0), shapes);
    def.shape_count = 2;
    dry_body_id pair = add_def(world, &def);
    dry_mass mass = mass_of(world, pair);
    double m = 1000 * 4.0 / 3 * TEST_PI / 8, own = 0.4 * m * 0.25;
    assert_near(mass.mass, 2 * m, 1e-5 * m);
    assert_near(mass.center.x, 1, 1e-6);
    assert_near(center_of(world, pair).x, 11, 1e-6);
    assert_near(mass.inertia[0][0], 2 * own, 1e-5 * m);
    assert_near(mass.inertia[1][1], 2 * (own + m), 1e-5 * m);
    assert_near(mass.inertia[2][2], 2 * (own + m), 1e-5 * m);

    def.mass = 3; /* the inertia scales with it */
    dry_mass scaled = mass_of(world, add_def(world, &def));
    assert_near(scaled.mass, 3, 1e-6);
    assert_near(scaled.inertia[1][1], 3 * (own + m) / m, 1e-4);
    dry_world_destroy(world);
}

/* A body whose shapes lie beside its origin turns about its center of mass, not about the origin. */
static void test_spin_about_the_center(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    dry_shape_def shape = sphere_shape(0.5);
    shape.pose.position = v3(1, 0, 0);
    dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), shape);
    set_velocity(world, body, (d3){0, 0.5, 0}, (d3){0, 0, 3});
    run_steps(world, 120, TEST_DT);
    assert_near(d3_length(d3_sub(center_of(world, body), (d3){1, 1, 0})), 0, 1e-4);
    d3 arm = d3_turn(pose_of(world, body).orientation, (d3){1, 0, 0});
    assert_near(d3_length(d3_sub(d3_add(position_of(world, body), arm), (d3){1, 1, 0})), 0, 1e-4);
    assert_near(d3_length(d3_sub(arm, (d3){cos(6), sin(6), 0})), 0, 0.02);
    dry_world_destroy(world);
}

/* Free spin: Euler's equations, I1 dw1/dt = (I2 - I3) w2 w3 and so on, by a Runge-Kutta of the test's own. */

static d3 euler_rate(d3 inertia, d3 w)
{
    return (d3){(inertia.y - inertia.z) * w.y * w.z / inertia.x,
                (inertia.z - inertia.x) * w.z * w.x / inertia.y,
                (inertia.x - inertia.y) * w.x * w.y / inertia.z};
}

static double reference_flip_time(d3 inertia, d3 w)
{
    double h = 1e-4, t = 0;
    while (w.y > 0 && t < 60) {
        d3 a = euler_rate(inertia, w), b = euler_rate(inertia, d3_add(w, d3_scale(a, h / 2)));
        d3 c = euler_rate(inertia, d3_add(w, d3_scale(b, h / 2)));
        d3 d = euler_rate(inertia, d3_add(w, d3_scale(c, h)));
        w = d3_add(w, d3_scale(d3_add(d3_add(a, d), d3_scale(d3_add(b, c), 2)), h / 6));
        t += h;
    }
    return t;
}

typedef struct spin_run {
    double momentum_error, energy_error; /* relative, the largest seen */
    double flip_time;                    /* when the spin about the body's y axis first changes sign; or -1 */
} spin_run;

static spin_run run_spin(d3 w0, float dt, int substeps, double seconds)
{
    dry_settings settings = test_settings_weightless();
    settings.substeps = substeps;
    dry_world *world = world_with(settings);
    dry_body_id box = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.15, 0.3, 0.6));
    set_velocity(world, box, (d3){0, 0, 0}, w0);
    d3 l0 = spin_momentum(world, box);
    double e0 = kinetic_energy(world, box);
    spin_run run = {0, 0, -1};
    for (int i = 1; i * (double)dt <= seconds; ++i) {
        run_steps(world, 1, dt);
        d3 l = spin_momentum(world, box);
        run.momentum_error = fmax(run.momentum_error, d3_length(d3_sub(l, l0)) / d3_length(l0));
        run.energy_error = fmax(run.energy_error, fabs(kinetic_energy(world, box) - e0) / e0);
        double about_y = d3_turn_back(pose_of(world, box).orientation, spin_of(world, box)).y;
        if (run.flip_time < 0 && about_y * w0.y < 0)
            run.flip_time = i * (double)dt;
    }
    dry_world_destroy(world);
    return run;
}

static void test_free_spin_keeps_momentum_and_energy(void **state)
{
    (void)state;
    spin_run coarse = run_spin((d3){2, 3, 1}, 1.0f / 60, 4, 8);
    spin_run fine = run_spin((d3){2, 3, 1}, 1.0f / 240, 4, 8);
    assert_at_most(coarse.momentum_error, 0.02);
    assert_at_most(coarse.energy_error, 0.02);
    assert_at_most(fine.momentum_error, 0.5 * coarse.momentum_error + 1e-4);
    assert_at_most(fine.energy_error, 0.5 * coarse.energy_error + 1e-4);
}

/* Spin about the axis of middle inertia turns over (Dzhanibekov); about the two others it does not. */
static void test_middle_axis_flips(void **state)
{
    (void)state;
    d3 inertia = {0.3 * 0.3 + 0.6 * 0.6, 0.15 * 0.15 + 0.6 * 0.6, 0.15 * 0.15 + 0.3 * 0.3};
    d3 w0 = {0.01, 6, 0.01};
    double expected = reference_flip_time(inertia, w0);
    spin_run run = run_spin(w0, 1.0f / 240, 4, 8);
    assert_near(run.flip_time, expected, 0.05 * expected);
    assert_at_most(run.energy_error, 0.01);

    dry_world *world = world_with(test_settings_weightless());
    dry_body_id about_x = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.15, 0.3, 0.6));
    dry_body_id about_z = add_dynamic(world, pose_at(9, 0, 0), box_shape(0.15, 0.3, 0.6));
    set_velocity(world, about_x, (d3){0, 0, 0}, (d3){6, 0.01, 0.01});
    set_velocity(world, about_z, (d3){0, 0, 0}, (d3){0.01, 0.01, 6});
    for (int i = 0; i < 480; ++i) {
        run_steps(world, 1, 1.0f / 60);
        assert_true(d3_turn(pose_of(world, about_x).orientation, (d3){1, 0, 0}).x > 0.95);
        assert_true(d3_turn(pose_of(world, about_z).orientation, (d3){0, 0, 1}).z > 0.95);
    }
    dry_world_destroy(world);
}

/* q += h/2 w q turns by 2 atan(h w / 2): too little by at most w^3 t h^2 / 12. */
static void test_kinematic_motion(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.substeps = 4;
    dry_world *world = world_with(settings);
    dry_body_id lift = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 0, 0), box_shape(1, 0.1, 1));
    set_velocity(world, lift, (d3){1, 2, 3}, (d3){0, 0, 2});
    run_steps(world, 60, TEST_DT);
    assert_near(d3_length(d3_sub(position_of(world, lift), (d3){1, 2, 3})), 0, 1e-5);
    assert_near(turn_angle(pose_of(world, lift).orientation), 2, 8.0 / 60 / 60 / 12 + 1e-4);
    dry_world_destroy(world);
}

static void assert_same_pose(dry_pose a, dry_pose b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static void assert_stands(const dry_world *world, dry_body_id id, dry_pose at)
{
    dry_velocity v;
    assert_ok(dry_body_get_velocity(world, id, &v));
    assert_same_pose(pose_of(world, id), at);
    assert_true(v.linear.x == 0 && v.linear.y == 0 && v.linear.z == 0);
    assert_true(v.angular.x == 0 && v.angular.y == 0 && v.angular.z == 0);
}

/* A kinematic body whose frame lies at its center or, `aside`, not. */
static dry_body_id add_mover(dry_world *world, dry_pose pose, bool aside)
{
    dry_shape_def shape = box_shape(1, 0.1, 1);
    shape.pose.position.x = aside ? 0.3f : 0;
    return add_body(world, DRY_BODY_KINEMATIC, pose, shape);
}

static dry_pose random_pose(uint64_t *seed, double far)
{
    const d3 p = random_d3(seed, far);
    return (dry_pose){{p.x, p.y, p.z}, random_quat(seed)};
}

/* A body that is sent somewhere is where set_pose would put it after one step, whatever the length of that
 * step, and stands there from then on. */
static void test_move_to_arrives(void **state)
{
    (void)state;
    uint64_t seed = 67;
    for (int draw = 0; draw < 40; ++draw) {
        const bool aside = draw % 2;
        dry_settings settings = test_settings();
        settings.substeps = 1 + draw % 5;
        dry_world *world = world_with(settings), *twin = world_with(settings);
        const dry_pose from = random_pose(&seed, 5), target = random_pose(&seed, draw % 3 ? 5 : 1000);
        const dry_body_id mover = add_mover(world, from, aside), placed = add_mover(twin, from, aside);
        assert_ok(dry_body_set_pose(twin, placed, target));
        assert_ok(dry_body_move_to(world, mover, target, 1.0f));
        run_steps(world, 1, 0);
        assert_true(pose_of(world, mover).position.x == from.position.x);
        run_steps(world, 1, draw % 4 ? TEST_DT : draw % 8 ? 1e-7f : 0.5f);
        assert_stands(world, mover, pose_of(twin, placed));
        assert_true(dry_body_is_awake(world, mover));
        run_steps(world, 60, TEST_DT);
        assert_stands(world, mover, pose_of(twin, placed));
        assert_false(dry_body_is_awake(world, mover));
        dry_world_destroy(world);
        dry_world_destroy(twin);
    }
}

/* Calls that say otherwise drop a target; a step of others and a save keep it. */
static void test_move_to_lasts(void **state)
{
    (void)state;
    const dry_pose from = pose_at(0, 0, 0), target = pose_at(1, 0, 0), other = pose_at(0, 0, 4);
    dry_world *world = world_with(test_settings());
    const dry_body_id mover = add_mover(world, from, false);
    const dry_body_id ball = add_dynamic(world, pose_at(0, 9, 0), sphere_shape(0.5));
    for (int call = 0; call < 5; ++call) {
        assert_ok(dry_body_set_pose(world, mover, from));
        run_steps(world, 2, TEST_DT);
        assert_ok(dry_body_move_to(world, mover, target, TEST_DT));
        assert_near(velocity_of(world, mover).x, 60, 1e-4);
        if (call == 0) {
            assert_ok(dry_body_set_velocity(world, mover, (dry_velocity){{0, 0, 6}, {0, 0, 0}}));
        } else if (call == 1) {
            assert_ok(dry_body_set_pose(world, mover, other));
        } else if (call == 2) {
            assert_ok(dry_body_set_type(world, mover, DRY_BODY_STATIC));
            assert_ok(dry_body_set_type(world, mover, DRY_BODY_KINEMATIC));
        } else if (call == 3) {
            assert_ok(dry_body_set_enabled(world, mover, false));
            assert_ok(dry_body_set_enabled(world, mover, true));
        } else {
            assert_ok(dry_body_move_to(world, mover, other, TEST_DT));
        }
        run_steps(world, 1, TEST_DT);
        const d3 at = position_of(world, mover),
                 ends[] = {{0, 0, 0.1}, {0, 0, 4}, {0, 0, 0}, {0, 0, 0}, {0, 0, 4}};
        assert_near(d3_length(d3_sub(at, ends[call])), 0, 1e-6);
    }
    assert_ok(dry_body_set_pose(world, mover, from));
    run_steps(world, 2, TEST_DT);
    const uint64_t before = dry_world_hash(world);
    assert_ok(dry_body_move_to(world, mover, target, TEST_DT));
    const uint64_t sent = dry_world_hash(world);
    assert_ok(dry_body_set_velocity(world, mover, (dry_velocity){{60, 0, 0}, {0, 0, 0}}));
    assert_true(dry_world_hash(world) != sent && sent != before);
    assert_ok(dry_body_move_to(world, mover, target, TEST_DT));
    assert_true(dry_world_hash(world) == sent);
    assert_ok(dry_world_step_only(world, TEST_DT, &ball, 1));
    assert_same_pose(pose_of(world, mover), from);
    bytes saved = save_of(world);
    dry_world *again = loaded(&saved, 0);
    assert_true(dry_world_hash(again) == dry_world_hash(world));
    for (int i = 0; i < 3; ++i) {
        assert_ok(i ? dry_world_step(world, TEST_DT) : dry_world_step_only(world, TEST_DT / 3, &mover, 1));
        assert_ok(i ? dry_world_step(again, TEST_DT) : dry_world_step_only(again, TEST_DT / 3, &mover, 1));
        assert_true(dry_world_hash(again) == dry_world_hash(world));
        assert_stands(world, mover, target);
    }
    free(saved.at);
    dry_world_destroy(again);
    dry_world_destroy(world);
}

/* A lift that is sent on by 1 mm, step after step, carries a stack: nothing falls asleep or is left behind,
 * though the lift moves slower than a body that may sleep and stands between steps. */
static void test_move_to_carries(void **state)
{
    (void)state;
    dry_world *world = world_with(dry_default_settings());
    const dry_body_id lift = add_mover(world, pose_at(0, 0, 0), false);
    dry_body_id box[3];
    for (int i = 0; i < 3; ++i)
        box[i] = add_dynamic(world, pose_at(0, 0.35 + 0.5 * i, 0), box_shape(0.25, 0.25, 0.25));
    for (int step = 1; step <= 300; ++step) {
        assert_ok(dry_body_move_to(world, lift, pose_at(5e-4 * step, 3e-4 * step, 0), TEST_DT));
        run_steps(world, 1, TEST_DT);
        assert_true(dry_body_is_awake(world, lift) && dry_body_is_awake(world, box[2]));
        assert_true(position_of(world, lift).y == 3e-4 * step);
        for (int i = 0; i < 3 && step > 60; ++i) {
            assert_near(position_of(world, box[i]).y - 3e-4 * step, 0.35 + 0.5 * i, 2e-3);
            assert_near(position_of(world, box[i]).x, 5e-4 * step, 2e-3);
        }
    }
    run_steps(world, 120, TEST_DT);
    for (int i = 0; i < 3; ++i)
        assert_false(dry_body_is_awake(world, box[i]));
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_free_fall_beside_overflow),
        cmocka_unit_test(test_gravity_scale),
        cmocka_unit_test(test_damping),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_locked_body_carries),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_torque_about_each_axis),
        cmocka_unit_test(test_force_batch_equals_single_calls),
        cmocka_unit_test(test_impulse_at_a_point),
        cmocka_unit_test(test_mass_of_shapes),
        cmocka_unit_test(test_mass_of_compound),
        cmocka_unit_test(test_spin_about_the_center),
        cmocka_unit_test(test_free_spin_keeps_momentum_and_energy),
        cmocka_unit_test(test_middle_axis_flips),
        cmocka_unit_test(test_kinematic_motion),
        cmocka_unit_test(test_move_to_arrives),
        cmocka_unit_test(test_move_to_lasts),
        cmocka_unit_test(test_move_to_carries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
