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

enum { DRY_SUM_POINTS_MAX = 4 };

/* A unit of a column's rows. */
typedef struct dry_sum_unit {
    uint16_t offset, bytes;
    uint32_t mask;
    int8_t point;         /* rows with this point of a contact have it; -1: all */
    uint16_t field, part; /* of the column; of the field, from 0 */
} dry_sum_unit;

/* The units of all columns, in the order of their lists. */
typedef struct dry_sum_units {
    dry_sum_unit *unit;
    int count;
    int first[DRY_COLUMN_COUNT + 1]; /* of each column, and the end */
} dry_sum_units;

/* Returns how many units all columns have together. */
int dry_sum_unit_count(void);
/* Finds the units, for which `unit` has room. */
void dry_sum_units_find(dry_sum_units *units, dry_sum_unit *unit);

/* Adds rows [begin, end) of a column to the sums of its units, of which sums[0] is the first. */
void dry_sum_rows(const dry_sum_units *units, int column, const dry_column_rows *rows, int begin, int end,
                  uint64_t *sums);
/* Computes the sums of a state. */
void dry_sum_state(const dry_sum_units *units, const dry_state *state, uint64_t *sums);

/* A row whose unit explains why two sums differ. */
typedef struct dry_sum_difference {
    int row;              /* -1: no row by itself does */
    uint32_t here, there; /* the unit in the state given, and in the other one */
} dry_sum_difference;

/* Finds the row in which a state's unit differs from that of another state, whose sum is `there`. */
dry_sum_difference dry_sum_find_row(const dry_sum_units *units, int unit, const dry_column_rows *rows,
                                    uint64_t here, uint64_t there);

#endif
