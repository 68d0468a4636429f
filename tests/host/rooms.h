/* Fixtures of the tests of rooms: a pile that moves and then sleeps, pools, and functions that watch a room.
 */
#ifndef TESTS_HOST_ROOMS_H
#define TESTS_HOST_ROOMS_H

#include "tests/saved_worlds.h"

#include <stdatomic.h>
#include <time.h>

static inline void nap(void)
{
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static inline dry_world_def one_thread(void)
{
    dry_world_def def = test_world_def();
    def.threads = 1;
    def.tag = 7;
    return def;
}

/* Makes a stack of boxes beside a leaning one: it moves for some time and then sleeps. */
static inline dry_world *pile(bool sleeps, dry_solver solver)
{
    dry_world_def def = one_thread();
    def.settings.method.solver = solver;
    def.settings.sleep = sleeps;
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 8; i++)
        add_dynamic(world, pose_at(0.2 * (i % 2), 0.55 + 1.05 * i, 0.1 * (i % 3)), box_shape(0.5, 0.5, 0.5));
    return world;
}

/* Makes 64 leaning stacks of five boxes: a step that several workers may share. */
static inline dry_world *heap(dry_allocator allocator)
{
    dry_world_def def = one_thread();
    def.settings.sleep = false;
    def.allocator = allocator;
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 64 * 5; i++)
        add_dynamic(world, pose_at(1.3 * (i / 5 % 8) + 0.2 * (i % 2), 0.55 + 1.05 * (i % 5), 1.3 * (i / 40)),
                    box_shape(0.5, 0.5, 0.5));
    return world;
}

static inline void push(dry_world *world)
{
    dry_body_id ids[16];
    assert_true(dry_world_get_bodies(world, ids, 16) >= 6);
    assert_ok(dry_body_apply_impulse(world, ids[5], v3(900, 300, 0)));
}

static inline dry_rooms *pool_with(dry_rooms_def def, int workers)
{
    dry_rooms *rooms = NULL;
    def.workers = workers;
    assert_ok(dry_rooms_create(&def, &rooms));
    return rooms;
}

static inline dry_rooms *pool_of(int workers)
{
    return pool_with(dry_default_rooms_def(), workers);
}

/* A room that is pushed in one step, and tells its hash after another. */
typedef struct watched {
    uint64_t push_step, hash_step;
    _Atomic uint64_t hash;
    atomic_int calls, inputs, wrong_order, running;
    _Atomic uint64_t step;
    uint64_t wake_at;
    bool leaves;         /* with its hash */
    uint64_t busy_steps; /* its function takes two milliseconds of a processor before the first ones */
    atomic_int failed;   /* steps without memory */
} watched;

static inline void take_time(void)
{
    struct timespec now, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    end.tv_nsec += 2000000;
    end = end.tv_nsec < 1000000000 ? end : (struct timespec){end.tv_sec + 1, end.tv_nsec - 1000000000};
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

static inline void before(dry_room_call *call, void *user)
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
    if (dry_world_step_count(call->world) < w->busy_steps)
        take_time();
    if (w->wake_at)
        call->wake_at = w->wake_at;
}

static inline void after(dry_room_call *call, void *user)
{
    watched *w = user;
    atomic_fetch_add(&w->failed, call->result == DRY_ERROR_MEMORY);
    assert_true(call->result == DRY_OK || call->result == DRY_ERROR_MEMORY);
    atomic_store(&w->step, dry_world_step_count(call->world));
    atomic_fetch_sub(&w->running, 1);
    if (dry_world_step_count(call->world) == w->hash_step) {
        if (w->leaves)
            assert_ok(dry_rooms_remove(call->rooms, call->room));
        atomic_store(&w->hash, dry_world_hash(call->world));
    }
}

static inline dry_room_def watched_by(watched *w, float rate)
{
    dry_room_def def = dry_default_room_def();
    def.rate = rate;
    def.dt = TEST_DT;
    def.functions = (dry_room_functions){.before = before, .after = after, .user = w};
    return def;
}

static inline uint64_t lone_hash(dry_world *world, uint64_t push_step, uint64_t steps)
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

#endif
