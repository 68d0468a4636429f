/* Tells whether bytes are a height field's block: the header says where all lies, heights are numbers, and
 * tiles and hashes are those that the heights give.
 *
 * Reads: bytes. */
#include "geometry/block.h"
#include "geometry/height_tiles.h"

#include <string.h>

static bool header_is_good(const dry_height_field *field, size_t size)
{
    if (size < sizeof *field || field->rows < 2 || field->rows > DRY_HEIGHT_FIELD_SIDE_MAX ||
        field->columns < 2 || field->columns > DRY_HEIGHT_FIELD_SIDE_MAX || field->backward > 1 ||
        field->holes_present > 1 || field->material_bytes > 2)
        return false;
    dry_height_field laid = *field;
    dry_height_field_lay_out(&laid);
    return memcmp(&laid, field, sizeof laid) == 0 && field->bytes == size && field->unused == 0 &&
           field->spacing[0] > 0.0f &&
           (double)field->spacing[0] * (double)(field->columns - 1) <= (double)DRY_EXTENT_MAX &&
           field->spacing[1] > 0.0f &&
           (double)field->spacing[1] * (double)(field->rows - 1) <= (double)DRY_EXTENT_MAX &&
           field->solid_depth >= 0.0f && field->solid_depth <= DRY_EXTENT_MAX;
}

static bool heights_are_good(const dry_height_field *field)
{
    const float *heights = dry_height_field_at(field, field->heights);
    const size_t samples = (size_t)field->rows * (size_t)field->columns;
    bool is_good = true;
    for (size_t i = 0; i < samples; i++)
        is_good = is_good && dry_height_is_good(heights[i]);
    return is_good;
}

/* Bits behind the last hole, and bytes between arrays, are zero. */
static bool gaps_are_zero(const dry_height_field *field)
{
    const uint64_t samples = (uint64_t)field->rows * (uint64_t)field->columns;
    const uint64_t cells = (uint64_t)(field->rows - 1) * (uint64_t)(field->columns - 1);
    const uint8_t *holes = dry_height_field_at(field, field->holes);
    uint64_t end = field->holes + (field->holes_present ? (cells + 7) / 8 : 0);
    if (field->holes_present && cells % 8 && holes[cells / 8] >> (cells % 8))
        return false;
    if (!dry_block_is_zero(field, sizeof *field, field->heights) ||
        !dry_block_is_zero(field, field->heights + samples * sizeof(float), field->holes) ||
        !dry_block_is_zero(field, end, field->materials) ||
        !dry_block_is_zero(field, field->materials + cells * field->material_bytes, field->tiles[0]))
        return false;
    for (int level = 0; level < (int)field->levels; level++) {
        const bool is_top = level + 1 == (int)field->levels;
        const uint64_t count = (uint64_t)dry_height_field_tiles(field->rows, level) *
                               (uint64_t)dry_height_field_tiles(field->columns, level);
        end = field->tiles[level] + count * sizeof(dry_height_range);
        if (!dry_block_is_zero(field, end, is_top ? field->bytes : field->tiles[level + 1]))
            return false;
    }
    return true;
}

static bool tiles_are_good(const dry_height_field *field)
{
    for (int level = 0; level < (int)field->levels; level++) {
        const int rows = dry_height_field_tiles(field->rows, level);
        const int columns = dry_height_field_tiles(field->columns, level);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++) {
                const dry_height_range range = dry_height_field_range_of(field, level, r, c);
                if (memcmp(&range, dry_height_field_tile(field, level, r, c), sizeof range) != 0)
                    return false;
            }
    }
    const dry_height_range all = dry_height_field_range(field);
    return all.min <= all.max;
}

bool dry_height_field_check(const void *bytes, size_t size)
{
    const dry_height_field *field = bytes;
    return header_is_good(field, size) && heights_are_good(field) && gaps_are_zero(field) &&
           field->fixed_hash == dry_height_field_fixed_hash(field) &&
           field->height_sum == dry_height_field_sum(field, 0, dry_height_hash_tiles(field->rows), 0,
                                                     dry_height_hash_tiles(field->columns)) &&
           field->hash == dry_height_field_hash(field) && tiles_are_good(field);
}
