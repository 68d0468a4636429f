/* A world's memory becomes what its state needs. The state is copied to memory of its own; then the two
 * memories change places, and the old one goes as a whole. Whatever steps derive from the state is made anew,
 * as after a load. A copy that is no smaller is dropped.
 *
 * Reads: the state. Writes: where everything lies. Next: state/tables_copy.c, snapshot/restore.c. */
#include "world/trim.h"

#include "solver/plan/islands.h"
#include "state/tables.h"
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

/* Makes room in the world's memory, which is empty, for all that calls between steps need. */
static bool move(dry_world *world, const dry_tables *from, dry_tables *to, dry_plan *plan)
{
    dry_memory *memory = &world->memory;
    const int slots = from->bodies.slots.used;
    world->broadphase = dry_broadphase_create(memory, &world->scratch, dry_halfspace_reaches, world);
    return world->broadphase && dry_tables_copy(to, from, memory) &&
           dry_broadphase_reserve_like(world->broadphase, &to->proxies) &&
           dry_scratch_promise(&world->scratch, memory, DRY_PROMISE_FLOOD,
                               (size_t)to->bodies.count * sizeof(int32_t)) &&
           dry_scratch_promise(&world->scratch, memory, DRY_PROMISE_SET,
                               slots > 0 ? (size_t)dry_slot_set_words(slots) * sizeof(uint32_t) : 0) &&
           DRY_RESERVE(memory, plan->slabs.bodies, plan->slabs.bodies_capacity, to->schedule.slab_count);
}

/* Drops what the solver and the islands derive from the state, and keeps what they alone have. */
static void forget_derived(dry_world *world, const dry_tables *t, const dry_plan *fresh)
{
    const dry_solver_state *old = &world->solver;
    dry_solver_state solver = {.plan = *fresh};
    solver.plan.slabs.rows = t->schedule.slab_rows;
    solver.plan.slabs.count = t->schedule.slab_count;
    solver.plan.slabs.wait = t->schedule.slab_wait;
    solver.plan.slabs.tiers = t->schedule.slab_tiers;
    solver.plan.colors = old->plan.colors;
    solver.plan.overflow = old->plan.overflow;
    solver.sweeps.level = old->sweeps.level;
    solver.sweeps.impact_counts = old->sweeps.impact_counts;
    solver.laws.repairs = old->laws.repairs;
    world->solver = solver;
    world->islands = (dry_islands){.stale = true, .weighed = world->islands.weighed};
    world->events = (dry_event_store){.step_ends = false};
    world->hold = (dry_hold){.unsettled = world->hold.unsettled};
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
    dry_world_take_tables(world, &from);
    dry_memory_init(&world->memory, old.memory.allocator);
    world->memory.allocations = old.memory.allocations;
    world->scratch = (dry_scratch){.block = NULL};
    if (!move(world, &from, &to, &plan)) {
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
        go_back(world, &old);
        dry_events_clear(world);
        return true;
    }
    forget_derived(world, &to, &plan);
    dry_world_take_over(world, &to);
    dry_memory_release_all(&old.memory);
    return true;
}
