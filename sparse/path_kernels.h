/* Columns along one path of the elimination tree: see factor_path.h.
 *
 * Sums over rows have four parts at every width, which go on from one part of the path to the next. All other
 * values see the same operations in the same order however wide the registers are. */
#ifndef SPARSE_PATH_KERNELS_H
#define SPARSE_PATH_KERNELS_H

#include "sparse/panel.h"
#include "sparse/panel_lanes.h"

enum { PATH_TILE = DRY_PANEL_TILE, PATH_REGISTERS = PATH_TILE / PANEL_LANES };

/* Subtracts up to PATH_TILE columns of a panel, times values of six vectors, from rows of these. */
PANEL_INLINE void path_columns(const double *c, ptrdiff_t height, int first, int columns, double *x)
{
    double v[DRY_PATH_COLUMNS][PATH_TILE];
    for (int side = 0; side < DRY_PATH_COLUMNS; side++) {
        double *at = x + side * height + first;
        for (int k = 0; k < columns; k++)
            for (int j = k + 1; j < PATH_TILE; j++)
                at[j] -= c[k * height + first + j] * at[k];
        for (int k = 0; k < columns; k++)
            v[side][k] = at[k];
    }
    for (ptrdiff_t j = first + PATH_TILE; j < height; j += PANEL_LANES) {
        wide l[PATH_TILE];
        for (int k = 0; k < columns; k++)
            l[k] = wide_load(c + k * height + j);
        for (int side = 0; side < DRY_PATH_COLUMNS; side++) {
            wide a = wide_load(x + side * height + j);
            for (int k = 0; k < columns; k++)
                a -= l[k] * v[side][k];
            wide_store(x + side * height + j, a);
        }
    }
}

static void panel_forward_path(const double *panel, int height, int columns, double *x)
{
    int k = 0;
    for (; k + PATH_TILE <= columns; k += PATH_TILE)
        path_columns(panel + (ptrdiff_t)k * height, height, k, PATH_TILE, x);
    panel += (ptrdiff_t)k * height;
    if (columns - k == 1)
        path_columns(panel, height, k, 1, x);
    else if (columns - k == 2)
        path_columns(panel, height, k, 2, x);
    else if (columns - k == 3)
        path_columns(panel, height, k, 3, x);
}

/* Returns the sum of four parts. */
PANEL_INLINE double path_sum_of(const wide part[PATH_REGISTERS])
{
    double p[PATH_TILE];
    for (int r = 0; r < PATH_REGISTERS; r++)
        wide_store(p + r * PANEL_LANES, part[r]);
    return (p[0] + p[2]) + (p[1] + p[3]);
}

static void path_sums(const dry_path_part *part, int parts, const double *columns, const double *y,
                      double sums[DRY_PATH_COLUMNS])
{
    wide sum[DRY_PATH_COLUMNS][PATH_REGISTERS] = {0};
    for (; parts > 0; parts--, part++) {
        const ptrdiff_t rows = part->rows;
        for (ptrdiff_t j = 0; j < rows; j += PATH_TILE)
            for (int r = 0; r < PATH_REGISTERS; r++) {
                const wide value = wide_load(y + part->first + j + r * PANEL_LANES);
                for (int k = 0; k < DRY_PATH_COLUMNS; k++)
                    sum[k][r] += wide_load(columns + k * rows + j + r * PANEL_LANES) * value;
            }
        columns += DRY_PATH_COLUMNS * rows;
    }
    for (int k = 0; k < DRY_PATH_COLUMNS; k++)
        sums[k] = path_sum_of(sum[k]);
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

/* Fills two rows of the products. */
PANEL_INLINE void path_two_rows(const dry_path_part *part, int parts, const double *a, const double *b,
                                int first, double product[DRY_PATH_COLUMNS][DRY_PATH_COLUMNS])
{
    wide sum[2][DRY_PATH_COLUMNS][PATH_REGISTERS] = {0};
    for (; parts > 0; parts--, part++) {
        const ptrdiff_t rows = part->rows;
        for (ptrdiff_t j = 0; j < rows; j += PATH_TILE)
            for (int r = 0; r < PATH_REGISTERS; r++) {
                const ptrdiff_t at = j + r * PANEL_LANES;
                const wide x = wide_load(a + first * rows + at), y = wide_load(a + (first + 1) * rows + at);
                for (int k = 0; k < DRY_PATH_COLUMNS; k++) {
                    const wide z = wide_load(b + k * rows + at);
                    sum[0][k][r] += x * z;
                    sum[1][k][r] += y * z;
                }
            }
        a += DRY_PATH_COLUMNS * rows;
        b += DRY_PATH_COLUMNS * rows;
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < DRY_PATH_COLUMNS; k++)
            product[first + i][k] = path_sum_of(sum[i][k]);
}

static void path_products(const dry_path_part *part, int parts, const double *a, const double *b,
                          double product[DRY_PATH_COLUMNS][DRY_PATH_COLUMNS])
{
    for (int first = 0; first < DRY_PATH_COLUMNS; first += 2)
        path_two_rows(part, parts, a, b, first, product);
}

#endif
