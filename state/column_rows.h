/* The rows that a state has of each column: what everything that walks all columns goes through.
 * Next: state/hash.c. */
#ifndef STATE_COLUMN_ROWS_H
#define STATE_COLUMN_ROWS_H

#include "state/state.h"

/* The rows of a column. A row counts if its slot is taken, its bit is set, its proxy is in use: whichever of
 * the three the column has. */
typedef struct dry_column_rows {
    const void *rows;
    size_t stride;
    int count;
    const dry_slots *slots;
    const uint64_t *bits;
    const dry_proxy_flags *proxies;
    const dry_body_state *bodies;         /* rows are known by these bodies' slots */
    const dry_contact_link *points;       /* how many points each row has */
    const dry_listed_material *materials; /* those of no shape do not count, and places are no state */
} dry_column_rows;

/* Finds the rows of all columns, which are valid until the state changes. */
void dry_find_column_rows(const dry_tables *tables, dry_column_rows rows[DRY_COLUMN_COUNT]);

/* Returns the part of a column in the state hash: a sum over its rows. */
uint64_t dry_column_hash(const dry_column *column, const dry_column_rows *rows);

/* Copies values of a size from one stride to another; a stride of 0 repeats one. */
void dry_copy_values(char *to, size_t stride, const char *from, size_t step, int count, size_t size);

static inline char *dry_row_at(const dry_column_rows *column, int row)
{
    return (char *)column->rows + (size_t)row * column->stride;
}

/* Returns whether a row belongs to the state: its slot is taken, its contact or proxy is in use. */
static inline bool dry_row_counts(const dry_column_rows *column, int row)
{
    if (column->slots)
        return dry_slots_is_taken(column->slots, row);
    if (column->bits)
        return column->bits[row / 64] >> row % 64 & 1;
    if (column->materials)
        return column->materials[row].shape >= 0;
    return !column->proxies || (column->proxies[row] & DRY_PROXY_USED);
}

#endif
