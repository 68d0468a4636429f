/* The push factor [Tamis 5.3.1, 8.1]: the speed that it gives, and that relax sweeps are the second solve of
 * the single-frame push once they converge. Impulses that are kept push along their own normal alone. */
#include "tests/meshes.h"
#include "tests/method_limits.h"

/* The documents' engine: one substep a step, cold, contacts that nothing but the push factor separates. */
static dry_settings push_settings(double beta, int sweeps, int relax_sweeps)
{
    dry_settings settings = test_settings();
    settings.substeps = 1;
    settings.sweeps = sweeps;
    settings.relax_sweeps = relax_sweeps;
    settings.method.push_factor = (float)beta;
    settings.push_out_speed_max = 1e6f;
    settings.warm_start = false;
    return settings;
}

/* One cube at depth q without gravity: after a step it has moved by beta q. It leaves at beta q / dt without
 * relaxing, and rests after it. */
static void test_one_cube(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver)
        for (int k = 1; k <= 5; ++k)
            for (int relaxes = 0; relaxes < 2; ++relaxes) {
                const double beta = 0.2 * k, q = 0.01;
                dry_settings settings = push_settings(beta, 30, relaxes ? 30 : 0);
                settings.gravity = v3(0, 0, 0);
                settings.method.solver = (dry_solver)solver;
                if (limit_of(&settings))
                    continue;
                dry_world *world = world_with(settings);
                add_floor(world, 0.6, 0);
                const dry_body_id cube = add_dynamic(world, pose_at(0, 0.5 - q, 0), box_shape(0.5, 0.5, 0.5));
                run_steps(world, 1, TEST_DT);
                assert_near(position_of(world, cube).y - (0.5 - q), beta * q, 1e-5 * q);
                assert_near(velocity_of(world, cube).y, relaxes ? 0 : beta * q / (double)TEST_DT,
                            1e-5 * beta * q / (double)TEST_DT);
                run_steps(world, 1,
                          TEST_DT); /* Baumgarte's speed goes on: two shares of q in all, and more */
                const double moved = position_of(world, cube).y - (0.5 - q);
                if (relaxes)
                    assert_near(moved, (1 - (1 - beta) * (1 - beta)) * q, 1e-5 * q);
                else
                    assert_at_most(fmin(2 * beta, 1) * q * (1 - 1e-5), moved);
                dry_world_destroy(world);
            }
}

/* One cube takes one sweep of each kind to a thousandth: its four points are two pairs, of which the second
 * knows what the first one did. */
static void test_one_cube_takes_one_sweep(void **state)
{
    (void)state;
    const double beta = 0.2, q = 0.01, speed = beta * q / (double)TEST_DT;
    dry_settings settings = push_settings(beta, 1, 1);
    settings.gravity = v3(0, 0, 0);
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    const dry_body_id cube = add_dynamic(world, pose_at(0, 0.5 - q, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 1, TEST_DT);
    const double way = (position_of(world, cube).y - (0.5 - q)) / (beta * q);
    const double left = velocity_of(world, cube).y / speed;
    print_message("one sweep of each kind: %.6f of the way, %.2e of the speed left\n", way, left);
    assert_near(way, 1, 0.01);
    assert_near(left, 0, 0.01);
    dry_world_destroy(world);
}

/* The bound holds, and substeps share the work: n of them take back 1 - (1 - beta)^n. */
static void test_bound_and_substeps(void **state)
{
    (void)state;
    const double beta = 0.3, q = 0.01;
    dry_settings settings = push_settings(beta, 20, 20);
    settings.gravity = v3(0, 0, 0);
    settings.substeps = 4;
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    dry_body_id cube = add_dynamic(world, pose_at(0, 0.5 - q, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 1, TEST_DT);
    assert_near(position_of(world, cube).y - (0.5 - q), (1 - pow(1 - beta, 4)) * q, 1e-4 * q);
    dry_world_destroy(world);
    settings = push_settings(1, 20, 0);
    settings.gravity = v3(0, 0, 0);
    settings.push_out_speed_max = 0.1f;
    world = world_with(settings);
    add_floor(world, 0.6, 0);
    cube = add_dynamic(world, pose_at(0, 0.5 - q, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 1, TEST_DT);
    assert_near(velocity_of(world, cube).y, 0.1, 1e-6);
    dry_world_destroy(world);
}

enum { STACK = 4 };

typedef struct stack_motion {
    d3 velocity[STACK], moved[STACK];
} stack_motion;

/* Makes one step of cubes that overlap each other and the floor, and fall and slide. */
static stack_motion stack_step(int count, double beta, int sweeps, int relax_sweeps, double friction)
{
    stack_motion motion = {0};
    dry_world *world = world_with(push_settings(beta, sweeps, relax_sweeps));
    dry_body_id id[STACK];
    dry_shape_def cube = box_shape(0.5, 0.5, 0.5);
    cube.friction = (float)friction;
    add_floor(world, friction, 0);
    for (int i = 0; i < count; ++i) {
        id[i] = add_dynamic(world, pose_at(0.02 * i, 0.49 + 0.98 * i, -0.01 * i), cube);
        set_velocity(world, id[i], (d3){0.3 - 0.1 * i, -0.5, 0.1}, (d3){0, 0.1 * i, 0});
    }
    d3 from[STACK];
    for (int i = 0; i < count; ++i)
        from[i] = position_of(world, id[i]);
    run_steps(world, 1, TEST_DT);
    for (int i = 0; i < count; ++i)
        motion.velocity[i] = velocity_of(world, id[i]),
        motion.moved[i] = d3_sub(position_of(world, id[i]), from[i]);
    dry_world_destroy(world);
    return motion;
}

static double velocity_error(const stack_motion *a, const stack_motion *b)
{
    double most = 0;
    for (int i = 0; i < STACK; ++i)
        most = fmax(most, d3_length(d3_sub(a->velocity[i], b->velocity[i])));
    return most;
}

static double way_error(const stack_motion *a, const stack_motion *b)
{
    double most = 0;
    for (int i = 0; i < STACK; ++i)
        most = fmax(most, d3_length(d3_sub(a->moved[i], b->moved[i])));
    return most;
}

/* [Tamis 8.1] solves twice from the same start: with the push for the way, without it for the velocity. A
 * step that relaxes begins the second solve where the first one ended; both end where they converge to,
 * since the solution of a linear complementarity problem is one velocity. */
static void test_relaxing_is_the_second_solve(void **state)
{
    (void)state;
    static const int relaxes[] = {1, 2, 4, 8, 16, 32, 64, 128, 250};
    const double beta = 0.2, speed = beta * 0.02 * 60;
    const stack_motion first = stack_step(STACK, beta, 250, 0, 0),
                       second = stack_step(STACK, 1e-30, 250, 0, 0);
    double error = 0;
    for (int i = 0; i < COUNT_OF(relaxes); ++i) {
        const stack_motion both = stack_step(STACK, beta, 250, relaxes[i], 0);
        error = velocity_error(&both, &second);
        print_message("%3d relax sweeps: %.2e of the speed of the push is left\n", relaxes[i], error / speed);
        assert_at_most(way_error(&both, &first), 1e-6 * speed);
    }
    assert_at_most(error, 1e-4 * speed);
    assert_at_most(0.5 * speed, velocity_error(&first, &second));
}

/* So it is with friction, for one cube that falls, turns and slides; a stack with friction has not converged
 * after as many sweeps, one way or the other. */
static void test_relaxing_with_friction(void **state)
{
    (void)state;
    const double beta = 0.2, speed = beta * 0.01 * 60;
    const stack_motion second = stack_step(1, 1e-30, 250, 0, 0.6), both = stack_step(1, beta, 250, 250, 0.6);
    assert_at_most(velocity_error(&both, &second), 1e-4 * speed);
}

/* Returns the largest speed of a ball that starts within two or three fixed bodies: a box, a half-space or a
 * box in which that one stands, and a box beside its edge. One leads up, the others down or aside. */
static double speed_of_wedged(uint64_t *random, dry_solver solver, int fixed)
{
    dry_settings settings = test_settings();
    settings.method.solver = solver;
    dry_world *world = world_with(settings);
    const double hx = random_in(random, 1, 4), hz = random_in(random, 1, 4), r = random_in(random, 0.08, 0.3);
    add_body(world, DRY_BODY_STATIC, pose_at(0, -0.5, 0), box_shape(hx, 0.5, hz));
    if (random_below(random, 2))
        add_floor(world, 0.6, 0);
    else
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), box_shape(hx + 2, 1, hz + 2));
    const double x = random_in(random, -0.9, 0.9) * hx, y = random_in(random, -0.95, -0.1);
    if (fixed > 2)
        add_body(world, DRY_BODY_STATIC, pose_at(x + random_in(random, -1, 1), -0.5, hz),
                 box_shape(1, 0.4, 0.7));
    const dry_body_id ball =
        add_dynamic(world, pose_at(x, y, hz - random_in(random, 0.05, 0.5)), sphere_shape(r));
    double most = 0;
    for (int i = 0; i < 240; ++i) {
        if (hx > 2.5)
            assert_ok(dry_body_apply_force(world, ball, v3(0.1, 0, 0)));
        run_steps(world, 1, TEST_DT);
        most = fmax(most, d3_length(velocity_of(world, ball)));
    }
    dry_world_destroy(world);
    return most;
}

/* Contacts with overlapping fixed bodies hold a ball by impulses that balance each other, until one turns
 * aside. Fixed bodies do no work: the ball leaves at the speed at which overlaps separate. Some methods add
 * what gravity gives in a step or two. */
static void test_overlapping_fixed_bodies_shoot_nothing_out(void **state)
{
    (void)state;
    uint64_t random = 67;
    const double push = (double)test_settings().push_out_speed_max;
    for (int i = 0; i < test_pick(400, 40); ++i) {
        const dry_solver solver = (dry_solver)(i % DRY_SOLVER_COUNT);
        const bool slow = solver == DRY_SOLVER_GAUSS_SEIDEL || solver == DRY_SOLVER_JACOBI;
        assert_at_most(speed_of_wedged(&random, solver, 2), slow ? 1.001 * push : 2 * push);
        if (slow)
            assert_at_most(speed_of_wedged(&random, solver, 3), 2 * push);
    }
}

enum { PRESSED_SHAPES = 5, PRESSING_SHAPES = 7 };

/* Returns the field of a roof: two slopes of 45 degrees, half a meter from the origin. */
static dry_shape_def roof_shape(void)
{
    float heights[9];
    for (int i = 0; i < 9; ++i)
        heights[i] = (float)(sqrt(0.5) - 2 * abs(i % 3 - 1));
    const dry_height_field_def def = {.rows = 3, .columns = 3, .spacing = {2, 2}, .heights = heights};
    dry_shape_data *data = NULL;
    assert_ok(dry_height_field_create(&def, NULL, &data, NULL));
    dry_shape_def shape = data_shape(DRY_SHAPE_HEIGHT_FIELD, data);
    shape.pose.position = v3(-2, 0, -2);
    return shape;
}

/* Returns a shape whose surface is half a meter from the origin along x, -x, y and -y, but for the roof. */
static dry_shape_def half_meter_shape(int kind)
{
    surface s = box_surface((d3){0.5, 0.5, 0.5});
    const dry_mesh mesh = surface_mesh(&s);
    dry_shape_def shape = kind == 0   ? sphere_shape(0.5)
                          : kind == 1 ? capsule_shape(0.5, 0.5)
                                      : box_shape(0.5, 0.5, 0.5);
    if (kind == 1 || kind == 3)
        shape.pose.orientation = quat_about((d3){1, 0, 0}, TEST_PI / 2);
    if (kind == 3) {
        shape.type = DRY_SHAPE_CYLINDER;
        shape.radius = shape.half_length = 0.5f;
    }
    dry_shape_data *data = NULL;
    if (kind == 4) {
        assert_ok(dry_hull_create(mesh.vertices, mesh.vertex_count, 0, NULL, &data, NULL));
        shape = data_shape(DRY_SHAPE_HULL, data);
    } else if (kind == 5) {
        assert_ok(dry_mesh_create(&mesh, 0, NULL, &data, NULL));
        shape = data_shape(DRY_SHAPE_MESH, data);
    } else if (kind == 6) {
        shape = roof_shape();
    }
    surface_free(&s);
    shape.friction = 0;
    return shape;
}

/* Puts a body and a load on it, without motion, `angle` from y toward -x about the origin. */
static void put_pressed(dry_world *world, const dry_body_id id[2], double angle, double turned)
{
    for (int i = 0; i < 2; ++i) {
        const double r = 1.0 + i;
        const dry_pose pose = {{-r * sin(angle), r * cos(angle), 0}, quat_about((d3){0, 0, 1}, turned)};
        assert_ok(dry_body_set_pose(world, id[i], pose));
        set_velocity(world, id[i], (d3){0}, (d3){0});
    }
}

/* Lets 100 t press a body of 1 kg on a fixed one, and puts both a quarter turn on without gravity. All touch,
 * as before, but nothing presses along the new normal. Returns the largest speed from there on. */
static double speed_past_corner(dry_shape_def fixed, dry_shape_def pressed, double angle)
{
    dry_settings settings = test_settings();
    settings.gravity = v3(10 * sin(angle), -10 * cos(angle), 0);
    dry_world *world = world_with(settings);
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), fixed);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 1, 0), &pressed);
    dry_shape_def load = box_shape(0.5, 0.5, 0.5);
    load.friction = 0;
    def.mass = 1;
    dry_body_id id[2] = {add_def(world, &def)};
    def.shapes = &load;
    def.mass = 1e5f;
    id[1] = add_def(world, &def);
    put_pressed(world, id, angle, angle);
    run_steps(world, 60, TEST_DT);
    put_pressed(world, id, angle - TEST_PI / 2, angle);
    settings.gravity = v3(0, 0, 0);
    assert_ok(dry_world_set_settings(world, &settings));
    double most = 0;
    for (int i = 0; i < 30; ++i) {
        run_steps(world, 1, TEST_DT);
        most = fmax(most, fmax(d3_length(velocity_of(world, id[0])), d3_length(velocity_of(world, id[1]))));
    }
    dry_world_destroy(world);
    return most;
}

/* A pair that comes to touch along another normal keeps no impulse of the old one. With 250 N s a substep
 * carried on, a load that nothing presses any more would be thrown off at 1 m/s. */
static void test_impulses_turn_with_their_normals(void **state)
{
    (void)state;
    for (int a = 0; a < PRESSING_SHAPES; ++a)
        for (int b = 0; b < PRESSED_SHAPES; ++b) {
            dry_shape_def fixed = half_meter_shape(a), pressed = half_meter_shape(b);
            assert_at_most(speed_past_corner(fixed, pressed, a == 6 ? TEST_PI / 4 : 0), 1e-4);
            dry_shape_data_release(fixed.data);
            dry_shape_data_release(pressed.data);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_cube),
        cmocka_unit_test(test_one_cube_takes_one_sweep),
        cmocka_unit_test(test_bound_and_substeps),
        cmocka_unit_test(test_relaxing_is_the_second_solve),
        cmocka_unit_test(test_relaxing_with_friction),
        cmocka_unit_test(test_impulses_turn_with_their_normals),
        cmocka_unit_test(test_overlapping_fixed_bodies_shoot_nothing_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
