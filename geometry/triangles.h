/* Shapes of triangles, meshes and height fields, as one thing: triangles in the frame of the shape, as its
 * scale leaves them. Next: mesh_tree.h, height_field.h. */
#ifndef GEOMETRY_TRIANGLES_H
#define GEOMETRY_TRIANGLES_H

#include "geometry/mesh_tree.h"
#include "state/geometry.h"

/* Slots and numbers of triangles are below this. */
#define DRY_TRIANGLES_END (UINT32_C(1) << 29)

/* Visits the triangles whose box meets another, m, in an order that the data alone decide; with `all_faces`
 * also the other faces of a height field's solid, whose slots are DRY_TRIANGLES_END or more. Returns false if
 * the visitor ended the query. */
bool dry_triangles_visit(const dry_geometry *surface, bool all_faces, dry_double3 low, dry_double3 high,
                         dry_triangles_visitor *visit, void *context);

/* Writes the corners of a triangle or another face, m, counterclockwise seen from its front. */
void dry_triangles_corners(const dry_geometry *surface, uint32_t slot, dry_double3 corner[3]);

/* Returns the number of slots of the data: those of triangles are less. */
uint32_t dry_triangles_slots(const dry_geometry *surface);

/* Returns the caller's number of a triangle; of another face its slot. */
uint32_t dry_triangles_number(const dry_geometry *surface, uint32_t slot);

/* Returns the material index of a triangle or another face. */
uint16_t dry_triangles_material(const dry_geometry *surface, uint32_t slot);

/* Tells whether triangles collide on their backs, too. */
bool dry_triangles_have_backs(const dry_geometry *surface);

/* Tells whether a point, m, lies in the solid that the surface bounds. */
bool dry_triangles_contain(const dry_geometry *surface, dry_double3 point);

/* Finds the triangle nearest to a point; the lowest number of equal ones. Returns false if none lies within
 * `distance`, m. */
bool dry_triangles_nearest(const dry_geometry *surface, dry_double3 point, double distance, uint32_t *slot);

/* Returns the largest product of a direction with a point of the surface or its solid, before the scale, m,
 * or a number that exceeds it by at most `slack`. */
double dry_triangles_reach(const dry_geometry *surface, dry_double3 direction, double slack);

/* Tells whether the scale mirrors: then the second and the third corner change places. */
bool dry_triangles_are_mirrored(const dry_geometry *surface);

/* Returns the ray from `origin` to origin + translation, m, as the data see it; `sides` as those of a
 * dry_mesh_ray. */
dry_mesh_ray dry_triangles_ray(const dry_geometry *surface, dry_double3 origin, dry_double3 translation,
                               int sides);
/* Finds the first triangle on such a ray, or the first face of a height field's solid. */
bool dry_triangles_cast_ray(const dry_geometry *surface, const dry_mesh_ray *ray, dry_mesh_hit *hit);
/* Returns the unit normal on the side that is hit. */
dry_vec3 dry_triangles_normal(const dry_geometry *surface, const dry_mesh_hit *hit);

/* Writes how the surface goes on beyond the edges of a triangle; edge k runs from corner k to the next, seen
 * from the front. */
void dry_triangles_edges(const dry_geometry *surface, uint32_t slot, dry_edge_angle edges[3]);

/* Tells whether a unit vector is a normal of all triangles within `distance` (m) of a point of the surface,
 * as dry_triangle_admits. A step of `distance` between surfaces that continue each other does not matter. Ask
 * for normals of edges and vertices alone: a face's own normal holds on the face, beside a wall, too. */
bool dry_triangles_admit(const dry_geometry *surface, dry_double3 point, dry_double3 normal, double distance,
                         double slope);

#endif
