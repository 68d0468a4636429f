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

#endif
