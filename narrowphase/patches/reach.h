/* How far a convex piece reaches along a direction. */
#ifndef NARROWPHASE_PATCHES_REACH_H
#define NARROWPHASE_PATCHES_REACH_H

#include "narrowphase/pairs/polytope.h"

/* A piece that turns about its center. */
typedef struct dry_reach {
    dry_geometry piece;
    dry_mat3 axes;
    dry_polytope hull; /* of a hull, about its own center: `middle` from the piece's, m */
    dry_vec3 middle;
} dry_reach;

void dry_reach_begin(dry_reach *reach, const dry_geometry *piece, dry_quat orientation);

/* Returns how far the piece reaches from its center along a unit vector, m. */
float dry_reach_along(const dry_reach *reach, dry_vec3 n);

#endif
