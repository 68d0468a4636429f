/* Rooms on a pool: their worlds end in the lone world's state while rooms come, move and go; sleeping rooms
 * count on; inputs keep their order; bad calls change nothing. */
#include "tests/counting_allocator.h"
#include "tests/log_lines.h"
#include "tests/saved_worlds.h"

#include "step/empty.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(void)
{
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static dry_world_def one_thread(void)
{
    dry_world_def def = test_world_def();
    def.threads = 1;
    def.tag = 7;
    return def;
}

/* Makes a stack of boxes beside a leaning one: it moves for some time and then sleeps. */
static dry_world *pile(bool sleeps, dry_solver solver)
{
    dry_world_def def = one_thread();
    def.settings.solver = solver;
    def.settings.sleep = sleeps;
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 8; i++)
        add_dynamic(world, pose_at(0.2 * (i % 2), 0.55 + 1.05 * i, 0.1 * (i % 3)), box_shape(0.5, 0.5, 0.5));
    return world;
}

static void push(dry_world *world)
{
    dry_body_id ids[16];
    dry_world_get_bodies(world, ids, 16);
    assert_ok(dry_body_apply_impulse(world, ids[5], v3(900, 300, 0)));
}

static dry_rooms *pool_with(dry_rooms_def def, int workers)
{
    dry_rooms *rooms = NULL;
    def.workers = workers;
    assert_ok(dry_rooms_create(&def, &rooms));
    return rooms;
}

static dry_rooms *pool_of(int workers)
{
    return pool_with(dry_default_rooms_def(), workers);
}

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

/* A room that is pushed in one step, and tells its hash after another. */
typedef struct watched {
    uint64_t push_step, hash_step;
    _Atomic uint64_t hash;
    atomic_int calls, inputs, wrong_order, running;
    _Atomic uint64_t step;
    uint64_t wake_at;
    bool leaves; /* with its hash */
} watched;

static void before(dry_room_call *call, void *user)
{
    watched *w = user;
    atomic_fetch_add(&w->calls, 1);
    if (atomic_fetch_add(&w->running, 1) != 0)
        atomic_store(&w->wrong_order, 1); /* two workers run one room */
    for (const dry_room_input *i = call->inputs; i; i = i->next) {
        int number = -1;
        if (i->size == sizeof number)
            memcpy(&number, i->bytes, sizeof number);
        if (number != atomic_fetch_add(&w->inputs, 1) || (uintptr_t)i->bytes % 16)
            atomic_store(&w->wrong_order, 1);
    }
    if (dry_world_step_count(call->world) == w->push_step)
        push(call->world);
    if (w->wake_at)
        call->wake_at = w->wake_at;
}

static void after(dry_room_call *call, void *user)
{
    watched *w = user;
    atomic_store(&w->step, dry_world_step_count(call->world));
    atomic_fetch_sub(&w->running, 1);
    if (dry_world_step_count(call->world) == w->hash_step) {
        if (w->leaves)
            assert_ok(dry_rooms_remove(call->rooms, call->room));
        atomic_store(&w->hash, dry_world_hash(call->world));
    }
}

static dry_room_def watched_by(watched *w, float rate)
{
    dry_room_def def = dry_default_room_def();
    def.rate = rate;
    def.dt = TEST_DT;
    def.functions = (dry_room_functions){.before = before, .after = after, .user = w};
    return def;
}

static uint64_t lone_hash(dry_world *world, uint64_t push_step, uint64_t steps)
{
    for (uint64_t i = dry_world_step_count(world); i < steps; i++) {
        if (i == push_step)
            push(world);
        assert_ok(dry_world_step(world, TEST_DT));
    }
    const uint64_t hash = dry_world_hash(world);
    dry_world_destroy(world);
    return hash;
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
    watched w[4] = {{0}};
    for (; !atomic_load(g->stop); g->made++) {
        dry_room_id id[4];
        dry_room_statistics statistics;
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
        for (int i = 0; i < 4; i++)
            assert_ok(dry_rooms_remove(g->rooms, id[i]));
        assert_int_equal(dry_rooms_post(g->rooms, id[0], NULL, 0), DRY_ERROR_STALE_ID);
        for (int i = 0; i < 4; i++)
            assert_int_equal(atomic_load(&w[i].running), 0); /* none is called after dry_rooms_remove */
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(atomic_load(&w[i].wrong_order), 0);
    return NULL;
}

/* Rooms of one scene, some as fast as they go, on four workers that steal, while two threads make and remove
 * other rooms: all come to the lone world's state. */
static void test_hashes(void **state)
{
    (void)state;
    enum { ROOMS = 12, STEPS = 120, PUSH = 40 };
    const uint64_t expected = lone_hash(pile(false, DRY_SOLVER_GAUSS_SEIDEL), PUSH, STEPS);
    dry_rooms *rooms = pool_of(4);
    watched w[ROOMS] = {{0}};
    dry_room_id id[ROOMS];
    atomic_bool stop = false;
    guest guests[2] = {{rooms, &stop, 0, 0}, {rooms, &stop, 0, 0}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&guests[i].thread, NULL, come_and_go, &guests[i]), 0);
    for (int i = 0; i < ROOMS; i++) {
        w[i].push_step = PUSH;
        w[i].hash_step = STEPS;
        w[i].leaves = true;
        const dry_room_def def = watched_by(&w[i], i % 3 ? 500.0f : 0.0f);
        assert_ok(dry_rooms_add(rooms, &def, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &id[i]));
    }
    for (int i = 0; i < ROOMS; i++)
        while (atomic_load(&w[i].hash) == 0)
            nap();
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(guests[i].thread, NULL);
        assert_true(guests[i].made > 0);
    }
    for (int i = 0; i < ROOMS; i++) {
        assert_true(atomic_load(&w[i].hash) == expected);
        assert_int_equal(atomic_load(&w[i].wrong_order), 0);
    }
    dry_pool_statistics pool;
    assert_ok(dry_rooms_get_pool_statistics(rooms, &pool));
    assert_int_equal(pool.rooms, 0);
    assert_int_equal(pool.workers, 4);
    assert_true(pool.ticks >= ROOMS * STEPS && pool.had_ms <= pool.wanted_ms);
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

static const void *own_bytes(dry_room_call *call, size_t *size, void *user)
{
    (void)call;
    (void)user;
    *size = 5;
    return "hello";
}

static bool read_own_bytes(void *user, const void *own, size_t size)
{
    return size == 5 && memcmp(own, "hello", 5) == 0 && ++*(int *)user > 0;
}

static bool refuse(void *user, const void *more, size_t size)
{
    (void)more;
    size_t *left = user;
    *left -= size < *left ? size : *left;
    return *left > 0;
}

/* A room that moves between two pools all the time comes to the lone world's state, with all inputs in order;
 * a sink that fails leaves it where it is. */
static void test_moves(void **state)
{
    (void)state;
    enum { STEPS = 200, PUSH = 90 };
    dry_rooms *pools[2] = {pool_of(1), pool_of(2)};
    watched w = {.push_step = PUSH, .hash_step = STEPS};
    dry_room_def def = watched_by(&w, 1000.0f);
    def.functions.save = own_bytes;
    const dry_world_def world_def = one_thread();
    int reads = 0, moves = 0, posted = 0;
    const dry_load_options options = {.read_program = read_own_bytes, .user = &reads};
    dry_room_id id, before_id;
    assert_ok(dry_rooms_add(pools[0], &def, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &id));
    for (; atomic_load(&w.hash) == 0; moves++) {
        bytes b = {0};
        size_t left = 1000;
        const dry_sink sink = {append, &b}, full = {refuse, &left};
        for (int n = 0; n < 3; n++, posted++)
            assert_ok(dry_rooms_post(pools[moves % 2], id, &posted, sizeof posted));
        assert_int_equal(dry_rooms_take(pools[moves % 2], id, NULL, &full), DRY_ERROR_ARGUMENT);
        assert_ok(dry_rooms_take(pools[moves % 2], id, NULL, &sink));
        before_id = id;
        assert_ok(dry_rooms_add_saved(pools[(moves + 1) % 2], &def, b.at, b.size, &world_def, &options, &id));
        assert_true(id.bits != before_id.bits);
        assert_false(dry_rooms_has(pools[(moves + 1) % 2], before_id));
        free(b.at);
        nap();
    }
    assert_int_equal(reads, moves);
    while (atomic_load(&w.inputs) < posted)
        nap();
    assert_int_equal(atomic_load(&w.wrong_order), 0);
    assert_true(atomic_load(&w.hash) == lone_hash(pile(false, DRY_SOLVER_GAUSS_SEIDEL), PUSH, STEPS));
    dry_rooms_destroy(pools[0]);
    dry_rooms_destroy(pools[1]);
}

static void transfer(int file, void *at, size_t size, bool out)
{
    for (char *next = at; size > 0;) {
        const ssize_t moved = out ? write(file, next, size) : read(file, next, size);
        assert_true(moved > 0);
        next += moved;
        size -= (size_t)moved;
    }
}

/* Takes a room in, lets it make ten steps, and sends it on, as often as told. `b` is the room that comes
 * first; else, and at the end of the one who has it last, it is read. */
static void host_room(bytes *b, int in, int out, int turns)
{
    dry_rooms *rooms = pool_of(1);
    const dry_world_def world_def = one_thread();
    watched w = {.push_step = 35};
    const dry_room_def def = watched_by(&w, 500.0f);
    for (int turn = 0; turn < turns; turn++) {
        dry_room_id id;
        if (b->size == 0) {
            transfer(in, &b->size, sizeof b->size, false);
            b->at = realloc(b->at, b->size);
            b->room = b->size;
            transfer(in, b->at, b->size, false);
        }
        atomic_store(&w.calls, 0);
        assert_ok(dry_rooms_add_saved(rooms, &def, b->at, b->size, &world_def, NULL, &id));
        while (atomic_load(&w.calls) < 10)
            nap();
        const dry_sink sink = {append, b};
        b->size = 0;
        assert_ok(dry_rooms_take(rooms, id, NULL, &sink));
        transfer(out, &b->size, sizeof b->size, true);
        transfer(out, b->at, b->size, true);
        b->size = 0;
    }
    dry_rooms_destroy(rooms);
}

/* A room that moves between two processes: in the end it has made each of its steps once, and a body's id of
 * the beginning is valid. */
static void test_two_processes(void **state)
{
    (void)state;
    enum { TURNS = 4 };
    int there[2], back[2];
    assert_int_equal(pipe(there), 0);
    assert_int_equal(pipe(back), 0);
    fflush(NULL);
    const pid_t child = fork();
    bytes b = {0};
    close(child == 0 ? there[1] : there[0]);
    close(child == 0 ? back[0] : back[1]);
    if (child == 0) {
        host_room(&b, there[0], back[1], TURNS);
        _exit(0);
    }
    dry_world *world = pile(false, DRY_SOLVER_GAUSS_SEIDEL);
    dry_body_id ids[16];
    dry_world_get_bodies(world, ids, 16);
    dry_rooms *rooms = pool_of(1);
    dry_room_def def = dry_default_room_def();
    dry_room_id id;
    const dry_sink sink = {append, &b};
    def.rate = 0.01f;
    def.dt = TEST_DT;
    assert_ok(dry_rooms_add(rooms, &def, world, &id));
    assert_ok(dry_rooms_take(rooms, id, NULL, &sink));
    dry_rooms_destroy(rooms);
    host_room(&b, back[0], there[1], TURNS);
    transfer(back[0], &b.size, sizeof b.size, false);
    b.at = realloc(b.at, b.size);
    transfer(back[0], b.at, b.size, false);
    int status = -1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    world = loaded(&b, 0);
    const uint64_t steps = dry_world_step_count(world) + 20;
    assert_true(steps >= 2 * TURNS * 10 + 20);
    assert_true(dry_body_is_valid(world, ids[5]));
    assert_true(lone_hash(world, UINT64_MAX, steps) ==
                lone_hash(pile(false, DRY_SOLVER_GAUSS_SEIDEL), 35, steps));
    close(there[1]);
    close(back[0]);
    free(b.at);
}

/* Bytes that are no room are refused, whatever byte of the room's own section changes. */
static void test_hostile_rooms(void **state)
{
    (void)state;
    dry_rooms *rooms = pool_of(1);
    const dry_world_def world_def = one_thread();
    dry_room_def def = dry_default_room_def();
    dry_room_id id;
    bytes plain = {0}, b = {0};
    const dry_sink sink = {append, &b};
    dry_world *world = pile(false, DRY_SOLVER_GAUSS_SEIDEL);
    plain = save_of(world);
    assert_int_equal(dry_rooms_add_saved(rooms, &def, plain.at, plain.size, &world_def, NULL, &id),
                     DRY_ERROR_ARGUMENT);
    assert_ok(dry_rooms_add(rooms, &def, world, &id));
    assert_ok(dry_rooms_post(rooms, id, "input", 5));
    assert_ok(dry_rooms_take(rooms, id, NULL, &sink));
    for (size_t size = 0; size < b.size; size += 1 + size / 8)
        assert_int_equal(dry_rooms_add_saved(rooms, &def, b.at, size, &world_def, NULL, &id),
                         DRY_ERROR_ARGUMENT);
    /* A section without its checksum's consent: words of the head, set by the program that writes it. */
    world = pile(false, DRY_SOLVER_GAUSS_SEIDEL);
    for (int word = 0; word < 6; word++)
        for (int bit = 0; bit < 64; bit += 9) {
            uint64_t head[6] = {UINT64_C(0x314d4f4f52595244), 3, 0, 0, 0, 0};
            head[word] ^= UINT64_C(1) << bit;
            const dry_save_options with = {.program_bytes = head, .program_size = sizeof head};
            bytes forged = {0};
            const dry_sink to = {append, &forged};
            assert_ok(dry_world_save(world, &with, &to));
            const dry_result result =
                dry_rooms_add_saved(rooms, &def, forged.at, forged.size, &world_def, NULL, &id);
            assert_true(result == DRY_ERROR_ARGUMENT || (result == DRY_OK && dry_rooms_has(rooms, id)));
            assert_true(result == DRY_ERROR_ARGUMENT || (word >= 1 && word <= 3));
            free(forged.at);
        }
    dry_world_destroy(world);
    free(plain.at);
    free(b.at);
    dry_rooms_destroy(rooms);
}

/* Functions that remove their own room, and ask for what they must not have. */
typedef struct rebel {
    dry_rooms *rooms;
    atomic_int done;
    dry_result taken, removed;
} rebel;

static void rebel_before(dry_room_call *call, void *user)
{
    rebel *r = user;
    const dry_sink sink = {append, NULL};
    dry_rooms_destroy(call->rooms);
    r->taken = dry_rooms_take(call->rooms, call->room, NULL, &sink);
    r->removed = dry_rooms_remove(call->rooms, call->room);
    assert_int_equal(dry_rooms_post(call->rooms, call->room, NULL, 0), DRY_ERROR_STALE_ID);
    assert_int_equal(dry_world_step_count(call->world), 0);
}

static void rebel_after(dry_room_call *call, void *user)
{
    (void)call;
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

/* A budget that no tick keeps takes substeps first and ticks then, and the program hears of it. */
static void hear(const dry_rooms_notice *notice, void *user)
{
    atomic_int *heard = user;
    atomic_fetch_or(heard, 1 << notice->slow);
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
    assert_int_equal(atomic_load(&heard) & 1 << DRY_ROOM_SLOW_SHED, 1 << DRY_ROOM_SLOW_SHED);
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
        assert_ok(dry_rooms_add(rooms, &def, pile(true, DRY_SOLVER_GAUSS_SEIDEL), &other));
        assert_ok(dry_rooms_remove(rooms, other));
    } while (all.share[1] < 1.0f || all.share[3] < 1.0f);
    assert_int_equal(atomic_load(&heard) & 1 << DRY_ROOM_SLOW_NOT, 1 << DRY_ROOM_SLOW_NOT);
    dry_rooms_destroy(rooms);
}

/* In a child process all calls say that the pool is not its own, and none waits for a thread that is not
 * there. */
static void test_fork(void **state)
{
    (void)state;
    dry_rooms *rooms = pool_of(2);
    dry_room_def def = dry_default_room_def();
    dry_room_id id;
    assert_ok(dry_rooms_add(rooms, &def, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &id));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const bool locked = dry_rooms_post(rooms, id, NULL, 0) == DRY_ERROR_LOCKED &&
                            dry_rooms_remove(rooms, id) == DRY_ERROR_LOCKED && !dry_rooms_has(rooms, id);
        dry_rooms_destroy(rooms);
        _exit(locked ? 0 : 1);
    }
    int status = -1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    dry_rooms_destroy(rooms);
}

static void test_bad_calls(void **state)
{
    (void)state;
    log_lines lines = {0};
    dry_rooms_def pool = dry_default_rooms_def();
    dry_rooms *rooms = NULL;
    pool.log = (dry_log){keep_line, &lines};
    pool.workers = 1025;
    assert_int_equal(dry_rooms_create(&pool, &rooms), DRY_ERROR_ARGUMENT);
    assert_null(rooms);
    assert_int_equal(dry_rooms_create(NULL, &rooms), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_rooms_create(&pool, NULL), DRY_ERROR_ARGUMENT);
    rooms = pool_with(pool, 1);
    dry_world *world = pile(false, DRY_SOLVER_GAUSS_SEIDEL);
    dry_world_def two_threads = one_thread();
    two_threads.threads = 2;
    dry_world *wide = world_from(&two_threads);
    dry_room_id id = {1};
    dry_room_def good = dry_default_room_def(), bad[8] = {good, good, good, good, good, good, good, good};
    bad[0].rate = NAN;
    bad[1].rate = 1e5f;
    bad[2].priority = DRY_ROOM_PRIORITIES;
    bad[3].substeps_max = -1;
    bad[4].budget_ms = -1.0f;
    bad[5].behind_max = 1001;
    bad[6].dt = 2.0f;
    bad[7].rate = 0.5f; /* without dt */
    for (int i = 0; i < COUNT_OF(bad); i++) {
        const int before_count = lines.count;
        assert_int_equal(dry_rooms_add(rooms, &bad[i], world, &id), DRY_ERROR_ARGUMENT);
        assert_int_equal(lines.count, before_count + 1);
        assert_true(id.bits == 0);
    }
    assert_int_equal(dry_rooms_add(rooms, &good, wide, &id), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "threads"));
    assert_int_equal(dry_rooms_add(rooms, &good, NULL, &id), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_rooms_add(NULL, &good, world, &id), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_rooms_post(rooms, (dry_room_id){0}, NULL, 0), DRY_ERROR_STALE_ID);
    assert_int_equal(dry_rooms_remove(rooms, (dry_room_id){UINT64_MAX}), DRY_ERROR_STALE_ID);
    assert_false(dry_rooms_has(rooms, (dry_room_id){0}));
    good.queue_bytes_max = 8;
    good.rate = 0.01f;
    good.dt = TEST_DT;
    assert_ok(dry_rooms_add(rooms, &good, world, &id));
    assert_int_equal(dry_rooms_post(rooms, id, NULL, 1), DRY_ERROR_ARGUMENT);
    assert_ok(dry_rooms_post(rooms, id, "12345", 5));
    assert_int_equal(dry_rooms_post(rooms, id, "6789", 4), DRY_ERROR_FULL);
    assert_int_equal(dry_rooms_post(rooms, id, "6789", SIZE_MAX), DRY_ERROR_FULL);
    assert_int_equal(dry_rooms_take(rooms, id, NULL, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_rooms_get_statistics(rooms, id, NULL), DRY_ERROR_ARGUMENT);
    assert_ok(dry_rooms_remove(rooms, id));
    assert_int_equal(dry_rooms_remove(rooms, id), DRY_ERROR_STALE_ID);
    dry_world_destroy(wide);
    dry_rooms_destroy(rooms);
    dry_rooms_destroy(NULL);
}

/* Each allocation of a pool fails once: the call says so and leaves the world with its owner. */
static void test_memory(void **state)
{
    (void)state;
    for (int64_t fail = 0; fail < 100; fail++) {
        counting_allocator counter = {.fail_at = fail};
        dry_rooms_def pool = dry_default_rooms_def();
        dry_rooms *rooms = NULL;
        pool.allocator = counting_hooks(&counter);
        pool.workers = 1;
        dry_result result = dry_rooms_create(&pool, &rooms);
        if (result == DRY_OK) {
            dry_room_def def = dry_default_room_def();
            dry_room_id id;
            bytes b = {0};
            const dry_sink sink = {append, &b};
            const dry_world_def world_def = one_thread();
            dry_world *world = pile(false, DRY_SOLVER_GAUSS_SEIDEL);
            def.rate = 0.01f;
            def.dt = TEST_DT;
            result = dry_rooms_add(rooms, &def, world, &id);
            if (result != DRY_OK)
                dry_world_destroy(world);
            if (result == DRY_OK)
                result = dry_rooms_post(rooms, id, "bytes", 5);
            if (result == DRY_OK)
                result = dry_rooms_take(rooms, id, NULL, &sink);
            if (result == DRY_OK)
                result = dry_rooms_add_saved(rooms, &def, b.at, b.size, &world_def, NULL, &id);
            dry_rooms_destroy(rooms);
            free(b.at);
        }
        assert_int_equal(counter.bytes, 0);
        assert_int_equal(counter.wrong, 0);
        assert_int_equal(result, counter.calls > (uint64_t)fail ? DRY_ERROR_MEMORY : DRY_OK);
        if (result == DRY_OK) {
            assert_true(fail > 5);
            return;
        }
    }
    fail_msg("the pool allocates more than 100 times");
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
        cmocka_unit_test(test_two_processes),
        cmocka_unit_test(test_empty_steps),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_sleeping_room),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_hostile_rooms),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_calls_in_functions),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_shedding),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_ticks_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
