/* Every kernel of simd/kernel_list.h at every instruction set of this processor, on bundles that fit L2 and
 * on 80 MB of them, beside what the machine can stream and multiply at most.
 *
 * All instruction sets must leave the same bits: the hash in a benchmark's label is held against that of the
 * set before it. One thread. */
#include "perf/count_kernels.h"
#include "perf/kernel_sets.h"
#include "perf/stream.h"
#include "simd/dispatch.h"

#include <stdio.h>
#include <string.h>

typedef struct kernel_entry {
    const char *name;
    kernel_kind kind;
    size_t offset; /* in dry_kernels */
} kernel_entry;

static const kernel_entry all_kernels[] = {
#define X(name) {#name, KERNEL_CONTACT, offsetof(dry_kernels, name)},
    DRY_CONTACT_KERNELS(X)
#undef X
#define X(name) {#name, KERNEL_PREPARE, offsetof(dry_kernels, name)},
        DRY_PREPARE_KERNELS(X)
#undef X
#define X(name) {#name, KERNEL_BALL, offsetof(dry_kernels, name)},
            DRY_BALL_KERNELS(X)
#undef X
#define X(name) {#name, KERNEL_DISTANCE, offsetof(dry_kernels, name)},
                DRY_DISTANCE_KERNELS(X)
#undef X
};

enum { KERNELS = sizeof all_kernels / sizeof *all_kernels, SIZES = 3 };

static const char *const size_names[SIZES] = {"tiny", "l2", "80MB"};

/* One benchmark: a kernel, an instruction set, a size. */
typedef struct kernel_run {
    const kernel_entry *kernel;
    dry_isa isa;
    set_size size;
} kernel_run;

/* One set at a time is in memory. */
static kernel_set *use_set(kernel_kind kind, set_size size)
{
    static kernel_set *current;
    kind = kind == KERNEL_PREPARE ? KERNEL_CONTACT : kind;
    if (!current || current->kind != kind || current->size != size) {
        kernel_set_free(current);
        current = kernel_set_make(kind, size);
    }
    return current;
}

/* Bundles [0, end). */
static void run_kernel(const kernel_entry *kernel, const dry_kernels *table, kernel_set *set, int end)
{
    const char *slot = (const char *)table + kernel->offset;
    const kernel_arrays *work = &set->work;
    if (kernel->kind == KERNEL_CONTACT) {
        dry_contact_kernel *run;
        memcpy(&run, slot, sizeof run);
        run(work->contact, work->rare, 0, end, &set->sweep);
    } else if (kernel->kind == KERNEL_PREPARE) {
        dry_prepare_kernel *run;
        memcpy(&run, slot, sizeof run);
        for (int b = 0; b < end; b++)
            run(&set->sources[b], &work->contact[b], NULL, &set->speeds, &set->prepare);
    } else if (kernel->kind == KERNEL_BALL) {
        dry_ball_kernel *run;
        memcpy(&run, slot, sizeof run);
        run(work->ball, 0, end, &set->sweep);
    } else {
        dry_distance_kernel *run;
        memcpy(&run, slot, sizeof run);
        run(work->distance, 0, end, &set->sweep);
    }
}

/* What a bundle's lines come to, bytes a lane. Rows and whitening are not in it: each is used by several
 * bundles and mostly comes from a nearer cache. */
static double bytes_of(const kernel_entry *kernel, kernel_work work)
{
    /* Read beside the lanes: the bodies' rows' indices, and in contact kernels the flags. */
    int lines = work.lines_read + work.lines_written + 2;
    if (kernel->kind == KERNEL_CONTACT && strcmp(kernel->name, "contact_warm") != 0)
        lines++;
    /* 112 bytes of each manifold lie in two lines; pointers to it and to two orientations. */
    if (kernel->kind == KERNEL_PREPARE)
        lines += 2 * DRY_BUNDLE + 3 * DRY_BUNDLE * (int)sizeof(void *) / 64;
    return 64.0 * lines / DRY_BUNDLE;
}

static bool is_impact(const kernel_entry *kernel)
{
    return strcmp(kernel->name, "contact_impact") == 0;
}

static void bench_kernel(bench_state *state, const void *context)
{
    static uint64_t expected[KERNELS][SIZES];
    const kernel_run *one = context;
    const kernel_entry *kernel = one->kernel;
    const dry_kernels *table = dry_kernels_for(one->isa);
    kernel_set *set = use_set(kernel->kind, one->size);
    bool impacts = is_impact(kernel), in_cache = one->size != SET_MEMORY;
    int passes = in_cache ? 8 : 2;

    kernel_set_restore(set, impacts);
    count_begin();
    run_kernel(kernel, &dry_kernels_counted, set, 1);
    kernel_work work = count_end();

    bench_batches batches = {0};
    while (bench_next(state)) {
        kernel_set_restore(set, impacts);
        /* What restoring left in the caches is not what a sweep finds there. */
        run_kernel(kernel, table, set, set->bundles);
        bench_begin(&batches);
        for (int i = 0; i < passes; i++)
            run_kernel(kernel, table, set, set->bundles);
        bench_end(&batches, state);
        if (in_cache || batches.count == 1)
            bench_work(&batches, kernel_set_hash(set));
    }
    uint64_t *hash = &expected[kernel - all_kernels][one->size];
    if (*hash == 0)
        *hash = batches.hash;
    bool differs = *hash != batches.hash;

    const char *item = kernel->kind == KERNEL_BALL || kernel->kind == KERNEL_DISTANCE ? "joint" : "manifold";
    double seconds = bench_report(&batches, state, set->items * passes, item);
    /* Lanes that hold nothing are streamed too. */
    double bytes = bytes_of(kernel, work) * set->bundles * DRY_BUNDLE / set->items;
    double flops = (double)work.flops / DRY_BUNDLE;
    static double limits[SIZES];
    if (limits[one->size] == 0.0)
        limits[one->size] = stream_read_limit(kernel_set_bytes(set), one->size == SET_TINY ? 1e-4 : 0.5);
    bench_counter(state, "bytes", bytes);
    bench_counter(state, "flops", flops);
    bench_counter(state, "GB_per_s", 1e-9 * bytes / seconds);
    bench_counter(state, "Gflop_per_s", 1e-9 * flops / seconds);
    bench_counter(state, "limit_GB_per_s", 1e-9 * limits[one->size]);
    bench_counter(state, "share_of_limit", bytes / seconds / limits[one->size]);
    if (differs)
        bench_fail(state, "instruction sets differ");
}

/* The machine's limits. */

typedef struct limit_run {
    enum { LIMIT_READ, LIMIT_TRIAD, LIMIT_FLOPS } what;
    size_t bytes;
    dry_isa isa;
    double seconds;
} limit_run;

static void bench_limit(bench_state *state, const void *context)
{
    const limit_run *limit = context;
    while (bench_next(state)) {
        double rate = limit->what == LIMIT_READ    ? stream_read_limit(limit->bytes, limit->seconds)
                      : limit->what == LIMIT_TRIAD ? stream_triad_limit(limit->bytes, limit->seconds)
                                                   : stream_flop_limit(limit->isa, limit->seconds);
        bench_took(state, limit->seconds);
        bench_counter(state, limit->what == LIMIT_FLOPS ? "Gflop_per_s" : "GB_per_s", 1e-9 * rate);
    }
    bench_counter(state, "bytes", (double)limit->bytes);
}

static void register_limit(const char *kind, const char *where, limit_run limit)
{
    char name[96];
    snprintf(name, sizeof name, "limit/%s/%s", kind, where);
    bench_register(name, bench_limit, &limit, sizeof limit, 1);
}

static void register_limits(bool tiny)
{
    /* Half of a cache, so that all of it stays there; of the one that is shared, a quarter. */
    dry_machine machine = dry_machine_describe();
    size_t l1 = machine.l1_bytes ? machine.l1_bytes : 32u << 10;
    size_t l2 = machine.l2_bytes ? machine.l2_bytes : 512u << 10;
    size_t l3 = machine.l3_bytes ? machine.l3_bytes : 8u << 20;
    const struct {
        const char *name;
        size_t bytes;
    } places[] = {{"l1", l1 / 2},
                  {"l2", l2 / 2},
                  {"l3", l3 / 4},
                  {"memory", 8 * l3 > 256u << 20 ? 8 * l3 : 256u << 20}};
    double seconds = tiny ? 1e-4 : 0.5;
    for (int i = 0; i < (tiny ? 2 : 4); i++) {
        register_limit("read", places[i].name, (limit_run){LIMIT_READ, places[i].bytes, 0, seconds});
        register_limit("triad", places[i].name, (limit_run){LIMIT_TRIAD, places[i].bytes, 0, seconds});
    }
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++)
        if (stream_for((dry_isa)isa))
            register_limit("multiply-add", dry_isa_name((dry_isa)isa),
                           (limit_run){LIMIT_FLOPS, 0, (dry_isa)isa, seconds});
}

int main(int argc, char **argv)
{
    bool tiny = bench_tiny(&argc, argv);
    register_limits(tiny);
    for (int size = tiny ? SET_TINY : SET_L2; size <= (tiny ? SET_TINY : SET_MEMORY); size++)
        for (int k = 0; k < KERNELS; k++)
            for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++) {
                if (!dry_isa_available((dry_isa)isa))
                    continue;
                kernel_run run = {&all_kernels[k], (dry_isa)isa, (set_size)size};
                char name[96];
                snprintf(name, sizeof name, "kernel/%s/%s/%s", all_kernels[k].name, dry_isa_name(run.isa),
                         size_names[size]);
                bench_register(name, bench_kernel, &run, sizeof run, 0);
            }
    return bench_main(argc, argv, tiny);
}
