/* A body's place among the others: proxies in the broadphase, contacts, joints. */
#include "geometry/bounds.h"
#include "world/world.h"

#include "solver/islands/coloring.h"
#include "state/iterators.h"

dry_bounds dry_shape_bounds(const dry_world *world, int shape)
{
    const dry_shape_form *form = &world->shapes.form[shape];
    const dry_body_pose *pose = dry_body_pose_of(&world->bodies, form->body);
    dry_vec3 extents =
        dry_geometry_extents(&form->geometry, quat_mul(pose->orientation, form->pose.orientation));
    dry_position center = position_add(pose->position, quat_rotate(pose->orientation, form->pose.position));
    return (dry_bounds){position_add(center, vec3_neg(extents)), position_add(center, extents)};
}

void dry_update_bounds(dry_world *world, int row, dry_vec3 displacement)
{
    const dry_body_state *state = &world->bodies.state[row];
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);) {
        int proxy = world->shapes.form[it.shape].proxy;
        if (proxy < 0)
            continue;
        dry_bounds bounds = dry_shape_bounds(world, it.shape);
        dry_broadphase_update(world->broadphase, proxy, &bounds, displacement);
    }
}

void dry_update_resting(dry_world *world, int slot)
{
    bool resting = !dry_bodies_is_awake(&world->bodies, slot);
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        if (world->shapes.form[it.shape].proxy >= 0)
            dry_broadphase_set_sleeping(world->broadphase, world->shapes.form[it.shape].proxy, resting);
}

void dry_attach_shape(dry_world *world, int shape)
{
    dry_shape_form *form = &world->shapes.form[shape];
    const dry_body_state *state = dry_body_state_of(&world->bodies, form->body);
    if (!(state->flags & DRY_BODY_ENABLED))
        return;
    if (form->geometry.type == DRY_SHAPE_HALFSPACE) {
        world->halfspaces[world->halfspace_count++] = shape;
        return;
    }
    dry_bounds bounds = dry_shape_bounds(world, shape);
    form->proxy =
        dry_broadphase_add(world->broadphase, &bounds, (uint32_t)shape, state->type != DRY_BODY_STATIC);
    dry_broadphase_set_sleeping(world->broadphase, form->proxy,
                                !dry_bodies_is_awake(&world->bodies, form->body));
}

void dry_contact_end(dry_world *world, int contact)
{
    dry_contact_link *link = &world->contacts.link[contact];
    if (link->flags & DRY_CONTACT_TOUCHING) {
        dry_color_release(&world->bodies, link->body_a, link->body_b, link->color);
        link->color = DRY_COLOR_NONE;
        world->islands.stale = true;
        dry_event_end(world, contact);
    }
    dry_contacts_remove(&world->contacts, &world->bodies, contact);
}

void dry_detach_shape(dry_world *world, int shape)
{
    dry_shape_form *form = &world->shapes.form[shape];
    dry_body_state *state = dry_body_state_of(&world->bodies, form->body);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        const dry_manifold *m = &world->contacts.manifold[it.contact];
        /* One of them is the shape. Which one cannot be predicted, so there is only one branch. */
        if ((int64_t)(m->shape_a - shape) * (m->shape_b - shape) == 0)
            dry_contact_end(world, it.contact);
    }
    dry_detach_proxy(world, shape);
}

void dry_detach_proxy(dry_world *world, int shape)
{
    dry_shape_form *form = &world->shapes.form[shape];
    if (form->proxy >= 0)
        dry_broadphase_remove(world->broadphase, form->proxy);
    form->proxy = -1;
    if (form->geometry.type != DRY_SHAPE_HALFSPACE)
        return;
    for (int i = 0; i < world->halfspace_count; i++)
        if (world->halfspaces[i] == shape) {
            for (int j = i + 1; j < world->halfspace_count; j++)
                world->halfspaces[j - 1] = world->halfspaces[j];
            world->halfspace_count--;
            break;
        }
}

void dry_attach_body(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        dry_attach_shape(world, it.shape);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        dry_activate_joint(world, it.joint);
}

void dry_detach_body(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        dry_detach_shape(world, it.shape);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        dry_deactivate_joint(world, it.joint);
}

int dry_body_shape_count(const dry_world *world, int slot)
{
    int count = 0;
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        count++;
    return count;
}

int dry_body_touch_count(const dry_world *world, int slot)
{
    int count = 0;
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);) {
        count += (world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING) != 0;
        __builtin_prefetch(&world->contacts.manifold[it.contact].shape_a);
    }
    return count;
}
