/* The forward half along one path of the elimination tree. A right-hand side that is nonzero in joints of one
 * body alone has a solution that is nonzero on the path from the first of these joints to its root: joints of
 * a body form a clique, and a clique lies on one path. */
#ifndef SOLVER_ARTICULATIONS_FACTOR_PATH_H
#define SOLVER_ARTICULATIONS_FACTOR_PATH_H

#include "solver/articulations/factor.h"

/* Right-hand sides at once. */
enum { DRY_PATH_COLUMNS = 6 };

/* Returns how many rows the path from a supernode up to its root has. */
int dry_factor_path_rows(const dry_factor *factor, int supernode);
/* Sets the rows of a path to 0 in `x`, which holds `count` values for each row, in the order of vectors. */
void dry_factor_path_clear(const dry_factor *factor, int supernode, int count, double *x);
/* Solves D^-1/2 L^-1 x along a path. Writes the values of its rows to `path`, `count` for each, in the order
 * of elimination. `work` has room for as many values as a panel has rows, `count` times. Changes x. */
void dry_factor_path_forward(const dry_factor *factor, int supernode, int count, double *x, double *work,
                             double *path);

/* Copies a vector from the order of elimination, in which supernode s begins at its first column. */
void dry_factor_from_elimination(const dry_factor *factor, const double *y, double *x);

#endif
