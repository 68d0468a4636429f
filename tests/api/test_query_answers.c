/* Casts of shapes, contacts at a pose, closest points and points inside whose answers have a closed form:
 * starts inside, sides of triangles, solids; and queries that are refused. */
#include "tests/log_lines.h"
#include "tests/query_shapes.h"

static void spheres_have_closed_forms(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    const dry_body_id body = add_body(world, DRY_BODY_STATIC, pose_at(10, 0, 0), sphere_shape(1));
    const dry_shape_def ball = sphere_shape(0.5);
    dry_cast_query cast = {
        .shape = &ball, .pose = pose_at(0, 0.9, 0), .translation = {20, 0, 0}, .mask = ~0ull};
    dry_cast_hit hit;
    assert_ok(dry_world_cast_shape(world, &cast, &hit));
    assert_int_equal(hit.body.bits, body.bits);
    assert_near(hit.fraction, (10 - 1.2) / 20, 1e-6); /* 1.5^2 = 0.9^2 + 1.2^2 */
    assert_near(hit.normal.x, -0.8, 1e-5);
    assert_near(hit.normal.y, 0.6, 1e-5);
    assert_near(hit.point.x, 10 - 0.8, 1e-5);
    cast.pose.position.x = 9.5;
    cast.pose.position.y = 0;
    assert_ok(dry_world_cast_shape(world, &cast, &hit));
    assert_true(hit.fraction == 0);
    assert_near(hit.depth, 1, 1e-6);
    assert_near(hit.normal.x, -1, 1e-6);
    /* Touching, it hits only on its way in. */
    cast.pose.position.x = 8.5;
    assert_ok(dry_world_cast_shape(world, &cast, &hit));
    assert_true(hit.shape.bits && hit.fraction == 0 && hit.depth == 0);
    cast.translation = v3(0, 3, 0);
    assert_ok(dry_world_cast_shape(world, &cast, &hit));
    assert_true(hit.shape.bits == 0 && hit.child == -1 && hit.triangle == -1);
    dry_closest_query closest = {.pose = pose_at(7, 0, 0), .max_distance = 2.5f, .mask = ~0ull};
    dry_closest_hit near;
    assert_ok(dry_world_closest(world, &closest, &near));
    assert_near(near.distance, 2, 1e-6);
    assert_near(near.point.x, 9, 1e-6);
    closest.max_distance = 1.9f;
    assert_ok(dry_world_closest(world, &closest, &near));
    assert_int_equal(near.shape.bits, 0);
    closest.pose.position.x = 10.25;
    assert_ok(dry_world_closest(world, &closest, &near));
    assert_near(near.distance, -0.75, 1e-6);
    assert_near(near.normal.x, 1, 1e-6);
    dry_world_destroy(world);
}

static void contacts_have_up_to_four_points(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), box_shape(5, 1, 5));
    add_floor(world, 0.5, 0);
    const dry_shape_def shapes[] = {box_shape(0.5, 0.5, 0.5), cylinder_shape(0.5, 0.5),
                                    capsule_shape(0.2, 0.7), sphere_shape(0.5)};
    const int points[] = {4, 4, 2, 1};
    for (int i = 0; i < COUNT_OF(shapes); i++) {
        dry_collide_query q = {.shape = &shapes[i], .pose = pose_at(4.8, 0.49, 0), .mask = ~0ull};
        if (i == 2)
            q.pose = (dry_pose){{1, 0.19, 0}, quat_about((d3){0, 0, 1}, TEST_PI / 2)};
        dry_collide_hit hits[4];
        int count;
        assert_ok(dry_world_collide(world, &q, hits, 4, &count));
        assert_int_equal(count, 2);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(hits[k].count, points[i]);
            assert_near(hits[k].depth, 0.01, 1e-5);
            assert_near(hits[k].normal.y, 1, 1e-5);
            for (int p = 0; p < hits[k].count; p++) {
                assert_near(hits[k].points[p].separation, -0.01, 1e-5);
                assert_near(hits[k].points[p].position.y, 0, 1e-5);
            }
        }
    }
    dry_world_destroy(world);
}

static void one_sided_triangles_are_passed_from_behind(void **state)
{
    (void)state;
    const dry_vec3 corner[3] = {{-2, 0, -2}, {0, 0, 3}, {2, 0, -2}};
    const int32_t up[3] = {0, 1, 2};
    const dry_mesh mesh = {corner, up, 3, 1};
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, NULL, NULL, &data, NULL));
    dry_world *world = world_with(test_settings_weightless());
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), data_shape(DRY_SHAPE_MESH, data));
    const dry_shape_def ball = sphere_shape(0.5);
    static const dry_triangle_sides sides[] = {DRY_SIDES_OF_SHAPE, DRY_SIDES_FRONT, DRY_SIDES_BACK,
                                               DRY_SIDES_BOTH};
    static const bool met[4][2] = {{true, false}, {true, false}, {false, true}, {true, true}};
    for (int i = 0; i < 4; i++)
        for (int below = 0; below < 2; below++) {
            dry_cast_query q = {.shape = &ball, .pose = pose_at(0, below ? -2 : 2, 0), .mask = ~0ull};
            q.translation = v3(0, below ? 4 : -4, 0);
            q.sides = sides[i];
            dry_cast_hit hit;
            assert_ok(dry_world_cast_shape(world, &q, &hit));
            assert_int_equal(hit.shape.bits != 0, met[i][below]);
            dry_ray ray = {
                .origin = q.pose.position, .translation = q.translation, .mask = ~0ull, .sides = sides[i]};
            dry_ray_hit point;
            assert_ok(dry_world_cast_ray(world, &ray, &point));
            assert_int_equal(point.shape.bits != 0, met[i][below]);
            if (met[i][below]) {
                assert_int_equal(hit.back, below);
                assert_int_equal(point.back, below);
                assert_near(hit.fraction, 0.375, 1e-6);
                assert_near(point.fraction, 0.5, 1e-6);
            }
            /* The way out leads to the side that counts, however deep the ball is. */
            dry_collide_query at = {.shape = &ball, .pose = pose_at(0, below ? -0.1 : 0.1, 0), .mask = ~0ull};
            at.sides = sides[i];
            dry_collide_hit contact;
            int count;
            assert_ok(dry_world_collide(world, &at, &contact, 1, &count));
            assert_int_equal(count, met[i][below]);
            if (count) {
                assert_near(contact.depth, 0.4, 1e-5);
                assert_near(contact.normal.y, below ? -1 : 1, 1e-5);
            }
        }
    dry_shape_data_release(data);
    dry_world_destroy(world);
}

/* A tetrahedron as a solid mesh: what is inside leaves it by the nearest triangle. */
static void solid_meshes_push_out(void **state)
{
    (void)state;
    const dry_vec3 corner[4] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    const int32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const dry_mesh mesh = {corner, faces, 4, 4};
    const dry_mesh_options options = {.solid = true};
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
    dry_world *world = world_with(test_settings_weightless());
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), data_shape(DRY_SHAPE_MESH, data));
    const dry_shape_def ball = sphere_shape(0.25);
    dry_collide_query q = {.shape = &ball, .pose = pose_at(1, 0.5, 1), .mask = ~0ull};
    dry_collide_hit contact;
    int count;
    assert_ok(dry_world_collide(world, &q, &contact, 1, &count));
    assert_int_equal(count, 1);
    assert_int_equal(contact.triangle, 1);
    assert_near(contact.depth, 0.75, 1e-5);
    assert_near(contact.normal.y, -1, 1e-5);
    const dry_cast_query cast = {.shape = &ball, .pose = q.pose, .translation = {0, 5, 0}, .mask = ~0ull};
    dry_cast_hit hit;
    assert_ok(dry_world_cast_shape(world, &cast, &hit));
    assert_true(hit.fraction == 0);
    assert_near(hit.depth, 0.75, 1e-5);
    const dry_closest_query point = {.pose = q.pose, .max_distance = 1, .mask = ~0ull};
    dry_closest_hit near;
    assert_ok(dry_world_closest(world, &point, &near));
    assert_near(near.distance, -0.5, 1e-6);
    const dry_contains_query inside = {.point = {1, 0.5, 1}, .mask = ~0ull};
    assert_ok(dry_world_contains(world, &inside, NULL, 0, &count));
    assert_int_equal(count, 1);
    dry_shape_data_release(data);
    dry_world_destroy(world);
}

/* Two triangles with a material each: answers repeat its id, and the user data of shape and body. */
static void answers_say_who(void **state)
{
    (void)state;
    const dry_vec3 corner[4] = {{-2, 0, -2}, {-2, 0, 2}, {2, 0, -2}, {2, 0, 2}};
    const int32_t triangles[6] = {0, 1, 2, 2, 1, 3};
    const uint16_t indices[2] = {0, 1};
    const dry_mesh mesh = {corner, triangles, 4, 2};
    const dry_mesh_options options = {.material_indices = indices};
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
    dry_material materials[2] = {dry_default_material(), dry_default_material()};
    materials[0].id = 70;
    materials[1].id = 71;
    dry_shape_def shape = data_shape(DRY_SHAPE_MESH, data);
    shape.materials = materials;
    shape.material_count = 2;
    shape.user_data = 5;
    dry_body_def def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), &shape);
    def.user_data = 6;
    dry_world *world = world_with(test_settings_weightless());
    add_def(world, &def);
    const dry_shape_def ball = sphere_shape(0.1);
    for (int i = 0; i < 2; i++) {
        const dry_pose pose = pose_at(i ? 1 : -1, 0.05, i ? 1 : -1),
                       above = pose_at(pose.position.x, 2, pose.position.z);
        const dry_ray ray = {.origin = above.position, .translation = {0, -3, 0}, .mask = ~0ull};
        const dry_cast_query cast = {.shape = &ball, .pose = above, .translation = {0, -3, 0}, .mask = ~0ull};
        const dry_collide_query collide = {.shape = &ball, .pose = pose, .mask = ~0ull};
        const dry_closest_query closest = {.pose = pose, .max_distance = 1, .mask = ~0ull};
        dry_ray_hit a;
        dry_cast_hit b;
        dry_collide_hit c;
        dry_closest_hit d;
        int count;
        assert_ok(dry_world_cast_ray(world, &ray, &a));
        assert_ok(dry_world_cast_shape(world, &cast, &b));
        assert_ok(dry_world_collide(world, &collide, &c, 1, &count));
        assert_ok(dry_world_closest(world, &closest, &d));
        const uint64_t ids[4] = {a.material, b.material, c.material, d.material};
        const uint64_t shapes[4] = {a.shape_user_data, b.shape_user_data, c.shape_user_data,
                                    d.shape_user_data};
        const uint64_t bodies[4] = {a.body_user_data, b.body_user_data, c.body_user_data, d.body_user_data};
        const int numbers[4] = {a.triangle, b.triangle, c.triangle, d.triangle};
        for (int k = 0; k < 4; k++) {
            assert_int_equal(ids[k], 70 + i);
            assert_int_equal(shapes[k], 5);
            assert_int_equal(bodies[k], 6);
            assert_int_equal(numbers[k], i);
        }
    }
    dry_shape_data_release(data);
    dry_world_destroy(world);
}

static void bad_queries_are_refused_with_a_reason(void **state)
{
    (void)state;
    log_lines log = {0};
    dry_world_def def = test_world_def();
    def.log = (dry_log){keep_line, &log};
    dry_world *world = world_from(&def);
    const dry_body_id body = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(1));
    dry_shape_def ball = sphere_shape(0.5), plane = halfspace_shape(v3(0, 1, 0), 0), thin = sphere_shape(0);
    dry_cast_hit hit = {.fraction = 7};
    dry_closest_hit near;
    int count = 7;
    const dry_cast_query sound = {
        .shape = &ball, .pose = pose_at(5, 0, 0), .translation = {-9, 0, 0}, .mask = ~0ull};
    dry_cast_query q = sound;
    assert_ok(dry_world_cast_shape(world, &q, &hit));
    hit.fraction = 7;
#define REFUSED(call, expected, text)                                                                        \
    do {                                                                                                     \
        assert_int_equal((call), expected);                                                                  \
        assert_non_null(strstr(log.last, text));                                                             \
    } while (0)
    q.shape = NULL;
    REFUSED(dry_world_cast_shape(world, &q, &hit), DRY_ERROR_ARGUMENT, "shape is null");
    q.shape = &plane;
    REFUSED(dry_world_cast_shape(world, &q, &hit), DRY_ERROR_ARGUMENT, "shape.type must be a sphere");
    q.shape = &thin;
    REFUSED(dry_world_cast_shape(world, &q, &hit), DRY_ERROR_ARGUMENT, "radius must be 1e-4 to 1e6");
    q = sound;
    q.translation = v3(0, 0, 0);
    REFUSED(dry_world_cast_shape(world, &q, &hit), DRY_ERROR_ARGUMENT, "translation must not be zero");
    q = sound;
    q.sides = DRY_SIDES_COUNT;
    REFUSED(dry_world_cast_shape(world, &q, &hit), DRY_ERROR_ARGUMENT, "sides is unknown");
    q = sound;
    q.ignore_count = -1;
    REFUSED(dry_world_cast_shape(world, &q, &hit), DRY_ERROR_ARGUMENT, "ignore_count must be 0 or more");
    q.ignore_count = 1;
    REFUSED(dry_world_cast_shapes(world, 1, &q, &hit), DRY_ERROR_ARGUMENT, "queries[0].ignore is null");
    q = sound;
    q.body.bits = body.bits + (1ull << 40);
    REFUSED(dry_world_cast_shape(world, &q, &hit), DRY_ERROR_STALE_ID, "body names no body");
    dry_closest_query c = {.pose = pose_at(0, 0, 0), .max_distance = -1, .mask = ~0ull};
    REFUSED(dry_world_closest(world, &c, &near), DRY_ERROR_ARGUMENT, "max_distance must be 0 to 1e7");
    c.max_distance = NAN;
    REFUSED(dry_world_closest(world, &c, &near), DRY_ERROR_ARGUMENT, "max_distance must be 0 to 1e7");
    dry_collide_query m = {.shape = &ball, .pose = pose_at(0, 0, 0), .margin = 2e6f, .mask = ~0ull};
    REFUSED(dry_world_collide(world, &m, NULL, 0, &count), DRY_ERROR_ARGUMENT, "margin must be 0 to 1e6");
    dry_contains_query p = {.point = {INFINITY, 0, 0}, .mask = ~0ull};
    REFUSED(dry_world_contains(world, &p, NULL, 0, &count), DRY_ERROR_ARGUMENT, "point must be finite");
    REFUSED(dry_world_contains(world, NULL, NULL, 0, &count), DRY_ERROR_ARGUMENT, "null or negative");
    assert_true(hit.fraction == 7 && count == 7);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_have_closed_forms),
        cmocka_unit_test(contacts_have_up_to_four_points),
        cmocka_unit_test(one_sided_triangles_are_passed_from_behind),
        cmocka_unit_test(solid_meshes_push_out),
        cmocka_unit_test(answers_say_who),
        cmocka_unit_test(bad_queries_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests_name("answers of queries", tests, NULL, NULL);
}
