/* The functions behind collide.h: one for each pair of shape types.
 *
 * The first shape's rank is never the lower one (state/geometry.h): the frame that makes a pair easy is that
 * of its box or half-space. A function writes normal, count, separation_min and the points, all in the first
 * shape's frame; `rolls` only if a shape of the pair is curved in part. */
#ifndef NARROWPHASE_PAIRS_PAIRS_H
#define NARROWPHASE_PAIRS_PAIRS_H

#include "narrowphase/local_manifold.h"
#include "state/geometry.h"

typedef void dry_collide_pair(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                              float margin, dry_local_manifold *manifold);

/* X(type of the first shape, type of the second, function): the only list. Two half-spaces never touch. */
#define DRY_SHAPE_PAIRS(X)                                                                                   \
    X(DRY_SHAPE_SPHERE, DRY_SHAPE_SPHERE, dry_collide_capsule_sphere)                                        \
    X(DRY_SHAPE_CAPSULE, DRY_SHAPE_SPHERE, dry_collide_capsule_sphere)                                       \
    X(DRY_SHAPE_CAPSULE, DRY_SHAPE_CAPSULE, dry_collide_capsule_capsule)                                     \
    X(DRY_SHAPE_CYLINDER, DRY_SHAPE_SPHERE, dry_collide_round)                                               \
    X(DRY_SHAPE_CYLINDER, DRY_SHAPE_CAPSULE, dry_collide_round)                                              \
    X(DRY_SHAPE_CYLINDER, DRY_SHAPE_CYLINDER, dry_collide_round)                                             \
    X(DRY_SHAPE_BOX, DRY_SHAPE_SPHERE, dry_collide_box_sphere)                                               \
    X(DRY_SHAPE_BOX, DRY_SHAPE_CAPSULE, dry_collide_round)                                                   \
    X(DRY_SHAPE_BOX, DRY_SHAPE_CYLINDER, dry_collide_round)                                                  \
    X(DRY_SHAPE_BOX, DRY_SHAPE_BOX, dry_collide_box_box)                                                     \
    X(DRY_SHAPE_HULL, DRY_SHAPE_CYLINDER, dry_collide_round)                                                 \
    X(DRY_SHAPE_HULL, DRY_SHAPE_SPHERE, dry_collide_round)                                                   \
    X(DRY_SHAPE_HULL, DRY_SHAPE_CAPSULE, dry_collide_round)                                                  \
    X(DRY_SHAPE_HULL, DRY_SHAPE_BOX, dry_collide_hull_hull)                                                  \
    X(DRY_SHAPE_HULL, DRY_SHAPE_HULL, dry_collide_hull_hull)                                                 \
    X(DRY_SHAPE_HALFSPACE, DRY_SHAPE_SPHERE, dry_collide_halfspace_sphere)                                   \
    X(DRY_SHAPE_HALFSPACE, DRY_SHAPE_CAPSULE, dry_collide_halfspace_capsule)                                 \
    X(DRY_SHAPE_HALFSPACE, DRY_SHAPE_CYLINDER, dry_collide_halfspace_cylinder)                               \
    X(DRY_SHAPE_HALFSPACE, DRY_SHAPE_BOX, dry_collide_halfspace_box)                                         \
    X(DRY_SHAPE_HALFSPACE, DRY_SHAPE_HULL, dry_collide_halfspace_hull)

/* Some functions take several pairs, and are declared again. */
#define X(first, second, function) dry_collide_pair function;
DRY_SHAPE_PAIRS(X)
#undef X

#endif
