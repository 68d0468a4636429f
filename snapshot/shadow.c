/* Columns beside their copy: what differs, and putting it back. */
#include "snapshot/shadow.h"

#include "core/assert.h"
#include "state/tables.h"

#include <drystone/shape_data.h>
#include <string.h>

#define BLOCK_BYTES sizeof(dry_shadow_block)

/* The header of a block in an undo. */
typedef struct undo_header {
    uint64_t granules; /* bit g: granule g of the block follows */
    uint32_t block;
    uint32_t column;
    uint64_t zero[2];
} undo_header;
_Static_assert(sizeof(undo_header) == DRY_GRANULE_BYTES, "a header fills a granule");
_Static_assert(DRY_GRANULE_BYTES % sizeof(dry_shape_asset) == 0, "a granule has whole references");

/* Takes or drops a reference of each of the data of shapes in a granule. */
static void hold_data(const dry_granule *granule, bool hold)
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

/* Tells whether a shadow has a column. Numbers that a world has drawn are input: they stay drawn when it goes
 * back. */
static bool is_shadowed(int id)
{
    return !dry_column_is_single[id] && id != DRY_COLUMN_LEASE;
}

static inline bool differ(const dry_granule *a, const dry_granule *b)
{
    uint64_t x[4], y[4];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) != 0;
}

/* Returns the granules of a block that differ from another. */
static uint64_t find_changed(const dry_shadow_block *a, const dry_shadow_block *b)
{
    uint64_t changed = 0;
    for (int g = 0; g < DRY_BLOCK_GRANULES; g++)
        changed |= (uint64_t)differ(&a->granule[g], &b->granule[g]) << g;
    return changed;
}

/* Returns the granules of a block that have bytes at or beyond a place, counted from the block's begin. */
static uint64_t granules_from(int64_t place)
{
    const int64_t first = place <= 0 ? 0 : place / DRY_GRANULE_BYTES;
    return first >= DRY_BLOCK_GRANULES ? 0 : UINT64_MAX << first;
}

/* Returns the granules of a block that have bytes before a place. */
static uint64_t granules_before(int64_t place)
{
    return place <= 0 ? 0 : ~granules_from(place + DRY_GRANULE_BYTES - 1);
}

/* Writes the old granules of a block. Returns false if memory fails. */
static bool write_undo(dry_undo *undo, dry_memory *memory, int column, int block, uint64_t granules,
                       const dry_shadow_block *old)
{
    const undo_header header = {.granules = granules, .block = (uint32_t)block, .column = (uint32_t)column};
    const int needed = undo->used + 1 + __builtin_popcountll(granules);
    if (granules == 0)
        return true;
    if (!DRY_RESERVE(memory, undo->granule, undo->capacity, needed))
        return false;
    memcpy(&undo->granule[undo->used++], &header, sizeof header);
    for (uint64_t left = granules; left; left &= left - 1)
        undo->granule[undo->used++] = old->granule[__builtin_ctzll(left)];
    return true;
}

/* A column on its way into its shadow. */
typedef struct column_follower {
    dry_shadow_column *shadow;
    const char *live;
    int64_t old_bytes, new_bytes;
    int id;
} column_follower;

/* Follows one block. Returns false if memory fails. */
static bool follow_block(const column_follower *f, dry_memory *memory, int block, dry_undo *undo)
{
    const int64_t begin = (int64_t)block * (int64_t)BLOCK_BYTES;
    const int64_t old_bytes = f->old_bytes - begin, new_bytes = f->new_bytes - begin;
    dry_shadow_block *old = &f->shadow->block[block], padded;
    const dry_shadow_block *now = &padded;
    if (new_bytes >= (int64_t)BLOCK_BYTES) {
        now = (const dry_shadow_block *)(f->live + begin);
    } else {
        memset(&padded, 0, sizeof padded);
        if (new_bytes > 0)
            memcpy(&padded, f->live + begin, (size_t)new_bytes);
    }
    /* Rows that went are kept whatever they had. */
    const uint64_t gone =
        new_bytes < old_bytes ? granules_from(new_bytes) & granules_before(old_bytes) : UINT64_C(0);
    if (gone == 0 && memcmp(old, now, BLOCK_BYTES) == 0)
        return true;
    const uint64_t changed = find_changed(old, now) | gone, kept = changed & granules_before(old_bytes);
    if (!write_undo(undo, memory, f->id, block, kept, old))
        return false;
    for (uint64_t left = changed; left; left &= left - 1) {
        const int g = __builtin_ctzll(left);
        old->granule[g] = now->granule[g];
        if (f->id == DRY_COLUMN_SHAPE_ASSET)
            hold_data(&old->granule[g], true);
    }
    return true;
}

static bool follow_column(dry_shadow_column *shadow, dry_memory *memory, int id, const dry_column_rows *rows,
                          dry_undo *undo)
{
    const column_follower f = {.shadow = shadow,
                               .live = rows->rows,
                               .old_bytes = (int64_t)shadow->count * (int64_t)rows->stride,
                               .new_bytes = (int64_t)rows->count * (int64_t)rows->stride,
                               .id = id};
    const int64_t most = f.old_bytes > f.new_bytes ? f.old_bytes : f.new_bytes;
    const int blocks = (int)((most + (int64_t)BLOCK_BYTES - 1) / (int64_t)BLOCK_BYTES);
    shadow->stride = rows->stride;
    if (!DRY_RESERVE(memory, shadow->block, shadow->block_capacity, blocks))
        return false;
    for (int block = 0; block < blocks; block++)
        if (!follow_block(&f, memory, block, undo))
            return false;
    shadow->count = rows->count;
    return true;
}

bool dry_shadow_follow(dry_shadow *shadow, dry_memory *memory, const dry_column_rows rows[DRY_COLUMN_COUNT],
                       dry_undo *undo)
{
    DRY_ASSERT(undo->used == 0);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        undo->count[id] = shadow->column[id].count;
        if (is_shadowed(id) && !follow_column(&shadow->column[id], memory, id, &rows[id], undo))
            return false;
    }
    return true;
}

/* Calls `visit` with each granule of an undo, its column and its place in the column. */
static void visit_undo(const dry_undo *undo,
                       void (*visit)(void *context, dry_granule *granule, int id, int block, int place),
                       void *context)
{
    for (int at = 0; at < undo->used;) {
        undo_header header;
        memcpy(&header, &undo->granule[at++], sizeof header);
        for (uint64_t left = header.granules; left; left &= left - 1)
            visit(context, &undo->granule[at++], (int)header.column, (int)header.block,
                  __builtin_ctzll(left));
    }
}

static void put_granule(void *context, dry_granule *granule, int id, int block, int place)
{
    dry_shadow *shadow = context;
    dry_granule *to = &shadow->column[id].block[block].granule[place];
    if (id == DRY_COLUMN_SHAPE_ASSET)
        hold_data(to, false);
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
}

/* Makes the bytes of a column equal to the shadow. */
static void put_column(const dry_shadow_column *shadow, char *live)
{
    const size_t bytes = (size_t)shadow->count * shadow->stride;
    for (size_t begin = 0; begin < bytes; begin += BLOCK_BYTES) {
        const dry_shadow_block *block = &shadow->block[begin / BLOCK_BYTES];
        const size_t size = bytes - begin < BLOCK_BYTES ? bytes - begin : BLOCK_BYTES;
        if (memcmp(live + begin, block, size) != 0)
            memcpy(live + begin, block, size);
    }
}

void dry_shadow_put_back(const dry_shadow *shadow, const dry_column_rows before[DRY_COLUMN_COUNT],
                         const dry_column_rows rows[DRY_COLUMN_COUNT])
{
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const size_t stride = rows[id].stride;
        const int count = shadow->column[id].count;
        char *live = (char *)rows[id].rows;
        if (!is_shadowed(id))
            continue;
        if (live && count < before[id].count)
            memset(live + (size_t)count * stride, 0, (size_t)(before[id].count - count) * stride);
        DRY_ASSERT(count == rows[id].count);
        put_column(&shadow->column[id], live);
    }
}

static void drop_granule(void *context, dry_granule *granule, int id, int block, int place)
{
    (void)context, (void)block, (void)place;
    if (id == DRY_COLUMN_SHAPE_ASSET)
        hold_data(granule, false);
}

bool dry_shadow_copy(dry_shadow *copy, dry_memory *memory, const dry_shadow *shadow)
{
    *copy = (dry_shadow){0};
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_shadow_column *from = &shadow->column[id];
        dry_shadow_column *to = &copy->column[id];
        if (!DRY_RESERVE(memory, to->block, to->block_capacity, from->block_capacity))
            return false;
        if (from->block)
            memcpy(to->block, from->block, (size_t)from->block_capacity * BLOCK_BYTES);
        to->count = from->count;
        to->stride = from->stride;
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
    visit_undo(undo, drop_granule, NULL);
    undo->used = 0;
}

void dry_undo_release(dry_undo *undo, dry_memory *memory)
{
    dry_undo_clear(undo);
    DRY_RELEASE(memory, undo->granule, undo->capacity);
}

void dry_shadow_release(dry_shadow *shadow, dry_memory *memory)
{
    dry_shadow_column *assets = &shadow->column[DRY_COLUMN_SHAPE_ASSET];
    for (int block = 0; block < assets->block_capacity; block++)
        for (int g = 0; g < DRY_BLOCK_GRANULES; g++)
            hold_data(&assets->block[block].granule[g], false);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        DRY_RELEASE(memory, shadow->column[id].block, shadow->column[id].block_capacity);
    *shadow = (dry_shadow){0};
}
