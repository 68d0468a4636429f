/* On which sides of triangles a convex piece lies: of their planes, and of the planes that stand on their
 * edges. Triangles go through the kernels side by side: find_sides, then find_touched those that the piece
 * may touch. All are read to the end of a bundle. Next: sides_kernel.h. */
#ifndef NARROWPHASE_PATCHES_SIDES_H
#define NARROWPHASE_PATCHES_SIDES_H

#include "narrowphase/pairs/kernel_list.h"

enum {
    DRY_SIDES = 16, /* triangles at a time */
    /* Bits of `touched`. The bit of edge k is DRY_SIDES_BEYOND << k. */
    DRY_SIDES_BORNE = 1, /* a low point of the piece lies over the triangle */
    DRY_SIDES_BEYOND = 2 /* one of the lowest points lies beyond the edge */
};

/* Triangles about the piece's center; all have numbers. Edge k runs from corner k. */
typedef struct dry_sides {
    _Alignas(64) float corner[3][3][DRY_SIDES]; /* corner, axis; m */
    float normal[3][DRY_SIDES], offset[DRY_SIDES];
    /* The result of find_sides, m. */
    float outward[3][3][DRY_SIDES]; /* edge, axis: unit, in the plane */
    float height[DRY_SIDES];        /* of the piece's lowest point over the plane */
    float most[DRY_SIDES];          /* how far the piece reaches along the normal from its center */
    float beyond[3][DRY_SIDES];     /* the distance of the whole piece beyond each edge; negative before it */
    /* For find_touched: points that are at most this far beyond an edge are over the triangle, m. */
    float over[3][DRY_SIDES];
    float touched[DRY_SIDES]; /* its result, bits */
} dry_sides;

/* A piece's points are low if they are at most `margin` over a plane, and lowest if they are at most
 * `same_height` over the lowest of them. */
typedef struct dry_side_rule {
    float margin, same_height; /* m */
} dry_side_rule;

#endif
