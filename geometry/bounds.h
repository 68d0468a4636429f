/* Bounds of a shape by itself. */
#ifndef GEOMETRY_BOUNDS_H
#define GEOMETRY_BOUNDS_H

#include "state/geometry.h"

/* A float quaternion is unit only to about 2e-7, and so are the entries of its matrix. This constant bounds
 * the error that they cause, in m per m of half extent, with a margin of ten. */
#define DRY_ROTATION_ERROR 2e-6f

/* Returns half the extent of a shape, m, along each axis of the frame in which the shape has orientation q.
 * The bounds are centered on the shape's origin and rounded outward. A half-space's are huge. */
dry_vec3 dry_geometry_extents(const dry_geometry *geometry, dry_quat q);

/* Returns the radius, m, of a sphere about the shape's origin that holds the shape. */
float dry_geometry_radius(const dry_geometry *geometry);

#endif
