/* The pose of one body as seen from another: what decides whether a contact keeps its anchors. */
#ifndef NARROWPHASE_RELATIVE_POSE_H
#define NARROWPHASE_RELATIVE_POSE_H

#include "core/math.h"
#include "state/bodies.h"

typedef struct dry_relative_pose {
    double position[3]; /* of b's center in a's principal frame, m */
    dry_quat orientation;
} dry_relative_pose;

static inline dry_relative_pose dry_relative_pose_of(const dry_body_pose *a, const dry_body_pose *b)
{
    dry_relative_pose r;
    dry_mat3 ra = mat3_from_quat(a->orientation);
    double x = b->position.x - a->position.x, y = b->position.y - a->position.y,
           z = b->position.z - a->position.z;
    const dry_vec3 *axes = &ra.x;
    for (int i = 0; i < 3; i++)
        r.position[i] = (double)axes[i].x * x + (double)axes[i].y * y + (double)axes[i].z * z;
    r.orientation = quat_mul(quat_conjugate(a->orientation), b->orientation);
    return r;
}

#endif
