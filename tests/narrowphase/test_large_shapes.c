/* Tests contacts on a box of 20 km, far from its center: they are as exact as those on a half-space, or on a
 * small box. */
#include "tests/test_world.h"

enum { CUBES = 10 };

typedef struct tower {
    dry_world *world;
    dry_body_id cube[CUBES];
    d3 up, foot;
} tower;

/* A tower over a half-space or a large box, all rotated. One bit of the rotation lifts the ground by 1 mm
 * there: the tower begins 2 mm above it. */
static tower tower_on(bool halfspace, dry_quat turn)
{
    tower t = {.up = d3_turn(turn, (d3){0.0, 1.0, 0.0}), .foot = d3_turn(turn, (d3){9876.5, 0.0, -5432.25})};
    dry_settings settings = test_settings();
    settings.gravity = v3_of(d3_scale(t.up, -TEST_G));
    settings.sleep = false;
    t.world = world_with(settings);
    const d3 low = d3_scale(t.up, -1.0);
    dry_pose pose = halfspace ? pose_at(0, 0, 0) : pose_at(low.x, low.y, low.z);
    pose.orientation = turn;
    add_body(t.world, DRY_BODY_STATIC, pose,
             halfspace ? halfspace_shape((dry_vec3){0, 1, 0}, 0) : box_shape(1e4, 1, 1e4));
    for (int i = 0; i < CUBES; i++) {
        const d3 at = d3_add(t.foot, d3_scale(t.up, 0.502 + i));
        pose.position = (dry_position){at.x, at.y, at.z};
        t.cube[i] = add_dynamic(t.world, pose, box_shape(0.5, 0.5, 0.5));
    }
    return t;
}

/* Returns how high a cube is over the lowest one, m. */
static double rise_of(const tower *t, int cube)
{
    return d3_dot(d3_sub(position_of(t->world, t->cube[cube]), position_of(t->world, t->cube[0])), t->up);
}

/* Returns how deep the lowest cube's points lie in the ground, m. */
static double depth_of(const tower *t)
{
    dry_contact contacts[4];
    int count;
    double deepest = -1.0;
    assert_ok(dry_body_get_contacts(t->world, t->cube[0], contacts, 4, &count));
    assert_int_equal(count, 2);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < contacts[i].point_count; k++)
            if (fabs(d3_dot(d3_sub(d3_at(contacts[i].points[k].position), t->foot), t->up)) < 0.5)
                deepest = fmax(deepest, -(double)contacts[i].points[k].separation);
    return deepest;
}

/* Returns the largest speed of a cube, m/s. */
static double speed_of(const tower *t)
{
    double most = 0.0;
    for (int i = 0; i < CUBES; i++) {
        dry_velocity v;
        assert_ok(dry_body_get_velocity(t->world, t->cube[i], &v));
        most = fmax(most, d3_length(d3_of(v.linear)));
    }
    return most;
}

static void tower_stands_as_on_a_halfspace(void **state)
{
    (void)state;
    uint64_t seed = 35;
    for (int i = 0; i < 3; i++) {
        const dry_quat turn = random_quat(&seed);
        tower on_plane = tower_on(true, turn), on_box = tower_on(false, turn);
        run_steps(on_plane.world, 360, TEST_DT);
        run_steps(on_box.world, 360, TEST_DT);
        for (int cube = 0; cube < CUBES; cube++)
            assert_near(rise_of(&on_box, cube), rise_of(&on_plane, cube), 1e-4);
        assert_near(depth_of(&on_box), depth_of(&on_plane), 1e-4);
        assert_at_most(speed_of(&on_box), 1e-3);
        dry_world_destroy(on_plane.world);
        dry_world_destroy(on_box.world);
    }
}

/* Returns where a shape that rolls off the edge of a cube, whose corner is at the origin, is after a second.
 */
static d3 rolled_off(double half, dry_shape_def shape)
{
    dry_world *world = world_with(test_settings());
    add_body(world, DRY_BODY_STATIC, pose_at(-half, -half, 0), box_shape(half, half, half));
    const dry_body_id id = add_dynamic(world, pose_at(-0.3, 0.5, 0.0), shape);
    set_velocity(world, id, (d3){1, 0, 0}, (d3){0, 0, -2});
    run_steps(world, 60, TEST_DT);
    const d3 at = position_of(world, id);
    dry_world_destroy(world);
    return at;
}

static void round_shapes_roll_off_as_off_a_small_box(void **state)
{
    (void)state;
    const dry_shape_def shapes[] = {sphere_shape(0.5), capsule_shape(0.5, 0.0)};
    for (int i = 0; i < COUNT_OF(shapes); i++) {
        const d3 small = rolled_off(2.0, shapes[i]), large = rolled_off(1e4, shapes[i]);
        assert_true(small.y < 0.4);
        assert_near(large.x, small.x, 2e-3);
        assert_near(large.y, small.y, 2e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tower_stands_as_on_a_halfspace),
        cmocka_unit_test(round_shapes_roll_off_as_off_a_small_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
