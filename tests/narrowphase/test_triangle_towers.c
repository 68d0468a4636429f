/* Towers and pyramids stand on triangles as they do on a half-space: at default settings, 60 Hz,
 * sleep off, one minute, measured from true geometry beside a twin. Slow. */
#include "tests/narrowphase/triangle_floor.h"
#include "tests/scene_worlds.h"
#include "tools/scenes/measure/quality.h"
#include "tools/scenes/measure/standing.h"

/* How a scene stood. */
typedef struct outcome {
    double depth_m, sideways_m, moved_m; /* the largest at the end of any second */
    double sway_J[2];                    /* of the last two quarters of the run */
    dry_position top;                    /* of the last body, at the end */
} outcome;

typedef enum ground { HALFSPACE, MESH, FIELD, GROUNDS } ground;
static const char *const ground_names[GROUNDS] = {"half-space", "mesh", "height field"};

/* Adds triangles of 1 m with diagonals at random, or a half-space. */
static void add_ground(dry_world *world, ground kind)
{
    uint64_t seed = 3520;
    enum { CELLS = 120 };
    dry_shape_def shape = halfspace_shape(v3(0, 1, 0), 0);
    if (kind == MESH) {
        surface s = grid_surface(CELLS, 1, 0, &seed);
        surface_shift(&s, (d3){-CELLS / 2 + 0.3, 0, -CELLS / 2 + 0.4});
        shape = data_shape(DRY_SHAPE_MESH, mesh_data(&s, false));
        surface_free(&s);
    } else if (kind == FIELD) {
        shape = data_shape(DRY_SHAPE_HEIGHT_FIELD, field_data(CELLS, 1, DRY_DIAGONAL_FORWARD));
        shape.pose.position = v3(-CELLS / 2 + 0.3, 0, -CELLS / 2 + 0.4);
    }
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape);
    dry_shape_data_release(shape.data);
}

/* Creates the bodies of a scene, with another ground. */
static void build(const dry_scene *scene, dry_world *world, ground kind, dry_body_id *ids)
{
    for (int i = 0; i < scene->body_count; i++) {
        dry_body_def def = scene->bodies[i].def;
        if (def.type == DRY_BODY_STATIC)
            def.enabled = false;
        ids[i] = add_def(world, &def);
    }
    add_ground(world, kind);
}

static void run(const dry_scene *scene, ground kind, int seconds, outcome *o)
{
    dry_world_def def = test_world_def();
    def.settings = test_settings();
    def.settings.gravity = scene->gravity;
    def.threads = 0; /* the states are the same for every number */
    dry_world *world = world_from(&def);
    const int count = scene->body_count;
    dry_body_id *ids = calloc((size_t)count, sizeof *ids);
    dry_pose *poses = calloc((size_t)count, sizeof *poses);
    dry_velocity *velocities = calloc((size_t)count, sizeof *velocities);
    assert_true(ids && poses && velocities);
    build(scene, world, kind, ids);
    dry_standing standing;
    assert_true(dry_standing_begin(&standing, scene, def.settings.sleep_speed_max));
    *o = (outcome){0};
    for (int step = 1; step <= 60 * seconds; step++) {
        run_steps(world, 1, TEST_DT);
        assert_ok(dry_world_get_motion(world, count, ids, poses, velocities, NULL));
        assert_true(dry_standing_look(&standing, step / 60.0, poses, velocities));
        dry_quality q;
        if (step % 60)
            continue;
        assert_true(dry_quality_measure_poses(scene, poses, velocities, &q));
        o->depth_m = fmax(o->depth_m, q.penetration_max_m);
        o->sideways_m = fmax(o->sideways_m, q.moved_sideways_max_m);
        o->moved_m = fmax(o->moved_m, q.moved_max_m);
    }
    for (int i = 0; i < 2; i++)
        o->sway_J[i] = dry_standing_sway(&standing, seconds * (2 + i) / 4.0, seconds * (3 + i) / 4.0);
    o->top = poses[count - 1].position;
    dry_standing_end(&standing);
    dry_world_destroy(world);
    free(ids);
    free(poses);
    free(velocities);
}

typedef struct limits {
    const char *name;
    int size;
    double disorder_m;
    double depth_m, sideways_m, moved_m;
} limits;

/* Bounds of test_standing, and those of the twin with some room. */
static void check_stands(const limits *want)
{
    dry_scene scene = scene_of(want->name, want->size);
    dry_scene_disorder(&scene, want->disorder_m, 1);
    const int seconds = test_pick(60, 6);
    int failed = 0;
    outcome twin = {0}, o;
    for (int kind = 0; kind < GROUNDS; kind++) {
        run(&scene, (ground)kind, seconds, &o);
        twin = kind == HALFSPACE ? o : twin;
        print_message(
            "%s %d on a %s: %.2f mm deep, %.3f mm aside, %.2f mm moved, sway %.3g J, later %.3g J\n",
            want->name, want->size, ground_names[kind], 1e3 * o.depth_m, 1e3 * o.sideways_m, 1e3 * o.moved_m,
            o.sway_J[0], o.sway_J[1]);
        const double least = 0.5 * 1000 * scene.body_count * 5e-6 * 5e-6; /* which rounding stirs */
        failed +=
            !(o.depth_m <= want->depth_m && o.sideways_m <= want->sideways_m && o.moved_m <= want->moved_m);
        failed += !(o.depth_m <= twin.depth_m + 1e-4);
        failed += !test_quick() && !(o.sway_J[1] <= fmax(o.sway_J[0], least));
    }
    dry_scene_free(&scene);
    assert_int_equal(failed, 0);
}

static void towers_stand(void **state)
{
    (void)state;
    check_stands(&(limits){"tower", 10, 0, 5e-3, 0.01, 0.05});
    check_stands(&(limits){"tower", 30, 0, 5e-3, 0.01, 0.15});
    check_stands(&(limits){"tower", 100, 0, 5e-3, 0.25, 0.5});
}

static void pyramids_stand(void **state)
{
    (void)state;
    check_stands(&(limits){"pyramid", test_pick(30, 15), 0, 0.01, 0.25, 0.25});
}

/* Each cube is up to 1 mm out of place. */
static void disorder_does_not_grow(void **state)
{
    (void)state;
    check_stands(&(limits){"tower", 10, 1e-3, 5e-3, 0.01, 0.05});
    check_stands(&(limits){"tower", 30, 1e-3, 5e-3, 0.02, 0.15});
    check_stands(&(limits){"pyramid", 15, 1e-3, 0.01, 0.02, 0.25});
}

/* A triangle 5 km from its mesh's origin is as good as one near it, and as a half-space. */
static void a_tower_stands_far_from_the_origin(void **state)
{
    (void)state;
    const double far = 5000;
    d3 top[2][10];
    for (int kind = 0; kind < 2; kind++) {
        dry_world *world = world_with(test_settings());
        surface s = {0};
        const d3 at = {far, 0.3 * far, -0.7 * far};
        surface_loose(&s, (d3){at.x - 9, at.y, at.z - 8}, (d3){at.x - 8, at.y, at.z + 12},
                      (d3){at.x + 13, at.y, at.z});
        dry_shape_def shape = halfspace_shape(v3(0, 1, 0), (float)at.y);
        if (kind == 1) {
            shape = data_shape(DRY_SHAPE_MESH, mesh_data(&s, false));
        }
        surface_free(&s);
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape);
        dry_shape_data_release(shape.data);
        dry_body_id id[10];
        for (int i = 0; i < 10; i++)
            id[i] = add_dynamic(world, pose_at(at.x, at.y + 0.5 + i, at.z), box_shape(0.5, 0.5, 0.5));
        run_steps(world, test_pick(600, 120), TEST_DT);
        for (int i = 0; i < 10; i++)
            top[kind][i] = position_of(world, id[i]);
        dry_world_destroy(world);
    }
    for (int i = 0; i < 10; i++)
        assert_at_most(d3_length(d3_sub(top[0][i], top[1][i])), 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(towers_stand),
        cmocka_unit_test(pyramids_stand),
        cmocka_unit_test(disorder_does_not_grow),
        cmocka_unit_test(a_tower_stands_far_from_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
