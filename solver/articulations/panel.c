/* Dense panels, in tiles of 4 rows by 4 columns that stay in registers.
 *
 * Each value sees the same operations in the same order however the columns are blocked, and no loop sums in
 * an order of the compiler's choice.
 */
#include "solver/articulations/panel.h"

#include <stddef.h>

enum {
    TILE = DRY_PANEL_TILE,
    BLOCK = 32 /* columns factored before what is right of them is updated */
};

/* Subtracts from a tile of c, of `columns` columns, the product of `depth` columns of l and the packed rows
 * v. */
static inline void subtract_tile(double *restrict c, ptrdiff_t c_stride, const double *restrict l,
                                 ptrdiff_t stride, const double *restrict v, int depth, int columns)
{
    double sum[TILE][TILE];
    for (int i = 0; i < columns; i++)
        for (int j = 0; j < TILE; j++)
            sum[i][j] = c[i * c_stride + j];
    for (int k = 0; k < depth; k++)
        for (int i = 0; i < columns; i++)
            for (int j = 0; j < TILE; j++)
                sum[i][j] -= l[k * stride + j] * v[TILE * k + i];
    for (int i = 0; i < columns; i++)
        for (int j = 0; j < TILE; j++)
            c[i * c_stride + j] = sum[i][j];
}

/* Subtracts L D L^T from the columns [first, end) of c, from the tile of the diagonal down to row `rows`. */
static void subtract(double *c, ptrdiff_t c_stride, const double *l, ptrdiff_t stride, const double *pivot,
                     int depth, int first, int end, int rows)
{
    double v[BLOCK * TILE];
    for (int i = first; i < end; i += TILE) {
        const int columns = end - i < TILE ? end - i : TILE;
        for (int k = 0; k < depth; k++)
            for (int t = 0; t < columns; t++)
                v[TILE * k + t] = pivot[k] * l[k * stride + i + t];
        double *column = c + i * c_stride;
        for (int j = i / TILE * TILE; j < rows; j += TILE)
            switch (columns) {
            case 1:
                subtract_tile(column + j, c_stride, l + j, stride, v, depth, 1);
                break;
            case 2:
                subtract_tile(column + j, c_stride, l + j, stride, v, depth, 2);
                break;
            case 3:
                subtract_tile(column + j, c_stride, l + j, stride, v, depth, 3);
                break;
            default:
                subtract_tile(column + j, c_stride, l + j, stride, v, depth, TILE);
                break;
            }
    }
}

/* Factors the columns [first, end), a few, which everything left of them has been subtracted from. */
static int factor_columns(double *panel, ptrdiff_t height, int first, int end, double smallest, double *pivot)
{
    int raised = 0;
    for (int k = first; k < end; k++) {
        double *column = panel + k * height;
        double d = column[k];
        if (d < smallest) {
            d = smallest;
            raised++;
        }
        pivot[k] = d;
        const double inverse = 1.0 / d;
        for (int j = k + 1; j < height; j++)
            column[j] *= inverse;
        for (int i = k + 1; i < end; i++) {
            double *later = panel + i * height;
            const double v = d * column[i];
            for (int j = i; j < height; j++)
                later[j] -= column[j] * v;
        }
    }
    return raised;
}

int dry_panel_factor(double *panel, int height, int columns, double *update, int update_side, double smallest,
                     double *pivot)
{
    const double *below = panel + dry_panel_round(columns);
    const ptrdiff_t stride = height;
    int raised = 0;
    for (int first = 0; first < columns; first += BLOCK) {
        const int end = columns - first < BLOCK ? columns : first + BLOCK;
        for (int k = first; k < end; k += TILE) {
            const int next = end - k < TILE ? end : k + TILE;
            raised += factor_columns(panel, stride, k, next, smallest, pivot);
            subtract(panel, stride, panel + k * stride, stride, pivot + k, next - k, next, end, height);
        }
        const double *l = panel + first * stride;
        subtract(panel, stride, l, stride, pivot + first, end - first, end, columns, height);
        subtract(update, update_side, below + first * stride, stride, pivot + first, end - first, 0,
                 update_side, update_side);
    }
    return raised;
}

void dry_panel_forward(const double *panel, int height, int columns, double *x)
{
    for (int k = 0; k < columns; k++) {
        const double *column = panel + (ptrdiff_t)k * height;
        const double value = x[k];
        for (int j = k + 1; j < height; j++)
            x[j] -= column[j] * value;
    }
}

void dry_panel_backward(const double *panel, int height, int columns, double *x)
{
    for (int k = columns - 1; k >= 0; k--) {
        const double *column = panel + (ptrdiff_t)k * height;
        double sum[TILE] = {0};
        int j = k + 1;
        for (; j % TILE; j++)
            sum[j % TILE] += column[j] * x[j];
        for (; j < height; j += TILE)
            for (int t = 0; t < TILE; t++)
                sum[t] += column[j + t] * x[j + t];
        x[k] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}
