/* Boxes and points of a form that a shape's scale stretches or mirrors. The form stays as it is: what comes
 * from the shape's frame is divided by the scale. Next: shapes/surface.c. */
#ifndef GEOMETRY_SCALED_H
#define GEOMETRY_SCALED_H

#include "core/bounds.h"
#include "core/double3.h"
#include "geometry/geometry.h"

/* Returns the bounds of a box with a scale and orientation q, rounded outward, m. */
dry_extents dry_scaled_box_bounds(const dry_box *box, dry_vec3 scale, dry_quat q);

/* Divides a point by the scale. */
static inline dry_double3 dry_unscaled_point(dry_vec3 scale, dry_double3 point)
{
    return double3(point.x / (double)scale.x, point.y / (double)scale.y, point.z / (double)scale.z);
}

/* Divides a box by the scale, rounded outward. */
static inline dry_box dry_unscaled_box(dry_vec3 scale, dry_double3 low, dry_double3 high)
{
    dry_box box;
    for (int k = 0; k < 3; k++) {
        const double s = (double)vec3_get(scale, k), a = double3_get(low, k) / s,
                     b = double3_get(high, k) / s;
        const float min = (float)(a < b ? a : b), max = (float)(a < b ? b : a);
        box.min[k] = min - FLT_EPSILON * dry_abs(min);
        box.max[k] = max + FLT_EPSILON * dry_abs(max);
    }
    return box;
}

#endif
