/* Declares what the tests of saves share: worlds as bytes, and worlds of bytes. */
#ifndef TESTS_SAVED_WORLDS_H
#define TESTS_SAVED_WORLDS_H

#include "tests/test_world.h"

#include "world/world.h"

/* Bytes that grow. */
typedef struct bytes {
    char *at;
    size_t size, room;
} bytes;

static inline bool append(void *user, const void *more, size_t size)
{
    bytes *to = user;
    if (to->size + size > to->room) {
        to->room = 2 * (to->size + size);
        to->at = realloc(to->at, to->room);
        assert_non_null(to->at);
    }
    memcpy(to->at + to->size, more, size);
    to->size += size;
    return true;
}

static inline bytes save_of(const dry_world *world)
{
    bytes b = {0};
    const dry_sink sink = {append, &b};
    const uint64_t allocations = world->memory.allocations;
    assert_ok(dry_world_save(world, NULL, &sink));
    assert_true(world->memory.allocations == allocations);
    return b;
}

static inline void print_line(const char *line, void *user)
{
    (void)user;
    print_message("%s\n", line);
}

/* Loads with another number of threads and on another instruction set, which both turn with `turn`. */
static inline dry_world *loaded(const bytes *b, int turn)
{
    dry_world_def def = test_world_def();
    dry_world *world = NULL;
    dry_load_report report;
    def.threads = 1 + turn % 3;
    def.team = DRY_TEAM_THREADS;
    def.log = (dry_log){print_line, NULL};
    const dry_isa isa = (dry_isa)(DRY_ISA_SCALAR + turn % (DRY_ISA_COUNT - 1));
    def.isa = dry_isa_available(isa) ? isa : DRY_ISA_AUTO;
    assert_ok(dry_world_load(b->at, b->size, &def, NULL, &world, &report));
    assert_true(report.same_bits && report.format == DRY_SAVE_FORMAT);
    return world;
}

static inline void assert_same_bytes(const bytes *a, const bytes *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->at, b->at, a->size);
}

#endif
