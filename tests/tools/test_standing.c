/* Tests what stands: stacks at default settings, 60 Hz, sleep off, measured from true geometry; stacks that
 * fall asleep and stay so; a stack ten thousand kilometers from the origin. Slow. */
#include "tests/scene_worlds.h"
#include "tools/scenes/measure/quality.h"
#include "tools/scenes/measure/standing.h"

typedef struct stand {
    dry_scene scene;
    dry_world *world;
    dry_body_id *ids;
    dry_quality worst; /* the largest of each figure at any second */
    dry_quality last;
} stand;

/* `turn`: of the dynamic bodies, each about its own vertical, radians. */
static stand stand_make_turned(const char *name, int size, bool sleep, d3 shift, double turn)
{
    stand s = {0};
    s.scene = scene_of(name, size);
    for (int i = 0; i < s.scene.body_count; ++i) {
        dry_position *p = &s.scene.bodies[i].def.pose.position;
        *p = (dry_position){p->x + shift.x, p->y + shift.y, p->z + shift.z};
        if (s.scene.bodies[i].def.type == DRY_BODY_DYNAMIC)
            s.scene.bodies[i].def.pose.orientation =
                (dry_quat){0.0f, (float)sin(turn / 2), 0.0f, (float)cos(turn / 2)};
    }
    dry_settings settings = dry_default_settings();
    settings.gravity = s.scene.gravity;
    settings.sleep = sleep;
    dry_world_def def = test_world_def();
    def.settings = settings;
    def.threads = 0; /* the states are the same for every number */
    s.world = world_from(&def);
    s.ids = built_in(s.world, &s.scene);
    return s;
}

static stand stand_make(const char *name, int size, bool sleep, d3 shift)
{
    return stand_make_turned(name, size, sleep, shift, 0.0);
}

static void stand_end(stand *s)
{
    dry_world_destroy(s->world);
    dry_scene_free(&s->scene);
    free(s->ids);
}

/* Runs, and measures at the end of each second. */
static void stand_run(stand *s, int seconds)
{
    for (int i = 0; i < seconds; ++i) {
        run_steps(s->world, 60, TEST_DT);
        assert_true(dry_quality_measure(&s->scene, s->world, s->ids, &s->last));
        s->worst.penetration_max_m = fmax(s->worst.penetration_max_m, s->last.penetration_max_m);
        s->worst.moved_sideways_max_m = fmax(s->worst.moved_sideways_max_m, s->last.moved_sideways_max_m);
        s->worst.moved_max_m = fmax(s->worst.moved_max_m, s->last.moved_max_m);
    }
    assert_int_equal(dry_world_statistics(s->world).quarantined_bodies, 0);
}

typedef struct limits {
    const char *name;
    int size, seconds;
    double penetration_m, sideways_m, moved_m;
} limits;

static void check_stands(const limits *want)
{
    stand s = stand_make(want->name, want->size, false, (d3){0, 0, 0});
    stand_run(&s, test_quick() ? (want->seconds + 9) / 10 : want->seconds);
    print_message("%s %d: %.2f mm deep, %.2f mm aside, %.1f mm moved\n", want->name, want->size,
                  1e3 * s.worst.penetration_max_m, 1e3 * s.worst.moved_sideways_max_m,
                  1e3 * s.worst.moved_max_m);
    assert_true(s.last.touching_pairs > 0);
    assert_at_most(s.worst.penetration_max_m, want->penetration_m);
    assert_at_most(s.worst.moved_sideways_max_m, want->sideways_m);
    assert_at_most(s.worst.moved_max_m, want->moved_m);
    stand_end(&s);
}

static void test_tower_10(void **state)
{
    (void)state;
    check_stands(&(limits){"tower", 10, 60, 5e-3, 0.01, 0.05});
}

static void test_tower_30(void **state)
{
    (void)state;
    check_stands(&(limits){"tower", 30, 60, 5e-3, 0.01, 0.15});
}

/* Upright: the top sinks by each level's depth at most. */
static void test_tower_100(void **state)
{
    (void)state;
    check_stands(&(limits){"tower", 100, 60, 5e-3, 0.25, 0.5});
}

/* A tower of cubes that nothing disturbs is the same seen in a mirror, and stays so to the last bit: points
 * across from each other get equal impulses, and those cancel exactly. Sway has nothing to grow from. */
static void test_symmetry_is_kept(void **state)
{
    (void)state;
    stand s = stand_make("tower", 100, false, (d3){0, 0, 0});
    run_steps(s.world, test_pick(600, 120), TEST_DT);
    for (int i = 0; i < s.scene.body_count; ++i) {
        dry_pose pose;
        dry_velocity velocity;
        assert_ok(dry_body_get_pose(s.world, s.ids[i], &pose));
        assert_ok(dry_body_get_velocity(s.world, s.ids[i], &velocity));
        assert_true(pose.position.x == 0.0 && pose.position.z == 0.0);
        assert_true(pose.orientation.x == 0.0f && pose.orientation.z == 0.0f);
        assert_true(velocity.linear.x == 0.0f && velocity.linear.z == 0.0f);
        assert_true(velocity.angular.x == 0.0f && velocity.angular.z == 0.0f);
    }
    stand_end(&s);
}

/* Turned about its axis it has no symmetry to the last bit, and what rounding then starts grows threefold in
 * ten seconds. The tower must stay in place: with points' heights from a product of quaternions it ended
 * meters aside. */
static void test_turned_tower(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; ++i) {
        stand s = stand_make_turned("tower", 100, false, (d3){0, 0, 0}, 0.26 * i);
        run_steps(s.world, test_pick(3600, 360), TEST_DT);
        assert_true(dry_quality_measure(&s.scene, s.world, s.ids, &s.last));
        print_message("tower turned by %.2f: %.2f mm aside\n", 0.26 * i, 1e3 * s.last.moved_sideways_max_m);
        assert_at_most(s.last.moved_sideways_max_m, 0.1);
        stand_end(&s);
    }
}

static void test_pyramid_100(void **state)
{
    (void)state;
    check_stands(&(limits){"pyramid", test_pick(100, 30), 10, 0.01, 0.25, 0.25});
}

static void test_pyramids(void **state)
{
    (void)state;
    check_stands(&(limits){"pyramids", test_pick(10, 2), 10, 2e-3, 0.01, 0.02});
}

static void test_mass_ratio(void **state)
{
    (void)state;
    check_stands(&(limits){"mass-ratio", 1000, 10, 0.02, 0.02, 0.05});
}

/* The box around the scene's static bodies: center +- the sum of what each axis reaches. */
static void static_bounds(const dry_scene *scene, d3 *low, d3 *high)
{
    *low = (d3){INFINITY, INFINITY, INFINITY};
    *high = (d3){-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < scene->body_count; ++i) {
        const dry_body_def *def = &scene->bodies[i].def;
        for (int k = 0; k < def->shape_count && def->type == DRY_BODY_STATIC; ++k) {
            const dry_shape_def *shape = &scene->shapes[scene->bodies[i].first_shape + k];
            if (shape->type != DRY_SHAPE_BOX)
                continue;
            d3 c = d3_add(d3_at(def->pose.position),
                          d3_turn(def->pose.orientation, d3_of(shape->pose.position)));
            d3 h = d3_of(shape->half_extents), reach = {0, 0, 0};
            d3 axes[3] = {{h.x, 0, 0}, {0, h.y, 0}, {0, 0, h.z}};
            for (int a = 0; a < 3; ++a) {
                d3 axis = d3_turn(def->pose.orientation, d3_turn(shape->pose.orientation, axes[a]));
                reach = d3_add(reach, (d3){fabs(axis.x), fabs(axis.y), fabs(axis.z)});
            }
            *low =
                (d3){fmin(low->x, c.x - reach.x), fmin(low->y, c.y - reach.y), fmin(low->z, c.z - reach.z)};
            *high = (d3){fmax(high->x, c.x + reach.x), fmax(high->y, c.y + reach.y),
                         fmax(high->z, c.z + reach.z)};
        }
    }
}

static void test_pile_settles_in_its_bin(void **state)
{
    (void)state;
    stand s = stand_make("pile", test_pick(10000, 500), false, (d3){0, 0, 0});
    stand_run(&s, test_pick(20, 6));
    print_message("pile: %.2f mm deep on the average, %.2f mm at most, %.3f m/s at most\n",
                  1e3 * s.last.penetration_mean_m, 1e3 * s.last.penetration_max_m, s.last.speed_max_m_s);
    assert_at_most(s.last.penetration_mean_m, 5e-3);
    d3 low, high;
    static_bounds(&s.scene, &low, &high);
    assert_true(high.x > low.x && high.z > low.z);
    int outside = 0;
    for (int i = 0; i < s.scene.body_count; ++i) {
        d3 p = position_of(s.world, s.ids[i]);
        outside += p.x < low.x || p.x > high.x || p.z < low.z || p.z > high.z || p.y < low.y;
    }
    assert_int_equal(outside, 0);
    stand_end(&s);
}

/* With sleep on a stack that has settled goes to sleep, and from then on nothing wakes and nothing moves. */
static void test_stacks_fall_asleep_and_stay_so(void **state)
{
    (void)state;
    const limits stacks[] = {
        {.name = "tower", .size = 10},
        {.name = "tower", .size = 30},
        {.name = "pyramid", .size = test_pick(40, 15)},
        {.name = "pyramids", .size = test_pick(5, 2)},
        {.name = "mass-ratio", .size = 1000},
        {.name = "pile", .size = test_pick(500, 100)},
    };
    for (int i = 0; i < COUNT_OF(stacks); ++i) {
        stand s = stand_make(stacks[i].name, stacks[i].size, true, (d3){0, 0, 0});
        int seconds = 0;
        do {
            stand_run(&s, 1);
            seconds++;
        } while (seconds < 30 && dry_world_statistics(s.world).awake_bodies > 0);
        print_message("%s %d: asleep after %d s\n", stacks[i].name, stacks[i].size, seconds);
        assert_int_equal(dry_world_statistics(s.world).awake_bodies, 0);
        uint64_t hash = dry_world_hash(s.world);
        for (int step = 0; step < 300; ++step) {
            run_steps(s.world, 1, TEST_DT);
            assert_int_equal(dry_world_events(s.world).sleep_count, 0);
        }
        assert_true(dry_world_hash(s.world) == hash);
        stand_end(&s);
    }
}

/* Positions are doubles and all else is relative: far away a stack stands as it does at the origin. */
static void test_far_from_the_origin(void **state)
{
    (void)state;
    static const d3 places[] = {{1e7, 0, 0}, {-1e7, 1e7, 1e7}, {0.3, 1e7, -1e7}};
    stand home = stand_make("tower", 10, false, (d3){0, 0, 0});
    stand_run(&home, 10);
    for (int i = 0; i < COUNT_OF(places); ++i) {
        stand away = stand_make("tower", 10, false, places[i]);
        stand_run(&away, 10);
        assert_at_most(away.worst.moved_sideways_max_m, 0.01);
        assert_at_most(away.worst.penetration_max_m, 5e-3);
        assert_near(away.worst.penetration_max_m, home.worst.penetration_max_m, 1e-4);
        for (int k = 0; k < home.scene.body_count; ++k) {
            d3 here = position_of(home.world, home.ids[k]);
            d3 there = d3_sub(position_of(away.world, away.ids[k]), places[i]);
            assert_at_most(d3_length(d3_sub(here, there)), 1e-3);
        }
        stand_end(&away);
    }
    stand_end(&home);
}

/* A scene that stands in reality, and its bounds after a minute. */
typedef struct real_scene {
    const char *name;
    double deepest_m;
} real_scene;

/* Follows a scene for some seconds at default settings with sleep off, and frees it. Returns its sway; *last
 * is the quality at the end, *aside_m the largest distance sideways since t = 1 s. */
static dry_standing follow(dry_scene *scene, int seconds, dry_quality *last, double *aside_m)
{
    dry_world_def def = test_world_def();
    def.settings = dry_default_settings();
    def.settings.gravity = scene->gravity;
    def.settings.sleep = false;
    def.threads = 0; /* the states are the same for every number */
    dry_world *world = world_from(&def);
    const int count = scene->body_count;
    dry_body_id *ids = calloc((size_t)count, sizeof *ids);
    dry_pose *poses = calloc((size_t)count, sizeof *poses);
    dry_velocity *velocities = calloc((size_t)count, sizeof *velocities);
    assert_true(ids && poses && velocities);
    assert_ok(dry_scene_build(scene, world, ids));
    dry_standing standing;
    assert_true(dry_standing_begin(&standing, scene, def.settings.sleep_speed_max));
    for (int step = 1; step <= 60 * seconds; step++) {
        run_steps(world, 1, TEST_DT);
        assert_ok(dry_world_get_motion(world, count, ids, poses, velocities, NULL));
        assert_true(dry_standing_look(&standing, step / 60.0, poses, velocities));
    }
    assert_true(dry_quality_measure_poses(scene, poses, velocities, last));
    *aside_m = dry_standing_sideways(&standing, poses);
    dry_world_destroy(world);
    free(ids);
    free(poses);
    free(velocities);
    return standing;
}

static void test_what_stands_in_reality(void **state)
{
    (void)state;
    static const real_scene scenes[] = {
        {"pyramid3d_20", 2e-3},
        {"room", 5e-3},
    };
    for (int i = 0; i < COUNT_OF(scenes); ++i) {
        char path[512], error[512];
        const char *root = getenv("DRYSTONE_SOURCE_ROOT");
        snprintf(path, sizeof path, "%s/tests/data/standing/%s.json", root ? root : ".", scenes[i].name);
        dry_scene scene;
        if (!dry_scene_read(path, &scene, error, sizeof error))
            fail_msg("%s", error);
        dry_quality last;
        double aside_m;
        dry_standing standing = follow(&scene, test_pick(30, 2), &last, &aside_m);
        print_message("%s: %d moved, %.2f mm aside, %.2f mm deep, %.3f mm/s\n", scenes[i].name,
                      last.moved_over_quarter_m, 1e3 * aside_m, 1e3 * last.penetration_max_m,
                      1e3 * last.speed_max_m_s);
        assert_int_equal(last.moved_over_quarter_m, 0);
        assert_at_most(aside_m, 0.02);
        assert_at_most(last.penetration_max_m, scenes[i].deepest_m);
        if (!test_quick())
            assert_at_most(last.speed_max_m_s, 1e-3);
        dry_standing_end(&standing);
        dry_scene_free(&scene);
    }
}

/* Sway decays where each cube is up to 1 mm out of place: the third minute has no more of it than the second,
 * or than 0.005 mm/s, which rounding stirs. */
static void test_sway_decays(void **state)
{
    (void)state;
    static const int sizes[] = {30, 60};
    for (int i = 0; i < COUNT_OF(sizes); ++i) {
        dry_scene scene = scene_of("tower", sizes[i]);
        dry_scene_disorder(&scene, 1e-3, (uint64_t)i + 1);
        dry_quality last;
        double aside_m;
        dry_standing standing = follow(&scene, test_pick(180, 20), &last, &aside_m);
        double second = dry_standing_sway(&standing, 60.0, 120.0),
               third = dry_standing_sway(&standing, 120.0, 180.0);
        print_message("tower %d: sway %.3g J, a minute later %.3g J\n", sizes[i], second, third);
        assert_int_equal(last.moved_over_quarter_m, 0);
        if (!test_quick())
            assert_at_most(third, fmax(second, 0.5 * 1000.0 * sizes[i] * 5e-6 * 5e-6));
        dry_standing_end(&standing);
        dry_scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tower_10),
        cmocka_unit_test(test_tower_30),
        cmocka_unit_test(test_tower_100),
        cmocka_unit_test(test_symmetry_is_kept),
        cmocka_unit_test(test_turned_tower),
        cmocka_unit_test(test_pyramid_100),
        cmocka_unit_test(test_pyramids),
        cmocka_unit_test(test_mass_ratio),
        cmocka_unit_test(test_pile_settles_in_its_bin),
        cmocka_unit_test(test_stacks_fall_asleep_and_stay_so),
        cmocka_unit_test(test_far_from_the_origin),
        cmocka_unit_test(test_what_stands_in_reality),
        cmocka_unit_test(test_sway_decays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
