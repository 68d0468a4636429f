/* The rules of boxes against boxes, which the kernels and the tests' oracle share: names of features,
 * tolerances.
 *
 * A feature names the parts that touch, whichever box was the reference: a vertex of a on a face of b, a
 * vertex of b on a face of a, or two crossing edges. A vertex is one bit per axis, set on the positive side;
 * a face 2 axis + (negative side); an edge 4 axis + bits for the positive sides of the next two axes. */
#ifndef NARROWPHASE_PAIRS_BOX_RULES_H
#define NARROWPHASE_PAIRS_BOX_RULES_H

enum { DRY_BOX_VERTEX_OF_A = 1, DRY_BOX_VERTEX_OF_B = 2, DRY_BOX_EDGES = 3 };
#define DRY_BOX_FEATURE(kind, of_a, of_b) ((uint32_t)(kind) << 8 | (uint32_t)(of_a) << 4 | (uint32_t)(of_b))

/* The axis after k is dry_next_axis[k + 1], the one before it dry_next_axis[k + 2]. */
static const int dry_next_axis[5] = {0, 1, 2, 0, 1};

/* Error of a separation, relative to the sum of the terms that make it up. */
#define BOX_ROUNDING 4e-7f
/* Tolerances of the choice, relative to the smaller box's largest half extent and to the depth. */
#define BOX_FACE_ABSOLUTE 0.002f
#define BOX_FACE_RELATIVE 0.02f
#define BOX_EDGE_ABSOLUTE 0.005f
#define BOX_EDGE_RELATIVE 0.05f
/* Edges whose directions differ by less than about 1e-3 count as parallel: the faces cover them. */
#define BOX_PARALLEL_SQUARED 1e-6f
/* Overlap across a face that counts as none, relative to the smallest half extent. */
#define BOX_BESIDE 1e-4f

/* Points of a face nearer than this count as one, relative to the shortest side of the two faces. */
#define BOX_SAME_PLACE 1e-4f
/* Depths that count as equal when the deepest point is chosen, relative to the reference's shorter side. */
#define BOX_SAME_DEPTH 5e-4f
/* Area that a corner adds, relative to the square of that side, from which on a deep corner comes before less
 * deep ones, and the factor that puts it there. */
#define BOX_AREA_LEAST 0.08f
#define BOX_FIRST 1e6f
/* Factor by which a later candidate must be better than an earlier one. */
#define BOX_CLEARLY 1.02f

#endif
