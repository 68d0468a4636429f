/* Every call that changes a world is recorded: by its name, and by what a replay of it comes to. */
#include "tests/every_call.h"
#include "tests/memory_scenes.h"
#include "tests/recordings.h"

#include "snapshot/calls.h"

/* Calls that take a world which they may change, and have no row in snapshot/calls.h. */
static const struct {
    const char *name, *why;
} others[] = {
    {"dry_world_create_body", "makes dry_world_create_bodies"},
    {"dry_body_destroy", "makes dry_world_destroy_bodies"},
    {"dry_world_destroy_body", "the former name of dry_body_destroy"},
    {"dry_history_create", "the former name of dry_world_create_history"},
    {"dry_body_set_pose", "makes dry_world_set_motion"},
    {"dry_body_set_velocity", "makes dry_world_set_motion"},
    {"dry_world_create_joint", "makes dry_world_create_joints"},
    {"dry_joint_set_def", "makes dry_world_set_joint_defs"},
    {"dry_joint_set_motor", "makes dry_world_set_joint_axes"},
    {"dry_joint_set_enabled", "makes dry_world_set_joints_enabled"},
    {"dry_world_step", "has a block of its own"},
    {"dry_world_restore", "has a save as its block"},
    {"dry_world_destroy", "ends the recording"},
    {"dry_world_apply_delta", "has a save as its block"},
    {"dry_world_create_history", "changes no state"},
    {"dry_world_set_workers", "changes no state"},
    {"dry_world_trim", "changes no state"},
    {"dry_world_cast_rays", "takes memory that is no state"},
    {"dry_world_cast_shapes", "takes memory that is no state"},
    {"dry_world_overlaps", "takes memory that is no state"},
    {"dry_world_collides", "takes memory that is no state"},
    {"dry_world_closests", "takes memory that is no state"},
    {"dry_world_contains_points", "takes memory that is no state"},
};

static bool is_listed(const char *name)
{
    for (int i = 0; i < DRY_CALL_COUNT; ++i)
        if (strcmp(dry_calls[i].name, name) == 0)
            return true;
    for (int i = 0; i < COUNT_OF(others); ++i)
        if (strcmp(others[i].name, name) == 0)
            return true;
    return false;
}

/* Returns the text of a public header. */
static char *read_header(const char *name)
{
    char path[1024];
    const char *root = getenv("DRYSTONE_SOURCE_ROOT");
    snprintf(path, sizeof path, "%s/include/drystone/%s", root ? root : ".", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 18);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 18) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Checks the calls of a header whose first argument is a world that they may change. Returns their number. */
static int check_header(const char *header)
{
    char *text = read_header(header);
    int count = 0;
    for (char *at = text; (at = strstr(at, "(dry_world *world")) != NULL; at++) {
        char *name = at;
        while (name > text && (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z')))
            name--;
        *at = '\0';
        if (!is_listed(name))
            fail_msg(
                "%s of %s changes worlds: it needs a row in snapshot/calls.h and DRY_RECORD, or a reason "
                "here",
                name, header);
        count++;
    }
    free(text);
    return count;
}

static void test_headers(void **state)
{
    (void)state;
    int count = 0;
    static const char *const headers[] = {"body.h",    "event.h", "history.h",   "joint.h", "mesh.h",
                                          "numbers.h", "query.h", "recording.h", "save.h",  "shape_data.h",
                                          "shape.h",   "types.h", "world.h"};
    for (int i = 0; i < COUNT_OF(headers); ++i)
        count += check_header(headers[i]);
    /* All of the list but dry_world_take_lease are public. */
    assert_int_equal(count, DRY_CALL_COUNT - 1 + COUNT_OF(others));
}

/* A scene of memory_scenes.h in a world that is recorded: loaded from that of the scene. */
typedef struct recorded {
    scene s;
    bytes b;
} recorded;

static void make_recorded(recorded *r, const scene_kind *kind)
{
    *r = (recorded){0};
    make_scene(&r->s, kind);
    const dry_world_def def = recorded_def(&r->b);
    bytes save = save_of(r->s.world);
    dry_world_destroy(r->s.world);
    assert_ok(dry_world_load(save.at, save.size, &def, NULL, &r->s.world, NULL));
    assert_true(dry_world_is_recording(r->s.world));
    free(save.at);
}

static bool seen[DRY_CALL_COUNT];

/* Notes which calls a recording has. */
static void note_calls(const bytes *b)
{
    dry_section_header header;
    for (size_t at = sizeof(dry_save_header); (at = find_block(b, at, DRY_BLOCK_CALL)) > 0;
         at = end_of_block(b, at)) {
        memcpy(&header, b->at + at, sizeof header);
        for (int i = 0; i < DRY_CALL_COUNT; ++i)
            seen[i] = seen[i] || dry_calls[i].number == header.number;
    }
}

/* Replays what is recorded so far, and frees all. */
static void end_recorded(recorded *r, int turn)
{
    note_calls(&r->b);
    check_replay(&r->b, r->s.world, turn, 0);
    dry_world_destroy(r->s.world);
    assert_true(find_block(&r->b, sizeof(dry_save_header), DRY_SECTION_END) > 0);
    free(r->b.at);
}

/* Makes one call that changes a world. */
static dry_result make_call(scene *s, int which)
{
    if (which < BODY_CALLS - BODY_READERS)
        return call_with_body(s->world, BODY_READERS + which, s->ids[BODIES / 2]);
    which -= BODY_CALLS - BODY_READERS;
    if (which < SHAPE_CALLS - SHAPE_READERS)
        return call_with_shape(s->world, SHAPE_READERS + which, s->shape);
    return call_with_joint(s->world, JOINT_READERS + which - (SHAPE_CALLS - SHAPE_READERS), s->joint);
}

enum { CALLS = BODY_CALLS - BODY_READERS + SHAPE_CALLS - SHAPE_READERS + JOINT_CALLS - JOINT_READERS };

static void test_every_call(void **state)
{
    (void)state;
    for (int which = 0; which < CALLS; ++which) {
        recorded r;
        make_recorded(&r, &kinds[1]);
        const bytes before = save_of(r.s.world);
        const size_t size = r.b.size;
        const dry_result result = make_call(&r.s, which);
        const bytes after = save_of(r.s.world);
        const bool same = before.size == after.size && memcmp(before.at, after.at, after.size) == 0;
        if (r.b.size == size && !same)
            fail_msg("call %d of every_call.h changed the world, and is not recorded", which);
        if (result != DRY_OK)
            assert_int_equal(r.b.size, size);
        run_steps(r.s.world, 2, TEST_DT);
        end_recorded(&r, which);
        free(before.at);
        free(after.at);
    }
}

/* All calls one after the other, in each kind of world. */
static void test_sequences(void **state)
{
    (void)state;
    for (int kind = 0; kind < COUNT_OF(kinds); ++kind) {
        recorded r;
        uint64_t random = 77 + (uint64_t)kind;
        make_recorded(&r, &kinds[kind]);
        for (int i = 0; i < test_pick(300, 60); ++i) {
            const int body = random_below(&random, BODIES);
            const dry_body_id swapped = r.s.ids[BODIES / 2];
            r.s.ids[BODIES / 2] = r.s.ids[body];
            r.s.ids[body] = swapped;
            make_call(&r.s, random_below(&random, CALLS));
            if (random_below(&random, 4) == 0)
                assert_true(dry_world_step(r.s.world, TEST_DT) == DRY_OK);
        }
        end_recorded(&r, kind);
    }
}

/* Settings, data of shapes and heights that change. */
static void test_other_calls(void **state)
{
    (void)state;
    recorded r;
    float heights[9] = {0, 0.1f, 0, 0, 0.1f, 0, 0, 0.1f, 0};
    const dry_height_field_def field = {.rows = 3, .columns = 3, .spacing = {3, 3}, .heights = heights};
    dry_shape_def ground = dry_default_shape_def();
    make_recorded(&r, &kinds[0]);
    ground.type = DRY_SHAPE_HEIGHT_FIELD;
    assert_ok(dry_height_field_create(&field, NULL, &ground.data, NULL));
    dry_shape_id shapes[2];
    int count;
    const dry_body_id a = add_body(r.s.world, DRY_BODY_STATIC, pose_at(-3, 0.2, -3), ground);
    const dry_body_id b = add_body(r.s.world, DRY_BODY_STATIC, pose_at(-3, 0.3, -3), ground);
    dry_shape_data_release(ground.data);
    assert_ok(dry_body_get_shapes(r.s.world, a, &shapes[0], 1, &count));
    assert_ok(dry_body_get_shapes(r.s.world, b, &shapes[1], 1, &count));
    for (int i = 0; i < 6; ++i) {
        dry_settings settings = dry_world_get_settings(r.s.world);
        settings.gravity.x = (float)i;
        settings.substeps = i;
        assert_ok(dry_world_set_settings(r.s.world, &settings));
        heights[4] = 0.1f * (float)i;
        assert_ok(dry_shape_set_heights(r.s.world, shapes[i % 2], 0, 0, 3, 3, heights));
        run_steps(r.s.world, 3, TEST_DT);
    }
    end_recorded(&r, 1);
}

/* Calls on bodies and joints of other kinds than those of every_call.h. */
static void test_other_kinds(void **state)
{
    (void)state;
    recorded r;
    make_recorded(&r, &kinds[0]);
    assert_ok(dry_body_set_type(r.s.world, r.s.ids[3], DRY_BODY_KINEMATIC));
    assert_ok(dry_body_move_to(r.s.world, r.s.ids[3], pose_at(1, 3, 2), 0.5f));
    const dry_volume_def volume = volume_def(&r.s, 6);
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    dry_joint_id ids[2];
    hinge.body_a = r.s.ids[1];
    hinge.body_b = r.s.ids[2];
    hinge.axes[DRY_AXIS_RX].max = 1.5f;
    assert_ok(dry_world_create_volumes(r.s.world, 1, &volume, &ids[0]));
    assert_ok(dry_world_create_joint(r.s.world, &hinge, &ids[1]));
    run_steps(r.s.world, 2, TEST_DT);
    dry_joint_axis_change change = {ids[1], DRY_AXIS_RX, hinge.axes[DRY_AXIS_RX]};
    change.settings.motor = DRY_MOTOR_VELOCITY;
    change.settings.velocity = 2;
    assert_ok(dry_world_set_joint_axes(r.s.world, 1, &change));
    bytes save = save_of(r.s.world);
    run_steps(r.s.world, 2, TEST_DT);
    assert_ok(dry_world_restore(r.s.world, save.at, save.size, NULL, NULL));
    run_steps(r.s.world, 2, TEST_DT);
    assert_ok(dry_world_step_only(r.s.world, TEST_DT, r.s.ids, 4));
    assert_ok(dry_world_step_only(r.s.world, TEST_DT, NULL, 0));
    run_steps(r.s.world, 2, TEST_DT);
    end_recorded(&r, 2);
    free(save.at);
}

/* Ids for which a world draws numbers are the same in a replay, which draws none. */
static void test_draws(void **state)
{
    (void)state;
    recorded r = {0};
    dry_world_def def = recorded_def(&r.b);
    def.tag = 0;
    r.s.world = world_from(&def);
    for (int i = 0; i < 200; ++i) {
        const dry_body_id id = add_dynamic(r.s.world, pose_at(0, 1, 0), sphere_shape(0.2));
        if (i % 50 == 0)
            run_steps(r.s.world, 1, TEST_DT);
        assert_ok(dry_body_destroy(r.s.world, id));
    }
    assert_int_equal(r.s.world->leases.count, 3);
    end_recorded(&r, 0);
}

/* Each row of the list was in some recording above: no call has forgotten DRY_RECORD. */
static void test_rows(void **state)
{
    (void)state;
    for (int i = 0; i < DRY_CALL_COUNT; ++i)
        if (!seen[i])
            fail_msg("%s was in no recording: it lacks DRY_RECORD, or a test here", dry_calls[i].name);
}

/* Makes the bodies of the recording in tests/data/recordings: a field, three hulls, and a ball that a
 * kinematic body swings about a hinge. */
static void add_sample_bodies(dry_world *world, dry_body_id ids[6])
{
    static const float heights[9] = {0, 0.1f, 0, 0, 0, 0, 0, 0.1f, 0};
    const dry_height_field_def field = {.rows = 3, .columns = 3, .spacing = {4, 4}, .heights = heights};
    dry_shape_def ground = dry_default_shape_def(), hull = ground, ball = sphere_shape(0.3);
    dry_material materials[2] = {dry_default_material(), dry_default_material()};
    dry_vec3 corners[8];
    for (int i = 0; i < 8; ++i)
        corners[i] = v3((i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2) - 0.5);
    ground.type = DRY_SHAPE_HEIGHT_FIELD;
    hull.type = DRY_SHAPE_HULL;
    assert_ok(dry_height_field_create(&field, NULL, &ground.data, NULL));
    assert_ok(dry_hull_create(corners, 8, 0, NULL, &hull.data, NULL));
    ids[0] = add_body(world, DRY_BODY_STATIC, pose_at(-4, 0, -4), ground);
    for (int i = 1; i < 4; ++i)
        ids[i] = add_dynamic(world, pose_at(0.1 * i, 0.2 + 1.05 * i, 0), hull);
    materials[1].friction = 0.2f;
    materials[1].id = 7;
    ball.materials = materials;
    ball.material_count = 2;
    ball.friction = dry_default_shape_def().friction;
    ids[4] = add_dynamic(world, pose_at(2, 1, 0), ball);
    ids[5] = add_body(world, DRY_BODY_KINEMATIC, pose_at(3, 1, 0), sphere_shape(0.2));
    dry_shape_data_release(ground.data);
    dry_shape_data_release(hull.data);
    dry_joint_def hinge = dry_default_joint_def(DRY_JOINT_HINGE);
    dry_joint_id joint;
    hinge.body_a = ids[5];
    hinge.body_b = ids[4];
    hinge.anchor_a = v3(-1, 0, 0);
    hinge.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
    hinge.axes[DRY_AXIS_RX].velocity = 2;
    assert_ok(dry_world_create_joint(world, &hinge, &joint));
}

static bytes read_sample(const char *name)
{
    char path[1024];
    const char *root = getenv("DRYSTONE_SOURCE_ROOT");
    bytes kept = {.room = 1 << 20};
    snprintf(path, sizeof path, "%s/tests/data/%s", root ? root : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    kept.at = malloc(kept.room);
    assert_non_null(kept.at);
    kept.size = fread(kept.at, 1, kept.room, file);
    fclose(file);
    return kept;
}

/* Writes a sample of the present library to the file that a variable of the environment names, if it does. */
static void write_sample(const char *variable, const bytes *made)
{
    const char *wanted = getenv(variable);
    FILE *file = wanted ? fopen(wanted, "wb") : NULL;
    if (!file)
        return;
    assert_true(fwrite(made->at, 1, made->size, file) == made->size);
    fclose(file);
}

/* Makes a world with forms, materials, a joint, a moving kinematic body, impulses and events to come. */
static dry_world *make_sample_world(void)
{
    dry_body_id ids[6];
    const dry_world_def def = test_world_def();
    dry_world *world = world_from(&def);
    add_sample_bodies(world, ids);
    run_steps(world, 4, TEST_DT);
    assert_ok(dry_body_apply_impulse(world, ids[2], v3(200, 0, 50)));
    assert_ok(dry_body_move_to(world, ids[5], pose_at(3, 1.5, 0), 0.5f));
    run_steps(world, 26, TEST_DT);
    assert_ok(dry_body_destroy(world, ids[1]));
    return world;
}

/* The save that is kept for each format, of an x86 machine, is one of the world that this machine makes, and
 * has its future. With DRYSTONE_WRITE_SAVE set the present library writes its own into that file. */
static void test_save_sample(void **state)
{
    (void)state;
    dry_world *world = make_sample_world();
    bytes made = save_of(world);
    write_sample("DRYSTONE_WRITE_SAVE", &made);
    bytes kept = read_sample("saves/format1.save");
    if (((const dry_save_header *)(const void *)kept.at)->arithmetic != DRY_ARITHMETIC_REVISION)
        fail_msg("the arithmetic has changed: renew tests/data/saves (tests/data/README.md)");
    dry_world *other = loaded(&kept, 1);
    assert_true(dry_world_hash(world) == dry_world_hash(other));
    for (int i = 0; i < 60; ++i) {
        run_steps(world, 1, TEST_DT);
        run_steps(other, 1, TEST_DT);
        assert_true(dry_world_hash(world) == dry_world_hash(other));
        assert_same_events(world, other);
    }
    dry_world_destroy(world);
    dry_world_destroy(other);
    free(made.at);
    free(kept.at);
}

static bytes make_sample(void)
{
    bytes b = {0};
    dry_body_id ids[6];
    dry_shape_id field;
    int count;
    const float height = 0.05f;
    dry_world_def def = recorded_def(&b);
    def.recording.sums_every = 5;
    def.recording.saves_every = 10;
    dry_world *world = world_from(&def);
    add_sample_bodies(world, ids);
    run_steps(world, 4, TEST_DT);
    assert_ok(dry_body_apply_impulse(world, ids[2], v3(200, 0, 50)));
    assert_ok(dry_body_move_to(world, ids[5], pose_at(3, 1.5, 0), 0.5f));
    assert_ok(dry_body_get_shapes(world, ids[0], &field, 1, &count));
    assert_ok(dry_shape_set_heights(world, field, 1, 1, 1, 1, &height));
    run_steps(world, 7, TEST_DT);
    assert_ok(dry_body_destroy(world, ids[1]));
    run_steps(world, 4, TEST_DT);
    dry_world_destroy(world);
    return b;
}

/* The recording that is kept for each format still replays. With DRYSTONE_WRITE_SAMPLE set the present
 * library writes its own into that file. */
static void test_sample(void **state)
{
    (void)state;
    bytes made = make_sample();
    write_sample("DRYSTONE_WRITE_SAMPLE", &made);
    bytes kept = read_sample("recordings/format1.rec");
    for (int turn = 0; turn < 4; ++turn) {
        dry_replay *replay = replay_of(turn % 2 ? &kept : &made, turn, turn < 2 ? 0 : 12);
        const dry_replay_report report = run_replay(replay);
        if (report.difference.kind != DRY_DIFFERENCE_NONE)
            fail_msg("%s: %s", turn % 2 ? "format1.rec" : "made now", report.difference.text);
        assert_true(report.has_end && report.step_count == 15 && report.format == 1);
        assert_true(report.first_step == (turn < 2 ? 0 : 10));
        assert_true(report.compares_state || turn % 2);
        dry_replay_destroy(replay);
    }
    free(made.at);
    free(kept.at);
}

/* The defaults of definitions are those that the lists leave out. */
static void test_defaults(void **state)
{
    (void)state;
    const dry_body_def body = dry_default_body_def(),
                       *listed_body = dry_definitions[DRY_DEFINITION_BODY].standard;
    const dry_shape_def shape = dry_default_shape_def(),
                        *listed_shape = dry_definitions[DRY_DEFINITION_SHAPE].standard;
    const dry_material material = dry_default_material(),
                       *listed_material = dry_definitions[DRY_DEFINITION_MATERIAL].standard;
    assert_memory_equal(&body.pose, &listed_body->pose, sizeof body.pose);
    assert_true(body.gravity_scale == listed_body->gravity_scale && body.enabled == listed_body->enabled);
    assert_true(body.awake == listed_body->awake && body.can_sleep == listed_body->can_sleep);
    assert_memory_equal(&shape.half_extents, &listed_shape->half_extents, sizeof shape.half_extents);
    assert_true(shape.radius == listed_shape->radius && shape.density == listed_shape->density);
    assert_true(shape.friction == listed_shape->friction && shape.filter.mask == listed_shape->filter.mask);
    assert_true(material.friction == listed_material->friction);
    assert_true(material.restitution_rule == listed_material->restitution_rule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),     cmocka_unit_test(test_every_call),
        cmocka_unit_test(test_sequences),   cmocka_unit_test(test_other_calls),
        cmocka_unit_test(test_other_kinds), cmocka_unit_test(test_draws),
        cmocka_unit_test(test_rows),        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_sample),      cmocka_unit_test(test_save_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
