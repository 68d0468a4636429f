/* Linear complementarity problems, dense and small: impulses that do not attract, and gaps that they open. */
#ifndef METHODS_DIRECT_COMPLEMENTARITY_H
#define METHODS_DIRECT_COMPLEMENTARITY_H

#include <stdbool.h>

/* Most rows of a problem. */
enum { DRY_COMPLEMENTARITY_MAX = 96 };

/* S f + gap: S has n by n elements, is symmetric and loses no energy. */
typedef struct dry_complementarity {
    int n;
    const double *gap;
    double *room; /* for 2 n^2 values */
    /* Fills a row of S. Nothing moves along a row whose own element is 0. */
    void (*find_row)(const void *context, int row, double *s);
    const void *context;
} dry_complementarity;

/* Finds impulses f >= 0 with S f + gap >= 0, one of which is 0 in each row along which something moves; if
 * all rows are `held`, impulses of either sign with S f + gap = 0. Returns false if the search takes too
 * long, or rows contradict each other: impulses of rows that are not held then close a part of the gaps. */
bool dry_complementarity_solve(const dry_complementarity *problem, bool held, double *impulse);

#endif
