/* Forces of Coulomb's cones that balance loads.
 *
 * Each cone is a spring of stiffness 1 between two blocks of six displacements. Its force is the one of the
 * cone that is nearest to what its displacement asks for. The energy of such springs is convex. Where it is
 * least, the forces balance the loads, if any forces of the cones do; Newton's method finds the place. */
#ifndef CORE_CONES_H
#define CORE_CONES_H

#include "core/envelope.h"

#include <stdbool.h>

typedef struct dry_cone {
    int32_t block[2]; /* below 0: that side does not move */
    float way[3][12]; /* how its sides part along the normal and two tangents with each displacement */
    double friction, force[3]; /* that parts the sides; 0 before the first step */
} dry_cone;

typedef struct dry_cones {
    dry_envelope blocks;
    dry_cone *cone;
    double *load, *at, *left, *to; /* loads; displacements, 0 at first; loads that are left; Newton's step */
    int count;
} dry_cones;

/* Finds the forces, within so many steps. Returns false if there are none. */
bool dry_cones_balance(dry_cones *c, int steps);

#endif
