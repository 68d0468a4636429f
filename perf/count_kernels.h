/* What one bundle costs a kernel: operations and cache lines, counted and not estimated. */
#ifndef PERF_COUNT_KERNELS_H
#define PERF_COUNT_KERNELS_H

#include "perf/kernel_tables.h"

/* The kernels once more, one lane wide, which count as they run. One thread at a time. */
extern const kernel_tables kernel_tables_counted;

typedef struct kernel_work {
    long flops;                    /* a multiply-add is two; minimum, maximum and comparisons are none */
    int lines_read, lines_written; /* different cache lines that went through lanes */
} kernel_work;

void count_begin(void);
/* Since count_begin. */
kernel_work count_end(void);

#endif
