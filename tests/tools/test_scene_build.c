/* Scenes put into a world, and the quality measure of a world's state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/scenes/measure/energy.h"
#include "tools/scenes/measure/quality.h"
#include "tools/scenes/scene_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dry_world *make_world(dry_vec3 gravity)
{
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.settings.gravity = gravity;
    dry_world *world = NULL;
    assert_int_equal(dry_world_create(&def, &world), DRY_OK);
    return world;
}

static void make(const char *name, int size, dry_scene *scene)
{
    char error[256];
    if (!dry_scene_make(name, size, scene, error, sizeof error))
        fail_msg("%s", error);
}

static dry_body_id *build(const dry_scene *scene, dry_world *world)
{
    dry_body_id *ids = malloc(((size_t)scene->body_count + 1) * sizeof *ids);
    assert_non_null(ids);
    assert_int_equal(dry_scene_build(scene, world, ids), DRY_OK);
    return ids;
}

static void assert_world_holds(const dry_scene *scene, const dry_world *world, const dry_body_id *ids)
{
    dry_statistics statistics = dry_world_statistics(world);
    assert_int_equal(statistics.bodies, scene->body_count);
    assert_int_equal(statistics.shapes, scene->shape_count);
    assert_int_equal(statistics.joints, scene->joint_count);
    for (int i = 0; i < scene->body_count; i++) {
        const dry_body_def *def = &scene->bodies[i].def;
        dry_pose pose;
        int shapes = -1;
        assert_int_equal(dry_body_get_pose(world, ids[i], &pose), DRY_OK);
        /* The pose is that of a body's center of mass, and is rounded on the way there and back. */
        assert_true(fabs(pose.position.x - def->pose.position.x) < 1e-12 * (1.0 + fabs(pose.position.x)) &&
                    fabs(pose.position.y - def->pose.position.y) < 1e-12 * (1.0 + fabs(pose.position.y)) &&
                    fabs(pose.position.z - def->pose.position.z) < 1e-12 * (1.0 + fabs(pose.position.z)));
        assert_int_equal(dry_body_get_shapes(world, ids[i], NULL, 0, &shapes), DRY_OK);
        assert_int_equal(shapes, def->shape_count);
    }
}

static void test_builtins_build(void **state)
{
    (void)state;
    for (const dry_scene_builtin *b = dry_scene_builtins(); b->name; b++) {
        const int sizes[2] = {b->size_min, b->size_default > 300 ? 300 : b->size_default};
        for (int k = 0; k < 2; k++) {
            dry_scene scene;
            make(b->name, sizes[k], &scene);
            dry_world *world = make_world(scene.gravity);
            dry_body_id *ids = build(&scene, world);
            assert_world_holds(&scene, world, ids);
            free(ids);
            dry_world_destroy(world);
            dry_scene_free(&scene);
        }
    }
}

static void test_files_build(void **state)
{
    (void)state;
    static const char *const names[] = {"every_field.json", "dominoes.json", "stonehenge.json"};
    const char *root = getenv("DRYSTONE_SOURCE_ROOT");
    for (int i = 0; i < 3; i++) {
        char path[512], error[512];
        dry_scene scene;
        snprintf(path, sizeof path, "%s/tests/data/%s", root ? root : ".", names[i]);
        if (!dry_scene_read(path, &scene, error, sizeof error))
            fail_msg("%s", error);
        dry_world *world = make_world(scene.gravity);
        dry_body_id *ids = build(&scene, world);
        assert_world_holds(&scene, world, ids);
        for (int k = 0; k < scene.body_count; k++) {
            dry_mass mass;
            if (!scene.bodies[k].has_mass)
                continue;
            assert_int_equal(dry_body_get_mass(world, ids[k], &mass), DRY_OK);
            assert_true(mass.mass == scene.bodies[k].def.mass);
        }
        free(ids);
        dry_world_destroy(world);
        dry_scene_free(&scene);
    }
}

/* A scene at the ends of every range that the check of scenes lets pass must build. */
static void test_what_the_check_accepts_builds(void **state)
{
    (void)state;
    dry_scene scene;
    memset(&scene, 0, sizeof scene);
    scene.dt = 1.0f;
    const dry_body_type types[3] = {DRY_BODY_STATIC, DRY_BODY_KINEMATIC, DRY_BODY_DYNAMIC};
    for (int i = 0; i < 12; i++) {
        char id[16];
        snprintf(id, sizeof id, "b%d", i);
        dry_body_def body = dry_default_body_def();
        body.type = types[i % 3];
        body.pose.position = (dry_position){1e9, -1e9, i};
        body.pose.orientation.w = i % 2 ? 1.0009f : 0.9991f;
        body.velocity.linear.x = body.type == DRY_BODY_STATIC ? 0.0f : 1e5f;
        body.velocity.angular.y = body.type == DRY_BODY_STATIC ? 0.0f : -1e4f;
        body.mass = i < 6 ? 1e15f : 0.0f;
        assert_true(dry_scene_add_body(&scene, id, &body) == i);
        dry_shape_def shape = dry_default_shape_def();
        shape.type = (dry_shape_type)(i % 3); /* sphere, capsule, box */
        shape.half_extents = (dry_vec3){1e-4f, i % 2 ? 1e6f : 1e-4f, 1e-4f};
        shape.radius = 1e-4f;
        shape.half_length = i % 2 ? 1e6f : 1e-4f;
        shape.pose.position = (dry_vec3){-1e6f, 0.0f, 0.0f};
        shape.density = i < 9 ? 1000.0f : 0.0f;
        shape.friction = 1e3f;
        shape.restitution = 1.0f;
        assert_true(dry_scene_add_shape(&scene, &shape) >= 0);
    }
    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_DISTANCE);
    joint.anchor_a = (dry_vec3){1e6f, -1e6f, 1e6f};
    joint.length = 1e6f;
    joint.stiffness = joint.damping = 1e15f;
    assert_true(dry_scene_add_joint(&scene, &joint, 2, 0) == 0);
    dry_scene_finish(&scene);
    char error[256];
    if (!dry_scene_check(&scene, error, sizeof error))
        fail_msg("%s", error);
    dry_world *world = make_world((dry_vec3){0.0f, 0.0f, 1e6f});
    free(build(&scene, world));
    dry_world_destroy(world);
    dry_scene_free(&scene);
}

static void test_motors_bring_energy(void **state)
{
    (void)state;
    dry_scene scene;
    make("tower", 2, &scene);
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    assert_true(dry_scene_add_joint(&scene, &hinge, DRY_SCENE_WORLD, 2) == 0);
    dry_joint_axis *axis = &scene.joints[0].def.axes[DRY_AXIS_RX];
    axis->stiffness = 10.0f;
    assert_true(dry_scene_keeps_energy(&scene));
    axis->motor = DRY_MOTOR_VELOCITY;
    assert_false(dry_scene_keeps_energy(&scene));
    dry_scene_free(&scene);
}

/* Scenes have tables of their own of what joints have; the library has the last word. */
static void test_axes_of_types_are_the_library_s(void **state)
{
    (void)state;
    dry_scene scene;
    make("tower", 2, &scene);
    dry_world *world = make_world(scene.gravity);
    dry_body_id *ids = build(&scene, world);
    for (int type = 0; type < DRY_JOINT_PAIR_COUNT; type++) {
        dry_joint_def def = dry_default_joint_def((dry_joint_type)type);
        dry_joint_id id;
        def.body_b = ids[2];
        assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_OK);
        for (int axis = 0; axis < DRY_AXIS_COUNT; axis++) {
            dry_joint_axis_state now;
            const bool has = dry_scene_joint_forms[type].axes >> axis & 1;
            assert_int_equal(dry_joint_get_axis(world, id, (dry_axis)axis, &now),
                             has ? DRY_OK : DRY_ERROR_ARGUMENT);
        }
    }
    free(ids);
    dry_world_destroy(world);
    dry_scene_free(&scene);
}

static unsigned draw(uint64_t *random, unsigned below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*random >> 40) % below;
}

/* Sets a number to a bound, to something between, or to what is too much; often it stays. */
static void draw_number(uint64_t *random, const dry_scene_number *n, void *owner)
{
    const float values[] = {n->low,           n->high, 0.0f,     1.0f,      -1.0f,
                            2.0f * n->high,   -0.5f,   INFINITY, -INFINITY, NAN,
                            n->low - n->high, 0.5f,    0.25f,    -0.0f};
    const unsigned pick = draw(random, 120);
    if (pick < sizeof values / sizeof *values)
        *dry_scene_number_in(owner, n) = values[pick];
    else if (pick < 40)
        *dry_scene_number_in(owner, n) = 0.125f * (float)(pick % 8);
}

static void draw_joint(uint64_t *random, dry_scene_joint *joint)
{
    const int type = (int)draw(random, DRY_JOINT_PAIR_COUNT + 2); /* the last two: gear and rack */
    dry_joint_def def = dry_default_joint_def(
        (dry_joint_type)(type < DRY_JOINT_PAIR_COUNT ? type : type - DRY_JOINT_PAIR_COUNT + DRY_JOINT_GEAR));
    *joint = (dry_scene_joint){.body_a = (int)draw(random, 4) - 1, .body_b = (int)draw(random, 3)};
    if (def.type == DRY_JOINT_TARGET && draw(random, 8) != 0)
        joint->body_a = DRY_SCENE_WORLD;
    for (const dry_scene_number *n = dry_scene_joint_numbers; n->name; n++)
        if (dry_scene_joint_has(def.type, n) || draw(random, 40) == 0)
            draw_number(random, n, &def);
    for (int i = 0; i < DRY_AXIS_COUNT; i++) {
        if (!(dry_scene_joint_forms[def.type].axes >> i & 1) && draw(random, 60) != 0)
            continue;
        if (draw(random, 4) != 0)
            def.axes[i] = dry_scene_free_axis();
        def.axes[i].motor = (dry_motor)draw(random, DRY_MOTOR_COUNT + (draw(random, 20) == 0));
        for (const dry_scene_number *n = dry_scene_axis_numbers; n->name; n++)
            draw_number(random, n, &def.axes[i]);
        if (draw(random, 4) == 0)
            def.axes[i].min = def.axes[i].max = 0.25f;
    }
    if (draw(random, 12) == 0)
        def.orientation_a = (dry_quat){0.6f, 0.0f, 0.0f, 0.8f};
    if (draw(random, 12) == 0)
        def.target.y = 2.0;
    joint->def = def;
}

/* Any joint that the check of scenes lets pass, the library takes; and settings that it refuses are refused
 * there too, but for a few that a scene file cannot hold, and fields that a motor does not use: those wait in
 * the library. */
static void test_joints_pass_where_the_library_takes_them(void **state)
{
    (void)state;
    dry_scene scene;
    make("tower", 2, &scene);
    dry_joint_def any = dry_default_joint_def(DRY_JOINT_BALL);
    assert_true(dry_scene_add_joint(&scene, &any, 0, 1) == 0);
    dry_world *world = make_world(scene.gravity);
    uint64_t random = 5;
    int taken = 0, refused = 0, unwritable = 0;
    for (int run = 0; run < 40000; run++) {
        char error[256] = "";
        dry_body_id ids[3];
        draw_joint(&random, &scene.joints[0]);
        const bool passes = dry_scene_check(&scene, error, sizeof error);
        const dry_joint_def *def = &scene.joints[0].def;
        const dry_result result = dry_scene_build(&scene, world, ids);
        if (result == DRY_OK)
            assert_int_equal(dry_world_destroy_bodies(world, 3, ids), DRY_OK);
        if (passes && result != DRY_OK)
            fail_msg("run %d: passes the check, but the library refuses it, type %d", run, (int)def->type);
        taken += passes;
        refused += !passes && result != DRY_OK;
        unwritable += !passes && result == DRY_OK;
        if (!passes && result == DRY_OK && !strstr(error, "default") && !strstr(error, "such axis") &&
            !strstr(error, "without a"))
            fail_msg("run %d: the library takes what the check refuses: %s", run, error);
    }
    assert_true(taken > 4000 && refused > 4000 && unwritable > 0);
    dry_world_destroy(world);
    dry_scene_free(&scene);
}

static void test_build_is_all_or_none(void **state)
{
    (void)state;
    dry_scene scene;
    make("bridge", 5, &scene);
    dry_world *world = make_world(scene.gravity);
    dry_body_id ids[16];
    scene.joints[3].def.anchor_a.x = NAN;
    assert_int_equal(dry_scene_build(&scene, world, ids), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_get_bodies(world, NULL, 0), 0);
    scene.joints[3].def.anchor_a.x = 0.5f;
    scene.shapes[4].half_extents.x = -1.0f;
    assert_int_equal(dry_scene_build(&scene, world, ids), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_get_bodies(world, NULL, 0), 0);
    scene.shapes[4].half_extents.x = 0.4375f;
    assert_int_equal(dry_scene_build(&scene, world, ids), DRY_OK);
    assert_int_equal(dry_world_get_bodies(world, NULL, 0), scene.body_count);
    assert_int_equal(dry_scene_build(&scene, NULL, ids), DRY_ERROR_ARGUMENT);
    dry_world_destroy(world);
    dry_scene_free(&scene);
}

static void test_quality_at_the_start(void **state)
{
    (void)state;
    dry_scene scene;
    make("pyramid", 10, &scene);
    dry_world *world = make_world(scene.gravity);
    dry_body_id *ids = build(&scene, world);
    dry_quality quality;
    assert_true(dry_quality_measure(&scene, world, ids, &quality));
    assert_int_equal(quality.touching_pairs, 10 + 2 * 45 + 45);
    assert_true(quality.penetration_max_m == 0.0 && quality.moved_max_m == 0.0);

    /* Without the top cube its two contacts are gone. */
    assert_int_equal(dry_body_destroy(world, ids[scene.body_count - 1]), DRY_OK);
    assert_true(dry_quality_measure(&scene, world, ids, &quality));
    assert_int_equal(quality.touching_pairs, 10 + 2 * 45 + 45 - 2);
    free(ids);
    dry_world_destroy(world);
    dry_scene_free(&scene);
}

/* A cube set 0.1 m into the floor and given a speed by hand, seen through the world. */
static void test_quality_follows_the_world(void **state)
{
    (void)state;
    dry_scene scene;
    make("tower", 1, &scene);
    dry_world *world = make_world(scene.gravity);
    dry_body_id *ids = build(&scene, world);
    dry_pose pose = scene.bodies[1].def.pose;
    pose.position.x += 3.0;
    pose.position.y -= 0.1;
    dry_velocity velocity = {.linear = {0.0f, 3.0f, 4.0f}};
    assert_int_equal(dry_world_set_motion(world, 1, &ids[1], &pose, &velocity), DRY_OK);
    dry_quality quality;
    assert_true(dry_quality_measure(&scene, world, ids, &quality));
    assert_int_equal(quality.touching_pairs, 1);
    assert_true(fabs(quality.penetration_max_m - 0.1) < 1e-9);
    assert_true(fabs(quality.moved_sideways_max_m - 3.0) < 1e-9);
    assert_true(fabs(quality.moved_max_m - sqrt(9.01)) < 1e-9);
    assert_int_equal(quality.moved_over_quarter_m, 1);
    assert_true(fabs(quality.speed_max_m_s - 5.0) < 1e-9);
    assert_true(fabs(quality.kinetic_energy_J - 12500.0) < 1e-6);
    free(ids);
    dry_world_destroy(world);
    dry_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtins_build),
        cmocka_unit_test(test_files_build),
        cmocka_unit_test(test_what_the_check_accepts_builds),
        cmocka_unit_test(test_motors_bring_energy),
        cmocka_unit_test(test_axes_of_types_are_the_library_s),
        cmocka_unit_test(test_joints_pass_where_the_library_takes_them),
        cmocka_unit_test(test_build_is_all_or_none),
        cmocka_unit_test(test_quality_at_the_start),
        cmocka_unit_test(test_quality_follows_the_world),
    };
    return cmocka_run_group_tests_name("scene_build", tests, NULL, NULL);
}
