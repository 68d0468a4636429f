/* The support of convex pieces. Next: near_triangles.c. */
#include "narrowphase/patches/reach.h"

void dry_reach_begin(dry_reach *reach, const dry_geometry *piece, dry_quat orientation)
{
    const dry_transform pose = {{0.0f, 0.0f, 0.0f}, orientation};
    reach->piece = *piece;
    reach->axes = mat3_from_quat(orientation);
    if (piece->type != DRY_SHAPE_HULL)
        return;
    dry_polytope_begin(&reach->hull, piece, &pose);
    const double *middle = reach->hull.center;
    reach->middle = vec3((float)middle[0], (float)middle[1], (float)middle[2]);
}

float dry_reach_along(const dry_reach *reach, dry_vec3 n)
{
    const dry_vec3 size = reach->piece.size;
    if (reach->piece.type == DRY_SHAPE_HULL) {
        const dry_polytope_kernels *kernels = dry_polytope_kernels_at(DRY_LEVEL_LEAST_LANES);
        return vec3_dot(n, vec3_add(reach->middle, dry_polytope_reach(&reach->hull, kernels, n)));
    }
    const dry_vec3 own = mat3_mul_transposed(&reach->axes, n);
    switch (reach->piece.type) {
    case DRY_SHAPE_SPHERE:
        return size.x;
    case DRY_SHAPE_CAPSULE:
        return size.x + size.y * dry_abs(own.y);
    case DRY_SHAPE_CYLINDER:
        return size.x * sqrtf(dry_max(0.0f, 1.0f - own.y * own.y)) + size.y * dry_abs(own.y);
    default:
        return size.x * dry_abs(own.x) + size.y * dry_abs(own.y) + size.z * dry_abs(own.z);
    }
}
