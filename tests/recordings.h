/* Declares what the tests of recordings share: recorded worlds, replays, and blocks to change. */
#ifndef TESTS_RECORDINGS_H
#define TESTS_RECORDINGS_H

#include "tests/saved_worlds.h"

#include "snapshot/recording.h"

/* Returns the definition of a world that is recorded into bytes. */
static inline dry_world_def recorded_def(bytes *to)
{
    dry_world_def def = test_world_def();
    def.recording.sink = (dry_sink){append, to};
    return def;
}

/* Begins a replay with another number of threads and on another instruction set, which turn with `turn`. */
static inline dry_replay *replay_of(const bytes *b, int turn, uint64_t from)
{
    dry_world_def def = test_world_def();
    const dry_replay_options options = {.from_step = from};
    const dry_isa isa = (dry_isa)(DRY_ISA_SCALAR + turn % (DRY_ISA_COUNT - 1));
    dry_replay *replay = NULL;
    def.threads = 1 + turn % 3;
    def.team = DRY_TEAM_THREADS;
    def.isa = dry_isa_available(isa) ? isa : DRY_ISA_AUTO;
    def.log = (dry_log){print_line, NULL};
    assert_ok(dry_replay_create(b->at, b->size, &def, &options, &replay));
    return replay;
}

static inline dry_replay_report run_replay(dry_replay *replay)
{
    bool more = true;
    while (more)
        assert_ok(dry_replay_step(replay, &more));
    return dry_replay_get_report(replay);
}

/* Replays a recording of a world, which must end in the world's state. */
static inline void check_replay(const bytes *b, const dry_world *world, int turn, uint64_t from)
{
    dry_replay *replay = replay_of(b, turn, from);
    const dry_replay_report report = run_replay(replay);
    if (report.difference.kind != DRY_DIFFERENCE_NONE)
        fail_msg("%s", report.difference.text);
    assert_true(report.compares_state);
    assert_true(report.step_count == dry_world_step_count(world));
    assert_true(dry_world_hash(dry_replay_world(replay)) == dry_world_hash(world));
    bytes ours = save_of(world), theirs = save_of(dry_replay_world(replay));
    assert_same_bytes(&ours, &theirs);
    free(ours.at);
    free(theirs.at);
    dry_replay_destroy(replay);
}

/* Returns where the next block of a kind begins, from a place on; 0 for none. */
static inline size_t find_block(const bytes *b, size_t at, int kind)
{
    dry_section_header header;
    while (at < b->size) {
        memcpy(&header, b->at + at, sizeof header);
        if (header.kind == kind)
            return at;
        at += sizeof header + header.bytes + 8;
    }
    return 0;
}

static inline size_t end_of_block(const bytes *b, size_t at)
{
    dry_section_header header;
    memcpy(&header, b->at + at, sizeof header);
    return at + sizeof header + header.bytes + 8;
}

/* Makes the checksum of a block right again. */
static inline void repair_block(bytes *b, size_t at)
{
    const size_t size = end_of_block(b, at) - at - 8;
    dry_checksum sum = dry_checksum_begin();
    dry_checksum_add(&sum, b->at + at, size / 8);
    const uint64_t right = dry_checksum_end(&sum);
    memcpy(b->at + at + size, &right, sizeof right);
}

#endif
