/* Dense panels of L: the inner loops of the factorization. */
#ifndef SOLVER_ARTICULATIONS_PANEL_H
#define SOLVER_ARTICULATIONS_PANEL_H

/* Rows of panels and columns of updates are rounded up to a multiple. */
enum { DRY_PANEL_TILE = 4 };

static inline int dry_panel_round(int rows)
{
    return (rows + DRY_PANEL_TILE - 1) / DRY_PANEL_TILE * DRY_PANEL_TILE;
}

/* Factors the first `columns` columns of a panel in place, and subtracts the product of its remaining rows
 * from `update`, column by column, lower triangle only. Entries above the diagonal are scratch. Writes D to
 * `pivot`. Returns the number of pivots that were raised to `smallest`. */
int dry_panel_factor(double *panel, int height, int columns, double *update, int update_side, double smallest,
                     double *pivot);

/* Solves with a panel's columns: x holds one value for each of its rows, 0 for padding. */
void dry_panel_forward(const double *panel, int height, int columns, double *x);
void dry_panel_backward(const double *panel, int height, int columns, double *x);

#endif
