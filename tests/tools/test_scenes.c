/* Built-in scenes: what each holds, that cubes which should touch do so to the bit, and what is refused. */
#include "tests/scene_files.h"
#include "tools/scenes/generated.h"
#include "tools/scenes/measure/quality.h"

#include <math.h>

static void assert_same_position(const dry_position *a, const dry_position *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

/* Each dynamic body moves sideways, within the bound and over most of it, by numbers of its own; the same
 * seed gives the same bits, and another one others. */
static void test_disorder(void **state)
{
    (void)state;
    const double bound = 0.001;
    dry_scene plain, scenes[3];
    plain = scene_of("pile", 400);
    for (int i = 0; i < 3; i++) {
        scenes[i] = scene_of("pile", 400);
        dry_scene_disorder(&scenes[i], bound, i == 2 ? 8 : 7);
    }
    double widest[2] = {0.0, 0.0}, sum[2] = {0.0, 0.0};
    int dynamic = 0, differ = 0;
    for (int i = 0; i < plain.body_count; i++) {
        const dry_position *from = &plain.bodies[i].def.pose.position;
        const dry_position *to = &scenes[0].bodies[i].def.pose.position;
        assert_same_position(to, &scenes[1].bodies[i].def.pose.position);
        if (plain.bodies[i].def.type != DRY_BODY_DYNAMIC) {
            assert_same_position(to, from);
            continue;
        }
        const double shift[2] = {to->x - from->x, to->z - from->z};
        assert_true(to->y == from->y);
        for (int k = 0; k < 2; k++) {
            assert_true(fabs(shift[k]) <= bound + 1e-12);
            widest[k] = fmax(widest[k], fabs(shift[k]));
            sum[k] += shift[k];
        }
        dynamic++;
        differ += to->x != scenes[2].bodies[i].def.pose.position.x;
    }
    assert_int_equal(dynamic, 400);
    assert_int_equal(differ, 400);
    for (int k = 0; k < 2; k++) {
        assert_true(widest[k] > 0.95 * bound);
        assert_true(fabs(sum[k]) < 4.0 * bound * sqrt(400 / 3.0)); /* four standard deviations */
    }
    dry_scene_free(&plain);
    for (int i = 0; i < 3; i++)
        dry_scene_free(&scenes[i]);
}

static int count_type(const dry_scene *scene, dry_body_type type)
{
    int count = 0;
    for (int i = 0; i < scene->body_count; i++)
        count += scene->bodies[i].def.type == type;
    return count;
}

static dry_scene generate(const char *family, uint64_t seed)
{
    dry_scene scene;
    char error[256];
    if (!dry_scene_generate(family, seed, &scene, error, sizeof error))
        fail_msg("%s", error);
    return scene;
}

/* Checks a stack of which each part rests on the part before: the center of mass of all parts above a joint
 * lies within the share 1 - margin of the bearing, which is where the two faces meet. */
static void check_stack_margin(const dry_scene *scene, double margin)
{
    for (int low = 1; low + 1 < scene->body_count; low++) {
        double mass = 0.0, load[2] = {0.0, 0.0};
        for (int i = low + 1; i < scene->body_count; i++) {
            const dry_shape_def *shape = &scene->shapes[scene->bodies[i].first_shape];
            const dry_vec3 half = shape->half_extents;
            double part = (double)shape->density * half.x * half.y * half.z;
            mass += part;
            load[0] += part * scene->bodies[i].def.pose.position.x;
            load[1] += part * scene->bodies[i].def.pose.position.z;
        }
        const dry_position *p[2] = {&scene->bodies[low].def.pose.position,
                                    &scene->bodies[low + 1].def.pose.position};
        const dry_vec3 *h[2] = {&scene->shapes[scene->bodies[low].first_shape].half_extents,
                                &scene->shapes[scene->bodies[low + 1].first_shape].half_extents};
        for (int k = 0; k < 2; k++) {
            double from = -INFINITY, to = INFINITY, at = load[k] / mass;
            for (int i = 0; i < 2; i++) {
                double middle = k == 0 ? p[i]->x : p[i]->z, half = (double)(k == 0 ? h[i]->x : h[i]->z);
                from = fmax(from, middle - half);
                to = fmin(to, middle + half);
            }
            /* A part that leans out is held by the part below up to that one's end. */
            double below = k == 0 ? p[0]->x : p[0]->z, reach = (double)(k == 0 ? h[0]->x : h[0]->z);
            assert_true(at > from && at < to);
            assert_true(fabs(at - below) <= (1.0 - margin) * reach);
        }
    }
}

/* Every generated scene begins without overlap, in touch, within the scales that the header names, and is the
 * same each time. Single stacks have the margin that their family states. */
static void test_generated_scenes(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {0,   DRY_SEED_TUNING_FIRST,  2,           3, 4, 5, DRY_SEED_TUNING_LAST,
                                     100, DRY_SEED_HELD_OUT_LAST, ~(uint64_t)0};
    static const char *const stacks[] = {"overhang", "planks", "plates",  "tower-of",
                                         "pillar",   "heavy",  "doubling"};
    for (const dry_scene_family *family = dry_scene_families(); family->name; family++) {
        assert_ptr_equal(dry_scene_find_family(family->name), family);
        for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
            dry_scene scene = generate(family->name, seeds[k]), again = generate(family->name, seeds[k]);
            assert_int_equal(scene.body_count, again.body_count);
            dry_pose *poses = malloc((size_t)scene.body_count * sizeof *poses);
            dry_velocity *still = calloc((size_t)scene.body_count, sizeof *still);
            assert_true(poses && still);
            double thinnest = INFINITY;
            for (int i = 0; i < scene.body_count; i++) {
                poses[i] = scene.bodies[i].def.pose;
                assert_same_position(&poses[i].position, &again.bodies[i].def.pose.position);
                const dry_shape_def *shape = &scene.shapes[scene.bodies[i].first_shape];
                const dry_shape_def *same = &again.shapes[again.bodies[i].first_shape];
                /* Padding before `materials` has no value. */
                assert_memory_equal(shape, same, offsetof(dry_shape_def, rolling_resistance) + sizeof(float));
                assert_true(!shape->materials && !same->materials);
                assert_memory_equal(&shape->filter, &same->filter, offsetof(dry_filter, group));
                thinnest =
                    fmin(thinnest, 2.0 * (double)(shape->type == DRY_SHAPE_SPHERE ? shape->radius
                                                                                  : shape->half_extents.y));
            }
            dry_quality quality;
            assert_true(dry_quality_measure_poses(&scene, poses, still, &quality));
            /* Sizes are single precision: the highest of a stack's faces is off by a few parts in 1e7. */
            assert_true(quality.penetration_max_m <= 1e-4 * thinnest);
            if (family->kind == DRY_SCENE_STANDS)
                assert_true(quality.touching_pairs >= count_type(&scene, DRY_BODY_DYNAMIC));
            assert_true(thinnest >= 0.05 / 25.0 && thinnest <= 100.0);
            for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
                if (strcmp(stacks[i], family->name) == 0)
                    check_stack_margin(&scene, family->margin);
            free(poses);
            free(still);
            dry_scene_free(&scene);
            dry_scene_free(&again);
        }
    }
    dry_scene scene;
    char error[256];
    assert_false(dry_scene_generate("castle", 1, &scene, error, sizeof error));
    assert_non_null(strstr(error, "castle"));
    assert_null(dry_scene_find_family("castle"));
}

static void test_builtin_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int size, dynamic, other, joints;
    } expected[] = {
        {"tower", 0, 30, 1, 0},          {"tower", 7, 7, 1, 0},         {"pyramid", 0, 5050, 1, 0},
        {"pyramid", 3, 6, 1, 0},         {"pyramids", 0, 5500, 1, 0},   {"pyramids", 2, 220, 1, 0},
        {"pile", 0, 10000, 5, 0},        {"pile", 1, 1, 5, 0},          {"mass-ratio", 0, 2, 1, 0},
        {"mixed", 0, 500, 2, 124},       {"mixed", 8, 8, 2, 2},         {"mixed", 7, 7, 2, 1},
        {"bridge", 0, 48, 3, 82},        {"bridge", 1, 1, 3, 4},        {"kapla", 0, 102, 1, 0},
        {"kapla", 2, 34, 1, 0},          {"bridge-load", 9, 57, 3, 82}, {"spheres", 0, 216, 1, 0},
        {"spheres-elastic", 2, 8, 1, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        dry_scene scene = scene_of(expected[i].name, expected[i].size);
        assert_string_equal(scene.name, expected[i].name);
        assert_int_equal(count_type(&scene, DRY_BODY_DYNAMIC), expected[i].dynamic);
        assert_int_equal(scene.body_count, expected[i].dynamic + expected[i].other);
        assert_int_equal(scene.joint_count, expected[i].joints);
        assert_true(scene.gravity.x == 0.0f && scene.gravity.y == -9.81f && scene.gravity.z == 0.0f);
        const bool kapla = strcmp(scene.name, "kapla") == 0, balls = strncmp(scene.name, "spheres", 7) == 0;
        assert_true(scene.dt == (kapla || balls ? 0.01f : 1.0f / 60.0f));
        for (int k = 0; k < scene.shape_count; k++) {
            assert_true(scene.shapes[k].friction == (kapla ? 0.8f : balls ? 0.0f : 0.6f));
            assert_true(scene.shapes[k].restitution ==
                        (strcmp(scene.name, "spheres-elastic") == 0 ? 1.0f : 0.0f));
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
    dry_scene scene = scene_of("tower", 100);
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
        dry_scene scene = scene_of("pyramid", bases[b]);
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
 * neighbors in each row: 100 + 2 * 4950 + 4950. */
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
        {"pyramid", 100, 14950},   {"pyramids", 3, 9 * (10 + 90 + 45)},
        {"tower", 30, 30},         {"pile", 3000, 0},
        {"mass-ratio", 1000, 2},   {"mixed", 500, 0},
        {"bridge", 40, 8}, /* the cubes on the planks; planks hang free */
        {"bridge-load", 200, 8},   {"spheres", 6, 0},
        {"spheres-elastic", 6, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        dry_scene scene;
        dry_quality quality;
        scene = scene_of(expected[i].name, expected[i].size);
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
    dry_scene scene = scene_of("pile", 1000);
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
        dry_scene scene = scene_of("pile", sizes[s]);
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

/* SimBenchmark's building: all blocks have 10 kg and stand in touch. On each floor eight blocks stand on what
 * is below, both ends of nine wall blocks on those, and two pairs of wall blocks touch end to end. */
static void test_kapla_blocks_touch(void **state)
{
    (void)state;
    const int floors = 4;
    dry_scene scene;
    dry_quality quality;
    scene = scene_of("kapla", floors);
    assert_floor_top_is_zero(&scene);
    for (int i = 1; i < scene.body_count; i++)
        assert_true(scene.bodies[i].has_mass && scene.bodies[i].def.mass == 10.0f);
    assert_true(measure_start(&scene, &quality));
    /* 18 wall ends on 16 block ends above the ground's 8 blocks; 18 more under the next floor's blocks. */
    assert_int_equal(quality.touching_pairs, 8 + 18 * floors + 18 * (floors - 1) + 2 * floors);
    assert_true(quality.penetration_max_m < 1e-8);
    const dry_position last = scene.bodies[scene.body_count - 1].def.pose.position;
    assert_true(fabs(last.y - (0.2 * (floors - 1) + 0.15)) < 1e-12);
    dry_scene_free(&scene);
}

/* 1 cm apart, 1 mm out of line, 10 kg each, the lowest 1 mm to 2 mm above the ground or 1 m more. */
static void test_spheres_hang_in_a_grid(void **state)
{
    (void)state;
    static const char *const names[2] = {"spheres", "spheres-elastic"};
    for (int s = 0; s < 2; s++) {
        dry_scene scene = scene_of(names[s], 5);
        for (int i = 1; i < scene.body_count; i++) {
            const int n = i - 1, place[3] = {n / 25, n % 5, n / 5 % 5};
            const dry_position *p = &scene.bodies[i].def.pose.position;
            const double at[3] = {p->x, p->y - (s ? 1.101 : 0.101), p->z};
            assert_true(scene.bodies[i].def.mass == 10.0f && scene.bodies[i].def.shapes->radius == 0.1f);
            for (int k = 0; k < 3; k++)
                assert_true(at[k] >= 0.21 * place[k] - 1e-12 && at[k] <= 0.21 * place[k] + 0.001 + 1e-12);
        }
        dry_scene_free(&scene);
    }
}

static void test_mass_ratio_densities(void **state)
{
    (void)state;
    dry_scene scene = scene_of("mass-ratio", 250);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin_counts),
        cmocka_unit_test(test_generated_scenes),
        cmocka_unit_test(test_disorder),
        cmocka_unit_test(test_tower_cubes_touch_exactly),
        cmocka_unit_test(test_pyramid_cubes_touch_exactly),
        cmocka_unit_test(test_touching_pairs_at_start),
        cmocka_unit_test(test_pile_orientations_are_fixed),
        cmocka_unit_test(test_pile_starts_inside_its_walls),
        cmocka_unit_test(test_kapla_blocks_touch),
        cmocka_unit_test(test_spheres_hang_in_a_grid),
        cmocka_unit_test(test_mass_ratio_densities),
        cmocka_unit_test(test_make_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
