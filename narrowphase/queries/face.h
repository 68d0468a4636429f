/* The face of a piece that a moving solid meets. */
#ifndef NARROWPHASE_QUERIES_FACE_H
#define NARROWPHASE_QUERIES_FACE_H

#include "narrowphase/queries/pieces.h"

/* Returns the unit normal of the face that is met at a point: of the faces of the piece within `slack` of it,
 * m, the one that looks most against the way; `normal`, that of the contact, where the piece is round or the
 * point lies deep in it. */
dry_double3 dry_piece_face_normal(const dry_query_piece *piece, dry_double3 point, dry_double3 normal,
                                  dry_double3 way, double slack);

#endif
