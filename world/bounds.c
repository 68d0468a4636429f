/* Bounds of shapes, and what the broadphase is told about a body.
 *
 * Reads poses and shapes. Writes proxies. */
#include "world/bounds.h"

#include "geometry/geometry.h"
#include "state/iterators.h"
#include "world/world.h"

dry_bounds dry_shape_bounds_in(const dry_bodies *bodies, const dry_shapes *shapes, int shape)
{
    const dry_shape_form *form = &shapes->form[shape];
    const dry_body_pose *pose = dry_body_pose_of(bodies, form->body);
    const dry_geometry geometry = dry_shapes_geometry(shapes, shape);
    const dry_extents extents =
        dry_geometry_bounds(&geometry, quat_mul(pose->orientation, form->pose.orientation));
    dry_position center = position_add(pose->position, quat_rotate(pose->orientation, form->pose.position));
    return (dry_bounds){position_add(center, extents.low), position_add(center, extents.high)};
}

dry_bounds dry_shape_bounds(const dry_world *world, int shape)
{
    return dry_shape_bounds_in(&world->bodies, &world->shapes, shape);
}

static bool is_halfspace(const dry_world *world, int shape)
{
    return world->shapes.form[shape].geometry.type == DRY_SHAPE_HALFSPACE;
}

double dry_halfspace_height(const dry_bodies *bodies, const dry_shape_form *halfspace, dry_position point)
{
    const dry_body_pose *pose = dry_body_pose_of(bodies, halfspace->body);
    dry_vec3 n =
        quat_rotate(quat_mul(pose->orientation, halfspace->pose.orientation), vec3(0.0f, 1.0f, 0.0f));
    dry_vec3 local = quat_rotate(pose->orientation, halfspace->pose.position);
    double x = point.x - pose->position.x - (double)local.x, y = point.y - pose->position.y - (double)local.y,
           z = point.z - pose->position.z - (double)local.z;
    return (double)n.x * x + (double)n.y * y + (double)n.z * z;
}

bool dry_halfspace_reaches(const void *context, uint32_t shape, const dry_bounds *box)
{
    /* Covers the speculative margin of contacts, as a box's own fat margin does. */
    const double margin = 0.1;
    const dry_world *world = context;
    const dry_shape_form *form = &world->shapes.form[shape];
    const dry_body_pose *pose = dry_body_pose_of(&world->bodies, form->body);
    dry_vec3 up = quat_rotate(quat_mul(pose->orientation, form->pose.orientation), vec3(0.0f, 1.0f, 0.0f));
    dry_position lowest = {up.x > 0.0f ? box->min.x : box->max.x, up.y > 0.0f ? box->min.y : box->max.y,
                           up.z > 0.0f ? box->min.z : box->max.z};
    return dry_halfspace_height(&world->bodies, form, lowest) <= margin;
}

void dry_shape_add_proxy(dry_world *world, int shape)
{
    dry_shape_form *form = &world->shapes.form[shape];
    world->ways_dt = 0.0f;
    if (is_halfspace(world, shape)) {
        form->proxy = dry_broadphase_add_unbounded(world->broadphase, (uint32_t)shape);
        return;
    }
    dry_bounds bounds = dry_shape_bounds(world, shape);
    bool movable = dry_body_state_of(&world->bodies, form->body)->type != DRY_BODY_STATIC;
    form->proxy = dry_broadphase_add(world->broadphase, &bounds, (uint32_t)shape, movable);
    dry_broadphase_set_sleeping(world->broadphase, form->proxy,
                                !dry_bodies_is_awake(&world->bodies, form->body));
}

void dry_shape_visit_overlapping(const dry_world *world, int shape,
                                 void (*visit)(void *context, uint32_t shape), void *context)
{
    if (is_halfspace(world, shape)) {
        dry_broadphase_query_unbounded(world->broadphase, world->shapes.form[shape].proxy, visit, context);
        return;
    }
    dry_bounds bounds = dry_shape_bounds(world, shape);
    dry_broadphase_query(world->broadphase, &bounds, visit, context);
}

void dry_shape_update_bounds(dry_world *world, int shape, dry_vec3 displacement)
{
    const dry_shape_form *form = &world->shapes.form[shape];
    if (form->proxy < 0)
        return;
    if (is_halfspace(world, shape)) {
        dry_broadphase_mark_moved(world->broadphase, form->proxy);
        return;
    }
    const dry_bounds bounds = dry_bounds_to_hold(form->geometry.type, world->shapes.pieced > 0,
                                                 dry_shape_bounds(world, shape), displacement);
    dry_broadphase_update(world->broadphase, form->proxy, &bounds, displacement);
}

void dry_body_update_bounds(dry_world *world, int row, dry_vec3 displacement)
{
    const dry_body_state *state = &world->bodies.state[row];
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        dry_shape_update_bounds(world, it.shape, displacement);
}

void dry_body_update_sleeping(dry_world *world, int slot)
{
    bool sleeping = !dry_bodies_is_awake(&world->bodies, slot);
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it);)
        if (world->shapes.form[it.shape].proxy >= 0)
            dry_broadphase_set_sleeping(world->broadphase, world->shapes.form[it.shape].proxy, sleeping);
}
