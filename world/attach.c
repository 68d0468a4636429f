/* A body's place among the others: proxies in the broadphase, contacts, joints. */
#include "geometry/geometry.h"
#include "world/world.h"

#include "solver/islands/coloring.h"

dry_bounds dry_shape_bounds(const dry_world *world, int shape)
{
    const dry_shape_form *form = &world->shapes.form[shape];
    const dry_body_pose *pose = &world->bodies.pose[dry_bodies_row(&world->bodies, form->body)];
    dry_vec3 extents =
        dry_geometry_extents(&form->geometry, quat_mul(pose->orientation, form->pose.orientation));
    dry_position center = position_add(pose->position, quat_rotate(pose->orientation, form->pose.position));
    return (dry_bounds){position_add(center, vec3_neg(extents)), position_add(center, extents)};
}

void dry_update_bounds(dry_world *world, int row, dry_vec3 displacement)
{
    for (int s = world->bodies.state[row].first_shape; s >= 0; s = world->shapes.link[s].next) {
        int proxy = world->shapes.form[s].proxy;
        if (proxy < 0)
            continue;
        dry_bounds bounds = dry_shape_bounds(world, s);
        dry_broadphase_update(world->broadphase, proxy, &bounds, displacement);
    }
}

void dry_update_resting(dry_world *world, int slot)
{
    bool resting = !dry_bodies_is_awake(&world->bodies, slot);
    const dry_body_state *state = &world->bodies.state[dry_bodies_row(&world->bodies, slot)];
    for (int s = state->first_shape; s >= 0; s = world->shapes.link[s].next)
        if (world->shapes.form[s].proxy >= 0)
            dry_broadphase_set_resting(world->broadphase, world->shapes.form[s].proxy, resting);
}

void dry_attach_shape(dry_world *world, int shape)
{
    dry_shape_form *form = &world->shapes.form[shape];
    const dry_body_state *state = &world->bodies.state[dry_bodies_row(&world->bodies, form->body)];
    if (!(state->flags & DRY_BODY_ENABLED))
        return;
    if (form->geometry.type == DRY_SHAPE_HALFSPACE) {
        world->halfspaces[world->halfspace_count++] = shape;
        return;
    }
    dry_bounds bounds = dry_shape_bounds(world, shape);
    form->proxy =
        dry_broadphase_add(world->broadphase, &bounds, (uint32_t)shape, state->type != DRY_BODY_STATIC);
    dry_broadphase_set_resting(world->broadphase, form->proxy,
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
    dry_body_state *state = &world->bodies.state[dry_bodies_row(&world->bodies, form->body)];
    for (int c = state->contacts, next; c >= 0; c = next) {
        const dry_manifold *m = &world->contacts.manifold[c >> 1];
        next = world->contacts.link[c >> 1].next[c & 1];
        /* One of them is the shape. Which one cannot be predicted, so there is only one branch. */
        if ((int64_t)(m->shape_a - shape) * (m->shape_b - shape) == 0)
            dry_contact_end(world, c >> 1);
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
    const dry_body_state *state = &world->bodies.state[dry_bodies_row(&world->bodies, slot)];
    for (int s = state->first_shape; s >= 0; s = world->shapes.link[s].next)
        dry_attach_shape(world, s);
    for (int j = state->joints; j >= 0; j = world->joints.joint[j >> 1].next[j & 1])
        dry_activate_joint(world, j >> 1);
}

void dry_detach_body(dry_world *world, int slot)
{
    const dry_body_state *state = &world->bodies.state[dry_bodies_row(&world->bodies, slot)];
    for (int s = state->first_shape; s >= 0; s = world->shapes.link[s].next)
        dry_detach_shape(world, s);
    for (int j = state->joints; j >= 0; j = world->joints.joint[j >> 1].next[j & 1])
        dry_deactivate_joint(world, j >> 1);
}

int dry_body_shape_count(const dry_world *world, int slot)
{
    int count = 0;
    for (int s = world->bodies.state[dry_bodies_row(&world->bodies, slot)].first_shape; s >= 0;
         s = world->shapes.link[s].next)
        count++;
    return count;
}

int dry_body_touch_count(const dry_world *world, int slot)
{
    int count = 0;
    const dry_body_state *state = &world->bodies.state[dry_bodies_row(&world->bodies, slot)];
    for (int c = state->contacts; c >= 0; c = world->contacts.link[c >> 1].next[c & 1]) {
        count += (world->contacts.link[c >> 1].flags & DRY_CONTACT_TOUCHING) != 0;
        __builtin_prefetch(&world->contacts.manifold[c >> 1].shape_a);
    }
    return count;
}
