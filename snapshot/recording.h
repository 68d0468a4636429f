/* The bytes of a recording, little-endian:
 *
 *     header | block | block | ... | block END
 *
 * A block is a section of snapshot/format.h: header, bytes, checksum. A recording that was cut lacks its end,
 * and is sound up to the last whole block.
 *
 *     FIELDS   for each field that has sums: number of its column, its number, its units, 0: 16 bits each
 *     DATA     the data of a shape, before the first block that needs them
 *     SAVE     steps done | a save without shape data
 *     CALL     bytes of the arguments | arguments, filled up to a word | sums of what the call has changed
 *     STEP     result, dt | steps done after it | hashes of stages, if there are any | sums, if there are any
 *     END      nothing; its header counts the blocks
 *
 * Sums are those of state/field_sums.h, in the order of block FIELDS: for each 64 of them a word with the set
 * of those that are not 0, and then these. The first blocks are FIELDS, DATA and SAVE.
 *
 * Next: snapshot/record.c, host/replay/blocks.c. */
#ifndef SNAPSHOT_RECORDING_H
#define SNAPSHOT_RECORDING_H

#include "snapshot/format.h"

#define DRY_RECORDING_MAGIC UINT64_C(0x6472636572726400) /* "\0drrecrd", read from its end */

/* Kinds of blocks, beside DRY_SECTION_DATA and DRY_SECTION_END. */
enum { DRY_BLOCK_FIELDS = 16, DRY_BLOCK_SAVE = 17, DRY_BLOCK_CALL = 18, DRY_BLOCK_STEP = 19 };

/* Why there is a save, in `number` of its header. */
enum {
    DRY_SAVE_FIRST = 0,
    DRY_SAVE_PERIODIC = 1,
    DRY_SAVE_RESTORED = 2,
    DRY_SAVE_STOPPED = 3,
    DRY_SAVE_REASONS
};

/* Bits of `fields` in the header of a step. */
enum { DRY_STEP_HAS_STAGES = 1, DRY_STEP_HAS_SUMS = 2 };

typedef struct dry_field_units {
    uint16_t column, field, units, zero;
} dry_field_units;

typedef struct dry_step_block {
    uint32_t result;
    float dt;
    uint64_t step_count;
} dry_step_block;

_Static_assert(sizeof(dry_field_units) == 8 && sizeof(dry_step_block) == 16, "no padding");

#endif
