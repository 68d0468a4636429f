/* Questions of one solid to one shape, answered by the shape's pieces. Next: search.c. */
#ifndef NARROWPHASE_QUERIES_SEARCH_H
#define NARROWPHASE_QUERIES_SEARCH_H

#include "narrowphase/queries/cast.h"
#include "narrowphase/queries/pieces.h"

/* A shape as a query sees it. */
typedef struct dry_target {
    dry_geometry geometry;
    dry_placed_pose pose;
} dry_target;

/* The place of an answer in its shape; -1: none. */
typedef struct dry_piece_number {
    int child, triangle;
} dry_piece_number;

/* Finds the first piece that a moving solid meets up to a fraction of its way. If it starts inside several,
 * the deepest. Of equal ones the lowest number wins, here and below. Returns whether there is one. */
bool dry_target_cast(const dry_target *target, const dry_placed *solid, dry_triple way, double limit,
                     dry_placed_hit *hit, dry_piece_number *number);

/* Finds the piece nearest to a solid, or in which it is deepest, if it is no farther than `limit`, m. */
bool dry_target_nearest(const dry_target *target, const dry_placed *solid, double limit, dry_gap *gap,
                        dry_piece_number *number);

/* Visits the pieces no farther from a solid than `limit`, m, by rising numbers. */
typedef void dry_visit_gap(void *context, const dry_placed *piece, const dry_gap *gap,
                           dry_piece_number number);
void dry_target_visit_near(const dry_target *target, const dry_placed *solid, double limit,
                           dry_visit_gap *visit, void *context);

#endif
