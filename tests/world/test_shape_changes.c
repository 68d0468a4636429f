/* Tests changes of a living shape's form: what it held wakes and follows, the mass is that of the new form,
 * and contacts begin anew. */
#include "tests/test_world.h"

typedef struct pair_of_bodies {
    dry_world *world;
    dry_body_id stand, load;
    dry_shape_id shape; /* of the stand */
} pair_of_bodies;

/* A box that sleeps on another one, which stands on a floor. */
static pair_of_bodies sleeping_pair(void)
{
    dry_settings settings = test_settings();
    settings.sleep = true;
    pair_of_bodies p = {.world = world_with(settings)};
    add_floor(p.world, 0.6, 0);
    p.stand = add_dynamic(p.world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    p.load = add_dynamic(p.world, pose_at(0, 1.5, 0), box_shape(0.5, 0.5, 0.5));
    int count;
    assert_ok(dry_body_get_shapes(p.world, p.stand, &p.shape, 1, &count));
    run_steps(p.world, 120, TEST_DT);
    assert_int_equal(dry_world_statistics(p.world).awake_bodies, 0);
    return p;
}

/* Asserts that both bodies are awake, and where the load is once they rest. */
static void assert_load_rests_at(const pair_of_bodies *p, double height)
{
    assert_int_equal(dry_world_statistics(p->world).awake_bodies, 2);
    run_steps(p->world, 1, TEST_DT);
    assert_int_equal(dry_world_events(p->world).contact_end_count, 2);
    run_steps(p->world, 200, TEST_DT);
    assert_near(position_of(p->world, p->load).y, height, 2e-3);
    dry_world_destroy(p->world);
}

static void what_stood_on_a_form_stands_on_the_next(void **state)
{
    (void)state;
    pair_of_bodies p = sleeping_pair();
    dry_shape_def flat = box_shape(0.6, 0.2, 0.6);
    flat.density = 1; /* ignored: the density stays */
    assert_ok(dry_shape_set_geometry(p.world, p.shape, &flat));
    dry_shape_def def;
    assert_ok(dry_shape_get_def(p.world, p.shape, &def));
    assert_true(def.half_extents.y == 0.2f && def.density == 1000);
    dry_mass mass;
    assert_ok(dry_body_get_mass(p.world, p.stand, &mass));
    assert_near(mass.mass, 1000 * 1.2 * 1.2 * 0.4, 1e-3);
    assert_load_rests_at(&p, 0.9);

    p = sleeping_pair();
    dry_shape_def drum = dry_default_shape_def();
    drum.type = DRY_SHAPE_CYLINDER;
    drum.half_length = 0.4f;
    assert_ok(dry_shape_set_geometry(p.world, p.shape, &drum));
    assert_ok(dry_body_get_mass(p.world, p.stand, &mass));
    assert_near(mass.mass, 1000 * TEST_PI * 0.25 * 0.8, 1e-1);
    assert_load_rests_at(&p, 1.3);
}

static void a_place_and_a_density_change(void **state)
{
    (void)state;
    pair_of_bodies p = sleeping_pair();
    /* The body's frame stays where it is: its box moves down, and is pushed up again. */
    assert_ok(dry_shape_set_pose(p.world, p.shape, (dry_transform){{0, 0.25f, 0}, {0, 0, 0, 1}}));
    dry_mass mass;
    assert_ok(dry_body_get_mass(p.world, p.stand, &mass));
    assert_near(mass.center.y, 0.25, 1e-6);
    dry_world_destroy(p.world);

    p = sleeping_pair();
    assert_ok(dry_shape_set_density(p.world, p.shape, 250));
    assert_ok(dry_body_get_mass(p.world, p.stand, &mass));
    assert_near(mass.mass, 250, 1e-3);
    assert_load_rests_at(&p, 1.5);
}

static void a_refused_change_changes_nothing(void **state)
{
    (void)state;
    pair_of_bodies p = sleeping_pair();
    const uint64_t hash = dry_world_hash(p.world);
    dry_shape_def bad = box_shape(0.5, -1, 0.5);
    assert_int_equal(dry_shape_set_geometry(p.world, p.shape, &bad), DRY_ERROR_ARGUMENT);
    bad = halfspace_shape(v3(0, 1, 0), 0); /* on a dynamic body */
    assert_int_equal(dry_shape_set_geometry(p.world, p.shape, &bad), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_geometry(p.world, p.shape, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_density(p.world, p.shape, -1), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_shape_set_pose(p.world, p.shape, (dry_transform){{0, 0, 0}, {0, 0, 0, 2}}),
                     DRY_ERROR_ARGUMENT);
    assert_true(dry_world_hash(p.world) == hash);
    dry_world_destroy(p.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stood_on_a_form_stands_on_the_next),
        cmocka_unit_test(a_place_and_a_density_change),
        cmocka_unit_test(a_refused_change_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
