/* New anchors of a contact from the points that the collide functions found. */
#ifndef NARROWPHASE_MANIFOLD_BUILD_H
#define NARROWPHASE_MANIFOLD_BUILD_H

#include "narrowphase/local_manifold.h"
#include "narrowphase/relative_pose.h"
#include "state/contacts.h"

/* The shapes of a pair, where their bodies are, and b's body as seen from a's where the points were found. */
typedef struct dry_contact_pair {
    const dry_shape_form *shape_a, *shape_b;
    const dry_body_pose *pose_a, *pose_b;
    const dry_relative_pose *relative;
    dry_vec3 way; /* of b's center in a's frame until then, m */
} dry_contact_pair;

/* Returns the pose of b's shape in the frame of a's shape, in which the collide functions work. A half-space
 * slides along its plane to a place under b, so that float loses nothing far from its origin. */
dry_transform dry_shape_b_in_a(const dry_shape_form *a, const dry_shape_form *b,
                               const dry_relative_pose *relative);

/* Writes new anchors; impulses of points whose features persist are kept. old_points is the number of points
 * that the manifold has; b_in_a is the position that the shape of b had for the collide function. Reorders
 * `found`. Returns the new number of points. */
int dry_manifold_build(dry_manifold *manifold, int old_points, const dry_contact_pair *pair, dry_vec3 b_in_a,
                       dry_local_manifold *found);

#endif
