/* The signed distance of two solids. Next: gap.c. */
#ifndef NARROWPHASE_GAP_H
#define NARROWPHASE_GAP_H

#include "narrowphase/depth.h"

/* Returns a lower bound of the separation of two solids, m: that of the balls that hold them. */
double dry_placed_apart(const dry_placed *a, const dry_placed *b);

/* Finds the gap of two solids, neither a half-space, if it is no larger than the margin, m. Otherwise sets
 * the separation alone, to a lower bound, and returns false. */
bool dry_placed_near(const dry_placed *a, const dry_placed *b, double margin, dry_gap *gap);

/* Finds the gap of two solids; b is no half-space. It looks longer than dry_placed_near for the shortest way
 * out of a cylinder and for the place where the two touch then. */
void dry_placed_gap(const dry_placed *a, const dry_placed *b, dry_gap *gap);

/* Writes the gap of a solid above a plane through a point, whose unit normal points up. */
void dry_placed_plane_gap(dry_double3 at, dry_double3 up, const dry_placed *b, dry_gap *gap);

/* Tells whether solids touch or overlap; b is no half-space. */
bool dry_placed_overlap(const dry_placed *a, const dry_placed *b);

#endif
