/* Machines whose joints have motors, stops, springs and friction: how far their joints open after every step,
 * and that they come to rest. */
#include "tests/tools/linkages.h"

static const char *const machines[] = {"door", "vehicle", "crane", "excavator", "springboard", "hoist"};

/* Joints stay within 0.1 mm if they are solved directly and within 5 mm in sweeps, and stops within 0.01 rad,
 * after every step. */
static void test_machines_hold_together(void **state)
{
    (void)state;
    const int steps = test_pick(600, 90);
    for (int i = 0; i < COUNT_OF(machines); i++)
        for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; solver++) {
            dry_scene scene = scene_of(machines[i], 0);
            built b = build_scene_with(scene, scene.gravity, (dry_joint_solver)solver);
            for (int step = 0; step < steps; step++) {
                run_steps(b.world, 1, scene.dt);
                double error_m, error_rad;
                read_errors(&b, &error_m, &error_rad);
                assert_at_most(error_m, solver == DRY_JOINT_SOLVER_DIRECT ? 1e-4 : 5e-3);
                assert_at_most(error_rad, 0.01);
            }
            assert_int_equal(dry_world_statistics(b.world).quarantined_bodies, 0);
            free_built(&b);
        }
}

/* Sets the target of each motor to a velocity to 0. */
static void brake(const built *b)
{
    for (int i = 0; i < b->scene.body_count; i++) {
        dry_joint_id joint[16];
        int count;
        assert_ok(dry_body_get_joints(b->world, b->ids[i], joint, COUNT_OF(joint), &count));
        for (int k = 0; k < count; k++) {
            dry_joint_def def;
            assert_ok(dry_joint_get_def(b->world, joint[k], &def));
            for (int axis = 0; axis < DRY_AXIS_COUNT; axis++)
                def.axes[axis].velocity = 0;
            assert_ok(dry_joint_set_def(b->world, joint[k], &def));
        }
    }
}

/* Tells whether all bodies of joints sleep. */
static bool joints_sleep(const built *b)
{
    bool sleep = true;
    for (int i = 0; i < b->scene.body_count; i++) {
        int count;
        assert_ok(dry_body_get_joints(b->world, b->ids[i], NULL, 0, &count));
        sleep = sleep && (count == 0 || !dry_body_is_awake(b->world, b->ids[i]));
    }
    return sleep;
}

/* A door sleeps within 20 s of the ball that hits it; a vehicle and an excavator within 20 s of braking. A
 * crane's load swings on: nothing rubs in its rope. */
static void test_machines_come_to_rest(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(machines); i++)
        for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; solver++) {
            if (strcmp(machines[i], "crane") == 0)
                continue;
            dry_scene scene = scene_of(machines[i], 0);
            built b = build_scene_with(scene, scene.gravity, (dry_joint_solver)solver);
            dry_settings settings = dry_world_get_settings(b.world);
            settings.sleep = true;
            assert_ok(dry_world_set_settings(b.world, &settings));
            run_steps(b.world, 120, scene.dt);
            brake(&b);
            int steps = 0;
            while (steps < 1200 && !joints_sleep(&b))
                run_steps(b.world, 1, scene.dt), steps++;
            assert_true(joints_sleep(&b));
            free_built(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines_hold_together),
        cmocka_unit_test(test_machines_come_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
