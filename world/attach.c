/* Attaching bodies and shapes to the broadphase, the contacts and the joints, and detaching them. */
#include "world/attach.h"

#include "state/iterators.h"
#include "world/bounds.h"
#include "world/constraint_graph.h"
#include "world/world.h"

void dry_shape_attach(dry_world *world, int shape)
{
    dry_shape_form *form = &world->shapes.form[shape];
    const dry_body_state *state = dry_body_state_of(&world->bodies, form->body);
    if (!(state->flags & DRY_BODY_ENABLED))
        return;
    DRY_ASSERT(form->proxy < 0);
    dry_shape_add_proxy(world, shape);
}

void dry_shape_detach(dry_world *world, int shape)
{
    int body = world->shapes.form[shape].body;
    const dry_body_state *state = dry_body_state_of(&world->bodies, body);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        const dry_manifold *m = &world->contacts.manifold[it.contact];
        /* One of the two is the shape. Prediction cannot know which, so one branch tests both. */
        if ((int64_t)(m->shape_a - shape) * (m->shape_b - shape) == 0)
            dry_contact_end(world, it.contact);
    }
    dry_shape_detach_proxy(world, shape);
}

void dry_shape_detach_proxy(dry_world *world, int shape)
{
    dry_shape_form *form = &world->shapes.form[shape];
    if (form->proxy >= 0)
        dry_broadphase_remove(world->broadphase, form->proxy);
    form->proxy = -1;
}

void dry_body_attach(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        dry_shape_attach(world, it.shape);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        dry_joint_activate(world, it.joint);
}

void dry_body_detach(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        dry_shape_detach(world, it.shape);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        dry_joint_deactivate(world, it.joint);
}
