/* Tests surfaces that move past their bodies: belts carry what lies on them, with every method and model of
 * friction, on every type of body; what touches one stays awake. */
#include "tests/test_world.h"

static dry_shape_def with_material(dry_shape_def shape, const dry_material *m)
{
    shape.friction = dry_default_shape_def().friction;
    shape.materials = m;
    shape.material_count = 1;
    return shape;
}

static dry_material belt_material(double friction, d3 velocity)
{
    dry_material m = dry_default_material();
    m.friction = (float)friction;
    m.surface_velocity = v3_of(velocity);
    return m;
}

/* A box is set on a belt of 2 m/s: it gains mu g until it is at the belt's speed, and keeps it. */
static void carry_a_box(dry_settings settings)
{
    const double mu = 0.5;
    const dry_material belt = belt_material(mu, (d3){2, 0, 0}), plain = belt_material(mu, (d3){0, 0, 0});
    dry_world *world = world_with(settings);
    add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), with_material(box_shape(50, 1, 5), &belt));
    const dry_body_id box =
        add_dynamic(world, pose_at(0, 0.2, 0), with_material(box_shape(0.5, 0.2, 0.5), &plain));
    set_velocity(world, box, (d3){2, 0, 0}, (d3){0, 0, 0}); /* settles at the belt's speed */
    run_steps(world, 30, TEST_DT);
    assert_near(velocity_of(world, box).x, 2, 0.002);
    set_velocity(world, box, (d3){0, 0, 0}, (d3){0, 0, 0});
    for (int step = 1; step <= 60; step++) {
        run_steps(world, 1, TEST_DT);
        const double free = mu * TEST_G * step * (double)TEST_DT, v = velocity_of(world, box).x;
        if (free < 1.9)
            assert_near(v, free, 0.01 * free);
        else if (free > 2.1)
            assert_near(v, 2, 0.01 * 2);
        assert_near(velocity_of(world, box).z, 0, 1e-3);
        assert_near(d3_length(spin_of(world, box)), 0, 0.05);
    }
    dry_world_destroy(world);
}

static void a_belt_carries_a_box(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++)
        for (int friction = 0; friction < DRY_FRICTION_COUNT; friction++) {
            dry_settings settings = test_settings();
            settings.method.solver = (dry_solver)solver;
            settings.method.friction = (dry_friction)friction;
            if (!is_honored(&settings))
                continue;
            carry_a_box(settings);
        }
}

/* Triangles carry as boxes do. */
static void a_belt_of_triangles_carries_a_box(void **state)
{
    (void)state;
    const dry_vec3 vertex[] = {v3(-50, 0, -50), v3(50, 0, -50), v3(50, 0, 50), v3(-50, 0, 50)};
    const int32_t triangle[] = {0, 2, 1, 0, 3, 2};
    const dry_mesh mesh = {.vertices = vertex, .vertex_count = 4, .triangles = triangle, .triangle_count = 2};
    const dry_material belt = belt_material(0.5, (d3){2, 0, 0}), plain = belt_material(0.5, (d3){0, 0, 0});
    dry_shape_def floor = with_material(box_shape(1, 1, 1), &belt);
    floor.type = DRY_SHAPE_MESH;
    assert_ok(dry_mesh_create(&mesh, NULL, NULL, &floor.data, NULL));
    dry_world *world = world_with(test_settings());
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), floor);
    dry_shape_data_release(floor.data);
    const dry_body_id box =
        add_dynamic(world, pose_at(3, 0.2, 1), with_material(box_shape(0.5, 0.2, 0.5), &plain));
    run_steps(world, 12, TEST_DT);
    assert_near(velocity_of(world, box).x, 0.5 * TEST_G * 0.2, 0.02);
    run_steps(world, 60, TEST_DT);
    assert_near(velocity_of(world, box).x, 2, 0.02);
    dry_world_destroy(world);
}

/* A belt turns with its body. Here the body lies on its side and looks along another axis. */
static void a_belt_is_in_the_frame_of_its_body(void **state)
{
    (void)state;
    const dry_material belt = belt_material(0.8, (d3){0, 3, 0.7}), plain = belt_material(0.8, (d3){0, 0, 0});
    dry_world *world = world_with(test_settings());
    dry_pose pose = pose_at(0, -1, 0);
    pose.orientation = quat_about((d3){0, 0, 1}, TEST_PI / 2); /* its y is the world's -x */
    dry_shape_def floor = with_material(box_shape(1, 50, 5), &belt);
    floor.pose.position = v3(0, 3, 0); /* a center apart from the frame's origin */
    add_body(world, DRY_BODY_STATIC, pose, floor);
    const dry_body_id box =
        add_dynamic(world, pose_at(0, 0.2, 0), with_material(box_shape(0.5, 0.2, 0.5), &plain));
    run_steps(world, 120, TEST_DT);
    assert_near(velocity_of(world, box).x, -3, 0.01);
    assert_near(velocity_of(world, box).z, 0.7, 0.01);
    assert_near(velocity_of(world, box).y, 0, 0.001);
    dry_world_destroy(world);
}

/* The part of a belt's velocity that goes through the surface moves nobody: a box lies as on a floor, but for
 * the 0.05 mm that its contacts give way, since its island does not come to rest. */
static void a_belt_through_the_surface_presses_nobody(void **state)
{
    (void)state;
    double height[2];
    for (int way = 0; way < 2; way++) {
        const dry_material belt = belt_material(0.5, (d3){0, way ? 7 : 0, 0}),
                           plain = belt_material(0.5, (d3){0, 0, 0});
        dry_world *world = world_with(test_settings());
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), with_material(box_shape(50, 1, 5), &belt));
        const dry_body_id box =
            add_dynamic(world, pose_at(0, 0.2, 0), with_material(box_shape(0.5, 0.2, 0.5), &plain));
        run_steps(world, 60, TEST_DT);
        height[way] = position_of(world, box).y;
        assert_near(d3_length(velocity_of(world, box)), 0, 1e-4);
        dry_world_destroy(world);
    }
    assert_near(height[0], height[1], 1e-4);
}

/* A ball that is set on a belt slides until it rolls, with 2/7 of the belt's speed. */
static void a_ball_on_a_belt_rolls_with_two_sevenths(void **state)
{
    (void)state;
    const dry_material belt = belt_material(0.5, (d3){2, 0, 0}), plain = belt_material(0.5, (d3){0, 0, 0});
    dry_world *world = world_with(test_settings());
    add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), with_material(box_shape(50, 1, 5), &belt));
    const dry_body_id ball = add_dynamic(world, pose_at(0, 0.3, 0), with_material(sphere_shape(0.3), &plain));
    run_steps(world, 60, TEST_DT);
    assert_near(velocity_of(world, ball).x, 4.0 / 7, 0.01 * 4 / 7);
    dry_world_destroy(world);
}

/* A dynamic body drives itself by the belt that runs around it; the momentum of two bodies stays. */
static void a_belt_drives_its_own_body(void **state)
{
    (void)state;
    const dry_material track = belt_material(0.5, (d3){-2, 0, 0}), plain = belt_material(0.5, (d3){0, 0, 0});
    dry_world *world = world_with(test_settings());
    add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), with_material(box_shape(50, 1, 5), &plain));
    const dry_body_id tank =
        add_dynamic(world, pose_at(0, 0.2, 0), with_material(box_shape(0.5, 0.2, 0.5), &track));
    run_steps(world, 12, TEST_DT);
    assert_near(velocity_of(world, tank).x, 0.5 * TEST_G * 0.2, 0.01);
    run_steps(world, 60, TEST_DT);
    assert_near(velocity_of(world, tank).x, 2, 0.01);
    dry_world_destroy(world);

    world = world_with(test_settings_weightless());
    const dry_body_id pair[] = {
        add_dynamic(world, pose_at(0, 0, 0), with_material(box_shape(2, 0.2, 0.5), &track)),
        add_dynamic(world, pose_at(0, 0.4, 0), with_material(box_shape(0.5, 0.2, 0.5), &plain))};
    for (int step = 0; step < 30; step++) {
        for (int i = 0; i < 2; i++) /* pressed together */
            assert_ok(dry_body_apply_force(world, pair[i], v3(0, i ? -2000 : 2000, 0)));
        run_steps(world, 1, TEST_DT);
    }
    assert_true(velocity_of(world, pair[0]).x - velocity_of(world, pair[1]).x > 0.5);
    assert_near(d3_length(total_momentum(world, pair, 2)), 0, 0.05);
    dry_world_destroy(world);
}

/* A kinematic body that moves with a belt on it carries with the sum of both. */
static void belts_ride_on_kinematic_bodies(void **state)
{
    (void)state;
    const dry_material belt = belt_material(0.8, (d3){1, 0, 0}), plain = belt_material(0.8, (d3){0, 0, 0});
    dry_world *world = world_with(test_settings());
    const dry_body_id floor =
        add_body(world, DRY_BODY_KINEMATIC, pose_at(0, -1, 0), with_material(box_shape(50, 1, 5), &belt));
    set_velocity(world, floor, (d3){0, 0, 0.5}, (d3){0, 0, 0});
    const dry_body_id box =
        add_dynamic(world, pose_at(0, 0.2, 0), with_material(box_shape(0.5, 0.2, 0.5), &plain));
    run_steps(world, 60, TEST_DT);
    assert_near(velocity_of(world, box).x, 1, 0.01);
    assert_near(velocity_of(world, box).z, 0.5, 0.005);
    dry_world_destroy(world);
}

/* A box that a wall holds on a belt stays awake. It falls asleep once the belt stops, and the belt that
 * starts wakes it. */
static void what_touches_a_belt_stays_awake(void **state)
{
    (void)state;
    const dry_material belt = belt_material(0.5, (d3){1, 0, 0}), still = belt_material(0.5, (d3){0, 0, 0});
    dry_world *world = world_with(dry_default_settings());
    const dry_body_id floor =
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), with_material(box_shape(50, 1, 5), &belt));
    add_body(world, DRY_BODY_STATIC, pose_at(1, 1, 0), box_shape(0.5, 1, 5));
    const dry_body_id box = add_dynamic(world, pose_at(0, 0.2, 0), box_shape(0.5, 0.2, 0.5));
    run_steps(world, 300, TEST_DT);
    assert_true(dry_body_is_awake(world, box));
    assert_near(d3_length(velocity_of(world, box)), 0, 0.01);
    assert_ok(dry_shape_set_materials(world, shape_of_body(world, floor), &still, 1));
    run_steps(world, 180, TEST_DT);
    assert_false(dry_body_is_awake(world, box));
    const dry_material back = belt_material(0.5, (d3){-1, 0, 0});
    assert_ok(dry_shape_set_materials(world, shape_of_body(world, floor), &back, 1));
    assert_true(dry_body_is_awake(world, box));
    run_steps(world, 60, TEST_DT);
    assert_near(velocity_of(world, box).x, -1, 0.01);
    dry_world_destroy(world);
}

/* A box that is drawn along a belt of its own speed against static friction holds on by mu_s. */
static void static_friction_holds_on_a_belt(void **state)
{
    (void)state;
    dry_material belt = belt_material(0.3, (d3){2, 0, 0}), plain = belt_material(0.3, (d3){0, 0, 0});
    belt.static_friction = plain.static_friction = 0.6f;
    dry_world *world = world_with(test_settings());
    add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), with_material(box_shape(80, 1, 5), &belt));
    const dry_body_id box =
        add_dynamic(world, pose_at(-40, 0.2, 0), with_material(box_shape(0.5, 0.2, 0.5), &plain));
    set_velocity(world, box, (d3){2, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 30, TEST_DT);
    const double weight = TEST_G * (double)mass_of(world, box).mass;
    for (int step = 0; step < 120; step++) { /* between mu_d and mu_s */
        assert_ok(dry_body_apply_force(world, box, v3(-0.45 * weight, 0, 0)));
        run_steps(world, 1, TEST_DT);
        assert_near(velocity_of(world, box).x, 2, 0.02);
    }
    for (int step = 0; step < 30; step++) { /* beyond mu_s */
        assert_ok(dry_body_apply_force(world, box, v3(-0.7 * weight, 0, 0)));
        run_steps(world, 1, TEST_DT);
    }
    assert_near(velocity_of(world, box).x, 2 - 0.4 * TEST_G * 0.5, 0.1);
    dry_world_destroy(world);
}

/* A sledge on four round feet, two of them on ice, feels both surfaces: it turns as the two forces say. */
static void a_sledge_half_on_ice_turns(void **state)
{
    (void)state;
    const double mu = 0.4, half = 0.5, t = 0.1;
    dry_material rough = belt_material(mu, (d3){0, 0, 0}), ice = belt_material(0, (d3){0, 0, 0});
    ice.friction_rule = DRY_COMBINE_SMALLEST;
    dry_world *world = world_with(test_settings());
    add_body(world, DRY_BODY_STATIC, pose_at(-5, -1, 0), with_material(box_shape(5, 1, 50), &rough));
    add_body(world, DRY_BODY_STATIC, pose_at(5, -1, 0), with_material(box_shape(5, 1, 50), &ice));
    dry_shape_def part[5];
    for (int i = 0; i < 4; i++) {
        part[i] = with_material(sphere_shape(0.05), &rough);
        part[i].pose.position = v3(i % 2 ? half : -half, 0.05, i / 2 ? half : -half);
    }
    part[4] = box_shape(0.6, 0.05, 0.6);
    part[4].pose.position = v3(0, 0.15, 0);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 0, 0), part);
    def.shape_count = 5;
    const dry_body_id sledge = add_def(world, &def);
    run_steps(world, 30, TEST_DT);
    set_velocity(world, sledge, (d3){0, 0, 6}, (d3){0, 0, 0});
    run_steps(world, 6, TEST_DT);
    /* Half of the weight rubs, at half the width from the center. */
    const dry_mass mass = mass_of(world, sledge);
    const double force = mu * TEST_G * (double)mass.mass / 2;
    const double slower = force * t / (double)mass.mass, spin = force * half * t / (double)mass.inertia[1][1];
    assert_near(6 - velocity_of(world, sledge).z, slower, 0.02 * slower);
    assert_near(spin_of(world, sledge).y, -spin, 0.02 * spin);
    dry_world_destroy(world);
}

/* Runs boxes and balls that come onto a belt. Returns the hash of their motion. */
static uint64_t run_belt(dry_isa isa, int threads)
{
    dry_world_def def = test_world_def();
    def.isa = isa;
    def.threads = threads;
    dry_world *world = world_from(&def);
    const dry_material belt = belt_material(0.7, (d3){1.5, 0, 0.25}),
                       plain = belt_material(0.7, (d3){0, 0, 0});
    add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), with_material(box_shape(50, 1, 50), &belt));
    uint64_t seed = 3;
    for (int i = 0; i < 120; i++) {
        const dry_quat turn = random_quat(&seed);
        const dry_pose pose = {{i % 8, 1 + i / 64, i / 8 % 8}, turn};
        add_dynamic(world, pose,
                    with_material(i % 3 ? box_shape(0.3, 0.2, 0.25) : sphere_shape(0.3), &plain));
    }
    run_steps(world, 60, TEST_DT);
    const uint64_t hash = dry_world_motion_hash(world);
    dry_world_destroy(world);
    return hash;
}

static void belts_have_the_same_bits_everywhere(void **state)
{
    (void)state;
    const uint64_t hash = run_belt(DRY_ISA_SCALAR, 1);
    for (int isa = 1; isa < DRY_ISA_COUNT; isa++)
        for (int threads = 1; threads <= 3 && dry_isa_available((dry_isa)isa); threads++)
            assert_true(run_belt((dry_isa)isa, threads) == hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_belt_carries_a_box),
        cmocka_unit_test(a_belt_of_triangles_carries_a_box),
        cmocka_unit_test(a_belt_is_in_the_frame_of_its_body),
        cmocka_unit_test(a_belt_through_the_surface_presses_nobody),
        cmocka_unit_test(a_ball_on_a_belt_rolls_with_two_sevenths),
        cmocka_unit_test(a_belt_drives_its_own_body),
        cmocka_unit_test(belts_ride_on_kinematic_bodies),
        cmocka_unit_test(what_touches_a_belt_stays_awake),
        cmocka_unit_test(static_friction_holds_on_a_belt),
        cmocka_unit_test(a_sledge_half_on_ice_turns),
        cmocka_unit_test(belts_have_the_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
