/* Layout, tiles and hash of a height field.
 *
 * Reads: a header, heights, holes, materials. */
#include "geometry/height_tiles.h"

#include "geometry/block.h"
#include "state/hash_mix.h"

#include <string.h>

void dry_height_field_lay_out(dry_height_field *header)
{
    const uint64_t samples = (uint64_t)header->rows * (uint64_t)header->columns;
    const uint64_t cells = (uint64_t)(header->rows - 1) * (uint64_t)(header->columns - 1);
    uint64_t end = sizeof *header;
    header->magic = DRY_HEIGHT_MAGIC;
    header->version = DRY_HEIGHT_VERSION;
    header->heights = dry_block_lay_array(&end, samples * sizeof(float));
    header->holes = dry_block_lay_array(&end, header->holes_present ? (cells + 7) / 8 : 0);
    header->materials = dry_block_lay_array(&end, cells * header->material_bytes);
    header->levels = 0;
    memset(header->tiles, 0, sizeof header->tiles);
    for (int level = 0, is_top = 0; !is_top; level++) {
        const int rows = dry_height_field_tiles(header->rows, level);
        const int columns = dry_height_field_tiles(header->columns, level);
        header->tiles[level] =
            dry_block_lay_array(&end, (uint64_t)rows * (uint64_t)columns * sizeof(dry_height_range));
        header->levels++;
        is_top = rows == 1 && columns == 1;
    }
    header->bytes = dry_block_padded(end);
}

static void take_height(dry_height_range *range, float height)
{
    range->min = dry_min(range->min, height);
    range->max = dry_max(range->max, height);
}

/* Takes up the cells of a tile of the lowest level. */
static dry_height_range range_of_cells(const dry_height_field *field, int row, int column)
{
    dry_height_range range = {INFINITY, -INFINITY};
    const int end_row = dry_min_int((row + 1) * DRY_HEIGHT_FIELD_TILE, field->rows - 1);
    const int end_column = dry_min_int((column + 1) * DRY_HEIGHT_FIELD_TILE, field->columns - 1);
    for (int r = row * DRY_HEIGHT_FIELD_TILE; r < end_row; r++)
        for (int c = column * DRY_HEIGHT_FIELD_TILE; c < end_column; c++) {
            if (dry_height_field_is_hole(field, dry_height_field_cell(field, r, c)))
                continue;
            for (int i = 0; i < 4; i++)
                take_height(&range, dry_height_field_height(field, r + i / 2, c + i % 2));
        }
    return range;
}

dry_height_range dry_height_field_range_of(const dry_height_field *field, int level, int row, int column)
{
    if (level == 0)
        return range_of_cells(field, row, column);
    dry_height_range range = {INFINITY, -INFINITY};
    const int end_row = dry_min_int(2 * row + 2, dry_height_field_tiles(field->rows, level - 1));
    const int end_column = dry_min_int(2 * column + 2, dry_height_field_tiles(field->columns, level - 1));
    for (int r = 2 * row; r < end_row; r++)
        for (int c = 2 * column; c < end_column; c++) {
            const dry_height_range *below = dry_height_field_tile(field, level - 1, r, c);
            range.min = dry_min(range.min, below->min);
            range.max = dry_max(range.max, below->max);
        }
    return range;
}

static uint64_t hash_of_tile(const dry_height_field *field, int row, int column)
{
    uint64_t h = dry_hash_mix(DRY_HEIGHT_MAGIC, (uint64_t)row << 32 | (uint64_t)column);
    const int begin = column * DRY_HEIGHT_HASH_TILE;
    const int end_row = dry_min_int((row + 1) * DRY_HEIGHT_HASH_TILE, field->rows);
    const int count = dry_min_int(DRY_HEIGHT_HASH_TILE, field->columns - begin);
    const float *heights = dry_height_field_at(field, field->heights);
    for (int r = row * DRY_HEIGHT_HASH_TILE; r < end_row; r++) {
        const float *first = &heights[(size_t)r * (size_t)field->columns + (size_t)begin];
        h = dry_hash_mix_bytes(h, first, (size_t)count * sizeof *first);
    }
    return dry_hash_spread(h);
}

uint64_t dry_height_field_sum(const dry_height_field *field, int row, int end_row, int column, int end_column)
{
    uint64_t sum = 0;
    for (int r = row; r < end_row; r++)
        for (int c = column; c < end_column; c++)
            sum += hash_of_tile(field, r, c);
    return sum;
}

uint64_t dry_height_field_fixed_hash(const dry_height_field *field)
{
    const size_t from = offsetof(dry_height_field, rows);
    uint64_t h = dry_hash_mix(DRY_HEIGHT_MAGIC, field->bytes);
    h = dry_hash_mix_bytes(h, (const char *)field + from, sizeof *field - from);
    h = dry_hash_mix_bytes(h, dry_height_field_at(field, field->holes), field->tiles[0] - field->holes);
    return dry_hash_spread(h);
}

uint64_t dry_height_field_hash(const dry_height_field *field)
{
    return dry_hash_spread(dry_hash_mix(field->fixed_hash, field->height_sum));
}
