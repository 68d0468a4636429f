/* The walking machine: its feet, what its loads weigh, and how it stands and falls. */
#include "tests/tools/linkages.h"

/* Returns the foot of the left leg relative to the crank's axis, by Jansen's holy numbers, with the crank at
 * `angle`. */
static d3 jansen_foot(double angle)
{
    const d3 pin = {0.15 * cos(angle), 0.15 * sin(angle), 0}, pivot = {-0.38, -0.078, 0};
    const d3 top = meet_left(pivot, 0.415, pin, 0.5), lower = meet_left(pin, 0.619, pivot, 0.393);
    const d3 outer = meet_left(pivot, 0.401, top, 0.558);
    const d3 ankle = meet_left(lower, 0.367, outer, 0.394);
    return meet_left(lower, 0.49, ankle, 0.657);
}

/* The crank of each pair of legs begins so many twelfths of a turn further. */
static const int twelfths[12] = {0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11};

enum { FIRST_LEG = 3, LEG_BODIES = 6 }; /* after floor, frame and shaft */

/* Returns where the middle of a leg's sole is in the foot's frame, which is the leg's last body. */
static d3 sole_of(const dry_scene *scene, int leg)
{
    const dry_body_def *foot = &scene->bodies[FIRST_LEG + LEG_BODIES * leg + LEG_BODIES - 1].def;
    const dry_shape_def *sole = &foot->shapes[foot->shape_count - 1];
    assert_int_equal(sole->type, DRY_SHAPE_SPHERE);
    return d3_of(sole->pose.position);
}

/* All feet begin where the holy numbers put them, right ones as mirror images of left ones whose crank is
 * mirrored. The lowest foot begins 0.4 m above the floor, a third of the machine's height. */
static void test_strandbeest_feet(void **state)
{
    (void)state;
    const int legs = 24;
    dry_scene scene = scene_of("strandbeest", legs);
    const d3 axis = d3_at(scene.bodies[1].def.pose.position);
    double lowest = INFINITY, highest = 0;
    for (int i = 0; i < legs; i++) {
        const dry_pose *pose = &scene.bodies[FIRST_LEG + LEG_BODIES * i + LEG_BODIES - 1].def.pose;
        const d3 foot =
            d3_sub(d3_add(d3_at(pose->position), d3_turn(pose->orientation, sole_of(&scene, i))), axis);
        const double angle = TEST_PI / 6 * twelfths[i / 2 % 12];
        const d3 at = jansen_foot(i % 2 ? TEST_PI - angle : angle);
        assert_near(foot.x, i % 2 ? -at.x : at.x, 1e-6);
        assert_near(foot.y, at.y, 1e-6);
        lowest = fmin(lowest, foot.y + axis.y - 0.02);
    }
    for (int i = 0; i < scene.joint_count; i++) {
        const side a = side_of(&scene, &scene.joints[i], false);
        const d3 r = d3_turn(a.rotation, d3_of(scene.joints[i].def.anchor_a));
        highest = fmax(highest, a.at.y + r.y);
    }
    assert_near(lowest, 0.4, 1e-6);
    assert_near((highest - lowest) / 3, 0.4, 0.04);
    dry_scene_free(&scene);
}

/* A slowly driven leg's foot follows the path that the holy numbers give, some 0.4 m long, over a whole
 * rotation. Iterated joints give way by millimeters. */
static void test_strandbeest_foot_path(void **state)
{
    (void)state;
    dry_scene scene = scene_of("strandbeest", 2);
    scene.bodies[1].def.type = DRY_BODY_STATIC; /* the frame */
    dry_joint_axis *crank = &scene.joints[0].def.axes[DRY_AXIS_RX];
    crank->motor = DRY_MOTOR_VELOCITY;
    crank->velocity = 0.5f;
    crank->force_max = 5.0f;
    built b = build_scene(scene, v3(0, 0, 0));
    dry_settings settings = dry_world_get_settings(b.world);
    settings.substeps_min = 64;
    assert_ok(dry_world_set_settings(b.world, &settings));
    const d3 axis = position_of(b.world, b.ids[1]);
    const double bound = 0.005;
    double turned = 0, before = 0;
    for (int step = 0; step < 800; step++) {
        run_steps(b.world, 1, TEST_DT);
        const d3 x = d3_turn(pose_of(b.world, b.ids[2]).orientation, (d3){1, 0, 0});
        const double angle = atan2(x.y, x.x);
        turned += remainder(angle - before, 2 * TEST_PI);
        before = angle;
        for (int leg = 0; leg < 2; leg++) {
            const dry_pose pose = pose_of(b.world, b.ids[FIRST_LEG + LEG_BODIES * leg + LEG_BODIES - 1]);
            const d3 foot =
                d3_sub(d3_add(d3_at(pose.position), d3_turn(pose.orientation, sole_of(&scene, leg))), axis);
            const d3 at = jansen_foot(leg ? TEST_PI - angle : angle);
            assert_near(foot.x, leg ? -at.x : at.x, bound);
            assert_near(foot.y, at.y, bound);
        }
    }
    assert_true(fabs(turned) > 2 * TEST_PI);
    free_built(&b);
}

/* A load of k times a machine's mass makes its mass k + 1 times as large, and its frame's alone. */
static void test_load_of_a_frame(void **state)
{
    (void)state;
    double masses[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        dry_scene scene = scene_of("strandbeest", 4);
        if (k == 1)
            assert_true(dry_scene_add_load(&scene, "frame", 10));
        assert_false(dry_scene_add_load(&scene, "floor", 1));
        assert_false(dry_scene_add_load(&scene, "no body", 1));
        assert_false(dry_scene_add_load(&scene, "frame", 1e15));
        built b = build_scene(scene, scene.gravity);
        for (int i = 1; i < scene.body_count; i++)
            masses[k] += mass_of(b.world, b.ids[i]).mass;
        assert_true(scene.bodies[1].has_mass == (k == 1) && !scene.bodies[2].has_mass);
        free_built(&b);
    }
    assert_near(masses[1] / masses[0], 11, 1e-5);
}

/* The load of a frame presses on its feet and on all joints. Neither raises the tier while a machine stands:
 * what a foot moves is as heavy as its load, and no leg can turn by itself. Twelve legs stand. Four tilt with
 * any solver: their center of mass is 15 mm beside the line through the two lowest feet, away from the third.
 * Feet meet the floor in step 17. That blow makes a heavy machine vibrate: it may ask for the substeps of one
 * that stands a step before a light one does. */
static void test_load_of_a_frame_raises_no_tier(void **state)
{
    (void)state;
    enum { STEPS = 150, LANDED = 18 };
    const int steps = test_pick(STEPS, 60);
    int tier[STEPS];
    const double loads[] = {0, 1, 10, 100, 1000};
    for (int k = 0; k < COUNT_OF(loads); k++) {
        dry_scene scene = scene_of("strandbeest", 12);
        if (loads[k] > 0)
            assert_true(dry_scene_add_load(&scene, "frame", loads[k]));
        built b = build_scene_with(scene, scene.gravity, DRY_JOINT_SOLVER_DIRECT);
        for (int step = 0; step < steps; step++) {
            run_steps(b.world, 1, scene.dt);
            tier[step] = k == 0 ? dry_body_tier(b.world, b.ids[1]) : tier[step];
            if (step < LANDED && k > 0)
                assert_true(dry_body_tier(b.world, b.ids[1]) <= tier[LANDED]);
            else
                assert_int_equal(dry_body_tier(b.world, b.ids[1]), tier[step]);
            const d3 up = d3_turn(pose_of(b.world, b.ids[1]).orientation, (d3){0, 1, 0});
            assert_at_most(hypot(up.x, up.z), 0.02);
        }
        assert_true(tier[steps - 1] > 0);
        free_built(&b);
    }
}

/* Returns how far the feet of a machine are from where the holy numbers put them for the angle of its shaft,
 * in the frame of its body "frame". */
static double feet_off(const built *b, int legs)
{
    const dry_pose frame = pose_of(b->world, b->ids[1]), shaft = pose_of(b->world, b->ids[2]);
    const d3 axis = d3_at(frame.position);
    const d3 x = d3_turn_back(frame.orientation, d3_turn(shaft.orientation, (d3){1, 0, 0}));
    const double turned = atan2(x.y, x.x);
    double off = 0;
    for (int leg = 0; leg < legs; leg++) {
        const dry_pose pose = pose_of(b->world, b->ids[FIRST_LEG + LEG_BODIES * leg + LEG_BODIES - 1]);
        const d3 sole = d3_add(d3_at(pose.position), d3_turn(pose.orientation, sole_of(&b->scene, leg)));
        const d3 foot = d3_turn_back(frame.orientation, d3_sub(sole, axis));
        const double angle = TEST_PI / 6 * twelfths[leg / 2 % 12] + turned;
        const d3 at = jansen_foot(leg % 2 ? TEST_PI - angle : angle);
        off = fmax(off, hypot(foot.x - (leg % 2 ? -at.x : at.x), foot.y - at.y));
    }
    return off;
}

/* No linkage changes its branch, however heavy the frame that lands on it: each leg's two triangles stay on
 * the sides on which they began, and its foot where they put it. */
static void test_no_leg_changes_its_branch(void **state)
{
    (void)state;
    const double loads[] = {0, 1, 10, 100, 1000};
    const int steps = test_pick(300, 60);
    for (int k = 0; k < COUNT_OF(loads); k++) {
        dry_scene scene = scene_of("strandbeest", 10);
        if (loads[k] > 0)
            assert_true(dry_scene_add_load(&scene, "frame", loads[k]));
        built b = build_scene_with(scene, scene.gravity, DRY_JOINT_SOLVER_DIRECT);
        double error_m, error_rad, off = 0;
        for (int step = 0; step < steps; step++) {
            run_steps(b.world, 1, scene.dt);
            read_errors(&b, &error_m, &error_rad);
            assert_at_most(error_m, 1e-6);
            off = fmax(off, feet_off(&b, 10));
        }
        assert_at_most(off, 1e-6);
        free_built(&b);
    }
}

/* Four legs are no stand: the center of mass of the machine is outside the triangle of its three lowest feet.
 */
static void test_four_legs_are_no_stand(void **state)
{
    (void)state;
    dry_scene scene = scene_of("strandbeest", 4);
    built b = build_scene(scene, scene.gravity);
    d3 foot[4], center = {0, 0, 0};
    double mass = 0;
    for (int i = 1; i < scene.body_count; i++) {
        const double m = mass_of(b.world, b.ids[i]).mass;
        center = d3_add(center, d3_scale(center_of(b.world, b.ids[i]), m));
        mass += m;
    }
    center = d3_scale(center, 1 / mass);
    for (int leg = 0; leg < 4; leg++) {
        const dry_pose pose = pose_of(b.world, b.ids[FIRST_LEG + LEG_BODIES * leg + LEG_BODIES - 1]);
        foot[leg] = d3_add(d3_at(pose.position), d3_turn(pose.orientation, sole_of(&scene, leg)));
    }
    /* Legs 0 and 3 are the lowest, 2 is 30 mm higher and 1 is 180 mm higher. */
    assert_true(fabs(foot[0].y - foot[3].y) < 0.003 && foot[2].y - foot[3].y > 0.029 &&
                foot[1].y - foot[3].y > 0.17);
    const d3 along = d3_unit((d3){foot[3].x - foot[0].x, 0, foot[3].z - foot[0].z});
    const d3 across = {-along.z, 0, along.x}; /* toward +z, where the third foot is */
    assert_true(d3_dot(across, d3_sub(foot[2], foot[0])) > 0.02);
    assert_near(d3_dot(across, d3_sub(center, foot[0])), -0.0155, 0.0005);
    free_built(&b);
}

/* The frame lands on the legs when a machine falls over. However heavy it is, no body is lost, no joint opens
 * and no energy is gained. The rows of its parts have less of alpha than the legs, so that few iterations
 * close them. */
static void test_heavy_machines_fall_in_one_piece(void **state)
{
    (void)state;
    const struct {
        int legs, steps;
        double load;
    } cases[] = {{10, 240, 1000}, {10, 240, 3000}, {40, 30, 1000}};
    for (int k = 0; k < COUNT_OF(cases); k++) {
        dry_scene scene = scene_of("strandbeest", cases[k].legs);
        assert_true(dry_scene_add_load(&scene, "frame", cases[k].load));
        built b = build_scene_with(scene, scene.gravity, DRY_JOINT_SOLVER_DIRECT);
        const double start = dry_world_energy(b.world).total_J;
        for (int step = 0; step < cases[k].steps; step++) {
            run_steps(b.world, 1, scene.dt);
            assert_at_most(dry_world_energy(b.world).total_J, start * (1 + 1e-6));
            double error_m, error_rad;
            read_errors(&b, &error_m, &error_rad);
            assert_at_most(error_m, 1e-8);
            assert_at_most(error_rad, 1e-8);
            assert_true(dry_world_statistics(b.world).articulations.iterations_max <= 6);
        }
        assert_int_equal(dry_world_statistics(b.world).quarantined_bodies, 0);
        free_built(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strandbeest_feet),
        cmocka_unit_test(test_strandbeest_foot_path),
        cmocka_unit_test(test_load_of_a_frame),
        cmocka_unit_test(test_load_of_a_frame_raises_no_tier),
        cmocka_unit_test(test_no_leg_changes_its_branch),
        cmocka_unit_test(test_four_legs_are_no_stand),
        cmocka_unit_test(test_heavy_machines_fall_in_one_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
