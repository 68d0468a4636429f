/* Built-in scenes and scene files: what the scenes hold, that files read back what was written, and that
 * every deviation is refused with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scenes/quality.h"
#include "scenes/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME_BYTES 512

/* A name in the temporary folder; the last one's file is removed at the end. */
static char scratch[FILE_NAME_BYTES];

static int make_scratch(void **state)
{
    (void)state;
    const char *folder = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/drystone_test_scenes_XXXXXX", folder ? folder : "/tmp");
    int descriptor = mkstemp(scratch);
    if (descriptor < 0)
        return 1;
    FILE *file = fdopen(descriptor, "w");
    return file ? fclose(file) : 1;
}

static int remove_scratch(void **state)
{
    (void)state;
    return remove(scratch);
}

static void write_scratch(const void *bytes, size_t count)
{
    FILE *file = fopen(scratch, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void make(const char *name, int size, dry_scene *scene)
{
    char error[256];
    if (!dry_scene_make(name, size, scene, error, sizeof error))
        fail_msg("%s", error);
}

static int count_type(const dry_scene *scene, dry_body_type type)
{
    int count = 0;
    for (int i = 0; i < scene->body_count; i++)
        count += scene->bodies[i].def.type == type;
    return count;
}

/* The built-in scenes. */

static void test_builtin_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int size, dynamic, other, joints;
    } expected[] = {
        {"tower", 0, 30, 1, 0},    {"tower", 7, 7, 1, 0},       {"pyramid", 0, 5050, 1, 0},
        {"pyramid", 3, 6, 1, 0},   {"pyramids", 0, 5500, 1, 0}, {"pyramids", 2, 220, 1, 0},
        {"pile", 0, 10000, 5, 0},  {"pile", 1, 1, 5, 0},        {"mass-ratio", 0, 2, 1, 0},
        {"mixed", 0, 500, 2, 124}, {"mixed", 8, 8, 2, 2},       {"mixed", 7, 7, 2, 1},
        {"bridge", 0, 48, 3, 82},  {"bridge", 1, 1, 3, 4},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        dry_scene scene;
        make(expected[i].name, expected[i].size, &scene);
        assert_string_equal(scene.name, expected[i].name);
        assert_int_equal(count_type(&scene, DRY_BODY_DYNAMIC), expected[i].dynamic);
        assert_int_equal(scene.body_count, expected[i].dynamic + expected[i].other);
        assert_int_equal(scene.joint_count, expected[i].joints);
        assert_true(scene.gravity.x == 0.0f && scene.gravity.y == -9.81f && scene.gravity.z == 0.0f);
        assert_true(scene.dt == 1.0f / 60.0f);
        for (int k = 0; k < scene.shape_count; k++) {
            assert_true(scene.shapes[k].friction == 0.6f);
            assert_true(scene.shapes[k].restitution == 0.0f);
        }
        dry_scene_free(&scene);
        assert_null(scene.bodies);
    }
}

/* The plane that a cube stands on, and its top, without any rounding. */
static void assert_stands_on(const dry_scene_body *body, double y)
{
    const dry_shape_def *cube = body->def.shapes;
    assert_int_equal(body->def.shape_count, 1);
    assert_int_equal(cube->type, DRY_SHAPE_BOX);
    assert_true(cube->half_extents.x == 0.5f && cube->half_extents.y == 0.5f && cube->half_extents.z == 0.5f);
    assert_true(body->def.pose.orientation.w == 1.0f);
    assert_true(body->def.pose.position.y - 0.5 == y);
}

static void assert_floor_top_is_zero(const dry_scene *scene)
{
    const dry_body_def *floor = &scene->bodies[0].def;
    assert_int_equal(floor->type, DRY_BODY_STATIC);
    assert_true(floor->pose.position.y + (double)floor->shapes->half_extents.y == 0.0);
}

static void test_tower_cubes_touch_exactly(void **state)
{
    (void)state;
    dry_scene scene;
    make("tower", 100, &scene);
    assert_floor_top_is_zero(&scene);
    for (int i = 0; i < 100; i++) {
        assert_stands_on(&scene.bodies[1 + i], i);
        assert_true(scene.bodies[1 + i].def.pose.position.x == 0.0);
        assert_true(scene.bodies[1 + i].def.shapes->density == 1000.0f);
    }
    dry_scene_free(&scene);
}

/* Row i: base - i cubes in a line, faces coinciding, half a cube in from the row below. */
static void test_pyramid_cubes_touch_exactly(void **state)
{
    (void)state;
    const int bases[] = {1, 2, 9, 100};
    for (int b = 0; b < 4; b++) {
        dry_scene scene;
        make("pyramid", bases[b], &scene);
        assert_floor_top_is_zero(&scene);
        int body = 1;
        for (int row = 0; row < bases[b]; row++) {
            for (int i = 0; i < bases[b] - row; i++, body++) {
                const dry_position *p = &scene.bodies[body].def.pose.position;
                assert_stands_on(&scene.bodies[body], row);
                assert_true(p->z == 0.0);
                assert_true(i == 0 || p[0].x - 0.5 == scene.bodies[body - 1].def.pose.position.x + 0.5);
                if (row > 0) /* between the cubes i and i + 1 of the row below */
                    assert_true(p->x - 0.5 == scene.bodies[body - (bases[b] - row + 1)].def.pose.position.x);
            }
        }
        assert_int_equal(body, scene.body_count);
        assert_true(scene.bodies[1].def.pose.position.x == -scene.bodies[bases[b]].def.pose.position.x);
        assert_true((double)scene.bodies[0].def.shapes->half_extents.x > 0.5 * bases[b] + 10.0);
        dry_scene_free(&scene);
    }
}

/* The exact touch seen by the quality measure: 100 on the floor, two under each other cube, and the
 * neighbours in each row: 100 + 2 * 4950 + 4950. */
static bool measure_start(const dry_scene *scene, dry_quality *quality)
{
    dry_pose *poses = malloc((size_t)scene->body_count * sizeof *poses);
    dry_velocity *velocities = malloc((size_t)scene->body_count * sizeof *velocities);
    assert_non_null(poses);
    assert_non_null(velocities);
    for (int i = 0; i < scene->body_count; i++) {
        poses[i] = scene->bodies[i].def.pose;
        velocities[i] = scene->bodies[i].def.velocity;
    }
    bool ok = dry_quality_measure_poses(scene, poses, velocities, quality);
    free(poses);
    free(velocities);
    return ok;
}

static void test_touching_pairs_at_start(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int size, pairs;
    } expected[] = {
        {"pyramid", 100, 14950}, {"pyramids", 3, 9 * (10 + 90 + 45)},
        {"tower", 30, 30},       {"pile", 3000, 0},
        {"mass-ratio", 1000, 2}, {"mixed", 500, 0},
        {"bridge", 40, 8}, /* the cubes on the planks; planks hang free */
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        dry_scene scene;
        dry_quality quality;
        make(expected[i].name, expected[i].size, &scene);
        assert_true(measure_start(&scene, &quality));
        if (quality.touching_pairs != expected[i].pairs)
            fail_msg("%s: %d pairs touch, not %d", expected[i].name, quality.touching_pairs,
                     expected[i].pairs);
        assert_true(quality.penetration_max_m == 0.0);
        assert_true(quality.moved_max_m == 0.0 && quality.speed_max_m_s == 0.0);
        dry_scene_free(&scene);
    }
}

/* Bits from the same formula computed apart from this code (Python's 64-bit floats). */
static void test_pile_orientations_are_fixed(void **state)
{
    (void)state;
    const uint32_t first[4] = {0x3e266d7c, 0xbe30087a, 0x3ee6202a, 0xbf5c84e5};
    const uint32_t last[4] = {0x3e5a1ba1, 0x3f69c801, 0xbda15838, 0x3ead3b87};
    dry_scene scene;
    make("pile", 1000, &scene);
    assert_memory_equal(&scene.bodies[5].def.pose.orientation, first, sizeof first);
    assert_memory_equal(&scene.bodies[5 + 999].def.pose.orientation, last, sizeof last);
    dry_scene_free(&scene);
}

static void test_pile_starts_inside_its_walls(void **state)
{
    (void)state;
    const double reach = 0.8660254037844386; /* sqrt(3) / 2 */
    const int sizes[] = {1, 10, 1000, 10000};
    for (int s = 0; s < 4; s++) {
        dry_scene scene;
        make("pile", sizes[s], &scene);
        const dry_body_def *wall = &scene.bodies[1].def;
        double inner = wall->pose.position.x - (double)wall->shapes->half_extents.x;
        double top = wall->pose.position.y + (double)wall->shapes->half_extents.y;
        for (int i = 5; i < scene.body_count; i++) {
            const dry_position *p = &scene.bodies[i].def.pose.position;
            assert_true(p->y - reach > 0.0 && p->y + reach < top);
            assert_true(fabs(p->x) + reach < inner && fabs(p->z) + reach < inner);
        }
        dry_scene_free(&scene);
    }
}

static void test_mass_ratio_densities(void **state)
{
    (void)state;
    dry_scene scene;
    make("mass-ratio", 250, &scene);
    assert_true(scene.bodies[1].def.shapes->density == 1.0f);
    assert_true(scene.bodies[2].def.shapes->density == 250.0f);
    assert_stands_on(&scene.bodies[2], 1.0);
    dry_scene_free(&scene);
}

static void test_make_errors(void **state)
{
    (void)state;
    dry_scene scene;
    char error[256];
    assert_false(dry_scene_make("towr", 0, &scene, error, sizeof error));
    assert_non_null(strstr(error, "towr"));
    assert_non_null(strstr(error, "mass-ratio"));
    assert_null(scene.bodies);
    for (const dry_scene_builtin *b = dry_scene_builtins(); b->name; b++) {
        assert_true(b->size_min >= 1 && b->size_min <= b->size_default && b->size_default <= b->size_max);
        assert_null(strchr(b->summary, '\n'));
        assert_false(dry_scene_make(b->name, -1, &scene, error, sizeof error));
        assert_non_null(strstr(error, b->name));
        assert_non_null(strstr(error, "-1"));
        assert_false(dry_scene_make(b->name, b->size_max + 1, &scene, error, sizeof error));
    }
    assert_false(dry_scene_make("tower", -1, &scene, NULL, 0));
}

/* Files. */

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
                    x->restitution == y->restitution);
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

static void read_file(const char *path, dry_scene *scene)
{
    char error[512];
    if (!dry_scene_read(path, scene, error, sizeof error))
        fail_msg("%s", error);
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

static void data_path(const char *name, char *path)
{
    const char *root = getenv("DRYSTONE_SOURCE_ROOT");
    snprintf(path, FILE_NAME_BYTES, "%s/tests/data/%s", root ? root : ".", name);
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

/* Error messages. */

/* The message must be "file: place: ...what...", or "file:line:column: ..."; a null place is the file. */
static void assert_refused(const char *text, const char *place, const char *what)
{
    char error[512];
    dry_scene scene;
    write_scratch(text, strlen(text));
    if (dry_scene_read(scratch, &scene, error, sizeof error))
        fail_msg("accepted, but should be refused: %s", text);
    assert_null(scene.bodies);
    assert_null(scene.name);
    assert_null(strchr(error, '\n'));
    if (strncmp(error, scratch, strlen(scratch)) != 0)
        fail_msg("no file in: %s", error);
    const char *rest = error + strlen(scratch);
    bool column = place && place[0] >= '0' && place[0] <= '9';
    char wanted[256];
    snprintf(wanted, sizeof wanted, ":%s%s%s", column ? "" : " ", place ? place : "", place ? ": " : "");
    if (strncmp(rest, wanted, strlen(wanted)) != 0 || !strstr(rest, what))
        fail_msg("expected \"%s\" and \"%s\" in: %s", wanted, what, error);
}

#define SCENE(rest) "{\"format\": \"drystone-scene\", \"version\": 1" rest "}"
#define BODIES(list) SCENE(", \"bodies\": [" list "]")
#define FIRST "{\"id\": \"a\", \"type\": \"static\", \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}"
#define SECOND "{\"id\": \"b\", \"type\": \"dynamic\", \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]}"
#define BODY(fields) BODIES(FIRST ", {\"id\": \"b\", \"type\": \"dynamic\", \"shapes\": []" fields "}")
#define SHAPE(fields) BODIES("{\"id\": \"b\", \"type\": \"dynamic\", \"shapes\": [{\"type\": " fields "}]}")
#define STATIC_SHAPE(fields)                                                                                 \
    BODIES("{\"id\": \"b\", \"type\": \"static\", \"shapes\": [{\"type\": " fields "}]}")
#define JOINT(fields) SCENE(", \"bodies\": [" FIRST ", " SECOND "], \"joints\": [{\"type\": " fields "}]")
#define ENDS "\"body_a\": \"a\", \"body_b\": \"b\""
#define ANCHORS "\"anchor_a\": [0, 0, 0], \"anchor_b\": [0, 0, 0]"

static void test_field_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *what;
    } bad[] = {
        {"{\"version\": 1, \"bodies\": []}", "format", "missing"},
        {"{\"format\": \"x\", \"version\": 1, \"bodies\": []}", "format", "\"drystone-scene\""},
        {"{\"format\": \"drystone-scene\", \"bodies\": []}", "version", "missing"},
        {"{\"format\": \"drystone-scene\", \"version\": 2, \"bodies\": []}", "version", "expected 1, got 2"},
        {"{\"format\": \"drystone-scene\", \"version\": \"1\", \"bodies\": []}", "version", "a number"},
        {SCENE(""), "bodies", "missing"},
        {SCENE(", \"bodies\": {}"), "bodies", "expected an array, got an object"},
        {SCENE(", \"bodies\": [], \"colour\": 1"), "colour", "unknown field"},
        {SCENE(", \"bodies\": [], \"name\": 1"), "name", "expected a string"},
        {SCENE(", \"bodies\": [], \"source\": []"), "source", "expected a string"},
        {SCENE(", \"bodies\": [], \"joints\": null"), "joints", "expected an array, got null"},
        {SCENE(", \"bodies\": [], \"gravity\": -9.81"), "gravity", "expected an array"},
        {SCENE(", \"bodies\": [], \"gravity\": [0, 1]"), "gravity", "3 numbers, got 2"},
        {SCENE(", \"bodies\": [], \"gravity\": [0, 1, \"2\"]"), "gravity[2]", "expected a number"},
        {SCENE(", \"bodies\": [], \"gravity\": [0, 2e6, 0]"), "gravity[1]", "1e+06"},
        {SCENE(", \"bodies\": [], \"gravity\": [0, 1e300, 0]"), "gravity[1]", "finite"},
        {SCENE(", \"bodies\": [], \"dt\": 0"), "dt", "more than 0"},
        {SCENE(", \"bodies\": [], \"dt\": 1.5"), "dt", "at most 1"},

        {BODIES("7"), "bodies[0]", "expected an object, got a number"},
        {BODIES(FIRST ", {}"), "bodies[1].id", "missing"},
        {BODIES("{\"id\": 4, \"type\": \"static\", \"shapes\": []}"), "bodies[0].id", "expected a string"},
        {BODIES("{\"id\": \"\", \"type\": \"static\", \"shapes\": []}"), "bodies[0].id", "at least one"},
        {BODIES("{\"id\": \"a\", \"shapes\": []}"), "bodies[0].type", "missing"},
        {BODIES("{\"id\": \"a\", \"type\": \"rigid\", \"shapes\": []}"), "bodies[0].type", "\"kinematic\""},
        {BODIES("{\"id\": \"a\", \"type\": \"static\"}"), "bodies[0].shapes", "missing"},
        {BODIES(FIRST ", " SECOND ", " FIRST), "bodies[2].id", "\"a\", which is also bodies[0]"},
        {BODY(", \"colour\": 1"), "bodies[1].colour", "unknown field"},
        {BODY(", \"position\": [0, 0]"), "bodies[1].position", "3 numbers"},
        {BODY(", \"position\": [0, true, 0]"), "bodies[1].position[1]", "true or false"},
        {BODY(", \"position\": [0, 0, -1.1e9]"), "bodies[1].position[2]", "1e+09"},
        {BODY(", \"orientation\": [0, 0, 1]"), "bodies[1].orientation", "4 numbers"},
        {BODY(", \"orientation\": [0, 0, 0, 0]"), "bodies[1].orientation", "unit length"},
        {BODY(", \"orientation\": [0, 0, 0, 1.0011]"), "bodies[1].orientation", "unit length"},
        {BODY(", \"orientation\": [0, 0, 0, 0.9989]"), "bodies[1].orientation", "unit length"},
        {BODY(", \"velocity\": [80000, 80000, 0]"), "bodies[1].velocity", "length at most"},
        {BODY(", \"velocity\": [1e39, 0, 0]"), "bodies[1].velocity[0]", "finite"},
        {BODY(", \"angular_velocity\": [8000, 0, 8000]"), "bodies[1].angular_velocity", "length at most"},
        {BODY(", \"mass\": 0"), "bodies[1].mass", "more than 0"},
        {BODY(", \"mass\": -1"), "bodies[1].mass", "more than 0"},
        {BODY(", \"mass\": 1e16"), "bodies[1].mass", "1e+15"},
        {BODY(", \"mass\": \"heavy\""), "bodies[1].mass", "expected a number, got a string"},

        {SHAPE("3"), "bodies[0].shapes[0].type", "expected a string"},
        {SHAPE("\"cone\""), "bodies[0].shapes[0].type", "\"capsule\""},
        {SHAPE("\"box\""), "bodies[0].shapes[0].half_extents", "missing"},
        {SHAPE("\"box\", \"half_extents\": [1, 0, 1]"), "bodies[0].shapes[0].half_extents[1]", "0.0001"},
        {SHAPE("\"box\", \"half_extents\": [1, 1, -1]"), "bodies[0].shapes[0].half_extents[2]", "got -1"},
        {SHAPE("\"box\", \"half_extents\": [2e6, 1, 1]"), "bodies[0].shapes[0].half_extents[0]", "1e+06"},
        {SHAPE("\"box\", \"half_extents\": [1, 1, 1], \"radius\": 1"), "bodies[0].shapes[0].radius",
         "unknown field"},
        {SHAPE("\"sphere\""), "bodies[0].shapes[0].radius", "missing"},
        {SHAPE("\"sphere\", \"radius\": 0"), "bodies[0].shapes[0].radius", "0.0001"},
        {SHAPE("\"sphere\", \"radius\": 1e-60"), "bodies[0].shapes[0].radius", "0.0001"},
        {SHAPE("\"sphere\", \"radius\": [1]"), "bodies[0].shapes[0].radius", "got an array"},
        {SHAPE("\"capsule\", \"radius\": 1"), "bodies[0].shapes[0].half_length", "missing"},
        {SHAPE("\"capsule\", \"half_length\": 1"), "bodies[0].shapes[0].radius", "missing"},
        {SHAPE("\"capsule\", \"radius\": 1, \"half_length\": 0"), "bodies[0].shapes[0].half_length",
         "more than 0"},
        {SHAPE("\"halfspace\", \"normal\": [0, 1, 0], \"offset\": 0"), "bodies[0].shapes[0].type",
         "static body"},
        {STATIC_SHAPE("\"halfspace\", \"offset\": 0"), "bodies[0].shapes[0].normal", "missing"},
        {STATIC_SHAPE("\"halfspace\", \"normal\": [0, 1, 0]"), "bodies[0].shapes[0].offset", "missing"},
        {STATIC_SHAPE("\"halfspace\", \"normal\": [0, 1, 1], \"offset\": 0"), "bodies[0].shapes[0].normal",
         "unit length"},
        {STATIC_SHAPE("\"halfspace\", \"normal\": [0, 1, 0], \"offset\": 2e6"), "bodies[0].shapes[0].offset",
         "1e+06"},
        {SHAPE("\"sphere\", \"radius\": 1, \"position\": [1e6, 1e6, 0]"), "bodies[0].shapes[0].position",
         "1e+06"},
        {SHAPE("\"sphere\", \"radius\": 1, \"orientation\": [1, 0, 0, 1]"), "bodies[0].shapes[0].orientation",
         "unit length"},
        {SHAPE("\"sphere\", \"radius\": 1, \"density\": -1"), "bodies[0].shapes[0].density", "1e+09"},
        {SHAPE("\"sphere\", \"radius\": 1, \"friction\": 1001"), "bodies[0].shapes[0].friction", "to 1000"},
        {SHAPE("\"sphere\", \"radius\": 1, \"restitution\": 1.1"), "bodies[0].shapes[0].restitution",
         "from 0 to 1"},
        {SHAPE("\"sphere\", \"radius\": 1e6"), "bodies[0].shapes", "1e+15 kg"},

        {SCENE(", \"bodies\": [], \"joints\": [[]]"), "joints[0]", "expected an object"},
        {JOINT("\"hinge\""), "joints[0].type", "\"ball\" or \"distance\""},
        {JOINT("\"ball\", " ANCHORS), "joints[0].body_a", "missing"},
        {JOINT("\"ball\", \"body_a\": \"a\", \"body_b\": \"c\", " ANCHORS), "joints[0].body_b", "\"c\""},
        {JOINT("\"ball\", \"body_a\": \"b\", \"body_b\": \"b\", " ANCHORS), "joints[0].body_b", "another"},
        {JOINT("\"ball\", " ENDS ", \"anchor_a\": [0, 0, 0]"), "joints[0].anchor_b", "missing"},
        {JOINT("\"ball\", " ENDS ", \"anchor_a\": [0, 0, 0], \"anchor_b\": [0, 2e6, 0]"),
         "joints[0].anchor_b[1]", "1e+06"},
        {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"length\": 1"), "joints[0].length", "unknown field"},
        {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"collide\": 1"), "joints[0].collide", "true or false"},
        {JOINT("\"ball\", " ENDS ", " ANCHORS ", \"damping\": 1"), "joints[0].damping", "stiffness"},
        {JOINT("\"distance\", " ENDS ", " ANCHORS), "joints[0].length", "missing"},
        {JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length\": -1"), "joints[0].length", "1e+06"},
        {JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length\": 1, \"stiffness\": -1"),
         "joints[0].stiffness", "1e+15"},
        {SCENE(", \"bodies\": [" FIRST ", {\"id\": \"b\", \"type\": \"kinematic\", \"shapes\": []}], "
               "\"joints\": [{\"type\": \"ball\", " ENDS ", " ANCHORS "}]"),
         "joints[0].body_a", "dynamic"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i].text, bad[i].place, bad[i].what);
}

/* The same builders without the fault are accepted, so that each refusal above is for its own reason. */
static void test_good_forms_are_accepted(void **state)
{
    (void)state;
    static const char *const good[] = {
        BODY(""),
        BODY(", \"orientation\": [0, 0, 0, 1.0009], \"mass\": 1e15, \"position\": [1e9, -1e9, 0]"),
        SHAPE("\"sphere\", \"radius\": 0.0001, \"density\": 0, \"friction\": 1000"),
        SHAPE("\"box\", \"half_extents\": [1, 1, 1]"),
        SHAPE("\"capsule\", \"radius\": 1, \"half_length\": 1"),
        STATIC_SHAPE("\"halfspace\", \"normal\": [0, 0, 1], \"offset\": 0"),
        STATIC_SHAPE("\"box\", \"half_extents\": [1000000, 1e6, 1e6]"),
        JOINT("\"ball\", " ENDS ", " ANCHORS ", \"stiffness\": 1, \"damping\": 1, \"collide\": false"),
        JOINT("\"distance\", " ENDS ", " ANCHORS ", \"length\": 0"),
        SCENE(", \"bodies\": [], \"gravity\": [0, 0, -9.81], \"dt\": 1"),
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        dry_scene scene;
        write_scratch(good[i], strlen(good[i]));
        read_file(scratch, &scene);
        dry_scene_free(&scene);
    }
}

static void test_syntax_errors(void **state)
{
    (void)state;
    assert_refused("", "1:0", "expected near end of file");
    assert_refused("\n\n  nonsense", "3:10", "expected JSON");
    assert_refused("[]\n", NULL, "expected an object, got an array");
    assert_refused(SCENE(", \"bodies\": []") "\n}", "2:1", "end of file expected");
    assert_refused("{\"format\": \"drystone-scene\",\n \"version\": 1, \"version\": 1, \"bodies\": []}",
                   "2:24", "duplicate object key");
    assert_refused(SCENE(", \"bodies\": [\n{\"id\": \"a\", \"id\": \"a\"}]"), "2:16", "duplicate");
    assert_refused("{\"dt\":\n 1e999}", "2:6", "a finite number");
    assert_refused("{\"dt\":\n -1e999}", "2:7", "a finite number");
    assert_refused("{\"dt\":\n NaN}", "2:4", "expected JSON");
    assert_refused("{\"dt\":\n Infinity}", "2:9", "expected JSON");
    assert_refused(SCENE(", \"bodies\": [], \"name\": \"a\nb\""), "1:67", "expected JSON");
    assert_refused("{\"a\": \"\xff\"}", "1:7", "unable to decode byte 0xff");

    enum { DEPTH = 200000 };
    char *deep = malloc(DEPTH + 1);
    assert_non_null(deep);
    memset(deep, '[', DEPTH);
    deep[DEPTH] = '\0';
    assert_refused(deep, "1:2049", "depth");
    free(deep);
}

static void test_file_errors(void **state)
{
    (void)state;
    dry_scene scene;
    char error[512];
    assert_false(dry_scene_read("/nonexistent/scene.json", &scene, error, sizeof error));
    assert_int_equal(strncmp(error, "/nonexistent/scene.json: ", 25), 0);
    assert_false(dry_scene_read("/", &scene, error, sizeof error));
    assert_string_equal(error, "/: expected a scene file, got a directory");
    assert_false(dry_scene_read("/dev/null", &scene, error, sizeof error));
    assert_false(dry_scene_read("/nonexistent", &scene, NULL, 0));
    char tiny[8];
    assert_false(dry_scene_read("/nonexistent", &scene, tiny, sizeof tiny));
    assert_string_equal(tiny, "/nonexi");
}

/* What the format cannot hold or the reader would refuse is not written, and leaves the file alone. */
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

/* Truncated and mutated files: refused with one line, or read whole; never anything else. */
static void read_whatever(const char *bytes, size_t count)
{
    char error[512] = "";
    dry_scene scene;
    write_scratch(bytes, count);
    if (dry_scene_read(scratch, &scene, error, sizeof error)) {
        assert_non_null(scene.name);
    } else {
        assert_int_equal(strncmp(error, scratch, strlen(scratch)), 0);
        assert_null(strchr(error, '\n'));
    }
    dry_scene_free(&scene);
}

static void test_damaged_files(void **state)
{
    (void)state;
    char path[FILE_NAME_BYTES], bytes[8192], damaged[8192];
    data_path("every_field.json", path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(count > 500 && count < sizeof bytes);

    size_t end = count;
    while (bytes[end - 1] != '}')
        end--;
    for (size_t cut = 0; cut < end; cut++) {
        dry_scene scene;
        char error[512];
        write_scratch(bytes, cut);
        assert_false(dry_scene_read(scratch, &scene, error, sizeof error));
    }
    uint64_t random = 1;
    static const char likely[] = "{}[]\",:0123456789-+.eE\\ntfu\0\xc3\xff";
    for (int run = 0; run < 2000; run++) {
        memcpy(damaged, bytes, count);
        for (int change = 0; change <= run % 3; change++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(random >> 40) % count;
            damaged[at] = likely[(random >> 33) % (sizeof likely - 1)];
        }
        read_whatever(damaged, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin_counts),
        cmocka_unit_test(test_tower_cubes_touch_exactly),
        cmocka_unit_test(test_pyramid_cubes_touch_exactly),
        cmocka_unit_test(test_touching_pairs_at_start),
        cmocka_unit_test(test_pile_orientations_are_fixed),
        cmocka_unit_test(test_pile_starts_inside_its_walls),
        cmocka_unit_test(test_mass_ratio_densities),
        cmocka_unit_test(test_make_errors),
        cmocka_unit_test(test_builtins_round_trip),
        cmocka_unit_test(test_numbers_read_back_exactly),
        cmocka_unit_test(test_every_field_is_read),
        cmocka_unit_test(test_defaults_of_the_file),
        cmocka_unit_test(test_real_scenes_read),
        cmocka_unit_test(test_field_errors),
        cmocka_unit_test(test_good_forms_are_accepted),
        cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_file_errors),
        cmocka_unit_test(test_write_refuses),
        cmocka_unit_test(test_damaged_files),
    };
    return cmocka_run_group_tests_name("scenes", tests, make_scratch, remove_scratch);
}
