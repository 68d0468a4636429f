/* Friction against closed form: slopes in every heading, stopping, rolling, kinematic carriers. */
#include "tests/test_world.h"

/* A slope of angle `a` that falls toward heading `phi`: down is its direction of fall, n its normal. */
typedef struct slope {
    d3 down, n;
    dry_quat orientation;
} slope;

static slope slope_make(double a, double phi)
{
    double c = cos(phi), s = sin(phi);
    return (slope){
        {c * cos(a), -sin(a), s * cos(a)}, {c * sin(a), cos(a), s * sin(a)}, quat_about((d3){s, 0, -c}, a)};
}

/* A static box, or a half-space, whose surface goes through the origin. */
static void add_slope(dry_world *world, const slope *on, double friction, bool halfspace)
{
    dry_shape_def shape = halfspace ? halfspace_shape(v3(0, 1, 0), 0) : box_shape(20, 0.5, 20);
    d3 p = d3_scale(on->n, halfspace ? 0 : -0.5);
    shape.friction = (float)friction;
    add_body(world, DRY_BODY_STATIC, (dry_pose){{p.x, p.y, p.z}, on->orientation}, shape);
}

static dry_body_id add_on_slope(dry_world *world, const slope *on, double height, dry_shape_def shape,
                                double friction)
{
    d3 p = d3_scale(on->n, height);
    shape.friction = (float)friction;
    return add_dynamic(world, (dry_pose){{p.x, p.y, p.z}, on->orientation}, shape);
}

/* A flat block on slopes toward 12 headings, so toward all directions of the block itself: it stays while
 * tan(angle) <= mu, whatever the heading. */
static void test_block_sticks(void **state)
{
    (void)state;
    static const dry_friction models[] = {DRY_FRICTION_CONE, DRY_FRICTION_TWO_PHASE, DRY_FRICTION_VELOCITY};
    const double mu = 0.5;
    for (int k = 0; k < 12 * COUNT_OF(models); ++k) {
        slope on = slope_make(atan(0.95 * mu), k * TEST_PI / 6 + 0.1);
        dry_settings settings = test_settings();
        settings.friction = models[k / 12];
        dry_world *world = world_with(settings);
        add_slope(world, &on, mu, k % 2);
        dry_body_id block = add_on_slope(world, &on, 0.1, box_shape(0.5, 0.1, 0.5), mu);
        run_steps(world, 30, TEST_DT);
        d3 settled = position_of(world, block);
        assert_at_most(d3_length(d3_sub(settled, d3_scale(on.n, 0.1))), 5e-3);
        run_steps(world, 120, TEST_DT);
        assert_at_most(d3_length(d3_sub(position_of(world, block), settled)), 1e-3);
        dry_world_destroy(world);
    }
}

/* Steeper, it slides straight down the slope: s = a t^2 / 2 with a = g (sin - mu cos), within the
 * integrator's a t h / 2 and 2 %. */
static void test_block_slides(void **state)
{
    (void)state;
    static const dry_friction models[] = {DRY_FRICTION_CONE, DRY_FRICTION_TWO_PHASE, DRY_FRICTION_VELOCITY};
    const double mu = 0.5, angle = atan(1.4 * mu), t = 1;
    const double a = TEST_G * (sin(angle) - mu * cos(angle));
    for (int k = 0; k < 12 * COUNT_OF(models); ++k) {
        slope on = slope_make(angle, k * TEST_PI / 6 + 0.1);
        dry_settings settings = test_settings();
        settings.friction = models[k / 12];
        dry_world *world = world_with(settings);
        add_slope(world, &on, mu, k % 2);
        dry_body_id block = add_on_slope(world, &on, 0.1, box_shape(0.5, 0.1, 0.5), mu);
        run_steps(world, 60, TEST_DT);
        d3 moved = d3_sub(position_of(world, block), d3_scale(on.n, 0.1));
        double down = d3_dot(moved, on.down), s = a * t * t / 2;
        assert_near(down, s, 0.02 * s + a * t / 60);
        assert_at_most(d3_length(d3_sub(moved, d3_scale(on.down, down))), 0.01 * s + 2e-3);
        assert_at_most(d3_length(spin_of(world, block)), 0.02);
        dry_world_destroy(world);
    }
}

/* How far a block slides on the level from `speed` toward `heading`; mu is sqrt(fa fb). */
static double stopping_distance(double speed, double heading, double fa, double fb, float dt,
                                dry_friction model)
{
    dry_settings settings = test_settings();
    settings.friction = model;
    dry_world *world = world_with(settings);
    add_floor(world, fa, 0);
    dry_shape_def shape = box_shape(0.5, 0.1, 0.5);
    shape.friction = (float)fb;
    dry_body_id block = add_dynamic(world, pose_at(0, 0.1, 0), shape);
    set_velocity(world, block, (d3){speed * cos(heading), 0, speed * sin(heading)}, (d3){0, 0, 0});
    run_steps(world, (int)lround(4 / dt), dt);
    assert_at_most(d3_length(velocity_of(world, block)), 1e-3);
    d3 p = position_of(world, block);
    double along = p.x * cos(heading) + p.z * sin(heading);
    if (model != DRY_FRICTION_SCALED_BOX)
        assert_near(p.z * cos(heading) - p.x * sin(heading), 0, 0.01 * along);
    dry_world_destroy(world);
    return along;
}

/* v^2 / (2 mu g), within 1 % and the v dt / 2 that the last stretch of a step may add or take. */
static void test_sliding_stops(void **state)
{
    (void)state;
    static const struct {
        double speed, fa, fb;
    } cases[] = {{4, 0.4, 0.4}, {4, 0.2, 0.8}, {2, 0.6, 0.6}, {6, 0.9, 0.4}};
    for (int i = 0; i < COUNT_OF(cases); ++i) {
        double mu = sqrt(cases[i].fa * cases[i].fb), v = cases[i].speed, expected = v * v / (2 * mu * TEST_G);
        for (int k = 0; k < 5; ++k) {
            double d =
                stopping_distance(v, 0.2 + 1.3 * k, cases[i].fa, cases[i].fb, TEST_DT, DRY_FRICTION_CONE);
            assert_near(d, expected, 0.01 * expected + v / 60 / 2);
        }
        double fine = stopping_distance(v, 0.7, cases[i].fa, cases[i].fb, TEST_DT / 4, DRY_FRICTION_CONE);
        assert_near(fine, expected, 0.01 * expected + v / 240 / 2);
    }
}

/* Each tangent alone is limited: full friction along a tangent, sqrt(2) of it between the two. */
static void test_scaled_box_stops_between_its_bounds(void **state)
{
    (void)state;
    for (int k = 0; k < 5; ++k) {
        double longest = 16 / (2 * 0.4 * TEST_G);
        double d = stopping_distance(4, 0.3 * k, 0.4, 0.4, TEST_DT, DRY_FRICTION_SCALED_BOX);
        assert_at_most(d, 1.03 * longest);
        assert_at_most(0.97 * longest / sqrt(2), d);
    }
}

/* A plank that slides aslant: friction opposes the sliding, although the masses along and across the plank
 * differ by a factor of 2.4. The plank goes straight, does not turn, and stops after v^2 / (2 mu g). */
static void test_plank_slides_straight(void **state)
{
    (void)state;
    static const dry_friction models[] = {DRY_FRICTION_CONE, DRY_FRICTION_TWO_PHASE, DRY_FRICTION_VELOCITY};
    const double mu = 0.5, v = 3, expected = v * v / (2 * mu * TEST_G);
    for (int k = 0; k < 3 * 2 * COUNT_OF(models); ++k) {
        const double heading = (1 + k % 3) * TEST_PI / 8, c = cos(heading), s = sin(heading);
        dry_settings settings = test_settings();
        settings.solver = k / 3 % 2 ? DRY_SOLVER_JACOBI : DRY_SOLVER_GAUSS_SEIDEL;
        settings.friction = models[k / 6];
        dry_world *world = world_with(settings);
        add_floor(world, mu, 0);
        dry_shape_def plank = box_shape(1, 0.1f, 0.1f);
        plank.friction = (float)mu;
        dry_body_id body = add_dynamic(world, pose_at(0, 0.1, 0), plank);
        set_velocity(world, body, (d3){v * c, 0, v * s}, (d3){0, 0, 0});
        run_steps(world, 90, TEST_DT);
        d3 p = position_of(world, body);
        assert_near(p.x * c + p.z * s, expected, 0.01 * expected + v / 60 / 2);
        assert_near(p.z * c - p.x * s, 0, 0.01 * expected);
        assert_near(d3_turn(pose_of(world, body).orientation, (d3){1, 0, 0}).x, 1, 1e-3);
        dry_world_destroy(world);
    }
}

/* A plank at rest on the floor gets a small speed v, which one substep stops along v itself: the impulse is
 * m' = 1 / (d^T K d) times |v|, with K of a plank whose floor lies `height` below its center. One substep of
 * one sweep each: relaxing takes friction last. */
static void test_velocity_takes_the_mass_along_the_sliding(void **state)
{
    (void)state;
    const double length = 1, height = 0.1, speed = 0.1, mass = 1000 * 8 * length * height * height;
    const double along = 1 / mass + height * height / (mass / 3 * (length * length + height * height));
    const double across = 1 / mass + height * height / (mass / 3 * 2 * height * height);
    for (int k = 0; k <= 6; ++k) {
        const double heading = k * TEST_PI / 12, c = cos(heading), s = sin(heading);
        dry_settings settings = test_settings();
        settings.friction = DRY_FRICTION_VELOCITY;
        settings.substeps = settings.sweeps = settings.relax_sweeps = 1;
        dry_world *world = world_with(settings);
        add_floor(world, 1, 0);
        dry_shape_def plank = box_shape((float)length, (float)height, (float)height);
        plank.friction = 1;
        dry_body_id body = add_dynamic(world, pose_at(0, height, 0), plank);
        set_velocity(world, body, (d3){speed * c, 0, speed * s}, (d3){0, 0, 0});
        run_steps(world, 1, TEST_DT);
        const double left = speed * (1 - 1 / (mass * (along * c * c + across * s * s)));
        const d3 v = velocity_of(world, body);
        assert_near(v.x, left * c, 1e-5 * speed);
        assert_near(v.z, left * s, 1e-5 * speed);
        dry_world_destroy(world);
    }
}

static void test_no_friction_never_stops(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    dry_shape_def ice = box_shape(0.5, 0.1, 0.5);
    ice.friction = 0;
    dry_body_id block = add_dynamic(world, pose_at(0, 0.1, 0), ice);
    set_velocity(world, block, (d3){3, 0, 1}, (d3){0, 0, 0});
    run_steps(world, 300, TEST_DT);
    assert_near(velocity_of(world, block).x, 3, 1e-3);
    assert_near(velocity_of(world, block).z, 1, 1e-3);
    dry_world_destroy(world);
}

/* 5/7 g sin(angle) for a homogeneous ball; the same pure rolling in every heading. */
static void test_sphere_rolls_down(void **state)
{
    (void)state;
    const double angle = 0.3, t = 2, a = 5.0 / 7 * TEST_G * sin(angle), s = a * t * t / 2, r = 0.5;
    for (int k = 0; k < 8; ++k) {
        slope on = slope_make(angle, k * TEST_PI / 4 + 0.2);
        dry_world *world = world_with(test_settings());
        add_slope(world, &on, 1, k % 2);
        dry_body_id ball = add_on_slope(world, &on, r, sphere_shape(r), 1);
        run_steps(world, 120, TEST_DT);
        d3 moved = d3_sub(position_of(world, ball), d3_scale(on.n, r));
        double down = d3_dot(moved, on.down), speed = d3_dot(velocity_of(world, ball), on.down);
        assert_near(down, s, 0.01 * s + a * t / 60);
        assert_at_most(d3_length(d3_sub(moved, d3_scale(on.down, down))), 0.01 * s);
        d3 axis = d3_cross(on.n, on.down);
        assert_near(d3_dot(spin_of(world, ball), axis) * r, speed, 0.01 * speed);
        dry_world_destroy(world);
    }
}

/* A ball set sliding rolls from t = 2 v0 / (7 mu g) on, at 5/7 v0. */
static void test_sliding_ball_starts_to_roll(void **state)
{
    (void)state;
    const double v0 = 5, mu = 0.3, until = 2 * v0 / (7 * mu * TEST_G);
    dry_world *world = world_with(test_settings());
    add_floor(world, mu, 0);
    dry_shape_def shape = sphere_shape(0.5);
    shape.friction = (float)mu;
    dry_body_id ball = add_dynamic(world, pose_at(0, 0.5, 0), shape);
    set_velocity(world, ball, (d3){v0, 0, 0}, (d3){0, 0, 0});
    int steps = (int)(0.5 * until * 60);
    run_steps(world, steps, TEST_DT);
    double half_way = v0 - mu * TEST_G * steps / 60;
    assert_near(velocity_of(world, ball).x, half_way, 0.01 * v0);
    run_steps(world, 120, TEST_DT);
    assert_near(velocity_of(world, ball).x, 5.0 / 7 * v0, 0.005 * v0);
    assert_near(-spin_of(world, ball).z * 0.5, 5.0 / 7 * v0, 0.005 * v0);
    dry_world_destroy(world);
}

/* A ball and a cylinder that roll on a level floor keep their speed, slow or fast. The slowest
 * needs 0.4 s for the 5 mm of motion for which manifolds of boxes are kept. A contact of 60 Hz sinks in by
 * g / w^2, 0.07 mm, which is 3e-4 of the cylinder's radius. */
static void test_rolling_keeps_its_speed(void **state)
{
    (void)state;
    static const double speeds[] = {0.0125, 0.1, 0.3, 2};
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < COUNT_OF(speeds); i++) {
            dry_world *world = world_with(test_settings());
            add_floor(world, 0.6, 0);
            dry_shape_def shape = round == 0 ? sphere_shape(0.5) : capsule_shape(0.25, 1);
            dry_pose pose = pose_at(0, round == 0 ? 0.5 : 0.25, 0);
            pose.orientation = quat_about((d3){1, 0, 0}, TEST_PI / 2);
            dry_body_id body = add_dynamic(world, pose, shape);
            double v = speeds[i];
            set_velocity(world, body, (d3){v, 0, 0}, (d3){0, 0, -v / pose.position.y});
            run_steps(world, 240, TEST_DT);
            assert_near(velocity_of(world, body).x, v, 5e-4 * v);
            assert_near(spin_of(world, body).z, -v / pose.position.y, 5e-4 * v / pose.position.y);
            dry_world_destroy(world);
        }
}

/* A spinning block on the spot is braked by torsion and stays where it is. */
static void test_spin_on_the_spot_stops(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    dry_body_id block = add_dynamic(world, pose_at(0, 0.1, 0), box_shape(0.5, 0.1, 0.5));
    set_velocity(world, block, (d3){0, 0, 0}, (d3){0, 4, 0});
    double last = 4;
    for (int i = 0; i < 180; ++i) {
        run_steps(world, 1, TEST_DT);
        double spin = spin_of(world, block).y;
        assert_at_most(spin, last + 1e-4);
        last = spin;
    }
    assert_near(last, 0, 1e-3);
    d3 p = position_of(world, block);
    assert_at_most(hypot(p.x, p.z), 5e-3);
    dry_world_destroy(world);
}

/* A platform that speeds up at less than mu g takes its load along; one that starts at once lets it slip
 * by v^2 / (2 mu g). Nothing that the load does shows on the platform. */
static void test_platform_carries(void **state)
{
    (void)state;
    const double mu = 0.6;
    for (int sudden = 0; sudden < 2; ++sudden) {
        dry_world *world = world_with(test_settings());
        dry_body_id platform = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, -0.5, 0), box_shape(9, 0.5, 9));
        dry_body_id load = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
        run_steps(world, 10, TEST_DT);
        double travelled = 0;
        for (int i = 1; i <= 120; ++i) {
            double v = sudden ? 3 : fmin(3, 0.4 * mu * TEST_G * i / 60);
            set_velocity(world, platform, (d3){v, 0, 0}, (d3){0, 0, 0});
            run_steps(world, 1, TEST_DT);
            travelled += v * (double)TEST_DT;
        }
        assert_near(position_of(world, platform).x, travelled, 1e-4);
        double slip = travelled - position_of(world, load).x;
        double expected = sudden ? 9 / (2 * mu * TEST_G) : 0;
        assert_near(slip, expected, 0.03 * expected + (sudden ? 3.0 / 60 : 0.01));
        assert_near(velocity_of(world, load).x, 3, 0.01);
        dry_world_destroy(world);
    }
}

/* On a turntable with w^2 r < mu g. Contact arms are those of a step's start, so the load leaves its
 * circle by at most w^2 r dt t: first order in dt. */
static void test_turntable_carries(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id table = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, -0.25, 0), box_shape(3, 0.25, 3));
    dry_body_id load = add_dynamic(world, pose_at(2, 0.2, 0), box_shape(0.2, 0.2, 0.2));
    set_velocity(world, table, (d3){0, 0, 0}, (d3){0, 1, 0});
    set_velocity(world, load, (d3){0, 0, -2}, (d3){0, 1, 0});
    run_steps(world, 180, TEST_DT);
    d3 p = position_of(world, load);
    assert_near(hypot(p.x, p.z), 2, 2.0 / 60 * 3 + 5e-3);
    assert_near(atan2(-p.z, p.x), 3, 0.05);
    assert_near(spin_of(world, load).y, 1, 0.02);
    dry_world_destroy(world);
}

static void test_kinematic_pusher(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.5, 0);
    dry_body_id pusher = add_body(world, DRY_BODY_KINEMATIC, pose_at(-2, 0.5, 0), box_shape(0.5, 0.4, 1));
    dry_body_id box = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    set_velocity(world, pusher, (d3){1, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 240, TEST_DT);
    assert_near(position_of(world, pusher).x, 2, 1e-4);
    assert_near(d3_length(d3_sub(velocity_of(world, pusher), (d3){1, 0, 0})), 0, 1e-7);
    assert_near(velocity_of(world, box).x, 1, 0.02);
    assert_near(position_of(world, box).x, 3, 5e-3);
    dry_world_destroy(world);
}

/* A table of two blocks, so that it has two contacts with the floor. */
static dry_body_id add_table(dry_world *world, double x, double y, double restitution)
{
    dry_shape_def shapes[2] = {box_shape(0.5, 0.5, 0.5), box_shape(0.5, 0.5, 0.5)};
    for (int i = 0; i < 2; ++i) {
        shapes[i].pose.position = v3(1.2 * i, 0, 0);
        shapes[i].restitution = (float)restitution;
    }
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(x, y, 0), shapes);
    def.shape_count = 2;
    return add_def(world, &def);
}

/* A table that slides while another one far away bounces: contacts of both lie in one bundle. The impact does
 * not change the sliding table's motion by a bit. */
static void test_impact_leaves_others_alone(void **state)
{
    (void)state;
    dry_world *worlds[2];
    dry_body_id table[2];
    for (int i = 0; i < 2; ++i) {
        worlds[i] = world_with(test_settings());
        add_floor(worlds[i], 0.4, 0);
        table[i] = add_table(worlds[i], 0, 0.5, 0);
        set_velocity(worlds[i], table[i], (d3){4, 0, 1}, (d3){0, 1, 0});
    }
    dry_body_id bouncer = add_table(worlds[1], 50, 1, 0.8);
    set_velocity(worlds[1], bouncer, (d3){0, -5, 0}, (d3){0, 0, 0});
    double fastest = 0;
    for (int step = 0; step < 60; ++step) {
        dry_velocity velocity[2];
        for (int i = 0; i < 2; ++i) {
            run_steps(worlds[i], 1, TEST_DT);
            assert_ok(dry_body_get_velocity(worlds[i], table[i], &velocity[i]));
        }
        assert_memory_equal(&velocity[0], &velocity[1], sizeof velocity[0]);
        fastest = fmax(fastest, velocity_of(worlds[1], bouncer).y);
    }
    assert_true(fastest > 3);
    for (int i = 0; i < 2; ++i)
        dry_world_destroy(worlds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_sticks),
        cmocka_unit_test(test_block_slides),
        cmocka_unit_test(test_sliding_stops),
        cmocka_unit_test(test_scaled_box_stops_between_its_bounds),
        cmocka_unit_test(test_plank_slides_straight),
        cmocka_unit_test(test_velocity_takes_the_mass_along_the_sliding),
        cmocka_unit_test(test_no_friction_never_stops),
        cmocka_unit_test(test_sphere_rolls_down),
        cmocka_unit_test(test_sliding_ball_starts_to_roll),
        cmocka_unit_test(test_rolling_keeps_its_speed),
        cmocka_unit_test(test_spin_on_the_spot_stops),
        cmocka_unit_test(test_platform_carries),
        cmocka_unit_test(test_turntable_carries),
        cmocka_unit_test(test_kinematic_pusher),
        cmocka_unit_test(test_impact_leaves_others_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
