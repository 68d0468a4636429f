/* Counts the operations and the cache lines of a kernel for one bundle. */
#ifndef PERF_COUNT_KERNELS_H
#define PERF_COUNT_KERNELS_H

#include "perf/kernel_tables.h"

/* The kernels, one lane wide, which count as they run. For one thread at a time. */
extern const kernel_tables kernel_tables_counted;

typedef struct kernel_work {
    long flops; /* a multiply-add counts as two; minimum, maximum and comparisons do not count */
    int lines_read, lines_written; /* distinct cache lines that lanes load and store */
} kernel_work;

void count_begin(void);
/* Returns the counts since count_begin. */
kernel_work count_end(void);

#endif
