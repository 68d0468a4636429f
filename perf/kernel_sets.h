/* The data of kernel benchmarks: bundles of a real step, with a copy to restore them from. */
#ifndef PERF_KERNEL_SETS_H
#define PERF_KERNEL_SETS_H

#include "core/memory.h"
#include "perf/bench.h"
#include "solver/data/constraint.h"
#include "solver/data/contacts/bundle.h"
#include "solver/data/contacts/source.h"
#include "solver/data/sweep.h"

/* The first are those of dry_kind. */
typedef enum kernel_kind {
    KERNEL_POINT = DRY_KIND_POINT,
    KERNEL_LINE = DRY_KIND_LINE,
    KERNEL_BLOCK = DRY_KIND_BLOCK,
    KERNEL_AXES = DRY_KIND_AXES,
    KERNEL_QUAD = DRY_KIND_QUAD,
    KERNEL_CONTACT = DRY_KIND_CONTACT,
    KERNEL_PREPARE = DRY_KIND_COUNT,
    KERNEL_BEGIN, /* of bodies, see body_sets.h; so is the next */
    KERNEL_FINISH,
    KERNEL_COLLIDE,  /* near_pairs.h */
    KERNEL_CONTACTS, /* of block descent, see block_sets.h; so is the next */
    KERNEL_GROUPS
} kernel_kind;

typedef enum set_size { SET_TINY, SET_L2, SET_L3, SET_MEMORY, SET_SIZES } set_size;

typedef struct kernel_arrays {
    void *bundles; /* of the set's kind */
    dry_bundle_members *members;
    dry_contact_header *headers; /* null but for contacts, as the next ones are */
    dry_contact_cold *cold;      /* 0: without flags, for all; then one for each bundle */
    dry_contact_past *past;      /* of impulses that fall by a third and go on to */
    dry_solver_row *rows, *sums;
} kernel_arrays;

typedef struct kernel_set {
    kernel_kind kind; /* CONTACT also serves PREPARE */
    set_size size;
    bench_world made;  /* where the manifolds are that the sources point to */
    dry_memory memory; /* the engine's own, so that pages are as they are in a world */
    struct {
        void *block;
        size_t bytes;
    } held[16];
    int held_count;
    kernel_arrays work, saved;
    dry_contact_source *sources;
    dry_prepare prepare;
    dry_contact_speeds speeds;
    int bundles, rows;
    size_t bundle_bytes;
    double items; /* manifolds or joints in the bundles */
    dry_sweep sweep;
} kernel_set;

kernel_set *kernel_set_make(kernel_kind kind, set_size size);
void kernel_set_free(kernel_set *set);

typedef enum cold_use { COLD_SHARED, COLD_OWN } cold_use;

/* Restores the beginning of the step. Bundles share an empty cold block, as most do in a step, or each has
 * its own. */
void kernel_set_restore(kernel_set *set, cold_use use);
uint64_t kernel_set_hash(const kernel_set *set);
/* Bytes of bundles and rows. */
size_t kernel_set_bytes(const kernel_set *set);

#endif
