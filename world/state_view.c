/* Gathers what decides a world's future from where the parts keep it. Next: state/hash.c. */
#include "world/state_view.h"

#include "world/world.h"

dry_state dry_world_state(const dry_world *world)
{
    const dry_solver_state *solver = &world->solver;
    const dry_islands *islands = &world->islands;
    const bool has_slabs = solver->slab_rows > 0;
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
        .slabs = solver->slab,
        .schedule =
            {
                .slab_rows = solver->slab_rows,
                .slab_count = has_slabs ? solver->slab_count : 0,
                .slab_wait = solver->slab_wait,
                .slab_tiers = has_slabs ? solver->slab_tiers : 0,
                .graph_changed = islands->stale,
                .scheduled = islands->scheduled,
                .slabs_due = (has_slabs || solver->slab_wait > 0) && (islands->stale || !islands->scheduled),
            },
    };
}
