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

/* How a contact rubs that shares a face: its part of friction over mu N, the way from its patch's center to
 * its load's along the contact's tangents, m, and the torsion while it slides, over mu N and the spin, m s.
 */
typedef struct dry_face_part {
    float share, x, y, drag;
    dry_vec3 spun; /* velocity of the load's center past the patch's by the spin, m/s */
} dry_face_part;

/* Tells whether a contact's side `side` is a body one face of which it shares with contacts of other
 * surfaces. If so, finds how it rubs (shared_face.c); `slow`: the speed that friction over mu stops in the
 * step, m/s. */
bool dry_contact_shares_face(const dry_contacts *contacts, const dry_shapes *shapes, const dry_bodies *bodies,
                             int contact, int side, float slow, dry_face_part *part);

#endif
