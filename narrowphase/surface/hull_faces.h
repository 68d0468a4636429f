/* Hulls of static and kinematic bodies as parts of a floor: where other surfaces go on, a face bears. */
#ifndef NARROWPHASE_SURFACE_HULL_FACES_H
#define NARROWPHASE_SURFACE_HULL_FACES_H

#include "narrowphase/local_manifold.h"
#include "narrowphase/pairs/polytope.h"
#include "narrowphase/surface/neighbors.h"

/* A fixed hull and a convex piece, in the hull's frame. */
typedef struct dry_hull_floor {
    const dry_geometry *hull, *piece;
    const dry_transform *pose; /* of the piece */
    float margin;              /* of points, m */
    dry_level level;
} dry_hull_floor;

/* Replaces the points found, whose normal leads from the hull to the piece, by those of one of its faces, if
 * the normal is none of the surface that the hull makes with its neighbors. */
void dry_hull_keep_to_faces(const dry_hull_floor *floor, const dry_neighbors *neighbors,
                            dry_local_manifold *found);

#endif
