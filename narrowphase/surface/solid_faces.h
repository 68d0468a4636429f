/* Boxes and hulls of static and kinematic bodies as parts of a floor: where other surfaces go on, a face
 * bears. */
#ifndef NARROWPHASE_SURFACE_SOLID_FACES_H
#define NARROWPHASE_SURFACE_SOLID_FACES_H

#include "narrowphase/local_manifold.h"
#include "narrowphase/surface/neighbors.h"

/* A fixed box or hull and a convex piece, in the solid's frame. */
typedef struct dry_solid_floor {
    const dry_geometry *solid, *piece;
    const dry_transform *pose; /* of the piece */
    float margin;              /* of points, m */
    dry_level level;
} dry_solid_floor;

/* Replaces the points found, whose normal leads from the solid to the piece, by those of one of its faces, if
 * the normal is none of the surface that the solid makes with its neighbors. Returns whether it changed
 * anything. */
bool dry_solid_keep_to_faces(const dry_solid_floor *floor, const dry_neighbors *neighbors,
                             dry_local_manifold *found);

/* Tells whether neighbors may change a contact with a solid: of a box, points far from the edges of the face
 * that pushes need no question. */
bool dry_solid_asks(const dry_geometry *solid, const dry_local_manifold *found);

#endif
