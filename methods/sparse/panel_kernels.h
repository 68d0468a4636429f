/* Dense panels, in tiles of 4 columns that stay in registers.
 *
 * Each value sees the same operations in the same order however the columns are blocked and however wide the
 * registers are. Sums over rows have eight parts at every width.
 */
#ifndef METHODS_SPARSE_PANEL_KERNELS_H
#define METHODS_SPARSE_PANEL_KERNELS_H

#include "methods/sparse/panel.h"
#include "methods/sparse/panel_lanes.h"

#include <stdbool.h>

/* Sums over rows have SUM_PARTS parts. */
enum { TILE = DRY_PANEL_TILE, BLOCK = DRY_PANEL_BLOCK, SUM_PARTS = 8 };

/* Subtracts from some registers of rows of some columns of c the product of `depth` columns of l and the
 * packed rows v; a fresh c has nothing yet. The counts are constants wherever this is inlined: sums stay in
 * registers.
 */
PANEL_INLINE void subtract_tile(double *restrict c, ptrdiff_t c_stride, int columns, int registers,
                                const double *restrict l, ptrdiff_t stride, const double *restrict v,
                                int depth, bool fresh)
{
    wide sum[TILE][2];
    for (int t = 0; t < columns; t++)
        for (int r = 0; r < registers; r++)
            sum[t][r] = fresh ? (wide){0} : wide_load(c + t * c_stride + r * PANEL_LANES);
    for (int k = 0; k < depth; k++, l += stride, v += TILE)
        for (int t = 0; t < columns; t++)
            for (int r = 0; r < registers; r++)
                sum[t][r] -= wide_load(l + r * PANEL_LANES) * v[t];
    for (int t = 0; t < columns; t++)
        for (int r = 0; r < registers; r++)
            wide_store(c + t * c_stride + r * PANEL_LANES, sum[t][r]);
}

/* Subtracts L D L^T from the columns [first, end) of c, which has `side` rows, from the tile of the diagonal
 * down. `depth` is at most BLOCK, `first` and `side` are multiples of TILE; of a fresh c so is `end`. */
PANEL_INLINE void subtract(double *c, ptrdiff_t side, const double *l, ptrdiff_t stride, const double *pivot,
                           int depth, int first, int end, bool fresh)
{
    double v[BLOCK * TILE];
    for (int i = first; i < end; i += TILE) {
        const int columns = end - i < TILE ? end - i : TILE;
        for (int k = 0; k < depth; k++)
            for (int t = 0; t < columns; t++)
                v[TILE * k + t] = pivot[k] * l[k * stride + i + t];
        double *column = c + i * side;
        int j = i;
        if (columns == TILE) {
            for (; j + 2 * PANEL_LANES <= side; j += 2 * PANEL_LANES)
                subtract_tile(column + j, side, TILE, 2, l + j, stride, v, depth, fresh);
            for (; j < side; j += PANEL_LANES)
                subtract_tile(column + j, side, TILE, 1, l + j, stride, v, depth, fresh);
            continue;
        }
        for (int t = 0; t < columns; t++, column += side)
            for (j = i; j < side; j += PANEL_LANES)
                subtract_tile(column + j, side, 1, 1, l + j, stride, v + t, depth, false);
    }
}

/* Factors the diagonal block of up to TILE columns, which everything left of them has been subtracted from.
 * Replaces the smallest pivots that are allowed by D. Fills `v` with the factors by which a column takes part
 * in later ones, and `inverse` with 1 / D. */
PANEL_INLINE int factor_tile(double *panel, ptrdiff_t height, int columns, double *pivot,
                             double v[TILE][TILE], double inverse[TILE])
{
    int raised = 0;
    for (int k = 0; k < columns; k++) {
        double *column = panel + k * height;
        double d = column[k];
        if (d < pivot[k]) {
            d = pivot[k];
            raised++;
        }
        pivot[k] = d;
        inverse[k] = 1.0 / d;
        for (int j = k + 1; j < TILE; j++)
            column[j] *= inverse[k];
        for (int i = k + 1; i < columns; i++) {
            double *later = panel + i * height;
            v[k][i] = d * column[i];
            for (int j = i; j < TILE; j++)
                later[j] -= column[j] * v[k][i];
        }
    }
    return raised;
}

/* Finishes one register of rows of a tile's columns below its diagonal block. */
PANEL_INLINE void finish_rows(double *c, ptrdiff_t height, int columns, double v[TILE][TILE],
                              const double inverse[TILE])
{
    wide x[TILE];
    for (int k = 0; k < columns; k++) {
        x[k] = wide_load(c + k * height);
        for (int i = 0; i < k; i++)
            x[k] -= x[i] * v[i][k];
        x[k] *= inverse[k];
        wide_store(c + k * height, x[k]);
    }
}

/* Factors up to TILE columns from `first`, a multiple of TILE, on. */
static int factor_columns(double *panel, ptrdiff_t height, int first, int columns, double *pivot)
{
    double v[TILE][TILE], inverse[TILE];
    panel += first * height;
    const int raised = factor_tile(panel + first, height, columns, pivot + first, v, inverse);
    for (int j = first + TILE; j < height && columns == TILE; j += PANEL_LANES)
        finish_rows(panel + j, height, TILE, v, inverse);
    for (int j = first + TILE; j < height && columns < TILE; j += PANEL_LANES)
        finish_rows(panel + j, height, columns, v, inverse);
    return raised;
}

static int panel_factor(const dry_panel *p)
{
    const int end = dry_panel_block_end(p);
    const double *l = p->values + (ptrdiff_t)p->first * p->height;
    int raised = 0;
    for (int k = p->first; k < end; k += TILE) {
        const int next = end - k < TILE ? end : k + TILE;
        subtract(p->values, p->height, l, p->height, p->pivot + p->first, k - p->first, k, next, false);
        raised += factor_columns(p->values, p->height, k, next - k, p->pivot);
    }
    return raised;
}

static void panel_subtract(void *context, dry_items tiles)
{
    const dry_panel *p = context;
    const int base = dry_panel_round(p->columns), last = dry_panel_block_end(p), depth = last - p->first;
    const int begin = dry_panel_round(last) + TILE * tiles.begin,
              end = begin + TILE * (tiles.end - tiles.begin);
    const int from = begin < base ? 0 : begin - base;
    const double *l = p->values + (ptrdiff_t)p->first * p->height, *pivot = p->pivot + p->first;
    subtract(p->values, p->height, l, p->height, pivot, depth, begin, end < base ? end : p->columns, false);
    if (p->first == 0)
        subtract(p->update, p->side, l + base, p->height, pivot, depth, from, end - base, true);
    else
        subtract(p->update, p->side, l + base, p->height, pivot, depth, from, end - base, false);
}

/* Solves with up to TILE columns from `first` on for some vectors, `height` values apart. Both counts are
 * constants wherever this is inlined. */
PANEL_INLINE void forward_columns(const double *panel, ptrdiff_t height, int first, int columns, int vectors,
                                  double *x)
{
    const double *c = panel + first * height;
    double v[DRY_PATH_COLUMNS][TILE];
    for (int side = 0; side < vectors; side++) {
        double *at = x + side * height + first;
        for (int j = 0; j < TILE; j++)
            v[side][j] = at[j];
        for (int k = 0; k < columns; k++)
            for (int j = k + 1; j < TILE; j++)
                v[side][j] -= c[k * height + first + j] * v[side][k];
        for (int j = 1; j < TILE; j++)
            at[j] = v[side][j];
    }
    for (ptrdiff_t j = first + TILE; j < height; j += PANEL_LANES) {
        wide l[TILE];
        for (int k = 0; k < columns; k++)
            l[k] = wide_load(c + k * height + j);
        for (int side = 0; side < vectors; side++) {
            wide a = wide_load(x + side * height + j);
            for (int k = 0; k < columns; k++)
                a -= l[k] * v[side][k];
            wide_store(x + side * height + j, a);
        }
    }
}

PANEL_INLINE void forward_vectors(const double *panel, int height, int columns, int vectors, double *x)
{
    int k = 0;
    for (; k + TILE <= columns; k += TILE)
        forward_columns(panel, height, k, TILE, vectors, x);
    if (columns - k == 1)
        forward_columns(panel, height, k, 1, vectors, x);
    else if (columns - k == 2)
        forward_columns(panel, height, k, 2, vectors, x);
    else if (columns - k == 3)
        forward_columns(panel, height, k, 3, vectors, x);
}

static void panel_forward(const double *panel, int height, int columns, double *x)
{
    forward_vectors(panel, height, columns, 1, x);
}

static void panel_forward_path(const double *panel, int height, int columns, double *x)
{
    forward_vectors(panel, height, columns, DRY_PATH_COLUMNS, x);
}

/* Returns the sum of four parts. */
PANEL_INLINE double sum_of_four(const wide part[TILE / PANEL_LANES])
{
    double p[TILE];
    for (int r = 0; r < TILE / PANEL_LANES; r++)
        wide_store(p + r * PANEL_LANES, part[r]);
    return (p[0] + p[2]) + (p[1] + p[3]);
}

/* Returns the sum of eight parts. */
PANEL_INLINE double sum_of(const wide part[SUM_PARTS / PANEL_LANES])
{
    enum { HALF = SUM_PARTS / PANEL_LANES / 2 };
    wide half[HALF];
    for (int r = 0; r < HALF; r++)
        half[r] = part[r] + part[HALF + r];
    return sum_of_four(half);
}

/* Adds some registers of rows of x times those of `columns` columns to the parts of sums. */
PANEL_INLINE void add_rows(const double *c, ptrdiff_t height, int columns, int registers, const double *x,
                           wide part[TILE][SUM_PARTS / PANEL_LANES])
{
    for (int r = 0; r < registers; r++) {
        const wide value = wide_load(x + r * PANEL_LANES);
        for (int k = 0; k < columns; k++)
            part[k][r] += wide_load(c + k * height + r * PANEL_LANES) * value;
    }
}

/* Fills the sums over `rows` rows of x times `columns` columns. */
PANEL_INLINE void sum_columns(const double *c, ptrdiff_t height, int columns, int rows, const double *x,
                              double *sum)
{
    enum { REGISTERS = SUM_PARTS / PANEL_LANES };
    wide part[TILE][REGISTERS] = {0};
    int j = 0;
    for (; j + SUM_PARTS <= rows; j += SUM_PARTS)
        add_rows(c + j, height, columns, REGISTERS, x + j, part);
    if (j < rows) /* half of the parts */
        add_rows(c + j, height, columns, REGISTERS / 2, x + j, part);
    for (int k = 0; k < columns; k++)
        sum[k] = sum_of(part[k]);
}

static void block_product(const dry_block_factor *factor, int count, int columns, double *block,
                          double row_sum[DRY_BLOCK_LANES], double *column_sum)
{
    enum { REGISTERS = DRY_BLOCK_LANES / PANEL_LANES, COMPONENTS = 6 };
    wide rows[REGISTERS] = {0};
    for (int c = 0; c < columns; c++) {
        wide sum[REGISTERS] = {0};
        for (int i = 0; i < count; i++) {
            const double *q = factor[i].q + COMPONENTS * c;
            for (int k = 0; k < COMPONENTS; k++)
                for (int r = 0; r < REGISTERS; r++)
                    sum[r] += wide_load(factor[i].p + DRY_BLOCK_LANES * k + r * PANEL_LANES) * q[k];
        }
        wide magnitude[REGISTERS];
        for (int r = 0; r < REGISTERS; r++) {
            wide_store(block + DRY_BLOCK_LANES * c + r * PANEL_LANES, sum[r]);
            magnitude[r] = wide_magnitude(sum[r]);
            rows[r] += magnitude[r];
        }
        column_sum[c] = sum_of(magnitude);
    }
    for (int r = 0; r < REGISTERS; r++)
        wide_store(row_sum + r * PANEL_LANES, rows[r]);
}

/* As many columns at a time as have room in the registers. */
enum { SUMS_AT_ONCE = PANEL_LANES >= 4 ? TILE : PANEL_LANES };

static void panel_backward(const double *panel, int height, int columns, double *x)
{
    for (int first = (columns - 1) / TILE * TILE; first >= 0; first -= TILE) {
        const int count = columns - first < TILE ? columns - first : TILE;
        const double *c = panel + (ptrdiff_t)first * height;
        const int below = first + TILE;
        double sum[TILE];
        int k = 0;
        for (; k + SUMS_AT_ONCE <= count; k += SUMS_AT_ONCE)
            sum_columns(c + (ptrdiff_t)k * height + below, height, SUMS_AT_ONCE, height - below, x + below,
                        sum + k);
        for (; k < count; k++)
            sum_columns(c + (ptrdiff_t)k * height + below, height, 1, height - below, x + below, sum + k);
        for (k = count - 1; k >= 0; k--) {
            double value = x[first + k] - sum[k];
            for (int j = k + 1; j < count; j++)
                value -= c[(ptrdiff_t)k * height + first + j] * x[first + j];
            x[first + k] = value;
        }
    }
}

#endif
