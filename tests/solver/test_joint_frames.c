/* Joints with frames: fixed and hinge. Closed forms of reactions, periods and rotations. */
#include "tests/test_joint.h"

#include "core/math.h"

/* A plank that is fixed at its end gives the wall its weight, and the weight times half its length about the
 * end; with any frame that is the same in the world. */
static void test_cantilever_gives_its_weight_and_moment(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; ++turned)
        for (int way = 0; way < VELOCITY_WAYS; ++way) {
            dry_world *world = world_with(joint_settings(way, test_settings()));
            const dry_quat frame = turned ? quat_about((d3){0.6, 0, 0.8}, 1.1) : quat_about((d3){1, 0, 0}, 0);
            const dry_body_id post = add_post(world);
            const dry_body_id plank = add_dynamic(world, pose_at(1, 0, 0), box_shape(1, 0.05, 0.1));
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
            def.anchor_b = v3(-1, 0, 0);
            def.orientation_a = def.orientation_b = frame;
            const dry_joint_id id = join_two(world, def, post, plank);
            run_steps(world, 300, TEST_DT);
            const double weight = mass_of(world, plank).mass * TEST_G;
            dry_vec3 force, torque;
            assert_ok(dry_joint_get_reaction(world, id, &force, &torque));
            assert_near(force.y, weight, 1e-3 * weight);
            assert_near(torque.z, weight, 1e-3 * weight);
            assert_at_most(hypot(force.x, force.z), 1e-3 * weight);
            assert_at_most(hypot(torque.x, torque.y), 1e-3 * weight);
            assert_near(position_of(world, plank).y, 0, 1e-3);
            dry_world_destroy(world);
        }
}

/* A physical pendulum on a hinge: T = 2 pi sqrt(I / (m g d)) (1 + a^2 / 16 + 11 a^4 / 3072), I about the
 * axis. The axis is x of the frame, here turned to the world's z. */
static void test_hinge_pendulum_has_its_period(void **state)
{
    (void)state;
    const double amplitude = 0.3, d = 0.5;
    for (int way = 0; way < VELOCITY_WAYS; ++way) {
        dry_world *world = world_with(joint_settings(way, test_settings()));
        const dry_body_id post = add_post(world);
        dry_pose pose = pose_at(d * sin(amplitude), -d * cos(amplitude), 0);
        pose.orientation = quat_about((d3){0, 0, 1}, amplitude);
        const dry_body_id bob = add_dynamic(world, pose, box_shape(0.1, 0.5, 0.2));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
        def.anchor_b = v3(0, d, 0);
        def.orientation_a = def.orientation_b = quat_about((d3){0, 1, 0}, -TEST_PI / 2);
        join_two(world, def, post, bob);
        const dry_mass mass = mass_of(world, bob);
        const double inertia = (double)mass.inertia[2][2] + (double)mass.mass * d * d;
        const double period = 2 * TEST_PI * sqrt(inertia / ((double)mass.mass * TEST_G * d)) *
                              (1 + amplitude * amplitude / 16 + 11 * pow(amplitude, 4) / 3072);
        enum { SWINGS = 10 };
        double first = 0, last = 0, before = 0;
        int crossings = 0;
        for (int step = 0; crossings <= 2 * SWINGS && step < 100000; ++step) {
            run_steps(world, 1, TEST_DT);
            const double x = position_of(world, bob).x, time = (step + 1) * (double)TEST_DT;
            assert_at_most(fabs(position_of(world, bob).z), 1e-4);
            if (step > 0 && (x < 0) != (before < 0)) {
                const double at = time - (double)TEST_DT * x / (x - before);
                if (crossings++ == 0)
                    first = at;
                last = at;
            }
            before = x;
        }
        assert_near((last - first) / SWINGS, period, 1e-3 * period);
        dry_world_destroy(world);
    }
}

/* Two bodies in space that are fixed to each other turn as one: their frames stay together, and what the two
 * have in momentum stays. */
static void test_fixed_bodies_turn_as_one(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int run = 0; run < test_pick(40, 8); ++run) {
        dry_world *world = world_with(test_settings_weightless());
        const double half_a = random_in(&seed, 0.1, 0.5), half_b = random_in(&seed, 0.1, 0.5);
        const dry_quat q_a = random_quat(&seed), q_b = random_quat(&seed), frame = random_quat(&seed);
        dry_body_id ids[2];
        dry_pose pose = pose_at(0, 0, 0);
        pose.orientation = q_a;
        ids[0] = add_dynamic(world, pose, box_shape(half_a, 0.2, 0.3));
        const d3 apart = d3_turn(random_quat(&seed), (d3){1.2, 0, 0});
        pose = pose_at(apart.x, apart.y, apart.z);
        pose.orientation = q_b;
        ids[1] = add_dynamic(world, pose, box_shape(0.3, half_b, 0.1));
        /* The same frame in the world, seen from both bodies, half-way between them. */
        const dry_quat inverse_a = {-q_a.x, -q_a.y, -q_a.z, q_a.w},
                       inverse_b = {-q_b.x, -q_b.y, -q_b.z, q_b.w};
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
        def.orientation_a = quat_mul(inverse_a, frame);
        def.orientation_b = quat_mul(inverse_b, frame);
        def.anchor_a = quat_rotate(inverse_a, v3_of(d3_scale(apart, 0.5)));
        def.anchor_b = quat_rotate(inverse_b, v3_of(d3_scale(apart, -0.5)));
        join_two(world, def, ids[0], ids[1]);
        const d3 spin = random_d3(&seed, 3);
        for (int i = 0; i < 2; ++i)
            set_velocity(world, ids[i], d3_cross(spin, position_of(world, ids[i])), spin);
        const d3 p = total_momentum(world, ids, 2), l = total_angular_momentum(world, ids, 2);
        run_steps(world, 300, TEST_DT);
        double scale = d3_length(l);
        assert_at_most(d3_length(d3_sub(total_momentum(world, ids, 2), p)), 1e-4 * scale);
        assert_at_most(d3_length(d3_sub(total_angular_momentum(world, ids, 2), l)), 1e-4 * scale);
        dry_pose at[2];
        for (int i = 0; i < 2; ++i)
            assert_ok(dry_body_get_pose(world, ids[i], &at[i]));
        const dry_quat a = quat_mul(at[0].orientation, def.orientation_a);
        const dry_quat b = quat_mul(at[1].orientation, def.orientation_b);
        const double cosine = fabs((double)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
        assert_at_most(2 * acos(fmin(cosine, 1)), 0.01);
        const d3 end_a =
            d3_add(position_of(world, ids[0]), d3_of(quat_rotate(at[0].orientation, def.anchor_a)));
        const d3 end_b =
            d3_add(position_of(world, ids[1]), d3_of(quat_rotate(at[1].orientation, def.anchor_b)));
        assert_at_most(d3_length(d3_sub(end_b, end_a)), 2e-3);
        dry_world_destroy(world);
    }
}

/* Two cubes in space on a ball joint, of which one was spun at 20 rad/s, a third of a radian a step, keep
 * their energy within 1 % for 10 s. The joint takes part of the spin over in the first step. */
static void test_spun_cubes_keep_their_energy(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; ++way) {
        dry_world *world = world_with(joint_settings(way, test_settings_weightless()));
        dry_body_id cubes[2];
        for (int i = 0; i < 2; ++i)
            cubes[i] = add_dynamic(world, pose_at(i ? 0.6 : -0.6, 0, 0), box_shape(0.5, 0.5, 0.5));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.anchor_a = v3(0.6, 0, 0);
        def.anchor_b = v3(-0.6, 0, 0);
        join_two(world, def, cubes[0], cubes[1]);
        set_velocity(world, cubes[0], (d3){0, 0, 0}, d3_scale(d3_unit((d3){0.1, 0.2, 0.97}), 20));
        run_steps(world, 1, TEST_DT);
        const double energy = dry_world_energy(world).total_J;
        const d3 l = total_angular_momentum(world, cubes, 2);
        run_steps(world, 600, TEST_DT);
        assert_near(dry_world_energy(world).total_J, energy, 0.01 * energy);
        assert_at_most(d3_length(d3_sub(total_angular_momentum(world, cubes, 2), l)), 1e-5 * d3_length(l));
        dry_world_destroy(world);
    }
}

static dry_world *world_of_direct_joints(void)
{
    dry_settings settings = test_settings();
    settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    settings.sleep = false;
    return world_with(settings);
}

/* Friction of a ball joint leaves to a hinge of the same bodies what that holds, directly too: a load at rest
 * does not wind it up. */
static void test_friction_beside_a_hinge_does_not_wind_up(void **state)
{
    (void)state;
    dry_world *world = world_of_direct_joints();
    const dry_quat turned = quat_about(d3_unit((d3){1, 2, 3}), 0.7),
                   back = {-turned.x, -turned.y, -turned.z, turned.w};
    dry_pose at = pose_at(1, 0, 0);
    at.orientation = turned;
    const dry_body_id post = add_post(world), rod = add_dynamic(world, at, box_shape(0.5, 0.05, 0.05)),
                      load = add_dynamic(world, pose_at(2, 0, 0), box_shape(0.3, 0.05, 0.05));
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    hinge.orientation_a = quat_about(d3_unit((d3){0, 1, 0.3}), 1.2);
    hinge.orientation_b = quat_mul(back, hinge.orientation_a);
    hinge.anchor_a = v3(1, 0, 0);
    join_two(world, hinge, post, rod);
    dry_joint_def ball = dry_default_joint_def(DRY_JOINT_BALL);
    ball.friction = 1000;
    ball.anchor_a = v3(1, 0, 0);
    const dry_joint_id rubs = join_two(world, ball, post, rod);
    dry_joint_def fixed = dry_default_joint_def(DRY_JOINT_FIXED);
    fixed.orientation_a = back;
    fixed.anchor_b = v3(-1, 0, 0);
    join_two(world, fixed, rod, load);
    const double weight = (double)mass_of(world, load).mass * TEST_G;
    run_steps(world, 1800, TEST_DT);
    dry_vec3 force, torque;
    assert_ok(dry_joint_get_reaction(world, rubs, &force, &torque));
    assert_at_most(d3_length(d3_of(torque)), 2 * weight);
    dry_world_destroy(world);
}

/* A box with a ball on it, without friction and a little off the center of what it stands on, stays. */
static void test_a_frictionless_tower_of_joined_bodies_stays(void **state)
{
    (void)state;
    dry_world *world = world_of_direct_joints();
    dry_shape_def floor = dry_default_shape_def();
    floor.type = DRY_SHAPE_HALFSPACE;
    const dry_body_def ground = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), &floor);
    add_def(world, &ground);
    dry_shape_def slippery = box_shape(1, 2, 1), ball = sphere_shape(0.1);
    slippery.friction = ball.friction = 0;
    add_dynamic(world, pose_at(0, 2, 0), box_shape(2, 2, 2));
    const dry_body_id box = add_dynamic(world, pose_at(1e-4, 6, 0), slippery),
                      top = add_dynamic(world, pose_at(1e-4, 8.5, 0), ball);
    dry_joint_def fixed = dry_default_joint_def(DRY_JOINT_FIXED);
    fixed.anchor_a = v3(0, 2.5f, 0);
    join_two(world, fixed, box, top);
    run_steps(world, 1200, TEST_DT);
    assert_at_most(fabs(position_of(world, box).x), 2e-3);
    dry_world_destroy(world);
}

static void test_bad_frames_are_refused(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id post = add_post(world);
    const dry_body_id body = add_dynamic(world, pose_at(1, 0, 0), box_shape(0.1, 0.1, 0.1));
    const dry_quat bad[] = {{0, 0, 0, 0}, {0, 0, 0, 1.1f}, {NAN, 0, 0, 1}, {0, INFINITY, 0, 1}};
    for (int i = 0; i < COUNT_OF(bad); ++i)
        for (int side = 0; side < 2; ++side) {
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
            def.body_a = post;
            def.body_b = body;
            *(side ? &def.orientation_b : &def.orientation_a) = bad[i];
            dry_joint_id id;
            assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_ARGUMENT);
        }
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_a = post;
    def.body_b = body;
    def.stiffness = 100;
    dry_joint_id id;
    assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_statistics(world).joints, 0);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cantilever_gives_its_weight_and_moment),
        cmocka_unit_test(test_hinge_pendulum_has_its_period),
        cmocka_unit_test(test_fixed_bodies_turn_as_one),
        cmocka_unit_test(test_spun_cubes_keep_their_energy),
        cmocka_unit_test(test_friction_beside_a_hinge_does_not_wind_up),
        cmocka_unit_test(test_a_frictionless_tower_of_joined_bodies_stays),
        cmocka_unit_test(test_bad_frames_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
