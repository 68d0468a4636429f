/* Pieces as points. Next: near_triangles.c. */
#include "narrowphase/patches/reach.h"

/* Places the vertices of a box or a hull about the piece's center. */
static void place_vertices(dry_reach *reach, dry_quat orientation, const dry_pair_kernels *kernels)
{
    const dry_transform pose = {{0.0f, 0.0f, 0.0f}, orientation};
    dry_polytope hull;
    dry_polytope_begin(&hull, &reach->piece, &pose);
    kernels->polytope_place_vertices(&hull);
    reach->count = hull.vertex_count;
    reach->room = hull.vertex_room;
    for (int k = 0; k < 3; k++) {
        const float middle = (float)double3_get(hull.center, k), *from = hull.vertices + k * hull.vertex_room;
        float *to = reach->vertices + k * reach->room;
        for (int i = 0; i < reach->room; i++)
            to[i] = middle + from[i < reach->count ? i : 0];
    }
}

/* Places the ends of a capsule, or the center of a sphere. */
static void place_ends(dry_reach *reach)
{
    reach->room = reach->count = reach->piece.type == DRY_SHAPE_CAPSULE ? 2 : 1;
    reach->rounding = reach->piece.size.x;
    for (int i = 0; i < reach->count; i++) {
        const float half = reach->count == 1 ? 0.0f : i ? reach->piece.size.y : -reach->piece.size.y;
        for (int k = 0; k < 3; k++)
            reach->vertices[k * reach->room + i] = half * vec3_get(reach->axes.y, k);
    }
}

static dry_extents bounds_of_vertices(const dry_reach *reach, const dry_pair_kernels *kernels)
{
    const dry_vec3 axis[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    float low[3], high[3];
    for (int k = 0; k < 3; k++)
        kernels->polytope_span(reach->vertices, reach->room, axis[k], &low[k], &high[k]);
    return (dry_extents){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

void dry_reach_begin(dry_reach *reach, const dry_geometry *piece, dry_quat orientation, dry_level level)
{
    const dry_pair_kernels *kernels = dry_pair_kernels_at(level);
    reach->piece = *piece;
    reach->axes = mat3_from_quat(orientation);
    reach->rounding = 0.0f;
    reach->count = reach->room = 0;
    if (dry_type_is_polytope(piece->type)) {
        place_vertices(reach, orientation, kernels);
        reach->bounds = bounds_of_vertices(reach, kernels);
        return;
    }
    reach->bounds = dry_geometry_bounds(piece, orientation);
    if (piece->type != DRY_SHAPE_CYLINDER)
        place_ends(reach);
}

float dry_reach_along(const dry_reach *reach, dry_vec3 n)
{
    const float *x = reach->vertices, *y = x + reach->room, *z = y + reach->room;
    const float along = vec3_dot(reach->axes.y, n), across = sqrtf(dry_max(0.0f, 1.0f - along * along));
    if (reach->count == 0)
        return reach->piece.size.x * across + reach->piece.size.y * dry_abs(along);
    float most = -FLT_MAX;
    for (int i = 0; i < reach->count; i++)
        most = dry_max(most, vec3_dot(n, vec3(x[i], y[i], z[i])));
    return most + reach->rounding;
}
