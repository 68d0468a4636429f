/* Boxes and points of a form that a shape's scale stretches or mirrors. The form stays as it is: what comes
 * from the shape's frame is divided by the scale. Next: shapes/surface.c. */
#ifndef GEOMETRY_SCALED_H
#define GEOMETRY_SCALED_H

#include "core/bounds.h"
#include "geometry/geometry.h"

/* Returns the bounds of a box with a scale and orientation q, rounded outward, m. */
dry_extents dry_scaled_box_bounds(const dry_box *box, dry_vec3 scale, dry_quat q);

/* Divides a point by the scale. */
static inline void dry_unscaled_point(dry_vec3 scale, const double point[3], double out[3])
{
    out[0] = point[0] / (double)scale.x;
    out[1] = point[1] / (double)scale.y;
    out[2] = point[2] / (double)scale.z;
}

/* Divides a box by the scale, rounded outward. */
static inline dry_box dry_unscaled_box(dry_vec3 scale, const double low[3], const double high[3])
{
    dry_box box;
    for (int k = 0; k < 3; k++) {
        const double s = (double)vec3_get(scale, k), a = low[k] / s, b = high[k] / s;
        const float min = (float)(a < b ? a : b), max = (float)(a < b ? b : a);
        box.min[k] = min - FLT_EPSILON * dry_abs(min);
        box.max[k] = max + FLT_EPSILON * dry_abs(max);
    }
    return box;
}

#endif
