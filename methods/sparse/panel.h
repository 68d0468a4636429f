/* The shape of dense panels of L: kernel_list.h has the functions. */
#ifndef METHODS_SPARSE_PANEL_H
#define METHODS_SPARSE_PANEL_H

#include <stdint.h>

/* Rows of panels and columns of updates are rounded up to a multiple of a tile. A block of columns is
 * factored before the columns right of it are updated. */
enum { DRY_PANEL_TILE = 4, DRY_PANEL_BLOCK = 32 };

static inline int dry_panel_round(int rows)
{
    return (rows + DRY_PANEL_TILE - 1) / DRY_PANEL_TILE * DRY_PANEL_TILE;
}

/* A panel to factor, and its update: `side` rows and columns, of which the lower triangle is filled. */
typedef struct dry_panel {
    double *values, *update;
    double *pivot; /* holds the smallest value that each pivot may have, and gets D */
    int height, columns, side;
    int first; /* of the block of columns at hand */
} dry_panel;

/* Returns the end of the block of columns at hand. */
static inline int dry_panel_block_end(const dry_panel *p)
{
    return p->columns - p->first < DRY_PANEL_BLOCK ? p->columns : p->first + DRY_PANEL_BLOCK;
}

/* Right-hand sides at once along a path of the elimination tree: those of a body. */
enum { DRY_PATH_COLUMNS = 6 };

/* A supernode on a path: its first row in a padded vector, and its rows, rounded up. */
typedef struct dry_path_part {
    int32_t first, rows;
} dry_path_part;

#endif
