/* A group of box pairs in lanes, and selection by an axis that differs from lane to lane.
 *
 * The arithmetic is that of tests/narrowphase/box_oracle.c, operation by operation: nothing is fused, and
 * sums have the same order. tests/narrowphase/test_collide_boxes.c compares the bits. Kernel files only. */
#ifndef NARROWPHASE_PAIRS_BOX_LANES_H
#define NARROWPHASE_PAIRS_BOX_LANES_H

#include "narrowphase/pairs/box_pair.h"
#include "narrowphase/pairs/box_rules.h"
#include "simd/gather.h"
#include "simd/lane_vectors.h"

typedef struct lane_boxes {
    lane half_a[3], half_b[3];
    lane t[3];    /* from a's center to b's, along a's axes */
    lane s[3];    /* the same, along b's axes */
    lane r[3][3]; /* r[i][j]: a's axis i . b's axis j */
    lane margin;
} lane_boxes;

enum { CHOICE_NONE, CHOICE_FACE, CHOICE_EDGES };

/* The contact chosen for each pair, as floats, because they go to lanes and back. */
typedef struct box_choices {
    _Alignas(64) float kind[DRY_BOX_PAIRS_MAX];           /* CHOICE_... */
    _Alignas(64) float first[DRY_BOX_PAIRS_MAX];          /* the reference face's axis; a's edge */
    _Alignas(64) float second[DRY_BOX_PAIRS_MAX];         /* 1 if the reference is b's; b's edge */
    _Alignas(64) float must_touch[DRY_BOX_PAIRS_MAX];     /* 1 if the boxes overlap */
    _Alignas(64) float separation_min[DRY_BOX_PAIRS_MAX]; /* a lower bound of the distance, m */
} box_choices;

/* One of three axes in each lane: axis 0 where neither mask is set. */
typedef struct lane_axis {
    lane_mask is_1, is_2;
} lane_axis;

LANE_INLINE lane_axis lane_axis_of(lane number)
{
    lane_mask above_0 = lane_less(lane_set(0.5f), number), is_2 = lane_less(lane_set(1.5f), number);
    return (lane_axis){lane_mask_without(above_0, is_2), is_2};
}

/* Returns the first of the largest. */
LANE_INLINE lane_axis lane_argmax3(const lane v[3])
{
    lane_mask above_0 = lane_less(v[0], v[1]);
    lane_mask is_2 = lane_less(lane_select(above_0, v[1], v[0]), v[2]);
    return (lane_axis){lane_mask_without(above_0, is_2), is_2};
}

/* Returns v[(axis + offset) % 3]. */
LANE_INLINE lane lane_pick(lane_axis axis, const lane v[3], int offset)
{
    return lane_select(axis.is_2, v[dry_next_axis[offset + 2]],
                       lane_select(axis.is_1, v[dry_next_axis[offset + 1]], v[offset]));
}

LANE_INLINE lane lane_axis_number(lane_axis axis)
{
    const lane number[3] = {lane_set(0.0f), lane_set(1.0f), lane_set(2.0f)};
    return lane_pick(axis, number, 0);
}

LANE_INLINE lane lane_most3(const lane v[3])
{
    return lane_max(v[0], lane_max(v[1], v[2]));
}

LANE_INLINE lane lane_least3(const lane v[3])
{
    return lane_min(v[0], lane_min(v[1], v[2]));
}

/* Three lanes that are picked by axis, as a vector. */
LANE_INLINE lane_vec3 lane_axes_vec3(const lane v[3])
{
    return (lane_vec3){v[0], v[1], v[2]};
}

LANE_INLINE lane lane_truth(lane_mask mask)
{
    return lane_select(mask, lane_set(1.0f), lane_zero());
}

LANE_INLINE lane lane_of(const float *values, const int *index)
{
    _Alignas(64) float v[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        v[i] = values[index[i]];
    return lane_load(v);
}

LANE_INLINE lane_boxes lane_gather_boxes(const dry_box_pair *pairs, const int *index)
{
    const float *p[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        p[i] = &pairs[index[i]].half_a.x;
    lane a[4], b[4], t[4], q[4];
    lane_gather4(p, 0, a);
    lane_gather4(p, 4, b);
    lane_gather4(p, 8, t);
    lane_gather4(p, 12, q);
    lane_mat3 m = lane_mat3_from_quat((lane_quat){q[0], q[1], q[2], q[3]});
    lane_boxes boxes = {
        .half_a = {a[0], a[1], a[2]},
        .half_b = {b[0], b[1], b[2]},
        .t = {t[0], t[1], t[2]},
        .r = {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}},
        .margin = a[3],
    };
    lane_vec3 s = lane_mat3_mul_transposed(m, (lane_vec3){t[0], t[1], t[2]});
    boxes.s[0] = s.x, boxes.s[1] = s.y, boxes.s[2] = s.z;
    return boxes;
}

/* Writes point k of each lane's manifold. */
LANE_INLINE void lane_store_point(dry_local_manifold *manifolds, const int *index, int k,
                                  const lane position[3], lane separation, lane feature)
{
    _Alignas(64) float features[DRY_LANES];
    float *p[DRY_LANES];
    lane_store(features, feature);
    for (int i = 0; i < DRY_LANES; i++) {
        dry_local_point *point = &manifolds[index[i]].points[k];
        p[i] = &point->position.x;
        point->feature = (uint32_t)features[i];
    }
    const lane v[4] = {position[0], position[1], position[2], separation};
    lane_scatter4(p, 0, v);
}

/* Writes the normal and the number of points of each lane's manifold. */
LANE_INLINE void lane_store_normal(dry_local_manifold *manifolds, const int *index, const lane normal[3],
                                   lane count)
{
    _Alignas(64) float points[DRY_LANES];
    float *p[DRY_LANES];
    lane_store(points, count);
    for (int i = 0; i < DRY_LANES; i++)
        p[i] = &manifolds[index[i]].normal.x;
    const lane v[4] = {normal[0], normal[1], normal[2], lane_zero()};
    lane_scatter4(p, 0, v);
    for (int i = 0; i < DRY_LANES; i++)
        manifolds[index[i]].count = (int)points[i];
}

#endif
