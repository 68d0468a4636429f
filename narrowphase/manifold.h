/* A manifold as the bodies are now: its normal, heights and separations in the world. */
#ifndef NARROWPHASE_MANIFOLD_H
#define NARROWPHASE_MANIFOLD_H

#include "state/contacts.h"

/* The normal in the world. */
static inline dry_vec3 dry_manifold_normal(const dry_manifold *manifold, const dry_body_pose *a)
{
    return quat_rotate(a->orientation, manifold->normal);
}

/* Height of b's centre over a's along the world's direction n, m. */
static inline double dry_manifold_height(dry_vec3 n, const dry_body_pose *a, const dry_body_pose *b)
{
    return (double)n.x * (b->position.x - a->position.x) + (double)n.y * (b->position.y - a->position.y) +
           (double)n.z * (b->position.z - a->position.z);
}

/* The separation of a point now, m, with n the normal in the world. */
static inline float dry_manifold_separation(const dry_manifold *manifold, int point, dry_vec3 n,
                                            const dry_body_pose *a, const dry_body_pose *b)
{
    const dry_manifold_point *p = &manifold->points[point];
    float rise = (float)(dry_manifold_height(n, a, b) - manifold->height);
    return rise + vec3_dot(n, quat_rotate(b->orientation, p->anchor_b)) - p->rest;
}

#endif
