/* A solid that moves along a straight way until it meets another. Next: cast.c. */
#ifndef NARROWPHASE_QUERIES_CAST_H
#define NARROWPHASE_QUERIES_CAST_H

#include "narrowphase/gap.h"

typedef struct dry_placed_hit {
    double fraction;    /* of the way, 0 to 1 */
    dry_double3 normal; /* unit, from a to b; the shortest way for b out of a if b starts inside */
    dry_double3 point;  /* where they touch; the deepest point of b if it starts inside */
    double depth;       /* at the start, m; 0 if b starts outside */
} dry_placed_hit;

/* Finds where b, on its way along `way`, m, first touches a; b is no half-space. Solids that touch at the
 * start hit only if b moves towards a. Returns false if b touches a nowhere up to a fraction. */
bool dry_placed_cast(const dry_placed *a, const dry_placed *b, dry_double3 way, double limit,
                     dry_placed_hit *hit);

#endif
