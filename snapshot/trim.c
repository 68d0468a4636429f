/* A world's memory becomes what its state needs. The state is loaded from its own save into memory of its
 * own; then the two memories change places, and the old one goes as a whole. Whatever steps derive from the
 * state is made anew, as after any load. A load that is no smaller is dropped.
 *
 * Reads: the state. Writes: where everything lies. Next: snapshot/restore.c. */
#include "snapshot/restore.h"

#include "solver/plan/islands.h"
#include "world/bounds.h"
#include "world/events.h"
#include "world/state_tables.h"
#include "world/world.h"

/* A world's memory, and what of it is replaced with it. */
typedef struct old_home {
    dry_memory memory;
    dry_scratch scratch;
    dry_broadphase *broadphase;
} old_home;

/* Returns for how many more contacts there will be room: a sixteenth of them, so that one more does not ask
 * for a quarter, but no more than there was. */
static int contacts_to_come(const dry_contacts *contacts)
{
    const int used = dry_contacts_in_use(contacts);
    return dry_min_int(used / 16, contacts->manifold_capacity - used);
}

/* Loads the world's state into its memory, which is empty, with room for all that calls between steps need.
 */
static bool load(dry_world *world, dry_tables *to, dry_plan *plan)
{
    dry_memory *memory = &world->memory;
    dry_save_fault fault;
    if (!dry_restore_own(world, contacts_to_come(&world->contacts), memory, to, &fault)) {
        DRY_ASSERT(!fault.text); /* a world's own state is sound */
        return false;
    }
    const int slots = to->bodies.slots.used;
    world->broadphase = dry_broadphase_create(memory, &world->scratch, dry_halfspace_reaches, world);
    if (world->broadphase && dry_broadphase_reserve_like(world->broadphase, &to->proxies) &&
        dry_scratch_promise(&world->scratch, memory, DRY_PROMISE_FLOOD,
                            (size_t)to->bodies.count * sizeof(int32_t)) &&
        dry_scratch_promise(&world->scratch, memory, DRY_PROMISE_SET,
                            slots > 0 ? (size_t)dry_slot_set_words(slots) * sizeof(uint32_t) : 0) &&
        DRY_RESERVE(memory, plan->slabs.bodies, plan->slabs.bodies_capacity, to->schedule.slab_count))
        return true;
    dry_shapes_hold_data(&to->shapes, false);
    return false;
}

/* Gives the world its new tables. Drops what the solver and the islands derive from the old ones, and keeps
 * what they alone have. */
static void take(dry_world *world, const dry_tables *tables, const dry_plan *fresh)
{
    const dry_solver_state *old = &world->solver;
    const dry_statistics statistics = world->statistics;
    dry_solver_state solver = {.plan = *fresh};
    solver.plan.colors = old->plan.colors;
    solver.plan.overflow = old->plan.overflow;
    solver.sweeps.level = old->sweeps.level;
    world->solver = solver;
    world->islands = (dry_islands){.stale = true};
    world->events = (dry_event_store){.step_ends = false};
    world->hold = (dry_hold){.unsettled = false};
    dry_world_put_tables(world, tables, false);
    world->statistics = statistics;
}

/* Hands over the blocks that are not replaced. */
static void hand_over(dry_world *world, dry_memory *from, dry_memory *to)
{
    dry_jobs_hand_over(from, to, world->jobs);
    if (world->recorder)
        dry_memory_hand_over(from, to, world->recorder);
    dry_memory_hand_over(from, to, world);
}

/* Drops the new memory, from which nothing was taken. Its allocations count. */
static void go_back(dry_world *world, const old_home *old)
{
    const uint64_t allocations = world->memory.allocations;
    dry_memory_release_all(&world->memory);
    world->memory = old->memory;
    world->memory.allocations = allocations;
    world->scratch = old->scratch;
    world->broadphase = old->broadphase;
}

bool dry_world_move_to_less(dry_world *world)
{
    old_home old = {world->memory, world->scratch, world->broadphase};
    dry_tables from, to;
    dry_plan plan = {.slabs.bodies = NULL};
    from = dry_world_state(world);
    dry_memory_init(&world->memory, old.memory.allocator);
    world->memory.allocations = old.memory.allocations;
    world->scratch = (dry_scratch){.block = NULL};
    if (!load(world, &to, &plan)) {
        go_back(world, &old);
        return false;
    }
    dry_broadphase_restore(world->broadphase, &to.proxies);
#define X(ID, type, name, ...) DRY_RELEASE(&world->memory, to.proxies.name, to.proxies.name##_capacity);
    DRY_PROXY_COLUMNS(X)
#undef X
    const size_t held = old.memory.bytes;
    hand_over(world, &old.memory, &world->memory);
    if (world->memory.bytes >= held) {
        hand_over(world, &world->memory, &old.memory);
        dry_shapes_hold_data(&to.shapes, false);
        go_back(world, &old);
        dry_events_clear(world);
        return true;
    }
    dry_shapes_hold_data(&from.shapes, false);
    take(world, &to, &plan);
    dry_memory_release_all(&old.memory);
    return true;
}
