/* The tolerances that boxes, hulls, capsules and cylinders share. Sizes are the smaller box's largest half
 * extent, the size of dry_hull_search, or half the lesser thickness of two hulls. */
#ifndef NARROWPHASE_PAIRS_RULES_H
#define NARROWPHASE_PAIRS_RULES_H

/* Error of a separation, relative to the sum of the terms that make it up, or to the distance of the centers
 * and the radii. */
#define PAIR_ROUNDING 4e-7f
/* By how much a face and an edge must be better, relative to the size and to the depth. */
#define PAIR_FACE_ABSOLUTE 0.002f
#define PAIR_FACE_RELATIVE 0.02f
#define PAIR_EDGE_ABSOLUTE 0.005f
#define PAIR_EDGE_RELATIVE 0.5f
/* Edges whose directions differ by less than about this sine count as parallel: the faces cover them. */
#define PAIR_PARALLEL_SINE 1e-3f
#define PAIR_PARALLEL_SQUARED 1e-6f
/* A normal whose cosine to a face's exceeds this lets the face touch in more than one point. */
#define PAIR_ON_FACE 0.95
/* Lines within this sine of parallel touch along a stretch; an end that is tilted by more rolls on its rim.
 */
#define PAIR_STRETCH_SINE 0.05
/* An end that is tilted by less than this sine counts as flat: of the points of its rim, one lies to the side
 * to which the load leans. Between two of the points the rim lies deeper by 0.3 times this and the radius, at
 * most. */
#define PAIR_FLAT_SINE 3e-4f
/* A load leans to a side if this share of it points there. */
#define PAIR_LEAN_LEAST 0.02f
/* A stretch shorter than this share of the radius is one point. */
#define PAIR_STRETCH_LEAST 0.1f

/* Points of a face nearer than this count as one, relative to the size. */
#define PAIR_SAME_PLACE 1e-4f
/* Depths that count as equal when the deepest point is chosen, relative to the size. */
#define PAIR_SAME_DEPTH 5e-4f
/* Factor by which a later candidate must be better than an earlier one. */
#define PAIR_CLEARLY 1.02f
/* The direction in which the first of four points lies farthest: 22.5 degrees, along no axis of a box. */
#define PAIR_FIRST_X 0.92387953f
#define PAIR_FIRST_Y 0.38268343f

/* A deepest point that is shallower than the shapes overlap by more than this share of the depth shows that
 * the face which the tolerances prefer lies beside the overlap. */
#define HULL_SHALLOW 0.1f

/* A feature of two hulls names the parts that touch, whichever was the reference: a vertex of a on a face of
 * b, a vertex of b on a face of a, two crossing edges, or the vertices nearest to each other. Faces, edges
 * and vertices have their numbers in geometry/hull.h; an edge is half of its half-edge. */
enum { DRY_HULL_EDGES = 3, DRY_HULL_NEAREST = 4, DRY_HULL_NAME_BITS = 12 };
#define DRY_HULL_FEATURE(kind, of_a, of_b)                                                                   \
    ((uint32_t)(kind) << 24 | (uint32_t)(of_a) << 12 | (uint32_t)(of_b))

#endif
