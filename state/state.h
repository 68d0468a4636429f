/* All that decides a world's future: its tables in one struct, and its hashes. A world's own are a view of
 * arrays that stay the world's (world/state_tables.h); a load makes others apart from it (state/tables.h). */
#ifndef STATE_STATE_H
#define STATE_STATE_H

#include "state/columns.h"

typedef struct dry_tables {
    dry_bodies bodies;
    dry_shapes shapes;
    dry_proxies proxies;
    dry_contacts contacts;
    dry_joints joints;
    dry_settings settings;
    int32_t *sleep_changes; /* slots of bodies */
    int sleep_changes_capacity, sleep_change_count;
    dry_pending_events pending;
    uint16_t *slabs; /* by row, schedule.slab_rows of them */
    int slabs_capacity;
    dry_schedule_state schedule;
    dry_world_numbers world;
    dry_leases leases;
} dry_tables;

/* Returns a hash of all that decides the future. Fields at their defaults and absent columns add nothing, so
 * that a field or column added later leaves the hashes of worlds that do not use it. */
uint64_t dry_state_hash(const dry_tables *tables);

/* Returns a hash of poses and velocities, in the order in which the bodies were created. */
uint64_t dry_state_motion_hash(const dry_bodies *bodies);

#endif
