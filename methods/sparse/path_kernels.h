/* Columns along one path of the elimination tree: see factor_path.h.
 *
 * Sums over rows have four parts at every width, which go on from one part of the path to the next. All other
 * values see the same operations in the same order however wide the registers are. */
#ifndef METHODS_SPARSE_PATH_KERNELS_H
#define METHODS_SPARSE_PATH_KERNELS_H

#include "methods/sparse/panel_kernels.h"

enum { PATH_REGISTERS = TILE / PANEL_LANES };

/* Adds the products of `count` columns of a and those of a path, over the rows of a part of it. The count is
 * a constant wherever this is inlined. */
PANEL_INLINE void add_products(const double *a, int count, const double *columns, ptrdiff_t rows,
                               wide sum[][DRY_PATH_COLUMNS][PATH_REGISTERS])
{
    for (ptrdiff_t j = 0; j < rows; j += TILE)
        for (int r = 0; r < PATH_REGISTERS; r++) {
            const ptrdiff_t at = j + r * PANEL_LANES;
            wide x[2];
            for (int i = 0; i < count; i++)
                x[i] = wide_load(a + i * rows + at);
            for (int k = 0; k < DRY_PATH_COLUMNS; k++) {
                const wide y = wide_load(columns + k * rows + at);
                for (int i = 0; i < count; i++)
                    sum[i][k][r] += x[i] * y;
            }
        }
}

static void path_sums(const dry_path_part *part, int parts, const double *columns, const double *y,
                      double sums[DRY_PATH_COLUMNS])
{
    wide sum[1][DRY_PATH_COLUMNS][PATH_REGISTERS] = {0};
    for (; parts > 0; parts--, part++) {
        add_products(y + part->first, 1, columns, part->rows, sum);
        columns += DRY_PATH_COLUMNS * part->rows;
    }
    for (int k = 0; k < DRY_PATH_COLUMNS; k++)
        sums[k] = sum_of_four(sum[0][k]);
}

static void path_subtract(const dry_path_part *part, int parts, const double *columns,
                          const double factor[DRY_PATH_COLUMNS], double *y)
{
    for (; parts > 0; parts--, part++) {
        const ptrdiff_t rows = part->rows;
        for (ptrdiff_t j = 0; j < rows; j += PANEL_LANES) {
            wide sum[DRY_PATH_COLUMNS];
            for (int k = 0; k < DRY_PATH_COLUMNS; k++)
                sum[k] = wide_load(columns + k * rows + j) * factor[k];
            double *at = y + part->first + j;
            wide_store(at, wide_load(at) - (((sum[0] + sum[1]) + (sum[2] + sum[3])) + (sum[4] + sum[5])));
        }
        columns += DRY_PATH_COLUMNS * rows;
    }
}

static void path_products(const dry_path_part *part, int parts, const double *a, const double *b,
                          double product[DRY_PATH_COLUMNS][DRY_PATH_COLUMNS])
{
    enum { AT_ONCE = 2 };
    for (int first = 0; first < DRY_PATH_COLUMNS; first += AT_ONCE) {
        wide sum[AT_ONCE][DRY_PATH_COLUMNS][PATH_REGISTERS] = {0};
        ptrdiff_t at = 0;
        for (int i = 0; i < parts; i++) {
            add_products(a + at + first * part[i].rows, AT_ONCE, b + at, part[i].rows, sum);
            at += DRY_PATH_COLUMNS * part[i].rows;
        }
        for (int i = 0; i < AT_ONCE; i++)
            for (int k = 0; k < DRY_PATH_COLUMNS; k++)
                product[first + i][k] = sum_of_four(sum[i][k]);
    }
}

#endif
