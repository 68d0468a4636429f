/* Worlds of hulls: hulls of a cube's corners stand as cubes do; stones fall, come to rest and sleep, and do
 * not sink into each other or the floor. */
#include "geometry/shape_data.h"
#include "tests/geometry/hull_clouds.h"
#include "tests/narrowphase/polytope_oracle.h"
#include "tests/scene_worlds.h"
#include "tools/scenes/measure/quality.h"

#include <drystone/shape_data.h>

static dry_shape_data *data_of(const dry_vec3 *points, int count)
{
    dry_shape_data *data = NULL;
    dry_hull_report report;
    if (dry_hull_create(points, count, 0, NULL, &data, &report) != DRY_OK)
        fail_msg("%s", dry_hull_fault_name(report.fault));
    return data;
}

static dry_shape_data *cube_data(void)
{
    dry_vec3 points[8];
    for (int i = 0; i < 8; i++)
        points[i] = v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    return data_of(points, 8);
}

/* Makes a hull of each dynamic box of a scene; or a box again. */
static void as_hulls(dry_scene *scene, dry_shape_data *cube, bool hulls)
{
    for (int i = 0; i < scene->body_count; i++) {
        if (scene->bodies[i].def.type != DRY_BODY_DYNAMIC)
            continue;
        for (int k = 0; k < scene->bodies[i].def.shape_count; k++) {
            dry_shape_def *shape = &scene->shapes[scene->bodies[i].first_shape + k];
            shape->type = hulls ? DRY_SHAPE_HULL : DRY_SHAPE_BOX;
            shape->data = hulls ? cube : NULL;
            shape->scale = hulls ? shape->half_extents : v3(1, 1, 1);
        }
    }
}

typedef struct limits {
    const char *name;
    int size, seconds;
    double penetration_m, sideways_m, moved_m;
} limits;

static void check_stands(const limits *want)
{
    dry_scene scene = scene_of(want->name, want->size);
    dry_shape_data *cube = cube_data();
    dry_settings settings = dry_default_settings();
    settings.gravity = scene.gravity;
    settings.sleep = false;
    dry_world_def def = test_world_def();
    def.settings = settings;
    dry_world *world = world_from(&def);
    dry_body_id *ids = calloc((size_t)scene.body_count, sizeof *ids);
    assert_non_null(ids);
    as_hulls(&scene, cube, true);
    assert_ok(dry_scene_build(&scene, world, ids));
    as_hulls(&scene, cube, false);
    dry_quality worst = {0}, last;
    for (int i = 0; i < test_pick(want->seconds, (want->seconds + 9) / 10); i++) {
        run_steps(world, 60, TEST_DT);
        assert_true(dry_quality_measure(&scene, world, ids, &last));
        worst.penetration_max_m = fmax(worst.penetration_max_m, last.penetration_max_m);
        worst.moved_sideways_max_m = fmax(worst.moved_sideways_max_m, last.moved_sideways_max_m);
        worst.moved_max_m = fmax(worst.moved_max_m, last.moved_max_m);
    }
    print_message("%s %d of hulls: %.2f mm deep, %.2f mm aside, %.1f mm moved\n", want->name, want->size,
                  1e3 * worst.penetration_max_m, 1e3 * worst.moved_sideways_max_m, 1e3 * worst.moved_max_m);
    assert_true(last.touching_pairs > 0);
    assert_at_most(worst.penetration_max_m, want->penetration_m);
    assert_at_most(worst.moved_sideways_max_m, want->sideways_m);
    assert_at_most(worst.moved_max_m, want->moved_m);
    dry_world_destroy(world);
    dry_scene_free(&scene);
    dry_shape_data_release(cube);
    free(ids);
}

/* The bounds are those of the same scenes of boxes in test_standing.c. */
static void test_tower(void **state)
{
    (void)state;
    check_stands(&(limits){"tower", 10, 60, 5e-3, 0.01, 0.05});
}

static void test_pyramid(void **state)
{
    (void)state;
    check_stands(&(limits){"pyramid", 10, 20, 2e-3, 0.01, 0.02});
}

enum { KINDS = 12, STONES = 60 };

typedef struct heap {
    dry_shape_data *data[KINDS];
    dry_vec3 scale[STONES];
    dry_body_id ids[STONES];
    dry_world *world;
    int count;
} heap;

/* Stones of 6 to 26 points, some of them scaled and mirrored, some flat, in columns over a floor at height 0.
 */
static void heap_make(heap *h, bool on_box, int count, double apart)
{
    uint64_t seed = 3;
    for (int i = 0; i < KINDS; i++) {
        dry_vec3 points[32];
        const int points_count = 6 + random_below(&seed, 21);
        for (int k = 0; k < points_count; k++)
            points[k] = v3_of(d3_scale(d3_unit(random_d3(&seed, 1)), 0.5));
        h->data[i] = data_of(points, points_count);
    }
    dry_settings settings = dry_default_settings();
    h->world = world_with(settings);
    if (on_box)
        add_body(h->world, DRY_BODY_STATIC, (dry_pose){{0, -1, 0}, {0, 0, 0, 1}}, box_shape(20, 1, 20));
    else
        add_floor(h->world, 0.6, 0);
    h->count = count;
    for (int i = 0; i < count; i++) {
        dry_shape_def shape = dry_default_shape_def();
        shape.type = DRY_SHAPE_HULL;
        shape.data = h->data[i % KINDS];
        if (i % 2) { /* one draw after the other: compilers choose the order of arguments */
            const double x = random_in(&seed, 0.6, 1.4), y = random_in(&seed, 0.6, 1.4);
            shape.scale = v3(x, i % 3 ? y : -y, random_in(&seed, 0.6, 1.4));
        }
        if (i % 5 == 0)
            shape.scale = v3(1, 0.15, 1);
        h->scale[i] = shape.scale;
        const dry_pose pose = {{apart * (i % 3 - 1), 1.2 + 1.3 * (i / 9), apart * (i / 3 % 3 - 1)},
                               random_quat(&seed)};
        h->ids[i] = add_dynamic(h->world, pose, shape);
    }
}

static void heap_end(heap *h)
{
    dry_world_destroy(h->world);
    for (int i = 0; i < KINDS; i++)
        dry_shape_data_release(h->data[i]);
}

static void solid_of(const heap *h, int i, solid *s)
{
    const dry_pose pose = pose_of(h->world, h->ids[i]);
    const dry_transform t = {v3_of((d3){pose.position.x, pose.position.y, pose.position.z}),
                             pose.orientation};
    solid_make(s, h->data[i % KINDS]->form, h->scale[i], &t);
}

/* Returns the largest depth of a stone in the floor or another stone, m. */
static double heap_depth(const heap *h)
{
    static solid solids[STONES];
    double deepest = 0;
    for (int i = 0; i < h->count; i++) {
        solid_of(h, i, &solids[i]);
        for (int v = 0; v < solids[i].vertices; v++)
            deepest = fmax(deepest, -solids[i].vertex[v].y);
        const d3 at = position_of(h->world, h->ids[i]);
        for (int j = 0; j < i; j++) {
            const d3 d = d3_sub(position_of(h->world, h->ids[j]), at);
            if (d3_dot(d, d) < 2)
                deepest = fmax(deepest, -solid_separation(&solids[i], &solids[j]));
        }
    }
    return deepest;
}

static int asleep(const heap *h)
{
    int count = 0;
    for (int i = 0; i < h->count; i++)
        count += !dry_body_is_awake(h->world, h->ids[i]);
    return count;
}

/* `ringing`: stones that may be awake at the end. A heavy stone on a thin one may ring for minutes, as cards
 * do (docs/quality.md): in one of 80 drawn heaps. */
static void check_heap(bool on_box, int count, double apart, int seconds, double depth, int ringing,
                       const char *name)
{
    heap h;
    heap_make(&h, on_box, count, apart);
    double deepest = 0;
    for (int i = 0; i < seconds; i++) {
        run_steps(h.world, 60, TEST_DT);
        if (i >= 4)
            deepest = fmax(deepest, heap_depth(&h));
        if (asleep(&h) == h.count)
            break;
    }
    print_message("%s: %d of %d asleep, %.2f mm deep at the end of a second\n", name, asleep(&h), h.count,
                  1e3 * deepest);
    for (int i = 0; i < h.count; i++)
        assert_true(body_is_finite(h.world, h.ids[i]));
    assert_int_equal(dry_world_statistics(h.world).quarantined_bodies, 0);
    assert_at_most(deepest, depth);
    assert_true(asleep(&h) >= h.count - ringing);
    for (int i = 0; i < h.count; i++) {
        dry_velocity v;
        assert_ok(dry_body_get_velocity(h.world, h.ids[i], &v));
        assert_at_most(d3_length(d3_of(v.linear)), 0.1);
    }
    heap_end(&h);
}

static void test_stones_on_box(void **state)
{
    (void)state;
    check_heap(true, 9, 3, 20, 5e-3, 0, "stones apart on a box");
}

static void test_stones_on_halfspace(void **state)
{
    (void)state;
    check_heap(false, 9, 3, 20, 5e-3, 0, "stones apart on a half-space");
}

static void test_heap(void **state)
{
    (void)state;
    check_heap(true, test_pick(STONES, 27), 1.1, 40, 10e-3, 2, "heap on a box");
    check_heap(false, test_pick(STONES, 27), 1.1, 40, 10e-3, 2, "heap on a half-space");
}

enum { LANDINGS = 400, CLOUD = 20 };

static double deepest_point(const dry_world *world, dry_body_id id, const dry_vec3 *points)
{
    const dry_pose pose = pose_of(world, id);
    double deepest = 0;
    for (int k = 0; k < CLOUD; k++)
        deepest = fmax(deepest, -(pose.position.y + d3_turn(pose.orientation, d3_of(points[k])).y));
    return deepest;
}

/* A hull that lands on a vertex tilts within the step, and the vertices that come down next must be among the
 * four points of the contact. */
static void test_landings(void **state)
{
    (void)state;
    uint64_t seed = 5;
    dry_vec3 points[CLOUD];
    for (int k = 0; k < CLOUD; k++)
        points[k] = v3_of(d3_scale(d3_unit(random_d3(&seed, 1)), 0.6));
    dry_shape_def shape = dry_default_shape_def();
    shape.type = DRY_SHAPE_HULL;
    shape.data = data_of(points, CLOUD);
    for (double speed = 4; speed < 20; speed *= 2) {
        dry_world *world = world_with(dry_default_settings());
        add_floor(world, 0.6, 0);
        static dry_body_id ids[LANDINGS];
        for (int i = 0; i < LANDINGS; i++) {
            const double height = random_in(&seed, 1, 2);
            const dry_pose pose = {{5.0 * (i % 20), height, 5.0 * (i / 20)}, random_quat(&seed)};
            ids[i] = add_dynamic(world, pose, shape);
            assert_ok(dry_body_set_velocity(world, ids[i], (dry_velocity){.linear = v3(0, -speed, 0)}));
        }
        double deepest = 0;
        for (int step = 0; step < 60; step++) {
            run_steps(world, 1, TEST_DT);
            for (int i = 0; i < LANDINGS; i++)
                deepest = fmax(deepest, deepest_point(world, ids[i], points));
        }
        print_message("hulls that land at %g m/s: %.2f mm deep\n", speed, 1e3 * deepest);
        assert_at_most(deepest, 15e-3);
        dry_world_destroy(world);
    }
    dry_shape_data_release(shape.data);
}

/* Builds a tower of scans of cubes, on a box or a half-space, each with a hull of its own. */
static dry_world *scan_tower(dry_solver solver, uint64_t seed, bool on_box, int count, double size,
                             double noise, dry_body_id *ids)
{
    static cloud c;
    dry_settings settings = dry_default_settings();
    settings.method.solver = solver;
    dry_world *world = world_with(settings);
    if (on_box)
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), box_shape(20, 1, 20));
    else
        add_floor(world, 0.6, 0);
    double top = 0;
    for (int i = 0; i < count; i++) {
        c.count = 0;
        cloud_scan(&c, &seed, (d3){0.5 * size, 0.5 * size, 0.5 * size}, noise);
        dry_shape_def shape = dry_default_shape_def();
        dry_shape_data_sizes sizes;
        shape.type = DRY_SHAPE_HULL;
        assert_ok(dry_hull_create(c.at, c.count, 32 + random_below(&seed, 225), NULL, &shape.data, NULL));
        assert_ok(dry_shape_data_get_sizes(shape.data, &sizes));
        ids[i] = add_dynamic(world, pose_at(0, top - sizes.low.y, 0), shape);
        top += sizes.high.y - sizes.low.y;
        dry_shape_data_release(shape.data);
    }
    return world;
}

/* Cubes from scans with noise of 1 um to 1 mm rest, sleep, and stand in towers as boxes do. */
static void check_scans(int most, int towers)
{
    static const dry_solver solvers[] = {DRY_SOLVER_GAUSS_SEIDEL, DRY_SOLVER_JACOBI, DRY_SOLVER_XPBD,
                                         DRY_SOLVER_AVBD};
    uint64_t seed = 41;
    double aside = 0;
    for (int n = 0; n < towers; n++) {
        dry_body_id ids[10];
        const double size = exp(random_in(&seed, log(0.1), 0)),
                     noise = exp(random_in(&seed, log(1e-6), log(1e-3)));
        dry_world *world =
            scan_tower(solvers[n % 8 < 5 ? 0 : n % 8 - 4], random_bits(&seed), n % 2, most, size, noise, ids);
        run_steps(world, 60 * 20, TEST_DT);
        for (int i = 0; i < most; i++) {
            const d3 at = position_of(world, ids[i]);
            aside = fmax(aside, hypot(at.x, at.z) / size);
            if (dry_body_is_awake(world, ids[i]) || fabs(at.y / size - i - 0.5) > 0.5)
                fail_msg("tower %d of %d, body %d: size %g m, noise %g m", n, most, i, size, noise);
        }
        dry_world_destroy(world);
    }
    print_message("%d towers of %d scans: moved aside by %.3f of their size\n", towers, most, aside);
    assert_at_most(aside, 0.05);
}

static void test_scans(void **state)
{
    (void)state;
    check_scans(1, test_pick(64, 16));
    check_scans(5, test_pick(32, 8));
    check_scans(10, test_pick(64, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tower),         cmocka_unit_test(test_pyramid),
        cmocka_unit_test(test_stones_on_box), cmocka_unit_test(test_stones_on_halfspace),
        cmocka_unit_test(test_heap),          cmocka_unit_test(test_landings),
        cmocka_unit_test(test_scans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
