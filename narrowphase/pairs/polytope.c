/* Polytopes out of hulls and boxes, and walks over their topology. Next: hull_axes.c. */
#include "narrowphase/pairs/polytope.h"

#include "geometry/shape_data.h"

#include <string.h>

/* A cube of half extents 1 as a hull: vertices have one bit per axis, set on the positive side; faces are
 * 2 axis + (negative side). The rooms are full of repetitions of the first. */
enum { CUBE_ROOM = DRY_HULL_LANES };

static const _Alignas(64) float cube_vertices[3 * CUBE_ROOM] = {
    -1, 1,  -1, 1,  -1, 1,  -1, 1,  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1,  1,  -1, -1, 1,  1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1,  1,  1,  1,  -1, -1, -1, -1, -1, -1, -1, -1,
};
static const _Alignas(64) float cube_planes[4 * CUBE_ROOM] = {
    1, -1, 0, 0, 0, 0,  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0,  0, 0, 1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1,  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};
static const uint8_t cube_origin[24] = {7, 5, 5, 1, 1, 3, 3, 7, 2, 0, 0, 4,
                                        4, 6, 6, 2, 3, 2, 6, 7, 0, 1, 5, 4};
static const uint16_t cube_face[24] = {0, 4, 0, 3, 0, 5, 0, 2, 1, 5, 1, 3,
                                       1, 4, 1, 2, 2, 5, 2, 4, 3, 5, 3, 4};
static const uint16_t cube_next[24] = {2,  19, 4, 22, 6,  21, 0, 16, 10, 17, 12, 20,
                                       14, 23, 8, 18, 15, 5,  7, 13, 3,  9,  11, 1};
static const uint16_t cube_first[6] = {0, 8, 7, 11, 19, 21};

static void take_cube(dry_polytope *p)
{
    p->vertex_room = p->face_room = CUBE_ROOM;
    p->vertex_count = 8, p->face_count = 6, p->half_edge_count = 24;
    p->origin = cube_origin, p->face = cube_face, p->next = cube_next, p->first = cube_first;
    p->own_vertices = cube_vertices, p->own_planes = cube_planes;
    p->own_center = vec3(0.0f, 0.0f, 0.0f);
    p->radius = vec3_length(p->scale);
    p->thickness = 2.0f * vec3_least(p->scale);
    const dry_vec3 half = p->scale;
    p->inner = vec3(dry_min(half.y, half.z), dry_min(half.x, half.z), dry_min(half.x, half.y));
}

static void take_hull(dry_polytope *p, const dry_hull *hull)
{
    const dry_vec3 size = vec3_abs(p->scale);
    const float *center = hull->measures.center;
    p->vertex_room = hull->vertex_room, p->face_room = hull->face_room;
    p->vertex_count = hull->vertex_count, p->face_count = hull->face_count;
    p->half_edge_count = hull->half_edge_count;
    p->origin = dry_hull_origins(hull), p->face = dry_hull_faces(hull);
    p->next = dry_hull_nexts(hull), p->first = dry_hull_firsts(hull);
    p->own_vertices = dry_hull_vertices(hull, 0), p->own_planes = dry_hull_planes(hull, 0);
    p->own_center = vec3(center[0], center[1], center[2]);
    p->radius = hull->measures.radius_about_center * vec3_largest(size);
    p->thickness = hull->measures.thickness * vec3_least(size);
    p->inner = vec3(0.0f, 0.0f, 0.0f);
}

/* Writes the axes of an orientation in double: a center far from the origin keeps its digits. */
static void axes_of(dry_quat q, dry_double3 axis[3])
{
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    axis[0] = double3(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y));
    axis[1] = double3(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x));
    axis[2] = double3(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y));
}

void dry_polytope_begin(dry_polytope *p, const dry_geometry *geometry, const dry_transform *pose)
{
    p->scale = geometry->size;
    p->vertices = p->planes = NULL;
    if (geometry->type == DRY_SHAPE_HULL)
        take_hull(p, geometry->data->form);
    else
        take_cube(p);
    p->winding = (p->scale.x < 0.0f) ^ (p->scale.y < 0.0f) ^ (p->scale.z < 0.0f) ? -1.0f : 1.0f;
    const dry_double3 own = double3_mul(double3_of(p->scale), double3_of(p->own_center));
    if (!pose) {
        p->rotation = mat3_from_quat(quat_identity());
        p->center = own;
        return;
    }
    dry_double3 axis[3];
    axes_of(pose->orientation, axis);
    p->rotation = (dry_mat3){vec3_of(axis[0]), vec3_of(axis[1]), vec3_of(axis[2])};
    p->center = double3_add(double3_of(pose->position), double3_from_axes(axis, own));
}

dry_vec3 dry_polytope_reach(const dry_polytope *p, const dry_pair_kernels *k, dry_vec3 along)
{
    const dry_vec3 own = vec3_mul(mat3_mul_transposed(&p->rotation, along), p->scale);
    const int i = k->polytope_support(p->own_vertices, p->vertex_room, p->vertex_count, p->own_center, own);
    const dry_vec3 vertex = vec3(p->own_vertices[i], p->own_vertices[p->vertex_room + i],
                                 p->own_vertices[2 * p->vertex_room + i]);
    return mat3_mul(&p->rotation, vec3_mul(p->scale, vec3_sub(vertex, p->own_center)));
}

dry_double3 dry_polytope_support_at(const void *shape, dry_double3 along, int *number)
{
    const dry_polytope_at *p = shape;
    /* A unit vector in float: the square of a short one would vanish. */
    const double length = double3_length(along), inverse = length > 0.0 ? 1.0 / length : 0.0;
    *number = dry_polytope_support(p->polytope, p->kernels, vec3_of(double3_scale(along, inverse)));
    return double3_add(p->center, double3_of(dry_polytope_vertex(p->polytope, *number)));
}

int dry_polytope_face_around(const dry_polytope *p, int vertex, dry_vec3 along)
{
    const uint8_t *found = memchr(p->origin, vertex, (size_t)p->half_edge_count);
    const int begin = (int)(found - p->origin);
    int best = p->face[begin];
    float most = vec3_dot(dry_polytope_normal(p, best), along);
    for (int h = p->next[begin ^ 1]; h != begin; h = p->next[h ^ 1]) {
        const float value = vec3_dot(dry_polytope_normal(p, p->face[h]), along);
        if (value > most) {
            most = value;
            best = p->face[h];
        }
    }
    return best;
}

float dry_polytope_beyond(const dry_polytope *p, int face, dry_vec3 point)
{
    const dry_vec3 normal = dry_polytope_normal(p, face);
    const int first = p->first[face];
    float most = -FLT_MAX;
    int h = first;
    do {
        const int next = p->next[h];
        const dry_vec3 from = dry_polytope_vertex(p, p->origin[h]);
        const dry_vec3 along = vec3_sub(dry_polytope_vertex(p, p->origin[next]), from);
        const dry_vec3 outward = vec3_scale(vec3_cross(along, normal), p->winding);
        const float length = vec3_length(along);
        if (length > 0.0f)
            most = dry_max(most, vec3_dot(outward, vec3_sub(point, from)) / length);
        h = next;
    } while (h != first);
    return most;
}
