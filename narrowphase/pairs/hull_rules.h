/* The rules of hulls against hulls and boxes: tolerances, and names of features.
 *
 * A feature names the parts that touch, whichever shape was the reference: a vertex of a on a face of b, a
 * vertex of b on a face of a, two crossing edges, or the vertices nearest to each other. Faces, edges and
 * vertices have their numbers in geometry/hull.h; an edge is half of its half-edge. */
#ifndef NARROWPHASE_PAIRS_HULL_RULES_H
#define NARROWPHASE_PAIRS_HULL_RULES_H

#include "narrowphase/pairs/rules.h"

enum { DRY_HULL_EDGES = 3, DRY_HULL_NEAREST = 4, DRY_HULL_NAME_BITS = 12 };
#define DRY_HULL_FEATURE(kind, of_a, of_b)                                                                   \
    ((uint32_t)(kind) << 24 | (uint32_t)(of_a) << 12 | (uint32_t)(of_b))

/* A deepest point that is shallower than the shapes overlap by more than this share of the depth shows that
 * the face which the tolerances prefer lies beside the overlap. */
#define HULL_SHALLOW 0.1f

#endif
