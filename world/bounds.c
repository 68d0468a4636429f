/* Bounds of shapes, and what the broadphase is told about a body.
 *
 * Reads poses and shapes. Writes proxies. */
#include "world/bounds.h"

#include "geometry/bounds.h"
#include "state/iterators.h"
#include "world/world.h"

dry_bounds dry_shape_bounds(const dry_world *world, int shape)
{
    const dry_shape_form *form = &world->shapes.form[shape];
    const dry_body_pose *pose = dry_body_pose_of(&world->bodies, form->body);
    dry_vec3 extents =
        dry_geometry_extents(&form->geometry, quat_mul(pose->orientation, form->pose.orientation));
    dry_position center = position_add(pose->position, quat_rotate(pose->orientation, form->pose.position));
    return (dry_bounds){position_add(center, vec3_neg(extents)), position_add(center, extents)};
}

void dry_body_update_bounds(dry_world *world, int row, dry_vec3 displacement)
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

void dry_body_update_sleeping(dry_world *world, int slot)
{
    bool sleeping = !dry_bodies_is_awake(&world->bodies, slot);
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        if (world->shapes.form[it.shape].proxy >= 0)
            dry_broadphase_set_sleeping(world->broadphase, world->shapes.form[it.shape].proxy, sleeping);
}
