/* A save as what differs from another one.
 *
 * A delta is a header, and code that makes the bytes of one save from those of another. A section that is the
 * next one of the other save takes a byte, 0. Other sections follow a 1 and their column's number, and are
 * walked piece by piece: their header, the set of their rows, and of each field its header and its values.
 * Each piece has a partner in the other save, the piece of the same field. Of the words of 4 bytes that
 * differ, the exclusive or is written without its leading zero bytes:
 *
 *     piece   1 byte: 0 if it is its partner; else 1, and for each 32 words
 *                 mask of those that differ, 4 bytes | 2 bits for each of these, their bytes - 1 | bytes
 *
 * One walk both writes and reads, so that the two cannot differ. Reading trusts nothing: bytes that come out
 * are a save, which is checked as any other.
 *
 * Reads: saves. Writes: bytes. Next: snapshot/delta.c, api/deltas.c. */
#ifndef SNAPSHOT_DELTA_H
#define SNAPSHOT_DELTA_H

#include "snapshot/read.h"

#define DRY_DELTA_MAGIC UINT64_C(0x746c656479726400) /* "\0drydelt", read from its end */

typedef struct dry_delta_header {
    uint64_t magic;
    uint32_t format, arithmetic;   /* as of a save */
    uint64_t base_step;            /* of the state that the delta begins with */
    uint64_t base_sum, sum;        /* checksums of the two saves, without data of shapes */
    uint64_t base_leases;          /* of the earlier state */
    uint64_t base_bytes, bytes;    /* sizes of the two saves */
    uint64_t code_bytes, code_sum; /* what follows, filled up to a word */
} dry_delta_header;
_Static_assert(sizeof(dry_delta_header) == 80, "a header has no padding");

/* Returns a checksum of bytes. */
uint64_t dry_delta_sum(const void *bytes, size_t size);
/* Returns a checksum of a save that takes the words of its sections from their own checksums, which must be
 * right. Reads nothing outside of `size` bytes, whatever they are. */
uint64_t dry_delta_sum_of_save(const char *save, size_t size);
/* Returns the most bytes that the code of a save of `size` bytes takes, filled up to a word. */
size_t dry_delta_code_max(size_t size);
/* Writes the code of a save beside another one, filled up to a word with zeros. Returns its bytes; 0 if the
 * sections are not those of a save. */
size_t dry_delta_encode(const dry_saved *base, const void *save, size_t size, char *code);
/* Makes a save of `size` bytes from another one and code. Returns false if the code is none for these. */
bool dry_delta_decode(const dry_saved *base, const void *code, size_t code_size, char *save, size_t size);

#endif
