/* Faces of many sides out of the triangles of a hull: those that lie in one plane within the tolerance.
 *
 * The largest triangle without a face founds one. Neighbors join while their vertices miss its plane by the
 * tolerance at most. The face keeps that plane, so all vertices lie on or below it: the hull stays convex.
 * A vertex between only two faces lies on their edge, and a vertex within one face is none: both go.
 *
 * The triangles of a face that comes out unsound are faces of their own, which is always sound: this ends. */
#ifndef GEOMETRY_HULL_MERGE_H
#define GEOMETRY_HULL_MERGE_H

#include "geometry/hull_growth.h"

/* The faces of a hull, and room to find them. A side is 3 t + i: edge i of triangle t. */
typedef struct dry_hull_merging {
    int32_t *order;                /* triangles by area */
    int32_t *face;                 /* of each triangle */
    bool *alone;                   /* of each triangle: it is a face of its own */
    int32_t *founder;              /* of each face: its triangle */
    int32_t *half_edge;            /* of each side that begins an edge: its half-edge; else -1 */
    int32_t *degree;               /* of each vertex of the growth: how many sides of faces begin there */
    int32_t *number;               /* of each vertex of the growth: its number in the hull; else -1 */
    int32_t *sides;                /* of each face: how many sides are around it */
    int32_t *mark;                 /* room for a face or a vertex each */
    int32_t *origin, *next, *left; /* of each half-edge: its vertex of the growth, the next one, its face */
    int32_t *first;                /* a half-edge of each face */
    int order_count, face_count, half_edge_count, vertex_count;
} dry_hull_merging;

/* Finds the faces. The arrays have room for dry_hull_growth_room triangles, three sides each. */
void dry_hull_merge(dry_hull_growth *g, dry_hull_merging *f);

#endif
