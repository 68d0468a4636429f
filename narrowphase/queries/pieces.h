/* A shape as a list of convex pieces: itself, or the children of a compound. Next: pieces.c. */
#ifndef NARROWPHASE_QUERIES_PIECES_H
#define NARROWPHASE_QUERIES_PIECES_H

#include "narrowphase/queries/placed.h"

/* Receives a piece, and its numbers in the shape: -1 where the shape has no children or no triangles. */
typedef void dry_visit_piece(void *context, const dry_placed *piece, int child, int triangle);

/* Visits the pieces of a shape at a pose whose bounds overlap a box of the shape's frame, by rising numbers.
 * A shape without pieces is visited wherever the box is. */
void dry_visit_pieces(const dry_geometry *geometry, const dry_placed_pose *pose, const dry_extents *box,
                      dry_visit_piece *visit, void *context);

#endif
