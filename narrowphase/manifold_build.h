/* New anchors of a contact from the points that the collide functions found. */
#ifndef NARROWPHASE_MANIFOLD_BUILD_H
#define NARROWPHASE_MANIFOLD_BUILD_H

#include "narrowphase/local_manifold.h"
#include "narrowphase/piece.h"
#include "state/contacts.h"

/* A contact's pieces and bodies, and b's body as seen from a's where the points were found. */
typedef struct dry_contact_pair {
    const dry_transform *piece_a, *piece_b; /* poses of the pieces in their bodies' principal frames */
    float radius_b;                         /* of piece b about its origin, m */
    bool follows_b;                         /* the origin of the collision frame is not a's */
    const dry_body_pose *pose_a, *pose_b;
    const dry_relative_pose *relative;
    dry_vec3 way; /* of b's center in a's frame until then, m */
} dry_contact_pair;

/* Writes new anchors; impulses of points whose features persist are kept. `old` are the features of the
 * points that the manifold has; b_in_a is the position that piece b had for the collide function. Reorders
 * `found`. Returns the new number of points. */
int dry_manifold_build(dry_manifold *manifold, const dry_features *old, const dry_contact_pair *pair,
                       dry_vec3 b_in_a, dry_local_manifold *found);

#endif
