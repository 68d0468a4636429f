/* The shape of dense panels of L: kernel_list.h has the functions. */
#ifndef METHODS_SPARSE_PANEL_H
#define METHODS_SPARSE_PANEL_H

#include <stdint.h>

/* Rows of panels and columns of updates are rounded up to a multiple. */
enum { DRY_PANEL_TILE = 4 };

static inline int dry_panel_round(int rows)
{
    return (rows + DRY_PANEL_TILE - 1) / DRY_PANEL_TILE * DRY_PANEL_TILE;
}

/* Right-hand sides at once along a path of the elimination tree: those of a body. */
enum { DRY_PATH_COLUMNS = 6 };

/* A supernode on a path: its first row in a padded vector, and its rows, rounded up. */
typedef struct dry_path_part {
    int32_t first, rows;
} dry_path_part;

#endif
