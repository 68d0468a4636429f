/* Fat boxes: a shape's bounds, a margin around them, and the way that the shape is expected to go. */
#ifndef BROADPHASE_FAT_BOX_H
#define BROADPHASE_FAT_BOX_H

#include "core/bounds.h"

#include <stdint.h>

/* Converts bounds within +-1e30 m to a box relative to `origin`, rounded outward. */
dry_box dry_box_from_bounds(dry_position origin, const dry_bounds *bounds);

/* Returns the fat box of a shape without displacement. */
dry_box dry_fat_box(const dry_box *tight);

/* Returns whether `fat` no longer serves a shape within `tight`: the shape left it, or a new fat box would be
 * much smaller. Then the new one is in *fat. `displacement` (m) is how far the shape is expected to move in
 * the next step. */
bool dry_fat_box_update(dry_box *fat, const dry_box *tight, dry_vec3 displacement);

/* The same test for DRY_FAT_BOXES shapes at once, which changes nothing. */
enum { DRY_FAT_BOXES = 16 };
typedef float dry_fat_box_lanes[DRY_FAT_BOXES];

/* Boxes as lanes, so that compilers take several at a time; `min` and `max` are bounds before they are
 * rounded outward. */
typedef struct dry_fat_box_block {
    dry_fat_box_lanes min[3], max[3], fat_min[3], fat_max[3], displacement[3];
} dry_fat_box_block;

/* Sets expired[i] where dry_fat_box_update would make a new box. */
void dry_fat_boxes_find_expired(dry_fat_box_block *block, int32_t expired[DRY_FAT_BOXES]);

#endif
