/* Tests what starts inside a solid of triangles: it comes out along the normal of the nearest triangle. A
 * surface that bounds nothing lets it be. */
#include "tests/test_world.h"

/* A block of 8 by 4 by 8 m, whose top is y = 0. */
static dry_shape_data *make_block(bool solid)
{
    dry_vec3 vertices[8];
    for (int i = 0; i < 8; i++)
        vertices[i] = v3(i & 1 ? 4 : -4, i & 2 ? 0 : -4, i & 4 ? 4 : -4);
    const int32_t triangles[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    const dry_mesh mesh = {vertices, triangles, 8, 12};
    const dry_mesh_options options = {.solid = solid};
    dry_shape_data *data = NULL;
    assert_ok(dry_mesh_create(&mesh, &options, NULL, &data, NULL));
    return data;
}

static dry_shape_data *make_field(float depth)
{
    const float heights[25] = {0};
    const dry_height_field_def def = {
        .rows = 5, .columns = 5, .spacing = {2, 2}, .heights = heights, .solid_depth = depth};
    dry_shape_data *data = NULL;
    assert_ok(dry_height_field_create(&def, NULL, &data, NULL));
    return data;
}

/* Returns where a shape ends that starts `deep` below the top, 1 m from the middle. */
static d3 end_of(dry_shape_data *data, dry_shape_type type, dry_shape_def moving, double deep)
{
    dry_world *world = world_with(test_settings());
    dry_shape_def ground = dry_default_shape_def();
    ground.type = type;
    ground.data = data;
    if (type == DRY_SHAPE_HEIGHT_FIELD)
        ground.pose.position = v3(-4, 0, -4);
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), ground);
    const dry_body_id id = add_dynamic(world, pose_at(1, -deep, 0.3), moving);
    run_steps(world, 240, TEST_DT);
    const d3 at = position_of(world, id);
    dry_world_destroy(world);
    return at;
}

static void what_is_inside_comes_out(void **state)
{
    (void)state;
    dry_shape_data *mesh = make_block(true), *field = make_field(4);
    const dry_shape_def shapes[] = {sphere_shape(0.25), box_shape(0.25, 0.25, 0.25),
                                    capsule_shape(0.25, 0.2)};
    for (int i = 0; i < COUNT_OF(shapes); i++)
        for (int k = 0; k < 2; k++) {
            const d3 at =
                end_of(k ? field : mesh, k ? DRY_SHAPE_HEIGHT_FIELD : DRY_SHAPE_MESH, shapes[i], 0.9);
            assert_true(at.y > 0.2 && at.y < 0.6);
            assert_true(fabs(at.x - 1) < 1 && fabs(at.z - 0.3) < 1);
        }
    dry_shape_data_release(mesh);
    dry_shape_data_release(field);
}

/* Without a solid a ball under the top falls: the block's bottom faces down, and the field has none. */
static void a_surface_holds_nothing_behind(void **state)
{
    (void)state;
    dry_shape_data *mesh = make_block(false), *field = make_field(0);
    assert_true(end_of(mesh, DRY_SHAPE_MESH, sphere_shape(0.25), 0.9).y < -10);
    assert_true(end_of(field, DRY_SHAPE_HEIGHT_FIELD, sphere_shape(0.25), 0.9).y < -10);
    dry_shape_data_release(mesh);
    dry_shape_data_release(field);
}

/* A solid field ends at its depth. */
static void a_field_is_solid_to_its_depth(void **state)
{
    (void)state;
    dry_shape_data *field = make_field(0.5f);
    assert_true(end_of(field, DRY_SHAPE_HEIGHT_FIELD, sphere_shape(0.25), 0.4).y > 0.2);
    assert_true(end_of(field, DRY_SHAPE_HEIGHT_FIELD, sphere_shape(0.25), 0.9).y < -10);
    dry_shape_data_release(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_inside_comes_out),
        cmocka_unit_test(a_surface_holds_nothing_behind),
        cmocka_unit_test(a_field_is_solid_to_its_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
