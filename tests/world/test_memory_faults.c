/* Faults in memory: each allocation of each call and of each step of rich scenes fails once. After the
 * failure the world is as before, or as the headers say; nothing is lost, and the call succeeds when it is
 * made again. */
#include "tests/every_call.h"
#include "tests/memory_scenes.h"
#include "tests/world_checker.h"

enum { LATER_STEPS = 8 };

/* Calls that are not among those of tests/every_call.h. */
enum { OTHER_CALLS = 21, CALLS = BODY_CALLS + SHAPE_CALLS + JOINT_CALLS + OTHER_CALLS };

static dry_result make_other_call(scene *s, int which)
{
    dry_shape_def shapes[40];
    dry_body_def defs[40], def;
    dry_body_id ids[40];
    dry_joint_def joints[4];
    dry_joint_id joint_ids[4];
    dry_settings settings = dry_world_get_settings(s->world);
    dry_pose poses[2] = {pose_at(0, 1, 0), pose_at(1, 1, 0)};
    dry_velocity velocities[2] = {{{1, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 1, 0}}};
    const dry_body_id body = s->ids[BODIES / 2];
    switch (which) {
    case 0:
    case 1: /* one body, and enough to make everything grow */
        for (int i = 0; i < 40; i++) {
            shapes[i] = box_shape(0.2, 0.2, 0.2);
            defs[i] = body_def(DRY_BODY_DYNAMIC, pose_at(0.3 * i, 4, 1), &shapes[i]);
        }
        return dry_world_create_bodies(s->world, which == 0 ? 1 : 40, defs, ids);
    case 2:
        return dry_world_destroy_bodies(s->world, BODIES, s->ids);
    case 3:
        return dry_body_destroy(s->world, s->floor);
    case 4:
    case 5:
    case 6:
        return dry_body_set_type(s->world, body, (dry_body_type)(which - 4));
    case 7:
        for (int i = 0; i < 4; i++) {
            joints[i] = dry_default_joint_def(DRY_JOINT_BALL);
            joints[i].body_a = s->ids[i];
            joints[i].body_b = s->ids[i + 5];
        }
        return dry_world_create_joints(s->world, 4, joints, joint_ids);
    case 8:
        settings.gravity = v3(0, -3, 0);
        settings.method.solver = DRY_SOLVER_JACOBI;
        return dry_world_set_settings(s->world, &settings);
    case 16:
    case 17:
    case 18:
    case 19: /* other settings than the scene has; some it refuses */
        settings = test_settings();
        (which == 16   ? set_xpbd
         : which == 17 ? set_avbd
         : which == 18 ? set_adaptive
                       : set_direct)(&settings);
        return dry_world_set_settings(s->world, &settings);
    case 20: {
        const dry_volume_def volumes[] = {volume_def(s, 1), volume_def(s, 8)};
        return dry_world_create_volumes(s->world, 2, volumes, joint_ids);
    }
    case 9:
        return dry_world_set_motion(s->world, 2, s->ids, poses, velocities);
    case 10:
        return dry_body_set_awake(s->world, body, true);
    case 11:
        return dry_body_set_enabled(s->world, s->floor, false);
    case 12: /* touches what it is joined to */
        joints[0] = dry_default_joint_def(DRY_JOINT_DISTANCE);
        joints[0].body_a = s->ids[0];
        joints[0].body_b = s->floor;
        return dry_world_create_joint(s->world, &joints[0], joint_ids);
    case 13: {
        dry_shape_def wide = box_shape(3, 0.1, 3);
        wide.filter.group = 7;
        wide.rolling_resistance = 0.1f;
        wide.static_friction = 0.9f;
        wide.contact_stiffness = 1e6f;
        wide.pose.position.y = 0.2f;
        dry_shape_id id;
        return dry_body_create_shape(s->world, body, &wide, &id);
    }
    case 14:
        return dry_shape_set_filter(s->world, s->shape, (dry_filter){1, 0, 0});
    default:
        def = dry_default_body_def();
        return dry_world_create_body(s->world, &def, ids);
    }
}

static dry_result make_call(scene *s, int which)
{
    const dry_body_id body = s->ids[BODIES / 2];
    if (which < BODY_CALLS)
        return call_with_body(s->world, which, body);
    which -= BODY_CALLS;
    if (which < SHAPE_CALLS)
        return call_with_shape(s->world, which, s->shape);
    which -= SHAPE_CALLS;
    return which < JOINT_CALLS ? call_with_joint(s->world, which, s->joint)
                               : make_other_call(s, which - JOINT_CALLS);
}

/* What a call may not change when it fails. */
typedef struct account {
    uint64_t hash, motion, steps;
    int bodies, shapes, joints, quarantined, live;
} account;

static account account_of(const scene *s)
{
    dry_statistics statistics = dry_world_statistics(s->world);
    account a = {dry_world_hash(s->world),
                 dry_world_motion_hash(s->world),
                 dry_world_step_count(s->world),
                 statistics.bodies,
                 statistics.shapes,
                 statistics.joints,
                 statistics.quarantined_bodies,
                 dry_body_is_valid(s->world, s->floor) + dry_joint_is_valid(s->world, s->joint) +
                     dry_shape_is_valid(s->world, s->shape)};
    for (int i = 0; i < BODIES; i++)
        a.live += dry_body_is_valid(s->world, s->ids[i]);
    return a;
}

static void assert_same(const account *a, const account *b, bool with_hash)
{
    if (with_hash)
        check(a->hash == b->hash);
    check(a->motion == b->motion);
    check(a->steps == b->steps);
    check(a->bodies == b->bodies && a->shapes == b->shapes && a->joints == b->joints);
    check(a->quarantined == b->quarantined && a->live == b->live);
}

/* The allocations from now on of which number `n` fails. Returns the number of requests that it counts from.
 */
static uint64_t fail_in(scene *s, int n)
{
    dry_world_step(s->world, -1.0f); /* another reason than that of the call that follows */
    s->counter.fail_at = (int64_t)s->counter.calls + n;
    return s->counter.calls;
}

static bool was_refused(const scene *s)
{
    return (int64_t)s->counter.calls > s->counter.fail_at;
}

/* Makes a call with its allocation number `n` refused. Returns false if it makes fewer. */
static bool refuse_in_call(const scene_kind *kind, int which, int n, uint64_t expected, uint64_t later)
{
    scene s;
    make_scene(&s, kind);
    const account before = account_of(&s);
    fail_in(&s, n);
    dry_result result = make_call(&s, which);
    const bool refused = was_refused(&s);
    s.counter.fail_at = -1;
    if (refused) {
        check(result == DRY_ERROR_MEMORY);
        check(strstr(dry_last_error(), "out of memory"));
        const account after = account_of(&s);
        assert_same(&before, &after, true);
        check_world(s.world, false);
        result = make_call(&s, which);
        check(result != DRY_ERROR_MEMORY);
    }
    check(dry_world_hash(s.world) == expected);
    run_steps(s.world, LATER_STEPS, TEST_DT);
    check_world(s.world, true);
    check(dry_world_hash(s.world) == later);
    end_scene(&s);
    return refused;
}

static void test_each_allocation_of_each_call_fails_once(void **state)
{
    (void)state;
    int refusals = 0;
    for (const scene_kind *kind = kinds; kind < kinds + COUNT_OF(kinds); kind++) {
        /* Calls with one id need the same under all methods. In the quick form each method has a third of the
         * others, and one allocation in three fails, from another one on in each call. */
        const int number = (int)(kind - kinds), stride = number < PLAIN ? 1 : test_pick(1, 3);
        const int first = number < PLAIN ? 0 : CALLS - OTHER_CALLS + number % stride;
        for (int which = first; which < CALLS; which += stride) {
            snprintf(checker_place, sizeof checker_place, "scene %s, call %d", kind->name, which);
            scene s;
            make_scene(&s, kind);
            const uint64_t requests = s.counter.calls;
            make_call(&s, which);
            bool more = s.counter.calls > requests;
            const uint64_t expected = dry_world_hash(s.world);
            run_steps(s.world, more ? LATER_STEPS : 0, TEST_DT);
            const uint64_t later = dry_world_hash(s.world);
            end_scene(&s);
            const int among = test_pick(1, 3);
            for (int n = (which + number) % among; more; n += among) {
                snprintf(checker_place, sizeof checker_place, "scene %s, call %d, allocation %d", kind->name,
                         which, n);
                more = refuse_in_call(kind, which, n, expected, later);
                refusals += more;
                assert_true(n < 100);
            }
        }
    }
    printf("%d allocations of calls refused\n", refusals);
    assert_true(refusals > test_pick(100, 50));
}

/* Makes a step with its allocation number `n` refused, which changes nothing. Returns false if the step makes
 * fewer. */
static bool refuse_one_step(scene *s, int n)
{
    const account before = account_of(s);
    fail_in(s, n);
    const dry_result result = dry_world_step(s->world, TEST_DT);
    const bool refused = was_refused(s);
    s->counter.fail_at = -1;
    check(result == (refused ? DRY_ERROR_MEMORY : DRY_OK));
    if (refused) {
        check(strstr(dry_last_error(), "out of memory"));
        const account after = account_of(s);
        assert_same(&before, &after, false);
        check_world(s->world, false);
    }
    return refused;
}

/* Runs a scene further: a body is thrown at the others, one is spun until it is quarantined, bodies go and
 * come, another method goes on. */
enum { RUN_STEPS = 60 };

static void disturb(scene *s, int step)
{
    dry_shape_def shape = box_shape(0.2, 0.2, 0.2);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0.1, 6, 0.1), &shape);
    dry_body_id id;
    dry_settings settings;
    switch (step) {
    case 2:
        assert_ok(
            dry_body_set_velocity(s->world, s->ids[BODIES - 1], (dry_velocity){{-3, -6, 0}, {0, 0, 0}}));
        break;
    case 10:
        assert_ok(dry_body_apply_angular_impulse(s->world, s->ids[1], v3(1e8, 1e8, 0)));
        break;
    case 20:
        assert_ok(dry_world_destroy_bodies(s->world, 2, s->ids + 4));
        break;
    case 30:
        for (int i = 0; i < 8; i++) {
            def.pose.position.y += 0.5;
            assert_ok(dry_world_create_body(s->world, &def, &id));
        }
        break;
    case 40:
        assert_ok(dry_body_apply_force(s->world, s->ids[2], v3(0, 500, 0)));
        break;
    case 50:
        settings = dry_world_get_settings(s->world);
        s->kind->then(&settings);
        assert_ok(dry_world_set_settings(s->world, &settings));
        break;
    default:
        break;
    }
}

/* Runs the scene with allocation `n` of step `failing` refused. Returns false if that step makes fewer. */
static bool refuse_in_step(const scene_kind *kind, int failing, int n, const int quarantines[])
{
    scene s;
    bool refused = false;
    int quarantined = 0;
    make_scene(&s, kind);
    for (int step = 0; step < RUN_STEPS && step <= failing + LATER_STEPS; step++) {
        disturb(&s, step);
        if (step == failing) {
            refused = refuse_one_step(&s, n);
            if (!refused)
                break;
            check(dry_world_events(s.world).moved_count == 0);
        }
        run_steps(s.world, 1, TEST_DT);
        quarantined += dry_world_events(s.world).quarantine_count;
        if (step >= failing)
            check_world(s.world, false);
        if (step >= failing)
            check(quarantined == quarantines[step]);
    }
    end_scene(&s);
    return refused;
}

static void test_each_allocation_of_each_step_fails_once(void **state)
{
    (void)state;
    int refusals = 0;
    for (const scene_kind *kind = kinds; kind < kinds + COUNT_OF(kinds); kind++) {
        scene s;
        uint64_t requests[RUN_STEPS];
        int quarantines[RUN_STEPS], sum = 0;
        make_scene(&s, kind);
        for (int step = 0; step < RUN_STEPS; step++) {
            disturb(&s, step);
            requests[step] = s.counter.calls;
            run_steps(s.world, 1, TEST_DT);
            requests[step] = s.counter.calls - requests[step];
            quarantines[step] = sum += dry_world_events(s.world).quarantine_count;
        }
        end_scene(&s);
        assert_int_equal(sum, 1);
        for (int step = 0; step < RUN_STEPS; step++) {
            const int among = test_pick(1, 19);
            for (int n = step % among; n < (int)requests[step]; n += among) {
                snprintf(checker_place, sizeof checker_place, "scene %s, step %d, allocation %d", kind->name,
                         step, n);
                assert_true(refuse_in_step(kind, step, n, quarantines));
                refusals++;
            }
        }
    }
    printf("%d allocations of steps refused\n", refusals);
    assert_true(refusals > 20);
}

/* The first steps of many bodies make everything grow, teams of workers included. */
enum { PILE_BASE = 20, PILE = PILE_BASE * (PILE_BASE + 1) / 2 };

static void make_pile(scene *s, dry_solver solver)
{
    *s = (scene){.counter = {.fail_at = -1}};
    dry_world_def def = test_world_def();
    def.allocator = counting_hooks(&s->counter);
    def.threads = 2;
    def.settings.method.solver = solver;
    s->world = world_from(&def);
    s->floor = add_floor(s->world, 0.6, 0);
    dry_body_id last = {0};
    for (int level = 0; level < PILE_BASE; level++)
        for (int i = 0; i < PILE_BASE - level; i++) {
            dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
            shape.restitution = i % 2 ? 0.5f : 0;
            dry_body_id id = add_dynamic(s->world, pose_at(i + 0.5 * level, 0.6 + 1.01 * level, 0), shape);
            if (i % 5 == 4)
                s->joint = join(s->world, last, id, i % 2 ? 1e4 : 0);
            last = id;
        }
    assert_ok(dry_body_apply_force(s->world, last, v3(1, 0, 0)));
}

static void test_each_allocation_of_a_big_pile_fails_once(void **state)
{
    (void)state;
    enum { FIRST_STEPS = 4 };
    int refusals = 0;
    static const dry_solver solvers[] = {DRY_SOLVER_JACOBI, DRY_SOLVER_XPBD, DRY_SOLVER_AVBD};
    for (int k = 0; k < COUNT_OF(solvers) * FIRST_STEPS; k++) {
        const dry_solver solver = solvers[k % COUNT_OF(solvers)];
        const int failing = k / COUNT_OF(solvers);
        bool refused = true;
        for (int n = 0; refused; n += test_pick(1, 9)) {
            snprintf(checker_place, sizeof checker_place, "pile, step %d, allocation %d", failing, n);
            scene s;
            make_pile(&s, solver);
            run_steps(s.world, failing, TEST_DT);
            refused = refuse_one_step(&s, n);
            run_steps(s.world, 2, TEST_DT);
            check_world(s.world, false);
            end_scene(&s);
            refusals += refused;
        }
    }
    printf("%d allocations of a pile's first steps refused\n", refusals);
    assert_true(refusals > test_pick(20, 4));
}

/* A body that becomes invalid while no memory is left loses its motion without a word, unless room for what
 * its quarantine ends was made before: the step either refuses or does all of it. */
static void test_quarantine_needs_no_memory(void **state)
{
    (void)state;
    for (const scene_kind *kind = kinds; kind < kinds + COUNT_OF(kinds); kind++) {
        scene s;
        snprintf(checker_place, sizeof checker_place, "scene %s", kind->name);
        make_scene(&s, kind);
        assert_ok(dry_body_apply_angular_impulse(s.world, s.ids[1], v3(1e8, 1e8, 0)));
        s.counter.fail_all = true;
        dry_result result = DRY_ERROR_MEMORY;
        /* A refused step keeps the room that it got, so that the stages which may fail come to need no more.
         */
        for (int n = 0; result != DRY_OK; n++) {
            assert_true(n < 200);
            fail_in(&s, n % 7);
            result = dry_world_step(s.world, TEST_DT);
        }
        assert_int_equal(dry_world_events(s.world).quarantine_count, 1);
        assert_int_equal(dry_world_statistics(s.world).quarantined_bodies, 1);
        check_world(s.world, false);
        s.counter.fail_at = -1;
        end_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation_of_each_call_fails_once),
        cmocka_unit_test(test_each_allocation_of_each_step_fails_once),
        cmocka_unit_test(test_each_allocation_of_a_big_pile_fails_once),
        cmocka_unit_test(test_quarantine_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
