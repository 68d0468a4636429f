/* Questions of one solid to one shape, answered by the shape's pieces. Next: search.c.
 *
 * A triangle that is met from one side alone is left out where the solid's center lies behind it. If its
 * other side would be the shortest way out, the way leads to the side that is met. A solid whose center lies
 * inside a shape of triangles leaves it by the nearest face.
 *
 * Each child of a compound with triangles answers as a shape of its own, so that these rules hold for each
 * surface by itself. */
#ifndef NARROWPHASE_QUERIES_SEARCH_H
#define NARROWPHASE_QUERIES_SEARCH_H

#include "narrowphase/gap.h"
#include "narrowphase/queries/pieces.h"

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
