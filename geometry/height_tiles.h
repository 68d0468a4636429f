/* A height field's block: the places of its arrays, its tiles and its hash, as the heights give them. */
#ifndef GEOMETRY_HEIGHT_TILES_H
#define GEOMETRY_HEIGHT_TILES_H

#include "geometry/geometry.h"
#include "geometry/height_field.h"

enum {
    DRY_HEIGHT_MAGIC = 0x48797244, /* "DryH" */
    DRY_HEIGHT_VERSION = 1,
    DRY_HEIGHT_HASH_TILE = 32, /* samples a side */
};

/* Fills in the magic, the version, the levels, the offsets and the size of a header with counts. */
void dry_height_field_lay_out(dry_height_field *header);

/* Computes a tile from its cells, or from those of the level below. */
dry_height_range dry_height_field_range_of(const dry_height_field *field, int level, int row, int column);

/* Sums the hashes of tiles of samples over [row, end_row) x [column, end_column), counted in tiles. */
uint64_t dry_height_field_sum(const dry_height_field *field, int row, int end_row, int column,
                              int end_column);

/* Returns the number of tiles of samples along one side, which has `samples`. */
static inline int dry_height_hash_tiles(int samples)
{
    return (samples + DRY_HEIGHT_HASH_TILE - 1) / DRY_HEIGHT_HASH_TILE;
}

/* Computes the hash of all but the heights, and that of the block from its parts. */
uint64_t dry_height_field_fixed_hash(const dry_height_field *field);
uint64_t dry_height_field_hash(const dry_height_field *field);

static inline bool dry_height_is_good(float height)
{
    return dry_abs(height) <= DRY_EXTENT_MAX;
}

#endif
