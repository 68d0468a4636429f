/* Keeps the broadphase informed about a body's shapes: their bounds, and whether the body sleeps. */
#ifndef WORLD_BOUNDS_H
#define WORLD_BOUNDS_H

#include "narrowphase/contact_update.h"
#include "state/bodies.h"
#include "state/shapes.h"

/* Returns the bounds of a shape at its body's present pose. */
dry_bounds dry_shape_bounds(const dry_world *world, int shape);
/* The same for a shape of tables that are not a world's. */
dry_bounds dry_shape_bounds_in(const dry_bodies *bodies, const dry_shapes *shapes, int shape);
/* Returns what the fat box of a shape has to hold: its bounds, and of a round or a fast shape its way over
 * the next step, m. A ball that left its box within a step would meet what is there a step late, at the wrong
 * point of its surface. A shape whose center leaves its bounds would be behind a surface of triangles;
 * `has_pieces`: there may be one. Contacts look ahead by as much. */
static inline dry_bounds dry_bounds_to_hold(int32_t type, bool has_pieces, dry_bounds tight, dry_vec3 way)
{
    const dry_vec3 size = position_sub(tight.max, tight.min), twice = vec3_scale(vec3_abs(way), 2.0f);
    const bool is_fast = twice.x > size.x || twice.y > size.y || twice.z > size.z;
    if (!dry_type_is_curved(type) && !(has_pieces && is_fast))
        return tight;
    const float length = vec3_length(way);
    const float share = length > DRY_CLOSING_MAX ? DRY_CLOSING_MAX / length : 1.0f;
    return dry_bounds_swept(tight, vec3_scale(way, share));
}

/* Updates the proxy of a shape, if it has one. */
void dry_shape_update_bounds(dry_world *world, int shape, dry_vec3 displacement);
/* Updates the proxies of a body's shapes. `displacement` is the body's expected motion over the next step in
 * meters, as dry_broadphase_update takes it. */
void dry_body_update_bounds(dry_world *world, int row, dry_vec3 displacement);
/* Adds a shape to the broadphase, for which there is room. */
void dry_shape_add_proxy(dry_world *world, int shape);
/* Calls `visit` with each shape whose fat bounds overlap a shape's bounds, with its slot. */
void dry_shape_visit_overlapping(const dry_world *world, int shape,
                                 void (*visit)(void *context, uint32_t shape), void *context);
/* Returns the height of a point above a half-space, m, in double: planes reach as far as the world does. */
double dry_halfspace_height(const dry_bodies *bodies, const dry_shape_form *halfspace, dry_position point);
/* Returns a point of the world in the frame of a shape with that orientation. Of a half-space only the height
 * counts. */
static inline dry_vec3 dry_shape_point_in(const dry_bodies *bodies, const dry_shape_form *form,
                                          dry_quat orientation, dry_position point)
{
    if (form->geometry.type == DRY_SHAPE_HALFSPACE)
        return vec3(0.0f, (float)dry_halfspace_height(bodies, form, point), 0.0f);
    const dry_body_pose *body = dry_body_pose_of(bodies, form->body);
    const dry_position center =
        position_add(body->position, quat_rotate(body->orientation, form->pose.position));
    return quat_rotate_inverse(orientation, position_sub(point, center));
}
/* Tells the broadphase whether a half-space reaches a box; `world` is a dry_world. */
bool dry_halfspace_reaches(const void *world, uint32_t shape, const dry_bounds *box);
/* Tells the broadphase whether a body sleeps. */
void dry_body_update_sleeping(dry_world *world, int slot);

#endif
