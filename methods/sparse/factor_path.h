/* The forward half along one path of the elimination tree. A right-hand side that is nonzero in joints of one
 * body alone has a solution that is nonzero on the path from the first of these joints to its root: joints of
 * a body form a clique, and a clique lies on one path.
 *
 * Vectors of these are padded: the rows of each supernode, in the order of elimination, begin at a multiple
 * of DRY_PANEL_TILE, and zeros follow. */
#ifndef METHODS_SPARSE_FACTOR_PATH_H
#define METHODS_SPARSE_FACTOR_PATH_H

#include "methods/sparse/factor.h"
#include "methods/sparse/panel.h"

/* Returns where a supernode's rows begin in a padded vector: rows of those before it, and their padding, fit
 * in. */
static inline int dry_factor_padded_first(const dry_factor *factor, int supernode)
{
    return dry_panel_round(factor->supernode[supernode].first_column) + DRY_PANEL_TILE * supernode;
}

/* Returns the length of a padded vector. */
static inline int dry_factor_padded_rows(const dry_factor *factor)
{
    return dry_panel_round((int)factor->counts.rows) + DRY_PANEL_TILE * factor->supernodes;
}

/* Fills the parts of the path from a supernode up to its root; null: counts them alone. Returns their number.
 */
int dry_factor_path_parts(const dry_factor *factor, int supernode, dry_path_part *parts);
/* Returns how many rows they have, with padding. */
int dry_path_rows(const dry_path_part *parts, int count);

/* Right-hand sides: DRY_PATH_COLUMNS values for each row of some nodes, one node after the other. */
typedef struct dry_path_sides {
    const int32_t *node;
    int nodes;
    const double *value;
} dry_path_sides;

/* Returns how many values of `work` a path needs. */
int64_t dry_factor_path_work(const dry_factor *factor);
/* Solves D^-1/2 L^-1 x along the path from a supernode on, which is the first of those of the nodes. Writes
 * the columns of each part of the path. */
void dry_factor_path_forward(const dry_factor *factor, int supernode, const dry_path_sides *x, double *work,
                             double *path);

/* Copies a padded vector to the order of vectors. */
void dry_factor_from_padded(const dry_factor *factor, const double *padded, double *x);

#endif
