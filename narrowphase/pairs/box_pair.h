/* Box against box, many pairs at once. */
#ifndef NARROWPHASE_PAIRS_BOX_PAIR_H
#define NARROWPHASE_PAIRS_BOX_PAIR_H

#include "narrowphase/local_manifold.h"
#include "simd/processor.h"
#include "state/geometry.h"

/* Two boxes, in groups of four floats for the kernel's gathers. */
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

static inline dry_box_pair dry_box_pair_of(dry_vec3 half_a, dry_vec3 half_b, const dry_transform *b_in_a,
                                           float margin)
{
    return (dry_box_pair){half_a, margin, half_b, 0.0f, b_in_a->position, 0.0f, b_in_a->orientation};
}

/* Collides up to DRY_BOX_PAIRS_MAX pairs of boxes, at a tenth of the time that one by one takes. A manifold
 * does not depend on the rest of the batch: its bits are those that dry_collide gives. Points from `count` on
 * are unspecified. */
void dry_collide_boxes(dry_level level, const dry_box_pair *pairs, int count, dry_local_manifold *manifolds);

#endif
