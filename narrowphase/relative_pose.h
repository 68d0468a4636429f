/* The pose of one body as seen from another: what decides whether a contact keeps its anchors. */
#ifndef NARROWPHASE_RELATIVE_POSE_H
#define NARROWPHASE_RELATIVE_POSE_H

#include "core/double3.h"
#include "state/bodies.h"

typedef struct dry_relative_pose {
    dry_double3 position; /* of b's center in a's principal frame, m */
    dry_quat orientation;
} dry_relative_pose;

static inline dry_relative_pose dry_relative_pose_of(const dry_body_pose *a, const dry_body_pose *b)
{
    const dry_mat3 axes = mat3_from_quat(a->orientation);
    const dry_double3 way = {b->position.x - a->position.x, b->position.y - a->position.y,
                             b->position.z - a->position.z};
    return (dry_relative_pose){mat3_mul_transposed_double(&axes, way),
                               quat_mul(quat_conjugate(a->orientation), b->orientation)};
}

#endif
