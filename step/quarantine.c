/* Quarantine: bodies whose motion is not finite, or over the limits of solver/bodies/invalid.h, are disabled.
 *
 * Reads the solver's invalid flags. Writes quarantine events, ends of contacts, the bodies' flags and rows.
 * Next: sleep.c. */
#include "step/stages.h"

#include "solver/bodies/invalid.h"
#include "world/change.h"
#include "world/check.h"
#include "world/joints.h"
#include "world/world.h"

static void quarantine_body(dry_world *world, int slot, dry_motion_fault fault)
{
    static const char *const what[] = {[DRY_TOO_FAST] = "too fast: over 1e5 m/s or 1e4 rad/s",
                                       [DRY_TOO_FAR] = "too far: beyond 1e9 m",
                                       [DRY_NOT_FINITE] = "no longer finite"};
    const dry_body_id id = dry_body_id_of(world, slot);
    DRY_ASSERT(world->events.quarantine_count < world->events.moved_count);
    world->events.quarantines[world->events.quarantine_count++] =
        (dry_quarantine_event){id, dry_body_state_of(&world->bodies, slot)->user_data};
    dry_world_fail(world, DRY_OK, "dry_world_step: body %016llx is %s; it is disabled",
                   (unsigned long long)id.bits, what[fault]);
    dry_body_disable(world, slot);
    dry_joints_forget_impulses(world, slot, false);
    dry_bodies_set_quarantined(&world->bodies, slot, true);
}

void dry_quarantine_invalid(dry_world *world)
{
    for (int row = world->bodies.awake_count - 1; row >= 0; row--)
        if (world->solver.bodies.invalid[row])
            quarantine_body(world, world->bodies.state[row].slot,
                            (dry_motion_fault)world->solver.bodies.invalid[row]);
}
