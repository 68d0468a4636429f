/* The signed distance of two solids. Next: gap.c. */
#ifndef NARROWPHASE_QUERIES_GAP_H
#define NARROWPHASE_QUERIES_GAP_H

#include "narrowphase/depth.h"

/* Finds the gap of two solids; b is no half-space. */
void dry_placed_gap(const dry_placed *a, const dry_placed *b, dry_gap *gap);

/* Tells whether solids touch or overlap; b is no half-space. */
bool dry_placed_overlap(const dry_placed *a, const dry_placed *b);

#endif
