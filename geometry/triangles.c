/* Triangles of meshes and height fields, scaled. The data know no scale: boxes, points and normals are
 * divided by it on their way in. */
#include "geometry/triangles.h"

#include "core/assert.h"
#include "geometry/height_field.h"
#include "geometry/kind.h"
#include "geometry/scaled.h"
#include "geometry/shape_data.h"
#include "geometry/triangle.h"

_Static_assert(DRY_TRIANGLES_END == DRY_HEIGHT_TRIANGLE_MASK + 1, "faces of a field have bits above");

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

/* Boxes around a point grow from this, m, until one holds its nearest triangle. */
#define FIRST_REACH 1e-3

bool dry_triangles_visit(const dry_geometry *surface, bool all_faces, dry_double3 low, dry_double3 high,
                         dry_triangles_visitor *visit, void *context)
{
    const dry_box box = dry_unscaled_box(surface->size, low, high);
    return is_field(surface) ? dry_height_field_visit(field_of(surface), &box, all_faces, visit, context)
                             : dry_mesh_tree_visit_box(mesh_of(surface), &box, visit, context);
}

bool dry_triangles_are_mirrored(const dry_geometry *surface)
{
    const dry_vec3 scale = surface->size;
    return (scale.x < 0.0f) ^ (scale.y < 0.0f) ^ (scale.z < 0.0f);
}

/* Scales the corners of a triangle of the data. */
static void scale_corners(const dry_geometry *surface, dry_double3 corner[3])
{
    const bool turn = dry_triangles_are_mirrored(surface);
    const dry_double3 scale = double3_of(surface->size), second = double3_mul(scale, corner[1]),
                      third = double3_mul(scale, corner[2]);
    corner[0] = double3_mul(scale, corner[0]);
    corner[1] = turn ? third : second;
    corner[2] = turn ? second : third;
}

void dry_triangles_corners(const dry_geometry *surface, uint32_t slot, dry_double3 corner[3])
{
    DRY_ASSERT(slot < dry_triangles_slots(surface) || (is_field(surface) && slot >= DRY_TRIANGLES_END));
    if (!is_field(surface))
        dry_mesh_tree_corner_points(mesh_of(surface), slot, corner);
    else if (slot < DRY_TRIANGLES_END)
        dry_height_field_triangle(field_of(surface), slot, corner);
    else
        dry_height_field_face(field_of(surface), slot, corner);
    scale_corners(surface, corner);
}

dry_mesh_ray dry_triangles_ray(const dry_geometry *surface, dry_double3 origin, dry_double3 translation,
                               int sides)
{
    const dry_double3 o = dry_unscaled_point(surface->size, origin),
                      d = dry_unscaled_point(surface->size, translation);
    return (dry_mesh_ray){{o.x, o.y, o.z}, {d.x, d.y, d.z}, sides};
}

bool dry_triangles_cast_ray(const dry_geometry *surface, const dry_mesh_ray *ray, dry_mesh_hit *hit)
{
    return is_field(surface) ? dry_height_field_cast_ray(field_of(surface), ray, hit)
                             : dry_mesh_tree_cast_ray(mesh_of(surface), ray, hit);
}

dry_vec3 dry_triangles_normal(const dry_geometry *surface, const dry_mesh_hit *hit)
{
    dry_double3 corner[3];
    const double side = hit->back ? -1.0 : 1.0;
    dry_triangles_corners(surface, hit->slot, corner);
    const dry_double3 n = double3_cross(double3_sub(corner[1], corner[0]), double3_sub(corner[2], corner[0]));
    return dry_unit_normal(side * n.x, side * n.y, side * n.z);
}

uint32_t dry_triangles_slots(const dry_geometry *surface)
{
    if (!is_field(surface))
        return mesh_of(surface)->slot_count;
    const dry_height_field *field = field_of(surface);
    return 2 * (uint32_t)(field->rows - 1) * (uint32_t)(field->columns - 1);
}

uint32_t dry_triangles_number(const dry_geometry *surface, uint32_t slot)
{
    return is_field(surface) ? slot : dry_mesh_tree_triangle(mesh_of(surface), slot);
}

uint16_t dry_triangles_material(const dry_geometry *surface, uint32_t slot)
{
    return is_field(surface)
               ? dry_height_field_material(field_of(surface), (slot & DRY_HEIGHT_TRIANGLE_MASK) / 2)
               : dry_mesh_tree_material(mesh_of(surface), slot);
}

bool dry_triangles_have_backs(const dry_geometry *surface)
{
    return !is_field(surface) && mesh_of(surface)->flags & DRY_MESH_TWO_SIDED;
}

bool dry_triangles_contain(const dry_geometry *surface, dry_double3 point)
{
    const bool is_solid =
        is_field(surface) ? field_of(surface)->solid_depth > 0.0f : mesh_of(surface)->flags & DRY_MESH_SOLID;
    if (!is_solid)
        return false;
    const dry_double3 own = dry_unscaled_point(surface->size, point);
    return is_field(surface) ? dry_height_field_contains(field_of(surface), own)
                             : dry_mesh_tree_contains(mesh_of(surface), own);
}

/* Visits the triangles whose box meets the cube about a point. */
static bool visit_around(const dry_geometry *surface, dry_double3 point, double reach,
                         dry_triangles_visitor *visit, void *context)
{
    const dry_double3 room = {reach, reach, reach};
    return dry_triangles_visit(surface, false, double3_sub(point, room), double3_add(point, room), visit,
                               context);
}

/* A search for the triangle nearest to a point. */
typedef struct search {
    const dry_geometry *surface;
    dry_double3 from;
    double best; /* the square of the distance, m^2 */
    bool is_found;
    uint32_t slot;
} search;

static bool judge(void *context, uint32_t slot)
{
    search *s = context;
    dry_double3 corner[3], point;
    dry_triangles_corners(s->surface, slot, corner);
    dry_triangle_nearest(corner, s->from, &point);
    const double square = dry_square_between(point, s->from);
    if (!(square <= s->best) ||
        (s->is_found && square == s->best &&
         dry_triangles_number(s->surface, slot) > dry_triangles_number(s->surface, s->slot)))
        return true;
    s->best = square;
    s->is_found = true;
    s->slot = slot;
    return true;
}

bool dry_triangles_nearest(const dry_geometry *surface, dry_double3 point, double distance, uint32_t *slot)
{
    search s = {.surface = surface, .from = point};
    for (double reach = FIRST_REACH; distance >= 0.0; reach *= 4.0) {
        reach = reach < distance ? reach : distance;
        s.best = reach * reach;
        visit_around(surface, point, reach, judge, &s);
        if (s.is_found || reach == distance)
            break;
    }
    *slot = s.slot;
    return s.is_found;
}

void dry_triangles_edges(const dry_geometry *surface, uint32_t slot, dry_edge_angle edges[3])
{
    if (is_field(surface))
        dry_height_field_edges(field_of(surface), slot, edges);
    else
        dry_mesh_tree_edges(mesh_of(surface), slot, edges);
    if (!dry_triangles_are_mirrored(surface))
        return;
    const dry_edge_angle first = edges[0];
    edges[0] = edges[2];
    edges[2] = first;
}

/* A question whether a normal holds. */
typedef struct question {
    const dry_geometry *surface;
    dry_double3 point, normal;
    double distance, slope;
} question;

static bool allows(void *context, uint32_t slot)
{
    const question *q = context;
    dry_double3 corner[3];
    dry_triangles_corners(q->surface, slot, corner);
    return dry_triangle_admits(corner, q->point, q->normal, q->distance, q->slope);
}

bool dry_triangles_admit(const dry_geometry *surface, dry_double3 point, dry_double3 normal, double distance,
                         double slope)
{
    question q = {surface, point, normal, distance, slope};
    return visit_around(surface, point, distance, allows, &q);
}
