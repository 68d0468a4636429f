/* Placed polytopes as supports of closest.h. */
#ifndef NARROWPHASE_PAIRS_POLYTOPE_CLOSEST_H
#define NARROWPHASE_PAIRS_POLYTOPE_CLOSEST_H

#include "narrowphase/closest.h"
#include "narrowphase/pairs/polytope.h"

/* A placed polytope with its center at a place, m. */
typedef struct dry_polytope_at {
    const dry_polytope *polytope;
    const dry_polytope_kernels *kernels;
    dry_triple center;
} dry_polytope_at;

dry_support dry_polytope_support_at;

#endif
