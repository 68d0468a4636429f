/* Asks a mesh or a height field that is no shape's data whether it has a normal. */
#ifndef TESTS_FORM_ADMITS_H
#define TESTS_FORM_ADMITS_H

#include "geometry/shape_data.h"
#include "geometry/triangles.h"

static inline bool form_admits(dry_shape_type type, const void *form, const double point[3],
                               const double normal[3])
{
    dry_shape_data data = {.type = type, .form = (void *)(uintptr_t)form};
    const dry_geometry surface = {{1.0f, 1.0f, 1.0f}, type, &data};
    return dry_triangles_admit(&surface, point, normal, 1e-3, 1e-3);
}

#endif
