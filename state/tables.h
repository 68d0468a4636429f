/* All tables of a state by themselves, apart from a world: what a save is read into.
 *
 * Reads: nothing. Writes: memory. Next: snapshot/read.h, snapshot/restore.h. */
#ifndef STATE_TABLES_H
#define STATE_TABLES_H

#include "state/column_rows.h"

typedef struct dry_tables {
    dry_bodies bodies;
    dry_shapes shapes;
    dry_proxies proxies;
    dry_contacts contacts;
    dry_joints joints;
    dry_settings settings;
    int32_t *sleep_changes;
    int sleep_changes_capacity, sleep_change_count;
    dry_pending_events pending;
    uint16_t *slabs;
    int slabs_capacity;
    dry_schedule_state schedule;
    dry_world_numbers world;
    dry_leases leases;
} dry_tables;

/* The number of rows of each table, and which rare columns there are: by column. */
typedef struct dry_table_sizes {
    int bodies, body_slots, shapes, proxies, contacts, joints, sleep_changes, pending_ends, slabs, materials,
        leases;
    int contacts_to_come; /* room for so many more contacts */
    bool has[DRY_COLUMN_COUNT];
} dry_table_sizes;

/* Columns that are one row with a place of its own: a table's numbers, settings and so on. */
extern const bool dry_column_is_single[DRY_COLUMN_COUNT];

/* Begins tables without rows. */
void dry_tables_init(dry_tables *tables);
/* Returns the bytes that rows of such numbers take. */
uint64_t dry_tables_bytes(const dry_table_sizes *sizes);
/* Makes room for rows, and sets their numbers; all rows have their defaults, and no slot is taken. Tables
 * must have been begun. Returns false if memory fails. */
bool dry_tables_reserve(dry_tables *tables, dry_memory *memory, const dry_table_sizes *sizes);
/* Releases the memory of tables. */
void dry_tables_release(dry_tables *tables, dry_memory *memory);
/* Returns the view of tables. */
dry_state dry_tables_state(const dry_tables *tables);
/* Gives tables the arrays that others have now; numbers stay. Rare columns that the tables lack are released,
 * and have had their references dropped. */
void dry_tables_take_arrays(dry_tables *tables, dry_tables *others, dry_memory *memory);
/* Points the arrays of columns that tables have to the rows of other ones, by column. */
void dry_tables_point(dry_tables *tables, void *const rows[DRY_COLUMN_COUNT]);
/* Finds the rows of all columns, which may be written. */
void dry_tables_find_rows(dry_tables *tables, dry_column_rows rows[DRY_COLUMN_COUNT]);

#endif
