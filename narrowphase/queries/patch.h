/* The points with which two solids touch. Next: patch.c. */
#ifndef NARROWPHASE_QUERIES_PATCH_H
#define NARROWPHASE_QUERIES_PATCH_H

#include "narrowphase/queries/depth.h"

typedef struct dry_patch_point {
    dry_triple on_a;   /* on the surface of a, m */
    double separation; /* from there to b along the normal, m; negative inside */
} dry_patch_point;

typedef struct dry_patch {
    int count; /* 1 to 4 */
    dry_patch_point point[4];
} dry_patch;

/* Finds up to four points of two solids with a gap, no farther apart than `margin`, m. A single point is that
 * of the gap. */
void dry_placed_patch(const dry_placed *a, const dry_placed *b, const dry_gap *gap, double margin,
                      dry_patch *patch);

#endif
