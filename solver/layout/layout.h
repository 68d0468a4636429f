/* Where constraints are solved: bundles by tier, partition and color. */
#ifndef SOLVER_LAYOUT_LAYOUT_H
#define SOLVER_LAYOUT_LAYOUT_H

#include "core/memory.h"
#include "solver/constraint.h"

#include <drystone/world.h>
#include <stdatomic.h>
#include <stdint.h>

struct dry_solver_step;

typedef struct dry_bundle_range {
    int begin, end;
} dry_bundle_range;

/* What can be solved side by side: the bundles of one color of one partition. OVERFLOW's, a partition's last,
 * are solved one after the other. */
typedef struct dry_phase {
    int color;
    dry_bundle_range bundles[DRY_KIND_COUNT];
} dry_phase;

/* Bodies of a tier, and the constraints whose lowest body is one of them (partitions.c). Most tiers have one
 * partition; where there are more, no constraint reaches past the next one's bodies. */
typedef struct dry_partition {
    int body_begin, body_end; /* in dry_solver.order */
    int phase_begin, phase_end;
} dry_partition;

/* Where a tier's constraints and bodies are. */
typedef struct dry_tier_range {
    int substeps, sweeps;
    int body_begin, body_end;           /* in dry_solver.order */
    bool floating;                      /* some island of it floats */
    atomic_bool locked;                 /* some body of it has locked axes; set from workers */
    bool partitions_apart;              /* no constraint joins bodies of two partitions */
    int partition_begin, partition_end; /* in dry_solver.partitions */
    int phase_begin, phase_end;         /* in the order in which a sweep goes through them; none is empty */
    dry_bundle_range bundles[DRY_KIND_COUNT]; /* of all phases */
} dry_tier_range;

/* partitions.c: how many partitions each tier has, 0 if it has no bodies. Which a body is in,
 * dry_island.partition says where they are apart, state->slab where not. False if memory fails. */
bool dry_partitions_update(struct dry_solver_step *step, dry_memory *memory, int partitions[DRY_TIER_COUNT]);
/* slabs.c: those of the tiers whose bits are set, kept or found; state->slab_rows is 0 where there are
 * none. False if memory fails. */
bool dry_slabs_update(struct dry_solver_step *step, dry_memory *memory, uint32_t tiers);
/* Sorts constraints into bundles; false, and nothing changed outside, if memory fails. */
bool dry_solver_layout(struct dry_solver_step *step, dry_memory *memory);

#endif
