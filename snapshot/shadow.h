/* A copy of the columns of a state, and what brings the copy back to earlier states.
 *
 * A column is compared with its copy in blocks of 2 KiB. The granules of 32 bytes that differ have their old
 * bytes kept and are copied. Rows are bytes here, derived fields included: a state that comes back has all of
 * them. Columns of one row, which are numbers of a table, are not here (state/tables.h has them).
 *
 * Reads: columns. Writes: the copy, and rows where the copy is put back. Next: snapshot/shadow.c,
 * snapshot/shadow_follow.c, snapshot/history.c. */
#ifndef SNAPSHOT_SHADOW_H
#define SNAPSHOT_SHADOW_H

#include "core/memory.h"
#include "state/column_rows.h"

enum { DRY_GRANULE_BYTES = 32, DRY_BLOCK_GRANULES = 64 };

typedef struct dry_granule {
    char bytes[DRY_GRANULE_BYTES];
} dry_granule;

typedef struct dry_shadow_block {
    dry_granule granule[DRY_BLOCK_GRANULES];
} dry_shadow_block;

/* Bytes behind the last row are 0. */
typedef struct dry_shadow_column {
    dry_shadow_block *block;
    uint64_t *changed; /* of each block: granules that going back has changed, until they are put back */
    int block_capacity, changed_capacity;
    int count;        /* rows; 0 of a column that is absent */
    size_t stride;    /* of a row, bytes */
    bool has_changes; /* some bits of `changed` are set */
} dry_shadow_column;

typedef struct dry_shadow {
    dry_shadow_column column[DRY_COLUMN_COUNT];
} dry_shadow;

/* The old bytes of what changed. A header, which fills a granule, is followed by the granules of its block
 * that differ. Data of shapes in it are held by references, as in a shadow. */
typedef struct dry_undo {
    dry_granule *granule;
    int capacity, used;
    bool holds_data;             /* there are references in it */
    int count[DRY_COLUMN_COUNT]; /* rows that each column had */
} dry_undo;

/* The rows that may have changed: marked ones; awake bodies, active contacts and joints, unless the step held
 * bodies and marked all that it wrote; proxies of marked bodies and those in blocks that have moved ones
 * before or after the step; columns that belong to no table. Of other proxies the flags that tell of trees
 * may be others than in the shadow: trees are built anew. */
typedef struct dry_hot_rows {
    const dry_tables *state;
    const uint8_t *moved; /* by block of DRY_SHADOW_PROXIES proxies */
    int moved_count;
    const dry_row_marks *marks;
    bool held;
} dry_hot_rows;
enum { DRY_SHADOW_PROXIES = 512 };

/* Finds what changed since the last call, writes its old bytes into `undo`, which is overwritten, and makes
 * the shadow equal to the columns. Looks at the rows of `hot` alone, or at all if it is null. Returns false
 * if memory fails: then the shadow is of no state and may only be released. */
bool dry_shadow_follow(dry_shadow *shadow, dry_memory *memory, const dry_column_rows rows[DRY_COLUMN_COUNT],
                       const dry_hot_rows *hot, dry_undo *undo);
/* Returns a column whose rows are others than the shadow's, -1 if there is none. Flags of proxies tell of
 * trees, too, which are made anew: they may differ. */
int dry_shadow_find_other(const dry_shadow *shadow, const dry_column_rows rows[DRY_COLUMN_COUNT]);
/* Brings the shadow back to what it was, notes what changes, and empties `undo`. */
void dry_shadow_go_back(dry_shadow *shadow, dry_undo *undo);
/* Makes the columns equal to the shadow. They have room for its rows, and their tables have its numbers. Rows
 * behind the last one, of which there were `before`, become 0, as they are in new room. With `quiet` the
 * columns were those of the shadow before it went back. Proxies stay as they are: trees follow from them. */
void dry_shadow_put_back(dry_shadow *shadow, const dry_column_rows before[DRY_COLUMN_COUNT],
                         const dry_column_rows rows[DRY_COLUMN_COUNT], bool quiet);
/* Forgets what going back has changed. */
void dry_shadow_forget_changes(dry_shadow *shadow);

/* A walk over the rows of a column that going back has changed, by rising row. */
typedef struct dry_changed_rows {
    const dry_shadow_column *column; /* null: all rows */
    int count;                       /* rows that matter */
    int row;                         /* the last one that was found; -1 before the first */
} dry_changed_rows;
/* Finds the next row. Returns false if there is none. */
bool dry_next_changed(dry_changed_rows *walk);

/* Notes which columns an undo changes. */
void dry_undo_note_columns(const dry_undo *undo, bool changed[DRY_COLUMN_COUNT]);
/* Makes a copy of some columns of a shadow, without references. Other columns are those of the shadow: the
 * copy holds as long as that is not changed. Returns false if memory fails; the memory of the copy is
 * released by who owns `memory`. */
bool dry_shadow_copy(dry_shadow *copy, dry_memory *memory, const dry_shadow *shadow,
                     const bool which[DRY_COLUMN_COUNT]);
/* Brings such a copy back, of which the columns that `undo` changes are copied; `undo` stays. */
void dry_shadow_copy_go_back(dry_shadow *copy, const dry_undo *undo);

/* Drops the references that an undo holds, and empties it. */
void dry_undo_clear(dry_undo *undo);
/* Releases a shadow with its references. */
void dry_shadow_release(dry_shadow *shadow, dry_memory *memory);

#endif
