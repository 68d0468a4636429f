/* Questions of one solid to one shape, answered by the shape's pieces. Next: search.c.
 *
 * A shape is a list of convex pieces: itself, the children of a compound, or triangles and the other faces of
 * a solid height field (pieces.c).
 *
 * A triangle that is met from one side alone is left out where the solid's center lies behind it. If its
 * other side would be the shortest way out, the way leads to the side that is met. A solid whose center lies
 * inside a shape of triangles leaves it by the nearest face.
 *
 * Each child of a compound with triangles answers as a shape of its own, so that these rules hold for each
 * surface by itself. */
#ifndef NARROWPHASE_QUERIES_SEARCH_H
#define NARROWPHASE_QUERIES_SEARCH_H

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

typedef struct dry_query_point {
    dry_double3 on_a;  /* on the surface of the piece, m */
    double separation; /* from there to the solid along the normal, m; negative inside */
} dry_query_point;

typedef struct dry_query_contact {
    dry_double3 normal; /* unit, from the piece to the solid */
    int count;          /* 0 to 4 */
    int deepest;        /* the number of that point */
    dry_query_point point[4];
    dry_double3 at; /* where the piece is met, on its surface: the deepest point, or the solid's way out, m */
} dry_query_contact;

/* Finds the contact that the step would have: up to four points no farther apart than `margin`, m. Returns
 * whether they may be that near: then without points they are nearest at an edge or a corner. That of a
 * triangle and a box or a hull is on the triangle's face. */
bool dry_piece_meet(const dry_query_piece *piece, const dry_placed *solid, double margin,
                    dry_query_contact *contact);

/* Returns the unit normal of the face that is met at a point: of the faces of the piece within `slack` of it,
 * m, the one that looks most against the way; `normal`, that of the contact, where the piece is round or the
 * point lies deep in it. */
dry_double3 dry_piece_face_normal(const dry_query_piece *piece, dry_double3 point, dry_double3 normal,
                                  dry_double3 way, double slack);

/* Finds the first piece that a moving solid meets up to a fraction of its way. If it starts inside several,
 * the deepest. Of equal ones the lowest number wins, here and below. Returns whether there is one. */
bool dry_target_cast(const dry_target *target, const dry_placed *solid, dry_double3 way, double limit,
                     dry_placed_hit *hit, dry_query_piece *piece);

/* Finds the piece nearest to a solid, or in which it is deepest, if it is no farther than `limit`, m. */
bool dry_target_nearest(const dry_target *target, const dry_placed *solid, double limit, dry_gap *gap,
                        dry_query_piece *piece);

/* Visits the pieces no farther from a solid than `limit`, m, with their contacts. */
typedef void dry_visit_contact(void *context, const dry_query_piece *piece, const dry_query_contact *contact);
void dry_target_visit_near(const dry_target *target, const dry_placed *solid, double limit,
                           dry_visit_contact *visit, void *context);

/* Tells whether a solid touches a piece, triangles from either side, or lies in the solid of a surface. */
bool dry_target_overlaps(const dry_target *target, const dry_placed *solid);

/* Visits the pieces of a shape whose bounds overlap those of a solid. */
void dry_target_visit_pieces(const dry_target *target, const dry_placed *solid, dry_visit_piece *visit,
                             void *context);

#endif
