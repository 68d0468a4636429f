/* Boxes, rays and normals of a form that a shape's scale stretches or mirrors. The form stays as it is: what
 * comes from the shape's frame is divided by the scale.
 *
 * Next: shapes/mesh.c and shapes/height_field.c, which use them. */
#ifndef GEOMETRY_SCALED_H
#define GEOMETRY_SCALED_H

#include "geometry/kind.h"
#include "geometry/mesh_tree.h"

/* Returns the radius of a sphere about the origin that holds a box with a scale, m. */
float dry_scaled_box_radius(const dry_box *box, dry_vec3 scale);
/* Returns the bounds of such a box with orientation q, rounded outward, m. */
dry_extents dry_scaled_box_bounds(const dry_box *box, dry_vec3 scale, dry_quat q);

/* Returns how far a form reaches in a direction, m, with an error of at most `slack`. */
typedef double dry_reach(const void *form, const double direction[3], double slack);
/* Returns the bounds of a form within a box, with a scale and orientation q: at most a sixteenth wider than
 * exact ones, where the box gives wider ones. */
dry_extents dry_scaled_bounds(const void *form, dry_reach *reach, const dry_box *box, dry_vec3 scale,
                              dry_quat q);

/* Divides a point by the scale. */
static inline void dry_unscaled_point(dry_vec3 scale, const double point[3], double out[3])
{
    out[0] = point[0] / (double)scale.x;
    out[1] = point[1] / (double)scale.y;
    out[2] = point[2] / (double)scale.z;
}

/* Divides a box by the scale, rounded outward. */
dry_box dry_unscaled_box(dry_vec3 scale, dry_extents box);

/* Divides a ray by the scale. Fractions of its length stay as they are. */
dry_mesh_ray dry_unscaled_ray(dry_vec3 scale, const dry_local_ray *ray, int sides);

/* Returns the unit normal of a triangle of the form as the scale leaves it: on the image of its front, or on
 * the other side. */
dry_vec3 dry_scaled_normal(dry_vec3 scale, double corner[3][3], bool back);

#endif
