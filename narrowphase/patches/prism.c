/* Prisms. Vertices 0 to 2 are the triangle's corners, 3 to 5 those below them. Faces: 0 the triangle, 1 the
 * bottom, 2 + k the side below the edge that runs from corner k.
 *
 * Half-edges, for k = 0 to 2: 2 k from corner k along the triangle, and 2 k + 1 back on the side; 6 + 2 k
 * below it on the side, and 7 + 2 k back on the bottom; 12 + 2 k down from corner k on side k, and 13 + 2 k
 * up again on the side before. */
#include "narrowphase/patches/near_triangles.h"

#include "core/assert.h"
#include "geometry/hull.h"

#include <string.h>

enum { VERTICES = 6, FACES = 5, HALF_EDGES = 18 };

static const uint8_t origins[HALF_EDGES] = {0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3, 0, 3, 1, 4, 2, 5};
static const uint16_t faces[HALF_EDGES] = {0, 2, 0, 3, 0, 4, 2, 1, 3, 1, 4, 1, 2, 4, 3, 2, 4, 3};
static const uint16_t nexts[HALF_EDGES] = {2, 12, 4, 14, 0, 16, 15, 11, 17, 7, 13, 9, 6, 5, 8, 1, 10, 3};
static const uint16_t firsts[FACES] = {0, 7, 1, 3, 5};

static dry_vec3 normal_of_face(const dry_near_triangle *t, int face)
{
    if (face < 2)
        return face == 0 ? t->normal : vec3_neg(t->normal);
    const dry_vec3 along = vec3_sub(t->corner[(face - 1) % 3], t->corner[face - 2]);
    return vec3_normalize_or(vec3_cross(along, t->normal), vec3_perpendicular(t->normal));
}

/* Returns the least height of a triangle, m. */
static float least_height(const dry_near_triangle *t)
{
    float longest = 0.0f;
    for (int k = 0; k < 3; k++)
        longest = dry_max(longest, vec3_distance(t->corner[k], t->corner[(k + 1) % 3]));
    return t->area / longest;
}

static void write_arrays(dry_hull *hull, const dry_near_triangle *t, const dry_vec3 vertex[VERTICES])
{
    char *block = (char *)hull;
    float *vertices = (float *)(void *)(block + hull->vertices_at),
          *planes = (float *)(void *)(block + hull->planes_at);
    const float *c = hull->measures.center;
    const dry_vec3 center = vec3(c[0], c[1], c[2]);
    for (int i = 0; i < hull->vertex_room; i++)
        for (int k = 0; k < 3; k++)
            vertices[k * hull->vertex_room + i] = vec3_get(vertex[i < VERTICES ? i : 0], k);
    for (int i = 0; i < hull->face_room; i++) {
        const int face = i < FACES ? i : 0;
        const dry_vec3 n = normal_of_face(t, face);
        for (int k = 0; k < 3; k++)
            planes[k * hull->face_room + i] = vec3_get(n, k);
        const dry_vec3 on = vertex[face == 1 ? 3 : face == 0 ? 0 : face - 2];
        planes[3 * hull->face_room + i] = vec3_dot(n, vec3_sub(on, center));
    }
    memcpy(block + hull->origin_at, origins, sizeof origins);
    memcpy(block + hull->face_at, faces, sizeof faces);
    memcpy(block + hull->next_at, nexts, sizeof nexts);
    memcpy(block + hull->first_at, firsts, sizeof firsts);
}

void dry_prism_make(dry_prism *prism, const dry_near_triangle *t, float depth)
{
    dry_hull *hull = (dry_hull *)(void *)prism->block;
    *hull = (dry_hull){.version = DRY_HULL_VERSION,
                       .vertex_count = VERTICES,
                       .face_count = FACES,
                       .half_edge_count = HALF_EDGES};
    dry_hull_lay_out(hull);
    DRY_ASSERT(hull->bytes <= DRY_PRISM_BYTES);
    dry_vec3 vertex[VERTICES], sum = vec3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < VERTICES; i++) {
        vertex[i] = vec3_add_scaled(t->corner[i % 3], i < 3 ? 0.0f : -depth, t->normal);
        sum = vec3_add(sum, vertex[i]);
    }
    dry_hull_measures *m = &hull->measures;
    const dry_vec3 center = vec3_scale(sum, 1.0f / VERTICES);
    for (int k = 0; k < 3; k++)
        m->center[k] = vec3_get(center, k);
    for (int i = 0; i < VERTICES; i++) {
        m->radius = dry_max(m->radius, 1.000001f * vec3_length(vertex[i]));
        m->radius_about_center =
            dry_max(m->radius_about_center, 1.000001f * vec3_distance(vertex[i], center));
    }
    m->thickness = dry_min(depth, least_height(t));
    write_arrays(hull, t, vertex);
    prism->data.type = DRY_SHAPE_HULL;
    prism->data.form = hull;
}

dry_geometry dry_prism_geometry(dry_prism *prism)
{
    return (dry_geometry){{1.0f, 1.0f, 1.0f}, DRY_SHAPE_HULL, &prism->data};
}
