/* Dry friction of ball joints: one moment against the rotation, of the same size in every direction. */
#include "tests/test_joint.h"

static const d3 directions[] = {{1, 0, 0}, {0, 0, 1}, {1, 1, 1}, {-2, 1, 0.5}};

/* A cube on its center slows down at the rate F / I, about the same axis, and stays at rest. The joint tells
 * the moment. */
static void test_spin_ends_as_the_closed_form(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++)
        for (int k = 0; k < COUNT_OF(directions); k++) {
            dry_world *world = world_with(joint_settings(way, test_settings_weightless()));
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
            def.body_b = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
            const double inertia = mass_of(world, def.body_b).mass / 6, speed = 5, ends = 1.0;
            const double most = inertia * speed / ends;
            def.friction = (float)most;
            const dry_joint_id id = join(world, &def);
            const d3 axis = d3_unit(directions[k]);
            set_velocity(world, def.body_b, (d3){0}, d3_scale(axis, speed));
            for (int step = 1; step <= 90; step++) {
                run_steps(world, 1, TEST_DT);
                const double expected = fmax(speed * (1 - step / 60.0 / ends), 0);
                const d3 off = d3_sub(spin_of(world, def.body_b), d3_scale(axis, expected));
                assert_at_most(d3_length(off), 2e-3 * speed);
                dry_vec3 force, torque;
                assert_ok(dry_joint_get_reaction(world, id, &force, &torque));
                if (step > 1 && step < 60)
                    assert_near(d3_dot(d3_of(torque), axis), -most, 1e-3 * most);
                else if (step > 62)
                    assert_at_most(d3_length(d3_of(torque)), 1e-2 * most);
            }
            dry_world_destroy(world);
        }
}

/* A rod that stands out from its end stays where friction exceeds its moment, and falls where it does not,
 * whatever the direction. */
static void test_friction_holds_a_rod(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++)
        for (int k = 0; k < 8; k++) {
            const bool holds = k % 2;
            const double turn = k / 2 * 0.7;
            dry_world *world = world_with(joint_settings(way, test_settings()));
            dry_pose pose = pose_at(cos(turn), 0, -sin(turn));
            pose.orientation = quat_about((d3){0, 1, 0}, turn);
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
            def.body_b = add_dynamic(world, pose, box_shape(1, 0.05, 0.05));
            def.anchor_b = v3(-1, 0, 0);
            def.friction = (float)((holds ? 1.02 : 0.98) * mass_of(world, def.body_b).mass * TEST_G);
            join(world, &def);
            run_steps(world, 300, TEST_DT);
            const double fell = -center_of(world, def.body_b).y;
            if (holds)
                assert_at_most(fabs(fell), 2e-3);
            else
                assert_true(fell > 0.1);
            dry_world_destroy(world);
        }
}

/* Two rods in space rub on each other: both momenta stay, and energy only goes away. They end as one body. */
static void test_momenta_stay(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++) {
        dry_world *world = world_with(joint_settings(way, test_settings_weightless()));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        dry_body_id ids[2];
        ids[0] = def.body_a = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.6, 0.2, 0.3));
        ids[1] = def.body_b = add_dynamic(world, pose_at(1, 0, 0), box_shape(0.4, 0.1, 0.2));
        def.anchor_a = v3(0.6, 0.1, 0);
        def.anchor_b = v3(-0.4, 0.1, 0);
        def.friction = 300;
        join(world, &def);
        set_velocity(world, ids[0], (d3){0}, (d3){1, 0.5, -2});
        set_velocity(world, ids[1], (d3){0, 0, 0.5}, (d3){-1, 2, 1});
        run_steps(world, 1, TEST_DT);
        const d3 linear = total_momentum(world, ids, 2), angular = total_angular_momentum(world, ids, 2);
        double energy = kinetic_energy(world, ids[0]) + kinetic_energy(world, ids[1]);
        const double begin = energy;
        for (int step = 0; step < 600; step++) {
            run_steps(world, 1, TEST_DT);
            const double now = kinetic_energy(world, ids[0]) + kinetic_energy(world, ids[1]);
            assert_at_most(now, energy + 2e-4 * begin);
            energy = now;
        }
        assert_at_most(d3_length(d3_sub(total_momentum(world, ids, 2), linear)), 1e-3 * d3_length(linear));
        assert_at_most(d3_length(d3_sub(total_angular_momentum(world, ids, 2), angular)),
                       0.01 * d3_length(angular));
        const d3 left = d3_sub(spin_of(world, ids[0]), spin_of(world, ids[1]));
        assert_at_most(d3_length(left), 1e-3 * d3_length((d3){-2, 1.5, 3}));
        dry_world_destroy(world);
    }
}

static void test_bad_friction_is_refused(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
    const float bad[] = {-1, 2e15f, INFINITY, NAN};
    dry_joint_id id;
    for (int type = 0; type < DRY_JOINT_PAIR_COUNT; type++) {
        dry_joint_def def = dry_default_joint_def((dry_joint_type)type);
        def.body_b = body;
        for (int i = 0; i < COUNT_OF(bad); i++) {
            def.friction = bad[i];
            assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_ARGUMENT);
        }
        def.friction = 5;
        assert_int_equal(dry_world_create_joint(world, &def, &id),
                         type == DRY_JOINT_BALL ? DRY_OK : DRY_ERROR_ARGUMENT);
        def.stiffness = 100;
        assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_ARGUMENT);
    }
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spin_ends_as_the_closed_form),
        cmocka_unit_test(test_friction_holds_a_rod),
        cmocka_unit_test(test_momenta_stay),
        cmocka_unit_test(test_bad_friction_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
