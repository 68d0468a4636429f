/* The least depth of two cores that overlap. Next: depth.c. */
#ifndef NARROWPHASE_QUERIES_DEPTH_H
#define NARROWPHASE_QUERIES_DEPTH_H

#include "narrowphase/placed.h"

/* How two solids lie. Where they overlap, the normal is the shortest way for b out of a. */
typedef struct dry_gap {
    double separation;      /* m; negative: the depth */
    dry_double3 normal;     /* unit, from a to b */
    dry_double3 on_a, on_b; /* on the surfaces: b's less a's is the normal times the separation, m */
} dry_gap;

/* Finds the shortest way for core b out of core a; neither is a half-space. That of a cylinder is rough: the
 * polytope has no curved faces. The separation is 0 or negative but for rounding. Radii are left out.
 * `touching` is a point of both where their difference is flat: then it is the point on a. */
void dry_placed_depth(const dry_placed *a, const dry_placed *b, dry_double3 touching, dry_gap *gap);

#endif
