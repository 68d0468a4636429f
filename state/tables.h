/* Tables apart from a world: what a save is read into.
 *
 * Reads: nothing. Writes: memory. Next: snapshot/read.h, snapshot/restore.h. */
#ifndef STATE_TABLES_H
#define STATE_TABLES_H

#include "state/column_rows.h"

#include <string.h>

/* The number of rows of each table, and which rare columns there are: by column. */
typedef struct dry_table_sizes {
    int bodies, body_slots, shapes, proxies, contacts, joints, sleep_changes, pending_ends, slabs, materials,
        leases;
    int contacts_to_come; /* room for so many more contacts */
    bool has[DRY_COLUMN_COUNT];
} dry_table_sizes;

/* The array of a column: where it, its room and the number of its rows are in dry_tables. */
typedef struct dry_table_array {
    enum { DRY_IN_BODIES, DRY_IN_SHAPES, DRY_IN_PROXIES, DRY_IN_CONTACTS, DRY_IN_JOINTS, DRY_IN_NONE } table;
    bool rare;    /* the column may be absent */
    bool set;     /* its rows are words of a set of contacts */
    size_t bytes; /* of a row */
    size_t array, capacity, count;
    size_t room; /* where dry_table_sizes has the number of its rows */
} dry_table_array;
/* By column. One without an array has rows of no bytes: a table's numbers, settings and so on, leases. */
extern const dry_table_array dry_table_arrays[DRY_COLUMN_COUNT];

static inline void *dry_array_of(const dry_tables *tables, const dry_table_array *a)
{
    void *array;
    memcpy(&array, (const char *)tables + a->array, sizeof array);
    return array;
}

/* Returns the number that lies at an offset of tables, or of their sizes. */
static inline int dry_count_at(const void *from, size_t offset)
{
    int count;
    memcpy(&count, (const char *)from + offset, sizeof count);
    return count;
}

/* Begins tables without rows. */
void dry_tables_init(dry_tables *tables);
/* Returns the bytes that rows of such numbers take. */
uint64_t dry_tables_bytes(const dry_table_sizes *sizes);
/* Makes room for rows, and sets their numbers; all rows have their defaults, and no slot is taken. Tables
 * must have been begun. Returns false if memory fails. */
bool dry_tables_reserve(dry_tables *tables, dry_memory *memory, const dry_table_sizes *sizes);
/* Releases the memory of tables. */
void dry_tables_release(dry_tables *tables, dry_memory *memory);
/* Gives tables the arrays that others have now; numbers stay. Rare columns that the tables lack are released,
 * and have had their references dropped. */
void dry_tables_take_arrays(dry_tables *tables, dry_tables *others, dry_memory *memory);
/* Points the arrays of columns that tables have to the rows of other ones, by column. */
void dry_tables_point(dry_tables *tables, void *const rows[DRY_COLUMN_COUNT]);

#endif
