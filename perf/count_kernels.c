/* Compiles all kernels with lane operations that count (count_kernels.h).
 *
 * Macros replace the operations of simd/lanes.h before the kernels are included; a name in parentheses is the
 * operation itself. */
#include "perf/count_kernels.h"

#define DRY_LANES 1
#define DRY_LEVEL_NAME counted
#include "core/compiler.h"
#include "simd/gather.h"
#include "simd/lanes.h"

enum { LINES_MAX = 1024, LINE_READ = 1, LINE_WRITTEN = 2 };

static struct {
    long flops;
    int line_count;
    uintptr_t line[LINES_MAX];
    unsigned use[LINES_MAX];
} counts;

static void count_flops(int flops)
{
    counts.flops += flops;
}

/* A function of its own, which compiles in a third of the time. */
static DRY_NOINLINE void count_line(const void *address, unsigned use)
{
    uintptr_t line = (uintptr_t)address / 64;
    int i = 0;
    while (i < counts.line_count && counts.line[i] != line)
        i++;
    if (i == LINES_MAX)
        return;
    if (i == counts.line_count) {
        counts.line[counts.line_count++] = line;
        counts.use[i] = 0;
    }
    counts.use[i] |= use;
}

void count_begin(void)
{
    counts.flops = 0;
    counts.line_count = 0;
}

kernel_work count_end(void)
{
    kernel_work work = {.flops = counts.flops};
    for (int i = 0; i < counts.line_count; i++) {
        work.lines_read += (counts.use[i] & LINE_READ) != 0;
        work.lines_written += (counts.use[i] & LINE_WRITTEN) != 0;
    }
    return work;
}

/* Functions that count: as calls the operations compile in half of the time that they take inlined. */
#define COUNTED static DRY_NOINLINE lane

COUNTED counted_load(const float *p)
{
    count_line(p, LINE_READ);
    return lane_load(p);
}
COUNTED counted_add(lane a, lane b)
{
    count_flops(1);
    return lane_add(a, b);
}
COUNTED counted_sub(lane a, lane b)
{
    count_flops(1);
    return lane_sub(a, b);
}
COUNTED counted_mul(lane a, lane b)
{
    count_flops(1);
    return lane_mul(a, b);
}
COUNTED counted_div(lane a, lane b)
{
    count_flops(1);
    return lane_div(a, b);
}
COUNTED counted_sqrt(lane a)
{
    count_flops(1);
    return lane_sqrt(a);
}
#define lane_load counted_load
#define lane_store(p, a) (count_line(p, LINE_WRITTEN), (lane_store)(p, a))
#define lane_add counted_add
#define lane_sub counted_sub
#define lane_mul counted_mul
#define lane_div counted_div
#define lane_sqrt counted_sqrt

#include "methods/contact_kernels.c"
#include "methods/joint_kernels.c"
#include "narrowphase/pairs/kernels.c"
#include "solver/bodies/kernels.c"
#include "solver/sweeps/contacts/kernels.c"
#include "solver/sweeps/contacts/rare_kernels.c"
#include "solver/sweeps/joints/kernels.c"
#include "solver/sweeps/joints/rare_kernels.c"

/* Block descent gathers its contacts, which other kernels load as lanes. */
#define lane_gather4(p, offset, out) (count_line(*(p) + (offset), LINE_READ), (lane_gather4)(p, offset, out))
#define lane_scatter4(p, offset, v) (count_line(*(p) + (offset), LINE_WRITTEN), (lane_scatter4)(p, offset, v))
#include "methods/blocks/kernels.c"

const kernel_tables kernel_tables_counted = {
    .name = "counted",
    .contacts = {&dry_contact_kernels_counted, &dry_rare_contact_kernels_counted,
                 &dry_added_contact_kernels_counted},
    .joints = {&dry_joint_kernels_counted, &dry_rare_joint_kernels_counted,
               &dry_added_joint_kernels_counted.sweeps},
    .bodies = &dry_body_kernels_counted,
    .boxes = &dry_pair_kernels_counted,
    .blocks = &dry_block_kernels_counted,
};
