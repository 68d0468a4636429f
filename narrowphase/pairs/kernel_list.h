/* The kernels of pairs of shapes. One list feeds the table, the tests and the benchmarks; kernels.c fills one
 * table for each level. */
#ifndef NARROWPHASE_PAIRS_KERNEL_LIST_H
#define NARROWPHASE_PAIRS_KERNEL_LIST_H

#include "simd/processor.h"

#include <drystone/types.h>

struct dry_box_pair;
struct dry_local_manifold;
struct dry_polytope;

/* X(kernel): box against box, many pairs at once. */
#define DRY_BOX_KERNELS(X) X(collide_boxes)

/* Pairs [0, count) give manifolds [0, count). */
typedef void dry_box_kernel(const struct dry_box_pair *pairs, int count,
                            struct dry_local_manifold *manifolds);

typedef struct dry_box_kernels {
#define X(name) dry_box_kernel *name;
    DRY_BOX_KERNELS(X)
#undef X
} dry_box_kernels;

DRY_TABLES(dry_box_kernels, dry_box_kernels_at)

/* X(kernel, result, parameters). Points and planes are as in pairs/polytope.h: `count` in a room.
 *
 * span: the least and the largest of points along a direction.
 * support: the place of the point, less `about`, that lies farthest along a direction; the first of several.
 * cut: lowers the bounds of planes to a point's heights over them; returns the place of the largest.
 * mark: for each plane the sum of 2^k over the points, at most 24, whose height is at most the threshold. */
#define DRY_POLYTOPE_KERNELS(X)                                                                              \
    X(polytope_support, int, (const float *points, int room, int count, dry_vec3 about, dry_vec3 along))     \
    X(polytope_span, void, (const float *points, int room, dry_vec3 along, float *least, float *most))       \
    X(polytope_place_vertices, void, (struct dry_polytope * p))                                              \
    X(polytope_place_planes, void, (struct dry_polytope * p))                                                \
    X(polytope_cut, int, (const float *planes, int room, int count, dry_vec3 point, float *bound))           \
    X(polytope_mark, void,                                                                                   \
      (const float *planes, int room, int planes_count, const dry_vec3 *points, int count, float threshold,  \
       float *marks))

typedef struct dry_polytope_kernels {
#define X(name, result, parameters) result(*name) parameters;
    DRY_POLYTOPE_KERNELS(X)
#undef X
} dry_polytope_kernels;

DRY_TABLES(dry_polytope_kernels, dry_polytope_kernels_at)

#endif
