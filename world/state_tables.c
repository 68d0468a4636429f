/* Tables between a world and what keeps them apart from it.
 *
 * Reads and writes: all tables of the world, and what is told of it. Next: snapshot/restore.c,
 * snapshot/history.c.
 */
#include "world/state_tables.h"

#include "world/state_view.h"
#include "world/world.h"

void dry_world_take_tables(const dry_world *world, dry_tables *tables)
{
    const dry_state state = dry_world_state(world);
    dry_tables_init(tables);
    tables->bodies = world->bodies;
    tables->shapes = world->shapes;
    tables->proxies = *state.proxies;
    tables->contacts = world->contacts;
    tables->joints = world->joints;
    tables->settings = world->settings;
    tables->sleep_changes = world->sleep_changed;
    tables->sleep_changes_capacity = world->sleep_changed_capacity;
    tables->sleep_change_count = world->sleep_changed_count;
    tables->pending = world->pending;
    tables->slabs = world->solver.plan.slabs.slab;
    tables->slabs_capacity = world->solver.plan.slabs.capacity;
    tables->schedule = state.schedule;
    tables->world = state.world;
    tables->leases = world->leases;
}

void dry_world_take_over(dry_world *world, const dry_tables *t)
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
        world->islands.staying += world->bodies.sleep[row].still;
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
    dry_world_take_over(world, tables);
    set_numbers(world, tables);
    if (!keeps)
        dry_world_forget_islands(world);
}
