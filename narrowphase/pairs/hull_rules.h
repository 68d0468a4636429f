/* The rules of hulls against hulls and boxes: tolerances, and names of features.
 *
 * A feature names the parts that touch, whichever shape was the reference: a vertex of a on a face of b, a
 * vertex of b on a face of a, two crossing edges, or the vertices nearest to each other. Faces, edges and
 * vertices have their numbers in geometry/hull.h; an edge is half of its half-edge. */
#ifndef NARROWPHASE_PAIRS_HULL_RULES_H
#define NARROWPHASE_PAIRS_HULL_RULES_H

enum { DRY_HULL_VERTEX_OF_A = 1, DRY_HULL_VERTEX_OF_B = 2, DRY_HULL_EDGES = 3, DRY_HULL_NEAREST = 4 };
#define DRY_HULL_FEATURE(kind, of_a, of_b)                                                                   \
    ((uint32_t)(kind) << 24 | (uint32_t)(of_a) << 12 | (uint32_t)(of_b))

/* Error of a separation, relative to the distance of the centers and the radii. */
#define HULL_ROUNDING 4e-7f
/* Tolerances of the choice, relative to the size of dry_hull_search and to the depth. */
#define HULL_FACE_ABSOLUTE 0.002f
#define HULL_FACE_RELATIVE 0.02f
#define HULL_EDGE_ABSOLUTE 0.005f
#define HULL_EDGE_RELATIVE 0.05f
/* A deepest point that is shallower than the shapes overlap by more than this share of the depth shows that
 * the face which the tolerances prefer lies beside the overlap. */
#define HULL_SHALLOW 0.1f
/* Edges whose directions differ by less than about 1e-3 count as parallel: the faces cover them. */
#define HULL_PARALLEL_SQUARED 1e-6f

/* Points of a face nearer than this count as one, relative to half the lesser thickness. */
#define HULL_SAME_PLACE 1e-4f
/* Depths that count as equal when the deepest point is chosen, relative to half the lesser thickness. */
#define HULL_SAME_DEPTH 5e-4f
/* Factor by which a later candidate must be better than an earlier one. */
#define HULL_CLEARLY 1.02f

#endif
