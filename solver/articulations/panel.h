/* The shape of dense panels of L: kernel_list.h has the functions. */
#ifndef SOLVER_ARTICULATIONS_PANEL_H
#define SOLVER_ARTICULATIONS_PANEL_H

/* Rows of panels and columns of updates are rounded up to a multiple. */
enum { DRY_PANEL_TILE = 4 };

static inline int dry_panel_round(int rows)
{
    return (rows + DRY_PANEL_TILE - 1) / DRY_PANEL_TILE * DRY_PANEL_TILE;
}

#endif
