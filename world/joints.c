/* Creation and removal of joints, with what follows from them for contacts, sleep and pairs. */
#include "world/joints.h"

#include "state/iterators.h"
#include "world/constraint_graph.h"
#include "world/sleep.h"
#include "world/world.h"

/* Ends the contacts between two bodies that a new joint forbids to touch. */
static void end_contacts_between(dry_world *world, int a, int b)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, a);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
        if (it.other == b)
            dry_contact_end(world, it.contact);
}

int dry_joint_create(dry_world *world, const dry_joint_def *def)
{
    int a = dry_slots_find(&world->bodies.slots, def->body_a.bits);
    int b = dry_slots_find(&world->bodies.slots, def->body_b.bits);
    int index = dry_joints_add(&world->joints, &world->bodies, a, b);
    dry_joint *joint = &world->joints.joint[index];
    joint->def = *def;
    const dry_bodies *bodies = &world->bodies;
    joint->anchor_a = transform_point(dry_bodies_origin(bodies, dry_bodies_row(bodies, a)), def->anchor_a);
    joint->anchor_b = transform_point(dry_bodies_origin(bodies, dry_bodies_row(bodies, b)), def->anchor_b);
    if (!def->collide)
        end_contacts_between(world, a, b);
    dry_body_wake(world, a);
    dry_body_wake(world, b);
    dry_joint_activate(world, index);
    return index;
}

void dry_joints_forget_impulses(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);) {
        dry_joint *joint = &world->joints.joint[it.joint];
        joint->impulse = vec3(0.0f, 0.0f, 0.0f);
        joint->substep = 0.0f;
        world->joints.load[it.joint] =
            (dry_joint_load){DRY_JOINT_LOAD_FIELDS(DRY_FIELD_DEFAULT, dry_joint_load)};
    }
}

void dry_joint_remove(dry_world *world, int index)
{
    int a = world->joints.joint[index].body_a, b = world->joints.joint[index].body_b;
    dry_body_wake(world, a);
    dry_body_wake(world, b);
    dry_joint_deactivate(world, index);
    dry_joints_remove(&world->joints, &world->bodies, index);
    /* The bodies may touch again: the next step searches for their pairs anew. */
    const dry_body_state *state = dry_body_state_of(&world->bodies, a);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        if (world->shapes.form[it.shape].proxy >= 0)
            dry_broadphase_mark_moved(world->broadphase, world->shapes.form[it.shape].proxy);
    world->islands.stale = true;
}
