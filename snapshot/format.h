/* The bytes of a save, little-endian:
 *
 *     header | section | section | ... | section END
 *
 *     section of a column      header | set of rows, unless all count | field | field | ... | checksum
 *     field                    header | values, one after the other
 *     section of shape data    header | the bytes of dry_shape_data_save | checksum
 *     section of a program     header | its bytes, filled up to a word | checksum
 *
 * Everything begins at a multiple of 8 bytes from the beginning. Columns and fields have the numbers of the
 * lists in state/, so that neither the order of a list nor the layout of a struct decides a byte. A field at
 * its default in all rows is left out; one with the same value in all rows has it once. Of an array by points
 * each element is a field by itself, with the values of the rows that have the point.
 *
 * Next: snapshot/write.h, snapshot/read.h. */
#ifndef SNAPSHOT_FORMAT_H
#define SNAPSHOT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "saved bytes are those of a little-endian machine"
#endif

#define DRY_SAVE_MAGIC UINT64_C(0x6576617379726400) /* "\0drysave", read from its end */

typedef struct dry_save_header {
    uint64_t magic;
    uint32_t format;     /* DRY_SAVE_FORMAT */
    uint32_t arithmetic; /* DRY_ARITHMETIC_REVISION */
    uint64_t zero;
} dry_save_header;

/* Kinds of sections. */
enum { DRY_SECTION_COLUMN = 1, DRY_SECTION_DATA = 2, DRY_SECTION_PROGRAM = 3, DRY_SECTION_END = 255 };
/* Is added to the kind of a column that a reader may skip if it does not know it: no step reads it. */
enum { DRY_SECTION_MAY_BE_SKIPPED = 256 };

typedef struct dry_section_header {
    uint16_t kind, number; /* DRY_SECTION_...; of the column */
    uint32_t fields;       /* that follow */
    uint32_t rows;         /* of the column; of END: the number of sections before */
    uint32_t present;      /* rows that count; of PROGRAM: bytes that fill up the last word */
    uint64_t bytes;        /* between this header and the checksum */
} dry_section_header;

enum { DRY_FIELD_ONE = 1, DRY_FIELD_EACH = 2 };
enum { DRY_FIELD_MAY_BE_SKIPPED = 1 /* by a reader that does not know it: no step reads it */ };

typedef struct dry_field_header {
    uint16_t number;
    uint8_t kind, flags; /* one value, or one for each row */
    uint16_t element;    /* of an array by points; else 0 */
    uint16_t size;       /* of a value, bytes */
    uint32_t count;      /* of values */
    uint32_t zero;
} dry_field_header;

_Static_assert(sizeof(dry_save_header) == 24 && sizeof(dry_section_header) == 24 &&
                   sizeof(dry_field_header) == 16,
               "headers have no padding");

/* Returns the bytes of the set of a column's rows. */
static inline size_t dry_set_bytes(uint32_t rows, uint32_t present)
{
    return present == rows ? 0 : ((size_t)rows + 63) / 64 * 8;
}

/* Returns the bytes of the values of a field. */
static inline uint64_t dry_values_bytes(const dry_field_header *field)
{
    return ((uint64_t)field->count * field->size + 7) & ~UINT64_C(7);
}

/* A checksum of words of 8 bytes, in four lanes that take turns. Every word that changes alone changes its
 * lane: a step is a product with an odd number and a shift that can be undone. */
typedef struct dry_checksum {
    uint64_t lane[4];
    uint64_t words;
} dry_checksum;

static inline dry_checksum dry_checksum_begin(void)
{
    return (dry_checksum){{1, 2, 3, 4}, 0};
}

void dry_checksum_add(dry_checksum *sum, const void *bytes, size_t words);
uint64_t dry_checksum_end(const dry_checksum *sum);

#endif
