/* The hull of a cloud as a closed surface of triangles, grown point by point: quickhull [Barber, Dobkin,
 * Huhdanpaa, The Quickhull Algorithm for Convex Hulls, 1996].
 *
 * The side of a point is found in double, and in whole numbers where rounding could matter. So the surface
 * is exactly convex at all times, what a new point sees of it is one disk, and no input makes it fail. Each
 * step adds a point strictly outside, so the growth ends. */
#ifndef GEOMETRY_HULL_GROWTH_H
#define GEOMETRY_HULL_GROWTH_H

#include "geometry/hull_cloud.h"

/* A triangle and its plane in units of the grid. */
typedef struct dry_hull_triangle {
    double normal[3], at; /* outward, exact; normal . p is `at` on the plane, up to rounding */
    double meters;        /* a step of normal . p by 1 in meters */
    double doubt;         /* a smaller |normal . p - at| tells no side */
    double tolerance;     /* of normal . p - at */
    double farthest;      /* the largest normal . p - at among the points that wait here; else 0 */
    int32_t vertex[3];    /* places in dry_hull_growth.vertex, counterclockwise seen from outside */
    int32_t neighbor[3];  /* across the edge from vertex[i] to vertex[i + 1]; place 0 is free: -1 */
    int32_t first, last;  /* of the points that wait here, each outside of this triangle; -1 */
    int32_t seen;         /* the last point that saw this triangle */
    int32_t strayed;      /* of the points that wait here, the one most distant from the hull */
    int32_t strayed_at;   /* how many vertices there were when that was found; 0: it was not */
    double strayed_m;     /* its distance then; it only gets less */
} dry_hull_triangle;

typedef struct dry_hull_growth {
    const dry_hull_cloud *cloud;
    int32_t *next; /* of each point: the one that waits behind it; -1 */
    int32_t *vertex;
    dry_hull_triangle *triangle;             /* some of them free, with neighbor[0] below 0 */
    int32_t *free, *stack, *made, *starting; /* of triangles, three lists; the triangle at each vertex */
    int vertex_count, vertices_max, triangle_count, free_count;
} dry_hull_growth;

/* Returns the most triangles, free ones included, that a hull of some vertices needs while it grows. */
static inline int dry_hull_growth_room(int vertices)
{
    return 3 * vertices + 8;
}

/* Returns normal . p - at, with rounding. */
static inline double dry_hull_triangle_above(const dry_hull_triangle *t, const float *p)
{
    return t->normal[0] * (double)p[0] + t->normal[1] * (double)p[1] + t->normal[2] * (double)p[2] - t->at;
}

/* Begins with a tetrahedron. All points outside wait at its triangles. The arrays have room for
 * `vertices_max` vertices. */
dry_hull_fault_kind dry_hull_begin(dry_hull_growth *g);

/* Grows the hull until it had `vertices` vertices, of which some may lie within it by then, or no point is
 * outside beyond the tolerance. Returns whether one is. Points far outside of a face come first. Then come
 * those that are far from the hull: beside a sharp edge a point may be so and yet close to the faces' planes.
 */
bool dry_hull_grow(dry_hull_growth *g, int vertices);

/* Finds the most distant one of the points that wait at a triangle. Writes its distance from the hull, m, if
 * that is more than *farthest, and returns the point, or -1. */
int dry_hull_find_strayed(const dry_hull_growth *g, int triangle, double *farthest);

/* Returns the largest distance from a point that still waits outside to the hull, m; 0 if none waits. */
double dry_hull_growth_cut(const dry_hull_growth *g);

#endif
