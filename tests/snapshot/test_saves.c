/* Saves: a world that is loaded goes on as the saved one, to the bit, with other threads and on another
 * instruction set; a save of it has the same bytes. */
#include "host/rooms/empty.h"
#include "tests/golden_scenes.h"
#include "tests/memory_scenes.h"
#include "tests/saved_worlds.h"
#include "tests/world_checker.h"

/* Saves a world, loads it, and steps both. Returns with the loaded one gone. */
static void check_future(dry_world *world, float dt, int steps, int turn, const char *what)
{
    bytes first = save_of(world);
    dry_world *other = loaded(&first, turn);
    bytes again = save_of(other);
    assert_same_bytes(&first, &again);
    check_world(other, false);
    if (dry_world_hash(world) != dry_world_hash(other))
        fail_msg("%s: the loaded world has another hash", what);
    for (int i = 0; i < steps; ++i) {
        assert_ok(dry_world_step(world, dt));
        assert_ok(dry_world_step(other, dt));
        if (dry_world_hash(world) != dry_world_hash(other))
            fail_msg("%s: hashes differ %d steps after the load", what, i + 1);
        assert_same_events(world, other);
    }
    dry_world_destroy(other);
    free(first.at);
    free(again.at);
}

static void test_box_pile(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 40; ++i)
        add_dynamic(world, pose_at(0.3 * (i % 3), 0.6 + 0.7 * i, 0.2 * (i % 2)), box_shape(0.5, 0.5, 0.5));
    check_future(world, TEST_DT, 20, 0, "new pile");
    for (int i = 0; i < 3; ++i) {
        run_steps(world, 20, TEST_DT);
        check_future(world, TEST_DT, i == 2 ? 100 : 10, i, "pile");
    }
    dry_world_destroy(world);
}

/* Runs a scene, with a save in every ten steps, and frees it. */
static void check_scene(dry_scene *made, int steps, const dry_settings *settings, const char *what)
{
    dry_world *world = scene_world(made, settings, 2);
    for (int done = 0, turn = 0; done < steps; done += 10, turn++)
        check_future(world, made->dt, 10, turn, what);
    dry_world_destroy(world);
    dry_scene_free(made);
}

static void test_scenes(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    for (const dry_scene_builtin *builtin = dry_scene_builtins(); builtin->name; ++builtin)
        for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; ++solver) {
            const golden_length length = golden_length_of(builtin);
            dry_scene made;
            settings.joint_solver = (dry_joint_solver)solver;
            assert_true(golden_make(builtin->name, length.size, &made));
            if (made.joint_count > 0 || solver == DRY_JOINT_SOLVER_ITERATIVE)
                check_scene(&made, test_pick(length.steps, 20), &settings, builtin->name);
            else
                dry_scene_free(&made);
        }
}

static void test_variants(void **state)
{
    (void)state;
    for (const golden_variant *variant = golden_variants; variant->name; ++variant) {
        dry_settings settings = test_settings();
        dry_scene made;
        assert_true(golden_make(variant->scene, variant->size, &made));
        if (variant->set)
            variant->set(&settings);
        if (variant->change)
            variant->change(&made);
        check_scene(&made, variant->steps, &settings, variant->name);
    }
}

/* Worlds that calls stir, between whose steps there are events that wait and things that sleep. */
static void test_stirred_worlds(void **state)
{
    (void)state;
    for (int kind = 0; kind < COUNT_OF(kinds); ++kind) {
        scene s;
        make_scene(&s, &kinds[kind]);
        for (int turn = 0; turn < test_pick(12, 6); ++turn) {
            dry_pose pose = pose_at(0.1 * turn, 2 + 0.3 * turn, 0);
            const dry_body_id body = s.ids[turn * 5 % BODIES];
            assert_ok(dry_body_destroy(s.world, body));
            dry_shape_def shape = turn % 2 ? sphere_shape(0.3) : box_shape(0.3, 0.2, 0.4);
            s.ids[turn * 5 % BODIES] = add_dynamic(s.world, pose, shape);
            check_future(s.world, TEST_DT, 5, turn, s.kind->name);
        }
        dry_world_destroy(s.world);
    }
}

/* Two boxes on a joint. A contact pushes one of them so hard that it stops within the step's first substep.
 */
static void test_bodies_that_stop(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver) {
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)solver;
        dry_world *world = world_with(settings);
        add_floor(world, 0.6, 0);
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        dry_joint_id joint;
        def.body_a = add_dynamic(world, pose_at(0, 0.25, 0), box_shape(0.5, 0.25, 0.4));
        def.body_b = add_dynamic(world, pose_at(1.2, 0.3, 0), box_shape(0.5, 0.25, 0.4));
        def.anchor_a = v3(0.6f, 0.0f, 0.0f);
        def.anchor_b = v3(-0.6f, 0.0f, 0.0f);
        assert_ok(dry_world_create_joint(world, &def, &joint));
        run_steps(world, 3, TEST_DT);
        const int contact = dry_contacts_next(&world->contacts, -1);
        assert_true(contact >= 0 && world->contacts.link[contact].points > 0);
        for (int point = 0; point < world->contacts.link[contact].points; ++point)
            world->contacts.manifold[contact].impulse[point] = 1e10f;
        check_future(world, TEST_DT, 3, solver, "a body that stops");
        assert_true(dry_world_statistics(world).quarantined_bodies > 0);
        dry_world_destroy(world);
    }
}

/* Data that stay outside of a save, and bytes of the program that are in it. */
typedef struct outside {
    dry_shape_data *data;
    char text[32];
    bool refuses;
    dry_world *restored; /* null, or the world that a restoration may not let go while it asks */
} outside;

/* Tries to change a world that is being restored. */
static void call_back(const outside *o)
{
    dry_body_id all[400];
    if (!o->restored)
        return;
    const int count = (int)dry_world_get_bodies(o->restored, all, COUNT_OF(all));
    assert_int_equal(dry_world_destroy_bodies(o->restored, count, all), DRY_ERROR_LOCKED);
    assert_int_equal(dry_world_trim(o->restored), DRY_ERROR_LOCKED);
    assert_int_equal(dry_world_step(o->restored, TEST_DT), DRY_ERROR_LOCKED);
    assert_int_equal(dry_world_restore(o->restored, all, sizeof all, NULL, NULL), DRY_ERROR_LOCKED);
    dry_world_destroy(o->restored); /* does nothing */
}

static dry_shape_data *find_data(void *user, uint64_t hash)
{
    const outside *o = user;
    call_back(o);
    return o->data && dry_shape_data_hash(o->data) == hash ? o->data : NULL;
}

static bool read_program(void *user, const void *some, size_t size)
{
    outside *o = user;
    call_back(o);
    assert_true(size < sizeof o->text);
    memset(o->text, 0, sizeof o->text);
    if (size > 0)
        memcpy(o->text, some, size);
    return !o->refuses;
}

/* A world of many bodies with the same data, which has a reference of its own. */
static dry_world *world_of(dry_shape_data *data)
{
    dry_world *world = world_with(test_settings());
    dry_shape_def shape = box_shape(1, 1, 1);
    shape.type = DRY_SHAPE_COMPOUND;
    shape.data = data;
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 300; ++i)
        add_dynamic(world, pose_at(2 * i, 1, 0), shape);
    run_steps(world, 3, TEST_DT);
    return world;
}

static void test_data_and_program(void **state)
{
    (void)state;
    outside o = {.data = compound_data()};
    dry_world *world = world_of(o.data), *other = NULL;
    bytes with = {0}, without = {0};
    const dry_sink to_with = {append, &with}, to_without = {append, &without};
    const dry_save_options all = {.program_bytes = "seven", .program_size = 5},
                           lean = {.without_shape_data = true};
    assert_ok(dry_world_save(world, &all, &to_with));
    assert_ok(dry_world_save(world, &lean, &to_without));
    assert_true(with.size > without.size);
    const dry_world_def def = test_world_def();
    dry_load_options options = {.find_data = find_data, .read_program = read_program, .user = &o};
    assert_ok(dry_world_load(without.at, without.size, &def, &options, &other, NULL));
    assert_string_equal(o.text, "");
    assert_true(dry_world_hash(other) == dry_world_hash(world));
    run_steps(other, 1, TEST_DT);
    o.restored = other;
    assert_ok(dry_world_restore(other, without.at, without.size, &options, NULL));
    o.restored = NULL;
    assert_true(dry_world_hash(other) == dry_world_hash(world));
    dry_world_destroy(other);
    assert_int_equal(dry_world_load(without.at, without.size, &def, NULL, &other, NULL), DRY_ERROR_ARGUMENT);
    dry_shape_data_release(o.data);
    o.data = NULL;
    assert_int_equal(dry_world_load(without.at, without.size, &def, &options, &other, NULL),
                     DRY_ERROR_ARGUMENT);
    assert_ok(dry_world_load(with.at, with.size, &def, &options, &other, NULL));
    assert_string_equal(o.text, "seven");
    run_steps(other, 1, TEST_DT);
    const uint64_t hash = dry_world_hash(other);
    o.refuses = true;
    assert_int_equal(dry_world_restore(other, with.at, with.size, &options, NULL), DRY_ERROR_ARGUMENT);
    assert_true(dry_world_hash(other) == hash);
    dry_world_destroy(other);
    dry_world_destroy(world);
    free(with.at);
    free(without.at);
}

/* Returns how many contact bundles the next step need not fill if it is as long as the last one. */
static int filled_bundles(const dry_world *world, float dt)
{
    const dry_bundle_set *s = &world->solver.sweeps;
    const dry_contact_bundle *bundles = s->bundles[DRY_KIND_CONTACT].bundle;
    int filled = 0;
    for (int b = 0; b < s->bundles[DRY_KIND_CONTACT].count && s->stored_dt == dt; ++b)
        filled += s->headers[b].stays && dry_scratch_keeps(&world->scratch, &bundles[b], sizeof *bundles);
    return filled;
}

/* Does what may come between a load and the next step. Returns the length of that step. */
static float disturb(dry_world *world, const dry_body_id *ids, int which, float dt)
{
    dry_settings settings = dry_world_get_settings(world);
    settings.gravity.y = -7.0f;
    if (which == 1)
        assert_ok(dry_body_apply_impulse(world, ids[9], v3(40, 0, 0)));
    else if (which == 2)
        assert_ok(dry_body_destroy(world, ids[5]));
    else if (which == 3)
        assert_ok(dry_world_set_settings(world, &settings));
    else if (which == 4)
        add_dynamic(world, pose_at(0, 9, 0), box_shape(0.5, 0.5, 0.5));
    return which == 5 ? 0.5f * dt : dt;
}

/* A world that sleeps sleeps on once it is loaded: its next step only counts, as the saved one's does. */
static void check_asleep(dry_world *world, float dt)
{
    dry_settings settings = dry_world_get_settings(world);
    settings.sleep = true;
    assert_ok(dry_world_set_settings(world, &settings));
    run_steps(world, 90, dt);
    bytes b = save_of(world);
    dry_world *other = loaded(&b, 1);
    assert_true(dry_step_is_empty(world, dt) && dry_step_is_empty(other, dt));
    run_steps(world, 2, dt);
    run_steps(other, 1, dt);
    dry_step_count_empty(other, 1);
    assert_true(dry_world_hash(world) == dry_world_hash(other));
    dry_world_destroy(other);
    free(b.at);
}

enum { PYRAMID_BODIES_MAX = 64 };

/* Makes a pyramid that does not sleep. Sets the length of its steps. */
static dry_world *awake_pyramid(dry_world_def *def, dry_body_id ids[PYRAMID_BODIES_MAX], float *dt)
{
    dry_scene made;
    assert_true(golden_make("pyramid", 7, &made));
    assert_true(made.body_count <= PYRAMID_BODIES_MAX);
    *def = test_world_def();
    def->settings = test_settings();
    def->settings.sleep = false;
    def->settings.gravity = made.gravity;
    dry_world *world = world_from(def);
    assert_ok(dry_scene_build(&made, world, ids));
    *dt = made.dt;
    dry_scene_free(&made);
    return world;
}

/* A world at rest is loaded with the bundles that its steps keep, and goes on as the saved one whatever comes
 * before the next step. So does a world of another graph that is restored to it. */
static void test_worlds_at_rest(void **state)
{
    (void)state;
    dry_world_def def;
    dry_body_id ids[PYRAMID_BODIES_MAX];
    float usual;
    dry_world *world = awake_pyramid(&def, ids, &usual);
    run_steps(world, 120, usual);
    const int filled = filled_bundles(world, usual);
#ifndef DRY_VALIDATE /* it overwrites what each step leaves */
    assert_true(filled > 0);
#endif
    bytes b = save_of(world);
    for (int which = 0; which < 12; ++which) {
        dry_world *other = which < 6 ? loaded(&b, which) : world_from(&def);
        if (which >= 6)
            assert_ok(dry_world_restore(other, b.at, b.size, NULL, NULL));
        assert_true(filled_bundles(other, usual) >= filled); /* events take none of its bundles */
        check_world(other, false);
        const float dt = disturb(world, ids, which % 6, usual);
        assert_true(disturb(other, ids, which % 6, usual) == dt);
        for (int i = 0; i < 5; ++i) {
            run_steps(world, 1, dt);
            run_steps(other, 1, dt);
            assert_true(dry_world_hash(world) == dry_world_hash(other));
            assert_same_events(world, other);
        }
        check_world(other, false);
        dry_world_destroy(other);
        assert_ok(dry_world_restore(world, b.at, b.size, NULL, NULL));
    }
    free(b.at);
    check_asleep(world, usual);
    dry_world_destroy(world);
}

/* A shape far from a pyramid at rest gets the world's first static friction, which no contact has needed yet.
 * A load adds nothing to the state: the world that it makes has the same save. */
static void test_a_load_adds_nothing(void **state)
{
    (void)state;
    dry_world_def def;
    dry_body_id ids[PYRAMID_BODIES_MAX];
    float usual;
    dry_world *world = awake_pyramid(&def, ids, &usual);
    const dry_body_id far = add_body(world, DRY_BODY_STATIC, pose_at(100, 50, 0), box_shape(1, 1, 1));
    run_steps(world, 120, usual);
    dry_shape_id shape;
    int count;
    assert_ok(dry_body_get_shapes(world, far, &shape, 1, &count));
    assert_ok(dry_shape_set_static_friction(world, shape, 0.9f));
    bytes b = save_of(world);
    dry_world *other = loaded(&b, 0);
    bytes again = save_of(other);
    assert_same_bytes(&b, &again);
    dry_world_destroy(other);
    dry_world_destroy(world);
    free(b.at);
    free(again.at);
}

/* A world that had a shape of pieces looks as far ahead of fast boxes as one that never had: a save without
 * contacts does not tell them apart. */
static void test_a_shape_of_pieces_that_is_gone(void **state)
{
    (void)state;
    static const dry_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    static const int32_t triangle[] = {0, 2, 1};
    const dry_mesh mesh = {corners, triangle, 3, 1};
    dry_shape_data *data;
    assert_ok(dry_mesh_create(&mesh, NULL, NULL, &data, NULL));
    dry_world *world = world_with(test_settings());
    const dry_body_id ground =
        add_body(world, DRY_BODY_STATIC, pose_at(0, -9, 0), data_shape(DRY_SHAPE_MESH, data));
    const dry_body_id box = add_dynamic(world, pose_at(0, 5, 0), box_shape(0.1, 0.1, 0.1));
    assert_ok(dry_body_set_velocity(world, box, (dry_velocity){.linear = {90, 0, 0}}));
    run_steps(world, 2, TEST_DT);
    assert_ok(dry_body_destroy(world, ground));
    check_future(world, TEST_DT, 5, 0, "pieces");
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

/* The contact of a box with a mesh keeps the mesh's orientation where one that does not touch keeps a
 * distance. Read as a distance, those of some quarter turns are no number. */
static void test_a_mesh_that_is_turned(void **state)
{
    (void)state;
    static const dry_vec3 corners[] = {{-5, 0, -5}, {5, 0, -5}, {-5, 0, 5}, {5, 0, 5}};
    static const int32_t triangles[] = {0, 2, 1, 1, 2, 3};
    const dry_mesh mesh = {corners, triangles, 4, 2};
    dry_shape_data *data;
    assert_ok(dry_mesh_create(&mesh, NULL, NULL, &data, NULL));
    dry_world *world = world_with(test_settings());
    for (int i = 0; i < 64; i++) {
        dry_pose pose = pose_at(20.0 * i, 0, 0);
        pose.orientation = quat_about((d3){1e-4 * (i % 8), 1, 0}, 1.5 + 0.0025 * i);
        add_body(world, DRY_BODY_STATIC, pose, data_shape(DRY_SHAPE_MESH, data));
        add_dynamic(world, pose_at(20.0 * i, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    }
    run_steps(world, 2, TEST_DT);
    check_future(world, TEST_DT, 5, 0, "turned mesh");
    dry_world_destroy(world);
    dry_shape_data_release(data);
}

/* Substeps follow what a motor turns to a speed; the present motors decide, not those of the islands' begin.
 */
static void test_a_motor_of_another_kind(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id none = {0}, wheel = add_dynamic(world, pose_at(0.5, 0, 0), sphere_shape(0.2));
    dry_joint_def def = dry_hinge_def(world, none, wheel, (dry_position){0, 0, 0}, v3(0, 0, 1));
    def.axes[DRY_AXIS_RX].motor = DRY_MOTOR_POSITION;
    dry_joint_id joint;
    assert_ok(dry_world_create_joint(world, &def, &joint));
    run_steps(world, 10, TEST_DT);
    assert_ok(dry_joint_set_motor(world, joint, DRY_AXIS_RX, DRY_MOTOR_VELOCITY, 30));
    run_steps(world, 30, TEST_DT);
    check_future(world, TEST_DT, 10, 0, "motor");
    dry_world_destroy(world);
}

/* Two boxes that a joint holds keep impulses of as much as the present points of their contact press, and as
 * their island is borne: a step of length 0 takes points away, and other lever arms are asked for. */
static void test_kept_impulses_of_joined_bodies(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * DRY_SOLVER_COUNT; k++) {
        dry_settings settings = k % 2 ? test_settings() : test_settings_weightless();
        settings.method.solver = (dry_solver)(k / 2);
        settings.substeps = 4;
        dry_world *world = world_with(settings);
        dry_shape_def light = box_shape(0.5, 0.5, 0.5), heavy = light;
        light.density = 1, heavy.density = 400;
        add_floor(world, 0.6, 0);
        const dry_body_id a = add_dynamic(world, pose_at(0, 0.5, 0), light),
                          b = add_dynamic(world, pose_at(0, 1.5, 0), light);
        dry_joint_def def = dry_slider_def(world, a, b, (dry_position){0, 1, 0}, v3(0, 1, 0));
        def.collide = true;
        if (k % 2) {
            add_dynamic(world, pose_at(0, 2.5, 0), heavy);
        } else {
            def.axes[DRY_AXIS_X].motor = DRY_MOTOR_VELOCITY;
            def.axes[DRY_AXIS_X].velocity = -1;
            def.axes[DRY_AXIS_X].force_max = 1e5f;
        }
        dry_joint_id joint;
        assert_ok(dry_world_create_joint(world, &def, &joint));
        run_steps(world, 20, TEST_DT);
        if (k % 2) {
            settings.levers = DRY_LEVERS_TRUE;
            assert_ok(dry_world_set_settings(world, &settings));
        } else {
            dry_pose pose = pose_of(world, b);
            pose.orientation = quat_about((d3){0, 0, 1}, 0.2);
            assert_ok(dry_body_set_pose(world, b, pose));
            run_steps(world, 1, 0);
        }
        check_future(world, TEST_DT, 5, k, "joined bodies");
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_pile),
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_stirred_worlds),
        cmocka_unit_test(test_bodies_that_stop),
        cmocka_unit_test(test_data_and_program),
        cmocka_unit_test(test_worlds_at_rest),
        cmocka_unit_test(test_a_load_adds_nothing),
        cmocka_unit_test(test_a_shape_of_pieces_that_is_gone),
        cmocka_unit_test(test_a_mesh_that_is_turned),
        cmocka_unit_test(test_a_motor_of_another_kind),
        cmocka_unit_test(test_kept_impulses_of_joined_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
