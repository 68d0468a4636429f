/* All that decides a world's future, in one view, and its hashes.
 *
 * world/state_view.h fills the view: state/ knows nothing of worlds. */
#ifndef STATE_STATE_H
#define STATE_STATE_H

#include "state/columns.h"

typedef struct dry_state {
    const dry_bodies *bodies;
    const dry_shapes *shapes;
    const dry_proxies *proxies;
    const dry_contacts *contacts;
    const dry_joints *joints;
    const dry_settings *settings;
    const int32_t *sleep_changes; /* slots of bodies */
    int sleep_change_count;
    const dry_pending_events *pending;
    const uint16_t *slabs; /* by row, schedule.slab_rows of them */
    dry_schedule_state schedule;
    dry_world_numbers world;
    const dry_leases *leases;
} dry_state;

/* Returns a hash of all that decides the future. Fields at their defaults and absent columns add nothing, so
 * that a field or column added later leaves the hashes of worlds that do not use it. */
uint64_t dry_state_hash(const dry_state *state);

/* Returns a hash of poses and velocities, in the order in which the bodies were created. */
uint64_t dry_state_motion_hash(const dry_bodies *bodies);

#endif
