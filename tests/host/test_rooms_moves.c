/* Rooms that move between pools and processes, hostile bytes, and calls that fail: they change nothing. */
#include "tests/counting_allocator.h"
#include "tests/host/rooms.h"
#include "tests/log_lines.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Rooms that three threads add, feed, take, move and remove in two pools, by calls that are drawn. */
enum { CALLERS = 3, PLACES = 6, STEPS_MAX = 250, NOBODY = 0, CLAIMED = 1 };

typedef struct hotel {
    dry_rooms *pools[2];
    counting_allocator counters[2];
    atomic_int refuse_in[2];            /* allocations of a pool until one is refused */
    _Atomic uint64_t places[2][PLACES]; /* ids */
    uint64_t hashes[STEPS_MAX + 1];     /* of the lone world, by steps */
    bytes fresh;                        /* the save of a new world */
    atomic_int moves;                   /* of rooms that had made steps */
} hotel;

typedef struct hotel_memory {
    hotel *h;
    int pool;
} hotel_memory;

static void *allocate_or_refuse(size_t size, size_t alignment, void *user)
{
    const hotel_memory *m = user;
    const bool refused = atomic_fetch_sub(&m->h->refuse_in[m->pool], 1) == 1;
    return refused ? NULL : counting_allocate(size, alignment, &m->h->counters[m->pool]);
}

static void release(void *block, size_t size, void *user)
{
    const hotel_memory *m = user;
    counting_release(block, size, &m->h->counters[m->pool]);
}

/* Pushes as lone_hash does, and lets the room go when it has made its steps. */
static void live_in_hotel(dry_room_call *call, void *user)
{
    (void)user;
    const uint64_t steps = dry_world_step_count(call->world);
    if (steps == STEPS_MAX / 2)
        push(call->world);
    if (steps >= STEPS_MAX)
        (void)dry_rooms_remove(call->rooms, call->room); /* it may be being taken */
}

static bool is_one_of(dry_result result, dry_result a, dry_result b, dry_result c)
{
    return result == DRY_OK || result == a || result == b || result == c;
}

/* Adds a room, of a new world or of bytes of another pool, to a free place. */
static void move_in(hotel *h, int pool, int place, const bytes *saved)
{
    uint64_t nobody = NOBODY;
    if (!atomic_compare_exchange_strong(&h->places[pool][place], &nobody, CLAIMED))
        return;
    dry_room_def def = dry_default_room_def();
    const dry_world_def world_def = one_thread();
    dry_room_id id;
    def.rate = place % 2 ? 2000.0f : 0.0f;
    def.priority = place % 2 ? place % DRY_ROOM_PRIORITIES : 0;
    def.dt = TEST_DT;
    def.functions.before = live_in_hotel;
    dry_result result;
    if (saved) {
        result = dry_rooms_add_saved(h->pools[pool], &def, saved->at, saved->size, &world_def, NULL, &id);
    } else {
        dry_world *world = NULL;
        assert_ok(dry_world_load(h->fresh.at, h->fresh.size, &world_def, NULL, &world, NULL));
        result = dry_rooms_add(h->pools[pool], &def, world, &id);
        if (result != DRY_OK)
            dry_world_destroy(world);
    }
    assert_true(is_one_of(result, DRY_ERROR_MEMORY, DRY_OK, DRY_OK));
    assert_true((result == DRY_OK) == (id.bits != 0));
    atomic_store(&h->places[pool][place], id.bits);
}

/* Compares a room that was taken with the lone world. */
static void check_taken(hotel *h, const bytes *saved)
{
    dry_world *world = loaded(saved, 0);
    const uint64_t steps = dry_world_step_count(world);
    assert_true(steps > STEPS_MAX || dry_world_hash(world) == h->hashes[steps]);
    dry_world_destroy(world);
    atomic_fetch_add(&h->moves, steps > 0);
}

/* Makes one drawn call about the room of a place. */
static void call_room(hotel *h, int pool, int place, uint64_t *random)
{
    uint64_t bits = atomic_load(&h->places[pool][place]);
    const dry_room_id id = {bits};
    const int call = random_below(random, 8), other = random_below(random, PLACES);
    size_t room = (size_t)random_below(random, 3) * 40000;
    dry_room_statistics statistics;
    dry_result result;
    bytes b = {0};
    if (bits == NOBODY || bits == CLAIMED) {
        move_in(h, pool, place, NULL);
        return;
    }
    if (call < 4) {
        result = dry_rooms_post(h->pools[pool], id, h->hashes, 8 * (size_t)other);
    } else if (call < 6) {
        const dry_sink sink = {append, &b}, short_sink = {refuse, &room};
        result = dry_rooms_take(h->pools[pool], id, NULL, call == 4 && room < 1000 ? &short_sink : &sink);
        if (result == DRY_OK)
            check_taken(h, &b);
        assert_true(result != DRY_ERROR_ARGUMENT || call == 4);
        result = result == DRY_ERROR_ARGUMENT ? DRY_OK : result;
    } else if (call == 6) {
        result = dry_rooms_get_statistics(h->pools[pool], id, &statistics);
    } else {
        result = dry_rooms_remove(h->pools[pool], id);
    }
    assert_true(is_one_of(result, DRY_ERROR_STALE_ID, DRY_ERROR_LOCKED, DRY_ERROR_MEMORY));
    if (!dry_rooms_has(h->pools[pool], id))
        atomic_compare_exchange_strong(&h->places[pool][place], &bits, NOBODY);
    if (b.size > 0 && result == DRY_OK)
        move_in(h, 1 - pool, other, &b);
    free(b.at);
}

typedef struct caller {
    hotel *h;
    uint64_t seed;
    pthread_t thread;
} caller;

static void *call_at_random(void *argument)
{
    caller *c = argument;
    uint64_t random = c->seed;
    for (int i = 0; i < test_pick(1500, 300) || atomic_load(&c->h->moves) == 0; i++) {
        const int pool = random_below(&random, 2), place = random_below(&random, PLACES);
        if (random_below(&random, 6) == 0)
            atomic_store(&c->h->refuse_in[pool], 1 + random_below(&random, 3));
        if (random_below(&random, 12) == 0)
            nap();
        call_room(c->h, pool, place, &random);
    }
    return NULL;
}

/* Whatever threads call at once, and whatever is refused, a room has the lone world's state when it is taken;
 * the pools are destroyed while their rooms run, and give all memory back. */
static void test_drawn_calls(void **state)
{
    (void)state;
    static hotel h;
    hotel_memory memory[2] = {{&h, 0}, {&h, 1}};
    caller callers[CALLERS];
    dry_world *lone = pile(false, DRY_SOLVER_GAUSS_SEIDEL);
    h.fresh = save_of(lone);
    for (int i = 0; i <= STEPS_MAX; i++) {
        h.hashes[i] = dry_world_hash(lone);
        if (i == STEPS_MAX / 2)
            push(lone);
        run_steps(lone, 1, TEST_DT);
    }
    dry_world_destroy(lone);
    for (int i = 0; i < 2; i++) {
        dry_rooms_def def = dry_default_rooms_def();
        def.allocator = (dry_allocator){allocate_or_refuse, release, &memory[i]};
        h.counters[i].fail_at = -1;
        h.pools[i] = pool_with(def, 1 + i);
    }
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){.h = &h, .seed = (uint64_t)(36 + i)};
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_at_random, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i].thread, NULL);
    for (int i = 0; i < 2; i++) {
        dry_rooms_destroy(h.pools[i]);
        assert_int_equal(h.counters[i].bytes, 0);
        assert_int_equal(h.counters[i].wrong, 0);
    }
    free(h.fresh.at);
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

/* The luggage of a room beside its bytes: when its last tick began, how many ticks its moves missed. */
typedef struct journey {
    double last_s;
    double wanted_ms, had_ms; /* processor time of workers */
    int missed, missed_max, moves;
    size_t size;
} journey;

/* Half of a journey: one of two processes. */
typedef struct host {
    int in, out, turns, ticks;
    double rate;
    uint64_t push_step;
    const dry_body_id *ids; /* of the bodies, from before the first move */
    int body_count;
    bytes room;
    journey journey;
    bool arrives;
    atomic_int calls, stale;
} host;

static void host_before(dry_room_call *call, void *user)
{
    host *h = user;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* the same for all processes */
    const double now_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (h->arrives) {
        const int missed = h->journey.last_s > 0.0 ? (int)((now_s - h->journey.last_s) * h->rate) : 0;
        h->journey.missed += missed;
        h->journey.missed_max = missed > h->journey.missed_max ? missed : h->journey.missed_max;
        h->journey.moves += h->journey.last_s > 0.0;
        for (int i = 0; i < h->body_count; i++)
            atomic_fetch_add(&h->stale, !dry_body_is_valid(call->world, h->ids[i]));
    }
    h->arrives = false;
    h->journey.last_s = now_s;
    if (dry_world_step_count(call->world) == h->push_step)
        push(call->world);
    atomic_fetch_add(&h->calls, 1);
}

static void read_room(host *h)
{
    transfer(h->in, &h->journey, sizeof h->journey, false);
    h->room.at = realloc(h->room.at, h->journey.size);
    h->room.room = h->room.size = h->journey.size;
    transfer(h->in, h->room.at, h->room.size, false);
}

/* Adds what the workers of a host had of the cores while the room was there. */
static void add_use(journey *j, dry_rooms *rooms, dry_pool_statistics *before)
{
    const dry_pool_statistics last = *before;
    assert_ok(dry_rooms_get_pool_statistics(rooms, before));
    j->wanted_ms += before->wanted_ms - last.wanted_ms;
    j->had_ms += before->had_ms - last.had_ms;
}

/* Waits for a part of a period: a room leaves at any time between two of its ticks. */
static void wait_part(double rate, int eighths)
{
    nanosleep(&(struct timespec){0, (long)(0.125e9 * eighths / rate)}, NULL);
}

/* Takes a room in, lets it make some steps, and sends it on, as often as told. The first to have it has its
 * bytes already. */
static void host_room(host *h)
{
    dry_rooms *rooms = pool_of(1);
    const dry_world_def world_def = one_thread();
    dry_room_def def = dry_default_room_def();
    dry_pool_statistics use = {.wanted_ms = 0.0};
    def.rate = (float)h->rate;
    def.dt = TEST_DT;
    def.functions = (dry_room_functions){.before = host_before, .user = h};
    for (int turn = 0; turn < h->turns; turn++) {
        dry_room_id id;
        if (h->room.size == 0)
            read_room(h);
        atomic_store(&h->calls, 0);
        h->arrives = true;
        assert_ok(dry_rooms_add_saved(rooms, &def, h->room.at, h->room.size, &world_def, NULL, &id));
        while (atomic_load(&h->calls) < h->ticks)
            nap();
        wait_part(h->rate, turn % 8);
        const dry_sink sink = {append, &h->room};
        h->room.size = 0;
        assert_ok(dry_rooms_take(rooms, id, NULL, &sink));
        add_use(&h->journey, rooms, &use);
        h->journey.size = h->room.size;
        transfer(h->out, &h->journey, sizeof h->journey, true);
        transfer(h->out, h->room.at, h->room.size, true);
        h->room.size = 0;
    }
    dry_rooms_destroy(rooms);
    assert_int_equal(atomic_load(&h->stale), 0);
}

/* Makes bytes of a room that has made no step. */
static bytes room_of(dry_world *world)
{
    bytes b = {0};
    dry_rooms *rooms = pool_of(1);
    dry_room_def def = dry_default_room_def();
    dry_room_id id;
    const dry_sink sink = {append, &b};
    def.rate = 0.01f;
    def.dt = TEST_DT;
    assert_ok(dry_rooms_add(rooms, &def, world, &id));
    assert_ok(dry_rooms_take(rooms, id, NULL, &sink));
    dry_rooms_destroy(rooms);
    return b;
}

/* Moves a room between this process and another, and compares it with one that stayed. */
static journey travel(dry_world *world, dry_world *stays, int turns, int ticks, double rate)
{
    int there[2], back[2], status = -1;
    dry_body_id ids[512];
    const int body_count = dry_world_get_bodies(world, ids, COUNT_OF(ids));
    assert_int_equal(pipe(there), 0);
    assert_int_equal(pipe(back), 0);
    fflush(NULL);
    host h = {
        .turns = turns, .ticks = ticks, .rate = rate, .push_step = 35, .ids = ids, .body_count = body_count};
    const pid_t child = fork();
    close(child == 0 ? there[1] : there[0]);
    close(child == 0 ? back[0] : back[1]);
    h.in = child == 0 ? there[0] : back[0];
    h.out = child == 0 ? back[1] : there[1];
    if (child == 0) {
        host_room(&h);
        _exit(0);
    }
    h.room = room_of(world);
    host_room(&h);
    read_room(&h);
    assert_true(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    world = loaded(&h.room, 0);
    const uint64_t steps = dry_world_step_count(world) + 20;
    assert_true(steps >= 2 * (uint64_t)turns * (uint64_t)ticks + 20);
    for (int i = 0; i < body_count; i++)
        assert_true(dry_body_is_valid(world, ids[i]));
    assert_true(lone_hash(world, UINT64_MAX, steps) == lone_hash(stays, h.push_step, steps));
    close(h.out);
    close(h.in);
    free(h.room.at);
    return h.journey;
}

/* A room that moves between two processes: in the end it has made each of its steps once, and its bodies'
 * ids of the beginning are valid. */
static void test_two_processes(void **state)
{
    (void)state;
    (void)travel(pile(false, DRY_SOLVER_GAUSS_SEIDEL), pile(false, DRY_SOLVER_GAUSS_SEIDEL), 4, 10, 500.0);
}

/* The same with 320 boxes in each second of a minute. A tick is missed if it is due while the room is
 * underway. That is judged where the workers had the cores. */
static void test_moving_for_a_minute(void **state)
{
    (void)state;
    if (!test_environment("DRYSTONE_TEST_LONG"))
        skip();
    const journey j = travel(heap((dry_allocator){0}), heap((dry_allocator){0}), 30, 60, 60.0);
    const double share = j.had_ms / j.wanted_ms;
    print_message(
        "%d moves of %zu kB: %d ticks missed, %d in one move at most; workers had the cores for %.1f %%\n",
        j.moves, j.size / 1000, j.missed, j.missed_max, 100.0 * share);
    assert_int_equal(j.moves, 59);
    assert_true(j.missed_max <= 1 || share < 0.98);
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
            assert_true(result == DRY_ERROR_ARGUMENT || word == 3 || bit < 53); /* ticks have numbers below */
            free(forged.at);
        }
    dry_world_destroy(world);
    free(plain.at);
    free(b.at);
    dry_rooms_destroy(rooms);
}

/* A room that is taken in with any number of a tick can be taken out after some ticks, and in again. */
static void test_ticks_near_the_end(void **state)
{
    (void)state;
    uint64_t seed = getenv("DRYSTONE_SEED") ? strtoull(getenv("DRYSTONE_SEED"), NULL, 0) : 5;
    dry_rooms *rooms = pool_of(1);
    const dry_world_def world_def = one_thread();
    dry_room_def def = dry_default_room_def();
    dry_world *world = pile(false, DRY_SOLVER_GAUSS_SEIDEL);
    int taken = 0;
    for (int i = 0; i < 80; i++) {
        const uint64_t drawn =
            (random_bits(&seed) >> (11 + random_below(&seed, 3))) - (UINT64_C(1) << random_below(&seed, 20));
        const uint64_t last = (UINT64_C(1) << 53) - 1 - (uint64_t)random_below(&seed, 3);
        const uint64_t number = random_below(&seed, 2) ? drawn : last;
        const bool wakes = random_below(&seed, 2);
        const uint64_t head[6] = {
            UINT64_C(0x314d4f4f52595244), wakes ? 3 : number, wakes ? number : 0, 0, 0, 0};
        const dry_save_options with = {.program_bytes = head, .program_size = sizeof head};
        bytes forged = {0}, out = {0};
        const dry_sink to = {append, &forged}, to_out = {append, &out};
        dry_room_id id;
        dry_room_statistics statistics;
        def.rate = random_below(&seed, 2) ? 0.0f : 1000.0f;
        assert_ok(dry_world_save(world, &with, &to));
        const dry_result result =
            dry_rooms_add_saved(rooms, &def, forged.at, forged.size, &world_def, NULL, &id);
        free(forged.at);
        assert_true(result == DRY_OK || result == DRY_ERROR_ARGUMENT);
        if (result != DRY_OK)
            continue;
        ++taken;
        do {
            nap();
            assert_ok(dry_rooms_get_statistics(rooms, id, &statistics));
        } while (statistics.ticks < 3 && !statistics.asleep);
        assert_ok(dry_rooms_take(rooms, id, NULL, &to_out));
        assert_ok(dry_rooms_add_saved(rooms, &def, out.at, out.size, &world_def, NULL, &id));
        assert_ok(dry_rooms_remove(rooms, id));
        free(out.at);
    }
    assert_in_range(taken, 10, 70);
    dry_world_destroy(world);
    dry_rooms_destroy(rooms);
}

/* A world that wants to be a room while it steps. */
typedef struct hasty {
    dry_rooms *rooms;
    dry_world *world;
    int refused;
} hasty;

static void add_in_step(dry_stage stage, void *user)
{
    (void)stage;
    hasty *h = user;
    const dry_room_def def = dry_default_room_def();
    dry_room_id id;
    h->refused += dry_rooms_add(h->rooms, &def, h->world, &id) == DRY_ERROR_LOCKED;
}

static void test_a_stepping_world(void **state)
{
    (void)state;
    hasty h = {pool_of(1), NULL, 0};
    dry_world_def def = one_thread();
    def.hook.begin = add_in_step;
    def.hook.user = &h;
    h.world = world_from(&def);
    add_dynamic(h.world, pose_at(0, 0, 0), sphere_shape(0.5));
    run_steps(h.world, 1, TEST_DT);
    assert_true(h.refused > 0);
    run_steps(h.world, 1, TEST_DT);
    dry_world_destroy(h.world);
    dry_rooms_destroy(h.rooms);
}

/* A room whose definition is out of range is refused, with one line of the log. */
static void refuse_bad_rooms(dry_rooms *rooms, dry_world *world, const log_lines *lines)
{
    dry_room_id id = {1};
    const dry_room_def good = dry_default_room_def();
    dry_room_def bad[9] = {good, good, good, good, good, good, good, good, good};
    bad[0].rate = NAN;
    bad[1].rate = 1e5f;
    bad[2].priority = DRY_ROOM_PRIORITIES;
    bad[3].substeps_max = -1;
    bad[4].budget_ms = -1.0f;
    bad[5].behind_max = 1001;
    bad[6].dt = 2.0f;
    bad[7].rate = 0.5f; /* without dt */
    bad[8].rate = 0.0f;
    bad[8].priority = 1; /* without a rate */
    for (int i = 0; i < COUNT_OF(bad); i++) {
        const int before_count = lines->count;
        assert_int_equal(dry_rooms_add(rooms, &bad[i], world, &id), DRY_ERROR_ARGUMENT);
        assert_int_equal(lines->count, before_count + 1);
        assert_true(id.bits == 0);
    }
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
    dry_room_def good = dry_default_room_def();
    refuse_bad_rooms(rooms, world, &lines);
    assert_int_equal(dry_rooms_add(rooms, &good, wide, &id), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "threads"));
    assert_int_equal(dry_rooms_add(rooms, &good, NULL, &id), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_rooms_add(NULL, &good, world, &id), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_rooms_post(rooms, (dry_room_id){0}, NULL, 0), DRY_ERROR_STALE_ID);
    assert_int_equal(dry_rooms_remove(rooms, (dry_room_id){UINT64_MAX}), DRY_ERROR_STALE_ID);
    assert_false(dry_rooms_has(rooms, (dry_room_id){0}));
    good.queue_bytes_max = 32 + 5;
    good.rate = 0.01f;
    good.dt = TEST_DT;
    assert_ok(dry_rooms_add(rooms, &good, world, &id));
    dry_room_id twice;
    assert_int_equal(dry_rooms_add(rooms, &good, world, &twice), DRY_ERROR_ARGUMENT);
    assert_non_null(strstr(lines.last, "in a room already"));
    dry_world_destroy(world); /* does nothing: it is the pool's */
    assert_int_equal(dry_rooms_post(rooms, id, NULL, 1), DRY_ERROR_ARGUMENT);
    assert_ok(dry_rooms_post(rooms, id, "12345", 5));
    assert_int_equal(dry_rooms_post(rooms, id, NULL, 0), DRY_ERROR_FULL); /* an empty one takes room, too */
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

/* Each allocation of a world that arrives fails once: no room comes, and the bytes stay good. */
static void test_memory_of_worlds(void **state)
{
    (void)state;
    dry_rooms *rooms = pool_of(1);
    dry_room_def def = dry_default_room_def();
    dry_world_def world_def = one_thread();
    dry_room_id id;
    bytes b = {0};
    const dry_sink sink = {append, &b};
    counting_allocator counter = {.fail_at = 0};
    world_def.allocator = counting_hooks(&counter);
    def.rate = 0.01f;
    def.dt = TEST_DT;
    assert_ok(dry_rooms_add(rooms, &def, pile(false, DRY_SOLVER_GAUSS_SEIDEL), &id));
    assert_ok(dry_rooms_take(rooms, id, NULL, &sink));
    while (dry_rooms_add_saved(rooms, &def, b.at, b.size, &world_def, NULL, &id) == DRY_ERROR_MEMORY) {
        assert_true(id.bits == 0 && counter.bytes == 0);
        counter.calls = 0;
        counter.fail_at++;
    }
    assert_true(dry_rooms_has(rooms, id) && counter.fail_at > 20);
    counter.fail_at = -1; /* its first tick may be under way */
    dry_rooms_destroy(rooms);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
    free(b.at);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_processes),
        cmocka_unit_test(test_moving_for_a_minute),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_hostile_rooms),
        cmocka_unit_test(test_ticks_near_the_end),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_a_stepping_world),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_worlds),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_drawn_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
