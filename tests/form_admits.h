/* Asks a mesh or a height field that is no shape's data whether it has a normal, and for the triangle nearest
 * to a point. */
#ifndef TESTS_FORM_ADMITS_H
#define TESTS_FORM_ADMITS_H

#include "geometry/shape_data.h"
#include "geometry/triangle.h"
#include "geometry/triangles.h"

#include <math.h>

static inline bool form_admits(dry_shape_type type, const void *form, const double point[3],
                               const double normal[3])
{
    dry_shape_data data = {.type = type, .form = (void *)(uintptr_t)form};
    const dry_geometry surface = {{1.0f, 1.0f, 1.0f}, type, &data};
    return dry_triangles_admit(&surface, double3(point[0], point[1], point[2]),
                               double3(normal[0], normal[1], normal[2]), 1e-3, 1e-3);
}

/* Returns the slot of the triangle nearest to a point, if one lies within a distance, and writes its nearest
 * point and how far that is; -1: none does. */
static inline int64_t form_nearest(dry_shape_type type, const void *form, const double from[3],
                                   double *distance, double point[3])
{
    dry_shape_data data = {.type = type, .form = (void *)(uintptr_t)form};
    const dry_geometry surface = {{1.0f, 1.0f, 1.0f}, type, &data};
    const dry_double3 at = {from[0], from[1], from[2]};
    dry_double3 corner[3], nearest;
    uint32_t slot;
    if (!dry_triangles_nearest(&surface, at, *distance, &slot))
        return -1;
    dry_triangles_corners(&surface, slot, corner);
    dry_triangle_nearest(corner, at, &nearest);
    *distance = sqrt(dry_square_between(nearest, at));
    point[0] = nearest.x, point[1] = nearest.y, point[2] = nearest.z;
    return slot;
}

#endif
