/* Measures every kernel at every instruction set of this processor that has the kernel. The bundles or bodies
 * fill half of L2, 8 MB or 80 MB. The limits of the machine, streams and multiply-adds, are beside them.
 *
 * All instruction sets must leave the same bits: the program compares the hash in a benchmark's label with
 * that of the previous set. One thread. */
#include "narrowphase/pairs/box_pair.h"
#include "perf/block_sets.h"
#include "perf/body_sets.h"
#include "perf/count_kernels.h"
#include "perf/near_pairs.h"
#include "perf/stream.h"

#include <stdio.h>
#include <string.h>

typedef struct kernel_entry {
    const char *name;
    kernel_kind kind;
    kernel_table table;
    size_t offset; /* in the table of its family */
} kernel_entry;

#define KIND_bodies_begin KERNEL_BEGIN
#define KIND_bodies_finish KERNEL_FINISH
#define KIND_blocks_begin KERNEL_CONTACTS
#define KIND_blocks_relax KERNEL_CONTACTS
#define KIND_blocks_warm KERNEL_GROUPS
#define KIND_blocks_descend KERNEL_GROUPS
#define KIND_blocks_multiply KERNEL_CONTACTS

static const kernel_entry all_kernels[] = {
#define X(name) {#name, KERNEL_CONTACT, TABLE_ALL, offsetof(dry_contact_kernels, name)},
    DRY_CONTACT_SWEEPS(X)
#undef X
#define X(name) {#name, KERNEL_CONTACT, TABLE_RARE, offsetof(dry_rare_contact_kernels, name)},
        DRY_RARE_CONTACT_SWEEPS(X)
#undef X
#define X(name) {#name, KERNEL_CONTACT, TABLE_ADDED, offsetof(dry_added_contact_kernels, name)},
            DRY_ADDED_CONTACT_SWEEPS(X)
#undef X
    /* The same two kernels, told to add to the sums. */
    {"contact_solve_summed", KERNEL_CONTACT, TABLE_RARE,
     offsetof(dry_rare_contact_kernels, contact_solve_any)},
    {"contact_relax_summed", KERNEL_CONTACT, TABLE_RARE,
     offsetof(dry_rare_contact_kernels, contact_relax_any)},
    {"contact_prepare", KERNEL_PREPARE, TABLE_ALL, offsetof(dry_contact_kernels, contact_prepare)},
#define X(name) {#name, KIND_##name, TABLE_ALL, offsetof(dry_body_kernels, name)},
    DRY_BODY_KERNELS(X)
#undef X
        {"collide_boxes", KERNEL_COLLIDE, TABLE_ALL, offsetof(dry_pair_kernels, collide_boxes)},
#define X(name) {#name, KIND_##name, TABLE_RARE, offsetof(dry_block_kernels, name)},
    DRY_BLOCK_KERNELS(X)
#undef X
#define KERNEL(kind, KIND, sweep, SWEEP, UPDATE, table)                                                      \
    {#kind "_" #sweep, KERNEL_##KIND, table,                                                                 \
     offsetof(dry_joint_kernels, kernel[DRY_KIND_##KIND][DRY_SWEEP_##SWEEP][DRY_UPDATE_##UPDATE])},
#define X(kind, KIND, sweep, SWEEP, UPDATE) KERNEL(kind, KIND, sweep, SWEEP, UPDATE, TABLE_ALL)
#define KIND(kind, KIND) DRY_JOINT_SWEEPS(X, kind, KIND)
        DRY_BOOK_JOINT_KINDS(KIND)
#undef KIND
#undef X
#define X(kind, KIND, sweep, SWEEP, UPDATE) KERNEL(kind, KIND, sweep, SWEEP, UPDATE, TABLE_RARE)
#define KIND(kind, KIND) DRY_RARE_JOINT_SWEEPS(X, kind, KIND)
            DRY_BOOK_JOINT_KINDS(KIND)
#undef KIND
#undef X
#define X(kind, KIND, sweep, SWEEP, UPDATE) KERNEL(kind, KIND, sweep, SWEEP, UPDATE, TABLE_ADDED)
                DRY_ADDED_JOINT_SWEEPS(X)
#undef X
#undef KERNEL
};

enum { KERNELS = sizeof all_kernels / sizeof *all_kernels, PAIRS = 1024 };
static const char *const size_names[SET_SIZES] = {"tiny", "l2", "8MB", "80MB"};
static const char *const item_names[] = {
    [KERNEL_CONTACT] = "manifold", [KERNEL_PREPARE] = "manifold",  [KERNEL_POINT] = "joint",
    [KERNEL_LINE] = "joint",       [KERNEL_BLOCK] = "joint",       [KERNEL_AXES] = "joint",
    [KERNEL_QUAD] = "joint",       [KERNEL_BEGIN] = "body",        [KERNEL_FINISH] = "body",
    [KERNEL_COLLIDE] = "pair",     [KERNEL_CONTACTS] = "manifold", [KERNEL_GROUPS] = "body",
};

/* One benchmark: a kernel, its level, and a size. */
typedef struct kernel_run {
    const kernel_entry *kernel;
    kernel_tables tables;
    set_size size;
} kernel_run;

/* The counts of a benchmark and its results. */
typedef struct kernel_score {
    double bytes, flops; /* an item; flops 0: not counted */
    double items;        /* a batch */
    size_t set_bytes;
} kernel_score;

static void report(bench_state *state, const kernel_run *one, bench_batches *batches, kernel_score score)
{
    static uint64_t expected[KERNELS][SET_SIZES];
    uint64_t *hash = &expected[one->kernel - all_kernels][one->size];
    if (*hash == 0)
        *hash = batches->hash;
    bool differs = *hash != batches->hash;
    double seconds = bench_report(batches, state, score.items, item_names[one->kernel->kind]);
    static double limits[KERNELS][SET_SIZES];
    double limit = limits[one->kernel - all_kernels][one->size];
    if (limit == 0.0) {
        limit = stream_read_limit(score.set_bytes, one->size == SET_TINY ? 1e-4 : 0.1);
        limits[one->kernel - all_kernels][one->size] = limit;
    }
    bench_counter(state, "bytes", score.bytes);
    bench_counter(state, "GB_per_s", 1e-9 * score.bytes / seconds);
    bench_counter(state, "limit_GB_per_s", 1e-9 * limit);
    bench_counter(state, "share_of_limit", score.bytes / seconds / limit);
    if (score.flops > 0.0) {
        bench_counter(state, "flops", score.flops);
        bench_counter(state, "Gflop_per_s", 1e-9 * score.flops / seconds);
    }
    if (differs)
        bench_fail(state, "instruction sets differ");
}

/* Returns a set. Only one set is in memory at a time. */
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

/* Reads a kernel of any type from its offset in its family's table. */
#define KERNEL_OF(type, kernel, table, run)                                                                  \
    type *run;                                                                                               \
    memcpy(&run, (const char *)(table) + (kernel)->offset, sizeof run)

/* Prepares one bundle as solver/sweeps/contacts/prepare.c does: bundles that exceed the last cache are built
 * on the stack and streamed past the caches. */
static void prepare_one(dry_contact_prepare *run, kernel_set *set, int b, bool streams)
{
    dry_contact_bundle *bundle = (dry_contact_bundle *)set->work.bundles + b;
    _Alignas(DRY_CACHE_LINE) dry_contact_bundle corner;
    dry_prepare prepare = set->prepare;
    if (!streams) {
        run(&set->sources[b], bundle, NULL, &set->speeds, &prepare);
        return;
    }
    memcpy(corner.row_a, bundle->row_a, sizeof corner.row_a);
    memcpy(corner.row_b, bundle->row_b, sizeof corner.row_b);
    prepare.stream_to = bundle;
    run(&set->sources[b], &corner, NULL, &set->speeds, &prepare);
}

/* Runs a kernel on bundles [0, end). */
static void run_kernel(const kernel_entry *kernel, const kernel_tables *tables, kernel_set *set, int end)
{
    const kernel_arrays *work = &set->work;
    set->sweep.summed = strstr(kernel->name, "_summed") != NULL;
    if (kernel->kind == KERNEL_CONTACT) {
        KERNEL_OF(dry_sweep_kernel, kernel, tables->contacts[kernel->table], run);
        run(work->bundles, 0, end, &set->sweep);
    } else if (kernel->kind == KERNEL_PREPARE) {
        KERNEL_OF(dry_contact_prepare, kernel, tables->contacts[TABLE_ALL], run);
        for (int b = 0; b < end; b++)
            prepare_one(run, set, b, tables != &kernel_tables_counted && set->size == SET_MEMORY);
    } else {
        KERNEL_OF(dry_sweep_kernel, kernel, tables->joints[kernel->table], run);
        run(work->bundles, 0, end, &set->sweep);
    }
}

/* Returns which cold blocks a step gives to the bundles that a kernel runs on. */
static cold_use use_of_cold(const kernel_entry *kernel)
{
    bool own =
        strstr(kernel->name, "_summed") || strstr(kernel->name, "_any") || strstr(kernel->name, "_exchange");
    return own ? COLD_OWN : COLD_SHARED;
}

/* Returns the bytes of a bundle's lines for each lane. Rows do not count: each is used by several
 * bundles and mostly comes from a nearer cache. */
static double bytes_of(const kernel_entry *kernel, kernel_work work)
{
    /* Beside the lanes: the bodies' rows' indices, the header, the flags if they are not those of all. */
    double bytes = 64.0 * (work.lines_read + work.lines_written + 2);
    if (kernel->kind == KERNEL_CONTACT)
        bytes += sizeof(dry_contact_header) + (use_of_cold(kernel) == COLD_SHARED ? 0.0 : 64.0);
    /* Prepare reads two lines of each manifold, and pointers to it and to an orientation. */
    if (kernel->kind == KERNEL_PREPARE)
        bytes += DRY_BUNDLE * (2.0 * 64.0 + 2.0 * sizeof(void *));
    return bytes / DRY_BUNDLE;
}

static void bench_bundles(bench_state *state, const kernel_run *one)
{
    const kernel_entry *kernel = one->kernel;
    kernel_set *set = use_set(kernel->kind, one->size);
    cold_use cold = use_of_cold(kernel);
    bool in_cache = one->size != SET_MEMORY;
    int passes = in_cache ? 8 : 2;

    kernel_set_restore(set, cold);
    count_begin();
    run_kernel(kernel, &kernel_tables_counted, set, 1);
    kernel_work work = count_end();

    bench_batches batches = {0};
    while (bench_next(state)) {
        kernel_set_restore(set, cold);
        /* A run before the timed ones fills the caches as a sweep does; restoring leaves other data in them.
         */
        run_kernel(kernel, &one->tables, set, set->bundles);
        bench_begin(&batches);
        for (int i = 0; i < passes; i++)
            run_kernel(kernel, &one->tables, set, set->bundles);
        bench_end(&batches, state);
        if (in_cache || batches.count == 1)
            bench_work(&batches, kernel_set_hash(set));
    }
    /* Streams include lanes that are not in use. */
    report(state, one, &batches,
           (kernel_score){.bytes = bytes_of(kernel, work) * set->bundles * DRY_BUNDLE / set->items,
                          .flops = (double)work.flops / DRY_BUNDLE,
                          .items = set->items * passes,
                          .set_bytes = kernel_set_bytes(set)});
}

static void bench_bodies(bench_state *state, const kernel_run *one)
{
    static body_set *set;
    if (!set || set->size != one->size) {
        body_set_free(set);
        set = body_set_make(one->size);
    }
    bool begins = one->kernel->kind == KERNEL_BEGIN, in_cache = one->size != SET_MEMORY;
    int passes = in_cache ? 8 : 2;
    count_begin();
    body_set_run(set, kernel_tables_counted.bodies, begins, DRY_BUNDLE, NULL);
    kernel_work work = count_end();

    uint64_t hash = BENCH_HASH_BEGIN;
    body_set_run(set, one->tables.bodies, begins, set->count, &hash);
    bench_batches batches = {0};
    while (bench_next(state)) {
        bench_begin(&batches);
        for (int i = 0; i < passes; i++)
            body_set_run(set, one->tables.bodies, begins, set->count, NULL);
        bench_end(&batches, state);
        bench_work(&batches, hash);
    }
    double bytes = body_bytes(begins);
    report(state, one, &batches,
           (kernel_score){.bytes = bytes,
                          .flops = (double)work.flops / DRY_BUNDLE,
                          .items = (double)set->count * passes,
                          .set_bytes = (size_t)(bytes * set->count)});
}

/* Bodies' rows, and targets, do not count, as for bundles. Contacts count once for each of their bodies. */
static void bench_blocks(bench_state *state, const kernel_run *one)
{
    static block_set *set;
    if (!set || set->size != one->size) {
        block_set_free(set);
        set = block_set_make(one->size);
    }
    const bool groups = one->kernel->kind == KERNEL_GROUPS, in_cache = one->size != SET_MEMORY;
    const int passes = in_cache ? 8 : 2;
    KERNEL_OF(dry_block_kernel, one->kernel, one->tables.blocks, run);
    KERNEL_OF(dry_block_kernel, one->kernel, kernel_tables_counted.blocks, counted);

    block_set_restore(set);
    count_begin();
    block_set_run(set, counted, groups, true);
    const kernel_work work = count_end();

    bench_batches batches = {0};
    while (bench_next(state)) {
        block_set_restore(set);
        block_set_run(set, run, groups, false);
        bench_begin(&batches);
        for (int i = 0; i < passes; i++)
            block_set_run(set, run, groups, false);
        bench_end(&batches, state);
        if (in_cache || batches.count == 1)
            bench_work(&batches, block_set_hash(set));
    }
    const double items = groups ? set->bodies : set->manifolds;
    report(state, one, &batches,
           (kernel_score){.bytes = 64.0 * (work.lines_read + work.lines_written) / DRY_BUNDLE,
                          .flops = (double)work.flops / DRY_BUNDLE,
                          .items = items * passes,
                          .set_bytes = block_set_bytes(set)});
}

/* A step makes pairs where it uses them, so they always come from a near cache. */
static void bench_pairs(bench_state *state, const kernel_run *one)
{
    static dry_transform poses[PAIRS];
    static dry_box_pair pairs[PAIRS];
    static dry_local_manifold found[PAIRS];
    int count = one->size == SET_TINY ? DRY_BOX_PAIRS_MAX : PAIRS, passes = 8;
    dry_geometry box = near_shape(DRY_SHAPE_BOX);
    near_poses(poses, count, false);
    for (int i = 0; i < count; i++)
        pairs[i] = dry_box_pair_of(box.size, box.size, &poses[i], NEAR_MARGIN);
    bench_batches batches = {0};
    while (bench_next(state)) {
        bench_begin(&batches);
        for (int pass = 0; pass < passes; pass++)
            for (int i = 0; i < count; i += DRY_BOX_PAIRS_MAX)
                one->tables.boxes->collide_boxes(pairs + i, DRY_BOX_PAIRS_MAX, found + i);
        bench_end(&batches, state);
        bench_work(&batches, near_hash(found, count));
    }
    report(state, one, &batches,
           (kernel_score){.bytes = sizeof *pairs + sizeof *found,
                          .items = (double)count * passes,
                          .set_bytes = (size_t)count * (sizeof *pairs + sizeof *found)});
}

static void bench_kernel(bench_state *state, const void *context)
{
    const kernel_run *one = context;
    if (one->kernel->kind == KERNEL_BEGIN || one->kernel->kind == KERNEL_FINISH)
        bench_bodies(state, one);
    else if (one->kernel->kind == KERNEL_CONTACTS || one->kernel->kind == KERNEL_GROUPS)
        bench_blocks(state, one);
    else if (one->kernel->kind == KERNEL_COLLIDE)
        bench_pairs(state, one);
    else
        bench_bundles(state, one);
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
    /* Half of a cache, so that the set stays there; a quarter of the shared cache. */
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
    double seconds = tiny ? 1e-4 : 0.3;
    for (int i = 0; i < (tiny ? 2 : 4); i++) {
        register_limit("read", places[i].name, (limit_run){LIMIT_READ, places[i].bytes, 0, seconds});
        register_limit("triad", places[i].name, (limit_run){LIMIT_TRIAD, places[i].bytes, 0, seconds});
    }
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++)
        if (stream_for((dry_isa)isa))
            register_limit("multiply-add", dry_isa_name((dry_isa)isa),
                           (limit_run){LIMIT_FLOPS, 0, (dry_isa)isa, seconds});
}

static void register_kernel(const kernel_entry *kernel, dry_level level, set_size size)
{
    char name[96];
    const kernel_run run = {kernel, kernel_tables_at(level), size};
    snprintf(name, sizeof name, "kernel/%s/%s/%s", kernel->name, run.tables.name, size_names[size]);
    bench_register(name, bench_kernel, &run, sizeof run, 0);
}

int main(int argc, char **argv)
{
    bool tiny = bench_tiny(&argc, argv);
    register_limits(tiny);
    for (int size = tiny ? SET_TINY : SET_L2; size <= (tiny ? SET_TINY : SET_MEMORY); size++)
        for (int k = 0; k < KERNELS; k++) {
            if (all_kernels[k].kind == KERNEL_COLLIDE && size > SET_L2)
                continue;
            for (int level = 0; level < DRY_LEVEL_COUNT; level++)
                if (dry_isa_available(dry_level_isa((dry_level)level)) &&
                    !(all_kernels[k].table && dry_level_rare((dry_level)level) != (dry_level)level))
                    register_kernel(&all_kernels[k], (dry_level)level, (set_size)size);
        }
    return bench_main(argc, argv, tiny);
}
