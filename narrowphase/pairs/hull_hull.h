/* Hulls and boxes against each other: the axes along which two polytopes are farthest apart, of faces and of
 * pairs of edges (hull_axes.c), and the points there (hull_hull.c). */
#ifndef NARROWPHASE_PAIRS_HULL_HULL_H
#define NARROWPHASE_PAIRS_HULL_HULL_H

#include "narrowphase/local_manifold.h"
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

/* Collides a hull or a box with a hull or a box, with the kernels of a level. The bits are the same at every
 * level. */
void dry_collide_polytopes(dry_level level, const dry_geometry *a, const dry_geometry *b,
                           const dry_transform *b_in_a, float margin, dry_local_manifold *manifold);

/* Collides a with the polytope that a search has taken as b. Then the search is ready for faces of a. */
void dry_collide_next(dry_hull_search *s, const dry_geometry *a, dry_local_manifold *manifold);

/* Collides them on one face of a, whatever lies beside it. */
void dry_collide_on_face(dry_level level, const dry_geometry *a, const dry_geometry *b,
                         const dry_transform *b_in_a, float margin, int face, dry_local_manifold *manifold);

/* Writes normal and points of the contact on a face of a, or of b if `of_b`. Without points the count is 0.
 * That is so, too, where the shapes overlap across the face by no more than PAIR_SAME_PLACE. */
void dry_hull_face_contact(dry_hull_search *s, bool of_b, int face, dry_local_manifold *manifold);

#endif
