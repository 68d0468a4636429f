/* Waking bodies and putting them to sleep.
 *
 * Awake bodies have dense rows (state/bodies.h), and active contacts and joints are listed, so a step spends
 * no time on sleeping bodies. Reads contacts and joints. Writes the order of rows, velocities, sleep timers,
 * activity, colors, the list of sleep changes. step/finalize.c advances the sleep timers. */
#include "world/sleep.h"

#include "state/iterators.h"
#include "state/joint_list.h"
#include "world/bounds.h"
#include "world/constraint_graph.h"
#include "world/events.h"
#include "world/world.h"

#include <string.h>

static bool can_move(const dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    return (state->flags & DRY_BODY_ENABLED) && state->type != DRY_BODY_STATIC;
}

static bool is_dynamic(const dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    return (state->flags & DRY_BODY_ENABLED) && state->type == DRY_BODY_DYNAMIC;
}

bool dry_body_is_sleeper(const dry_world *world, int slot)
{
    return is_dynamic(world, slot) && !dry_bodies_is_awake(&world->bodies, slot) &&
           !dry_body_is_held(world, slot);
}

/* Takes a body out of its island, which it joins anew when it is awake. Its load and rest stay as they were.
 */
static void leave_island(const dry_bodies *bodies, int slot)
{
    dry_body_sleep *sleep = dry_body_sleep_of(bodies, slot);
    sleep->timer = 0.0f;
    sleep->island = -1;
}

/* Moves one sleeping body to the awake rows. */
static void wake(dry_world *world, int slot)
{
    DRY_ASSERT(can_move(world, slot));
    dry_bodies_set_awake(&world->bodies, slot, true);
    dry_body_update_sleeping(world, slot);
    leave_island(&world->bodies, slot);
    world->islands.stale = true;
    if (dry_body_state_of(&world->bodies, slot)->type == DRY_BODY_DYNAMIC)
        dry_events_list_sleep_change(world, slot);
}

/* Lets an awake body stay so for a while. */
static void stay_awake(const dry_world *world, int slot)
{
    dry_bodies_mark(&world->bodies, slot);
    dry_body_sleep_of(&world->bodies, slot)->timer = 0.0f;
}

/* Does so on loads that are found anew. */
static void disturb(const dry_world *world, int slot)
{
    stay_awake(world, slot);
    dry_body_sleep_of(&world->bodies, slot)->rest = DRY_REST_ENDS;
}

/* Notes that a held body is to wake when the step is over: it has lost a support. */
static void wake_later(dry_world *world, int slot)
{
    dry_hold *hold = &world->hold;
    hold->wake_count += !dry_slot_set_has(hold->wakes, slot);
    dry_slot_set_add(hold->wakes, slot);
}

void dry_body_reset_sleep_timer(dry_world *world, int slot)
{
    if (!is_dynamic(world, slot))
        return;
    if (dry_body_is_held(world, slot))
        wake_later(world, slot);
    else if (dry_bodies_is_awake(&world->bodies, slot))
        disturb(world, slot);
}

void dry_body_put_to_sleep(dry_world *world, int slot)
{
    dry_bodies *bodies = &world->bodies;
    dry_body_clear_forces(bodies, slot);
    dry_bodies_drop_target(bodies, dry_bodies_row(bodies, slot));
    *dry_body_velocity_of(bodies, slot) = (dry_body_velocity){0};
    leave_island(bodies, slot);
    dry_bodies_set_awake(bodies, slot, false);
    dry_body_update_sleeping(world, slot);
    if (dry_body_state_of(bodies, slot)->type == DRY_BODY_DYNAMIC)
        dry_events_list_sleep_change(world, slot);
}

/* A flood from body to body: those whose neighbors are still to be visited, last in, first out. Each body
 * gets there once at most, so the promised scratch memory has room. */
typedef struct flood {
    size_t mark;
    int32_t *slot;
    int count;
    uint32_t *visited; /* set of slots; null: the flood ends at awake bodies */
} flood;

static flood begin_flood(dry_world *world, int slot)
{
    flood f = {.mark = world->scratch.used, .count = 1};
    f.slot = DRY_SCRATCH_TAKE(&world->scratch, int32_t, world->bodies.count);
    f.slot[0] = slot;
    return f;
}

static void end_flood(dry_world *world, const flood *f)
{
    dry_scratch_give_back(&world->scratch, f->mark);
}

/* Tells whether a flood that goes through awake bodies comes to this one for the first time. */
static bool visits(const dry_world *world, int slot, const flood *f)
{
    return f->visited && is_dynamic(world, slot) && !dry_body_is_held(world, slot) &&
           !dry_slot_set_has(f->visited, slot);
}

static void wake_and_push(dry_world *world, int slot, flood *f)
{
    const bool sleeps = dry_body_is_sleeper(world, slot);
    if (!sleeps && !visits(world, slot, f))
        return;
    if (f->visited)
        dry_slot_set_add(f->visited, slot);
    if (sleeps)
        wake(world, slot);
    f->slot[f->count++] = slot;
}

/* Finds the bodies to which a joint carries motion: all that it holds by rows while it is enabled, without
 * the world. Returns how many there are. */
static int find_joined(const dry_world *world, int joint, int body[DRY_JOINT_SIDES])
{
    const dry_joint *of = &world->joints.joint[joint];
    int count = 0;
    if ((of->flags & DRY_JOINT_ENABLED) && dry_joint_has(world->joints.def[joint].type, DRY_JOINT_HAS_ROWS))
        for (int side = of->body_a < 0; side < dry_joint_sides(of); side++)
            body[count++] = dry_joint_body(&world->joints, joint, side);
    return count;
}

/* Activates a body's contacts and joints, and wakes its sleeping neighbors; `joined`: those alone to which a
 * joint leads. */
static void activate_around(dry_world *world, int slot, bool joined, flood *f)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    dry_joint_iterator joint = dry_joints_of(&world->joints, state);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        dry_contact_activate(world, it.contact);
        if (!joined && (world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING))
            wake_and_push(world, it.other, f);
    }
    while (dry_next_joint(&joint)) {
        dry_joint_activate(world, joint.joint);
        int body[DRY_JOINT_SIDES];
        const int count = find_joined(world, joint.joint, body);
        for (int i = 0; i < count; i++)
            wake_and_push(world, body[i], f);
    }
}

/* Wakes a sleeping body and those that contacts and joints, or joints alone, connect with it. */
static void wake_from(dry_world *world, int slot, bool joined)
{
    const int first = world->bodies.awake_count;
    wake(world, slot);
    flood f = begin_flood(world, slot);
    while (f.count > 0)
        activate_around(world, f.slot[--f.count], joined, &f);
    end_flood(world, &f);
    /* Joints bring loads without a motion: sleepers look at those of a machine at once. */
    if (joined && world->bodies.awake_count == first + 1)
        world->bodies.state[first].flags |= DRY_BODY_UNMOVED;
}

void dry_body_rouse(dry_world *world, int slot)
{
    if (!can_move(world, slot)) {
        dry_body_wake_neighbors(world, slot);
        return;
    }
    if (dry_bodies_is_awake(&world->bodies, slot))
        stay_awake(world, slot);
    else
        wake(world, slot);
    const size_t mark = world->scratch.used;
    const int words = dry_slot_set_words(world->bodies.slots.used);
    uint32_t *visited = DRY_SCRATCH_TAKE(&world->scratch, uint32_t, words);
    memset(visited, 0, (size_t)words * sizeof *visited);
    dry_slot_set_add(visited, slot);
    flood f = begin_flood(world, slot);
    f.visited = visited;
    while (f.count > 0)
        activate_around(world, f.slot[--f.count], false, &f);
    dry_scratch_give_back(&world->scratch, mark);
}

void dry_body_wake_alone(dry_world *world, int slot)
{
    DRY_ASSERT(is_dynamic(world, slot));
    if (!dry_bodies_is_awake(&world->bodies, slot))
        wake_from(world, slot, true);
    disturb(world, slot);
}

void dry_body_wake(dry_world *world, int slot)
{
    if (dry_body_is_held(world, slot)) {
        wake_later(world, slot);
        return;
    }
    dry_body_state_of(&world->bodies, slot)->flags &= ~(uint32_t)DRY_BODY_UNMOVED;
    if (!can_move(world, slot)) {
        dry_body_wake_neighbors(world, slot);
        return;
    }
    if (!dry_bodies_is_awake(&world->bodies, slot))
        wake_from(world, slot, false);
    disturb(world, slot);
}

void dry_body_wake_neighbors(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    dry_joint_iterator joint = dry_joints_of(&world->joints, state);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
        if ((world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING) && is_dynamic(world, it.other))
            dry_body_wake(world, it.other);
    while (dry_next_joint(&joint)) {
        int body[DRY_JOINT_SIDES];
        const int count = find_joined(world, joint.joint, body);
        for (int i = 0; i < count; i++)
            if (body[i] != slot && is_dynamic(world, body[i]))
                dry_body_wake(world, body[i]);
    }
}

typedef struct sleeper_search {
    const dry_world *world;
    uint32_t *found; /* set of slots, in scratch memory */
} sleeper_search;

static void find_sleeper(void *context, uint32_t shape)
{
    const sleeper_search *search = context;
    int slot = search->world->shapes.form[shape].body;
    if (dry_body_is_sleeper(search->world, slot))
        dry_slot_set_add(search->found, slot);
}

/* Bodies wake in the order of their slots. The order in which trees find them depends on the trees' history,
 * which is not part of the world's state. */
void dry_body_wake_overlapping(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    /* The next step's stage "pairs" finds what an awake body touches. */
    if (!(state->flags & DRY_BODY_ENABLED) || dry_bodies_is_awake(&world->bodies, slot))
        return;
    size_t mark = world->scratch.used;
    int words = dry_slot_set_words(world->bodies.slots.used);
    sleeper_search search = {world, DRY_SCRATCH_TAKE(&world->scratch, uint32_t, words)};
    memset(search.found, 0, (size_t)words * sizeof *search.found);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        dry_shape_visit_overlapping(world, it.shape, find_sleeper, &search);
    for (int found = -1; (found = dry_slot_set_next(search.found, words, found)) >= 0;)
        if (dry_body_is_sleeper(world, found)) /* an earlier body of the set may have woken this one */
            dry_body_wake(world, found);
    dry_scratch_give_back(&world->scratch, mark);
}

void dry_body_clear_forces(dry_bodies *bodies, int slot)
{
    int row = dry_bodies_row(bodies, slot);
    if (!(bodies->state[row].flags & DRY_BODY_FORCED))
        return;
    bodies->force[row] = (dry_body_force){0};
    bodies->state[row].flags &= ~(uint32_t)DRY_BODY_FORCED;
}

static void put_to_sleep_and_push(dry_world *world, int slot, flood *f)
{
    if (!is_dynamic(world, slot) || !dry_bodies_is_awake(&world->bodies, slot))
        return;
    dry_body_put_to_sleep(world, slot);
    f->slot[f->count++] = slot;
}

void dry_body_sleep_island(dry_world *world, int slot)
{
    dry_bodies *bodies = &world->bodies;
    if (!dry_bodies_is_awake(bodies, slot))
        return;
    /* Islands may be stale between steps, so a flood finds this one. A sleeping body counts as visited. */
    dry_body_put_to_sleep(world, slot);
    flood f = begin_flood(world, slot);
    while (f.count > 0) {
        const dry_body_state *state = dry_body_state_of(bodies, f.slot[--f.count]);
        dry_joint_iterator joint = dry_joints_of(&world->joints, state);
        for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
            if (world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING)
                put_to_sleep_and_push(world, it.other, &f);
        while (dry_next_joint(&joint)) {
            int body[DRY_JOINT_SIDES];
            const int count = find_joined(world, joint.joint, body);
            for (int i = 0; i < count; i++)
                put_to_sleep_and_push(world, body[i], &f);
        }
    }
    end_flood(world, &f);
    dry_constraints_deactivate_sleeping(world);
}
