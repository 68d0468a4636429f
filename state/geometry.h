/* The form of a shape: its type and size, without a place, a body or a material. */
#ifndef STATE_GEOMETRY_H
#define STATE_GEOMETRY_H

#include <drystone/shape.h>

/* size holds, by type:
 *   sphere      (radius, 0, 0), m
 *   capsule     (radius, half_length, 0), m; the segment lies along the local y axis
 *   box         half extents, m
 *   half-space  the unit normal that the user gave; its local frame has the solid at y <= 0
 *               (dry_halfspace_frame in geometry/form.h) */
typedef struct dry_geometry {
    dry_vec3 size;
    int32_t type; /* dry_shape_type */
} dry_geometry;
_Static_assert(sizeof(dry_geometry) == 16, "lanes gather a geometry with one 16-byte load");

/* Tells whether a shape rolls: its surface lies `size.x` around a point or a segment. */
static inline bool dry_geometry_is_round(const dry_geometry *geometry)
{
    return geometry->type == DRY_SHAPE_SPHERE || geometry->type == DRY_SHAPE_CAPSULE;
}

#endif
