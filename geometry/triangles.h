/* Shapes of triangles, meshes and height fields, as one thing: triangles in the frame of the shape, as its
 * scale leaves them. Next: mesh_tree.h, height_field.h. */
#ifndef GEOMETRY_TRIANGLES_H
#define GEOMETRY_TRIANGLES_H

#include "geometry/mesh_tree.h"
#include "state/geometry.h"

/* Receives a triangle's number in the data; false ends the query. */
typedef bool dry_triangles_visitor(void *context, uint32_t slot);

/* Visits the triangles whose box meets another, m, in an order that the data alone decide. Returns false if
 * the visitor ended the query. */
bool dry_triangles_visit(const dry_geometry *surface, const double low[3], const double high[3],
                         dry_triangles_visitor *visit, void *context);

/* Writes the corners of a triangle, m, counterclockwise seen from its front. */
void dry_triangles_corners(const dry_geometry *surface, uint32_t slot, double corner[3][3]);

/* Returns the number of slots of triangles. */
uint32_t dry_triangles_slots(const dry_geometry *surface);

/* Returns the caller's number of a triangle. */
uint32_t dry_triangles_number(const dry_geometry *surface, uint32_t slot);

/* Returns the material index of a triangle. */
uint16_t dry_triangles_material(const dry_geometry *surface, uint32_t slot);

/* Tells whether triangles collide on their backs, too. */
bool dry_triangles_have_backs(const dry_geometry *surface);

/* Tells whether a point, m, lies in the solid that the surface bounds. */
bool dry_triangles_contain(const dry_geometry *surface, const double point[3]);

/* Returns the triangle nearest to a point, m; before the scale, where that differs by axis. */
uint32_t dry_triangles_nearest(const dry_geometry *surface, const double point[3]);

/* Tells whether the scale mirrors: then the second and the third corner change places. */
bool dry_triangles_are_mirrored(const dry_geometry *surface);

/* Finds the first triangle on a ray from `origin` to origin + translation, m; `sides` as those of a
 * dry_mesh_ray. Writes the weights of the caller's corners and the unit normal on the side that is hit. */
bool dry_triangles_cast_ray(const dry_geometry *surface, const double origin[3], const double translation[3],
                            int sides, dry_mesh_hit *hit, dry_vec3 *normal);

/* Returns the kind of the edge that runs from a corner to the next, seen from the front, and the largest
 * angle between the triangle's normal and another there, in steps of 180 / 16 degrees, rounded up. */
dry_mesh_edge dry_triangles_edge(const dry_geometry *surface, uint32_t slot, int edge, int *steps);

/* Tells whether a unit vector is a normal of all triangles within `distance` (m) of a point of the surface:
 * none of their corners rises above the plane through the point by more than `slope` times its distance. */
bool dry_triangles_admit(const dry_geometry *surface, const double point[3], const double normal[3],
                         double distance, double slope);

#endif
