/* Tests that friction turns nothing that slides straight: neither a box over tiles, nor a table on two feet.
 *
 * Reads the public library. Next file: tests/solver/test_belts.c. */
#include "tests/test_world.h"

static const double mu = 0.4, fast = 5;

static dry_body_id add_sliding(dry_world *world, dry_shape_def shape, int feet)
{
    dry_shape_def shapes[2] = {shape, shape};
    shapes[1].pose.position = v3(0, 0, 1.2f);
    shapes[0].friction = shapes[1].friction = (float)mu;
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, (double)shape.half_extents.y, 0), shapes);
    def.shape_count = feet;
    return add_def(world, &def);
}

/* Slides a body along x until it stops. It goes v^2 / (2 mu g) without turning. */
static void slide_straight(dry_world *world, dry_body_id id)
{
    run_steps(world, 30, TEST_DT);
    const d3 start = position_of(world, id);
    set_velocity(world, id, (d3){fast, 0, 0}, (d3){0, 0, 0});
    for (int i = 0; i < 90; i++) {
        run_steps(world, 1, TEST_DT);
        assert_near(spin_of(world, id).y, 0, 0.02);
    }
    const d3 way = d3_sub(position_of(world, id), start);
    const double expected = fast * fast / (2 * mu * TEST_G);
    assert_near(way.x, expected, 0.01 * expected + fast / 60 / 2);
    assert_near(way.z, 0, 2e-3);
}

/* The patches of the tiles under a box bear unlike loads, and their centers are not those of their loads.
 * Torsion of each patch makes up for it. */
static void a_box_slides_straight_over_tiles(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * DRY_SOLVER_COUNT; k++) {
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)(k / 2);
        dry_world *world = world_with(settings);
        for (int i = -2; i < 12; i++)
            for (int j = -3; j < 3; j++) {
                dry_shape_def tile = box_shape(0.25, 0.25, 0.25);
                tile.friction = (float)mu;
                add_body(world, DRY_BODY_STATIC, pose_at(0.5 * i, -0.25, 0.5 * j + 0.1), tile);
            }
        const double half = k % 2 ? 0.6 : 0.3;
        slide_straight(world, add_sliding(world, box_shape((float)half, 0.1f, (float)(0.8 * half)), 1));
        dry_world_destroy(world);
    }
}

/* Likewise the two feet of a table, side by side. */
static void a_table_slides_straight(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++) {
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)solver;
        dry_world *world = world_with(settings);
        dry_shape_def floor = box_shape(50, 1, 50);
        floor.friction = (float)mu;
        add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), floor);
        slide_straight(world, add_sliding(world, box_shape(0.5, 0.2, 0.5), 2));
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_slides_straight_over_tiles),
        cmocka_unit_test(a_table_slides_straight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
