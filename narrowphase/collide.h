/* Contact generation for one pair of shapes. Pure functions: no state, no allocation, any thread. */
#ifndef NARROWPHASE_COLLIDE_H
#define NARROWPHASE_COLLIDE_H

#include "core/math.h"
#include "simd/processor.h"
#include "state/geometry.h"

/* One contact point in a's frame. The surface points are position -+ normal * separation / 2. */
typedef struct dry_local_point {
    dry_vec3 position; /* midway between the two surfaces */
    float separation;  /* m, negative when overlapping */
    uint32_t feature;  /* names the features that made it; unique within the manifold; stable from step to
                          step while the same features touch */
} dry_local_point;

typedef struct dry_local_manifold {
    dry_vec3 normal; /* unit, from a to b, in a's frame */
    int count;       /* 0 to 4 */
    float apart;     /* without points: a lower bound of the distance of the shapes, m; 0 if none is known */
    dry_local_point points[4];
} dry_local_manifold;

/* Fills `manifold` with up to four points whose separation is at most `margin` (>= 0); count 0 if there
 * are none. b_in_a: b's pose in a's frame. All pairs of types work but half-space with half-space, which
 * never touch. Finite input gives finite output, degenerate cases (equal centres, parallel edges) too. */
void dry_collide(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a, float margin,
                 dry_local_manifold *manifold);

/* Two boxes, in groups of four floats for the kernels' gathers. */
typedef struct dry_box_pair {
    dry_vec3 half_a;
    float margin;
    dry_vec3 half_b;
    float unused_b;
    dry_vec3 position; /* b's pose in a's frame */
    float unused_position;
    dry_quat orientation;
} dry_box_pair;
_Static_assert(sizeof(dry_box_pair) == 64, "one cache line per pair");

enum { DRY_BOX_PAIRS_MAX = 64 };

static inline dry_box_pair dry_box_pair_of(const dry_geometry *a, const dry_geometry *b,
                                           const dry_transform *b_in_a, float margin)
{
    return (dry_box_pair){a->size, margin, b->size, 0.0f, b_in_a->position, 0.0f, b_in_a->orientation};
}

/* dry_collide for up to DRY_BOX_PAIRS_MAX pairs of boxes at once: bit by bit what it gives one by one,
 * whatever else is in the batch, at a tenth of the time. Points from `count` on are unspecified. */
void dry_collide_boxes(dry_level level, const dry_box_pair *pairs, int count, dry_local_manifold *manifolds);

/* Whether two shapes overlap (margin 0). */
bool dry_overlap_shapes(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a);

#endif
