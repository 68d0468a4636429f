/* The other surfaces under a body: a border that one of them continues pushes nobody. Next: neighbors.c. */
#ifndef NARROWPHASE_PATCHES_NEIGHBORS_H
#define NARROWPHASE_PATCHES_NEIGHBORS_H

#include "narrowphase/contact_update.h"
#include "narrowphase/patches/near_triangles.h"
#include "narrowphase/piece.h"

/* A piece on one of its surfaces. */
typedef struct dry_neighbors {
    const dry_contact_update *update;
    int parent; /* the pair of the surface and the piece's shape */
    const dry_patch_pair *pair;
    const dry_piece *surface, *piece;
} dry_neighbors;

/* Tells whether a unit vector is a normal of all other surfaces within `distance` (m) of a point: no part of
 * one rises above the plane through the point by more than `slope` times its distance. Point and normal are
 * as those of the pair. `context` is a dry_neighbors. */
bool dry_neighbors_admit(const void *context, dry_vec3 point, dry_vec3 normal, float distance, float slope);

#endif
