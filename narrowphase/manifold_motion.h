/* How far bodies have moved relative to each other since their contact's anchors were made, sixteen contacts
 * at a time: the kernel manifold_motions of pairs/kernel_list.h. */
#ifndef NARROWPHASE_MANIFOLD_MOTION_H
#define NARROWPHASE_MANIFOLD_MOTION_H

#include "narrowphase/pairs/kernel_list.h"
#include "state/contacts.h"

enum { DRY_MOTIONS = 16 };

/* The inputs: lanes [0, DRY_MOTIONS) all have pointers. */
typedef struct dry_motion_source {
    const dry_manifold *manifold[DRY_MOTIONS];
    const dry_body_pose *a[DRY_MOTIONS], *b[DRY_MOTIONS];
} dry_motion_source;

/* The motion of b in a's frame. */
typedef struct dry_manifold_motion {
    _Alignas(64) float distance[DRY_MOTIONS]; /* an upper bound of that of any point of b's shape, m */
    float half_sine[DRY_MOTIONS];             /* the sine of half the angle of b's rotation */
    float cosine[DRY_MOTIONS]; /* of half the angle of a's rotation, if `built` has a's orientation */
} dry_manifold_motion;

#endif
