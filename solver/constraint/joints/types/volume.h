/* The volume of a tetrahedron, and how it changes with its four points. */
#ifndef SOLVER_CONSTRAINT_JOINTS_TYPES_VOLUME_H
#define SOLVER_CONSTRAINT_JOINTS_TYPES_VOLUME_H

#include "core/gyroscopic.h"
#include "solver/data/context.h"

enum { DRY_POINTS = DRY_JOINT_SIDES };

typedef struct dry_tetrahedron {
    double volume; /* (b - a) . ((c - a) x (d - a)) / 6, m^3 */
    dry_double3
        gradient[DRY_POINTS]; /* of the volume, at each point, m^2: a third of the area across from it */
    double steepness;         /* the length of all four as one vector, m^2 */
} dry_tetrahedron;

/* Returns the tetrahedron from point a, at the origin, to points b, c and d. */
dry_tetrahedron dry_tetrahedron_of(const dry_double3 edge[3]);
/* Returns the tetrahedron of a volume joint where its bodies are. */
dry_tetrahedron dry_volume_now(const dry_bodies *bodies, const dry_joints *joints, int joint);
/* Returns the second derivative of the volume over time, m^3/s^2, where the edges change at constant rates.
 */
double dry_tetrahedron_curvature(const dry_double3 edge[3], const dry_double3 rate[3]);

/* Returns the way of the four points, taken together, that takes a volume off by `error` to where it should
 * be, m: error / steepness. A gradient that vanishes would ask for any length: the edge of a cube of that
 * volume is enough. */
double dry_volume_gap(double error, double steepness);

#endif
