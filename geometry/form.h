/* From a user's definition of a shape to its geometry, and back. */
#ifndef GEOMETRY_FORM_H
#define GEOMETRY_FORM_H

#include "state/geometry.h"

/* Returns the reason why the sizes of a definition are invalid, or null if they are valid. */
const char *dry_geometry_def_error(const dry_shape_def *def);

dry_geometry dry_geometry_from_def(const dry_shape_def *def);

/* Writes type and sizes into a definition; leaves the fields that the type has no use for. */
void dry_geometry_to_def(const dry_geometry *geometry, dry_shape_def *def);

/* Returns the frame of a half-space in the frame that its normal and offset (m) are given in: the origin lies
 * on the plane, the y axis is the normal. */
dry_transform dry_halfspace_frame(dry_vec3 normal, float offset);

#endif
