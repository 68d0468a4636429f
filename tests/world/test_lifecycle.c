/* Creation and destruction in any order, thousands at a time; what ids name, before and after. */
#include "tests/counting_allocator.h"

enum { MANY = 4000 };

static void shuffle(dry_body_id *ids, int count, uint64_t *seed)
{
    for (int i = count - 1; i > 0; --i) {
        int k = random_below(seed, i + 1);
        dry_body_id swap = ids[i];
        ids[i] = ids[k];
        ids[k] = swap;
    }
}

static void make_many(dry_world *world, dry_body_id *ids, int count, double height)
{
    dry_shape_def shape = box_shape(0.4, 0.4, 0.4);
    dry_body_def *defs = calloc((size_t)count, sizeof *defs);
    assert_non_null(defs);
    for (int i = 0; i < count; ++i)
        defs[i] = body_def(DRY_BODY_DYNAMIC, pose_at(i % 64, height + i / 4096, i / 64 % 64), &shape);
    assert_ok(dry_world_create_bodies(world, count, defs, ids));
    free(defs);
}

static void check_counts(const dry_world *world, int bodies, int shapes, int joints)
{
    dry_statistics statistics = dry_world_statistics(world);
    assert_int_equal(statistics.bodies, bodies);
    assert_int_equal(statistics.shapes, shapes);
    assert_int_equal(statistics.joints, joints);
    assert_int_equal(dry_world_get_bodies(world, NULL, 0), bodies);
}

/* Forward, backward and shuffled, all at once and one by one; no old id ever comes back to life. */
static void test_thousands_in_any_order(void **state)
{
    (void)state;
    const int count = test_pick(MANY, MANY / 8);
    dry_world *world = world_with(dry_default_settings());
    add_floor(world, 0.6, 0);
    dry_body_id *ids = calloc((size_t)count, sizeof *ids), *old = calloc((size_t)count, sizeof *old);
    assert_true(ids && old);
    uint64_t seed = 1;
    for (int round = 0; round < 6; ++round) {
        make_many(world, ids, count, 1);
        for (int i = 0; i < count; ++i) {
            assert_true(dry_body_is_valid(world, ids[i]));
            assert_false(round && dry_body_is_valid(world, old[i]));
        }
        check_counts(world, count + 1, count + 1, 0);
        run_steps(world, 2, TEST_DT);
        memcpy(old, ids, (size_t)count * sizeof *ids);
        if (round % 3 == 1)
            for (int i = 0; i < count / 2; ++i) {
                dry_body_id swap = ids[i];
                ids[i] = ids[count - 1 - i];
                ids[count - 1 - i] = swap;
            }
        if (round % 3 == 2)
            shuffle(ids, count, &seed);
        if (round < 3)
            assert_ok(dry_world_destroy_bodies(world, count, ids));
        for (int i = 0; round >= 3 && i < count; ++i)
            assert_ok(dry_body_destroy(world, ids[i]));
        check_counts(world, 1, 1, 0);
        for (int i = 0; i < count; ++i)
            assert_false(dry_body_is_valid(world, ids[i]));
        run_steps(world, 1, TEST_DT);
    }
    free(ids);
    free(old);
    dry_world_destroy(world);
}

/* A batch is created wholly or not at all. */
static void test_batches_are_all_or_nothing(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_shape_def shape = sphere_shape(0.5), bad_shape = sphere_shape(-1);
    dry_body_def defs[10];
    dry_body_id ids[10];
    for (int i = 0; i < 10; ++i)
        defs[i] = body_def(DRY_BODY_DYNAMIC, pose_at(2 * i, 0, 0), &shape);
    uint64_t empty = dry_world_hash(world);
    defs[7].shapes = &bad_shape;
    assert_int_equal(dry_world_create_bodies(world, 10, defs, ids), DRY_ERROR_ARGUMENT);
    check_counts(world, 0, 0, 0);
    assert_true(dry_world_hash(world) == empty);
    defs[7].shapes = &shape;
    assert_ok(dry_world_create_bodies(world, 10, defs, ids));

    uint64_t full = dry_world_hash(world);
    dry_body_id twice[3] = {ids[2], ids[5], ids[2]};
    assert_int_equal(dry_world_destroy_bodies(world, 3, twice), DRY_ERROR_STALE_ID);
    dry_body_id with_null[3] = {ids[2], {0}, ids[5]};
    assert_int_equal(dry_world_destroy_bodies(world, 3, with_null), DRY_ERROR_STALE_ID);
    check_counts(world, 10, 10, 0);
    assert_true(dry_world_hash(world) == full);

    dry_joint_def joints[3];
    dry_joint_id joint_ids[3];
    for (int i = 0; i < 3; ++i) {
        joints[i] = dry_default_joint_def(DRY_JOINT_BALL);
        joints[i].body_a = ids[i];
        joints[i].body_b = ids[i + 1];
    }
    joints[2].body_b = joints[2].body_a;
    assert_int_equal(dry_world_create_joints(world, 3, joints, joint_ids), DRY_ERROR_ARGUMENT);
    check_counts(world, 10, 10, 0);
    dry_world_destroy(world);
}

/* dry_world_get_bodies lists in creation order, whatever was destroyed in between. */
static void test_creation_order(void **state)
{
    (void)state;
    enum { OPERATIONS = 400, ROOM = 500 };
    dry_world *world = world_with(dry_default_settings());
    dry_body_id expected[ROOM], found[ROOM];
    int count = 0;
    uint64_t seed = 17;
    for (int i = 0; i < OPERATIONS; ++i) {
        if (count == 0 || random_below(&seed, 5) < 3) {
            dry_body_type type = (dry_body_type)random_below(&seed, DRY_BODY_TYPE_COUNT);
            expected[count++] =
                add_body(world, type, pose_at(3 * (i % 20), 3 * (i / 20), 0), sphere_shape(0.5));
        } else {
            int k = random_below(&seed, count);
            assert_ok(dry_body_destroy(world, expected[k]));
            memmove(&expected[k], &expected[k + 1], (size_t)(count - k - 1) * sizeof *expected);
            count--;
        }
        if (i % 10 == 0)
            run_steps(world, 1, TEST_DT);
        assert_int_equal(dry_world_get_bodies(world, found, ROOM), count);
        assert_memory_equal(found, expected, (size_t)count * sizeof *found);
    }
    if (count > 2) { /* little room: the first come, nothing is written beyond */
        dry_body_id two[3] = {{0}, {0}, {42}};
        assert_int_equal(dry_world_get_bodies(world, two, 2), count);
        assert_memory_equal(two, expected, 2 * sizeof *two);
        assert_true(two[2].bits == 42);
    }
    dry_world_destroy(world);
}

/* A body takes its shapes and joints with it. */
static void test_what_goes_with_a_body(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    dry_body_id b = add_dynamic(world, pose_at(2, 0, 0), sphere_shape(0.5));
    dry_shape_def extra = box_shape(0.1, 0.1, 0.1);
    dry_shape_id added;
    float before = mass_of(world, a).mass;
    assert_ok(dry_body_create_shape(world, a, &extra, &added));
    assert_near(mass_of(world, a).mass, before + 8, 0.01);
    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_DISTANCE);
    joint.body_a = a;
    joint.body_b = b;
    joint.length = 2;
    dry_joint_id joint_id;
    assert_ok(dry_world_create_joint(world, &joint, &joint_id));
    check_counts(world, 2, 3, 1);

    dry_shape_id shapes[3];
    int count = 0;
    assert_ok(dry_body_get_shapes(world, a, shapes, 3, &count));
    assert_int_equal(count, 2);
    assert_true(shapes[1].bits == added.bits);
    assert_ok(dry_shape_destroy(world, shapes[0]));
    assert_near(mass_of(world, a).mass, 8, 0.01);
    assert_ok(dry_body_get_shapes(world, a, shapes, 3, &count));
    assert_int_equal(count, 1);
    assert_true(shapes[0].bits == added.bits);

    assert_ok(dry_body_destroy(world, a));
    assert_false(dry_shape_is_valid(world, added));
    assert_false(dry_joint_is_valid(world, joint_id));
    check_counts(world, 1, 1, 0);
    run_steps(world, 10, TEST_DT);
    dry_world_destroy(world);
}

/* An explicit mass survives a change of shapes until it is asked for from the shapes again. */
static void test_mass_given_outright_stays(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    dry_mass from_shapes = mass_of(world, body);
    dry_mass given = {5, {0.1f, 0, 0}, {{1, 0, 0}, {0, 2, 0.1f}, {0, 0.1f, 3}}};
    assert_ok(dry_body_set_mass(world, body, &given));
    dry_shape_def extra = sphere_shape(0.2);
    dry_shape_id id;
    assert_ok(dry_body_create_shape(world, body, &extra, &id));
    dry_mass now = mass_of(world, body);
    assert_near(now.mass, 5, 1e-6);
    assert_near(now.center.x, 0.1, 1e-6);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            assert_near(now.inertia[i][k], given.inertia[i][k], 1e-5);
    assert_ok(dry_shape_destroy(world, id));
    assert_ok(dry_body_set_mass_from_shapes(world, body));
    assert_near(mass_of(world, body).mass, from_shapes.mass, 1e-3);
    dry_world_destroy(world);
}

/* The definition reads back as it was given and as it was changed. */
/* Returns a capsule of which no number is the default. */
static dry_shape_def uncommon_capsule(void)
{
    dry_shape_def shape = capsule_shape(0.3, 0.7);
    shape.pose = (dry_transform){{0.1f, 0.2f, 0.3f}, quat_about((d3){1, 2, 3}, 1)};
    shape.density = 250;
    shape.friction = 0.25f;
    shape.static_friction = 0.375f;
    shape.contact_stiffness = 3e5f;
    shape.contact_damping = 400;
    shape.restitution = 0.125f;
    shape.rolling_resistance = 0.0625f;
    shape.filter = (dry_filter){6, 9, -3};
    shape.user_data = 1ull << 40;
    return shape;
}

static void test_definitions_read_back(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_shape_def shape = uncommon_capsule(), shape_back;
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(1, 2, 3), &shape), back;
    def.velocity = (dry_velocity){v3(1, 2, 3), v3(4, 5, 6)};
    def.gravity_scale = 0.5f;
    def.linear_damping = 0.25f;
    def.angular_damping = 0.75f;
    def.locks = DRY_LOCK_ANGULAR_Z;
    def.can_sleep = false;
    def.user_data = 99;
    dry_body_id id = add_def(world, &def);
    assert_ok(dry_body_get_def(world, id, &back));
    assert_int_equal(back.type, DRY_BODY_DYNAMIC);
    assert_near(back.pose.position.z, 3, 1e-12);
    assert_near(back.velocity.linear.y, 2, 1e-5);
    assert_near(back.gravity_scale, 0.5, 0);
    assert_near(back.linear_damping, 0.25, 0);
    assert_near(back.angular_damping, 0.75, 0);
    assert_int_equal(back.locks, DRY_LOCK_ANGULAR_Z);
    assert_true(back.enabled && back.awake && !back.can_sleep && back.user_data == 99 && !back.shapes);
    assert_near(back.mass, mass_of(world, id).mass, 0);

    dry_shape_id shape_id;
    int count = 0;
    assert_ok(dry_body_get_shapes(world, id, &shape_id, 1, &count));
    assert_ok(dry_shape_get_def(world, shape_id, &shape_back));
    assert_int_equal(shape_back.type, DRY_SHAPE_CAPSULE);
    assert_true(shape_back.radius == shape.radius && shape_back.half_length == shape.half_length);
    assert_near(shape_back.pose.position.y, 0.2, 1e-6);
    assert_near(shape_back.pose.orientation.w, shape.pose.orientation.w, 1e-6);
    assert_true(shape_back.density == 250 && shape_back.friction == 0.25f &&
                shape_back.static_friction == 0.375f && shape_back.contact_stiffness == 3e5f &&
                shape_back.contact_damping == 400 && shape_back.restitution == 0.125f &&
                shape_back.rolling_resistance == 0.0625f);
    assert_true(shape_back.filter.category == 6 && shape_back.filter.mask == 9 &&
                shape_back.filter.group == -3);
    assert_true(shape_back.user_data == 1ull << 40);

    assert_ok(dry_shape_set_friction(world, shape_id, 0.5f));
    assert_ok(dry_shape_set_static_friction(world, shape_id, 0.75f));
    assert_ok(dry_shape_set_contact_spring(world, shape_id, 2e4f, 0));
    assert_ok(dry_shape_set_restitution(world, shape_id, 1));
    assert_ok(dry_shape_set_rolling_resistance(world, shape_id, 2));
    assert_ok(dry_shape_set_user_data(world, shape_id, 5));
    assert_ok(dry_shape_get_def(world, shape_id, &shape_back));
    assert_true(shape_back.friction == 0.5f && shape_back.restitution == 1 && shape_back.user_data == 5 &&
                shape_back.rolling_resistance == 2 && shape_back.static_friction == 0.75f &&
                shape_back.contact_stiffness == 2e4f && shape_back.contact_damping == 0);
    assert_ok(dry_body_set_user_data(world, id, 123));
    assert_ok(dry_body_set_can_sleep(world, id, true));
    assert_ok(dry_body_get_def(world, id, &back));
    assert_true(back.user_data == 123 && back.can_sleep);
    dry_world_destroy(world);
}

/* A disabled body neither moves nor touches; enabled again, it does. */
static void test_disabled_bodies(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    dry_body_id low = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    dry_body_id high = add_dynamic(world, pose_at(0, 1.5, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 30, TEST_DT);
    d3 place = position_of(world, low);
    assert_ok(dry_body_set_enabled(world, low, false));
    run_steps(world, 120, TEST_DT);
    assert_near(position_of(world, high).y, 0.5, 0.01);
    assert_near(d3_length(d3_sub(position_of(world, low), place)), 0, 0);
    assert_ok(dry_body_destroy(world, high));
    assert_ok(dry_body_set_pose(world, low, pose_at(0, 3, 0)));
    assert_ok(dry_body_set_enabled(world, low, true));
    run_steps(world, 120, TEST_DT);
    assert_near(position_of(world, low).y, 0.5, 0.01);
    dry_world_destroy(world);
}

static void test_type_changes(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    for (int round = 0; round < 3; ++round) {
        assert_ok(dry_body_set_type(world, body, DRY_BODY_STATIC));
        d3 before = position_of(world, body);
        run_steps(world, 10, TEST_DT);
        assert_near(d3_length(d3_sub(position_of(world, body), before)), 0, 0);
        assert_int_equal(dry_world_statistics(world).dynamic_bodies, 0);
        assert_ok(dry_body_set_type(world, body, DRY_BODY_KINEMATIC));
        set_velocity(world, body, (d3){1, 0, 0}, (d3){0, 0, 0});
        run_steps(world, 60, TEST_DT);
        assert_near(position_of(world, body).x - before.x, 1, 1e-4);
        assert_near(position_of(world, body).y, before.y, 0);
        assert_ok(dry_body_set_type(world, body, DRY_BODY_DYNAMIC));
        run_steps(world, 60, TEST_DT);
        assert_true(position_of(world, body).y < before.y - 4);
        assert_int_equal(dry_world_statistics(world).dynamic_bodies, 1);
    }
    dry_world_destroy(world);
}

/* Many worlds at once, each with its own ids; all memory goes back, wherever they were in their lives. */
static void test_worlds_are_independent(void **state)
{
    (void)state;
    enum { WORLDS = 40 };
    dry_world *worlds[WORLDS];
    dry_body_id bodies[WORLDS];
    counting_allocator counter = {.fail_at = -1};
    for (int i = 0; i < WORLDS; ++i) {
        dry_world_def def = test_world_def();
        def.tag = 0;
        def.allocator = counting_hooks(&counter);
        worlds[i] = world_from(&def);
        add_floor(worlds[i], 0.6, 0);
        bodies[i] = add_dynamic(worlds[i], pose_at(0, 0.5 + i, 0), sphere_shape(0.5));
    }
    for (int step = 0; step < 30; ++step)
        for (int i = 0; i < WORLDS; i += 1 + step % 2)
            run_steps(worlds[i], 1, TEST_DT);
    uint64_t hash = dry_world_hash(worlds[7]);
    for (int i = 0; i < WORLDS; ++i) { /* 11 has no factor in common with 40: each once, out of order */
        int k = i * 11 % WORLDS;
        if (k != 7)
            dry_world_destroy(worlds[k]);
    }
    assert_true(dry_world_hash(worlds[7]) == hash);
    assert_true(dry_body_is_valid(worlds[7], bodies[7]));
    run_steps(worlds[7], 30, TEST_DT);
    dry_world_destroy(worlds[7]);
    dry_world_destroy(NULL);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

/* Twenty worlds one after the other, each made where the last one was: none takes an id of an earlier one for
 * its own. */
static void test_ids_of_destroyed_worlds_stay_stale(void **state)
{
    (void)state;
    enum { WORLDS = 20 };
    dry_body_id old[WORLDS];
    for (int i = 0; i < WORLDS; ++i) {
        dry_world_def def = test_world_def();
        def.tag = 0;
        dry_world *world = world_from(&def);
        old[i] = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
        assert_true(dry_body_is_valid(world, old[i]));
        for (int k = 0; k < i; ++k)
            assert_false(dry_body_is_valid(world, old[k]));
        dry_world_destroy(world);
    }
}

/* A game server builds a level, plays it, takes all of it away in whatever order, and builds it again: it
 * moves as in a new world, to the bit. */
static void test_a_level_built_again_moves_as_in_a_new_world(void **state)
{
    (void)state;
    enum { LEVELS = 3, CUBES = 60, STEPS = 60 };
    dry_world *world = world_with(test_settings());
    uint64_t expected = 0, seed = 3;
    for (int level = 0; level < LEVELS; ++level) {
        dry_body_id ids[CUBES];
        const dry_body_id floor = add_floor(world, 0.6, 0);
        for (int i = 0; i < CUBES; ++i)
            ids[i] = add_dynamic(world, pose_at(0.3 * (i % 5), 0.6 + 0.9 * i, 0.2 * (i % 3)),
                                 box_shape(0.5, 0.5, 0.5));
        dry_joint_def joint = dry_default_joint_def(DRY_JOINT_DISTANCE);
        joint.body_a = ids[3];
        joint.body_b = ids[9];
        joint.length = 6;
        dry_joint_id id;
        assert_ok(dry_world_create_joint(world, &joint, &id));
        run_steps(world, STEPS, TEST_DT);
        const uint64_t hash = dry_world_motion_hash(world);
        if (level > 0)
            assert_true(hash == expected);
        expected = hash;
        shuffle(ids, CUBES, &seed);
        for (int i = 0; i < CUBES; ++i)
            assert_ok(dry_body_destroy(world, ids[i]));
        assert_ok(dry_body_destroy(world, floor));
    }
    dry_world_destroy(world);
}

/* A definition comes back as it was given, wherever the engine keeps its parts. */
static void test_shape_def_comes_back(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    for (int type = 0; type < DRY_SHAPE_TYPE_COUNT; ++type) {
        dry_shape_def given = dry_default_shape_def(), back;
        given.type = (dry_shape_type)type;
        if (type == DRY_SHAPE_BOX)
            given.half_extents = v3(0.1, 0.2, 0.3);
        if (type == DRY_SHAPE_SPHERE || type == DRY_SHAPE_CAPSULE || type == DRY_SHAPE_CYLINDER)
            given.radius = 0.7f;
        if (type == DRY_SHAPE_CAPSULE || type == DRY_SHAPE_CYLINDER)
            given.half_length = 1.25f;
        if (type == DRY_SHAPE_HALFSPACE) {
            given.normal = v3(0.6, 0.0, 0.8);
            given.offset = -3.5f;
        } else {
            given.density = 77;
        }
        const dry_shape_def ball = sphere_shape(0.3);
        const dry_vec3 corner[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        if (type == DRY_SHAPE_COMPOUND)
            assert_ok(dry_compound_create(&ball, 1, NULL, &given.data));
        if (type == DRY_SHAPE_HULL)
            assert_ok(dry_hull_create(corner, 4, 0, NULL, &given.data, NULL));
        const int32_t corners[] = {0, 2, 1};
        const dry_mesh mesh = {corner, corners, 4, 1};
        const float heights[4] = {0, 1, 2, 3};
        const dry_height_field_def field = {2, 2, {1, 1}, heights, NULL, NULL, 0, DRY_DIAGONAL_FORWARD};
        if (type == DRY_SHAPE_MESH)
            assert_ok(dry_mesh_create(&mesh, NULL, NULL, &given.data, NULL));
        if (type == DRY_SHAPE_HEIGHT_FIELD)
            assert_ok(dry_height_field_create(&field, NULL, &given.data, NULL));
        const bool fixed =
            type == DRY_SHAPE_HALFSPACE || type == DRY_SHAPE_MESH || type == DRY_SHAPE_HEIGHT_FIELD;
        if (given.data)
            given.scale = v3(2, -2, 2);
        given.pose = (dry_transform){v3(3, -2, 1), {0.0f, 0.6f, 0.0f, 0.8f}};
        given.friction = 0.375f;
        given.static_friction = 0.5f;
        given.contact_stiffness = 1e7f;
        given.contact_damping = 250;
        given.restitution = 0.875f;
        given.rolling_resistance = 0.625f;
        given.filter = (dry_filter){3, 5, -7};
        given.user_data = 11;
        dry_shape_def shapes[2] = {given, given};
        shapes[1].pose.position.x = -9;
        dry_body_def def = body_def(fixed ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC, pose_at(1, 2, 3), shapes);
        def.shape_count = 2;
        dry_body_id id = add_def(world, &def);
        dry_shape_id ids[2];
        int count = 0;
        assert_ok(dry_body_get_shapes(world, id, ids, 2, &count));
        for (int i = 0; i < count; ++i) {
            assert_ok(dry_shape_get_def(world, ids[i], &back));
            const dry_shape_def *want = &shapes[i];
            assert_int_equal(back.type, want->type);
            assert_memory_equal(&back.half_extents, &want->half_extents, sizeof back.half_extents);
            assert_true(back.radius == want->radius && back.half_length == want->half_length);
            assert_memory_equal(&back.normal, &want->normal, sizeof back.normal);
            assert_true(back.offset == want->offset && back.density == want->density);
            assert_memory_equal(&back.pose.position, &want->pose.position, sizeof back.pose.position);
            assert_near(back.pose.orientation.y, want->pose.orientation.y, 1e-7);
            assert_near(back.pose.orientation.w, want->pose.orientation.w, 1e-7);
            assert_true(back.friction == want->friction && back.static_friction == want->static_friction &&
                        back.contact_stiffness == want->contact_stiffness &&
                        back.contact_damping == want->contact_damping &&
                        back.restitution == want->restitution &&
                        back.rolling_resistance == want->rolling_resistance);
            assert_true(back.filter.category == 3 && back.filter.mask == 5 && back.filter.group == -7);
            assert_true(back.user_data == 11 && back.data == want->data);
            assert_memory_equal(&back.scale, &want->scale, sizeof back.scale);
        }
        dry_shape_data_release(given.data);
        assert_int_equal(count, 2);
    }
    dry_world_destroy(world);
}

/* Asserts that one island has each of the reasons of these bodies' tiers, and no other island is awake. */
static void assert_reasons(dry_world *world, const dry_body_id *ids, const dry_tier_reason *reasons,
                           int count)
{
    int expected[DRY_TIER_REASON_COUNT] = {0};
    for (int i = 0; i < count; ++i) {
        assert_int_equal(dry_body_tier_reason(world, ids[i]), reasons[i]);
        expected[reasons[i]]++;
    }
    const dry_statistics statistics = dry_world_statistics(world);
    for (int i = 0; i < DRY_TIER_REASON_COUNT; ++i)
        assert_int_equal(statistics.islands_by_reason[i], expected[i]);
}

/* Adds a body below a tower at the origin that lets it not rest, since it moves. */
static void add_table(dry_world *world)
{
    const dry_body_id table =
        add_body(world, DRY_BODY_KINEMATIC, pose_at(0, -0.5, 0), box_shape(0.5, 0.5, 0.5));
    assert_ok(dry_body_set_velocity(world, table, (dry_velocity){{1e-5f, 0, 0}, {0, 0, 0}}));
}

/* A load asks for 16 substeps at most, so that slenderness and joints alone ask for more: 160 links hang on
 * the joint of the first two, which asks for w^2 = 2 160 g / (5/3 mm), that is 218 Hz or 24 substeps. */
static void test_tier_reasons(void **state)
{
    (void)state;
    enum { HEIGHT = 100, LINKS = 160 };
    for (int levers = 0; levers < DRY_LEVERS_COUNT; ++levers) {
        dry_settings settings = dry_default_settings();
        settings.levers = (dry_levers)levers;
        settings.sleep = false;
        dry_world *world = world_with(settings);
        dry_body_id floor = add_floor(world, 0, 0), tower = {0}, link = floor;
        add_table(world);
        for (int i = 0; i < HEIGHT; ++i)
            tower = add_dynamic(world, pose_at(0, 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
        for (int i = 0; i <= LINKS; ++i) {
            dry_body_id next = add_dynamic(world, pose_at(i, 200, 50), sphere_shape(0.2));
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
            def.body_a = link;
            def.body_b = next;
            def.anchor_a = i > 0 ? v3(1, 0, 0) : v3(0, 200, 50);
            dry_joint_id joint;
            assert_ok(dry_world_create_joint(world, &def, &joint));
            link = next;
        }
        dry_body_id lone = add_dynamic(world, pose_at(9, 0.5, 0), box_shape(0.5, 0.5, 0.5));
        dry_body_id sliding = add_dynamic(world, pose_at(9, 0.5, 9), box_shape(0.5, 0.5, 0.5));
        assert_ok(dry_body_set_velocity(world, sliding, (dry_velocity){{0.05f, 0, 0}, {0, 0, 0}}));
        const dry_body_id ids[] = {lone, sliding, link, tower};
        const bool buckles = levers == DRY_LEVERS_TRUE;
        dry_tier_reason reasons[] = {DRY_TIER_FLOOR, DRY_TIER_FLOOR, DRY_TIER_JOINTS,
                                     buckles ? DRY_TIER_BUCKLING : DRY_TIER_GUESS};
        run_steps(world, 1, TEST_DT);
        assert_int_equal(dry_body_tier_reason(world, floor), -1);
        assert_reasons(world, ids, reasons, 4);
        assert_int_equal(dry_tier_substeps(dry_body_tier(world, tower)), 32);
        assert_int_equal(dry_tier_substeps(dry_body_tier(world, link)), 24);
        /* Within a second each body has borne its load. */
        run_steps(world, 60, TEST_DT);
        reasons[3] = buckles ? DRY_TIER_BUCKLING : DRY_TIER_LOAD;
        assert_reasons(world, ids, reasons, 4);
        dry_world_destroy(world);
    }
    const char *const names[] = {"floor", "load", "guess", "buckling", "joints"};
    for (int i = 0; i < DRY_TIER_REASON_COUNT; ++i)
        assert_string_equal(dry_tier_reason_name((dry_tier_reason)i), names[i]);
    assert_null(dry_tier_reason_name(DRY_TIER_REASON_COUNT));
}

/* A body's tier is that of its island, counted once in the statistics; a body in no island has none. */
static void test_tiers(void **state)
{
    (void)state;
    enum { HEIGHT = 100 };
    dry_world *world = world_with(dry_default_settings());
    dry_body_id floor = add_floor(world, 0.6, 0), tower[HEIGHT];
    add_table(world);
    for (int i = 0; i < HEIGHT; ++i)
        tower[i] = add_dynamic(world, pose_at(0, 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
    dry_body_id lone = add_dynamic(world, pose_at(9, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    assert_int_equal(dry_body_tier(world, lone), -1);
    run_steps(world, 2, TEST_DT);
    dry_statistics statistics = dry_world_statistics(world);
    int high = dry_body_tier(world, tower[0]), low = dry_body_tier(world, lone);
    /* Stiffer than its load asks: what was placed becomes soft slowly, unless it rests. */
    assert_int_equal(dry_tier_substeps(high), 32);
    assert_int_equal(dry_tier_substeps(low), 2); /* rests under its own weight: half the floor */
    for (int tier = 0; tier < DRY_TIER_COUNT; ++tier)
        assert_int_equal(statistics.islands_in_tier[tier], tier == high || tier == low);
    for (int i = 0; i < HEIGHT; ++i)
        assert_int_equal(dry_body_tier(world, tower[i]), high);
    assert_int_equal(dry_body_tier(world, floor), -1);
    assert_int_equal(dry_body_tier(world, (dry_body_id){0}), -1);
    assert_int_equal(dry_body_tier(NULL, lone), -1);
    assert_int_equal(dry_body_tier_reason(NULL, lone), -1);
    for (int i = 0; i < 120 && dry_body_is_awake(world, lone); ++i)
        run_steps(world, 1, TEST_DT);
    assert_false(dry_body_is_awake(world, lone));
    assert_int_equal(dry_body_tier(world, lone), -1);
    assert_ok(dry_body_set_awake(world, lone, true));
    assert_int_equal(dry_body_tier(world, lone), -1);
    run_steps(world, 1, TEST_DT);
    assert_true(dry_tier_substeps(dry_body_tier(world, lone)) < 16);
    assert_int_equal(dry_tier_substeps(-1), 0);
    assert_int_equal(dry_tier_substeps(DRY_TIER_COUNT), 0);
    dry_world_destroy(world);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Former names do what the new ones do. */
static void test_former_names(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_history *history;
    const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    assert_ok(dry_history_create(world, 4, &history));
    assert_ok(dry_world_destroy_body(world, body));
    assert_false(dry_body_is_valid(world, body));
    assert_ok(dry_history_rewind(history, 0));
    assert_true(dry_body_is_valid(world, body));
    dry_world_destroy(world);
}

#pragma GCC diagnostic pop

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_former_names),
        cmocka_unit_test(test_thousands_in_any_order),
        cmocka_unit_test(test_batches_are_all_or_nothing),
        cmocka_unit_test(test_creation_order),
        cmocka_unit_test(test_what_goes_with_a_body),
        cmocka_unit_test(test_mass_given_outright_stays),
        cmocka_unit_test(test_definitions_read_back),
        cmocka_unit_test(test_disabled_bodies),
        cmocka_unit_test(test_type_changes),
        cmocka_unit_test(test_ids_of_destroyed_worlds_stay_stale),
        cmocka_unit_test(test_a_level_built_again_moves_as_in_a_new_world),
        cmocka_unit_test(test_worlds_are_independent),
        cmocka_unit_test(test_shape_def_comes_back),
        cmocka_unit_test(test_tiers),
        cmocka_unit_test(test_tier_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
