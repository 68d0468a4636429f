/* Defects of the past, one test each. A test states the right behavior; the defect it stands for is named
 * where that is not plain. */
#include "tests/counting_allocator.h"

static dry_world *weightless_world(void)
{
    return world_with(test_settings_weightless());
}

static dry_world *sleepy_world(void)
{
    dry_settings settings = dry_default_settings();
    settings.sleep_after = 0.1f;
    return world_with(settings);
}

static void run_until_asleep(dry_world *world, dry_body_id id)
{
    for (int i = 0; i < 600 && dry_body_is_awake(world, id); ++i)
        run_steps(world, 1, TEST_DT);
    assert_false(dry_body_is_awake(world, id));
}

/* A world without any body has no column to read from. */
static void test_empty_world_steps(void **state)
{
    (void)state;
    dry_world *world = world_with(dry_default_settings());
    run_steps(world, 2, 0);
    run_steps(world, 2, TEST_DT);
    assert_int_equal(dry_world_step_count(world), 4);
    add_floor(world, 0.6, 0);
    run_steps(world, 2, TEST_DT);
    dry_world_destroy(world);
}

static dry_mass given_mass(void)
{
    return (dry_mass){7, {0.1f, 0, 0}, {{3, 0, 0}, {0, 4, 0}, {0, 0, 5}}};
}

static void assert_given_mass(const dry_world *world, dry_body_id id)
{
    dry_mass expected = given_mass(), mass = mass_of(world, id);
    assert_near(mass.mass, 7, 1e-5);
    assert_near(mass.center.x, 0.1, 1e-6);
    for (int i = 0; i < 3; ++i)
        assert_near(mass.inertia[i][i], expected.inertia[i][i], 1e-5);
}

/* Given mass stays through a life as a static body, which itself has none (with some the solver took it for
 * a member of an island), and through whole locks. */
static void test_given_mass_lasts(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id table = add_dynamic(world, pose_at(0, 0, 0), box_shape(2, 0.5, 2));
    dry_mass mass = given_mass();
    assert_ok(dry_body_set_mass(world, table, &mass));
    assert_ok(dry_body_set_type(world, table, DRY_BODY_STATIC));
    assert_true(mass_of(world, table).mass == 0);
    dry_body_id box = add_dynamic(world, pose_at(0, 1, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 60, TEST_DT);
    assert_near(position_of(world, box).y, 1, 0.01);
    assert_true(position_of(world, table).y == 0);
    assert_ok(dry_body_set_type(world, table, DRY_BODY_DYNAMIC));
    assert_given_mass(world, table);
    assert_ok(dry_body_set_locks(world, table, DRY_LOCK_ALL));
    assert_ok(dry_body_set_locks(world, table, DRY_LOCK_LINEAR_X));
    assert_ok(dry_body_set_locks(world, table, 0));
    assert_given_mass(world, table);
    d3 before = position_of(world, table);
    run_steps(world, 10, TEST_DT);
    assert_true(position_of(world, table).y < before.y);
    dry_world_destroy(world);
}

/* A plate that hits what was put to sleep on it makes no hit events, and needs no room for them. */
static void test_hits_on_sleepers(void **state)
{
    (void)state;
    enum { BOXES = 100 };
    dry_world *world = sleepy_world();
    dry_body_id plate = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, -0.5, 0), box_shape(20, 0.5, 20));
    dry_body_id boxes[BOXES];
    for (int i = 0; i < BOXES; ++i)
        boxes[i] = add_dynamic(world, pose_at(1.5 * (i % 10), 0.5, 1.5 * (i / 10)), box_shape(0.5, 0.5, 0.5));
    dry_body_id ball = add_dynamic(world, pose_at(-10, 1, 0), sphere_shape(0.5));
    run_steps(world, 5, TEST_DT);
    set_velocity(world, plate, (d3){0, 5, 0}, (d3){0, 0, 0});
    int hits = 0;
    for (int step = 0; step < 10; ++step) {
        for (int i = 0; i < BOXES; ++i)
            assert_ok(dry_body_set_awake(world, boxes[i], false));
        run_steps(world, 1, TEST_DT);
        dry_events events = dry_world_events(world);
        dry_shape_id shape;
        int count;
        assert_ok(dry_body_get_shapes(world, ball, &shape, 1, &count));
        for (int i = 0; i < events.hit_count; ++i)
            assert_true(events.hits[i].shape_a.bits == shape.bits ||
                        events.hits[i].shape_b.bits == shape.bits);
        hits += events.hit_count;
    }
    assert_true(hits > 0);
    dry_world_destroy(world);
}

/* Slots are reused last in, first out; answers come in creation order nevertheless. */
static void test_queries_in_creation_order(void **state)
{
    (void)state;
    dry_world *world = weightless_world();
    dry_body_id first[3];
    for (int i = 0; i < 3; ++i)
        first[i] = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(1));
    for (int i = 0; i < 3; ++i)
        assert_ok(dry_body_destroy(world, first[i]));
    dry_shape_id expected[3];
    for (int i = 0; i < 3; ++i) {
        dry_body_id id = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(1));
        int count;
        assert_ok(dry_body_get_shapes(world, id, &expected[i], 1, &count));
    }
    dry_ray ray = {.origin = {0, 5, 0}, .translation = {0, -10, 0}, .mask = ~0ull};
    dry_ray_hit hits[3];
    int count;
    assert_ok(dry_world_cast_ray_all(world, &ray, hits, 3, &count));
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; ++i)
        assert_true(hits[i].shape.bits == expected[i].bits);
    assert_ok(dry_world_cast_ray(world, &ray, hits));
    assert_true(hits[0].shape.bits == expected[0].bits);
    dry_overlap overlap = {.pose = pose_at(0, 0, 0), .radius = 0.5f, .mask = ~0ull};
    dry_shape_id found[3];
    assert_ok(dry_world_overlap(world, &overlap, found, 3, &count));
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; ++i)
        assert_true(found[i].bits == expected[i].bits);
    dry_world_destroy(world);
}

/* A velocity given to a disabled body is its velocity when it is enabled, whatever its type. */
static void test_velocity_while_disabled(void **state)
{
    (void)state;
    static const dry_body_type types[] = {DRY_BODY_KINEMATIC, DRY_BODY_DYNAMIC};
    for (int t = 0; t < 2; ++t)
        for (int how = 0; how < 3; ++how) {
            dry_world *world = weightless_world();
            dry_shape_def shape = sphere_shape(0.5);
            dry_body_def def = body_def(types[t], pose_at(0, 0, 0), &shape);
            def.enabled = how != 0;
            if (how != 2)
                def.velocity.linear = v3(1, 0, 0);
            dry_body_id id = add_def(world, &def);
            assert_ok(dry_body_set_enabled(world, id, false));
            if (how == 2)
                set_velocity(world, id, (d3){1, 0, 0}, (d3){0, 0, 0});
            assert_near(velocity_of(world, id).x, 1, 0);
            run_steps(world, 10, 0.1f);
            assert_true(position_of(world, id).x == 0);
            assert_ok(dry_body_set_enabled(world, id, true));
            run_steps(world, 10, 0.1f);
            assert_near(position_of(world, id).x, 1, 1e-5);
            dry_world_destroy(world);
        }
}

/* A body that is not awake has no velocity to tell of. */
static void test_created_asleep_is_at_rest(void **state)
{
    (void)state;
    dry_world *world = weightless_world();
    for (int type = 0; type < DRY_BODY_TYPE_COUNT; ++type) {
        dry_shape_def shape = sphere_shape(0.5);
        dry_body_def def = body_def((dry_body_type)type, pose_at(3 * type, 0, 0), &shape);
        def.awake = false;
        def.velocity.linear = v3(0, 1, 0);
        dry_body_id id = add_def(world, &def);
        run_steps(world, 10, 0.1f);
        assert_true(position_of(world, id).y == 0 && velocity_of(world, id).y == 0);
    }
    dry_world_destroy(world);
}

/* Forces act in the next step or not at all: not when the body wakes or is enabled, long after. */
static void test_forces_are_forgotten(void **state)
{
    (void)state;
    for (int how = 0; how < 3; ++how) {
        dry_world *world = weightless_world();
        dry_body_id id = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
        assert_ok(dry_body_apply_force(world, id, v3(1e5, 0, 0)));
        if (how == 0) {
            assert_ok(dry_body_set_awake(world, id, false));
            run_steps(world, 3, TEST_DT);
            assert_ok(dry_body_set_awake(world, id, true));
        } else if (how == 1) {
            assert_ok(dry_body_set_enabled(world, id, false));
            run_steps(world, 3, TEST_DT);
            assert_ok(dry_body_set_enabled(world, id, true));
        } else {
            assert_ok(dry_body_set_type(world, id, DRY_BODY_STATIC));
            run_steps(world, 3, TEST_DT);
            assert_ok(dry_body_set_type(world, id, DRY_BODY_DYNAMIC));
        }
        run_steps(world, 10, TEST_DT);
        assert_true(position_of(world, id).x == 0);
        dry_world_destroy(world);
    }
}

/* Sleep after no time at all still means at rest first. */
static void test_sleep_at_once_needs_rest(void **state)
{
    (void)state;
    dry_settings settings = dry_default_settings();
    settings.sleep_after = 0;
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    dry_body_id falling = add_dynamic(world, pose_at(0, 3, 0), sphere_shape(0.5));
    set_velocity(world, falling, (d3){0, -1, 0}, (d3){0, 0, 0});
    run_steps(world, 20, TEST_DT);
    assert_true(dry_body_is_awake(world, falling) && position_of(world, falling).y < 2.5);
    run_until_asleep(world, falling);
    assert_near(position_of(world, falling).y, 0.5, 0.01);
    dry_world_destroy(world);
}

/* A static body that is put, enabled or grown into a sleeping one wakes it. */
static void test_static_wakes_what_it_is_put_into(void **state)
{
    (void)state;
    for (int how = 0; how < 4; ++how) {
        dry_world *world = sleepy_world();
        add_floor(world, 0.6, 0);
        dry_body_id box = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
        dry_shape_def wall_shape = box_shape(0.5, 0.5, 0.5);
        dry_body_def def =
            body_def(DRY_BODY_STATIC, pose_at(how == 0 ? 9 : 0.9, 0.5, 0), how == 2 ? NULL : &wall_shape);
        dry_shape_def plane = halfspace_shape(v3(1, 0, 0), 0);
        if (how == 3) {
            def.pose = pose_at(-9, 0, 0);
            def.shapes = &plane;
        }
        def.enabled = how != 1;
        dry_body_id wall = add_def(world, &def);
        run_until_asleep(world, box);
        dry_shape_id made;
        if (how == 0)
            assert_ok(dry_body_set_pose(world, wall, pose_at(0.9, 0.5, 0)));
        else if (how == 1)
            assert_ok(dry_body_set_enabled(world, wall, true));
        else if (how == 2)
            assert_ok(dry_body_create_shape(world, wall, &wall_shape, &made));
        else
            assert_ok(dry_body_set_pose(world, wall, pose_at(-0.4, 0, 0)));
        assert_true(dry_body_is_awake(world, box));
        run_steps(world, 60, TEST_DT);
        assert_true(how == 3 ? position_of(world, box).x > 0.05 : position_of(world, box).x < -0.05);
        dry_world_destroy(world);
    }
}

/* Friction holds a body where it was put, not where it stood before. */
static void test_pose_set_is_no_drift(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    dry_body_id box = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 60, TEST_DT);
    dry_pose pose = pose_of(world, box);
    double x = pose.position.x;
    pose.position.x += 0.003;
    assert_ok(dry_body_set_pose(world, box, pose));
    run_steps(world, 120, TEST_DT);
    assert_near(position_of(world, box).x, x + 0.003, 5e-5);
    dry_world_destroy(world);
}

/* A shape added to a spinning body moves its center of mass, and what is there goes on as it did. */
static void test_new_center_goes_on(void **state)
{
    (void)state;
    dry_world *world = weightless_world();
    dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
    set_velocity(world, body, (d3){1, 0, 0}, (d3){0, 0, 2});
    dry_shape_def extra = box_shape(0.5, 0.5, 0.5);
    extra.pose.position = v3(1, 0, 0);
    dry_shape_id made;
    assert_ok(dry_body_create_shape(world, body, &extra, &made));
    d3 v = velocity_of(world, body), center = center_of(world, body);
    assert_near(center.x, 0.5, 1e-6);
    assert_near(v.x, 1, 1e-6);
    assert_near(v.y, 2 * 0.5, 1e-5);
    dry_world_destroy(world);
}

/* Contacts stay where they are when a body's mass changes under them. */
static void test_contacts_outlive_mass(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id low = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    add_floor(world, 0.6, 0);
    dry_body_id high = add_dynamic(world, pose_at(0.2, 1.5, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 30, TEST_DT);
    static dry_contact before[16], after[16];
    int count = dry_world_get_contacts(world, before, 16);
    assert_int_equal(count, 2);
    dry_mass mass = given_mass();
    mass.inertia[0][1] = mass.inertia[1][0] = 1;
    assert_ok(dry_body_set_mass(world, low, &mass));
    mass.center = v3(0, -0.2, 0.1);
    assert_ok(dry_body_set_mass(world, high, &mass));
    assert_int_equal(dry_world_get_contacts(world, after, 16), count);
    for (int i = 0; i < count; ++i) {
        assert_near(d3_length(d3_sub(d3_of(before[i].normal), d3_of(after[i].normal))), 0, 1e-5);
        assert_int_equal(before[i].point_count, after[i].point_count);
        for (int k = 0; k < before[i].point_count; ++k)
            assert_near(
                d3_length(d3_sub(d3_at(before[i].points[k].position), d3_at(after[i].points[k].position))), 0,
                1e-5);
    }
    dry_world_destroy(world);
}

/* Sizes and densities at the ends of their ranges, and a long rod askew in its body, whose smallest inertia
 * drowns in rounding: bodies like any other. */
static void test_extreme_masses(void **state)
{
    (void)state;
    dry_world *world = weightless_world();
    dry_shape_def shapes[] = {box_shape(1e6, 1e6, 1e6), sphere_shape(1e-4), box_shape(5, 5e-4, 5e-4),
                              box_shape(1e6, 1e-4, 1e-4), sphere_shape(0.5)};
    shapes[0].density = 1e9f;
    shapes[1].density = FLT_MIN;
    uint64_t seed = 5;
    dry_body_id ids[COUNT_OF(shapes)];
    for (int i = 0; i < COUNT_OF(shapes); ++i) {
        shapes[i].pose.orientation = random_quat(&seed);
        shapes[i].filter.mask = 0;
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 3 * i, 0), &shapes[i]);
        if (i == 4)
            def.mass = FLT_TRUE_MIN;
        ids[i] = add_def(world, &def);
        set_velocity(world, ids[i], (d3){1, 0, 0}, (d3){0.1, 0.2, 0.3});
    }
    run_steps(world, 60, TEST_DT);
    for (int i = 0; i < COUNT_OF(shapes); ++i) {
        dry_mass mass = mass_of(world, ids[i]);
        assert_true(mass.mass > 0 && mass.mass <= 1.001e15f);
        for (int k = 0; k < 3; ++k)
            assert_true(mass.inertia[k][k] > 0 && isfinite(mass.inertia[k][k]));
        assert_near(position_of(world, ids[i]).x, 1, 1e-3);
    }
    assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
    dry_world_destroy(world);
}

/* Kinematic bodies start and stop; only dynamic ones fall asleep and wake. */
static void test_no_sleep_events_of_kinematic_bodies(void **state)
{
    (void)state;
    dry_world *world = sleepy_world();
    dry_body_id id = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 0, 0), sphere_shape(0.5));
    for (int i = 0; i < 10; ++i) {
        set_velocity(world, id, (d3){1, 0, 0}, (d3){0, 0, 0});
        if (i % 2)
            run_steps(world, 1, TEST_DT);
        set_velocity(world, id, (d3){0, 0, 0}, (d3){0, 0, 0});
        run_steps(world, 1, TEST_DT);
        assert_int_equal(dry_world_events(world).sleep_count, 0);
    }
    dry_world_destroy(world);
}

static void count_lines(const char *line, void *user)
{
    assert_true(line && line[0]);
    ++*(int *)user;
}

/* Every refusal is logged, and a log that is refused for a duplicate leaves no mark on the others. */
static void test_destroying_says_what_was_wrong(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    int lines = 0;
    dry_world_def def = test_world_def();
    def.allocator = counting_hooks(&counter);
    def.log = (dry_log){count_lines, &lines};
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0);
    dry_body_id ids[40];
    for (int i = 0; i < 40; ++i)
        ids[i] = add_dynamic(world, pose_at(2 * i, 0.5, 0), sphere_shape(0.5));
    run_steps(world, 3, TEST_DT);
    dry_body_id twice[3] = {ids[0], ids[1], ids[0]};
    assert_int_equal(dry_world_destroy_bodies(world, 3, twice), DRY_ERROR_STALE_ID);
    assert_int_equal(lines, 1);
    counter.fail_at = (int64_t)counter.calls;
    counter.fail_all = true;
    assert_int_equal(dry_world_destroy_bodies(world, 40, ids), DRY_ERROR_MEMORY);
    assert_int_equal(lines, 2);
    counter.fail_at = -1;
    assert_ok(dry_world_destroy_bodies(world, 40, ids));
    assert_int_equal(dry_world_statistics(world).bodies, 1);
    dry_world_destroy(world);
}

/* A task hook that calls back during a batch of queries. */
typedef struct prowler {
    dry_world *world;
    dry_body_id body;
    int wrong, calls;
    void (*run)(void *argument);
    void *argument;
} prowler;

static void *prowl(void (*run)(void *argument), void *argument, void *user)
{
    prowler *p = user;
    p->calls++;
    p->wrong += dry_body_destroy(p->world, p->body) != DRY_ERROR_LOCKED;
    p->run = run;
    p->argument = argument;
    return p;
}

static void finish_prowling(void *handle, void *user)
{
    prowler *p = handle;
    assert_ptr_equal(handle, user);
    p->run(p->argument);
}

static void test_batches_lock_the_world(void **state)
{
    (void)state;
    prowler p = {0};
    dry_world_def def = dry_default_world_def();
    def.threads = 2;
    def.tasks = (dry_tasks){prowl, finish_prowling, &p};
    p.world = world_from(&def);
    p.body = add_body(p.world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(1));
    dry_ray rays[64];
    dry_ray_hit hits[64];
    for (int i = 0; i < 64; ++i)
        rays[i] = (dry_ray){.origin = {0, 5, 0}, .translation = {0, -10, 0}, .mask = ~0ull};
    assert_ok(dry_world_cast_rays(p.world, 64, rays, hits));
    assert_true(hits[63].body.bits == p.body.bits);
    assert_true(p.calls > 0 && p.wrong == 0);
    assert_ok(dry_body_destroy(p.world, p.body));
    dry_world_destroy(p.world);
}

/* Overlap separates by displacement, with hardly any velocity: a box does not sleep before it is out. */
static void test_nothing_sleeps_while_it_is_pushed_out(void **state)
{
    (void)state;
    dry_settings settings = dry_default_settings();
    settings.sleep_after = 0.1f;
    settings.push_out_speed_max = 0.2f;
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    dry_body_id box = add_dynamic(world, pose_at(0, 0.2, 0), box_shape(0.5, 0.5, 0.5));
    run_until_asleep(world, box);
    assert_near(position_of(world, box).y, 0.5, 0.002);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_sleeps_while_it_is_pushed_out),
        cmocka_unit_test(test_empty_world_steps),
        cmocka_unit_test(test_given_mass_lasts),
        cmocka_unit_test(test_hits_on_sleepers),
        cmocka_unit_test(test_queries_in_creation_order),
        cmocka_unit_test(test_velocity_while_disabled),
        cmocka_unit_test(test_created_asleep_is_at_rest),
        cmocka_unit_test(test_forces_are_forgotten),
        cmocka_unit_test(test_sleep_at_once_needs_rest),
        cmocka_unit_test(test_static_wakes_what_it_is_put_into),
        cmocka_unit_test(test_pose_set_is_no_drift),
        cmocka_unit_test(test_new_center_goes_on),
        cmocka_unit_test(test_contacts_outlive_mass),
        cmocka_unit_test(test_extreme_masses),
        cmocka_unit_test(test_no_sleep_events_of_kinematic_bodies),
        cmocka_unit_test(test_destroying_says_what_was_wrong),
        cmocka_unit_test(test_batches_lock_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
