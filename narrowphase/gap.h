/* The signed distance of two solids. Next: gap.c. */
#ifndef NARROWPHASE_GAP_H
#define NARROWPHASE_GAP_H

#include "narrowphase/placed.h"

/* How two solids lie. Where they overlap, the normal is the shortest way for b out of a. */
typedef struct dry_gap {
    double separation;      /* m; negative: the depth */
    dry_double3 normal;     /* unit, from a to b */
    dry_double3 on_a, on_b; /* on the surfaces: b's less a's is the normal times the separation, m */
} dry_gap;

/* Returns a lower bound of the separation of two solids, m: that of the balls that hold them. */
double dry_placed_apart(const dry_placed *a, const dry_placed *b);

/* Finds the gap of two solids, neither a half-space, if it is no larger than the margin, m. Otherwise sets
 * the separation alone, to a lower bound, and returns false. */
bool dry_placed_near(const dry_placed *a, const dry_placed *b, double margin, dry_gap *gap);

/* Finds the gap of two solids; b is no half-space. It looks longer than dry_placed_near for the shortest way
 * out of a cylinder and for the place where the two touch then. */
void dry_placed_gap(const dry_placed *a, const dry_placed *b, dry_gap *gap);

/* Writes the gap of a solid above a plane through a point, whose unit normal points up. */
void dry_placed_plane_gap(dry_double3 at, dry_double3 up, const dry_placed *b, dry_gap *gap);

/* Tells whether solids touch or overlap; b is no half-space. */
bool dry_placed_overlap(const dry_placed *a, const dry_placed *b);

/* Finds the shortest way for core b out of core a; neither is a half-space. That of a cylinder is rough: the
 * polytope has no curved faces. The separation is 0 or negative but for rounding. Radii are left out.
 * `touching` is a point of both where their difference is flat: then it is the point on a. */
void dry_placed_depth(const dry_placed *a, const dry_placed *b, dry_double3 touching, dry_gap *gap);

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
