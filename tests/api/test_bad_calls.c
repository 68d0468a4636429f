/* Bad calls: stale and foreign ids, null pointers, calls from inside a step, extreme steps and forces. Each
 * gets an error result and changes nothing; what cannot be refused is contained. */
#include "tests/bad_input_world.h"

#include <pthread.h>

static void check_ids(fixture *f, dry_body_id body, dry_shape_id shape, dry_joint_id joint)
{
    assert_false(dry_body_is_valid(f->world, body));
    assert_false(dry_shape_is_valid(f->world, shape));
    assert_false(dry_joint_is_valid(f->world, joint));
    assert_false(dry_body_is_awake(f->world, body));
    assert_int_equal(dry_body_tier(f->world, body), -1);
    assert_int_equal(dry_body_tier_reason(f->world, body), -1);
    for (int i = 0; i < BODY_CALLS; ++i)
        assert_refused(f, call_with_body(f->world, i, body), DRY_ERROR_STALE_ID);
    for (int i = 0; i < SHAPE_CALLS; ++i)
        assert_refused(f, call_with_shape(f->world, i, shape), DRY_ERROR_STALE_ID);
    for (int i = 0; i < JOINT_CALLS; ++i)
        assert_refused(f, call_with_joint(f->world, i, joint), DRY_ERROR_STALE_ID);
}

/* Null, destroyed, another world's, another kind's, and made up: each named as stale by every call. */
static void test_stale_and_foreign_ids(void **state)
{
    (void)state;
    fixture f, foreign;
    fixture_make(&f, 1);
    fixture_make(&foreign, 2);
    check_ids(&f, (dry_body_id){0}, (dry_shape_id){0}, (dry_joint_id){0});
    check_ids(&f, f.stale_body, f.stale_shape, f.stale_joint);
    check_ids(&f, foreign.dynamic, foreign.shape, foreign.joint);
    uint64_t seed = 77;
    for (int i = 0; i < 20; ++i) {
        uint64_t bits = i < 10 ? random_bits(&seed) : ~0ull >> (3 * i);
        check_ids(&f, (dry_body_id){bits}, (dry_shape_id){bits}, (dry_joint_id){bits});
    }
    for (int bit = 0; bit < 64; ++bit) { /* one bit off a living id */
        dry_body_id near_id = {f.dynamic.bits ^ (1ull << bit)};
        dry_pose pose;
        if (near_id.bits != f.floor.bits && near_id.bits != f.other.bits && near_id.bits != f.kinematic.bits)
            assert_int_equal(dry_body_get_pose(f.world, near_id, &pose), DRY_ERROR_STALE_ID);
    }
    fixture_end(&foreign);
    fixture_end(&f);
}

/* A stale id stays stale when its slot is used again, many times over. */
static void test_reused_slots_do_not_revive_ids(void **state)
{
    (void)state;
    enum { ROUNDS = 3000 };
    dry_world *world = world_with(test_settings());
    static dry_body_id old[ROUNDS];
    for (int i = 0; i < ROUNDS; ++i) {
        old[i] = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
        assert_ok(dry_body_destroy(world, old[i]));
    }
    dry_body_id living = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    for (int i = 0; i < ROUNDS; ++i) {
        assert_false(dry_body_is_valid(world, old[i]));
        assert_true(old[i].bits != living.bits);
    }
    assert_true(dry_body_is_valid(world, living));
    dry_world_destroy(world);
}

/* Tells a result of a call that has just been made and has failed: its reason is another than that of the
 * call before it, whose text is set here. */
static dry_result told(dry_result result)
{
    const char *reason = dry_last_error();
    assert_int_not_equal(result, DRY_OK);
    assert_true(strncmp(reason, "dry_", 4) == 0 && strstr(reason, ": "));
    assert_null(strstr(reason, "dry_set_number_range"));
    assert_int_equal(dry_set_number_range((dry_number_range){0}, NULL), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(dry_last_error(), "dry_set_number_range: "));
    return result;
}

static void test_null_pointers(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 1);
    dry_world *w = f.world, *made = NULL;
    dry_body_id body = f.dynamic;
    dry_shape_def shape = sphere_shape(0.5);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(40, 0, 0), &shape);
    dry_joint_def joint = sound_joint(&f);
    dry_ray ray = {.origin = {0, 9, 0}, .translation = {0, -10, 0}, .mask = ~0ull};
    dry_ray_hit hit;
    dry_overlap overlap = {.pose = pose_at(0, 0, 0), .half_extents = {1, 1, 1}, .mask = ~0ull};
    dry_shape_id shape_id;
    dry_joint_id joint_id;
    dry_world_def world_def = test_world_def();
    const dry_position point = {1, 2, 3};
    dry_vec3 vector;
    float matrix[3][3];
    int count;
    const dry_result results[] = {
        told(dry_world_create(NULL, &made)),
        told(dry_world_create(&world_def, NULL)),
        told(dry_world_set_settings(w, NULL)),
        told(dry_world_create_body(w, NULL, &body)),
        told(dry_world_create_body(w, &def, NULL)),
        told(dry_world_create_bodies(w, 1, NULL, &body)),
        told(dry_world_create_bodies(w, 1, &def, NULL)),
        told(dry_world_create_bodies(w, -1, &def, &body)),
        told(dry_world_destroy_bodies(w, 1, NULL)),
        told(dry_world_destroy_bodies(w, -1, &body)),
        told(dry_world_get_motion(w, 1, NULL, NULL, NULL, NULL)),
        told(dry_world_get_motion(w, -1, &body, NULL, NULL, NULL)),
        told(dry_body_get_pose(w, body, NULL)),
        told(dry_body_get_velocity(w, body, NULL)),
        told(dry_body_get_def(w, body, NULL)),
        told(dry_body_get_mass(w, body, NULL)),
        told(dry_body_get_center(w, body, NULL)),
        told(dry_body_get_correction(w, body, NULL)),
        told(dry_body_get_velocity_at(w, body, point, NULL)),
        told(dry_body_get_acceleration_at(w, body, point, NULL)),
        told(dry_body_get_inverse_mass_at(w, body, point, point, NULL)),
        told(dry_body_get_velocity_at(w, body, (dry_position){NAN, 0, 0}, &vector)),
        told(dry_body_get_acceleration_at(w, body, (dry_position){0, 2e9, 0}, &vector)),
        told(dry_body_get_inverse_mass_at(w, body, point, (dry_position){0, 0, INFINITY}, matrix)),
        told(dry_body_get_shapes(w, body, NULL, 4, &count)),
        told(dry_body_get_shapes(w, body, &shape_id, 1, NULL)),
        told(dry_body_get_joints(w, body, NULL, 4, &count)),
        told(dry_body_get_joints(w, body, &joint_id, 1, NULL)),
        told(dry_body_get_contacts(w, body, NULL, 4, &count)),
        told(dry_world_set_motion(w, 1, NULL, &def.pose, &def.velocity)),
        told(dry_body_set_mass(w, body, NULL)),
        told(dry_world_apply_forces(w, 1, NULL, &ray.translation, NULL)),
        told(dry_body_create_shape(w, body, NULL, &shape_id)),
        told(dry_body_create_shape(w, body, &shape, NULL)),
        told(dry_shape_get_def(w, f.shape, NULL)),
        told(dry_shape_get_body(w, f.shape, NULL)),
        told(dry_world_create_joint(w, NULL, &joint_id)),
        told(dry_world_create_joint(w, &joint, NULL)),
        told(dry_world_create_joints(w, 1, NULL, &joint_id)),
        told(dry_world_create_joints(w, -1, &joint, &joint_id)),
        told(dry_joint_get_def(w, f.joint, NULL)),
        told(dry_joint_get_impulse(w, f.joint, NULL)),
        told(dry_world_cast_ray(w, NULL, &hit)),
        told(dry_world_cast_ray(w, &ray, NULL)),
        told(dry_world_cast_ray_all(w, &ray, &hit, 1, NULL)),
        told(dry_world_cast_ray_all(w, &ray, NULL, 1, &count)),
        told(dry_world_cast_rays(w, 1, NULL, &hit)),
        told(dry_world_cast_rays(w, 1, &ray, NULL)),
        told(dry_world_cast_rays(w, -1, &ray, &hit)),
        told(dry_world_overlap(w, NULL, &shape_id, 1, &count)),
        told(dry_world_overlap(w, &overlap, &shape_id, 1, NULL)),
        told(dry_world_overlaps(w, 1, NULL, &shape_id, 1, &count)),
        told(dry_world_overlaps(w, 1, &overlap, &shape_id, 1, NULL)),
        told(dry_world_step(NULL, TEST_DT)),
        told(dry_world_step_only(NULL, TEST_DT, NULL, 0)),
        told(dry_world_set_settings(NULL, &world_def.settings)),
        told(dry_world_cast_ray(NULL, &ray, &hit)),
        told(dry_world_overlap(NULL, &overlap, &shape_id, 1, &count)),
    };
    for (int i = 0; i < COUNT_OF(results); ++i)
        if (results[i] != DRY_ERROR_ARGUMENT)
            fail_msg("call %d answers %s", i, dry_result_name(results[i]));
    for (int i = 0; i < BODY_CALLS; ++i)
        assert_int_equal(told(call_with_body(NULL, i, f.dynamic)), DRY_ERROR_ARGUMENT);
    for (int i = 0; i < SHAPE_CALLS; ++i)
        assert_int_equal(told(call_with_shape(NULL, i, f.shape)), DRY_ERROR_ARGUMENT);
    for (int i = 0; i < JOINT_CALLS; ++i)
        assert_int_equal(told(call_with_joint(NULL, i, f.joint)), DRY_ERROR_ARGUMENT);
    assert_false(dry_body_is_valid(NULL, f.dynamic));
    assert_false(dry_shape_is_valid(NULL, f.shape));
    assert_false(dry_joint_is_valid(NULL, f.joint));
    assert_int_equal(dry_world_statistics(w).bodies, 4);
    assert_null(dry_isa_name(DRY_ISA_COUNT));
    assert_null(dry_team_name(DRY_TEAM_COUNT));
    for (int i = 0; i < DRY_TEAM_COUNT; i++) {
        dry_team team = DRY_TEAM_COUNT;
        assert_true(dry_team_from_name(dry_team_name((dry_team)i), &team));
        assert_int_equal(team, i);
    }
    assert_false(dry_team_from_name("OpenMP", &(dry_team){0}));
    assert_false(dry_team_from_name(NULL, &(dry_team){0}));
    assert_int_equal(dry_world_team(NULL), DRY_TEAM_THREADS);
    assert_null(dry_solver_name(DRY_SOLVER_COUNT));
    assert_null(dry_stage_name(DRY_STAGE_COUNT));
    assert_non_null(dry_result_name((dry_result)99));
    fixture_end(&f);
}

static void forget_line(const char *line, void *user)
{
    (void)line, (void)user;
    told(dry_world_create(NULL, NULL)); /* a call that fails inside another one's report */
}

/* Calls without a world have reasons, too, and so has a call that returns nothing. */
static void test_reasons_without_a_world(void **state)
{
    (void)state;
    dry_shape_data *data = NULL;
    dry_world *world = NULL;
    dry_rooms *rooms = NULL;
    dry_replay *replay = NULL;
    dry_room_id room;
    bool more;
    size_t size;
    const dry_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int32_t triangle[3] = {0, 1, 2};
    const dry_mesh open = {
        .vertices = corners, .triangles = triangle, .vertex_count = 3, .triangle_count = 1};
    const dry_shape_def half = halfspace_shape(v3(0, 1, 0), 0);
    dry_mesh_mass mass;
    dry_world_def def = test_world_def();
    const dry_rooms_def pool = {.workers = -1};
    told(dry_hull_create(NULL, 0, 0, NULL, &data, NULL));
    told(dry_hull_create(corners, 3, 0, NULL, &data, NULL));
    told(dry_mesh_create(NULL, NULL, NULL, &data, NULL));
    told(dry_height_field_create(NULL, NULL, &data, NULL));
    told(dry_height_field_create(&(dry_height_field_def){0}, NULL, &data, NULL));
    told(dry_compound_create(&half, 1, NULL, &data));
    told(dry_compound_create(NULL, 1, NULL, &data));
    told(dry_shape_data_save(NULL, NULL, 0, &size));
    told(dry_shape_data_load("no data", 7, NULL, &data));
    told(dry_shape_data_load(NULL, 0, NULL, &data));
    told(dry_mesh_get_mass(NULL, 1, NULL, &mass, NULL));
    told(dry_mesh_get_mass(&open, 1, NULL, &mass, NULL));
    told(dry_world_load(NULL, 0, &def, NULL, &world, NULL));
    told(dry_world_load("no save", 7, &def, NULL, &world, NULL));
    told(dry_replay_create(NULL, 0, &def, NULL, &replay));
    told(dry_replay_create("no recording", 12, &def, NULL, &replay));
    told(dry_replay_step(NULL, &more));
    told(dry_world_create_history(NULL, 1, &(dry_history *){NULL}));
    told(dry_history_rewind(NULL, 0));
    told(dry_rooms_create(NULL, &rooms));
    told(dry_rooms_create(&pool, &rooms));
    told(dry_rooms_add(NULL, NULL, NULL, &room));
    told(dry_rooms_add_saved(NULL, NULL, NULL, 0, &def, NULL, &room));
    told(dry_rooms_remove(NULL, (dry_room_id){1}));
    told(dry_rooms_post(NULL, (dry_room_id){1}, NULL, 0));
    told(dry_rooms_take(NULL, (dry_room_id){1}, NULL, NULL));
    told(dry_rooms_get_statistics(NULL, (dry_room_id){1}, NULL));
    told(dry_rooms_get_pool_statistics(NULL, NULL));
    told(dry_world_save(NULL, NULL, NULL));
    told(dry_world_restore(NULL, NULL, 0, NULL, NULL));
    told(dry_world_save_delta(NULL, 0, NULL));
    told(dry_world_apply_delta(NULL, NULL, 0, NULL));
    told(dry_world_trim(NULL));
    dry_world_destroy(NULL); /* which is no failure: the reason before it stays */
    assert_non_null(strstr(dry_last_error(), "dry_set_number_range: "));

    def.log = (dry_log){forget_line, NULL};
    def.threads = -1;
    assert_int_equal(dry_world_create(&def, &world), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(dry_last_error(), "threads"));
}

/* The reasons of a world without a log are those of a world with one, and each thread has its own. */
static void *fail_without_log(void *argument)
{
    const fixture *f = argument;
    dry_world_def def = test_world_def();
    def.tag = 3;
    dry_world *world = world_from(&def);
    assert_string_equal(dry_last_error(), "");
    for (int i = 0; i < BODY_CALLS; ++i) {
        assert_int_equal(call_with_body(world, i, f->stale_body), DRY_ERROR_STALE_ID);
        assert_non_null(strstr(dry_last_error(), "body id"));
    }
    assert_int_equal(dry_world_step(world, -1), DRY_ERROR_ARGUMENT);
    dry_world_destroy(world);
    static char line[512];
    snprintf(line, sizeof line, "%s", dry_last_error());
    return line;
}

static void test_reasons_of_threads(void **state)
{
    (void)state;
    fixture f;
    fixture_make(&f, 1);
    assert_refused(&f, dry_body_set_awake(f.world, f.stale_body, true), DRY_ERROR_STALE_ID);
    char before[512];
    snprintf(before, sizeof before, "%s", dry_last_error());
    pthread_t thread;
    void *line;
    assert_int_equal(pthread_create(&thread, NULL, fail_without_log, &f), 0);
    assert_int_equal(pthread_join(thread, &line), 0);
    assert_string_equal(dry_last_error(), before);
    assert_refused(&f, dry_world_step(f.world, -1), DRY_ERROR_ARGUMENT);
    assert_string_equal(dry_last_error(), line);
    fixture_end(&f);
}

/* A callback that calls back into the stepping world: every call that would change it is LOCKED. */
typedef struct intruder {
    fixture f;
    int started, wrong;
    void (*run)(void *argument);
    void *argument;
} intruder;

static void *intrude(void (*run)(void *argument), void *argument, void *user)
{
    intruder *in = user;
    fixture *f = &in->f;
    in->started++;
    for (int i = BODY_READERS; i < BODY_CALLS; ++i)
        in->wrong += call_with_body(f->world, i, f->dynamic) != DRY_ERROR_LOCKED;
    for (int i = SHAPE_READERS; i < SHAPE_CALLS; ++i)
        in->wrong += call_with_shape(f->world, i, f->shape) != DRY_ERROR_LOCKED;
    for (int i = JOINT_READERS; i < JOINT_CALLS; ++i)
        in->wrong += call_with_joint(f->world, i, f->joint) != DRY_ERROR_LOCKED;
    in->wrong += dry_world_step(f->world, TEST_DT) != DRY_ERROR_LOCKED;
    in->wrong += dry_world_step_only(f->world, TEST_DT, &f->dynamic, 1) != DRY_ERROR_LOCKED;
    const int lines = f->log_lines;
    dry_world_destroy(f->world); /* refused, and says so: the world steps on */
    in->wrong += f->log_lines != lines + 1;
    in->run = run;
    in->argument = argument;
    return in;
}

static void finish_intrusion(void *handle, void *user)
{
    intruder *in = handle;
    assert_ptr_equal(handle, user);
    in->run(in->argument);
}

static void test_calls_from_inside_a_step(void **state)
{
    (void)state;
    intruder in = {0};
    dry_world_def def = dry_default_world_def();
    def.tag = 1;
    def.threads = 2;
    def.settings.sleep = false;
    def.tasks = (dry_tasks){intrude, finish_intrusion, &in};
    def.log = (dry_log){count_line, &in.f};
    in.f.world = world_from(&def);
    in.f.dynamic = add_dynamic(in.f.world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    in.f.floor = add_floor(in.f.world, 0.6, 0);
    in.f.other = add_dynamic(in.f.world, pose_at(3, 0.5, 0), sphere_shape(0.5));
    /* Enough company for the step to be worth sharing. */
    for (int i = 0; i < 300; ++i)
        add_dynamic(in.f.world, pose_at(2.0 * (i % 20) - 20, 5 + 2.0 * (i / 20), 10), sphere_shape(0.5));
    int count;
    assert_ok(dry_body_get_shapes(in.f.world, in.f.dynamic, &in.f.shape, 1, &count));
    dry_joint_def joint = sound_joint(&in.f);
    assert_ok(dry_world_create_joint(in.f.world, &joint, &in.f.joint));
    run_steps(in.f.world, 10, TEST_DT);
    assert_int_equal(in.started, 10);
    assert_int_equal(in.wrong, 0);
    assert_int_equal(dry_world_step_count(in.f.world), 10);
    assert_int_equal(dry_world_statistics(in.f.world).bodies, 303);
    fixture_end(&in.f);
}

/* dt 0 refreshes and moves nothing; the smallest and the largest dt leave all finite; others are refused. */
static void test_extreme_steps(void **state)
{
    (void)state;
    static const float tiny[] = {1e-5f, 1e-6f, 1e-7f};
    static const float bad[] = {9.9e-8f, 1e-12f, FLT_MIN, FLT_TRUE_MIN, -1e-7f, -1.0f, 1.1f, INFINITY, NAN};
    fixture f;
    fixture_make(&f, 1);
    dry_pose before = pose_of(f.world, f.dynamic);
    run_steps(f.world, 3, 0);
    dry_pose after = pose_of(f.world, f.dynamic);
    assert_memory_equal(&before.position, &after.position, sizeof before.position);
    assert_memory_equal(&before.orientation, &after.orientation, sizeof before.orientation);
    assert_true(dry_world_get_contacts(f.world, NULL, 0) >= 2);
    for (int i = 0; i < COUNT_OF(tiny); ++i) {
        run_steps(f.world, 3, tiny[i]);
        assert_near(position_of(f.world, f.dynamic).y, 0.5, 0.01);
        assert_at_most(d3_length(velocity_of(f.world, f.dynamic)), 0.1);
    }
    for (int i = 0; i < COUNT_OF(bad); ++i)
        assert_refused(&f, dry_world_step(f.world, bad[i]), DRY_ERROR_ARGUMENT);
    run_steps(f.world, 10, 1);
    assert_true(body_is_finite(f.world, f.dynamic) && body_is_finite(f.world, f.other));
    assert_int_equal(dry_world_statistics(f.world).quarantined_bodies, 0);
    run_steps(f.world, 240, TEST_DT); /* to rest again */
    fixture_end(&f);
}

/* Forces that no float can carry: their body alone is put where it last was sound, at rest and disabled,
 * and reported; its neighbors in the same heap go on. */
static void test_quarantine(void **state)
{
    (void)state;
    enum { BODIES = 12 };
    for (int torque = 0; torque < 2; ++torque) {
        dry_world *world = world_with(test_settings());
        add_floor(world, 0.6, 0);
        dry_body_id ids[BODIES];
        for (int i = 0; i < BODIES; ++i) {
            dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
            dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(i % 4 * 1.2, 0.5 + i / 4, 0), &shape);
            def.mass = 1;
            ids[i] = add_def(world, &def);
        }
        run_steps(world, 30, TEST_DT);
        dry_body_id victim = ids[9]; /* on top of a column, so that nothing else is driven away by it */
        d3 sound = position_of(world, victim);
        if (torque)
            assert_ok(dry_body_apply_torque(world, victim, v3(0, 1e18, 0)));
        else
            assert_ok(dry_body_apply_force(world, victim, v3(0, 1e18, 0)));
        int reported = 0;
        for (int step = 0; step < 60; ++step) {
            run_steps(world, 1, TEST_DT);
            dry_events events = dry_world_events(world);
            for (int i = 0; i < events.quarantine_count; ++i)
                reported += events.quarantines[i].body.bits == victim.bits;
            for (int i = 0; i < BODIES; ++i)
                assert_true(body_is_finite(world, ids[i]));
        }
        assert_int_equal(reported, 1);
        assert_true(dry_world_statistics(world).quarantined_bodies >= 1);
        assert_at_most(d3_length(d3_sub(position_of(world, victim), sound)), 0.1);
        assert_near(d3_length(velocity_of(world, victim)), 0, 0);
        dry_body_def now;
        assert_ok(dry_body_get_def(world, victim, &now));
        assert_false(now.enabled);
        for (int i = 0; i < BODIES; ++i)
            if (i != 9)
                assert_near(position_of(world, ids[i]).y, 0.5 + i / 4, 0.05);

        int before = dry_world_statistics(world).quarantined_bodies;
        assert_ok(dry_body_set_pose(world, victim, pose_at(30, 5, 0)));
        assert_ok(dry_body_set_enabled(world, victim, true));
        assert_int_equal(dry_world_statistics(world).quarantined_bodies, before - 1);
        run_steps(world, 120, TEST_DT);
        assert_near(position_of(world, victim).y, 0.5, 0.01);
        dry_world_destroy(world);
    }
}

/* Numbers at the edge of what is allowed, all at once: nothing is refused and nothing turns non-finite. */
static void test_absurd_but_legal(void **state)
{
    (void)state;
    enum { BODIES = 24 };
    dry_settings settings = test_settings();
    settings.gravity = v3(1e6, -1e6, 1e6);
    dry_world *world = world_with(settings);
    add_floor(world, 1e3, 1);
    dry_body_id ids[BODIES];
    uint64_t seed = 91;
    for (int i = 0; i < BODIES; ++i) {
        dry_shape_def shape = i % 3 == 0 ? box_shape(1e6, 1e-4, 1e-4) : sphere_shape(i % 3 == 1 ? 1e-4 : 1e6);
        shape.friction = 1e3f;
        shape.restitution = 1;
        shape.density = i % 2 ? 1e9f : 1e-3f;
        d3 p = random_d3(&seed, i % 2 ? 1 : 9e8);
        dry_body_def def =
            body_def(DRY_BODY_DYNAMIC, (dry_pose){{p.x, p.y, p.z}, random_quat(&seed)}, &shape);
        def.velocity = (dry_velocity){v3_of(random_d3(&seed, 5e4)), v3_of(random_d3(&seed, 5e3))};
        def.gravity_scale = i % 4 ? 1 : -1e6f;
        def.mass = i % 2 ? 1e15f : 1e-3f;
        ids[i] = add_def(world, &def);
    }
    for (int step = 0; step < 60; ++step) {
        run_steps(world, 1, TEST_DT);
        for (int i = 0; i < BODIES; ++i)
            assert_true(body_is_finite(world, ids[i]));
    }
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stale_and_foreign_ids), cmocka_unit_test(test_reused_slots_do_not_revive_ids),
        cmocka_unit_test(test_null_pointers),         cmocka_unit_test(test_calls_from_inside_a_step),
        cmocka_unit_test(test_extreme_steps),         cmocka_unit_test(test_quarantine),
        cmocka_unit_test(test_absurd_but_legal),      cmocka_unit_test(test_reasons_without_a_world),
        cmocka_unit_test(test_reasons_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
