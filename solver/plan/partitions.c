/* Stage "prepare", before the layout: partitions, the parts of a tier that are swept apart (passes.c).
 *
 * A tier of many small islands is cut between islands: nothing joins its partitions, and each stays in a
 * worker's cache over all sweeps of a step. A tier whose bundles no cache holds is cut into slabs (slabs.c).
 * All other tiers have one partition.
 *
 * Reads islands. Writes dry_island.partition. Next: layout.c. */
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/islands.h"
#include "solver/plan/layout.h"

enum {
    /* The most and the fewest constraints and bodies in a partition of whole islands: 0.5 MB and 60 KB of
     * bundles if most are constraints. */
    APART_MOST = 2048,
    APART_LEAST = DRY_PARTITION_LEAST,
    APART_TEAM = 16, /* the number of partitions is a multiple of this where there is enough work */
};

/* The measure of one tier. */
typedef struct tier_measure {
    int64_t constraints;
    int64_t work, largest; /* constraints and bodies, in all and of the largest island */
} tier_measure;

static int64_t work_of(const dry_island *island)
{
    return (int64_t)island->manifolds + island->joints + island->bodies;
}

/* Measures all tiers, and puts their islands into the first partition. */
static void measure_tiers(dry_islands *islands, tier_measure m[DRY_RANGE_COUNT])
{
    for (int i = 0; i < islands->count; i++) {
        dry_island *island = &islands->island[i];
        tier_measure *tier = &m[dry_island_range(island)];
        int64_t work = work_of(island);
        tier->constraints += (int64_t)island->manifolds + island->joints;
        tier->work += work;
        tier->largest = work > tier->largest ? work : tier->largest;
        island->partition = 0;
    }
}

/* Returns how many partitions of whole islands a tier gets: a multiple of the sizes of many teams of workers,
 * or at least half of that if the islands are too large for more. The number does not depend on the team,
 * since a stage's hash covers the order of bundles. */
static int count_apart(const tier_measure *m)
{
    int64_t partitions = (m->work / APART_MOST + APART_TEAM) / APART_TEAM * APART_TEAM;
    if (partitions * APART_LEAST > m->work)
        partitions = m->work / APART_LEAST;
    const int64_t even = m->work / m->largest;
    return 2 * even < partitions ? 1 : (int)(even < partitions ? even : partitions);
}

static void assign_islands(dry_islands *islands, const tier_measure *m, const int partitions[DRY_RANGE_COUNT])
{
    int64_t before[DRY_RANGE_COUNT] = {0};
    for (int i = 0; i < islands->count; i++) {
        dry_island *island = &islands->island[i];
        const int tier = dry_island_range(island);
        if (partitions[tier] <= 1)
            continue;
        int64_t middle = 2 * before[tier] + work_of(island);
        island->partition = (uint16_t)dry_min_int(partitions[tier] - 1,
                                                  (int)(middle * partitions[tier] / (2 * m[tier].work)));
        before[tier] += work_of(island);
    }
}

bool dry_partitions_update(dry_solver_step *step, dry_memory *memory, int partitions[DRY_RANGE_COUNT])
{
    dry_solver_state *s = step->state;
    if (step->order && step->order->find_layers)
        return step->order->find_layers(step, memory, partitions);
    tier_measure m[DRY_RANGE_COUNT] = {0};
    measure_tiers(step->islands, m);
    uint32_t in_slabs = 0;
    for (int tier = 0; tier < s->plan.range_count; tier++) {
        partitions[tier] = m[tier].work > 0;
        s->plan.ranges[tier].partitions_apart = true;
        s->plan.ranges[tier].layered = false;
        /* Passes that a part follows end one by one: partitions would gain nothing. */
        if (m[tier].work < step->method->whole_below || s->plan.ranges[tier].listed)
            continue;
        partitions[tier] = count_apart(&m[tier]);
        if (partitions[tier] == 1 && m[tier].constraints >= DRY_SLABS_LEAST)
            in_slabs |= 1u << tier;
    }
    assign_islands(step->islands, m, partitions);
    s->plan.slabs_wanted = in_slabs;
    if (in_slabs && !dry_slabs_update(step, memory, in_slabs))
        return false;
    for (int tier = 0; tier < s->plan.range_count; tier++)
        if ((in_slabs >> tier & 1) && s->plan.slabs.rows > 0) {
            partitions[tier] = s->plan.slabs.count;
            s->plan.ranges[tier].partitions_apart = false;
        }
    return true;
}
