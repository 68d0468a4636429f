/* Rolling against closed form: down slopes, after sliding, on the level, and against rolling resistance. */
#include "tests/slopes.h"

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

typedef struct roll {
    double radius, half_length, speed, coefficient, dt;
    int substeps;  /* 0: the default */
    bool on_floor; /* the floor has the coefficient, not the round shape */
} roll;

static dry_body_id add_rolling(dry_world *world, const roll *r, double floor_coefficient, double angle)
{
    dry_shape_def ground = halfspace_shape(v3(sin(angle), cos(angle), 0), 0);
    dry_shape_def shape =
        r->half_length > 0 ? capsule_shape(r->radius, r->half_length) : sphere_shape(r->radius);
    ground.rolling_resistance = (float)floor_coefficient;
    shape.rolling_resistance = r->on_floor ? 0 : (float)r->coefficient;
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), ground);
    dry_pose pose = pose_at(r->radius * sin(angle), r->radius * cos(angle), 0);
    pose.orientation = quat_about((d3){1, 0, 0}, TEST_PI / 2);
    return add_dynamic(world, pose, shape);
}

/* On a level floor the moment c r N about the contact, against m r^2 + I, brakes a rolling body by
 * a = c g / (1 + I / (m r^2)), so that it stops after v^2 / (2 a): a sphere, with I = 2/5 m r^2, after
 * 7 v^2 / (10 c g). */
static void test_rolling_resistance_stops(void **state)
{
    (void)state;
    static const roll rolls[] = {
        {0.5, 0, 2, 0.05, 1.0 / 60, 0, false},   {0.5, 0, 2, 0.05, 1.0 / 60, 0, true},
        {0.5, 0, 1, 0.01, 1.0 / 60, 0, false},   {0.1, 0, 1, 0.1, 1.0 / 240, 0, false},
        {2, 0, 5, 0.2, 1.0 / 60, 0, false},      {0.5, 0, 2, 0.05, 1.0 / 60, 1, false},
        {0.5, 0, 2, 0.05, 1.0 / 60, 16, false},  {0.5, 0, 2, 0.05, 1.0 / 30, 0, false},
        {0.5, 0, 2, 0.05, 1.0 / 1000, 0, false}, {0.25, 1, 2, 0.05, 1.0 / 60, 0, false},
        {0.25, 0.5, 1, 0.1, 1.0 / 120, 2, true},
    };
    for (int i = 0; i < COUNT_OF(rolls); i++) {
        const roll *r = &rolls[i];
        dry_settings settings = test_settings();
        settings.substeps = r->substeps;
        dry_world *world = world_with(settings);
        dry_body_id body = add_rolling(world, r, r->on_floor ? r->coefficient : 0, 0);
        const dry_mass mass = mass_of(world, body);
        const double inertia = (double)mass.inertia[r->half_length > 0 ? 1 : 2][r->half_length > 0 ? 1 : 2];
        const double braking =
            r->coefficient * TEST_G / (1 + inertia / ((double)mass.mass * r->radius * r->radius));
        const double start = position_of(world, body).x, stop = r->speed * r->speed / (2 * braking);
        set_velocity(world, body, (d3){r->speed, 0, 0}, (d3){0, 0, -r->speed / r->radius});
        run_steps(world, (int)(1.1 * r->speed / braking / r->dt), (float)r->dt);
        assert_near(position_of(world, body).x - start, stop, 0.01 * stop);
        assert_at_most(d3_length(velocity_of(world, body)), 1e-4);
        dry_world_destroy(world);
    }
}

/* A ball that spins in place about the vertical meets mu c r N against I = 2/5 m r^2: it stops after
 * 2/5 r w / (mu c g), and has turned by half of w times that. Without rolling resistance it spins on. */
static void test_rolling_resistance_stops_a_spin(void **state)
{
    (void)state;
    const double r = 0.3, c = 0.05, mu = 0.6, w = 4.0, time = 0.4 * r * w / (mu * c * 9.81);
    for (int resists = 0; resists < 2; resists++) {
        dry_world *world = world_with(test_settings());
        add_floor(world, mu, 0.0);
        dry_shape_def ball = sphere_shape(r);
        ball.friction = (float)mu;
        ball.rolling_resistance = resists ? (float)c : 0.0f;
        dry_body_id body = add_body(world, DRY_BODY_DYNAMIC, pose_at(0, r, 0), ball);
        set_velocity(world, body, (d3){0, 0, 0}, (d3){0, w, 0});
        run_steps(world, (int)(0.5 * time / TEST_DT), TEST_DT);
        const double half = (int)(0.5 * time / TEST_DT) * TEST_DT;
        assert_near(spin_of(world, body).y, resists ? w * (1.0 - half / time) : w, 0.01 * w);
        run_steps(world, (int)(0.7 * time / TEST_DT), TEST_DT);
        assert_near(spin_of(world, body).y, resists ? 0.0 : w, 1e-3);
        dry_world_destroy(world);
    }
}

/* The moment of a slope, m g r sin(angle), is below c r m g cos(angle) where tan(angle) < c. Above, a ball
 * rolls with 5/7 g (sin(angle) - c cos(angle)). */
static void test_rolling_resistance_holds_on_a_slope(void **state)
{
    (void)state;
    static const double coefficients[] = {0.05, 0.3};
    for (int i = 0; i < COUNT_OF(coefficients); i++)
        for (int steep = 0; steep < 2; steep++) {
            const roll ball = {.radius = 0.5, .coefficient = coefficients[i]};
            const double angle = atan(coefficients[i]) * (steep ? 1.5 : 0.9), time = 10 - 8 * steep;
            dry_world *world = world_with(test_settings());
            dry_body_id body = add_rolling(world, &ball, 0, angle);
            const d3 start = position_of(world, body);
            run_steps(world, (int)(time * 60 + 0.5), TEST_DT);
            const double moved = d3_length(d3_sub(position_of(world, body), start));
            const double speed = 5.0 / 7 * TEST_G * (sin(angle) - ball.coefficient * cos(angle)) * time;
            if (steep)
                assert_near(d3_length(velocity_of(world, body)), speed, 0.01 * speed);
            else
                assert_at_most(moved, 1e-3);
            dry_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_rolls_down),
        cmocka_unit_test(test_sliding_ball_starts_to_roll),
        cmocka_unit_test(test_rolling_keeps_its_speed),
        cmocka_unit_test(test_rolling_resistance_stops),
        cmocka_unit_test(test_rolling_resistance_stops_a_spin),
        cmocka_unit_test(test_rolling_resistance_holds_on_a_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
