/* Tests the materials of triangles: each touches with its own, and an index without a material is refused. */
#include "tests/log_lines.h"
#include "tests/test_world.h"

/* Two strips along x that meet at z = 0, of 40 by 2 m in two triangles each: the strip at z > 0 is that of
 * material 1. */
static dry_shape_data *make_strips(uint16_t first, uint16_t second)
{
    const dry_vec3 vertices[] = {v3(-20, 0, -2), v3(20, 0, -2), v3(-20, 0, 0),
                                 v3(20, 0, 0),   v3(-20, 0, 2), v3(20, 0, 2)};
    const int32_t triangles[] = {0, 2, 3, 0, 3, 1, 2, 4, 5, 2, 5, 3};
    const uint16_t materials[] = {first, first, second, second};
    const dry_mesh mesh = {vertices, triangles, 6, 4};
    const dry_mesh_options options = {.material_indices = materials};
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
    return data;
}

static dry_shape_def shape_of(dry_shape_data *data, const dry_material *materials, int count)
{
    dry_shape_def def = data_shape(DRY_SHAPE_MESH, data);
    def.materials = materials;
    def.material_count = count;
    return def;
}

/* Ground of two materials: friction 0.5 with id 11, and ice with id 22. */
static void make_materials(dry_material m[2])
{
    m[0] = m[1] = dry_default_material();
    m[0].friction = 0.5f;
    m[0].id = 11;
    m[1].friction = 0.0f;
    m[1].id = 22;
}

/* A box that slides along x slows by mu g on the one strip and by nothing on the other. A box across both has
 * a contact with each. It slows by mu times the share of its weight that the one strip bears, about half:
 * since it can't turn, mechanics does not tell the share. */
static void each_strip_has_its_friction(void **state)
{
    (void)state;
    dry_material m[2];
    make_materials(m);
    dry_shape_data *data = make_strips(0, 1);
    const double z[] = {-1, 1, 0}, share[] = {1, 0, 0.5};
    for (int i = 0; i < 3; i++) {
        dry_world *world = world_with(test_settings());
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape_of(data, m, 2));
        dry_shape_def box = box_shape(0.5, 0.5, 0.5);
        box.friction = 0.5f;
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(-10, 0.5, z[i]), &box);
        def.locks = DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Y | DRY_LOCK_ANGULAR_Z;
        def.velocity.linear = v3(5, 0, 0);
        const dry_body_id id = add_def(world, &def);
        run_steps(world, 60, TEST_DT);
        dry_velocity v;
        assert_ok(dry_body_get_velocity(world, id, &v));
        assert_near((double)v.linear.x, 5 - share[i] * 0.5 * TEST_G, i == 2 ? 0.1 * 0.5 * TEST_G : 0.02 * 5);
        dry_contact contacts[4];
        const int count = dry_world_get_contacts(world, contacts, 4);
        assert_int_equal(count, i == 2 ? 2 : 1);
        unsigned seen = 0;
        for (int k = 0; k < count; k++) {
            const bool ice = contacts[k].material_a == 22;
            assert_true(contacts[k].material_a == (ice ? 22u : 11u) && contacts[k].material_b == 0);
            assert_true(ice ? contacts[k].triangle_a >= 2 && contacts[k].triangle_a <= 3
                            : contacts[k].triangle_a >= 0 && contacts[k].triangle_a <= 1);
            assert_int_equal(contacts[k].triangle_b, -1);
            seen |= ice ? 2 : 1;
        }
        assert_int_equal(seen, i == 0 ? 1 : i == 1 ? 2 : 3);
        dry_world_destroy(world);
    }
    dry_shape_data_release(data);
}

/* A hit names the triangle's material and the triangle. */
static void hits_name_the_triangle(void **state)
{
    (void)state;
    dry_material m[2];
    make_materials(m);
    dry_shape_data *data = make_strips(1, 0);
    dry_world *world = world_with(test_settings());
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape_of(data, m, 2));
    const dry_body_id id = add_dynamic(world, pose_at(3, 0.6, -1), sphere_shape(0.5));
    set_velocity(world, id, (d3){0, -5, 0}, (d3){0, 0, 0});
    dry_hit_event hit = {.triangle_a = -2};
    for (int i = 0; i < 30 && hit.triangle_a == -2; i++) {
        run_steps(world, 1, TEST_DT);
        if (dry_world_events(world).hit_count > 0)
            hit = dry_world_events(world).hits[0];
    }
    assert_true(hit.triangle_a == 0 || hit.triangle_a == 1);
    assert_int_equal(hit.triangle_b, -1);
    assert_true(hit.material_a == 22 && hit.material_b == 0);
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

/* New materials change the friction of what lies there. */
static void new_materials_reach_old_contacts(void **state)
{
    (void)state;
    dry_material m[2];
    make_materials(m);
    dry_shape_data *data = make_strips(0, 1);
    dry_world *world = world_with(test_settings());
    const dry_body_id ground = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape_of(data, m, 2));
    dry_shape_def box = box_shape(0.5, 0.5, 0.5);
    box.friction = 0.5f;
    const dry_body_id id = add_dynamic(world, pose_at(-10, 0.5, 1), box);
    run_steps(world, 10, TEST_DT);
    dry_shape_id shape;
    int count;
    assert_ok(dry_body_get_shapes(world, ground, &shape, 1, &count));
    m[1].friction = 0.5f;
    assert_ok(dry_shape_set_materials(world, shape, m, 2));
    set_velocity(world, id, (d3){5, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 30, TEST_DT);
    dry_velocity v;
    assert_ok(dry_body_get_velocity(world, id, &v));
    assert_near((double)v.linear.x, 5 - 0.25 * TEST_G, 0.02 * 5);
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

/* Data that name three materials need three, wherever a shape gets them or the data. */
static void an_index_without_material_is_refused(void **state)
{
    (void)state;
    dry_material m[3];
    make_materials(m);
    m[2] = m[1];
    dry_shape_data *data = make_strips(0, 2), *plain = make_strips(0, 0);
    log_lines lines = {0};
    dry_world_def world_def = test_world_def();
    world_def.log = (dry_log){keep_line, &lines};
    dry_world *world = world_from(&world_def);
    const dry_body_id body = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape_of(plain, NULL, 0));
    dry_shape_id shape, other;
    int count;
    assert_ok(dry_body_get_shapes(world, body, &shape, 1, &count));
    const uint64_t hash = dry_world_hash(world);
    const dry_shape_def none = shape_of(data, NULL, 0), two = shape_of(data, m, 2),
                        three = shape_of(data, m, 3);
    assert_int_equal(dry_body_create_shape(world, body, &none, &other), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "material index 2"));
    assert_int_equal(dry_body_create_shape(world, body, &two, &other), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_geometry(world, shape, &none), DRY_ERROR_ARGUMENT);
    assert_true(dry_world_hash(world) == hash);
    assert_ok(dry_body_create_shape(world, body, &three, &other));
    const uint64_t then = dry_world_hash(world);
    assert_int_equal(dry_shape_set_materials(world, other, m, 2), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "material index 2"));
    assert_true(dry_world_hash(world) == then);
    assert_ok(dry_shape_set_materials(world, other, m, 3));
    assert_int_equal(lines.count, 4);
    dry_world_destroy(world);
    dry_shape_data_release(data);
    dry_shape_data_release(plain);
}

/* A drum stands on as many triangles as a search has room for at first. They lie in one place, each of a
 * material of its own: each bears by itself, on more points of the drum than a contact has. */
static void materials_in_one_place_all_bear(void **state)
{
    (void)state;
    enum { COUNT = 24, POINTS = 32, TURNS = 12 };
    dry_vec3 points[POINTS], vertices[3 * COUNT];
    int32_t triangles[3 * COUNT];
    uint16_t indices[COUNT];
    dry_material materials[COUNT];
    dry_shape_data *drum, *data;
    for (int i = 0; i < POINTS; i++) {
        const double angle = 2 * TEST_PI * i / POINTS;
        points[i] = v3(0.5 * cos(angle), i % 2 ? 0.15 : -0.15, 0.5 * sin(angle));
    }
    assert_ok(dry_hull_create(points, POINTS, 0, NULL, &drum, NULL));
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < 3 * COUNT; i++) {
            const double angle = 2 * TEST_PI * (2 - i % 3 + turn / (double)TURNS) / 3;
            vertices[i] = v3(0.6 * cos(angle) + 0.002 * (i / 3), 0, 0.6 * sin(angle));
            triangles[i] = i;
        }
        for (int i = 0; i < COUNT; i++) {
            indices[i] = (uint16_t)i;
            materials[i] = dry_default_material();
        }
        const dry_mesh mesh = {vertices, triangles, 3 * COUNT, COUNT};
        const dry_mesh_options options = {.material_indices = indices};
        assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
        dry_world *world = world_with(test_settings());
        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), shape_of(data, materials, COUNT));
        dry_shape_def def = data_shape(DRY_SHAPE_HULL, drum);
        const dry_body_id id = add_body(world, DRY_BODY_DYNAMIC, pose_at(0.02, 0.15, 0), def);
        run_steps(world, 60, TEST_DT);
        dry_pose pose;
        assert_ok(dry_body_get_pose(world, id, &pose));
        assert_near(pose.position.y, 0.15, 1e-3);
        assert_int_equal(dry_world_statistics(world).manifolds, COUNT);
        dry_world_destroy(world);
        dry_shape_data_release(data);
    }
    dry_shape_data_release(drum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_strip_has_its_friction),
        cmocka_unit_test(hits_name_the_triangle),
        cmocka_unit_test(new_materials_reach_old_contacts),
        cmocka_unit_test(an_index_without_material_is_refused),
        cmocka_unit_test(materials_in_one_place_all_bear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
