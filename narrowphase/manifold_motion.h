/* How far bodies have moved relative to each other since their contact's anchors were made, sixteen contacts
 * at a time. The kernel is compiled once per instruction set. */
#ifndef NARROWPHASE_MANIFOLD_MOTION_H
#define NARROWPHASE_MANIFOLD_MOTION_H

#include "simd/processor.h"
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

/* Fills lanes [0, count) of `motion`. */
typedef void dry_motion_kernel(const dry_motion_source *source, int count, dry_manifold_motion *motion);

/* X(kernel) */
#define DRY_MOTION_KERNELS(X) X(manifold_motions)

typedef struct dry_motion_kernels {
#define X(name) dry_motion_kernel *name;
    DRY_MOTION_KERNELS(X)
#undef X
} dry_motion_kernels;

DRY_TABLES(dry_motion_kernels, dry_motion_kernels_at)

#endif
