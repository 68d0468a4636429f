/* Tests compounds: one child is that shape, several are a body of several shapes; events tell of pairs; data
 * live as long as somebody uses them. */
#include "tests/counting_allocator.h"
#include "tests/log_lines.h"
#include "tests/test_world.h"

static dry_shape_data *compound_of(const dry_shape_def *children, int count)
{
    dry_shape_data *data = NULL;
    assert_ok(dry_compound_create(children, count, NULL, &data));
    return data;
}

/* Three bars along the axes, one with a ball at its end. */
static void draw_cross(dry_shape_def child[4])
{
    child[0] = box_shape(0.6, 0.1, 0.1);
    child[1] = box_shape(0.1, 0.4, 0.15);
    child[2] = capsule_shape(0.1, 0.3);
    child[3] = sphere_shape(0.2);
    child[0].pose.position = v3(0.3, 0, 0);
    child[1].pose.position = v3(0, 0.4, 0);
    child[2].pose = (dry_transform){v3(0, 0, 0.3), {0.70710678f, 0, 0, 0.70710678f}};
    child[3].pose.position = v3(0, 0, 0.6);
}

/* Where bodies of either form come to rest differs only by the order of their contacts. */
static void several_children_are_a_body_of_several_shapes(void **state)
{
    (void)state;
    dry_shape_def child[4];
    draw_cross(child);
    dry_shape_data *data = compound_of(child, 4);
    double energy[2] = {0}, height[2] = {0};
    dry_mass mass[2];
    for (int way = 0; way < 2; way++) {
        dry_world *world = world_with(test_settings());
        add_floor(world, 0.6, 0);
        dry_shape_def shape = data_shape(DRY_SHAPE_COMPOUND, data);
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 1, 0), way ? child : &shape);
        def.shape_count = way ? 4 : 1;
        def.pose.orientation = quat_about(d3_unit((d3){1, 2, 3}), 0.7);
        const dry_body_id id = add_def(world, &def);
        assert_ok(dry_body_get_mass(world, id, &mass[way]));
        run_steps(world, 20, TEST_DT); /* in free flight */
        energy[way] = position_of(world, id).y;
        run_steps(world, 400, TEST_DT);
        height[way] = position_of(world, id).y;
        dry_world_destroy(world);
    }
    assert_near(mass[0].mass, mass[1].mass, 1e-5 * mass[1].mass);
    assert_near(mass[0].center.x, mass[1].center.x, 1e-6);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(mass[0].inertia[i][j], mass[1].inertia[i][j], 1e-5 * mass[1].inertia[0][0]);
    assert_near(energy[0], energy[1], 1e-6);
    assert_near(height[0], height[1], 2e-3);
    dry_shape_data_release(data);
}

/* A row of tiles as one shape: a box that crosses them begins once, and ends once when it leaves. */
static void a_pair_begins_and_ends_once(void **state)
{
    (void)state;
    enum { TILES = 12 };
    dry_shape_def tile[TILES];
    for (int i = 0; i < TILES; i++) {
        tile[i] = box_shape(0.5, 0.25, 1);
        tile[i].pose.position = v3(i, -0.25 - 0.002 * (i % 2), 0);
    }
    dry_shape_data *data = compound_of(tile, TILES);
    dry_world *world = world_with(test_settings());
    dry_shape_def floor = data_shape(DRY_SHAPE_COMPOUND, data);
    floor.friction = 0;
    const dry_body_id ground = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), floor);
    const dry_body_id box = add_dynamic(world, pose_at(0, 0.2, 0), box_shape(0.7, 0.2, 0.3));
    int begins = 0, ends = 0, most = 0;
    for (int i = 0; i < 300; i++) {
        set_velocity(world, box, (d3){4, position_of(world, box).x > 11.5 ? -2 : 0, 0}, (d3){0, 0, 0});
        run_steps(world, 1, TEST_DT);
        const dry_events events = dry_world_events(world);
        begins += events.contact_begin_count;
        ends += events.contact_end_count;
        dry_contact contacts[TILES];
        int count;
        assert_ok(dry_body_get_contacts(world, ground, contacts, TILES, &count));
        most = count > most ? count : most;
    }
    assert_true(most >= 2);
    assert_true(position_of(world, box).y < -1);
    assert_int_equal(begins, 1);
    assert_int_equal(ends, 1);
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

/* One parent counts for shape_pairs_max, whatever the number of its children. */
static void limits_count_pairs(void **state)
{
    (void)state;
    dry_shape_def child[64];
    for (int i = 0; i < 64; i++) {
        child[i] = box_shape(0.5, 0.1, 0.5);
        child[i].pose.position = v3(i % 8 - 3.5, -0.1, i / 8 - 3.5);
    }
    dry_shape_data *data = compound_of(child, 64);
    dry_settings settings = test_settings();
    settings.shape_pairs_max = 16;
    dry_world *world = world_with(settings);
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), data_shape(DRY_SHAPE_COMPOUND, data));
    const dry_body_id slab = add_dynamic(world, pose_at(0, 0.1, 0), box_shape(4, 0.1, 4));
    run_steps(world, 60, TEST_DT);
    const dry_statistics s = dry_world_statistics(world);
    assert_int_equal(s.crowded_pairs, 0);
    assert_int_equal(s.pairs, 1);
    assert_true(s.manifolds >= 36);
    assert_near(position_of(world, slab).y, 0.1, 1e-3);
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

/* A scaled compound is the compound of the scaled children. */
static void scale_is_that_of_the_children(void **state)
{
    (void)state;
    dry_shape_def child[2] = {box_shape(0.5, 0.2, 0.3), sphere_shape(0.25)}, small[2];
    child[0].pose = (dry_transform){v3(0.2, 0.1, 0), {0.18257419f, 0.36514837f, 0.54772256f, 0.73029674f}};
    child[1].pose.position = v3(-0.3, 0.5, 0.1);
    dry_shape_data *data = compound_of(child, 2);
    dry_shape_def scaled = data_shape(DRY_SHAPE_COMPOUND, data);
    scaled.scale = v3(-2, 2, 2);
    memcpy(small, child, sizeof child);
    small[0].half_extents = v3(1, 0.4, 0.6);
    small[0].pose.position = v3(-0.4, 0.2, 0);
    small[0].pose.orientation = (dry_quat){0.18257419f, -0.36514837f, -0.54772256f, 0.73029674f};
    small[1].radius = 0.5f;
    small[1].pose.position = v3(0.6, 1.0, 0.2);
    dry_world *world = world_with(test_settings());
    const dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), scaled);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(100, 0, 0), small);
    def.shape_count = 2;
    const dry_body_id b = add_def(world, &def);
    dry_mass mass[2];
    assert_ok(dry_body_get_mass(world, a, &mass[0]));
    assert_ok(dry_body_get_mass(world, b, &mass[1]));
    assert_near(mass[0].mass, mass[1].mass, 1e-5 * mass[1].mass);
    for (int i = 0; i < 9; i++)
        assert_near(mass[0].inertia[i / 3][i % 3], mass[1].inertia[i / 3][i % 3],
                    1e-4 * mass[1].inertia[0][0]);
    uint64_t seed = 3;
    int hits = 0;
    for (int i = 0; i < 500; i++) {
        const d3 from = random_d3(&seed, 3.0), to = random_d3(&seed, 1.0);
        const dry_vec3 way = v3_of(d3_scale(d3_sub(to, from), 2.0));
        dry_ray_hit hit[2];
        for (int k = 0; k < 2; k++) {
            const dry_ray ray = {
                .origin = {from.x + 100 * k, from.y, from.z}, .translation = way, .mask = UINT64_MAX};
            assert_ok(dry_world_cast_ray(world, &ray, &hit[k]));
        }
        assert_int_equal(hit[0].shape.bits != 0, hit[1].shape.bits != 0);
        if (hit[0].shape.bits == 0)
            continue;
        hits++;
        assert_near(hit[0].fraction, hit[1].fraction, 1e-4);
        assert_near(hit[0].normal.x, hit[1].normal.x, 1e-3);
    }
    assert_true(hits > 50);
    int overlaps = 0;
    for (int i = 0; i < 300; i++) {
        const d3 at = random_d3(&seed, 2.0);
        dry_shape_id found[4];
        int count[2];
        for (int k = 0; k < 2; k++) {
            const dry_overlap query = {.pose = pose_at(at.x + 100 * k, at.y, at.z),
                                       .half_extents = v3(0.2, 0.3, 0.1),
                                       .radius = i % 2 ? 0.2f : 0.0f,
                                       .mask = UINT64_MAX};
            assert_ok(dry_world_overlap(world, &query, found, 4, &count[k]));
        }
        assert_int_equal(count[0], count[1] > 0);
        overlaps += count[0];
    }
    assert_true(overlaps > 20 && overlaps < 280);
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

static void data_live_as_long_as_they_are_used(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    dry_data_services services = {.allocator = counting_hooks(&counter)};
    const dry_shape_def ball = sphere_shape(0.5);
    dry_shape_data *data = NULL;
    assert_ok(dry_compound_create(&ball, 1, &services, &data));
    const uint64_t hash = dry_shape_data_hash(data);
    dry_world *first = world_with(test_settings()), *second = world_with(test_settings());
    const dry_body_id a = add_dynamic(first, pose_at(0, 0, 0), data_shape(DRY_SHAPE_COMPOUND, data));
    add_dynamic(second, pose_at(0, 0, 0), data_shape(DRY_SHAPE_COMPOUND, data));
    dry_shape_data_release(data);
    assert_true(counter.bytes > 0);
    dry_shape_id shape;
    dry_shape_def def;
    int count;
    assert_ok(dry_body_get_shapes(first, a, &shape, 1, &count));
    assert_ok(dry_shape_get_def(first, shape, &def));
    assert_ptr_equal(def.data, data);
    assert_true(dry_shape_data_hash(def.data) == hash);
    assert_int_equal(dry_world_hash(first), dry_world_hash(second));
    assert_ok(dry_body_destroy(first, a));
    dry_world_destroy(first);
    assert_true(counter.bytes > 0);
    dry_world_destroy(second);
    assert_int_equal(counter.bytes, 0);
    for (int fail = 0; fail < 3; fail++) { /* each allocation in turn */
        counter = (counting_allocator){.fail_at = fail};
        data = NULL;
        const dry_result result = dry_compound_create(&ball, 1, &services, &data);
        assert_int_equal(result, fail < 2 ? DRY_ERROR_MEMORY : DRY_OK);
        dry_shape_data_release(data);
        assert_int_equal(counter.bytes, 0);
    }
}

static void bad_children_are_refused(void **state)
{
    (void)state;
    log_lines lines = {0};
    dry_data_services services = {.log = {keep_line, &lines}};
    dry_shape_data *data = NULL;
    dry_shape_def child[3] = {box_shape(1, 1, 1), sphere_shape(1), capsule_shape(1, 1)};
    assert_int_equal(dry_compound_create(child, 0, &services, &data), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_compound_create(NULL, 2, &services, &data), DRY_ERROR_ARGUMENT);
    child[2].half_length = -1;
    assert_int_equal(dry_compound_create(child, 3, &services, &data), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "children[2]: half_length"));
    child[2] = halfspace_shape((dry_vec3){0, 1, 0}, 0);
    assert_int_equal(dry_compound_create(child, 3, &services, &data), DRY_ERROR_ARGUMENT);
    child[2] = sphere_shape(1);
    child[2].friction = 0.1f;
    assert_int_equal(dry_compound_create(child, 3, &services, &data), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "children[2]: density, surface"));
    child[2] = sphere_shape(1);
    child[2].scale = v3(1, 2, 1);
    assert_int_equal(dry_compound_create(child, 3, &services, &data), DRY_ERROR_ARGUMENT);
    assert_null(data);
    child[2].scale = v3(1, 1, 1);
    child[0].pose.orientation = quat_about((d3){0, 1, 0}, 0.3);
    data = compound_of(child, 3);
    dry_world *world = world_with(test_settings());
    dry_shape_def shape = data_shape(DRY_SHAPE_COMPOUND, data), none = data_shape(DRY_SHAPE_COMPOUND, NULL);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 0, 0), &shape);
    dry_body_id id;
    shape.scale = v3(1, 2, 1);
    assert_int_equal(dry_world_create_body(world, &def, &id), DRY_ERROR_ARGUMENT);
    shape.scale = v3(0, 1, 1);
    assert_int_equal(dry_world_create_body(world, &def, &id), DRY_ERROR_ARGUMENT);
    def.shapes = &none;
    assert_int_equal(dry_world_create_body(world, &def, &id), DRY_ERROR_ARGUMENT);
    shape.scale = v3(1, -1, 1);
    def.shapes = &shape;
    assert_ok(dry_world_create_body(world, &def, &id));
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

/* A heap of crosses on a floor of crosses: the same state for every number of threads. */
static void threads_give_the_same_bits(void **state)
{
    (void)state;
    dry_shape_def child[4];
    draw_cross(child);
    dry_shape_data *data = compound_of(child, 4);
    uint64_t hash[2];
    for (int way = 0; way < 2; way++) {
        dry_world_def def = test_world_def();
        def.threads = way ? 4 : 1;
        dry_world *world = world_from(&def);
        add_floor(world, 0.6, 0);
        uint64_t seed = 9;
        for (int i = 0; i < 60; i++) {
            dry_pose pose = pose_at(i % 4 * 1.1, 0.7 + i / 16 * 1.2, i / 4 % 4 * 1.1);
            pose.orientation = random_quat(&seed);
            add_dynamic(world, pose, data_shape(DRY_SHAPE_COMPOUND, data));
        }
        run_steps(world, test_pick(240, 60), TEST_DT);
        hash[way] = dry_world_hash(world);
        dry_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
    dry_shape_data_release(data);
}

/* The first step of a dense crowd has more pairs of pieces than all steps before had room for. */
static void a_crowd_needs_room_at_once(void **state)
{
    (void)state;
    enum { MANY = 48 };
    dry_shape_def child[8];
    for (int i = 0; i < 8; i++) {
        child[i] = sphere_shape(0.2);
        child[i].pose.position = v3(0.1 * (i % 4), 0.1 * (i / 4), 0.05 * i);
    }
    dry_shape_data *data = compound_of(child, 8);
    dry_world *world = world_with(test_settings());
    uint64_t seed = 21;
    for (int i = 0; i < MANY; i++) {
        const d3 at = random_d3(&seed, 0.5);
        add_dynamic(world, pose_at(at.x, at.y, at.z), data_shape(DRY_SHAPE_COMPOUND, data));
    }
    run_steps(world, 2, TEST_DT);
    const dry_statistics s = dry_world_statistics(world);
    assert_true(s.pairs > MANY * 16 && s.manifolds > 8 * s.pairs);
    assert_int_equal(s.quarantined_bodies, 0);
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_children_are_a_body_of_several_shapes),
        cmocka_unit_test(a_pair_begins_and_ends_once),
        cmocka_unit_test(limits_count_pairs),
        cmocka_unit_test(scale_is_that_of_the_children),
        cmocka_unit_test(data_live_as_long_as_they_are_used),
        cmocka_unit_test(bad_children_are_refused),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(a_crowd_needs_room_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
