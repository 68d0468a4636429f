/* Declares what the tests of saves share: worlds as bytes, and worlds of bytes. */
#ifndef TESTS_SAVED_WORLDS_H
#define TESTS_SAVED_WORLDS_H

#include "tests/scene_worlds.h"

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
    if (size > 0) /* `more` may be null without bytes */
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

/* Tells whether two events of a kind are the same, field by field: structs have padding. */
static inline bool is_same_hit(const dry_hit_event *a, const dry_hit_event *b)
{
    return a->shape_a.bits == b->shape_a.bits && a->shape_b.bits == b->shape_b.bits &&
           a->body_a.bits == b->body_a.bits && a->body_b.bits == b->body_b.bits &&
           a->shape_user_data_a == b->shape_user_data_a && a->shape_user_data_b == b->shape_user_data_b &&
           a->body_user_data_a == b->body_user_data_a && a->body_user_data_b == b->body_user_data_b &&
           a->child_a == b->child_a && a->child_b == b->child_b && a->triangle_a == b->triangle_a &&
           a->triangle_b == b->triangle_b && a->material_a == b->material_a &&
           a->material_b == b->material_b && memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && a->speed_m_s == b->speed_m_s;
}

static inline bool is_same_joint(const dry_joint_event *a, const dry_joint_event *b)
{
    return a->joint.bits == b->joint.bits && a->user_data == b->user_data && a->broken == b->broken &&
           a->force_N == b->force_N && a->torque_Nm == b->torque_Nm && a->peak_force_N == b->peak_force_N;
}

static inline bool is_same_conflict(const dry_conflict_event *a, const dry_conflict_event *b)
{
    return a->joint.bits == b->joint.bits && a->user_data == b->user_data && a->error == b->error;
}

/* Compares what a step tells. */
static inline void assert_same_events(const dry_world *a, const dry_world *b)
{
    const dry_events x = dry_world_events(a), y = dry_world_events(b);
    assert_int_equal(x.contact_begin_count, y.contact_begin_count);
    assert_int_equal(x.contact_end_count, y.contact_end_count);
    assert_int_equal(x.hit_count, y.hit_count);
    assert_int_equal(x.moved_count, y.moved_count);
    assert_int_equal(x.sleep_count, y.sleep_count);
    assert_int_equal(x.quarantine_count, y.quarantine_count);
    assert_int_equal(x.joint_count, y.joint_count);
    assert_int_equal(x.conflict_count, y.conflict_count);
#define SAME(array, count)                                                                                   \
    if (x.count)                                                                                             \
    assert_memory_equal(x.array, y.array, (size_t)x.count * sizeof *x.array)
    SAME(contact_begins, contact_begin_count);
    SAME(contact_ends, contact_end_count);
    SAME(moved, moved_count);
    SAME(sleeps, sleep_count);
    SAME(quarantines, quarantine_count);
#undef SAME
    for (int i = 0; i < x.hit_count; i++)
        assert_true(is_same_hit(&x.hits[i], &y.hits[i]));
    for (int i = 0; i < x.joint_count; i++)
        assert_true(is_same_joint(&x.joints[i], &y.joints[i]));
    for (int i = 0; i < x.conflict_count; i++)
        assert_true(is_same_conflict(&x.conflicts[i], &y.conflicts[i]));
}

static inline void assert_same_bytes(const bytes *a, const bytes *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->at, b->at, a->size);
}

#endif
