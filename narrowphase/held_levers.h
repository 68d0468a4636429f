/* Lever arms held as they were when a contact's anchors were made.
 *
 * A stack of rigid bodies has no elastic tilt; only soft contacts give it one, and a load that acts along
 * tilted lever arms makes the stack buckle. While a contact is recycled, its load therefore may keep acting
 * where it acted when the anchors were made. Separations and the normal are always the present ones. */
#ifndef NARROWPHASE_HELD_LEVERS_H
#define NARROWPHASE_HELD_LEVERS_H

#include "core/quat_pack.h"
#include "state/contacts.h"

/* The orientations of both bodies when the anchors were made. */
typedef struct dry_built_pair {
    dry_quat a, b;
} dry_built_pair;

static inline dry_built_pair dry_manifold_built(const dry_manifold *manifold)
{
    dry_quat a = dry_quat_unpack(manifold->built);
    return (dry_built_pair){a, quat_mul(a, manifold->built_orientation)};
}

/* Returns the difference of the centers when the anchors were made, from a to b, world, m. */
static inline dry_vec3 dry_manifold_built_between(const dry_manifold *manifold, dry_quat built_a)
{
    const double *p = manifold->built_position;
    return quat_rotate(built_a, vec3((float)p[0], (float)p[1], (float)p[2]));
}

#endif
