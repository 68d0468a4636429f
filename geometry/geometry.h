/* Shapes as the narrowphase sees them, and what can be computed from one shape alone. */
#ifndef GEOMETRY_GEOMETRY_H
#define GEOMETRY_GEOMETRY_H

#include "state/shapes.h"

/* A float quaternion is unit only to about 2e-7, and so are a matrix's entries made from it; this bounds
 * their error, per metre of half extent, with room to spare. */
#define DRY_ROTATION_ERROR 2e-6f

/* Half the extent of the shape along each axis of the frame in which it has orientation q; the bounds are
 * centred on the shape's origin. Rounded so that the shape is certainly inside. Half-space: huge. */
dry_vec3 dry_geometry_extents(const dry_geometry *geometry, dry_quat q);

/* Radius of the sphere about the shape's origin that holds it. */
float dry_geometry_radius(const dry_geometry *geometry);

double dry_geometry_volume(const dry_geometry *geometry);

/* Principal moments of inertia about the shape's origin, along its own axes, for unit mass, m^2. */
dry_vec3 dry_geometry_unit_inertia(const dry_geometry *geometry);

/* Where the segment from `origin` to origin + translation (both in the shape's frame) first meets the
 * shape. Starting inside counts as a hit at fraction 0 with normal against the ray. */
bool dry_geometry_cast_ray(const dry_geometry *geometry, dry_vec3 origin, dry_vec3 translation,
                           float *fraction, dry_vec3 *normal);

#endif
