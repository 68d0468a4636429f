/* Memory: a failing allocator at every allocation, a warmed-up step that allocates nothing, nothing lost. */
#include "tests/counting_allocator.h"

enum { HEAP = 40 };

/* One life of a world. Each call that answers MEMORY must have changed nothing and is made again. */
typedef struct life {
    counting_allocator *counter;
    dry_world *world;
    int refusals;
    int first_need;     /* which of the calls that need rare columns come first */
    int64_t needs_from; /* the number of allocations before those calls */
} life;

static void mix_bytes(uint64_t *hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i)
        *hash = (*hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3ull;
}

/* The poses and velocities of all bodies, bit for bit. */
static uint64_t motion_of(const dry_world *world)
{
    dry_body_id ids[2 * HEAP];
    int count = dry_world_get_bodies(world, ids, COUNT_OF(ids));
    assert_in_range(count, 0, COUNT_OF(ids));
    uint64_t hash = 0;
    for (int i = 0; i < count; ++i) {
        dry_pose pose = pose_of(world, ids[i]);
        dry_velocity velocity;
        assert_ok(dry_body_get_velocity(world, ids[i], &velocity));
        mix_bytes(&hash, &pose.position, sizeof pose.position);
        mix_bytes(&hash, &pose.orientation, sizeof pose.orientation);
        mix_bytes(&hash, &velocity, sizeof velocity);
    }
    return hash;
}

/* Tells whether to call again, and checks that a refusal left the state unchanged. */
static bool refused(life *l, dry_result result, uint64_t before, uint64_t after)
{
    if (result == DRY_OK)
        return false;
    assert_int_equal(result, DRY_ERROR_MEMORY);
    assert_true(before == after);
    l->refusals++;
    assert_true(l->refusals < 100);
    l->counter->fail_all = false;
    l->counter->fail_at = -1;
    return true;
}

static void make_heap(dry_body_def *defs, dry_shape_def *shapes)
{
    uint64_t seed = 9;
    for (int i = 0; i < HEAP; ++i) {
        shapes[i] = i % 3 == 0   ? sphere_shape(0.3)
                    : i % 3 == 1 ? capsule_shape(0.2, 0.3)
                                 : box_shape(0.3, 0.2, 0.4);
        d3 p = random_d3(&seed, 1.2);
        defs[i] = body_def(DRY_BODY_DYNAMIC, (dry_pose){{p.x, 2 + p.y, p.z}, random_quat(&seed)}, &shapes[i]);
    }
}

#define RETRY(call)                                                                                          \
    do {                                                                                                     \
        before = dry_world_hash(l->world);                                                                   \
        result = (call);                                                                                     \
    } while (refused(l, result, before, dry_world_hash(l->world)))

/* A refused step moved nothing, but may know its contacts already. */
static void retry_steps(life *l, int count)
{
    for (int i = 0; i < count; ++i) {
        uint64_t before;
        dry_result result;
        do {
            before = motion_of(l->world);
            result = dry_world_step(l->world, TEST_DT);
        } while (refused(l, result, before, motion_of(l->world)));
    }
}

/* The calls that bring the columns which are not there until a body needs them. */
static void need_rare_columns(life *l, dry_body_id body)
{
    uint64_t before;
    dry_result result;
    dry_vec3 push = v3(0, 5, 0), turn = v3(1, 0, 0);
    dry_mass mass;
    dry_shape_id shape;
    int shapes;
    assert_ok(dry_body_get_mass(l->world, body, &mass));
    assert_ok(dry_body_get_shapes(l->world, body, &shape, 1, &shapes));
    mass.center = v3(0.05, 0, 0.02);
    l->needs_from = (int64_t)l->counter->calls;
    switch (l->first_need) {
    case 0:
        RETRY(dry_body_apply_force(l->world, body, push));
        RETRY(dry_body_set_mass(l->world, body, &mass));
        break;
    case 1:
        RETRY(dry_body_apply_torque(l->world, body, turn));
        RETRY(dry_world_apply_forces(l->world, 1, &body, &push, &turn));
        break;
    case 2:
        RETRY(dry_world_apply_forces(l->world, 1, &body, &push, &turn));
        RETRY(dry_shape_set_filter(l->world, shape, (dry_filter){2, 1, 0}));
        break;
    default: /* keeps its mass where forces would be, until it is dynamic again */
        RETRY(dry_body_set_mass(l->world, body, &mass));
        RETRY(dry_body_set_type(l->world, body, DRY_BODY_KINEMATIC));
        RETRY(dry_body_set_type(l->world, body, DRY_BODY_DYNAMIC));
    }
}

/* Creates, steps, changes and destroys; returns the last state's hash. */
static uint64_t live(life *l, const dry_world_def *def)
{
    dry_shape_def shapes[HEAP], floor_shape = halfspace_shape(v3(0, 1, 0), 0);
    dry_body_def defs[HEAP], floor_def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), &floor_shape);
    dry_body_id ids[HEAP], floor = {0}, late = {0};
    uint64_t before;
    dry_result result;
    make_heap(defs, shapes);
    for (;;) {
        result = dry_world_create(def, &l->world);
        if (result == DRY_OK)
            break;
        assert_int_equal(result, DRY_ERROR_MEMORY);
        assert_null(l->world);
        assert_int_equal(l->counter->bytes, 0);
        l->refusals++;
        l->counter->fail_all = false;
        l->counter->fail_at = -1;
    }
    RETRY(dry_world_create_body(l->world, &floor_def, &floor));
    RETRY(dry_world_create_bodies(l->world, HEAP, defs, ids));
    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_DISTANCE);
    joint.body_a = ids[0];
    joint.body_b = ids[1];
    const dry_position from = defs[0].pose.position, to = defs[1].pose.position;
    joint.length = (float)d3_length((d3){to.x - from.x, to.y - from.y, to.z - from.z});
    dry_joint_id joint_id;
    RETRY(dry_world_create_joint(l->world, &joint, &joint_id));
    retry_steps(l, 30);
    need_rare_columns(l, ids[3]);
    retry_steps(l, 2);
    dry_shape_def extra = sphere_shape(0.2);
    extra.pose.position.x = l->first_need % 2 ? 0.1f : 0.0f;
    extra.filter.group = l->first_need == 1 ? 4 : 0;
    dry_shape_id extra_id;
    RETRY(dry_body_create_shape(l->world, ids[2], &extra, &extra_id));
    RETRY(dry_world_destroy_bodies(l->world, 10, ids + 5));
    shapes[3].pose.position.x = l->first_need == 2 ? 0.1f : 0.0f;
    RETRY(dry_world_create_body(l->world, &defs[3], &late));
    RETRY(dry_body_set_pose(l->world, late, pose_at(0, 4, 0)));
    RETRY(dry_body_set_enabled(l->world, ids[20], false));
    RETRY(dry_body_set_type(l->world, ids[21], DRY_BODY_KINEMATIC));
    retry_steps(l, 30);
    RETRY(dry_shape_destroy(l->world, extra_id));
    RETRY(dry_joint_destroy(l->world, joint_id));
    RETRY(dry_body_set_awake(l->world, ids[0], true));
    retry_steps(l, 30);
    uint64_t hash = dry_world_hash(l->world);
    dry_world_destroy(l->world);
    l->world = NULL;
    return hash;
}

/* Fails each allocation of the life in turn, once alone and once together with all later ones of the same
 * call: every refusal is clean, and the life ends in the same state as an undisturbed one. */
static void test_failing_allocator(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = test_world_def();
    def.allocator = counting_hooks(&counter);
    int stride = test_quick() ? 7 : 1;
    for (int need = 0; need < 4; ++need) {
        life l = {.counter = &counter, .first_need = need};
        counter = (counting_allocator){.fail_at = -1};
        uint64_t expected = live(&l, &def);
        int64_t total = (int64_t)counter.calls;
        assert_int_equal(l.refusals, 0);
        assert_true(total > 10);
        assert_int_equal(counter.bytes, 0);
        assert_int_equal(counter.wrong, 0);
        /* The first part has failed everything before the lives part. */
        int64_t from = need ? l.needs_from : 0;
        for (int all = 0; all < 2; ++all) {
            for (int64_t n = from; n < total; n += stride) {
                counter = (counting_allocator){.fail_at = n, .fail_all = all};
                l = (life){.counter = &counter, .first_need = need};
                assert_true(live(&l, &def) == expected);
                assert_true(l.refusals > 0);
                assert_int_equal(counter.bytes, 0);
                assert_int_equal(counter.wrong, 0);
            }
        }
    }
}

static void test_statistics_agree(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = test_world_def();
    def.allocator = counting_hooks(&counter);
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 200; ++i) {
        if (i < 50)
            add_dynamic(world, pose_at(0.1 * (i % 3), 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
        uint64_t before = counter.successes;
        run_steps(world, 1, TEST_DT);
        dry_statistics statistics = dry_world_statistics(world);
        assert_int_equal(statistics.allocations, counter.successes);
        assert_int_equal(statistics.allocations_in_last_step, counter.successes - before);
        assert_int_equal(statistics.memory_bytes, counter.bytes);
    }
    dry_world_destroy(world);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

static void fill(dry_world *world, dry_body_id *ids, int count)
{
    uint64_t seed = 13;
    for (int i = 0; i < count; ++i) {
        d3 p = {i % 5 - 2.0, 1 + i / 25, i / 5 % 5 - 2.0};
        ids[i] = add_dynamic(world, (dry_pose){{p.x, p.y, p.z}, random_quat(&seed)},
                             i % 2 ? box_shape(0.4, 0.4, 0.4) : sphere_shape(0.45));
    }
}

/* After a heap has come to rest once, no step allocates: neither at rest nor, refilled with the same, in
 * free fall, impact and sleep. */
static void test_warm_step_allocates_nothing(void **state)
{
    (void)state;
    enum { BODIES = 150, STEPS = 360 };
    for (int sleep = 0; sleep < 2; ++sleep) {
        counting_allocator counter = {.fail_at = -1};
        dry_world_def def = test_world_def();
        def.allocator = counting_hooks(&counter);
        def.settings.sleep = sleep;
        dry_world *world = world_from(&def);
        add_floor(world, 0.6, 0);
        dry_body_id ids[BODIES];
        fill(world, ids, BODIES);
        run_steps(world, STEPS, TEST_DT);
        uint64_t warm = counter.calls;
        run_steps(world, 60, TEST_DT);
        assert_int_equal(counter.calls, warm);

        /* Slots are taken in another order now, and the heap falls another way: the first round warms up,
         * too. */
        for (int round = 0; round < 3; ++round) {
            assert_ok(dry_world_destroy_bodies(world, BODIES, ids));
            fill(world, ids, BODIES);
            warm = counter.calls;
            for (int i = 0; i < STEPS; ++i) {
                run_steps(world, 1, TEST_DT);
                assert_true(round == 0 || dry_world_statistics(world).allocations_in_last_step == 0);
            }
            assert_true(round == 0 || counter.calls == warm);
        }
        dry_world_destroy(world);
    }
}

/* With room reserved for its bodies, creating them up to that number needs no more room for bodies than a
 * world made without: the same bodies, the same state. */
static void test_reserved_capacity_changes_nothing(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int reserved = 0; reserved < 2; ++reserved) {
        dry_world_def def = test_world_def();
        def.body_capacity = reserved ? 5000 : 0;
        dry_world *world = world_from(&def);
        add_floor(world, 0.6, 0);
        dry_body_id ids[60];
        fill(world, ids, 60);
        run_steps(world, 60, TEST_DT);
        hashes[reserved] = dry_world_hash(world);
        dry_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failing_allocator),
        cmocka_unit_test(test_statistics_agree),
        cmocka_unit_test(test_warm_step_allocates_nothing),
        cmocka_unit_test(test_reserved_capacity_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
