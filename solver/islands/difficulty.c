/* The difficulty of an island, which decides its number of substeps [DESIGN 5].
 *
 * The stiffness that converges grows with the substep rate, and stiffness is what keeps a slender stack
 * from buckling and a light body from being swallowed. An island's tier therefore follows from its
 * slenderness (levels of load against the bodies that share it). The largest ratio of touching masses and the
 * number of joints count too.
 *
 * Reads islands and poses. Writes the islands' tiers. Next: solver/layout/partitions.c, layout.c. */
#include "solver/islands/difficulty.h"
#include "solver/context.h"

static const int tier_substeps[DRY_TIER_COUNT] = {1, 2, 4, 6, 8, 12, 16, 24, 32};

int dry_tier_substeps(int tier)
{
    return tier >= 0 && tier < DRY_TIER_COUNT ? tier_substeps[tier] : 0;
}

int dry_island_substeps(const dry_settings *settings, int tier)
{
    if (settings->substeps > 0)
        return settings->substeps;
    int substeps = tier_substeps[tier];
    return dry_max_int(settings->substeps_min, dry_min_int(substeps, settings->substeps_max));
}

int dry_island_sweeps(const dry_settings *settings, int tier)
{
    if (settings->sweeps > 0)
        return settings->sweeps;
    int substeps = dry_island_substeps(settings, tier);
    int wanted = settings->substeps > 0 ? 1 : (tier_substeps[tier] + substeps - 1) / substeps;
    return dry_max_int(settings->sweeps_min, dry_min_int(wanted, settings->sweeps_max));
}

static int tier_of_substeps(int substeps)
{
    int tier = 0;
    while (tier < DRY_TIER_COUNT - 1 && tier_substeps[tier] < substeps)
        tier++;
    return tier;
}

/* Returns the substeps that a stack of this form needs. docs/quality.md has the scenes that set these bounds.
 */
static int substeps_of_shape(const dry_island *island, const dry_island_measure *measure)
{
    /* A body's radius is about 0.87 of a cube's side, so this counts levels. */
    float levels = (measure->high - measure->low) / (1.15f * measure->radius) + 1.0f;
    float slenderness = levels * levels / (float)island->bodies;
    if (levels >= 6.0f && slenderness >= 5.0f)
        return slenderness < 16.0f ? 8 : slenderness < 40.0f ? 16 : 32;
    return levels < 24.0f ? 4 : levels < 48.0f ? 8 : 12;
}

/* Returns the substeps that a chain of joints needs: a sweep passes a load on by one joint. */
static int substeps_of_joints(const dry_island *island)
{
    if (2 * island->joints < island->bodies || island->joints < 8)
        return 1;
    return island->joints < 24 ? 8 : island->joints < 64 ? 16 : 32;
}

static int substeps_of_ratio(float ratio)
{
    return ratio < 8.0f ? 1 : ratio < 30.0f ? 8 : ratio < 150.0f ? 16 : 32;
}

static void set_tier(dry_islands *islands, int island, int tier)
{
    if (islands->island[island].tier == tier)
        return;
    islands->island[island].tier = (int16_t)tier;
    islands->scheduled = false;
}

void dry_difficulty_rate(dry_solver_step *step)
{
    dry_islands *islands = step->islands;
    const dry_bodies *bodies = step->bodies;
    if (step->settings->substeps > 0) {
        int fixed = tier_of_substeps(step->settings->substeps);
        for (int i = 0; i < islands->count; i++)
            set_tier(islands, i, fixed);
        return;
    }
    dry_island_measure *measures = islands->measure;
    /* The radii are those of the last step while the graph is the same. */
    bool measured = islands->measured;
    for (int i = 0; i < islands->count; i++)
        measures[i] = (dry_island_measure){FLT_MAX, -FLT_MAX, measured ? measures[i].radius : 0.0f};
    dry_vec3 up = vec3_normalize_or(vec3_neg(step->settings->gravity), vec3(0.0f, 1.0f, 0.0f));
    dry_position origin = bodies->pose[0].position;
    for (int row = 0; row < bodies->awake_count; row++) {
        int island = bodies->sleep[row].island;
        if (island < 0 || islands->island[island].bodies < 2)
            continue;
        dry_island_measure *m = &measures[island];
        float at = vec3_dot(up, position_sub(bodies->pose[row].position, origin));
        m->low = dry_min(m->low, at);
        m->high = dry_max(m->high, at);
        if (!measured)
            m->radius += bodies->state[row].radius;
    }
    int lowest = tier_of_substeps(step->settings->substeps_min);
    for (int i = 0; i < islands->count; i++) {
        const dry_island *island = &islands->island[i];
        int wanted = lowest;
        if (island->bodies >= 2) {
            if (!measured)
                measures[i].radius = measures[i].radius / (float)island->bodies;
            int substeps = dry_max_int(substeps_of_shape(island, &measures[i]), substeps_of_joints(island));
            wanted = tier_of_substeps(dry_max_int(substeps, substeps_of_ratio(island->ratio)));
        }
        set_tier(islands, i, dry_max_int(lowest, wanted));
    }
    islands->measured = true;
}
