/* Activation of contacts and joints, their colors, and the ends of contacts.
 *
 * Reads bodies' sleep states. Writes active bits and lists, colors, pending end events. */
#include "world/constraint_graph.h"

#include "solver/plan/coloring.h"
#include "state/iterators.h"
#include "state/joint_list.h"
#include "world/events.h"
#include "world/world.h"

static int colors_max(const dry_world *world)
{
    return world->settings.method.colors_max ? world->settings.method.colors_max : DRY_COLOR_OVERFLOW;
}

/* Tells whether a joint lies between a body of whose joints this is one, and the other body, and lets them
 * not touch. */
static bool forbids(const dry_joints *joints, const dry_joint_iterator *it, int other)
{
    return it->side < 2 && dry_joint_body(joints, it->joint, 1 - it->side) == other &&
           dry_joint_forbids_contacts(joints, it->joint);
}

/* Walks the joints of both bodies at once: the shorter list ends the walk, since a hub may have thousands. */
static bool joint_forbids(const dry_bodies *bodies, const dry_joints *joints, int body_a, int body_b)
{
    dry_joint_iterator a = dry_joints_of(joints, dry_body_state_of(bodies, body_a));
    dry_joint_iterator b = dry_joints_of(joints, dry_body_state_of(bodies, body_b));
    while (dry_next_joint(&a) && dry_next_joint(&b))
        if (forbids(joints, &a, body_b) || forbids(joints, &b, body_a))
            return true;
    return false;
}

bool dry_shapes_may_touch(const dry_bodies *bodies, const dry_shapes *shapes, const dry_joints *joints,
                          int shape_a, int shape_b)
{
    const int a = shapes->form[shape_a].body, b = shapes->form[shape_b].body;
    if (a == b || (dry_body_state_of(bodies, a)->type != DRY_BODY_DYNAMIC &&
                   dry_body_state_of(bodies, b)->type != DRY_BODY_DYNAMIC))
        return false;
    return dry_shapes_filters_agree(shapes, shape_a, shape_b) && !joint_forbids(bodies, joints, a, b);
}

void dry_contact_take_color(dry_world *world, int contact)
{
    dry_contact_link *link = &world->contacts.link[contact];
    if (link->color == DRY_COLOR_NONE)
        link->color = (int8_t)dry_color_take(&world->bodies, (const int[]){link->body_a, link->body_b}, 2,
                                             colors_max(world));
}

void dry_contact_release_color(dry_world *world, int contact)
{
    dry_contact_link *link = &world->contacts.link[contact];
    dry_color_release(&world->bodies, (const int[]){link->body_a, link->body_b}, 2, link->color);
    link->color = DRY_COLOR_NONE;
}

void dry_contact_activate(dry_world *world, int contact)
{
    const dry_contact_link *link = &world->contacts.link[contact];
    dry_contacts_set_active(&world->contacts, contact, true);
    if (link->flags & DRY_CONTACT_TOUCHING)
        dry_contact_take_color(world, contact);
}

void dry_contact_tell_end(dry_world *world, int contact)
{
    const dry_contact_link *link = &world->contacts.link[contact];
    if (!dry_contact_is_child(link)) {
        dry_events_add_contact_end(world, contact);
    } else if (link->parent >= 0) {
        world->contacts.family[link->parent].touching--;
        dry_events_follow_family(world, link->parent);
    }
}

void dry_contact_end(dry_world *world, int contact)
{
    const unsigned flags = world->contacts.link[contact].flags;
    if (flags & DRY_CONTACT_TOUCHING) {
        dry_contact_release_color(world, contact);
        world->islands.stale = true;
        dry_contact_tell_end(world, contact);
    }
    if (flags & DRY_CONTACT_PARENT) {
        world->contacts.family[contact].touching = 0;
        dry_events_follow_family(world, contact);
    }
    dry_contacts_remove(&world->contacts, &world->bodies, contact);
}

/* A joint's bodies. The world is enabled, and neither awake nor dynamic. */
typedef struct joined {
    int body[DRY_JOINT_SIDES], count;
    bool all_enabled, some_awake, some_dynamic;
} joined;

static joined bodies_of(const dry_bodies *bodies, const dry_joints *joints, int index)
{
    joined j = {.all_enabled = true};
    j.count = dry_joint_find_bodies(joints, index, j.body);
    for (int side = 0; side < j.count; side++) {
        if (j.body[side] < 0)
            continue;
        const dry_body_state *state = dry_body_state_of(bodies, j.body[side]);
        j.all_enabled = j.all_enabled && (state->flags & DRY_BODY_ENABLED);
        j.some_awake = j.some_awake || dry_bodies_is_awake(bodies, j.body[side]);
        j.some_dynamic = j.some_dynamic || state->type == DRY_BODY_DYNAMIC;
    }
    return j;
}

bool dry_joint_has_dynamic(const dry_world *world, int index)
{
    return bodies_of(&world->bodies, &world->joints, index).some_dynamic;
}

bool dry_joint_moves_bodies(const dry_world *world, int index)
{
    return dry_joint_has(world->joints.def[index].type, DRY_JOINT_HAS_ROWS) &&
           dry_joint_has_dynamic(world, index);
}

bool dry_joint_is_due(const dry_bodies *bodies, const dry_joints *joints, int index)
{
    const joined j = bodies_of(bodies, joints, index);
    return (joints->joint[index].flags & DRY_JOINT_ENABLED) && j.all_enabled && j.some_awake &&
           j.some_dynamic && dry_joint_has(joints->def[index].type, DRY_JOINT_HAS_ROWS);
}

void dry_joint_activate(dry_world *world, int index)
{
    dry_joint *joint = &world->joints.joint[index];
    if (joint->active >= 0 || !dry_joint_is_due(&world->bodies, &world->joints, index))
        return;
    const joined j = bodies_of(&world->bodies, &world->joints, index);
    dry_joints_set_active(&world->joints, index, true);
    if (joint->color == DRY_COLOR_NONE)
        joint->color = dry_color_take(&world->bodies, j.body, j.count, colors_max(world));
    world->islands.stale = true;
}

void dry_joint_deactivate(dry_world *world, int index)
{
    dry_joint *joint = &world->joints.joint[index];
    if (joint->active < 0)
        return;
    const joined j = bodies_of(&world->bodies, &world->joints, index);
    dry_color_release(&world->bodies, j.body, j.count, joint->color);
    joint->color = DRY_COLOR_NONE;
    dry_joints_set_active(&world->joints, index, false);
    world->islands.stale = true;
}

void dry_constraints_deactivate_sleeping(dry_world *world)
{
    const dry_bodies *bodies = &world->bodies;
    for (int contact = -1; (contact = dry_contacts_next_active(&world->contacts, contact)) >= 0;) {
        const dry_contact_link *link = &world->contacts.link[contact];
        if (dry_bodies_is_awake(bodies, link->body_a) || dry_bodies_is_awake(bodies, link->body_b))
            continue;
        dry_contact_release_color(world, contact);
        dry_contacts_set_active(&world->contacts, contact, false);
    }
    for (int i = world->joints.active_count - 1; i >= 0; i--) {
        const int index = world->joints.active[i];
        if (!bodies_of(&world->bodies, &world->joints, index).some_awake)
            dry_joint_deactivate(world, index);
    }
    world->islands.stale = true;
}

int dry_body_touching_count(const dry_world *world, int slot)
{
    int count = 0;
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        count += (world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING) != 0;
        DRY_PREFETCH(&world->contacts.manifold[it.contact].shape_a);
    }
    return count;
}
