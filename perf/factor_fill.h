/* Values for factors, for benchmarks. */
#ifndef PERF_FACTOR_FILL_H
#define PERF_FACTOR_FILL_H

#include "methods/sparse/factor.h"

static inline double random_value(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* Fills in a matrix whose diagonal is larger than the sum of its row. */
static inline void factor_fill(dry_factor *f)
{
    uint64_t seed = 1;
    dry_factor_begin(f);
    dry_factor_set_alpha(f, 1e-14);
    for (int p = 0; p < f->pairs; p++) {
        const dry_factor_pair *pair = &f->pair[p];
        double *values = dry_factor_pair_values(f, pair);
        const int rows = f->first_row[pair->row + 1] - f->first_row[pair->row];
        const int columns = f->first_row[pair->column + 1] - f->first_row[pair->column];
        const double own = 6.0 * (f->pair_first[pair->row + 1] - f->pair_first[pair->row] + 20);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++) {
                const double value = random_value(&seed);
                if (pair->row != pair->column || c <= r)
                    values[r + c * pair->stride] = value + (pair->row == pair->column && r == c ? own : 0.0);
            }
    }
}

#endif
