// Masses of a scene's shapes, for the peer engines.
#include "perf/peer.h"

#include <cmath>
#include <numeric>

double shape_volume(const dry_shape_def &shape)
{
    const double pi = std::acos(-1.0), r = shape.radius;
    switch (shape.type) {
    case DRY_SHAPE_SPHERE:
        return 4.0 / 3.0 * pi * r * r * r;
    case DRY_SHAPE_CAPSULE:
        return pi * r * r * (4.0 / 3.0 * r + 2.0 * shape.half_length);
    case DRY_SHAPE_BOX:
        return 8.0 * shape.half_extents.x * shape.half_extents.y * shape.half_extents.z;
    default:
        return 0;
    }
}

double shape_masses(const dry_scene_body &body, double *masses)
{
    const int count = body.def.shape_count;
    for (int i = 0; i < count; ++i)
        masses[i] = body.def.shapes[i].density * shape_volume(body.def.shapes[i]);
    double sum = std::accumulate(masses, masses + count, 0.0);
    if (body.def.mass > 0 && sum > 0) {
        const double scale = body.def.mass / sum;
        for (int i = 0; i < count; ++i)
            masses[i] *= scale;
        sum = body.def.mass;
    }
    return sum;
}
