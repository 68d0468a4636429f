/* Tables between a world and what keeps them apart from it.
 *
 * Reads and writes: all tables of the world, and what is told of it. Next: snapshot/restore.c,
 * snapshot/history.c.
 */
#include "world/state_tables.h"

#include "solver/plan/islands.h"
#include "world/world.h"

dry_tables dry_world_state(const dry_world *world)
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
    return (dry_tables){
        world->bodies,
        world->shapes,
        *dry_broadphase_proxies(world->broadphase),
        world->contacts,
        world->joints,
        world->settings,
        world->sleep_changed,
        world->sleep_changed_capacity,
        world->sleep_changed_count,
        world->pending,
        solver->plan.slabs.slab,
        solver->plan.slabs.capacity,
        schedule,
        numbers,
        world->leases,
    };
}

/* Gives a world other tables, but for the proxies, which the broadphase has. */
static void take_over(dry_world *world, const dry_tables *t)
{
    world->bodies = t->bodies;
    world->shapes = t->shapes;
    world->contacts = t->contacts;
    world->joints = t->joints;
    world->settings = t->settings;
    world->sleep_changed = t->sleep_changes;
    world->sleep_changed_capacity = t->sleep_changes_capacity;
    world->sleep_changed_count = t->sleep_change_count;
    world->pending = t->pending;
    world->bodies.slots.leases = world->shapes.slots.leases = world->joints.slots.leases = &world->leases;
    world->solver.plan.slabs.slab = t->slabs;
    world->solver.plan.slabs.capacity = t->slabs_capacity;
}

/* Stage "contacts" comes before islands, and looks for bodies that were still where most of them were. */
void dry_world_forget_islands(dry_world *world)
{
    world->islands.staying = 0;
    for (int row = 0; row < world->bodies.awake_count; row++)
        world->islands.staying += world->bodies.sleep[row].still > 0;
    world->islands.count = world->islands.edge_count = world->islands.group_count = 0;
    world->islands.stale = true;
    world->islands.patched = world->islands.scheduled = world->islands.grouped = false;
    world->solver.sweeps.stored_dt = 0.0f;
}

static void set_numbers(dry_world *world, const dry_tables *t)
{
    dry_plan *plan = &world->solver.plan;
    const dry_world_numbers *n = &t->world;
    plan->slabs.rows = t->schedule.slab_rows;
    plan->slabs.count = t->schedule.slab_count;
    plan->slabs.wait = t->schedule.slab_wait;
    plan->slabs.tiers = t->schedule.slab_tiers;
    world->step_count = n->step_count;
    world->ways_dt = n->ways_dt;
    world->statistics = (dry_statistics){.crowded_pairs = n->crowded_pairs,
                                         .crowded_body = n->crowded_body,
                                         .triangle_pairs = n->triangle_pairs};
    world->pairs_left_out = n->pairs_left_out != 0;
    world->solver.sweeps.impact_counts =
        (dry_impact_counts){n->impacts, n->impact_solves, n->impacts_limited};
    world->solver.laws.repairs = n->repairs;
    world->islands.weighed = n->weighed != 0;
    world->hold.unsettled = n->unsettled != 0;
}

void dry_world_put_tables(dry_world *world, const dry_tables *tables, bool keeps)
{
    take_over(world, tables);
    set_numbers(world, tables);
    if (!keeps)
        dry_world_forget_islands(world);
}
