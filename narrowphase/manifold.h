/* A manifold at the present poses of its bodies: normal, heights and separations in the world. */
#ifndef NARROWPHASE_MANIFOLD_H
#define NARROWPHASE_MANIFOLD_H

#include "state/contacts.h"

/* Returns the unit normal in the world. */
static inline dry_vec3 dry_manifold_normal(const dry_manifold *manifold, const dry_body_pose *a)
{
    return quat_rotate(a->orientation, manifold->normal);
}

/* Returns the height of b's center over a's along n, a direction in the world, m. */
static inline double dry_manifold_height(dry_vec3 n, const dry_body_pose *a, const dry_body_pose *b)
{
    return (double)n.x * (b->position.x - a->position.x) + (double)n.y * (b->position.y - a->position.y) +
           (double)n.z * (b->position.z - a->position.z);
}

/* Returns the separation of a point, m; n is the normal in the world. */
static inline float dry_manifold_separation(const dry_manifold *manifold, int point, dry_vec3 n,
                                            const dry_body_pose *a, const dry_body_pose *b)
{
    const dry_manifold_point *p = &manifold->points[point];
    float rise = (float)(dry_manifold_height(n, a, b) - manifold->height);
    return rise + vec3_dot(n, quat_rotate(b->orientation, p->anchor_b)) - p->touch_height;
}

#endif
