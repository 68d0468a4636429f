/* A ray against a shape by itself. */
#ifndef GEOMETRY_RAYS_H
#define GEOMETRY_RAYS_H

#include "state/geometry.h"

/* Finds the first point of the shape on the segment from `origin` to origin + translation, both in the
 * shape's frame, m. Writes the fraction of the segment there, 0 to 1, and the unit normal. A segment that
 * starts inside the shape hits at fraction 0, with the normal against the ray. Returns whether it hits. */
bool dry_geometry_cast_ray(const dry_geometry *geometry, dry_vec3 origin, dry_vec3 translation,
                           float *fraction, dry_vec3 *normal);

#endif
