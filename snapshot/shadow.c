/* The way back from a copy of columns, and putting it into them. Next: snapshot/shadow_follow.c. */
#include "snapshot/shadow_parts.h"

#include "core/math.h"

/* Calls `visit` with each granule of an undo, its column and its place in the column. */
static void visit_undo(const dry_undo *undo,
                       void (*visit)(void *context, dry_granule *granule, int id, int block, int place),
                       void *context)
{
    for (int at = 0; at < undo->used;) {
        dry_undo_header header;
        memcpy(&header, &undo->granule[at++], sizeof header);
        for (uint64_t left = header.granules; left; left &= left - 1)
            visit(context, &undo->granule[at++], (int)header.column, (int)header.block, dry_lowest_bit(left));
    }
}

static void put_granule(void *context, dry_granule *granule, int id, int block, int place)
{
    dry_shadow *shadow = context;
    dry_granule *to = &shadow->column[id].block[block].granule[place];
    shadow->column[id].changed[block] |= UINT64_C(1) << place;
    shadow->column[id].has_changes = true;
    if (id == DRY_COLUMN_SHAPE_ASSET)
        dry_granule_hold_data(to, false);
    *to = *granule;
}

/* Clears what is behind the rows that a column had. */
static void cut_column(dry_shadow_column *shadow, int id, int count)
{
    const size_t from = (size_t)count * shadow->stride, to = (size_t)shadow->count * shadow->stride;
    if (from < to) {
        char *bytes = shadow->block[0].granule[0].bytes;
        for (size_t at = from; id == DRY_COLUMN_SHAPE_ASSET && at < to; at += shadow->stride) {
            dry_shape_asset asset;
            memcpy(&asset, bytes + at, sizeof asset);
            if (asset.data)
                dry_shape_data_release(asset.data);
        }
        memset(bytes + from, 0, to - from);
    }
    shadow->count = count;
}

void dry_shadow_go_back(dry_shadow *shadow, dry_undo *undo)
{
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        cut_column(&shadow->column[id], id, undo->count[id]);
    visit_undo(undo, put_granule, shadow);
    undo->used = 0;
    undo->holds_data = false;
}

/* Makes the bytes of a column equal to the shadow. */
static void put_column(const dry_shadow_column *shadow, char *live)
{
    const size_t bytes = (size_t)shadow->count * shadow->stride;
    for (size_t begin = 0; begin < bytes; begin += DRY_SHADOW_BLOCK_BYTES) {
        const dry_shadow_block *block = &shadow->block[begin / DRY_SHADOW_BLOCK_BYTES];
        const size_t size = bytes - begin < DRY_SHADOW_BLOCK_BYTES ? bytes - begin : DRY_SHADOW_BLOCK_BYTES;
        if (memcmp(live + begin, block, size) != 0)
            memcpy(live + begin, block, size);
    }
}

/* Does so for a column that differs in what going back has changed alone. */
static void put_changed(const dry_shadow_column *shadow, char *live)
{
    const size_t bytes = (size_t)shadow->count * shadow->stride;
    for (size_t begin = 0; begin < bytes; begin += DRY_SHADOW_BLOCK_BYTES) {
        const size_t block = begin / DRY_SHADOW_BLOCK_BYTES;
        for (uint64_t left = shadow->changed[block]; left; left &= left - 1) {
            const size_t g = (size_t)dry_lowest_bit(left), at = begin + g * DRY_GRANULE_BYTES;
            if (at + DRY_GRANULE_BYTES <= bytes)
                memcpy(live + at, &shadow->block[block].granule[g], DRY_GRANULE_BYTES);
            else if (at < bytes)
                memcpy(live + at, &shadow->block[block].granule[g], bytes - at);
        }
    }
}

void dry_shadow_put_back(dry_shadow *shadow, const dry_column_rows before[DRY_COLUMN_COUNT],
                         const dry_column_rows rows[DRY_COLUMN_COUNT], bool quiet)
{
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        dry_shadow_column *column = &shadow->column[id];
        const size_t stride = rows[id].stride;
        const int count = column->count;
        char *live = (char *)rows[id].rows;
        if (!dry_is_shadowed(id) || dry_table_arrays[id].table == DRY_IN_PROXIES)
            continue;
        if (live && count < before[id].count)
            memset(live + (size_t)count * stride, 0, (size_t)(before[id].count - count) * stride);
        DRY_ASSERT(count == rows[id].count);
        if (!quiet)
            put_column(column, live);
        else if (column->has_changes)
            put_changed(column, live);
    }
}

void dry_shadow_forget_changes(dry_shadow *shadow)
{
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        dry_shadow_column *column = &shadow->column[id];
        if (column->has_changes)
            memset(column->changed, 0, (size_t)column->changed_capacity * sizeof *column->changed);
        column->has_changes = false;
    }
}

/* Returns the first changed granule from a place on; -1: none. */
static int64_t next_granule(const dry_shadow_column *column, int64_t from)
{
    for (int64_t block = from / DRY_BLOCK_GRANULES; block < column->changed_capacity; block++) {
        uint64_t left = column->changed[block];
        if (block == from / DRY_BLOCK_GRANULES)
            left &= UINT64_MAX << from % DRY_BLOCK_GRANULES;
        if (left)
            return block * DRY_BLOCK_GRANULES + dry_lowest_bit(left);
    }
    return -1;
}

bool dry_next_changed(dry_changed_rows *walk)
{
    const dry_shadow_column *column = walk->column;
    walk->row++;
    if (column) {
        if (!column->has_changes || walk->row >= walk->count)
            return false;
        const int64_t stride = (int64_t)column->stride, at = walk->row * stride;
        const int64_t granule = next_granule(column, at / DRY_GRANULE_BYTES);
        if (granule < 0)
            return false;
        walk->row = dry_max_int(walk->row, (int)(granule * DRY_GRANULE_BYTES / stride));
    }
    return walk->row < walk->count;
}

static void drop_granule(void *context, dry_granule *granule, int id, int block, int place)
{
    (void)context, (void)block, (void)place;
    if (id == DRY_COLUMN_SHAPE_ASSET)
        dry_granule_hold_data(granule, false);
}

void dry_undo_note_columns(const dry_undo *undo, bool changed[DRY_COLUMN_COUNT])
{
    for (int at = 0; at < undo->used;) {
        dry_undo_header header;
        memcpy(&header, &undo->granule[at], sizeof header);
        changed[header.column] = true;
        at += 1 + dry_count_bits(header.granules);
    }
}

bool dry_shadow_copy(dry_shadow *copy, dry_memory *memory, const dry_shadow *shadow,
                     const bool which[DRY_COLUMN_COUNT])
{
    *copy = *shadow;
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_shadow_column *from = &shadow->column[id];
        dry_shadow_column *to = &copy->column[id];
        if (!which[id])
            continue;
        to->block = NULL;
        to->block_capacity = 0;
        if (!DRY_RESERVE(memory, to->block, to->block_capacity, from->block_capacity))
            return false;
        if (from->block)
            memcpy(to->block, from->block, (size_t)from->block_capacity * DRY_SHADOW_BLOCK_BYTES);
    }
    return true;
}

static void copy_granule(void *context, dry_granule *granule, int id, int block, int place)
{
    dry_shadow *copy = context;
    copy->column[id].block[block].granule[place] = *granule;
}

void dry_shadow_copy_go_back(dry_shadow *copy, const dry_undo *undo)
{
    visit_undo(undo, copy_granule, copy);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        copy->column[id].count = undo->count[id];
}

void dry_undo_clear(dry_undo *undo)
{
    if (undo->holds_data)
        visit_undo(undo, drop_granule, NULL);
    undo->used = 0;
    undo->holds_data = false;
}

void dry_shadow_release(dry_shadow *shadow, dry_memory *memory)
{
    dry_shadow_column *assets = &shadow->column[DRY_COLUMN_SHAPE_ASSET];
    for (int block = 0; block < assets->block_capacity; block++)
        for (int g = 0; g < DRY_BLOCK_GRANULES; g++)
            dry_granule_hold_data(&assets->block[block].granule[g], false);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        DRY_RELEASE(memory, shadow->column[id].block, shadow->column[id].block_capacity);
        DRY_RELEASE(memory, shadow->column[id].changed, shadow->column[id].changed_capacity);
    }
    *shadow = (dry_shadow){0};
}
