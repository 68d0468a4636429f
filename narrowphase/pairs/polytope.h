/* Hulls and boxes as one thing: a polytope, its vertices and planes placed in the frame of a pair.
 *
 * Vertices are kept about the polytope's center and along the axes of the frame, so that no digits are lost
 * where a hull is far from its own origin. A box is the hull of a cube, scaled. Next: polytope_kernel.h,
 * which places and searches in lanes; hull_hull.h. */
#ifndef NARROWPHASE_PAIRS_POLYTOPE_H
#define NARROWPHASE_PAIRS_POLYTOPE_H

#include "core/math.h"
#include "geometry/hull.h"
#include "narrowphase/closest.h"
#include "narrowphase/pairs/kernel_list.h"
#include "state/geometry.h"

/* The narrowest level with lanes, which every processor of the architecture has: of pairs that no bin brings
 * to the world's level. */
#if defined(__x86_64__)
#define DRY_LEVEL_LEAST_LANES DRY_LEVEL_SSE2
#elif defined(__aarch64__)
#define DRY_LEVEL_LEAST_LANES DRY_LEVEL_NEON
#else
#define DRY_LEVEL_LEAST_LANES DRY_LEVEL_SCALAR
#endif

enum { DRY_POLYTOPE_FACES = DRY_HULL_FACES_MAX + 4 };

typedef struct dry_polytope {
    /* As placed: x, y, z of the vertices; components of the outward unit normals, and offsets, m. Each axis
     * fills its room. Placing sets them; until then they are null. */
    const float *vertices, *planes;
    int vertex_room, face_room;
    int vertex_count, face_count, half_edge_count;
    /* The topology, as in geometry/hull.h. */
    const uint8_t *origin;
    const uint16_t *face, *next, *first;
    /* Before the scale: arrays as in geometry/hull.h, and the center. */
    const float *own_vertices, *own_planes;
    dry_vec3 own_center;
    dry_vec3 scale;
    dry_mat3 rotation;  /* of the polytope in the frame */
    dry_double3 center; /* in the frame, m */
    float radius;       /* about the center, m */
    float thickness;    /* a lower bound of the extent across any face, m */
    dry_vec3 inner; /* of a circle within faces 2 k and 2 k + 1 of a box: radius number k; 0 of a hull, m */
    float winding;  /* 1, or -1 where a mirror turned the faces over */
    _Alignas(64) float vertex_store[3 * DRY_HULL_VERTICES_MAX];
    _Alignas(64) float plane_store[4 * DRY_POLYTOPE_FACES];
} dry_polytope;

/* Describes a hull or a box at a pose, or at the frame's origin if `pose` is null. Nothing is placed. */
void dry_polytope_begin(dry_polytope *p, const dry_geometry *geometry, const dry_transform *pose);

static inline dry_vec3 dry_polytope_vertex(const dry_polytope *p, int i)
{
    return vec3(p->vertices[i], p->vertices[p->vertex_room + i], p->vertices[2 * p->vertex_room + i]);
}

static inline dry_vec3 dry_polytope_normal(const dry_polytope *p, int face)
{
    const float *n = p->planes + face;
    return vec3(n[0], n[p->face_room], n[2 * p->face_room]);
}

/* Returns a face's distance from the center along its normal, m. */
static inline float dry_polytope_offset(const dry_polytope *p, int face)
{
    return p->planes[3 * p->face_room + face];
}

/* Returns the placed vertex farthest along a direction: the first of several. */
static inline int dry_polytope_support(const dry_polytope *p, const dry_pair_kernels *k, dry_vec3 along)
{
    return k->polytope_support(p->vertices, p->vertex_room, p->vertex_count, vec3(0.0f, 0.0f, 0.0f), along);
}

/* A placed polytope with its center at a place, m; closest.h takes it by its support. */
typedef struct dry_polytope_at {
    const dry_polytope *polytope;
    const dry_pair_kernels *kernels;
    dry_double3 center;
} dry_polytope_at;

dry_support dry_polytope_support_at;

/* Returns the vertex farthest along a direction in the frame, about the center. Nothing needs to be placed.
 */
dry_vec3 dry_polytope_reach(const dry_polytope *p, const dry_pair_kernels *k, dry_vec3 along);

/* Returns the face around a vertex whose normal lies farthest along a direction. */
int dry_polytope_face_around(const dry_polytope *p, int vertex, dry_vec3 along);

/* Returns how far a point about the center lies beyond the sides of a face, m; at most 0 if it lies over the
 * face. */
float dry_polytope_beyond(const dry_polytope *p, int face, dry_vec3 point);

/* Returns a point about the center in the frame. */
static inline dry_vec3 dry_polytope_from_center(const dry_polytope *p, dry_vec3 point)
{
    return vec3_of(double3_add(p->center, double3_of(point)));
}

/* Returns the same for a point in double. GCC's vectorizer drops the rounding of a double to a float that
 * becomes a double again, so no point goes that way. */
static inline dry_vec3 dry_polytope_from_center_double(const dry_polytope *p, dry_double3 point)
{
    return vec3_of(double3_add(p->center, point));
}

#endif
