/* Worlds with triangles: compounds, platforms that carry, events, sleep, and the same bits for every team and
 * instruction set; memory that fails loses nothing. */
#include "tests/counting_allocator.h"
#include "tests/log_lines.h"
#include "tests/narrowphase/triangle_floor.h"

static dry_shape_def mesh_shape(surface *s)
{
    dry_shape_def shape = data_shape(DRY_SHAPE_MESH, mesh_data(s, false));
    surface_free(s);
    return shape;
}

/* Waves of cells of `size`, n a side, around the origin. */
static surface wavy_surface(int n, double size, double height, uint64_t *seed)
{
    surface s = grid_surface(n, size, 1e-6, seed);
    for (int i = 0; i < s.vertices; i++) {
        const d3 at = {s.vertex[i].x - n * size / 2, 0, s.vertex[i].z - n * size / 2};
        s.vertex[i] = v3_of((d3){at.x, height * (sin(1.3 * at.x) + cos(1.7 * at.z)), at.z});
    }
    return s;
}

/* A table: a plate on four legs. */
static dry_shape_data *table_data(void)
{
    dry_shape_def child[5];
    child[0] = box_shape(0.6, 0.05, 0.4);
    child[0].pose.position = v3(0, 0.25, 0);
    for (int i = 0; i < 4; i++) {
        child[1 + i] = box_shape(0.05, 0.2, 0.05);
        child[1 + i].pose.position = v3(i & 1 ? 0.5 : -0.5, 0, i & 2 ? 0.3 : -0.3);
    }
    dry_shape_data *data = NULL;
    assert_ok(dry_compound_create(child, 5, NULL, &data));
    return data;
}

/* Tables stand on triangles as on a half-space, and cubes on them. */
static void compounds_stand(void **state)
{
    (void)state;
    d3 end[2][6];
    for (int kind = 0; kind < 2; kind++) {
        uint64_t seed = 3530;
        dry_world *world = world_with(test_settings());
        surface s = drawn_surface(20, 20, 0.21, &seed);
        surface_shift(&s, (d3){-2, 0, -2});
        dry_shape_def ground = kind ? mesh_shape(&s) : halfspace_shape(v3(0, 1, 0), 0);
        surface_free(&s);
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), ground);
        dry_shape_def table = data_shape(DRY_SHAPE_COMPOUND, table_data());
        dry_body_id id[6];
        for (int i = 0; i < 6; i++)
            id[i] = i % 3 < 2
                        ? add_dynamic(world, pose_at(i / 3 * 1.4 - 0.7, 0.2 + 0.5 * (i % 3), 0.1), table)
                        : add_dynamic(world, pose_at(i / 3 * 1.4 - 0.7, 1.2, 0.1), box_shape(0.2, 0.2, 0.2));
        run_steps(world, test_pick(600, 120), TEST_DT);
        for (int i = 0; i < 6; i++) {
            end[kind][i] = position_of(world, id[i]);
            assert_at_most(d3_length(velocity_of(world, id[i])), 1e-3);
        }
        dry_world_destroy(world);
        dry_shape_data_release(table.data);
        dry_shape_data_release(ground.data);
    }
    for (int i = 0; i < 6; i++)
        assert_at_most(d3_length(d3_sub(end[0][i], end[1][i])), 1e-3);
}

/* Kinematic platforms of triangles carry boxes along, around and up. */
static void platforms_carry(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        uint64_t seed = 3531;
        dry_world *world = world_with(test_settings());
        surface s = drawn_surface(12, 12, 0.3, &seed);
        surface_shift(&s, (d3){-1.8, 0, -1.8});
        dry_shape_def shape = mesh_shape(&s);
        shape.friction = 0.8f;
        const dry_body_id platform = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 0, 0), shape);
        dry_shape_data_release(shape.data);
        dry_body_id id[3];
        for (int i = 0; i < 3; i++)
            id[i] = add_dynamic(world, pose_at(0.4 * i - 0.4, 0.15, 0.3), box_shape(0.15, 0.15, 0.15));
        const d3 along[] = {{1, 0, 0}, {0, 0, 0}, {0, 1, 0}};
        run_steps(world, 30, TEST_DT);
        for (int i = 0; i < 120; i++) { /* faster and faster at 1 m/s^2 or 0.5 rad/s^2, for a second */
            const double speed = fmin(1, (i + 1) / 60.0);
            set_velocity(world, platform, d3_scale(along[way], speed),
                         (d3){0, way == 1 ? 0.5 * speed : 0, 0});
            run_steps(world, 1, TEST_DT);
        }
        const dry_pose pose = pose_of(world, platform);
        for (int i = 0; i < 3; i++) {
            const d3 rel =
                d3_turn_back(pose.orientation, d3_sub(position_of(world, id[i]), d3_at(pose.position)));
            const d3 off = d3_sub(rel, (d3){0.4 * i - 0.4, 0.15, 0.3});
            if (!(d3_length(off) < 5e-3))
                fail_msg("way %d, box %d: off by %.2f %.2f %.2f mm", way, i, off.x * 1e3, off.y * 1e3,
                         off.z * 1e3);
        }
        dry_world_destroy(world);
    }
}

/* A box that slides over many triangles begins to touch once, and ends once when it leaves the border. */
static void events_come_once_for_a_pair(void **state)
{
    (void)state;
    uint64_t seed = 3532;
    dry_world *world = world_with(test_settings());
    surface s = wavy_surface(40, 0.1, 0, &seed);
    dry_shape_def shape = mesh_shape(&s);
    shape.friction = 0;
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape);
    dry_shape_data_release(shape.data);
    dry_shape_def box = box_shape(0.2, 0.1, 0.15);
    box.friction = 0;
    const dry_body_id id = add_dynamic(world, pose_at(-1.5, 0.1, 0.03), box);
    set_velocity(world, id, (d3){2, 0, 0}, (d3){0, 0, 0});
    int begins = 0, ends = 0;
    for (int i = 0; i < 180; i++) {
        run_steps(world, 1, TEST_DT);
        const dry_events events = dry_world_events(world);
        begins += events.contact_begin_count;
        ends += events.contact_end_count;
        const double x = position_of(world, id).x;
        assert_int_equal(begins, 1);
        assert_int_equal(ends, x > 3 ? 1 : x < 1.9 ? 0 : ends);
    }
    assert_true(position_of(world, id).y < -1);
    dry_world_destroy(world);
}

/* What has come to rest sleeps, moves no more, and wakes when the ground goes. */
static void bodies_sleep_on_triangles(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        uint64_t seed = 3533;
        dry_settings settings = test_settings();
        settings.sleep = true;
        dry_world *world = world_with(settings);
        surface s = kind ? wavy_surface(40, 0.15, 0.1, &seed) : drawn_surface(40, 40, 0.15, &seed);
        if (kind == 0)
            surface_shift(&s, (d3){-3, 0, -3});
        dry_shape_def shape = mesh_shape(&s);
        const dry_body_id ground = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape);
        dry_shape_data_release(shape.data);
        dry_body_id id[9];
        for (int i = 0; i < 9; i++)
            id[i] = add_dynamic(world, pose_at(i % 3 - 1, 0.5, i / 3 - 1), box_shape(0.2, 0.1, 0.15));
        int seconds = 0;
        do
            run_steps(world, 60, TEST_DT);
        while (++seconds < 20 && dry_world_statistics(world).awake_bodies > 0);
        assert_int_equal(dry_world_statistics(world).awake_bodies, 0);
        const uint64_t hash = dry_world_hash(world);
        run_steps(world, 60, TEST_DT);
        assert_true(dry_world_hash(world) == hash);
        set_velocity(world, id[4], (d3){0, 2, 0}, (d3){0, 0, 0});
        run_steps(world, 1, TEST_DT);
        assert_int_equal(dry_world_statistics(world).awake_bodies, 1);
        assert_ok(dry_body_destroy(world, ground));
        run_steps(world, 30, TEST_DT);
        assert_int_equal(dry_world_statistics(world).awake_bodies, 9);
        for (int i = 0; i < 9; i++)
            assert_true(velocity_of(world, id[i]).y < -2);
        dry_world_destroy(world);
    }
}

/* The data of the debris and its ground. */
typedef struct debris_data {
    dry_shape_data *mesh, *field, *table, *hull;
} debris_data;

static debris_data debris_begin(void)
{
    uint64_t seed = 3534;
    debris_data d = {0};
    surface s = wavy_surface(60, 0.2, 0.15, &seed);
    surface_spoil(&s, &seed);
    d.mesh = mesh_data(&s, false);
    surface_free(&s);
    d.field = field_data(20, 0.3, DRY_DIAGONAL_BACKWARD);
    d.table = table_data();
    dry_vec3 points[24];
    for (int i = 0; i < 24; i++)
        points[i] = v3_of(d3_scale(d3_unit(random_d3(&seed, 1)), random_in(&seed, 0.2, 0.25)));
    assert_ok(dry_hull_create(points, 24, 0, NULL, &d.hull, NULL));
    return d;
}

static void debris_end(debris_data *d)
{
    dry_shape_data_release(d->mesh);
    dry_shape_data_release(d->field);
    dry_shape_data_release(d->table);
    dry_shape_data_release(d->hull);
}

static dry_shape_def debris_shape(const debris_data *d, int i, double size)
{
    dry_shape_def shape = dry_default_shape_def();
    switch (i % 6) {
    case 0:
        return sphere_shape(size);
    case 1:
        return capsule_shape(0.6 * size, size);
    case 2:
        return box_shape(size, 0.5 * size, 0.8 * size);
    case 3:
        shape.type = DRY_SHAPE_CYLINDER;
        shape.radius = (float)size;
        shape.half_length = (float)(0.7 * size);
        return shape;
    case 4:
        shape.type = DRY_SHAPE_HULL;
        shape.data = d->hull;
        shape.scale = v3(4 * size, -5 * size, 3 * size);
        return shape;
    default:
        shape.type = DRY_SHAPE_COMPOUND;
        shape.data = d->table;
        shape.scale = v3(-2 * size, 2 * size, 2 * size);
        return shape;
    }
}

/* Bodies of every shape above a mesh, with a height field above a part of it that moves. */
static void add_debris(dry_world *world, const debris_data *d, int count)
{
    uint64_t seed = 3535;
    dry_shape_def ground = data_shape(DRY_SHAPE_MESH, d->mesh);
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), ground);
    ground.type = DRY_SHAPE_HEIGHT_FIELD;
    ground.data = d->field;
    const dry_body_id lift = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 0.3, -3), ground);
    set_velocity(world, lift, (d3){0, 0.1, 0}, (d3){0, 0.05, 0});
    for (int i = 0; i < count; i++) {
        dry_pose pose = pose_at(i % 10 * 0.7 - 3.3, 1.2 + i / 100 * 0.8, i / 10 % 10 * 0.7 - 3.3);
        pose.orientation = random_quat(&seed);
        add_dynamic(world, pose, debris_shape(d, i, random_in(&seed, 0.1, 0.25)));
    }
}

/* The same bits for every number of threads and every instruction set; no body is lost. */
static void every_team_gives_the_same_bits(void **state)
{
    (void)state;
    debris_data d = debris_begin();
    const int bodies = test_pick(200, 100), steps = test_pick(240, 60);
    uint64_t hash = 0;
    bool has_hash = false;
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++)
        for (int threads = 1; threads < 5; threads += 3) {
            if (!dry_isa_available((dry_isa)isa) || (threads == 4 && isa != (int)test_widest_isa()))
                continue;
            dry_world_def def = test_world_def();
            def.threads = threads;
            def.isa = (dry_isa)isa;
            dry_world *world = world_from(&def);
            add_debris(world, &d, bodies);
            run_steps(world, steps, TEST_DT);
            assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
            if (has_hash && dry_world_hash(world) != hash)
                fail_msg("another state with %s and %d threads", dry_isa_name((dry_isa)isa), threads);
            hash = dry_world_hash(world);
            has_hash = true;
            dry_world_destroy(world);
        }
    debris_end(&d);
}

/* Steps with each allocation of theirs refused in turn: a step that fails moves nothing, and is made again.
 */
static void memory_that_fails_moves_nothing(void **state)
{
    (void)state;
    debris_data d = debris_begin();
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = test_world_def();
    def.allocator = counting_hooks(&counter);
    dry_world *world = world_from(&def);
    add_debris(world, &d, 30);
    int refusals = 0;
    for (int i = 0; i < test_pick(240, 120); i++) {
        dry_result result = DRY_ERROR_MEMORY;
        for (int n = 0; result != DRY_OK; n++) {
            const uint64_t motion = dry_world_motion_hash(world);
            counter.fail_at = (int64_t)counter.calls + n;
            result = dry_world_step(world, TEST_DT);
            if (result == DRY_OK)
                break;
            assert_int_equal(result, DRY_ERROR_MEMORY);
            assert_true(dry_world_motion_hash(world) == motion);
            refusals++;
        }
    }
    assert_true(refusals > 10);
    dry_body_id ids[40];
    const int count = dry_world_get_bodies(world, ids, 40);
    for (int i = 0; i < count; i++) /* the lowest ground is 0.3 m below y = 0 */
        assert_true(fabs(position_of(world, ids[i]).x) > 6 || position_of(world, ids[i]).y > -0.31);
    assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
    dry_world_destroy(world);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
    debris_end(&d);
}

/* A warmed-up step allocates nothing: bodies that roll around in a bowl of triangles. */
static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    debris_data d = debris_begin();
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = test_world_def();
    def.settings = test_settings();
    def.allocator = counting_hooks(&counter);
    dry_world *world = world_from(&def);
    add_debris(world, &d, 60);
    run_steps(world, 400, TEST_DT);
    const uint64_t calls = counter.calls;
    run_steps(world, 60, TEST_DT);
    assert_true(counter.calls == calls);
    dry_world_destroy(world);
    debris_end(&d);
}

/* Shapes of triangles do not touch each other: the log names the first pair, the statistics count all. Static
 * ones, those of one body and those that filters part are no pairs. */
static void triangles_do_not_touch_triangles(void **state)
{
    (void)state;
    uint64_t seed = 3539;
    log_lines lines = {0};
    dry_world_def def = dry_default_world_def();
    def.log = (dry_log){keep_line, &lines};
    dry_world *world;
    assert_ok(dry_world_create(&def, &world));
    surface s = wavy_surface(12, 0.5, 0.1, &seed);
    dry_shape_def shape = mesh_shape(&s), filtered = shape, both[2] = {shape, shape};
    filtered.filter.mask = 0;
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape);
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0.1, 0), shape);
    const dry_body_id lone = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 100, 0), both[0]);
    dry_shape_id more;
    assert_ok(dry_body_create_shape(world, lone, &both[1], &more));
    add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 0, 0), filtered);
    run_steps(world, 2, TEST_DT);
    assert_int_equal(dry_world_statistics(world).triangle_pairs, 0);
    assert_int_equal(lines.count, 0);

    const dry_body_id moving = add_body(world, DRY_BODY_KINEMATIC, pose_at(0, 0.2, 0), shape);
    run_steps(world, 1, TEST_DT);
    assert_int_equal(dry_world_statistics(world).triangle_pairs, 2);
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.last, "made of triangles"));
    run_steps(world, 5, TEST_DT);
    assert_int_equal(dry_world_statistics(world).triangle_pairs, 2); /* nothing has moved */
    set_velocity(world, moving, (d3){10, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 10, TEST_DT);
    const uint64_t counted = dry_world_statistics(world).triangle_pairs;
    assert_true(counted > 2 && counted % 2 == 0);
    assert_int_equal(lines.count, 1);
    assert_int_equal(dry_world_statistics(world).manifolds + dry_world_statistics(world).pairs, 0);
    dry_world_destroy(world);
    dry_shape_data_release(shape.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compounds_stand),
        cmocka_unit_test(platforms_carry),
        cmocka_unit_test(events_come_once_for_a_pair),
        cmocka_unit_test(bodies_sleep_on_triangles),
        cmocka_unit_test(every_team_gives_the_same_bits),
        cmocka_unit_test(memory_that_fails_moves_nothing),
        cmocka_unit_test(warm_steps_allocate_nothing),
        cmocka_unit_test(triangles_do_not_touch_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
