/* A shape by itself: from a user's definition to its geometry and back, bounds, mass, rays. */
#ifndef GEOMETRY_GEOMETRY_H
#define GEOMETRY_GEOMETRY_H

#include "core/double3.h"
#include "state/geometry.h"

/* A float quaternion is unit only to about 2e-7, and so are the entries of its matrix. This constant bounds
 * the error that they cause, in m per m of half extent, with a margin of ten. */
#define DRY_ROTATION_ERROR 2e-6f
/* Bounds the error of 1 - c^2, for c a component of such a matrix. */
#define DRY_SQUARE_ERROR 1e-6f

/* The largest coordinate and size of a shape, m. */
#define DRY_EXTENT_MAX 1e6f
/* Covers the rounding of a radius, a sum of squares and its root. */
#define DRY_ROUNDED_OUT (1.0f + 4e-7f)

static inline bool dry_is_within_extent(dry_vec3 at)
{
    return dry_abs(at.x) <= DRY_EXTENT_MAX && dry_abs(at.y) <= DRY_EXTENT_MAX &&
           dry_abs(at.z) <= DRY_EXTENT_MAX;
}

/* Bounds as seen from a shape's origin, m. */
typedef struct dry_extents {
    dry_vec3 low, high;
} dry_extents;

/* Volume and inertia, in double where a long thin shape's moments would cancel in float. */
typedef struct dry_shape_mass {
    double volume;         /* m^3; 0 for a half-space, which bounds no mass */
    dry_transform frame;   /* the center of mass and the principal axes */
    dry_vec3 unit_inertia; /* the principal moments for unit mass, m^2 */
} dry_shape_mass;

/* A convex shape where it lies: a shape in its body's principal frame, or a child in its compound. */
typedef struct dry_piece {
    dry_geometry geometry;
    dry_transform pose;
    float radius; /* of the sphere about the piece's origin that holds the piece, m; a half-space: 0 */
} dry_piece;

/* Returns the reason why the sizes of a definition are invalid, or null if they are valid. */
const char *dry_geometry_def_error(const dry_shape_def *def);

/* Returns the reason why a shape's pose is invalid, or null. */
const char *dry_pose_error(const dry_transform *pose);

/* Returns the geometry of a valid definition, with its scale. */
dry_geometry dry_geometry_from_def(const dry_shape_def *def);

static inline bool dry_scale_is_uniform(dry_vec3 scale)
{
    const dry_vec3 s = vec3_abs(scale);
    return s.x == s.y && s.y == s.z;
}

/* Tells whether a shape has triangles: it is a surface of them, or a compound with such a child. */
bool dry_geometry_has_triangles(const dry_geometry *geometry);

/* Writes type and sizes into a definition; leaves the fields that the type has no use for. */
void dry_geometry_to_def(const dry_geometry *geometry, dry_shape_def *def);

/* Returns the frame of a half-space in the frame that its normal and offset (m) are given in: the origin lies
 * on the plane, the y axis is the normal. */
dry_transform dry_halfspace_frame(dry_vec3 normal, float offset);

/* Returns the bounds of a shape with orientation q, rounded outward. A half-space's are huge. */
dry_extents dry_geometry_bounds(const dry_geometry *geometry, dry_quat q);

/* Returns the bounds of a piece in the frame of its pose, rounded outward, m. */
dry_extents dry_piece_bounds(const dry_piece *piece);

static inline bool dry_extents_overlap(const dry_extents *a, const dry_extents *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* Returns the radius, m, of a sphere about the shape's origin that holds the shape. */
float dry_geometry_radius(const dry_geometry *geometry);

dry_shape_mass dry_geometry_mass(const dry_geometry *geometry);

/* Tells whether a point, m, lies in the shape or on its surface, in double. */
bool dry_geometry_contains(const dry_geometry *geometry, dry_double3 point);

/* Finds the first point of the shape on the segment from `origin` to origin + translation, both in the
 * shape's frame, m. Writes the fraction of the segment there, 0 to 1, and the unit normal. A segment that
 * starts inside the shape hits at fraction 0, with the normal against the ray. Writes the number of a
 * compound's child, -1 of a shape without children. Returns whether it hits. */
bool dry_geometry_cast_ray(const dry_geometry *geometry, dry_vec3 origin, dry_vec3 translation,
                           float *fraction, dry_vec3 *normal, int *child);

#endif
