/* The rules of boxes against boxes, which the kernels and the tests' oracle share: names of features,
 * tolerances.
 *
 * A feature names the parts that touch, whichever box was the reference: a vertex of a on a face of b, a
 * vertex of b on a face of a, or two crossing edges. A vertex is one bit per axis, set on the positive side;
 * a face 2 axis + (negative side); an edge 4 axis + bits for the positive sides of the next two axes. */
#ifndef NARROWPHASE_PAIRS_BOX_RULES_H
#define NARROWPHASE_PAIRS_BOX_RULES_H

#include "narrowphase/pairs/rules.h"

enum { DRY_BOX_VERTEX_OF_A = 1, DRY_BOX_VERTEX_OF_B = 2, DRY_BOX_EDGES = 3 };
#define DRY_BOX_FEATURE(kind, of_a, of_b) ((uint32_t)(kind) << 8 | (uint32_t)(of_a) << 4 | (uint32_t)(of_b))

/* The axis after k is dry_next_axis[k + 1], the one before it dry_next_axis[k + 2]. */
static const int dry_next_axis[5] = {0, 1, 2, 0, 1};

/* Overlap across a face that counts as none, relative to the smallest half extent. */
#define BOX_BESIDE 1e-4f
/* Area that a corner adds, relative to the square of the reference's shorter side, from which on a deep
 * corner comes before less deep ones, and the factor that puts it there. */
#define BOX_AREA_LEAST 0.08f
#define BOX_FIRST 1e6f

#endif
