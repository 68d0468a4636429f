/* A shape by itself: from a user's definition to its geometry and back, bounds, mass, rays. */
#ifndef GEOMETRY_GEOMETRY_H
#define GEOMETRY_GEOMETRY_H

#include "core/math.h"
#include "state/geometry.h"

/* A float quaternion is unit only to about 2e-7, and so are the entries of its matrix. This constant bounds
 * the error that they cause, in m per m of half extent, with a margin of ten. */
#define DRY_ROTATION_ERROR 2e-6f

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

/* Returns the reason why the sizes of a definition are invalid, or null if they are valid. */
const char *dry_geometry_def_error(const dry_shape_def *def);

dry_geometry_core dry_geometry_from_def(const dry_shape_def *def);

/* Writes type and sizes into a definition; leaves the fields that the type has no use for. */
void dry_geometry_to_def(const dry_geometry *geometry, dry_shape_def *def);

/* Returns the frame of a half-space in the frame that its normal and offset (m) are given in: the origin lies
 * on the plane, the y axis is the normal. */
dry_transform dry_halfspace_frame(dry_vec3 normal, float offset);

/* Returns the bounds of a shape with orientation q, rounded outward. A half-space's are huge. */
dry_extents dry_geometry_bounds(const dry_geometry *geometry, dry_quat q);

/* Returns the radius, m, of a sphere about the shape's origin that holds the shape. */
float dry_geometry_radius(const dry_geometry *geometry);

dry_shape_mass dry_geometry_mass(const dry_geometry *geometry);

/* Finds the first point of the shape on the segment from `origin` to origin + translation, both in the
 * shape's frame, m. Writes the fraction of the segment there, 0 to 1, and the unit normal. A segment that
 * starts inside the shape hits at fraction 0, with the normal against the ray. Returns whether it hits. */
bool dry_geometry_cast_ray(const dry_geometry *geometry, dry_vec3 origin, dry_vec3 translation,
                           float *fraction, dry_vec3 *normal);

#endif
