/* Sums of all fields that are saved, by which two runs of a world are compared.
 *
 * A unit is four bytes of a field, or the rest of one. It has a sum over the rows of its column:
 *
 *     sum = sum over rows of (unit - default) key(row)   (mod 2^64)
 *
 * A field at its default adds nothing. Keys are odd and have 31 bits, of which the highest is set. If two
 * runs differ in one row, then their sums differ by a multiple of its key below 2^32, which names the row and
 * what the unit was in the other run.
 *
 * Next: state/field_sums.c. */
#ifndef STATE_FIELD_SUMS_H
#define STATE_FIELD_SUMS_H

#include "state/column_rows.h"

#define DRY_SUM_ROW_BYTES(ID, type, ...) +sizeof(type)
#define DRY_SUM_ROW_LANES(ID, type, ...) +(sizeof(type) + 15) / 16 * 4
enum {
    DRY_SUM_POINTS_MAX = 4,
    DRY_SUM_UNITS_MAX = 0 DRY_ALL_COLUMNS(DRY_SUM_ROW_BYTES), /* a unit has a byte at least */
    DRY_SUM_MASKS_MAX = (DRY_SUM_POINTS_MAX + 1) * (0 DRY_ALL_COLUMNS(DRY_SUM_ROW_LANES)),
};

/* A unit of a column's rows. */
typedef struct dry_sum_unit {
    uint32_t mask;
    uint16_t offset, bytes;
    uint16_t load;  /* where four bytes of the row begin that have it */
    uint8_t shift;  /* its place in them, bits */
    int8_t point;   /* rows with this point of a contact have it; -1: all */
    uint16_t field; /* of the column */
    int16_t lane;   /* where the sum of a word of its own is; -1: it is none */
} dry_sum_unit;

/* The words of a column's rows that are units, four by four; the last four may begin before the four before
 * them end, and then count once. A word that is none has a mask of 0. */
typedef struct dry_sum_layout {
    int first, end;        /* units of the column */
    int lanes;             /* 0: no row has four words */
    int last;              /* the row's word where the last four begin */
    int masks;             /* by points, `lanes` each: where they are in dry_sum_units.mask */
    int parts, part_count; /* units that are no words of their own: in dry_sum_units.part */
} dry_sum_layout;

/* The units of all columns, in the order of their lists. */
typedef struct dry_sum_units {
    int count;
    dry_sum_layout layout[DRY_COLUMN_COUNT];
    dry_sum_unit unit[DRY_SUM_UNITS_MAX];
    uint32_t mask[DRY_SUM_MASKS_MAX];
    uint16_t part[DRY_SUM_UNITS_MAX];
} dry_sum_units;

/* Finds the units. */
void dry_sum_units_find(dry_sum_units *units);

/* Adds rows [begin, end) of a column to the sums of all units. */
void dry_sum_rows(const dry_sum_units *units, int column, const dry_column_rows *rows, int begin, int end,
                  uint64_t *sums);
/* Computes the sums of a state. */
void dry_sum_state(const dry_sum_units *units, const dry_tables *state, uint64_t *sums);

/* A row whose unit explains why two sums differ. */
typedef struct dry_sum_difference {
    int row;              /* -1: no row by itself does */
    uint32_t here, there; /* the unit in the state given, and in the other one */
} dry_sum_difference;

/* Finds the row in which a state's unit differs from that of another state, whose sum is `there`. */
dry_sum_difference dry_sum_find_row(const dry_sum_units *units, int column, int unit,
                                    const dry_column_rows *rows, uint64_t here, uint64_t there);

#endif
