/* Columns that are absent until something needs them: nobody sees whether, when and by whom they were made.
 */
#include "tests/counting_allocator.h"

enum { HEAP = 30 };

static dry_shape_def plain_shape(int i)
{
    return i % 3 == 0 ? sphere_shape(0.4) : i % 3 == 1 ? capsule_shape(0.25, 0.3) : box_shape(0.4, 0.3, 0.5);
}

/* Two materials: with a belt, other rules, and an id. */
static const dry_material needy_materials[] = {
    {.friction = 0.4f, .static_friction = 0.5f, .surface_velocity = {0.5f, 0, 0}, .id = 3},
    {.friction = 0.4f, .friction_rule = DRY_COMBINE_MEAN, .rolling_resistance = 0.1f}};

static dry_shape_def needy_shape(void)
{
    dry_shape_def shape = box_shape(0.3, 0.4, 0.5);
    shape.pose = (dry_transform){v3(0.1, -0.2, 0.3), {0.0f, 0.6f, 0.0f, 0.8f}};
    shape.filter.group = 5;
    shape.friction = dry_default_shape_def().friction;
    shape.materials = needy_materials;
    shape.material_count = COUNT_OF(needy_materials);
    return shape;
}

static dry_mass lopsided(const dry_world *world, dry_body_id id)
{
    dry_mass mass = mass_of(world, id);
    mass.center = v3(0.05, 0, 0.02);
    return mass;
}

/* Makes a body and destroys it. A needy one needs every rare column in turn. */
static void come_and_go(dry_world *world, bool needy)
{
    dry_body_id id = add_dynamic(world, pose_at(0, 50, 0), needy ? needy_shape() : plain_shape(0));
    if (needy)
        assert_ok(dry_body_apply_force(world, id, v3(1, 2, 3)));
    if (needy) {
        assert_ok(dry_body_set_type(world, id, DRY_BODY_KINEMATIC));
        assert_ok(dry_body_move_to(world, id, pose_at(1, 2, 3), 1));
    }
    assert_ok(dry_body_destroy(world, id));
}

/* A heap, in the middle of whose fall something of each kind happens that needs a column. */
static void live(dry_world *world, uint64_t *hashes, int steps)
{
    dry_body_id ids[HEAP];
    dry_shape_id shape;
    uint64_t seed = 21;
    int count;
    add_floor(world, 0.6, 0);
    for (int i = 0; i < HEAP; ++i) {
        d3 p = random_d3(&seed, 1.5);
        ids[i] = add_dynamic(world, (dry_pose){{p.x, 3 + p.y, p.z}, random_quat(&seed)}, plain_shape(i));
    }
    for (int i = 0; i < steps; ++i) {
        dry_shape_def needy = needy_shape();
        dry_mass mass = lopsided(world, ids[4]);
        if (i == 10)
            assert_ok(dry_body_apply_force_at(world, ids[3], v3(900, 0, 50), (dry_position){0, 3, 0}));
        if (i == 15)
            assert_ok(dry_body_set_mass(world, ids[4], &mass));
        if (i == 20)
            assert_ok(dry_body_set_type(world, ids[4], DRY_BODY_KINEMATIC));
        if (i == 22 || i == 23)
            assert_ok(dry_body_move_to(world, ids[4], pose_at(0.1 * i, 1, 0), TEST_DT));
        if (i == 25)
            assert_ok(dry_body_create_shape(world, ids[7], &needy, &shape));
        if (i == 30) {
            assert_ok(dry_body_get_shapes(world, ids[9], &shape, 1, &count));
            assert_ok(dry_shape_set_filter(world, shape, (dry_filter){2, 1, 0}));
        }
        if (i == 35)
            assert_ok(dry_body_set_type(world, ids[4], DRY_BODY_DYNAMIC));
        if (i == 40)
            assert_ok(dry_body_set_mass_from_shapes(world, ids[4]));
        run_steps(world, 1, TEST_DT);
        hashes[i] = dry_world_hash(world);
    }
}

/* A world that has all columns from the first goes through the same states as one that gets them late. */
static void test_early_or_late(void **state)
{
    (void)state;
    enum { STEPS = 90 };
    uint64_t late[STEPS], early[STEPS];
    dry_world_def def = test_world_def();
    def.tag = 1;
    dry_world *world = world_from(&def);
    come_and_go(world, false);
    live(world, late, STEPS);
    dry_world_destroy(world);
    world = world_from(&def);
    come_and_go(world, true);
    live(world, early, STEPS);
    dry_world_destroy(world);
    for (int i = 0; i < STEPS; ++i)
        assert_true(late[i] == early[i]);
}

/* A body and its shape as a caller reads them. */
typedef struct looks {
    dry_pose pose;
    dry_mass mass;
    dry_shape_def shape;
} looks;

static looks looks_of(const dry_world *world, dry_body_id id)
{
    looks l;
    dry_shape_id shape;
    int count;
    memset(&l, 0, sizeof l);
    l.pose = pose_of(world, id);
    l.mass = mass_of(world, id);
    assert_ok(dry_body_get_shapes(world, id, &shape, 1, &count));
    assert_ok(dry_shape_get_def(world, shape, &l.shape));
    return l;
}

static void assert_same_looks(const looks *a, const looks *b)
{
    assert_memory_equal(&a->pose.position, &b->pose.position, sizeof a->pose.position);
    assert_memory_equal(&a->pose.orientation, &b->pose.orientation, sizeof a->pose.orientation);
    assert_memory_equal(&a->mass, &b->mass, sizeof a->mass);
    assert_memory_equal(&a->shape.pose, &b->shape.pose, sizeof a->shape.pose);
    assert_true(a->shape.filter.category == b->shape.filter.category &&
                a->shape.filter.mask == b->shape.filter.mask &&
                a->shape.filter.group == b->shape.filter.group);
}

/* Plain bodies look the same before the first needy one and after, and so do those made later. */
static void test_others_do_not_see_it(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id ids[2 * HEAP];
    looks before[HEAP], after;
    for (int i = 0; i < HEAP; ++i) {
        ids[i] = add_dynamic(world, pose_at(3 * i, 0, 0), plain_shape(i));
        before[i] = looks_of(world, ids[i]);
        assert_true(before[i].shape.filter.category == 1 && before[i].shape.filter.mask == UINT64_MAX);
        assert_true(before[i].shape.pose.orientation.w == 1 && before[i].shape.pose.position.x == 0);
    }
    come_and_go(world, true);
    for (int i = 0; i < HEAP; ++i) {
        after = looks_of(world, ids[i]);
        assert_same_looks(&before[i], &after);
        ids[HEAP + i] = add_dynamic(world, pose_at(3 * i, 0, 0), plain_shape(i));
        after = looks_of(world, ids[HEAP + i]);
        assert_same_looks(&before[i], &after);
    }
    dry_world_destroy(world);
}

/* Bodies that stay keep their columns, whether others are destroyed together or one by one. */
static void test_what_stays_keeps_its_own(void **state)
{
    (void)state;
    enum { BODIES = 90, GO = 60 };
    uint64_t hashes[2];
    looks before[BODIES], after;
    for (int together = 0; together < 2; ++together) {
        dry_world_def def = test_world_def();
        def.tag = 1;
        dry_world *world = world_from(&def);
        dry_body_id ids[BODIES], go[GO];
        for (int i = 0; i < BODIES; ++i) {
            dry_shape_def shape = i % 2 ? needy_shape() : plain_shape(i);
            shape.pose.position.y = (float)(i % 2) * 0.01f * (float)i;
            ids[i] = add_dynamic(world, pose_at(4 * i, 0, 0), shape);
            assert_ok(dry_body_apply_force(world, ids[i], v3(i, 1, -i)));
            before[i] = looks_of(world, ids[i]);
        }
        for (int i = 0; i < GO; ++i)
            go[i] = ids[(7 * i) % BODIES];
        if (together)
            assert_ok(dry_world_destroy_bodies(world, GO, go));
        for (int i = 0; i < GO && !together; ++i)
            assert_ok(dry_body_destroy(world, go[i]));
        int stay = 0;
        for (int i = 0; i < BODIES; ++i) {
            if (!dry_body_is_valid(world, ids[i]))
                continue;
            after = looks_of(world, ids[i]);
            assert_same_looks(&before[i], &after);
            stay++;
        }
        assert_int_equal(stay, BODIES - GO);
        run_steps(world, 1, TEST_DT);
        for (int i = 0; i < BODIES; ++i)
            if (dry_body_is_valid(world, ids[i]))
                assert_near(velocity_of(world, ids[i]).x, i * TEST_DT / before[i].mass.mass, 1e-6);
        hashes[together] = dry_world_hash(world);
        dry_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* Plain bodies in any number, impulses, motion and steps make no room that only needy ones use. */
static void test_plain_worlds_are_smaller(void **state)
{
    (void)state;
    size_t bytes[2];
    for (int needy = 0; needy < 2; ++needy) {
        dry_world *world = world_with(test_settings());
        if (needy)
            come_and_go(world, true);
        for (int i = 0; i < 1000; ++i) {
            dry_body_id id = add_dynamic(world, pose_at(3 * i, 0, 0), plain_shape(i));
            assert_ok(dry_body_apply_impulse(world, id, v3(1, 0, 0)));
            assert_ok(dry_body_set_pose(world, id, pose_at(3 * i, 1, 0)));
        }
        run_steps(world, 5, TEST_DT);
        bytes[needy] = dry_world_statistics(world).memory_bytes;
        dry_world_destroy(world);
    }
    assert_true(bytes[0] + 1000 * 100 <= bytes[1]);
}

/* Balls in a row that touch, each joined to the one before or none. */
typedef struct small_world {
    int balls;
    bool joined;
    size_t created, stepped; /* bytes before and after 20 steps */
} small_world;

static void add_row_of_balls(dry_world *world, const small_world *small)
{
    dry_body_id before = {0};
    for (int i = 0; i < small->balls; ++i) {
        const dry_body_id ball = add_dynamic(world, pose_at(0.99 * i, 0, 0), sphere_shape(0.5));
        if (i > 0 && small->joined) {
            dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
            joint.body_a = before, joint.body_b = ball;
            joint.anchor_a = v3(0.495f, 0, 0), joint.anchor_b = v3(-0.495f, 0, 0);
            dry_joint_id id;
            assert_ok(dry_world_create_joint(world, &joint, &id));
        }
        before = ball;
    }
}

/* A world that uses neither other methods than the default nor volume joints takes no more memory than in the
 * last version that had no settings of sweeps, no PBD, XPBD and AVBD. The bytes are those of that version,
 * 85a9dde. The first version with volume joints took up to 6 KB more. Joints take more since then: bundles
 * hold where their bodies were when the step began and how far they are open, and swept islands have ranges
 * of their own. A definition has 16 bytes more since fixed joints may be soft and there are gears. Each block
 * of memory has a link of 32 or 64 bytes since a world's memory goes at once: some 50 blocks in a small
 * world. Columns of materials, absent here, have 72 bytes for their places. A world with joints has the
 * column of corrections since substeps make the first rows: whether one is open is known after the last stage
 * that may fail. The numbers in ids take 184 bytes, so that ids never repeat. */
static void test_methods_cost_others_nothing(void **state)
{
    (void)state;
    static const small_world worlds[] = {
        {0, false, 5120, 27908}, {1, false, 5120, 46664},  {3, false, 5120, 62008},  {3, true, 5120, 76964},
        {9, true, 5120, 87164},  {27, false, 5120, 83983}, {27, true, 5120, 131564},
    };
    for (int i = 0; i < COUNT_OF(worlds); ++i) {
        dry_world_def def = dry_default_world_def();
        def.threads = 1;
        dry_world *world = world_from(&def);
        assert_true(dry_world_statistics(world).memory_bytes <= worlds[i].created);
        add_row_of_balls(world, &worlds[i]);
        run_steps(world, 20, TEST_DT);
        assert_at_most((double)dry_world_statistics(world).memory_bytes, (double)worlds[i].stepped);
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_early_or_late),
        cmocka_unit_test(test_others_do_not_see_it),
        cmocka_unit_test(test_what_stays_keeps_its_own),
        cmocka_unit_test(test_plain_worlds_are_smaller),
        cmocka_unit_test(test_methods_cost_others_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
