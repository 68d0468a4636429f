/* The axes along which two polytopes are farthest apart: of faces, and of pairs of edges.
 *
 * Next: hull_axes.c; then hull_hull.c. */
#ifndef NARROWPHASE_PAIRS_HULL_AXES_H
#define NARROWPHASE_PAIRS_HULL_AXES_H

#include "narrowphase/pairs/polytope.h"

/* Witnesses that are kept for the search of edges. */
enum { DRY_WITNESSES_MAX = 20 };

/* The best face of one polytope against the other. */
typedef struct dry_hull_face {
    int face;
    float separation; /* of the other's nearest vertex; an upper bound of it if the search stopped early, m */
    bool exact;
    int witness_count;
    dry_vec3 witness[DRY_WITNESSES_MAX]; /* vertices of the other that bound the separations, about the
                                            center of the one */
} dry_hull_face;

typedef struct dry_hull_edges {
    int a, b;         /* edges; -1 without */
    float separation; /* m; -FLT_MAX without */
    dry_vec3 normal;  /* from a to b */
} dry_hull_edges;

typedef struct dry_hull_search {
    const dry_pair_kernels *kernels;
    dry_vec3 offset; /* from a's center to b's, m */
    float margin, rounding;
    float half; /* half the lesser thickness: tolerances of places refer to it, m */
    float size; /* that of a cube's half extents: tolerances of the choice refer to it, m */
    float separation_min;
    dry_polytope a, b;
    bool has_b; /* the vertices and planes of b are placed */
} dry_hull_search;

/* Begins a search: b stays as it is placed, and may meet one a after another. A meeting returns false if the
 * bounding balls, or the axis between the centers, keep the shapes farther apart than the margin;
 * separation_min then tells by how much. */
void dry_hull_search_take_b(dry_hull_search *s, dry_level level, const dry_geometry *b,
                            const dry_transform *b_in_a, float margin);
bool dry_hull_search_meet_a(dry_hull_search *s, const dry_geometry *a);

/* Finds the best face of a, or of b if `of_b`. A search may stop when no face can exceed `enough`. Returns
 * false, and sets separation_min, if a face keeps the shapes farther apart than the margin. */
bool dry_hull_search_face(dry_hull_search *s, bool of_b, float enough, dry_hull_face *best);

/* Finds the best pair of edges whose separation exceeds `least`. Faces have been searched: separations of all
 * are at most `least`, or their bounds in the witnesses are. */
void dry_hull_search_edges(const dry_hull_search *s, const dry_hull_face *a, const dry_hull_face *b,
                           float least, dry_hull_edges *best);

#endif
