/* Stage hashes: the state hash, mixed with what the solver's stages keep outside the state. */
#include "solver/data/constraint.h"
#include "state/hash_mix.h"
#include "step/stages.h"
#include "world/state_tables.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* Mixes a vector. Motion that is no number sends its body into quarantine, and no step keeps it: the sign of
 * a NaN, which follows from the instruction set, does not count. */
static uint64_t hash_motion(uint64_t h, const float v[3])
{
    float numbers[3];
    for (int k = 0; k < 3; k++)
        numbers[k] = isnan(v[k]) ? NAN : v[k];
    return dry_hash_mix_floats(h, numbers, 3);
}

/* During the solver's stages motion is in the solver's rows. Rows count by slot. */
static uint64_t hash_rows(const dry_world *world, uint64_t h)
{
    const dry_bodies *bodies = &world->bodies;
    for (int slot = -1; (slot = dry_slots_next(&bodies->slots, slot)) >= 0;) {
        int row = dry_bodies_row(bodies, slot);
        if (row >= bodies->awake_count || bodies->state[row].type != DRY_BODY_DYNAMIC)
            continue;
        const dry_solver_row *r = &world->solver.bodies.rows[row + 1];
        h = hash_motion(h, r->ul);
        h = hash_motion(h, r->ua);
        h = hash_motion(h, r->dl);
        h = hash_motion(h, r->da);
    }
    return h;
}

/* Mixes the lanes in use of a joint bundle: others hold what the widths of the kernels leave there. */
static uint64_t hash_joints(uint64_t h, const char *bundle, size_t bytes, int lanes)
{
    for (size_t at = 0; at < bytes; at += sizeof(dry_lanes))
        h = dry_hash_mix_bytes(h, bundle + at, (size_t)lanes * sizeof(float));
    return h;
}

/* Mixes contact bundles. The sign of a zero does not count: products with the zeros of a missing point have
 * the signs of what the manifold held there before, which no load brings back. */
static uint64_t hash_contacts(uint64_t h, const char *bundles, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint32_t pair[2];
        memcpy(pair, bundles + at, sizeof pair);
        for (int k = 0; k < 2; k++)
            pair[k] = pair[k] == UINT32_C(0x80000000) ? 0 : pair[k];
        h = dry_hash_mix_bytes(h, pair, sizeof pair);
    }
    return h;
}

/* The constraints that the solver has of kinds [begin, end). */
static uint64_t hash_bundles(const dry_world *world, int begin, int end, uint64_t h)
{
    for (int k = begin; k < end; k++) {
        const dry_bundle_array *bundles = &world->solver.sweeps.bundles[k];
        const dry_constraint_kind *kind = dry_constraint_kinds[k];
        if (!bundles->bundle)
            continue;
        if (k == DRY_KIND_CONTACT)
            h = hash_contacts(h, bundles->bundle, (size_t)bundles->count * kind->bundle_bytes);
        for (int b = 0; k < DRY_KIND_JOINTS && b < bundles->count; b++) {
            char *bundle = (char *)bundles->bundle + (size_t)b * kind->bundle_bytes;
            if (kind->clear_unused)
                kind->clear_unused(bundle);
            h = hash_joints(h, bundle, kind->bundle_bytes, kind->lanes(&world->solver, kind, b));
        }
    }
    return h;
}

uint64_t dry_hash_stage(const dry_world *world, dry_stage stage, bool moves)
{
    dry_tables state = dry_world_state(world);
    uint64_t h = dry_state_hash(&state);
    if (moves && stage >= DRY_STAGE_PREPARE && stage <= DRY_STAGE_REPAIR)
        h = hash_rows(world, h);
    if (stage == DRY_STAGE_PREPARE)
        h = hash_bundles(world, DRY_KIND_CONTACT, DRY_KIND_COUNT, h);
    if (stage == DRY_STAGE_SOLVE) /* which begins some joints, too */
        h = hash_bundles(world, 0, DRY_KIND_JOINTS, h);
    return h;
}
