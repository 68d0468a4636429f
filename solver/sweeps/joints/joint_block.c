/* The block of an open joint's rows, which laws/hold.c closes. */
#include "solver/sweeps/joints/joint_block.h"

#include "solver/bodies/whitening.h"

/* A pivot below this share of its row's own diagonal is lost to single precision, in which sweeps multiply
 * by the inverse. Lever arms of a thousand times a body's size have such, if they lie along no axis of the
 * joint's frame. */
#define PIVOT_MIN 1e-6

/* The inverse of the diagonal over the number of rows: each row for itself, slowly but safely. */
static void invert_diagonal(const double *block, int rows, double *inverse)
{
    for (int i = 0; i < rows; i++) {
        const double own = (double)rows * block[dry_block_element(i, i)];
        inverse[dry_block_element(i, i)] = own > 0.0 ? 1.0 / own : 0.0;
    }
}

/* Factors the block as L D L^T and inverts it, row by row of the identity. A row that moves nothing gets no
 * impulse: its row and column of the inverse are 0. Returns false where a pivot is too small. */
static bool invert_block(const double *block, int rows, double *inverse)
{
    double l[DRY_BLOCK_ROWS][DRY_BLOCK_ROWS] = {{0}}, d[DRY_BLOCK_ROWS] = {0};
    for (int k = 0; k < rows; k++) {
        const double own = block[dry_block_element(k, k)];
        double pivot = own;
        for (int m = 0; m < k; m++)
            pivot -= l[k][m] * l[k][m] * d[m];
        d[k] = pivot;
        if (own > 0.0 && !(pivot > PIVOT_MIN * own))
            return false;
        for (int i = k + 1; i < rows && d[k] > 0.0; i++) {
            double sum = block[dry_block_element(k, i)];
            for (int m = 0; m < k; m++)
                sum -= l[i][m] * l[k][m] * d[m];
            l[i][k] = sum / d[k];
        }
    }
    for (int column = 0; column < rows; column++) {
        double x[DRY_BLOCK_ROWS];
        for (int i = 0; i < rows; i++) {
            x[i] = i == column ? 1.0 : 0.0;
            for (int m = 0; m < i; m++)
                x[i] -= l[i][m] * x[m];
        }
        for (int i = rows - 1; i >= 0; i--) {
            x[i] = d[i] > 0.0 ? x[i] / d[i] : 0.0;
            for (int m = i + 1; m < rows && d[i] > 0.0; m++)
                x[i] -= l[m][i] * x[m];
        }
        for (int i = 0; i <= column; i++)
            inverse[dry_block_element(i, column)] = d[column] > 0.0 ? x[i] : 0.0;
    }
    return true;
}

/* Returns a row of the joint, whitened. */
static dry_whitened_row whiten(const dry_joint_block *block, const dry_joint_row *row)
{
    dry_whitened_row g;
    dry_whitening_half(&block->w[0], -1.0, row->linear, row->angular_a, g.a);
    dry_whitening_half(&block->w[1], 1.0, row->linear, row->angular_b, g.b);
    return g;
}

/* Returns the product of two rows. */
static double whitened_dot(const dry_whitened_row *x, const dry_whitened_row *y)
{
    double a = 0.0, b = 0.0;
    for (int k = 0; k < 6; k++) {
        a += x->a[k] * y->a[k];
        b += x->b[k] * y->b[k];
    }
    return a + b;
}

void dry_joint_fill_block(dry_joint_block *block, const dry_joint_row *rows, int count)
{
    for (int i = 0; i < count; i++)
        block->row[i] = whiten(block, &rows[i]);
    for (int e = 0; e < DRY_BLOCK_ELEMENTS; e++)
        block->block[e] = block->inverse[e] = 0.0;
    for (int i = 0; i < count; i++)
        for (int k = i; k < count; k++)
            block->block[dry_block_element(i, k)] = whitened_dot(&block->row[i], &block->row[k]);
    if (!invert_block(block->block, count, block->inverse))
        invert_diagonal(block->block, count, block->inverse);
}
