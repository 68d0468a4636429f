/* Gathers what decides a world's future from where the parts keep it. Next: state/hash.c. */
#include "world/state_view.h"

#include "solver/plan/islands.h"
#include "world/world.h"

dry_state dry_world_state(const dry_world *world)
{
    const dry_solver_state *solver = &world->solver;
    const dry_islands *islands = &world->islands;
    const bool has_slabs = solver->plan.slabs.rows > 0;
    /* The fields of the schedule, by their names in its list: one that is missing here does not compile. */
    const int32_t slab_rows = solver->plan.slabs.rows;
    const int32_t slab_count = has_slabs ? solver->plan.slabs.count : 0;
    const int32_t slab_wait = solver->plan.slabs.wait;
    const uint32_t slab_tiers = has_slabs ? solver->plan.slabs.tiers : 0;
    const int32_t graph_changed = islands->stale;
    const int32_t scheduled = islands->scheduled;
    const dry_order order = world->settings.method.order;
    const bool draws = order == DRY_ORDER_SHUFFLED || order == DRY_ORDER_SHUFFLED_SWEEPS;
    const uint32_t shuffle = draws ? (uint32_t)world->step_count : 0;
#define FIELD(T, number, type, name, ...) .name = name,
    const dry_schedule_state schedule = {DRY_SCHEDULE_FIELDS(FIELD, dry_schedule_state)};
#undef FIELD
    const uint64_t step_count = world->step_count;
    const float ways_dt = world->ways_dt;
    const int32_t weighed = islands->weighed;
    const int64_t unsettled = world->hold.unsettled;
    const dry_body_id crowded_body = world->statistics.crowded_body;
    const int32_t crowded_pairs = world->statistics.crowded_pairs, pairs_left_out = world->pairs_left_out;
    const uint64_t triangle_pairs = world->statistics.triangle_pairs;
    const uint64_t impacts = solver->sweeps.impact_counts.impacts,
                   impact_solves = solver->sweeps.impact_counts.solves,
                   impacts_limited = solver->sweeps.impact_counts.limited, repairs = solver->laws.repairs;
#define FIELD(T, number, type, name, ...) .name = name,
    const dry_world_numbers numbers = {DRY_WORLD_FIELDS(FIELD, dry_world_numbers)};
#undef FIELD
    /* Values in the order of the fields: one too few is a warning, and warnings are errors. */
    return (dry_state){
        &world->bodies,
        &world->shapes,
        dry_broadphase_proxies(world->broadphase),
        &world->contacts,
        &world->joints,
        &world->settings,
        world->sleep_changed,
        world->sleep_changed_count,
        &world->pending,
        solver->plan.slabs.slab,
        schedule,
        numbers,
        &world->leases,
    };
}
