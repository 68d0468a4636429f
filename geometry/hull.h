/* A convex hull as an asset: one flat block of memory without pointers, and what can be asked of it.
 *
 *      dry_hull | x y z | nx ny nz offset | origin | face | next | first
 *               | vertices   faces          | half-edges         | faces
 *
 * Copying the block saves or loads a hull. A hull has no scale of its own: calls below take one, which may
 * differ by axis and be negative. Half-edges 2 e and 2 e + 1 are the two sides of edge e, so the twin of h is
 * h ^ 1. The half-edges of a face run counterclockwise seen from outside. Next: hull_build.h makes hulls. */
#ifndef GEOMETRY_HULL_H
#define GEOMETRY_HULL_H

#include "core/double3.h"
#include "geometry/mesh.h"

#include <drystone/types.h>

/* Changes with the layout or the meaning of the block. */
#define DRY_HULL_VERSION 0x48550001u

enum {
    DRY_HULL_VERTICES_MAX = 256,
    DRY_HULL_FACES_MAX = 2 * DRY_HULL_VERTICES_MAX - 4,
    DRY_HULL_HALF_EDGES_MAX = 6 * DRY_HULL_VERTICES_MAX - 12,
    DRY_HULL_ALIGNMENT = 64, /* of the block, and of the arrays that lanes read */
    DRY_HULL_LANES = 16,     /* vertices and faces are padded to a multiple of these */
};

/* Follows from vertices and faces: `dry_hull_measure` computes all of it. The density is 1. */
typedef struct dry_hull_measures {
    dry_solid solid;
    double moments[3]; /* of inertia about the principal axes */
    dry_quat axes;     /* the orientation of the principal axes */
    float min[3], max[3];
    float center[3];           /* the center of mass, rounded */
    float radius;              /* of a ball about the origin that holds the hull, rounded up */
    float radius_about_center; /* the same about `center` */
    float thickness;           /* the least extent across a face, along its normal */
} dry_hull_measures;

/* The header of a block. Places are in bytes from its beginning. */
typedef struct dry_hull {
    uint32_t version, bytes; /* DRY_HULL_VERSION; the whole block */
    uint16_t vertex_count, face_count, half_edge_count;
    uint16_t vertex_room, face_room; /* counts with the padding */
    uint16_t unused;
    uint32_t vertices_at, planes_at, origin_at, face_at, next_at, first_at;
    uint32_t unused_too;
    dry_hull_measures measures;
} dry_hull;

_Static_assert(sizeof(dry_hull) == 48 + sizeof(dry_hull_measures), "the header has no padding");
_Static_assert(sizeof(dry_hull_measures) == 25 * 8 + 16 * 4, "the measures have no padding");

/* Coordinates of the vertices, m, by axis. Vertex 0 fills the padding. */
static inline const float *dry_hull_vertices(const dry_hull *hull, int axis)
{
    return (const float *)(const void *)((const char *)hull + hull->vertices_at) + axis * hull->vertex_room;
}

/* Components of the faces' outward unit normals, by axis; axis 3: the offsets, m. Face 0 fills the padding.
 * Each vertex v has n . (v - measures.center) <= offset, summed in double in the order of the axes. About the
 * center the offset keeps its digits where the hull is far from its origin. */
static inline const float *dry_hull_planes(const dry_hull *hull, int axis)
{
    return (const float *)(const void *)((const char *)hull + hull->planes_at) + axis * hull->face_room;
}

/* The vertex from which each half-edge runs. */
static inline const uint8_t *dry_hull_origins(const dry_hull *hull)
{
    return (const uint8_t *)hull + hull->origin_at;
}

/* The face on the left of each half-edge, seen from outside. */
static inline const uint16_t *dry_hull_faces(const dry_hull *hull)
{
    return (const uint16_t *)(const void *)((const char *)hull + hull->face_at);
}

/* The half-edge that follows each one around its face. */
static inline const uint16_t *dry_hull_nexts(const dry_hull *hull)
{
    return (const uint16_t *)(const void *)((const char *)hull + hull->next_at);
}

/* The first half-edge of each face. */
static inline const uint16_t *dry_hull_firsts(const dry_hull *hull)
{
    return (const uint16_t *)(const void *)((const char *)hull + hull->first_at);
}

static inline dry_vec3 dry_hull_vertex(const dry_hull *hull, int i)
{
    return (dry_vec3){dry_hull_vertices(hull, 0)[i], dry_hull_vertices(hull, 1)[i],
                      dry_hull_vertices(hull, 2)[i]};
}

static inline dry_vec3 dry_hull_normal(const dry_hull *hull, int face)
{
    return (dry_vec3){dry_hull_planes(hull, 0)[face], dry_hull_planes(hull, 1)[face],
                      dry_hull_planes(hull, 2)[face]};
}

/* Along the normal, from `measures.center`, m. */
static inline float dry_hull_offset(const dry_hull *hull, int face)
{
    return dry_hull_planes(hull, 3)[face];
}

/* Fills in the places of the arrays, the padded counts and the bytes that a header's three counts ask for. */
void dry_hull_lay_out(dry_hull *hull);

/* Computes a hull's measures from its vertices, normals and half-edges; offsets are not read. Faces are cut
 * into fans of triangles, over which geometry/mesh_mass.c integrates. */
void dry_hull_measure(const dry_hull *hull, dry_hull_measures *measures);

/* Returns the least offset of a face with which no vertex lies outside, rounded up to a float. The measures
 * are known. */
float dry_hull_least_offset(const dry_hull *hull, int face);

/* Tells whether bytes from outside are a sound hull: every count, place, index and number, the topology, the
 * convexity, and all measures. Reads nothing beyond `size`. The bytes begin at a multiple of
 * DRY_HULL_ALIGNMENT. Bytes that `dry_hull_build` made pass on every machine. */
bool dry_hull_check(const void *bytes, size_t size);

/* Returns a hash of the block. */
uint64_t dry_hull_hash(const dry_hull *hull);

/* The calls below take a scale: finite and nonzero components. Places are in the frame of the scaled hull. */

/* Writes the bounds of the scaled hull with an orientation, relative to its origin: the least and the
 * largest of the rounded coordinates of all vertices. They are not rounded outward. */
void dry_hull_bounds(const dry_hull *hull, dry_vec3 scale, dry_quat orientation, dry_vec3 *min,
                     dry_vec3 *max);

/* Returns the integrals of the scaled hull at density 1. */
dry_solid dry_hull_solid(const dry_hull *hull, dry_vec3 scale);

/* Finds the first point of the hull on the segment from `origin` to origin + translation, as
 * dry_geometry_cast_ray does. A segment that starts inside hits at fraction 0, with the normal against it. */
bool dry_hull_cast_ray(const dry_hull *hull, dry_vec3 scale, dry_double3 origin, dry_double3 translation,
                       double *fraction, dry_vec3 *normal);

/* Tells whether a unit vector is a normal of the hull at a point, m: the point is farther away than
 * `distance`, or no part of the hull rises above the plane through the point by more than `slope` times its
 * distance. A rise by `distance` counts as none. */
bool dry_hull_admits(const dry_hull *hull, dry_vec3 scale, dry_double3 point, dry_double3 normal,
                     double distance, double slope);

/* Tells whether a point lies in the hull or on its surface. */
bool dry_hull_contains(const dry_hull *hull, dry_vec3 scale, dry_double3 point);

#endif
