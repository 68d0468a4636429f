/* Waking and sleeping. Sleep is by island; waking floods through touching contacts and joints.
 *
 * Awake rows are dense (state/bodies.h), active contacts and joints are lists, so what sleeps costs a
 * step nothing. All room that waking needs was reserved when bodies, contacts and joints were made. */
#include "narrowphase/manifold_update.h"
#include "solver/islands/coloring.h"
#include "state/iterators.h"
#include "world/world.h"

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

static int colors_max(const dry_world *world)
{
    return world->settings.colors_max ? world->settings.colors_max : 64;
}

void dry_activate_joint(dry_world *world, int index)
{
    dry_joint *joint = &world->joints.joint[index];
    bool enabled_a = dry_body_state_of(&world->bodies, joint->body_a)->flags & DRY_BODY_ENABLED;
    bool enabled_b = dry_body_state_of(&world->bodies, joint->body_b)->flags & DRY_BODY_ENABLED;
    if (joint->active >= 0 || !enabled_a || !enabled_b)
        return;
    if (!dry_bodies_is_awake(&world->bodies, joint->body_a) &&
        !dry_bodies_is_awake(&world->bodies, joint->body_b))
        return;
    dry_joints_set_active(&world->joints, index, true);
    joint->color = dry_color_take(&world->bodies, joint->body_a, joint->body_b, colors_max(world));
    world->islands.stale = true;
}

void dry_deactivate_joint(dry_world *world, int index)
{
    dry_joint *joint = &world->joints.joint[index];
    if (joint->active < 0)
        return;
    dry_color_release(&world->bodies, joint->body_a, joint->body_b, joint->color);
    joint->color = DRY_COLOR_NONE;
    dry_joints_set_active(&world->joints, index, false);
    world->islands.stale = true;
}

/* Puts one sleeping body among the awake rows. */
static void rouse(dry_world *world, int slot)
{
    dry_bodies_set_awake(&world->bodies, slot, true);
    dry_update_resting(world, slot);
    *dry_body_rest_of(&world->bodies, slot) = (dry_body_rest){0.0f, -1};
    world->islands.stale = true;
    if (dry_body_state_of(&world->bodies, slot)->type == DRY_BODY_DYNAMIC)
        dry_event_sleep(world, slot);
}

/* The bodies that a flood is still to go on from, last in, first out: a list by slot through rest.island,
 * since what just woke or was just laid down is in no island until the next ones are built. */
static void push(dry_bodies *bodies, int *top, int slot)
{
    dry_body_rest_of(bodies, slot)->island = *top;
    *top = slot;
}

static int pop(dry_bodies *bodies, int *top)
{
    int slot = *top;
    dry_body_rest *rest = dry_body_rest_of(bodies, slot);
    *top = rest->island;
    rest->island = -1;
    return slot;
}

static void rouse_neighbor(dry_world *world, int slot, int *top)
{
    if (!is_dynamic(world, slot) || dry_bodies_is_awake(&world->bodies, slot))
        return;
    rouse(world, slot);
    push(&world->bodies, top, slot);
}

/* Makes a body's contacts and joints active and gives them colours; calls for its sleeping neighbours. */
static void activate_around(dry_world *world, int slot, int *top)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    dry_joint_iterator joint = dry_joints_of(&world->joints, state);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        dry_contact_link *link = &world->contacts.link[it.contact];
        dry_contacts_set_active(&world->contacts, it.contact, true);
        if (!(link->flags & DRY_CONTACT_TOUCHING))
            continue;
        /* Without points since a step that was refused for want of memory: the next one ends it. */
        if (link->color == DRY_COLOR_NONE && link->points > 0)
            link->color =
                (int8_t)dry_color_take(&world->bodies, link->body_a, link->body_b, colors_max(world));
        rouse_neighbor(world, it.other, top);
    }
    while (dry_next_joint(&joint)) {
        dry_activate_joint(world, joint.joint);
        rouse_neighbor(world, joint.other, top);
    }
}

void dry_wake_body(dry_world *world, int slot)
{
    if (!can_move(world, slot)) {
        dry_wake_neighbors(world, slot);
        return;
    }
    if (dry_bodies_is_awake(&world->bodies, slot)) {
        dry_body_rest_of(&world->bodies, slot)->timer = 0.0f;
        return;
    }
    rouse(world, slot);
    int top = -1;
    push(&world->bodies, &top, slot);
    while (top >= 0)
        activate_around(world, pop(&world->bodies, &top), &top);
}

void dry_wake_neighbors(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    dry_joint_iterator joint = dry_joints_of(&world->joints, state);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
        if ((world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING) && is_dynamic(world, it.other))
            dry_wake_body(world, it.other);
    while (dry_next_joint(&joint))
        if (is_dynamic(world, joint.other))
            dry_wake_body(world, joint.other);
}

static void wake_if_asleep(void *context, uint32_t shape)
{
    dry_world *world = context;
    int slot = world->shapes.form[shape].body;
    if (is_dynamic(world, slot) && !dry_bodies_is_awake(&world->bodies, slot))
        dry_wake_body(world, slot);
}

/* A half-space has no bounds to ask with: every sleeper's height is taken. */
static void wake_within(dry_world *world, const dry_shape_form *halfspace)
{
    const dry_bodies *bodies = &world->bodies;
    for (int slot = -1; (slot = dry_slots_next(&bodies->slots, slot)) >= 0;) {
        if (!is_dynamic(world, slot) || dry_bodies_is_awake(bodies, slot))
            continue;
        int row = dry_bodies_row(bodies, slot);
        double height = dry_halfspace_height(bodies, halfspace, bodies->pose[row].position);
        if (height <= (double)(bodies->state[row].radius + DRY_HALFSPACE_MARGIN))
            dry_wake_body(world, slot);
    }
}

void dry_wake_overlapped(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    /* A body that is awake finds what it touches by itself. */
    if (!(state->flags & DRY_BODY_ENABLED) || dry_bodies_is_awake(&world->bodies, slot))
        return;
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);) {
        if (world->shapes.form[it.shape].geometry.type == DRY_SHAPE_HALFSPACE) {
            wake_within(world, &world->shapes.form[it.shape]);
        } else {
            dry_bounds bounds = dry_shape_bounds(world, it.shape);
            dry_broadphase_query(world->broadphase, &bounds, wake_if_asleep, world);
        }
    }
}

void dry_forget_forces(dry_bodies *bodies, int slot)
{
    int row = dry_bodies_row(bodies, slot);
    if (!(bodies->state[row].flags & DRY_BODY_FORCED))
        return;
    bodies->force[row] = (dry_body_force){0};
    bodies->state[row].flags &= ~(uint32_t)DRY_BODY_FORCED;
}

/* Whether an island has rested long enough; with sleep_after 0 that is one step. */
static bool is_sleepy(const dry_world *world, const dry_island *island)
{
    return world->settings.sleep && !island->driven && island->rest_time > 0.0f &&
           island->rest_time >= world->settings.sleep_after;
}

static void lay_down(dry_world *world, int slot)
{
    dry_bodies *bodies = &world->bodies;
    dry_forget_forces(bodies, slot);
    int row = dry_bodies_row(bodies, slot);
    bodies->velocity[row] = (dry_body_velocity){0};
    bodies->rest[row] = (dry_body_rest){0.0f, -1};
    dry_bodies_set_awake(bodies, slot, false);
    dry_update_resting(world, slot);
    if (dry_body_state_of(bodies, slot)->type == DRY_BODY_DYNAMIC)
        dry_event_sleep(world, slot);
}

static void lay_neighbor_down(dry_world *world, int slot, int *top)
{
    if (!is_dynamic(world, slot) || !dry_bodies_is_awake(&world->bodies, slot))
        return;
    lay_down(world, slot);
    push(&world->bodies, top, slot);
}

/* Contacts and joints that no awake body holds any more leave the active lists and give back colours. */
static void retire_constraints(dry_world *world)
{
    dry_bodies *bodies = &world->bodies;
    for (int contact = -1; (contact = dry_contacts_next_active(&world->contacts, contact)) >= 0;) {
        dry_contact_link *link = &world->contacts.link[contact];
        if (dry_bodies_is_awake(bodies, link->body_a) || dry_bodies_is_awake(bodies, link->body_b))
            continue;
        dry_color_release(bodies, link->body_a, link->body_b, link->color);
        link->color = DRY_COLOR_NONE;
        dry_contacts_set_active(&world->contacts, contact, false);
    }
    for (int i = world->joints.active_count - 1; i >= 0; i--) {
        int index = world->joints.active[i];
        const dry_joint *joint = &world->joints.joint[index];
        if (!dry_bodies_is_awake(bodies, joint->body_a) && !dry_bodies_is_awake(bodies, joint->body_b))
            dry_deactivate_joint(world, index);
    }
    world->islands.stale = true;
}

void dry_sleep_body_island(dry_world *world, int slot)
{
    dry_bodies *bodies = &world->bodies;
    if (!dry_bodies_is_awake(bodies, slot))
        return;
    /* Islands may be stale between steps, so the island is found by flooding. Laying a body down marks
     * it as seen. */
    int top = -1;
    lay_down(world, slot);
    push(bodies, &top, slot);
    while (top >= 0) {
        const dry_body_state *state = dry_body_state_of(bodies, pop(bodies, &top));
        dry_joint_iterator joint = dry_joints_of(&world->joints, state);
        for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
            if (world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING)
                lay_neighbor_down(world, it.other, &top);
        while (dry_next_joint(&joint))
            lay_neighbor_down(world, joint.other, &top);
    }
    retire_constraints(world);
}

void dry_sleep_islands(dry_world *world)
{
    dry_bodies *bodies = &world->bodies;
    dry_islands *islands = &world->islands;
    bool resting_kinematic = false;
    for (int i = 0; i < islands->count; i++)
        islands->island[i].rest_time = FLT_MAX;
    for (int row = 0; row < bodies->awake_count; row++) {
        const dry_body_rest *rest = &bodies->rest[row];
        if (rest->island < 0) {
            const dry_body_velocity *v = &bodies->velocity[row];
            resting_kinematic |= bodies->state[row].type == DRY_BODY_KINEMATIC &&
                                 vec3_length_squared(v->linear) + vec3_length_squared(v->angular) == 0.0f;
            continue;
        }
        dry_island *island = &islands->island[rest->island];
        island->rest_time = dry_min(island->rest_time, rest->timer);
    }
    bool some = resting_kinematic;
    for (int i = 0; i < islands->count; i++)
        some |= is_sleepy(world, &islands->island[i]);
    if (!some)
        return;
    /* From the last row down: laying a body down swaps it with the last awake row, which has been seen. */
    for (int row = bodies->awake_count - 1; row >= 0; row--) {
        int island = bodies->rest[row].island;
        bool down;
        if (island >= 0) {
            down = is_sleepy(world, &islands->island[island]);
        } else {
            const dry_body_velocity *v = &bodies->velocity[row];
            down = bodies->state[row].type == DRY_BODY_KINEMATIC &&
                   vec3_length_squared(v->linear) + vec3_length_squared(v->angular) == 0.0f;
        }
        if (down)
            lay_down(world, bodies->state[row].slot);
    }
    retire_constraints(world);
}
