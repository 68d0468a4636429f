/* Volume and inertia of a shape by itself, for unit density and unit mass. */
#ifndef GEOMETRY_MASS_H
#define GEOMETRY_MASS_H

#include "state/geometry.h"

/* Returns the volume, m^3; 0 for a half-space, which bounds no mass. */
double dry_geometry_volume(const dry_geometry *geometry);

/* Returns the principal moments of inertia about the shape's origin, along the shape's own axes, for unit
 * mass, m^2. A half-space has none: 0. */
dry_vec3 dry_geometry_unit_inertia(const dry_geometry *geometry);

#endif
