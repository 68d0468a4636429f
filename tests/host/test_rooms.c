/* Rooms on a pool: their worlds end in the lone world's state while rooms come and go; sleeping rooms count
 * on; functions may do what the header says, and ticks take no memory. */
#include "tests/counting_allocator.h"
#include "tests/host/rooms.h"

#include "host/rooms/empty.h"
#include "host/rooms/pool.h"

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
    watched w = {.push_step = UINT64_MAX, .wake_at = (UINT64_C(1) << 52) - 1};
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
    assert_ok(dry_world_create_history(world, 8, &t.history));
    assert_ok(dry_rooms_add(rooms, &def, world, &id));
    while (atomic_load(&t.hash) == 0)
        nap();
    dry_rooms_destroy(rooms);
    assert_true(t.hash == lone_hash(pile(false, DRY_SOLVER_GAUSS_SEIDEL), 7, 20));
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
        cmocka_unit_test(test_ticks_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
