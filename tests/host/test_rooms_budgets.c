/* Rooms that ask for more than they may have: budgets, caps of substeps, and shedding slow them, and the
 * program hears of it. */
#include "tests/host/rooms.h"
#include "tests/recordings.h"

#include "host/rooms/pool.h"

/* A budget that no tick keeps takes substeps first and ticks then, and the program hears of it. */
static void hear(const dry_rooms_notice *notice, void *user)
{
    atomic_int *heard = user;
    const bool all = notice->share >= 1.0f;
    const bool loses = notice->slow == DRY_ROOM_SLOW_TICKS || notice->slow == DRY_ROOM_SLOW_SHED;
    atomic_fetch_or(heard, 1 << notice->slow | (all == loses) << DRY_ROOM_SLOW_COUNT);
}

static void test_budget(void **state)
{
    (void)state;
    atomic_int heard = 0;
    dry_rooms_def pool = dry_default_rooms_def();
    pool.notice = hear;
    pool.user = &heard;
    dry_rooms *rooms = pool_with(pool, 1);
    dry_room_def def = dry_default_room_def();
    dry_room_id id;
    dry_room_statistics statistics;
    def.rate = 1000.0f;
    def.dt = TEST_DT;
    def.substeps_max = 48;
    def.budget_ms = 1e-6f;
    dry_world *world = pile(false, DRY_SOLVER_GAUSS_SEIDEL);
    dry_settings settings = dry_world_get_settings(world);
    settings.substeps_min = 1;
    assert_ok(dry_world_set_settings(world, &settings));
    run_steps(world, 60, TEST_DT); /* falling boxes take one substep */
    assert_ok(dry_rooms_add(rooms, &def, world, &id));
    do {
        nap();
        assert_ok(dry_rooms_get_statistics(rooms, id, &statistics));
    } while (statistics.slow != DRY_ROOM_SLOW_TICKS || statistics.skipped_budget < 10);
    assert_int_equal(statistics.substeps_max, 1);
    assert_true(statistics.substeps <= statistics.substeps_max);
    assert_true(statistics.steps + statistics.skipped == statistics.ticks);
    assert_int_equal(atomic_load(&heard), 1 << DRY_ROOM_SLOW_SUBSTEPS | 1 << DRY_ROOM_SLOW_TICKS);
    dry_rooms_destroy(rooms);
}

/* A function for notices that takes time, and counts those of one room and of others. */
typedef struct listener {
    _Atomic uint64_t light;
    atomic_int of_it, of_others;
} listener;

static void hear_slowly(const dry_rooms_notice *notice, void *user)
{
    listener *l = user;
    for (int i = 0; i < 20; i++)
        take_time();
    atomic_fetch_add(notice->room.bits == atomic_load(&l->light) ? &l->of_it : &l->of_others, 1);
}

/* The time that the program takes for notices of heavy rooms is no light room's cost: its budget is a
 * twentieth of that, and would slow it at each of the first five. The system may delay a tick or two of it.
 */
static void test_notices_cost_no_room(void **state)
{
    (void)state;
    listener l = {0};
    dry_rooms_def pool = dry_default_rooms_def();
    pool.notice = hear_slowly;
    pool.user = &l;
    dry_rooms *rooms = pool_with(pool, 1);
    dry_room_def def = dry_default_room_def();
    dry_room_id light, heavy;
    const dry_world_def world_def = one_thread();
    dry_world *world = world_from(&world_def);
    add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    def.rate = 200.0f;
    def.dt = TEST_DT;
    def.budget_ms = 2.0f;
    assert_ok(dry_rooms_add(rooms, &def, world, &light));
    atomic_store(&l.light, light.bits);
    def.budget_ms = 1e-6f;
    for (int i = 1; i <= 12; i++) {
        assert_ok(dry_rooms_add(rooms, &def, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &heavy));
        while (atomic_load(&l.of_others) < i)
            nap();
        assert_ok(dry_rooms_remove(rooms, heavy));
    }
    dry_rooms_destroy(rooms);
    assert_in_range(atomic_load(&l.of_it), 0, 3);
}

/* Makes two bars that three pins to the world and to each other cannot all hold, which ask for more substeps
 * than there are. `recording` may be null. */
static dry_world *misfit(dry_joint_solver solver, bytes *recording)
{
    dry_world_def def = one_thread();
    def.recording.sink = (dry_sink){recording ? append : NULL, recording};
    def.settings.joint_solver = solver;
    def.settings.sleep = false;
    dry_world *world = world_from(&def);
    dry_joint_def pin = dry_default_joint_def(DRY_JOINT_BALL);
    dry_joint_id id;
    const dry_body_id a = add_dynamic(world, pose_at(0.5, 2, 0), box_shape(0.5, 0.1, 0.1));
    const dry_body_id b = add_dynamic(world, pose_at(1.5, 2, 0), box_shape(0.5, 0.1, 0.1));
    pin.hertz = 1e4f;
    pin.body_b = a;
    pin.anchor_b = v3(-0.5, 0, 0);
    pin.target = (dry_position){0, 2, 0};
    assert_ok(dry_world_create_joint(world, &pin, &id));
    pin.body_b = b;
    pin.anchor_b = v3(0.5, 0, 0);
    pin.target = (dry_position){2.3, 2, 0}; /* the bars are 2 m long */
    assert_ok(dry_world_create_joint(world, &pin, &id));
    pin.body_a = a;
    pin.target = (dry_position){0};
    pin.anchor_a = v3(0.5, 0, 0);
    pin.anchor_b = v3(-0.5, 0, 0);
    assert_ok(dry_world_create_joint(world, &pin, &id));
    return world;
}

/* Watches the work of a step. */
typedef struct work {
    atomic_int steps, substeps, corrections;
} work;

static void watch_work(dry_room_call *call, void *user)
{
    work *w = user;
    const dry_statistics s = dry_world_statistics(call->world);
    if (s.substeps > atomic_load(&w->substeps))
        atomic_store(&w->substeps, s.substeps);
    if ((int)s.articulations.corrections > atomic_load(&w->corrections))
        atomic_store(&w->corrections, (int)s.articulations.corrections);
    atomic_fetch_add(&w->steps, 1);
}

/* Joints that do not fit obey a room's cap of substeps, and rooms beside theirs skip nothing. */
static void test_misfits(void **state)
{
    (void)state;
    const dry_joint_solver solvers[] = {DRY_JOINT_SOLVER_ITERATIVE, DRY_JOINT_SOLVER_DIRECT};
    /* Four substeps, then two, then one, each with four corrections by a coarse factor and by a fine one. */
    enum { SUBSTEPS = 4, CORRECTIONS = 2 * 4 * (4 + 2 + 1) };
    dry_rooms *rooms = pool_of(2);
    work w[COUNT_OF(solvers)] = {{0}};
    dry_room_id id, beside[4];
    dry_room_statistics statistics;
    dry_room_def def = dry_default_room_def();
    def.rate = 200.0f;
    def.dt = TEST_DT;
    def.behind_max = 1000; /* however slow the machine is */
    for (int i = 0; i < COUNT_OF(beside); i++)
        assert_ok(dry_rooms_add(rooms, &def, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &beside[i]));
    def.substeps_max = SUBSTEPS;
    for (int i = 0; i < COUNT_OF(solvers); i++) {
        def.functions = (dry_room_functions){.after = watch_work, .user = &w[i]};
        assert_ok(dry_rooms_add(rooms, &def, misfit(solvers[i], NULL), &id));
    }
    for (int i = 0; i < COUNT_OF(solvers); i++) {
        while (atomic_load(&w[i].steps) < 60)
            nap();
        assert_in_range(atomic_load(&w[i].substeps), 1, SUBSTEPS);
        assert_in_range(atomic_load(&w[i].corrections), 0, CORRECTIONS);
    }
    for (int i = 0; i < COUNT_OF(beside); i++) {
        assert_ok(dry_rooms_get_statistics(rooms, beside[i], &statistics));
        assert_true(statistics.steps > 0 && statistics.skipped == 0);
    }
    dry_rooms_destroy(rooms);
}

/* A program that sets its own cap in one tick, and goes back by some steps and makes them again in others, as
 * for an input that comes late. */
typedef struct traveler {
    dry_history *history;
    atomic_int ticks, failed, above; /* above: steps with more substeps than the room's cap */
    int own;                         /* the program's cap, as the pool knows it */
    uint64_t hash;                   /* after the last tick */
} traveler;

enum { BACK = 3, CAP = 48, OWN = 64 };

static void go_back(dry_room_call *call, void *user)
{
    traveler *t = user;
    dry_settings settings = dry_world_get_settings(call->world);
    dry_result result = DRY_OK;
    settings.substeps_max = OWN;
    if (call->tick == 0)
        result = dry_world_create_history(call->world, BACK + 1, &t->history);
    else if (call->tick == 4)
        result = dry_world_set_settings(call->world, &settings);
    else if (call->tick % 10 == 9) {
        result = dry_history_rewind(t->history, BACK);
        for (int i = 0; i < BACK && result == DRY_OK; i++)
            result = dry_world_step(call->world, TEST_DT);
    }
    atomic_fetch_add(&t->failed, result != DRY_OK);
}

static void look_at_caps(dry_room_call *call, void *user)
{
    traveler *t = user;
    dry_result result;
    atomic_fetch_add(&t->failed, dry_world_step_count(call->world) != call->tick + 1);
    atomic_fetch_add(&t->above, dry_world_statistics(call->world).substeps > CAP);
    if (call->tick == 30 && dry_rooms_lock(call->rooms, "look", &result)) {
        t->own = dry_rooms_find(call->rooms, call->room)->substeps_own;
        dry_rooms_unlock(call->rooms);
    }
    t->hash = dry_world_hash(call->world);
    atomic_store(&t->ticks, (int)call->tick);
}

/* A room's cap holds in each step, also in the one before which the program sets its own. A world that goes
 * back brings an old cap along, which does not become the program's own. A replay, which knows no clock,
 * comes to the same state. */
static void test_caps(void **state)
{
    (void)state;
    dry_rooms *rooms = pool_of(1);
    traveler t = {.own = 0};
    bytes recording = {0};
    dry_room_def def = dry_default_room_def();
    dry_room_id id;
    def.rate = 0.0f;
    def.dt = TEST_DT;
    def.substeps_max = CAP;
    def.budget_ms = 1e-6f;
    def.functions = (dry_room_functions){.before = go_back, .after = look_at_caps, .user = &t};
    assert_ok(dry_rooms_add(rooms, &def, misfit(DRY_JOINT_SOLVER_ITERATIVE, &recording), &id));
    while (atomic_load(&t.ticks) < 31)
        nap();
    assert_ok(dry_rooms_remove(rooms, id));
    assert_int_equal(atomic_load(&t.failed), 0);
    assert_int_equal(atomic_load(&t.above), 0);
    assert_int_equal(t.own, OWN);
    dry_rooms_destroy(rooms);
    dry_replay *replay = replay_of(&recording, 1, 0);
    const dry_replay_report report = run_replay(replay);
    if (report.difference.kind != DRY_DIFFERENCE_NONE)
        fail_msg("%s", report.difference.text);
    assert_true(report.calls > 0 && dry_world_hash(dry_replay_world(replay)) == t.hash);
    dry_replay_destroy(replay);
    free(recording.at);
}

/* More than there is: the lower priority loses its ticks, the higher one goes on; both have all again when it
 * is gone. New rooms are refused meanwhile, and their worlds stay with their owner. */
static void test_shedding(void **state)
{
    (void)state;
    atomic_int heard = 0;
    dry_rooms_def pool = dry_default_rooms_def();
    pool.notice = hear;
    pool.user = &heard;
    pool.load_max = 1e-6f;
    pool.admit_max = 1e-6f;
    dry_rooms *rooms = pool_with(pool, 1);
    dry_room_def def = dry_default_room_def();
    dry_room_id high, low, other;
    dry_room_statistics statistics;
    def.rate = 200.0f;
    def.priority = 3;
    assert_ok(dry_rooms_add(rooms, &def, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &high));
    def.priority = 1;
    assert_ok(dry_rooms_add(rooms, &def, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &low));
    do {
        nap();
        assert_ok(dry_rooms_get_statistics(rooms, low, &statistics));
    } while (statistics.skipped_shed < 20);
    assert_int_equal(statistics.slow, DRY_ROOM_SLOW_SHED);
    assert_true(statistics.steps + statistics.skipped == statistics.ticks);
    assert_int_equal(atomic_load(&heard), 1 << DRY_ROOM_SLOW_SHED);
    dry_world *world = pile(true, DRY_SOLVER_GAUSS_SEIDEL);
    assert_int_equal(dry_rooms_add(rooms, &def, world, &other), DRY_ERROR_FULL);
    run_steps(world, 1, TEST_DT);
    dry_world_destroy(world);
    assert_ok(dry_rooms_remove(rooms, high));
    assert_ok(dry_rooms_remove(rooms, low));
    dry_pool_statistics all;
    do {
        nap();
        assert_ok(dry_rooms_get_pool_statistics(rooms, &all));
        assert_true(all.load == 0.0f);
        /* A room without a rate asks for no share, and gives its worker reason to look. */
        def.rate = 0.0f;
        def.priority = 0;
        assert_ok(dry_rooms_add(rooms, &def, pile(true, DRY_SOLVER_GAUSS_SEIDEL), &other));
        assert_ok(dry_rooms_remove(rooms, other));
    } while (all.share[1] < 1.0f || all.share[3] < 1.0f);
    assert_int_equal(atomic_load(&heard), 1 << DRY_ROOM_SLOW_SHED | 1 << DRY_ROOM_SLOW_NOT);
    dry_rooms_destroy(rooms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget),   cmocka_unit_test(test_notices_cost_no_room),
        cmocka_unit_test(test_misfits),  cmocka_unit_test(test_caps),
        cmocka_unit_test(test_shedding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
