/* Scene files: every field is read, what was written reads back bit by bit, and what the format cannot hold
 * is not written. */
#include "tests/scene_files.h"

#include <math.h>

static void assert_same_scene(const dry_scene *a, const dry_scene *b)
{
    assert_string_equal(a->name, b->name);
    assert_memory_equal(&a->gravity, &b->gravity, sizeof a->gravity);
    assert_true(a->dt == b->dt);
    assert_int_equal(a->body_count, b->body_count);
    assert_int_equal(a->shape_count, b->shape_count);
    assert_int_equal(a->joint_count, b->joint_count);
    for (int i = 0; i < a->body_count; i++) {
        const dry_scene_body *x = &a->bodies[i], *y = &b->bodies[i];
        assert_string_equal(x->id, y->id);
        assert_int_equal(x->def.type, y->def.type);
        assert_memory_equal(&x->def.pose.position, &y->def.pose.position, sizeof x->def.pose.position);
        assert_memory_equal(&x->def.pose.orientation, &y->def.pose.orientation, sizeof(dry_quat));
        assert_memory_equal(&x->def.velocity, &y->def.velocity, sizeof x->def.velocity);
        assert_int_equal(x->first_shape, y->first_shape);
        assert_int_equal(x->def.shape_count, y->def.shape_count);
        assert_int_equal(x->has_mass, y->has_mass);
        assert_true(x->def.mass == y->def.mass);
    }
    for (int i = 0; i < a->shape_count; i++) {
        const dry_shape_def *x = &a->shapes[i], *y = &b->shapes[i];
        assert_int_equal(x->type, y->type);
        if (x->type == DRY_SHAPE_BOX)
            assert_memory_equal(&x->half_extents, &y->half_extents, sizeof x->half_extents);
        if (x->type == DRY_SHAPE_SPHERE || x->type == DRY_SHAPE_CAPSULE)
            assert_true(x->radius == y->radius);
        if (x->type == DRY_SHAPE_CAPSULE)
            assert_true(x->half_length == y->half_length);
        if (x->type == DRY_SHAPE_HALFSPACE) {
            assert_memory_equal(&x->normal, &y->normal, sizeof x->normal);
            assert_true(x->offset == y->offset);
        }
        assert_memory_equal(&x->pose, &y->pose, sizeof x->pose);
        assert_true(x->density == y->density && x->friction == y->friction &&
                    x->restitution == y->restitution && x->rolling_resistance == y->rolling_resistance);
    }
    for (int i = 0; i < a->joint_count; i++) {
        const dry_scene_joint *x = &a->joints[i], *y = &b->joints[i];
        assert_int_equal(x->def.type, y->def.type);
        assert_int_equal(x->body_a, y->body_a);
        assert_int_equal(x->body_b, y->body_b);
        assert_memory_equal(&x->def.anchor_a, &y->def.anchor_a, sizeof x->def.anchor_a);
        assert_memory_equal(&x->def.anchor_b, &y->def.anchor_b, sizeof x->def.anchor_b);
        assert_true(x->def.length == y->def.length && x->def.stiffness == y->def.stiffness &&
                    x->def.damping == y->def.damping && x->def.collide == y->def.collide);
    }
}

static void assert_round_trip(const dry_scene *scene)
{
    char error[512];
    dry_scene back;
    if (!dry_scene_write(scene, scratch, error, sizeof error))
        fail_msg("%s", error);
    read_file(scratch, &back);
    assert_same_scene(scene, &back);
    dry_scene_free(&back);
}

static void test_builtins_round_trip(void **state)
{
    (void)state;
    for (const dry_scene_builtin *b = dry_scene_builtins(); b->name; b++) {
        dry_scene scene;
        make(b->name, b->size_default > 3000 ? 3000 : 0, &scene);
        assert_round_trip(&scene);
        dry_scene_free(&scene);
    }
}

/* Doubles that need all 17 digits and floats that need 9, the smallest there are, and minus zero. */
static void test_numbers_read_back_exactly(void **state)
{
    (void)state;
    dry_scene scene;
    make("tower", 20, &scene);
    uint64_t random = 3;
    for (int i = 1; i <= 20; i++) {
        dry_body_def *def = &scene.bodies[i].def;
        random = random * 6364136223846793005u + 1442695040888963407u;
        double part = (double)(random >> 11) * 0x1p-53;
        def->pose.position = (dry_position){1.0 + part, 0.1 + 0.2, -1e8 * part};
        def->velocity.linear = (dry_vec3){1e-45f, -0.0f, (float)(part / 3.0)};
        def->velocity.angular = (dry_vec3){8388609.0f * 1e-4f, -3.4e-38f, (float)part * 1e3f};
    }
    assert_round_trip(&scene);
    dry_scene_free(&scene);
}

static void test_every_field_is_read(void **state)
{
    (void)state;
    char path[FILE_NAME_BYTES];
    data_path("every_field.json", path);
    dry_scene scene;
    read_file(path, &scene);
    assert_string_equal(scene.name, "every field");
    assert_true(scene.gravity.z == 0.5f && scene.dt == 0.01f);
    assert_int_equal(scene.body_count, 4);
    assert_int_equal(scene.shape_count, 5);

    const dry_body_def *ground = &scene.bodies[0].def, *pusher = &scene.bodies[1].def;
    assert_int_equal(ground->shapes[0].type, DRY_SHAPE_HALFSPACE);
    assert_true(ground->shapes[0].normal.y == 1.0f && ground->shapes[0].offset == -0.25f);
    assert_string_equal(scene.bodies[1].id, "pusher \"\xc3\xa9\"");
    assert_int_equal(pusher->type, DRY_BODY_KINEMATIC);
    assert_true(pusher->pose.position.x == 1e8 && pusher->pose.position.z == -3.0000000001);
    assert_true(pusher->velocity.linear.z == 3.0f && pusher->velocity.angular.z == 1e-7f);
    assert_true(pusher->shapes[0].pose.position.y == 2.0f && pusher->shapes[0].pose.orientation.x == 1.0f);
    assert_true(pusher->shapes[0].density == 0.0f && pusher->shapes[0].friction == 0.0f);
    assert_true(pusher->shapes[0].restitution == 1.0f);
    /* 0.7071 twice is 1e-5 short of unit length and is drawn out to it. */
    assert_true(fabsf(pusher->pose.orientation.w - 0.70710678f) < 1e-7f);

    /* Defaults: those of the format. */
    const dry_body_def *b1 = &scene.bodies[2].def;
    assert_true(scene.bodies[2].has_mass && b1->mass == 12.5f && !scene.bodies[3].has_mass);
    assert_true(b1->pose.orientation.w == 1.0f && b1->velocity.linear.x == 0.0f);
    assert_int_equal(b1->shape_count, 2);
    assert_ptr_equal(b1->shapes, &scene.shapes[2]);
    assert_true(b1->shapes[0].density == 1000.0f && b1->shapes[0].friction == 0.6f &&
                b1->shapes[0].restitution == 0.0f);
    assert_true(b1->shapes[1].half_length == 1.5f && b1->shapes[1].friction == 0.9f);
    assert_true(b1->shapes[0].rolling_resistance == 0.0f && b1->shapes[1].rolling_resistance == 0.01f);
    assert_true(scene.bodies[3].def.pose.position.y == 0.0);

    assert_int_equal(scene.joint_count, 2);
    assert_true(scene.joints[0].body_a == 0 && scene.joints[0].body_b == 2 && scene.joints[0].def.collide);
    assert_true(scene.joints[1].body_a == 2 && scene.joints[1].body_b == 3 && !scene.joints[1].def.collide);
    assert_true(scene.joints[0].def.anchor_a.y == 6.0f && scene.joints[1].def.length == 3.0f);
    assert_true(scene.joints[1].def.stiffness == 1000.0f && scene.joints[1].def.damping == 10.0f);
    assert_round_trip(&scene);
    dry_scene_free(&scene);
}

static void test_defaults_of_the_file(void **state)
{
    (void)state;
    const char *text = "{\"format\": \"drystone-scene\", \"version\": 1, \"bodies\": []}";
    write_scratch(text, strlen(text));
    dry_scene scene;
    read_file(scratch, &scene);
    assert_true(scene.gravity.x == 0.0f && scene.gravity.y == -9.81f && scene.gravity.z == 0.0f);
    assert_true(scene.dt == 1.0f / 60.0f);
    assert_int_equal(scene.body_count, 0);
    assert_non_null(strstr(scratch, scene.name)); /* a nameless scene is called after its file */
    assert_round_trip(&scene);
    dry_scene_free(&scene);
}

static void test_real_scenes_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int bodies;
    } files[] = {{"dominoes.json", 97}, {"stonehenge.json", 78}};
    for (int i = 0; i < 2; i++) {
        char path[FILE_NAME_BYTES];
        dry_scene scene;
        data_path(files[i].name, path);
        read_file(path, &scene);
        assert_int_equal(scene.body_count, files[i].bodies);
        assert_true(scene.gravity.z == -9.81f);
        assert_round_trip(&scene);
        dry_scene_free(&scene);
    }
}

/* A scene that the format cannot hold, or that the reader would refuse, is not written; the file stays as it
 * was. */
static void test_write_refuses(void **state)
{
    (void)state;
    char error[512];
    dry_scene scene;
    write_scratch("before", 6);
    make("tower", 2, &scene);
    scene.bodies[1].def.gravity_scale = 2.0f;
    assert_false(dry_scene_write(&scene, scratch, error, sizeof error));
    assert_non_null(strstr(error, "bodies[1]"));
    assert_non_null(strstr(error, "gravity_scale"));
    scene.bodies[1].def.gravity_scale = 1.0f;
    scene.shapes[2].filter.group = -1;
    assert_false(dry_scene_write(&scene, scratch, error, sizeof error));
    assert_non_null(strstr(error, "bodies[2]"));
    scene.shapes[2].filter.group = 0;
    scene.shapes[2].half_extents.y = NAN;
    assert_false(dry_scene_write(&scene, scratch, error, sizeof error));
    assert_non_null(strstr(error, "bodies[2].shapes[0].half_extents[1]"));
    scene.shapes[2].half_extents.y = 0.5f;
    assert_false(dry_scene_write(&scene, "/nonexistent/scene.json", error, sizeof error));
    assert_int_equal(strncmp(error, "/nonexistent/scene.json: ", 25), 0);
    assert_true(dry_scene_write(&scene, "/dev/null", error, sizeof error));

    char text[16] = "";
    FILE *file = fopen(scratch, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "before");
    if (dry_scene_write(&scene, "/dev/full", error, sizeof error))
        fail_msg("a full device took the scene");
    dry_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtins_round_trip), cmocka_unit_test(test_numbers_read_back_exactly),
        cmocka_unit_test(test_every_field_is_read), cmocka_unit_test(test_defaults_of_the_file),
        cmocka_unit_test(test_real_scenes_read),    cmocka_unit_test(test_write_refuses),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
