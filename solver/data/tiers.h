/* The tiers of a step, their partitions and phases, and the bundles of each: what the plan writes. */
#ifndef SOLVER_DATA_TIERS_H
#define SOLVER_DATA_TIERS_H

#include "solver/data/constraint.h"
#include "solver/data/part.h"

#include <drystone/world.h>
#include <stdatomic.h>
#include <stdint.h>

typedef struct dry_bundle_range {
    int begin, end;
} dry_bundle_range;

/* The bundles of one color of one partition, which workers may solve at the same time. The bundles of
 * OVERFLOW, the last phase of a partition, share bodies and are solved in order. A phase's bundles of a kind
 * end where those of the next phase begin. */
typedef struct dry_phase {
    int color;
    int begin[DRY_KIND_COUNT];
} dry_phase;

/* Returns the bundles of a kind in a phase. */
static inline dry_bundle_range dry_phase_bundles(const dry_phase *phase, int kind)
{
    return (dry_bundle_range){phase[0].begin[kind], phase[1].begin[kind]};
}

/* Some bodies of a tier, and the constraints whose lowest body is one of them (partitions.c). Most tiers have
 * one partition. If a tier has more, a constraint joins bodies of one partition or of two neighbors. */
typedef struct dry_partition {
    int body_begin, body_end; /* in dry_solver_state.plan.order */
    int phase_begin, phase_end;
} dry_partition;

/* Islands of a tier whose joints are all in sweeps have a range of their own: rows of joints are made anew in
 * each substep there (stages/substeps.c). */
enum { DRY_RANGE_COUNT = 2 * DRY_TIER_COUNT };

/* The bodies, partitions, phases and bundles of one tier: of its islands with joints in sweeps alone, or of
 * its others. */
typedef struct dry_tier_range {
    uint16_t substeps, sweeps;
    int body_begin, body_end;           /* in dry_solver_state.plan.order */
    bool floating;                      /* some island of it floats */
    atomic_bool locked;                 /* some body of it has locked axes; set from workers */
    bool turning;                       /* rows of joints are those of a substep */
    uint8_t listed, parts;              /* bit p: part p acts on it in this layout; in this step */
    bool partitions_apart;              /* no constraint joins bodies of two partitions */
    bool layered;                       /* partitions are layers along gravity: method.h */
    uint8_t index;                      /* in dry_solver_state.plan.ranges */
    int partition_begin, partition_end; /* in dry_solver_state.plan.partitions */
    /* Phases in the order in which a sweep goes through them; none is empty. Phase `phase_end` is the tier's
     * coupled one: it acts on articulations, whose joints are solved with it, and no sweep goes through it.
     */
    int phase_begin, phase_end;
} dry_tier_range;

/* Tells whether a range is of islands whose joints are all in sweeps. */
static inline bool dry_range_is_swept(const dry_tier_range *range)
{
    return range->index >= DRY_TIER_COUNT;
}

/* Tells whether something may bounce in this step. */
static inline bool dry_range_bounces(const dry_tier_range *range)
{
    return range->parts >> DRY_SOLVER_PART_IMPACTS & 1;
}

/* Returns one partition of a range whose partitions no constraint joins, as a range. */
static inline dry_tier_range dry_range_of_partition(const dry_tier_range *range,
                                                    const dry_partition *partitions, int partition)
{
    const dry_partition *p = &partitions[partition];
    dry_tier_range part = *range;
    part.body_begin = p->body_begin, part.body_end = p->body_end;
    part.partition_begin = partition, part.partition_end = partition + 1;
    part.phase_begin = p->phase_begin, part.phase_end = p->phase_end - 1;
    return part;
}

#endif
