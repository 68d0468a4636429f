/* Gathers what decides a world's future from where the parts keep it. Next: state/hash.c. */
#include "world/state_view.h"

#include "world/world.h"

dry_state dry_world_state(const dry_world *world)
{
    const dry_solver_state *solver = &world->solver;
    return (dry_state){
        .bodies = &world->bodies,
        .shapes = &world->shapes,
        .proxies = dry_broadphase_proxies(world->broadphase),
        .contacts = &world->contacts,
        .joints = &world->joints,
        .settings = &world->settings,
        .sleep_changes = world->sleep_changed,
        .sleep_change_count = world->sleep_changed_count,
        .pending_ends = world->pending.contact_ends,
        .pending_end_count = world->pending.contact_end_count,
        .halfspaces = world->halfspaces,
        .halfspace_count = world->halfspace_count,
        .slabs = solver->slab,
        .schedule =
            {
                .slab_rows = solver->slab_rows,
                .slab_count = solver->slab_rows > 0 ? solver->slab_count : 0,
                .slab_wait = solver->slab_wait,
                .slab_tiers = solver->slab_rows > 0 ? solver->slab_classes : 0,
                .graph_changed = world->islands.stale,
                .scheduled = world->islands.scheduled,
            },
    };
}
