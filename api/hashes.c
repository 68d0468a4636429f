/* The hashes of a world. Next: state/hash.c. */
#include "world/state_tables.h"
#include "world/world.h"

#include <drystone/world.h>

uint64_t dry_world_hash(const dry_world *world)
{
    if (!world)
        return 0;
    dry_tables state = dry_world_state(world);
    return dry_state_hash(&state);
}

uint64_t dry_world_motion_hash(const dry_world *world)
{
    return world ? dry_state_motion_hash(&world->bodies) : 0;
}

uint64_t dry_world_stage_hash(const dry_world *world, dry_stage stage)
{
    return world && (unsigned)stage < DRY_STAGE_COUNT ? world->stage_hash[stage] : 0;
}
