/* Reading the bytes of a save: its sections, then its columns into tables.
 *
 * Reads: bytes, of which nothing is trusted. Writes: tables. Facts that span columns are checked in
 * snapshot/restore.c. Next: snapshot/read.c, snapshot/decode.c. */
#ifndef SNAPSHOT_READ_H
#define SNAPSHOT_READ_H

#include "snapshot/format.h"
#include "state/tables.h"

#include <string.h>

/* The fault of a save. */
typedef struct dry_save_fault {
    const char *section; /* the name of its column, or another word */
    const char *field;   /* null: none */
    int64_t row;         /* -1: none */
    const char *text;    /* null: nothing is wrong */
} dry_save_fault;

/* Notes a fault; returns false. */
bool dry_save_fail(dry_save_fault *fault, const char *section, const char *field, int64_t row,
                   const char *text);

/* A section of a column, between its header and its checksum. */
typedef struct dry_saved_column {
    const char *bytes; /* null: the save has no such section */
    size_t size;
    uint32_t fields, rows, present;
} dry_saved_column;

/* A section of shape data, or of a program. */
typedef struct dry_saved_data {
    const char *bytes;
    size_t size;
} dry_saved_data;

typedef struct dry_saved {
    const char *bytes;
    size_t size;
    dry_save_header header;
    dry_saved_column column[DRY_COLUMN_COUNT];
    uint32_t data_count;
    dry_saved_data program; /* its own bytes; null: none */
} dry_saved;

/* Finds the next field of a column's section, whose fields end at `end`. Returns its values, and moves *at
 * behind them; null if the section ends before. */
const char *dry_next_field(const char **at, const char *end, dry_field_header *field);

/* The rows of a column that its section has. */
typedef struct dry_saved_rows {
    const dry_column_rows *rows;
    int count;       /* of all rows */
    bool all;        /* the section has all rows */
    const char *set; /* else a bit for each row that it has; null: those that count */
} dry_saved_rows;

static inline bool dry_row_is_saved(const dry_saved_rows *saved, int row)
{
    uint64_t word;
    if (saved->all || !saved->set)
        return saved->all || dry_row_counts(saved->rows, row);
    memcpy(&word, saved->set + row / 64 * 8, sizeof word);
    return word >> row % 64 & 1;
}

/* Finds the next run of such rows, from *end on. Returns false after the last. */
bool dry_next_run(const dry_saved_rows *saved, int *begin, int *end);

/* Finds the sections, and checks their checksums. Returns false with the fault, of a newer format, too: then
 * `header` has it. */
bool dry_saved_find(const void *bytes, size_t size, dry_saved *saved, dry_save_fault *fault);
/* Finds the next section of shape data; *at is 0 at first. Returns false after the last. */
bool dry_saved_next_data(const dry_saved *saved, size_t *at, dry_saved_data *data);
/* Takes or drops the references that shapes have to their data. */
void dry_shapes_hold_data(const dry_shapes *shapes, bool hold);
/* Finds how many rows the tables have; contacts_to_come stay. Returns false with the fault. */
bool dry_saved_sizes(const dry_saved *saved, dry_table_sizes *sizes, dry_save_fault *fault);
/* Reads all columns into tables of those sizes. Numbers are no NaN, truth values are 0 or 1, and the rows
 * that count are those that slots, flags and sets tell. Returns false with the fault. */
bool dry_saved_read(const dry_saved *saved, dry_tables *tables, dry_save_fault *fault);

#endif
