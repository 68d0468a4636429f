/* The kernels of pairs of shapes and of manifolds. One list feeds the table, the tests and the benchmarks;
 * kernels.c fills one table for each level. */
#ifndef NARROWPHASE_PAIRS_KERNEL_LIST_H
#define NARROWPHASE_PAIRS_KERNEL_LIST_H

#include "simd/processor.h"

#include <drystone/types.h>

struct dry_box_pair;
struct dry_local_manifold;
struct dry_manifold_motion;
struct dry_motion_source;
struct dry_polytope;
struct dry_reach;
struct dry_side_rule;
struct dry_sides;

/* X(kernel, result, parameters). Points and planes are as in pairs/polytope.h: `count` in a room.
 *
 * collide_boxes: pairs [0, count) give manifolds [0, count) (box_pair.h).
 * manifold_motions: fills lanes [0, count) (manifold_motion.h).
 * find_sides, find_touched: results of triangles [0, count) (patches/sides.h).
 * span: the least and the largest of points along a direction.
 * support: the place of the point, less `about`, that lies farthest along a direction; the first of several.
 * cut: lowers the bounds of planes to a point's heights over them; returns the place of the largest.
 * mark: for each plane the sum of 2^k over the points, at most 24, whose height is at most the threshold. */
#define DRY_PAIR_KERNELS(X)                                                                                  \
    X(collide_boxes, void,                                                                                   \
      (const struct dry_box_pair *pairs, int count, struct dry_local_manifold *manifolds))                   \
    X(manifold_motions, void,                                                                                \
      (const struct dry_motion_source *source, int count, struct dry_manifold_motion *motion))               \
    X(find_sides, void, (struct dry_sides * sides, int count, const struct dry_reach *piece))                \
    X(find_touched, void,                                                                                    \
      (struct dry_sides * sides, int count, const struct dry_reach *piece,                                   \
       const struct dry_side_rule *rule))                                                                    \
    X(polytope_support, int, (const float *points, int room, int count, dry_vec3 about, dry_vec3 along))     \
    X(polytope_span, void, (const float *points, int room, dry_vec3 along, float *least, float *most))       \
    X(polytope_place_vertices, void, (struct dry_polytope * p))                                              \
    X(polytope_place_planes, void, (struct dry_polytope * p))                                                \
    X(polytope_cut, int, (const float *planes, int room, int count, dry_vec3 point, float *bound))           \
    X(polytope_mark, void,                                                                                   \
      (const float *planes, int room, int planes_count, const dry_vec3 *points, int count, float threshold,  \
       float *marks))

typedef struct dry_pair_kernels {
#define X(name, result, parameters) result(*name) parameters;
    DRY_PAIR_KERNELS(X)
#undef X
} dry_pair_kernels;

DRY_TABLES(dry_pair_kernels, dry_pair_kernels_at)

#endif
