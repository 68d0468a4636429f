/* Triangles of meshes and height fields, scaled. The data know no scale: boxes, points and normals are
 * divided by it on their way in. */
#include "geometry/triangles.h"

#include "geometry/height_field.h"
#include "geometry/scaled.h"
#include "geometry/shape_data.h"

static bool is_field(const dry_geometry *surface)
{
    return surface->type == DRY_SHAPE_HEIGHT_FIELD;
}

static const dry_mesh_tree *mesh_of(const dry_geometry *surface)
{
    return surface->data->form;
}

static const dry_height_field *field_of(const dry_geometry *surface)
{
    return surface->data->form;
}

/* A visit on its way through either kind of data. */
typedef struct passage {
    dry_triangles_visitor *visit;
    void *context;
} passage;

static bool pass_mesh(void *context, const dry_mesh_tree *tree, uint32_t slot)
{
    (void)tree;
    const passage *p = context;
    return p->visit(p->context, slot);
}

static bool pass_field(void *context, const dry_height_field *field, uint32_t slot)
{
    (void)field;
    const passage *p = context;
    return p->visit(p->context, slot);
}

bool dry_triangles_visit(const dry_geometry *surface, const double low[3], const double high[3],
                         dry_triangles_visitor *visit, void *context)
{
    passage p = {visit, context};
    dry_box box;
    for (int k = 0; k < 3; k++) {
        const double scale = (double)vec3_get(surface->size, k);
        const double a = low[k] / scale, b = high[k] / scale;
        const float min = (float)(a < b ? a : b), max = (float)(a < b ? b : a);
        box.min[k] = min - FLT_EPSILON * dry_abs(min);
        box.max[k] = max + FLT_EPSILON * dry_abs(max);
    }
    return is_field(surface) ? dry_height_field_visit_box(field_of(surface), &box, pass_field, &p)
                             : dry_mesh_tree_visit_box(mesh_of(surface), &box, pass_mesh, &p);
}

static bool is_mirrored(dry_vec3 scale)
{
    return (scale.x < 0.0f) ^ (scale.y < 0.0f) ^ (scale.z < 0.0f);
}

bool dry_triangles_are_mirrored(const dry_geometry *surface)
{
    return is_mirrored(surface->size);
}

void dry_triangles_corners(const dry_geometry *surface, uint32_t slot, double corner[3][3])
{
    if (is_field(surface)) {
        dry_height_field_triangle(field_of(surface), slot, corner);
    } else {
        for (int i = 0; i < 3; i++) {
            const dry_vec3 v = dry_mesh_tree_vertex(mesh_of(surface), slot, i);
            corner[i][0] = (double)v.x;
            corner[i][1] = (double)v.y;
            corner[i][2] = (double)v.z;
        }
    }
    const bool turn = is_mirrored(surface->size);
    for (int k = 0; k < 3; k++) {
        const double scale = (double)vec3_get(surface->size, k);
        const double second = scale * corner[1][k], third = scale * corner[2][k];
        corner[0][k] *= scale;
        corner[1][k] = turn ? third : second;
        corner[2][k] = turn ? second : third;
    }
}

bool dry_triangles_cast_ray(const dry_geometry *surface, const double origin[3], const double translation[3],
                            int sides, dry_mesh_hit *hit, dry_vec3 *normal)
{
    dry_mesh_ray ray = {.sides = sides};
    dry_unscaled_point(surface->size, origin, ray.origin);
    dry_unscaled_point(surface->size, translation, ray.translation);
    if (is_field(surface) ? !dry_height_field_cast_ray(field_of(surface), &ray, hit)
                          : !dry_mesh_tree_cast_ray(mesh_of(surface), &ray, hit))
        return false;
    double c[3][3], p[3], q[3];
    dry_triangles_corners(surface, hit->slot, c);
    for (int k = 0; k < 3; k++) {
        p[k] = c[1][k] - c[0][k];
        q[k] = c[2][k] - c[0][k];
    }
    const double side = hit->back ? -1.0 : 1.0;
    *normal = dry_unit_normal(side * (p[1] * q[2] - p[2] * q[1]), side * (p[2] * q[0] - p[0] * q[2]),
                              side * (p[0] * q[1] - p[1] * q[0]));
    return true;
}

uint32_t dry_triangles_slots(const dry_geometry *surface)
{
    if (!is_field(surface))
        return mesh_of(surface)->slot_count;
    const dry_height_field *field = field_of(surface);
    return 2u * (uint32_t)(field->rows - 1) * (uint32_t)(field->columns - 1);
}

uint32_t dry_triangles_number(const dry_geometry *surface, uint32_t slot)
{
    return is_field(surface) ? slot : dry_mesh_tree_triangle(mesh_of(surface), slot);
}

uint16_t dry_triangles_material(const dry_geometry *surface, uint32_t slot)
{
    return is_field(surface) ? dry_height_field_material(field_of(surface), slot / 2)
                             : dry_mesh_tree_material(mesh_of(surface), slot);
}

bool dry_triangles_have_backs(const dry_geometry *surface)
{
    return !is_field(surface) && mesh_of(surface)->flags & DRY_MESH_TWO_SIDED;
}

bool dry_triangles_contain(const dry_geometry *surface, const double point[3])
{
    double own[3];
    dry_unscaled_point(surface->size, point, own);
    if (is_field(surface))
        return field_of(surface)->solid_depth > 0.0f && dry_height_field_contains(field_of(surface), own);
    return mesh_of(surface)->flags & DRY_MESH_SOLID && dry_mesh_tree_contains(mesh_of(surface), own);
}

uint32_t dry_triangles_nearest(const dry_geometry *surface, const double point[3])
{
    double own[3];
    dry_mesh_nearest nearest = {.slot = 0};
    dry_unscaled_point(surface->size, point, own);
    if (is_field(surface))
        dry_height_field_find_nearest(field_of(surface), own, DBL_MAX, &nearest);
    else
        dry_mesh_tree_find_nearest(mesh_of(surface), own, DBL_MAX, &nearest);
    return nearest.slot;
}

dry_mesh_edge dry_triangles_edge(const dry_geometry *surface, uint32_t slot, int edge, int *steps)
{
    const int own = is_mirrored(surface->size) ? 2 - edge : edge;
    if (is_field(surface))
        return dry_height_field_edge(field_of(surface), slot, own, steps);
    *steps = dry_mesh_tree_edge_angle(mesh_of(surface), slot, own);
    return dry_mesh_tree_edge(mesh_of(surface), slot, own);
}

bool dry_triangles_admit(const dry_geometry *surface, const double point[3], const double normal[3],
                         double distance, double slope)
{
    /* A plane's normal n becomes S n where its points x become x / S. Distances are taken by the least scale,
     * so that no neighbor is missed. */
    double own[3], n[3], square = 0.0, least = 1e3;
    for (int k = 0; k < 3; k++) {
        const double scale = (double)vec3_get(surface->size, k);
        own[k] = point[k] / scale;
        n[k] = normal[k] * scale;
        square += n[k] * n[k];
        least = fabs(scale) < least ? fabs(scale) : least;
    }
    const double length = sqrt(square);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
    return is_field(surface) ? dry_height_field_admits(field_of(surface), own, n, distance / least, slope)
                             : dry_mesh_tree_admits(mesh_of(surface), own, n, distance / least, slope);
}
