/* A world of more constraints than a band has: every constraint in one lane, bodies apart in what is solved
 * side by side, bands in order, and the same bits for any team and instruction set. Small worlds' layouts are
 * checked by test_api_fuzz.c and test_destroy.c after each call. */
#include "tests/world_checker.h"

enum { WIDTH = 192, LAYERS = 3, LINKS = 20 };

/* A floor of cubes side by side, pressed into each other a little; some stand on them. Apart a chain. */
static dry_world *make_world(int threads, dry_isa isa)
{
    dry_world_def def = test_world_def();
    def.settings = test_settings();
    def.settings.substeps = 1;
    def.isa = isa;
    def.threads = threads;
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0);
    dry_body_id ids[LINKS];
    for (int i = 0; i < LINKS / 2; ++i)
        ids[i] = add_dynamic(world, pose_at(2 * i, 20, 0), sphere_shape(0.5));
    for (int i = 0; i < WIDTH * WIDTH; ++i)
        add_dynamic(world, pose_at(0.999 * (i % WIDTH), 0.499, 0.999 * (i / WIDTH)),
                    box_shape(0.5, 0.5, 0.5));
    for (int layer = 1; layer < LAYERS; ++layer)
        for (int i = 0; i < WIDTH; ++i)
            add_dynamic(world, pose_at(0.999 * i, 0.499 + 0.999 * layer, 0.999 * i),
                        box_shape(0.5, 0.5, 0.5));
    for (int i = LINKS / 2; i < LINKS; ++i)
        ids[i] = add_dynamic(world, pose_at(2 * (LINKS - 1 - i), 20, 2), sphere_shape(0.5));
    for (int i = 0; i < LINKS; ++i) {
        dry_joint_def joint = dry_default_joint_def(i % 2 ? DRY_JOINT_BALL : DRY_JOINT_DISTANCE);
        joint.body_a = ids[i];
        joint.body_b = ids[(i + 1) % LINKS];
        dry_joint_id id;
        assert_ok(dry_world_create_joint(world, &joint, &id));
    }
    return world;
}

static uint64_t run(int threads, dry_isa isa)
{
    snprintf(checker_place, sizeof checker_place, "%d threads, %s", threads, dry_isa_name(isa));
    dry_world *world = make_world(threads, isa);
    for (int step = 0; step < 2; ++step) {
        run_steps(world, 1, TEST_DT);
        check(check_layout(world) > 1);
    }
    uint64_t hash = dry_world_hash(world);
    dry_world_destroy(world);
    return hash;
}

static void test_bands(void **state)
{
    (void)state;
    const uint64_t expected = run(1, DRY_ISA_AUTO);
    assert_true(run(2, DRY_ISA_AUTO) == expected);
    assert_true(run(5, DRY_ISA_AUTO) == expected);
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; ++isa)
        if (dry_isa_available((dry_isa)isa) && (isa == DRY_ISA_SCALAR || !test_quick()))
            assert_true(run(1, (dry_isa)isa) == expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
