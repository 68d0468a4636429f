/* What the two files of the box-box pair share: four floats at once, and face clipping. */
#ifndef NARROWPHASE_PAIRS_BOX_H
#define NARROWPHASE_PAIRS_BOX_H

#include "core/math.h"
#include "narrowphase/pairs/box_rules.h"

/* The first of the largest. */
static inline int dry_argmax3(const float v[3])
{
    int k = v[1] > v[0] ? 1 : 0;
    return v[2] > v[k] ? 2 : k;
}

/* Four floats at once, by the compilers' vector extension: exact arithmetic lane by lane, so the same bits as
 * scalar code. Comparisons give lanes of all ones or zeros. */
typedef float dry_lanes __attribute__((vector_size(16)));
typedef int32_t dry_lane_mask __attribute__((vector_size(16)));

typedef union dry_row {
    dry_lanes v;
    float f[4];
} dry_row;

static inline dry_lanes dry_lanes_abs(dry_lanes x)
{
    return (dry_lanes)((dry_lane_mask)x & 0x7fffffff);
}

static inline dry_lanes dry_lanes_select(dry_lane_mask mask, dry_lanes yes, dry_lanes no)
{
    return (dry_lanes)((mask & (dry_lane_mask)yes) | (~mask & (dry_lane_mask)no));
}

static inline dry_lanes dry_lanes_max(dry_lanes a, dry_lanes b)
{
    return dry_lanes_select(a > b, a, b);
}

static inline dry_lanes dry_lanes_min(dry_lanes a, dry_lanes b)
{
    return dry_lanes_select(a < b, a, b);
}

static inline bool dry_lanes_any(dry_lane_mask mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

/* Two boxes seen from the one whose face, across `axis` and on its negative side or not, is the reference. */
typedef struct dry_face_view {
    const float *half, *other_half;
    const dry_row *r; /* r[i].f[j]: a's axis i . b's axis j */
    float centre[3];  /* of the other, along the reference's axes */
    int axis;
    bool negative;
    bool reference_is_b;
} dry_face_view;

/* A corner of the overlap of two faces: x and y along the reference's next two axes, and how high the
 * other face is there above the reference face. */
typedef struct dry_face_point {
    float x, y, height;
    uint32_t feature;
} dry_face_point;

enum { DRY_FACE_POINTS_MAX = 16 };

/* Up to four corners, none higher than `margin`, of the overlap of the reference face with that face of the
 * other box which looks towards it most. The array is work space too; the first points, as many as are
 * returned, are the result. */
int dry_clip_faces(const dry_face_view *view, float margin, dry_face_point points[DRY_FACE_POINTS_MAX]);

#endif
