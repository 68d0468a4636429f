/* Rooms on a pool: their worlds end in the lone world's state while rooms come and go; sleeping rooms count
 * on; budgets and shedding slow rooms, and ticks take no memory. */
#include "tests/counting_allocator.h"
#include "tests/recordings.h"
#include "tests/rooms.h"

#include "rooms/pool.h"
#include "step/empty.h"

#include <pthread.h>

static void put_to_sleep(dry_world *world)
{
    dry_body_id ids[16];
    const int count = dry_world_get_bodies(world, ids, 16);
    for (int i = 0; i < count; i++)
        assert_ok(dry_body_set_awake(world, ids[i], false));
}

/* Counted steps of a sleeping world are made ones, to the last byte of a save, with each method. */
static void test_empty_steps(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++) {
        dry_world *made = pile(true, (dry_solver)solver), *counted = pile(true, (dry_solver)solver);
        int empty = 0;
        for (int steps = 0; steps < 400 && empty < 20; steps++) {
            /* PBD trembles, and needs help. */
            if (steps == 300 && empty == 0) {
                put_to_sleep(made);
                put_to_sleep(counted);
            }
            if (dry_step_is_empty(counted, TEST_DT))
                dry_step_count_empty(counted, 1), empty++;
            else
                assert_ok(dry_world_step(counted, TEST_DT));
            assert_ok(dry_world_step(made, TEST_DT));
        }
        if (empty < 20)
            fail_msg("%s: the pile does not sleep", dry_solver_name((dry_solver)solver));
        assert_true(dry_world_hash(made) == dry_world_hash(counted));
        bytes a = save_of(made), b = save_of(counted);
        assert_same_bytes(&a, &b);
        /* A step of another length, and all that a call changes, is none. */
        assert_false(dry_step_is_empty(counted, 0.5f * TEST_DT));
        push(made);
        push(counted);
        assert_false(dry_step_is_empty(counted, TEST_DT));
        run_steps(made, 30, TEST_DT);
        run_steps(counted, 30, TEST_DT);
        assert_true(dry_world_hash(made) == dry_world_hash(counted));
        dry_world_destroy(made);
        dry_world_destroy(counted);
        free(a.at);
        free(b.at);
    }
}

/* Makes, feeds and removes rooms until it is told to stop. */
typedef struct guest {
    dry_rooms *rooms;
    atomic_bool *stop;
    pthread_t thread;
    int made;
} guest;

static void *come_and_go(void *argument)
{
    guest *g = argument;
    watched w[5] = {[4] = {.busy_steps = UINT64_MAX}};
    counting_allocator counter = {.fail_all = true};
    for (; !atomic_load(g->stop); g->made++) {
        dry_room_id id[5];
        dry_room_statistics statistics;
        counter.fail_at = -1;
        dry_world *hungry = heap(counting_hooks(&counter));
        counter.fail_at = (int64_t)counter.calls + 10 * (g->made % 4);
        const dry_room_def hungry_def = watched_by(&w[4], 0.0f);
        assert_ok(dry_rooms_add(g->rooms, &hungry_def, hungry, &id[4]));
        for (int i = 0; i < 4; i++) {
            const dry_room_def def = watched_by(&w[i], i % 2 ? 0.0f : 100.0f);
            atomic_store(&w[i].inputs, 0);
            assert_ok(dry_rooms_add(g->rooms, &def, pile(true, DRY_SOLVER_GAUSS_SEIDEL), &id[i]));
        }
        for (int n = 0; n < 5; n++)
            for (int i = 0; i < 4; i++)
                assert_ok(dry_rooms_post(g->rooms, id[i], &n, sizeof n));
        assert_ok(dry_rooms_get_statistics(g->rooms, id[0], &statistics));
        nap();
        while (atomic_load(&w[4].failed) == 0)
            nap();
        do
            assert_ok(dry_rooms_get_statistics(g->rooms, id[4], &statistics));
        while (statistics.failed == 0);
        assert_true(statistics.ticks == statistics.steps + statistics.failed);
        for (int i = 0; i < 5; i++)
            assert_ok(dry_rooms_remove(g->rooms, id[i]));
        atomic_store(&w[4].failed, 0);
        assert_int_equal(dry_rooms_post(g->rooms, id[0], NULL, 0), DRY_ERROR_STALE_ID);
        for (int i = 0; i < 4; i++)
            assert_int_equal(atomic_load(&w[i].running), 0); /* none is called after dry_rooms_remove */
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(atomic_load(&w[i].wrong_order), 0);
    return NULL;
}

/* Adds a room that leaves with its hash. */
static void add_leaving(dry_rooms *rooms, dry_world *world, watched *w, float rate)
{
    dry_room_id id;
    const dry_room_def def = watched_by(w, rate);
    w->leaves = true;
    assert_ok(dry_rooms_add(rooms, &def, world, &id));
}

static void wait_for_hash(const watched *w, uint64_t expected)
{
    while (atomic_load(&w->hash) == 0)
        nap();
    assert_true(atomic_load(&w->hash) == expected);
    assert_int_equal(atomic_load(&w->wrong_order), 0);
}

/* Rooms of one scene, some as fast as they go, on four workers that steal, and heavy ones that borrow these
 * workers, while two threads make and remove other rooms, of which some get no memory: all come to the lone
 * world's state. */
static void test_hashes(void **state)
{
    (void)state;
    enum { ROOMS = 12, STEPS = 120, HEAVY = 2, HEAVY_STEPS = 30, PUSH = 10 };
    const uint64_t expected = lone_hash(pile(false, DRY_SOLVER_GAUSS_SEIDEL), PUSH, STEPS);
    const uint64_t heavy_expected = lone_hash(heap((dry_allocator){0}), PUSH, HEAVY_STEPS);
    dry_rooms *rooms = pool_of(4);
    watched w[ROOMS + HEAVY] = {{0}};
    atomic_bool stop = false;
    guest guests[2] = {{rooms, &stop, 0, 0}, {rooms, &stop, 0, 0}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&guests[i].thread, NULL, come_and_go, &guests[i]), 0);
    for (int i = 0; i < HEAVY; i++) {
        w[ROOMS + i] = (watched){.push_step = PUSH, .hash_step = HEAVY_STEPS, .busy_steps = HEAVY_STEPS - 10};
        add_leaving(rooms, heap((dry_allocator){0}), &w[ROOMS + i], 0.0f);
    }
    for (int i = 0; i < ROOMS; i++) {
        w[i] = (watched){.push_step = PUSH, .hash_step = STEPS};
        add_leaving(rooms, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &w[i], i % 3 ? 500.0f : 0.0f);
    }
    for (int i = 0; i < ROOMS + HEAVY; i++)
        wait_for_hash(&w[i], i < ROOMS ? expected : heavy_expected);
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(guests[i].thread, NULL);
        assert_true(guests[i].made > 0);
    }
    dry_pool_statistics pool;
    assert_ok(dry_rooms_get_pool_statistics(rooms, &pool));
    assert_int_equal(pool.rooms, 0);
    assert_int_equal(pool.workers, 4);
    assert_true(pool.ticks >= ROOMS * STEPS && pool.had_ms <= pool.wanted_ms);
    dry_rooms_destroy(rooms);
}

/* Idle workers help with the steps of a heavy room, and leave them for the ticks of a small one: the room
 * that is taken out meanwhile has made the lone world's steps. */
static void test_lending(void **state)
{
    (void)state;
    dry_rooms *rooms = pool_of(3);
    watched heavy = {.push_step = 5, .busy_steps = UINT64_MAX}, small = {.push_step = 5};
    const dry_room_def heavy_def = watched_by(&heavy, 0.0f), small_def = watched_by(&small, 1000.0f);
    dry_room_id id, other;
    dry_room_statistics statistics;
    dry_pool_statistics pool;
    assert_ok(dry_rooms_add(rooms, &heavy_def, heap((dry_allocator){0}), &id));
    assert_ok(dry_rooms_add(rooms, &small_def, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &other));
    do {
        nap();
        assert_ok(dry_rooms_get_pool_statistics(rooms, &pool));
    } while (pool.helped < 20 || atomic_load(&heavy.step) < 10);
    assert_ok(dry_rooms_get_statistics(rooms, id, &statistics));
    assert_int_equal(statistics.workers, 3);
    bytes b = {0};
    const dry_sink sink = {append, &b};
    assert_ok(dry_rooms_take(rooms, id, NULL, &sink));
    dry_world *world = loaded(&b, 0);
    const uint64_t hash = dry_world_hash(world), steps = dry_world_step_count(world);
    assert_int_equal(dry_world_threads(world), 1);
    dry_world_destroy(world);
    assert_true(hash == lone_hash(heap((dry_allocator){0}), 5, steps));
    assert_int_equal(atomic_load(&heavy.wrong_order) + atomic_load(&small.wrong_order), 0);
    free(b.at);
    dry_rooms_destroy(rooms);
}

/* A room whose world sleeps is called no more, its ticks count on, and an input wakes it in the state that so
 * many steps would have brought. */
static void test_sleeping_room(void **state)
{
    (void)state;
    dry_rooms *rooms = pool_of(2);
    watched w = {.push_step = UINT64_MAX};
    dry_room_id id;
    dry_room_statistics first, second;
    dry_room_def def = watched_by(&w, 2000.0f);
    def.behind_max = 1000;
    assert_ok(dry_rooms_add(rooms, &def, pile(true, DRY_SOLVER_GAUSS_SEIDEL), &id));
    do {
        nap();
        assert_ok(dry_rooms_get_statistics(rooms, id, &first));
    } while (!first.asleep);
    const int calls = atomic_load(&w.calls);
    do {
        nap();
        assert_ok(dry_rooms_get_statistics(rooms, id, &second));
    } while (second.ticks < first.ticks + 100);
    assert_int_equal(atomic_load(&w.calls), calls);
    assert_int_equal(second.awake_bodies, 0);
    assert_true(second.slept - first.slept == second.ticks - first.ticks);
    assert_true(second.steps + second.skipped == second.ticks);
    const int zero = 0;
    w.wake_at = second.ticks + 1000; /* no worker reads it before the post */
    assert_ok(dry_rooms_post(rooms, id, &zero, sizeof zero));
    while (atomic_load(&w.calls) == calls)
        nap();
    /* The second call is the one at the tick that the first has named. */
    while (atomic_load(&w.calls) < calls + 2)
        nap();
    assert_int_equal(atomic_load(&w.inputs), 1);
    bytes b = {0};
    const dry_sink sink = {append, &b};
    assert_ok(dry_rooms_take(rooms, id, NULL, &sink));
    assert_false(dry_rooms_has(rooms, id));
    dry_world *world = loaded(&b, 0);
    const uint64_t hash = dry_world_hash(world), steps = dry_world_step_count(world);
    dry_world_destroy(world);
    assert_true(steps > second.steps);
    assert_true(hash == lone_hash(pile(true, DRY_SOLVER_GAUSS_SEIDEL), UINT64_MAX, steps));
    free(b.at);
    dry_rooms_destroy(rooms);
}

/* A tick so far away that it, or the one after it, has no number is none: the room sleeps until an input, and
 * its ticks count on. */
static void test_tick_without_number(void **state)
{
    (void)state;
    dry_rooms *rooms = pool_of(1);
    watched w = {.push_step = UINT64_MAX, .wake_at = (UINT64_C(1) << 53) - 1};
    const dry_room_def def = watched_by(&w, 0.0f);
    const int numbers[] = {0, 1};
    dry_room_id id;
    dry_room_statistics statistics;
    assert_ok(dry_rooms_add(rooms, &def, pile(true, DRY_SOLVER_GAUSS_SEIDEL), &id));
    for (int i = 0; i < COUNT_OF(numbers); i++) {
        do {
            nap();
            assert_ok(dry_rooms_get_statistics(rooms, id, &statistics));
        } while (!statistics.asleep || atomic_load(&w.inputs) < i);
        assert_true(statistics.ticks == (uint64_t)atomic_load(&w.calls));
        assert_true(statistics.steps == statistics.ticks);
        assert_ok(dry_rooms_post(rooms, id, &numbers[i], sizeof numbers[i]));
    }
    dry_rooms_destroy(rooms);
}

/* Functions that remove their own room, and ask for what they must not have. */
typedef struct rebel {
    dry_rooms *rooms;
    atomic_int done;
    dry_result taken, removed;
} rebel;

/* Asks for steps and workers, which are the pool's. */
static void ask_for_steps(dry_world *world)
{
    const uint64_t hash = dry_world_hash(world), steps = dry_world_step_count(world);
    const dry_workers workers = dry_world_get_workers(world);
    dry_body_id id;
    dry_world_get_bodies(world, &id, 1);
    assert_int_equal(dry_world_step(world, TEST_DT), DRY_ERROR_LOCKED);
    assert_int_equal(dry_world_step(world, 0.0f), DRY_ERROR_LOCKED);
    assert_int_equal(dry_world_step_only(world, TEST_DT, &id, 1), DRY_ERROR_LOCKED);
    assert_int_equal(dry_world_set_workers(world, &workers), DRY_ERROR_LOCKED);
    assert_true(dry_world_hash(world) == hash);
    assert_int_equal(dry_world_step_count(world), steps);
}

static void rebel_before(dry_room_call *call, void *user)
{
    rebel *r = user;
    const dry_sink sink = {append, NULL};
    ask_for_steps(call->world);
    dry_rooms_destroy(call->rooms);
    r->taken = dry_rooms_take(call->rooms, call->room, NULL, &sink);
    r->removed = dry_rooms_remove(call->rooms, call->room);
    assert_int_equal(dry_rooms_post(call->rooms, call->room, NULL, 0), DRY_ERROR_STALE_ID);
    assert_int_equal(dry_world_step_count(call->world), 0);
}

static void rebel_after(dry_room_call *call, void *user)
{
    ask_for_steps(call->world);
    atomic_store(&((rebel *)user)->done, 1);
}

static void test_calls_in_functions(void **state)
{
    (void)state;
    dry_rooms *rooms = pool_of(2);
    rebel r = {.rooms = rooms};
    dry_room_def def = dry_default_room_def();
    def.functions = (dry_room_functions){.before = rebel_before, .after = rebel_after, .user = &r};
    dry_room_id id;
    dry_pool_statistics pool;
    assert_ok(dry_rooms_add(rooms, &def, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &id));
    while (!atomic_load(&r.done))
        nap();
    assert_int_equal(r.taken, DRY_ERROR_LOCKED);
    assert_ok(r.removed);
    assert_false(dry_rooms_has(rooms, id));
    assert_ok(dry_rooms_get_pool_statistics(rooms, &pool));
    assert_int_equal(pool.rooms, 0);
    dry_rooms_destroy(rooms);
}

/* A room whose function goes back for an input that came late. */
typedef struct tardy {
    dry_history *history;
    _Atomic uint64_t hash;
} tardy;

static void tardy_before(dry_room_call *call, void *user)
{
    if (dry_world_step_count(call->world) != 12)
        return;
    assert_ok(dry_history_rewind(((tardy *)user)->history, 5));
    push(call->world);
    run_steps(call->world, 5, TEST_DT);
    ask_for_steps(call->world);
}

static void tardy_after(dry_room_call *call, void *user)
{
    if (dry_world_step_count(call->world) == 20)
        atomic_store(&((tardy *)user)->hash, dry_world_hash(call->world));
}

static void test_late_input(void **state)
{
    (void)state;
    dry_rooms *rooms = pool_of(1);
    dry_world *world = pile(false, DRY_SOLVER_GAUSS_SEIDEL);
    tardy t = {.hash = 0};
    dry_room_def def = dry_default_room_def();
    def.rate = 1000.0f;
    def.dt = TEST_DT;
    def.functions = (dry_room_functions){.before = tardy_before, .after = tardy_after, .user = &t};
    dry_room_id id;
    assert_ok(dry_history_create(world, 8, &t.history));
    assert_ok(dry_rooms_add(rooms, &def, world, &id));
    while (atomic_load(&t.hash) == 0)
        nap();
    dry_rooms_destroy(rooms);
    assert_true(t.hash == lone_hash(pile(false, DRY_SOLVER_GAUSS_SEIDEL), 7, 20));
}

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
        result = dry_history_create(call->world, BACK + 1, &t->history);
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

/* Ticks take no memory of the pool's. */
static void test_ticks_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    dry_rooms_def pool = dry_default_rooms_def();
    pool.allocator = counting_hooks(&counter);
    dry_rooms *rooms = pool_with(pool, 2);
    dry_room_def def = dry_default_room_def();
    dry_room_statistics statistics;
    dry_room_id id[8];
    def.rate = 1000.0f;
    for (int i = 0; i < 8; i++)
        assert_ok(dry_rooms_add(rooms, &def, pile(true, DRY_SOLVER_GAUSS_SEIDEL), &id[i]));
    const uint64_t calls = counter.calls;
    do {
        nap();
        assert_ok(dry_rooms_get_statistics(rooms, id[7], &statistics));
    } while (statistics.steps < 100);
    assert_true(counter.calls == calls);
    dry_rooms_destroy(rooms);
    assert_int_equal(counter.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_steps),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_lending),
        cmocka_unit_test(test_sleeping_room),
        cmocka_unit_test(test_tick_without_number),
        cmocka_unit_test(test_calls_in_functions),
        cmocka_unit_test(test_late_input),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_notices_cost_no_room),
        cmocka_unit_test(test_misfits),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_shedding),
        cmocka_unit_test(test_ticks_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
