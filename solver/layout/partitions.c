/* Stage "prepare", before the layout: bands, parts of a class that are swept for themselves (passes.c).
 *
 * A class of many small islands is cut between islands: nothing joins its bands, and each stays in a worker's
 * cache over all sweeps of a step. A class whose bundles no cache holds is cut into slabs (slabs.c). All
 * others have one band.
 *
 * Reads islands. Writes dry_island.band. Next: layout.c. */
#include "solver/context.h"
#include "solver/layout/layout.h"
#include "solver/methods/method.h"

enum {
    /* Constraints and bodies of a band of whole islands: 0.5 MB of bundles, and 60 KB, where constraints are
     * most. */
    APART_MOST = 2048,
    APART_LEAST = 256,
    APART_TEAM = 16, /* bands are a multiple of this where there is enough to do */
    /* Slabs begin at 24 MB of bundles. Half of it, base 200, gains nothing. */
    SLABS_LEAST = 98304,
};

/* Of one class. */
typedef struct class_measure {
    int64_t constraints;
    int64_t work, largest; /* constraints and bodies: in all, and of an island */
} class_measure;

static int64_t work_of(const dry_island *island)
{
    return (int64_t)island->manifolds + island->joints + island->bodies;
}

/* All islands begin in the first band of their class. */
static void measure_classes(dry_islands *islands, class_measure m[DRY_TIER_COUNT])
{
    for (int c = 0; c < DRY_TIER_COUNT; c++)
        m[c] = (class_measure){0};
    for (int i = 0; i < islands->count; i++) {
        dry_island *island = &islands->island[i];
        class_measure *c = &m[island->tier];
        int64_t work = work_of(island);
        c->constraints += (int64_t)island->manifolds + island->joints;
        c->work += work;
        c->largest = work > c->largest ? work : c->largest;
        island->partition = 0;
    }
}

/* How many bands of whole islands a class makes: a multiple of many teams' sizes, or at least half of that if
 * its islands are too large for more. The same for every team, since a stage's hash tells the order of
 * bundles. */
static int count_apart(const class_measure *m)
{
    int64_t bands = (m->work / APART_MOST + APART_TEAM) / APART_TEAM * APART_TEAM;
    if (bands * APART_LEAST > m->work)
        bands = m->work / APART_LEAST;
    const int64_t even = m->work / m->largest;
    return 2 * even < bands ? 1 : (int)(even < bands ? even : bands);
}

static void deal_islands(dry_islands *islands, const class_measure *m, const int bands[DRY_TIER_COUNT])
{
    int64_t before[DRY_TIER_COUNT] = {0};
    for (int i = 0; i < islands->count; i++) {
        dry_island *island = &islands->island[i];
        const int c = island->tier;
        if (bands[c] <= 1)
            continue;
        int64_t middle = 2 * before[c] + work_of(island);
        island->partition = (uint16_t)dry_min_int(bands[c] - 1, (int)(middle * bands[c] / (2 * m[c].work)));
        before[c] += work_of(island);
    }
}

bool dry_bands_update(dry_solver_step *step, dry_memory *memory, int bands[DRY_TIER_COUNT])
{
    dry_solver_state *s = step->state;
    class_measure m[DRY_TIER_COUNT];
    measure_classes(step->islands, m);
    uint32_t in_slabs = 0;
    bool apart = false;
    for (int c = 0; c < DRY_TIER_COUNT; c++) {
        bands[c] = m[c].work > 0;
        s->ranges[c].bands_apart = true;
        if (!dry_method_of(step->settings)->allows_partitions || m[c].work < 2 * APART_LEAST)
            continue;
        bands[c] = count_apart(&m[c]);
        apart |= bands[c] > 1;
        if (bands[c] == 1 && m[c].constraints >= SLABS_LEAST)
            in_slabs |= 1u << c;
    }
    if (apart)
        deal_islands(step->islands, m, bands);
    if (in_slabs && !dry_slabs_update(step, memory, in_slabs))
        return false;
    for (int c = 0; c < DRY_TIER_COUNT; c++)
        if ((in_slabs >> c & 1) && s->slab_rows > 0) {
            bands[c] = s->slab_count;
            s->ranges[c].bands_apart = false;
        }
    return true;
}
