/* Supports of convex pieces. Next: near_triangles.c. */
#include "narrowphase/patches/reach.h"

void dry_reach_begin(dry_reach *reach, const dry_geometry *piece, dry_quat orientation)
{
    const dry_transform pose = {{0.0f, 0.0f, 0.0f}, orientation};
    reach->piece = *piece;
    reach->axes = mat3_from_quat(orientation);
    reach->has_vertices = piece->type == DRY_SHAPE_HULL || piece->type == DRY_SHAPE_BOX;
    if (!reach->has_vertices)
        return;
    reach->kernels = dry_polytope_kernels_at(DRY_LEVEL_LEAST_LANES);
    dry_polytope_begin(&reach->hull, piece, &pose);
    reach->kernels->polytope_place_vertices(&reach->hull);
    const double *middle = reach->hull.center;
    reach->middle = vec3((float)middle[0], (float)middle[1], (float)middle[2]);
}

float dry_reach_along(const dry_reach *reach, dry_vec3 n)
{
    const dry_vec3 size = reach->piece.size;
    if (reach->has_vertices) {
        const int vertex = dry_polytope_support(&reach->hull, reach->kernels, n);
        return vec3_dot(n, vec3_add(reach->middle, dry_polytope_vertex(&reach->hull, vertex)));
    }
    const dry_vec3 own = mat3_mul_transposed(&reach->axes, n);
    switch (reach->piece.type) {
    case DRY_SHAPE_SPHERE:
        return size.x;
    case DRY_SHAPE_CAPSULE:
        return size.x + size.y * dry_abs(own.y);
    default:
        return size.x * sqrtf(dry_max(0.0f, 1.0f - own.y * own.y)) + size.y * dry_abs(own.y);
    }
}

static void add(dry_low_points *low, dry_vec3 point, float height, float most)
{
    low->least = dry_min(low->least, height);
    low->point[low->count] = point;
    low->height[low->count] = height;
    low->count += height <= most;
}

static void list_vertices(const dry_reach *reach, dry_vec3 n, float offset, float most, dry_low_points *low)
{
    const dry_polytope *hull = &reach->hull;
    const float *x = hull->vertices, *y = x + hull->vertex_room, *z = y + hull->vertex_room;
    _Alignas(64) float height[DRY_HULL_VERTICES_MAX];
    const float over = vec3_dot(n, reach->middle) - offset;
    for (int i = 0; i < hull->vertex_room; i++)
        height[i] = (n.x * x[i] + n.y * y[i]) + n.z * z[i] + over;
    for (int i = 0; i < hull->vertex_count; i++)
        if (height[i] <= most)
            add(low, vec3_add(reach->middle, dry_polytope_vertex(hull, i)), height[i], most);
}

void dry_reach_low_points(const dry_reach *reach, dry_vec3 n, float offset, float most, dry_low_points *low)
{
    low->count = 0;
    low->is_disc = false;
    low->least = FLT_MAX;
    if (reach->has_vertices) {
        list_vertices(reach, n, offset, most, low);
        return;
    }
    const dry_vec3 size = reach->piece.size, axis = reach->axes.y;
    dry_vec3 down = vec3_neg(n);
    if (reach->piece.type == DRY_SHAPE_CYLINDER) {
        const dry_vec3 across = vec3_add_scaled(down, -vec3_dot(down, axis), axis);
        down = vec3_normalize_or(across, reach->axes.x);
        low->is_disc = dry_abs(vec3_dot(n, axis)) > 0.5f;
        if (low->is_disc) {
            const dry_vec3 side = vec3_cross(axis, down);
            const dry_vec3 rim[3] = {side, vec3_neg(side), vec3_neg(down)};
            for (int i = 0; i < 6; i++) {
                const dry_vec3 end = vec3_scale(axis, i % 2 ? size.y : -size.y);
                const dry_vec3 p = vec3_add_scaled(end, size.x, rim[i / 2]);
                add(low, p, vec3_dot(n, p) - offset, most);
            }
        }
    }
    const int ends = reach->piece.type == DRY_SHAPE_SPHERE ? 1 : 2;
    for (int i = 0; i < ends; i++) {
        const dry_vec3 end = vec3_scale(axis, ends == 1 ? 0.0f : i ? size.y : -size.y);
        const dry_vec3 p = vec3_add_scaled(end, size.x, down);
        add(low, p, vec3_dot(n, p) - offset, most);
    }
}
