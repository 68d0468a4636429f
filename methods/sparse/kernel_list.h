/* The kernels of a factor: blocks of A, and panels, the dense columns of L. kernels.c fills one table for
 * each rare level; all tables give the same bits. */
#ifndef METHODS_SPARSE_KERNEL_LIST_H
#define METHODS_SPARSE_KERNEL_LIST_H

#include "jobs/jobs.h"
#include "methods/sparse/panel.h"
#include "simd/processor.h"

/* Lanes of a packed block: its rows, then zeros. */
enum { DRY_BLOCK_LANES = 8 };

/* A product of two packed sides of joints: side p as [6][DRY_BLOCK_LANES], component by component; side q as
 * [columns][6]. */
typedef struct dry_block_factor {
    const double *p, *q;
} dry_block_factor;

/* Fills a block, [columns][DRY_BLOCK_LANES], with the sum of `count` products, and sums of its absolute
 * values. */
typedef void dry_block_product(const dry_block_factor *factor, int count, int columns, double *block,
                               double row_sum[DRY_BLOCK_LANES], double *column_sum);
/* Factors the block of columns at hand in place, after the blocks before it. Entries above the diagonal are
 * scratch. Returns the number of pivots that were raised. */
typedef int dry_panel_factor(const dry_panel *panel);
/* Subtracts the block's product from tiles of columns right of it: from those of the panel, then from those
 * of the update, which the first block begins at 0. The context is the dry_panel. */
typedef dry_jobs_run dry_panel_subtract;
/* Solve with a panel's columns: x holds one value for each of its rows, 0 for padding. */
typedef void dry_panel_forward(const double *panel, int height, int columns, double *x);
typedef void dry_panel_backward(const double *panel, int height, int columns, double *x);

/* Solves with a panel's columns for DRY_PATH_COLUMNS vectors, `height` values apart. */
typedef void dry_panel_forward_path(const double *panel, int height, int columns, double *x);

/* Paths: a path's columns lie part by part, and in each part column by column. */

/* Fills the sums of each column times y. */
typedef void dry_path_sums(const dry_path_part *part, int parts, const double *columns, const double *y,
                           double sums[DRY_PATH_COLUMNS]);
/* Subtracts each column times its factor from y. */
typedef void dry_path_subtract(const dry_path_part *part, int parts, const double *columns,
                               const double factor[DRY_PATH_COLUMNS], double *y);
/* Fills the products of the columns of two paths with the same parts. */
typedef void dry_path_products(const dry_path_part *part, int parts, const double *a, const double *b,
                               double product[DRY_PATH_COLUMNS][DRY_PATH_COLUMNS]);

/* X(kernel): its type is dry_<kernel>. */
#define DRY_PANEL_KERNELS(X)                                                                                 \
    X(block_product)                                                                                         \
    X(panel_factor)                                                                                          \
    X(panel_subtract)                                                                                        \
    X(panel_forward)                                                                                         \
    X(panel_backward)                                                                                        \
    X(panel_forward_path)                                                                                    \
    X(path_sums)                                                                                             \
    X(path_subtract)                                                                                         \
    X(path_products)

typedef struct dry_panel_kernels {
#define X(name) dry_##name *name;
    DRY_PANEL_KERNELS(X)
#undef X
} dry_panel_kernels;

DRY_RARE_TABLES(dry_panel_kernels, dry_panel_kernels_at)

#endif
