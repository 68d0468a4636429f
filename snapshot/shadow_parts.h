/* Parts that the files of shadows share: blocks of an undo, and references to data of shapes. Next:
 * snapshot/shadow.c, snapshot/shadow_follow.c. */
#ifndef SNAPSHOT_SHADOW_PARTS_H
#define SNAPSHOT_SHADOW_PARTS_H

#include "snapshot/shadow.h"
#include "state/tables.h"

#include <drystone/shape_data.h>
#include <string.h>

#define DRY_SHADOW_BLOCK_BYTES sizeof(dry_shadow_block)

/* The header of a block in an undo. */
typedef struct dry_undo_header {
    uint64_t granules; /* bit g: granule g of the block follows */
    uint32_t block;
    uint32_t column;
    uint64_t zero[2];
} dry_undo_header;
_Static_assert(sizeof(dry_undo_header) == DRY_GRANULE_BYTES, "a header fills a granule");
_Static_assert(DRY_GRANULE_BYTES % sizeof(dry_shape_asset) == 0, "a granule has whole references");

/* Tells whether a shadow has a column. Numbers that a world has drawn are input: they stay drawn when it goes
 * back. */
static inline bool dry_is_shadowed(int id)
{
    return dry_table_arrays[id].bytes > 0;
}

/* Takes or drops a reference of each of the data of shapes in a granule. */
static inline void dry_granule_hold_data(const dry_granule *granule, bool hold)
{
    dry_shape_asset asset[DRY_GRANULE_BYTES / sizeof(dry_shape_asset)];
    memcpy(asset, granule, sizeof asset);
    for (size_t i = 0; i < sizeof asset / sizeof *asset; i++) {
        if (asset[i].data && hold)
            dry_shape_data_retain(asset[i].data);
        else if (asset[i].data)
            dry_shape_data_release(asset[i].data);
    }
}

#endif
