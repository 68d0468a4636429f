/* The upper triangle of the symmetric block of a joint's rows, row after row. */
#ifndef SOLVER_DATA_JOINTS_TRIANGLE_H
#define SOLVER_DATA_JOINTS_TRIANGLE_H

enum { DRY_BLOCK_ROWS = 6 };

/* The number of elements of the upper triangle of a block, row after row. */
enum { DRY_BLOCK_ELEMENTS = DRY_BLOCK_ROWS * (DRY_BLOCK_ROWS + 1) / 2 };

/* Returns the index of element (i, k), i <= k, of an upper triangle. */
static inline int dry_block_element(int i, int k)
{
    return i * DRY_BLOCK_ROWS - i * (i + 1) / 2 + k;
}

/* Nothing moves along a row if other rows leave less than this share of its mobility: that much is rounding,
 * and what the regularization of A gives [Tomcin 4]. */
#define DRY_LEAST_MOBILITY 1e-8

/* The most rows of a joint with those of its stops, and one more. */
enum { DRY_ELIMINATION_SIDE = DRY_BLOCK_ROWS + 2 };

/* Eliminates the first rows of a symmetric matrix of `size` rows from those after them (Gauss). A row that
 * the rows before it imply is passed over; its diagonal becomes 0. */
static inline void dry_rows_eliminate(double a[][DRY_ELIMINATION_SIDE], int rows, int size)
{
    double own[DRY_ELIMINATION_SIDE];
    for (int m = 0; m < rows; m++)
        own[m] = a[m][m];
    for (int m = 0; m < rows; m++) {
        if (!(a[m][m] > DRY_LEAST_MOBILITY * own[m])) {
            a[m][m] = 0.0;
            continue;
        }
        for (int i = m + 1; i < size; i++)
            for (int k = m + 1; k < size; k++)
                a[i][k] -= a[i][m] * a[m][k] / a[m][m];
    }
}

#endif
