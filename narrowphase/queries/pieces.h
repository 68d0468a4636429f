/* A shape as a list of convex pieces: itself, the children of a compound, or triangles and the other faces of
 * a solid height field. Next: pieces.c. */
#ifndef NARROWPHASE_QUERIES_PIECES_H
#define NARROWPHASE_QUERIES_PIECES_H

#include "narrowphase/placed.h"

#include <drystone/query.h>

/* A piece, and its numbers in the shape: -1 where the shape has no children or no triangles. */
typedef struct dry_query_piece {
    dry_placed solid;
    int child, triangle;
    uint32_t face;      /* the triangle's number, or that of another piece beyond: orders equal answers */
    int material;       /* index in the shape's materials */
    bool has_front;     /* a triangle that is met from one side alone */
    bool mirrored;      /* a triangle whose second and third corners changed places */
    dry_double3 front;  /* unit, to that side; of a triangle with two sides, as the normal */
    dry_double3 normal; /* of a triangle, unit, to its front */
} dry_query_piece;

/* Returns false to end the visits of triangles. */
typedef bool dry_visit_piece(void *context, const dry_query_piece *piece);

/* A shape as a query sees it. */
typedef struct dry_target {
    dry_geometry geometry;
    dry_placed_pose pose;
    dry_triangle_sides sides; /* from which triangles are met */
    int as_child;             /* its number as the child of a compound, plus 1; 0: it is none */
} dry_target;

/* Visits the pieces of a shape whose bounds overlap a box of the shape's frame. A shape without pieces is
 * visited wherever the box is. */
void dry_visit_pieces(const dry_target *target, const dry_extents *box, dry_visit_piece *visit,
                      void *context);

#endif
