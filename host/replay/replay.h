/* Declarations that the files of a replay share: the bytes, the world that is made of them, and what differs.
 *
 * Reads: a recording, of which nothing is trusted. Writes: a world, a report. Next: host/replay/replay.c. */
#ifndef HOST_REPLAY_REPLAY_H
#define HOST_REPLAY_REPLAY_H

#include "core/memory.h"
#include "snapshot/call_bytes.h"
#include "snapshot/recording.h"

#include <drystone/recording.h>

/* A block, between its header and its checksum. */
typedef struct dry_block {
    dry_section_header header;
    const char *bytes;
    size_t size;
    size_t at, next; /* places of the block and the one behind it */
} dry_block;

/* Shape data of the recording: a table of twice as many places, found by their hash from where its bits say.
 */
typedef struct dry_replay_data {
    dry_shape_data **data;
    size_t capacity; /* a power of 2 */
} dry_replay_data;

struct dry_replay {
    dry_memory memory;
    dry_allocator allocator;
    dry_log log;
    dry_replay_options options;
    const char *bytes;
    size_t size, end; /* bytes given, and those of whole blocks */
    size_t at;        /* the next block */
    dry_replay_data shapes;
    dry_world *world;

    /* Sums: of the recording, of which each is that of a unit here, or -1; and of the world. */
    dry_sum_units units;
    int32_t *unit_of;
    int recorded;
    uint64_t *there;
    uint64_t here[DRY_SUM_UNITS_MAX];

    bool has_stages, done;
    uint64_t call; /* since the last step */
    uint64_t step; /* of the present call: the next one */
    dry_replay_report report;
};

/* blocks.c */

/* Writes a line to the log; returns `result`. */
dry_result dry_replay_fail(const dry_replay *replay, dry_result result, const char *format, ...)
    DRY_PRINTF(3, 4);
/* Reads the block at a place. Returns false at the end of the whole blocks. */
bool dry_replay_block(const dry_replay *replay, size_t at, dry_block *block);
/* Checks all blocks, and finds where the whole ones end. */
dry_result dry_replay_check_blocks(dry_replay *replay);
/* Reads block FIELDS. */
dry_result dry_replay_read_fields(dry_replay *replay);
/* Makes the shape data of all blocks. */
dry_result dry_replay_read_data(dry_replay *replay);
/* Returns data with a hash: of the recording, or of the caller; null if there are none. */
dry_shape_data *dry_replay_find_data(void *replay, uint64_t hash);
void dry_replay_release_data(dry_replay *replay);
/* Reads a sequence of sums, as many as block FIELDS has. Returns false if there are others. */
bool dry_replay_read_sums(dry_replay *replay, const char *bytes, size_t size);

/* arguments.c */

typedef struct dry_argument_reader {
    const char *at;
    size_t left;
    dry_memory *memory; /* holds the elements of the call */
    dry_replay *replay; /* has the data of shapes */
    const char *fault;  /* null: none so far */
    bool no_memory;
} dry_argument_reader;

/* Arguments that were read. */
typedef struct dry_read_arguments {
    void *argument[DRY_ARGUMENTS_MAX];       /* as the call takes them; results have room of their own */
    const void *recorded[DRY_ARGUMENTS_MAX]; /* results as they were recorded; null: no result */
    uint64_t value[DRY_ARGUMENTS_MAX][8];    /* room for values */
    int64_t elements;
} dry_read_arguments;

/* Reads the arguments of a call. Returns false with the reader's fault, or without memory. */
bool dry_replay_read_call(dry_argument_reader *r, const dry_call *call, dry_read_arguments *read);

/* calls.c */

/* Makes a call of the list, with pointers to its arguments. */
dry_result dry_replay_make_call(dry_world *world, dry_call_id id, void *const *arguments);

/* differences.c */

/* Notes that sums differ, of which `here` are those of the world; returns whether they do. */
bool dry_replay_compare_sums(dry_replay *replay, dry_difference_kind kind);
/* Writes the text of the report's difference. */
void dry_replay_describe(dry_replay *replay, const char *what);

#endif
