/* Hard stops of articulations where a step ends. */
#ifndef SOLVER_DIRECT_STOPS_H
#define SOLVER_DIRECT_STOPS_H

#include "solver/direct/linkage.h"

/* Finds the hard stops of a linkage where the step ends; of many, those that its bodies have passed and those
 * near them. Fills what all joints let them move. Returns how far the worst is beyond where it is to be, m or
 * rad. */
double dry_stops_find(const dry_linkage *linkage);
/* Moves bodies back to these stops, by impulses that act on positions alone and leave the joints closed to
 * first order. Joints are to be closed afterwards. */
void dry_stops_move_back(const dry_linkage *linkage);
/* Stops the bodies that are at their stops where the step ends and still move on: sweeps pass a load from one
 * stop to the next too slowly for many stops, or a heavy body at their end. That takes energy away, unless a
 * kinematic side moves. */
void dry_stops_stop(const dry_linkage *linkage);
/* The velocity correction [Tomcin 3] of an articulation that nothing but its own motors, friction and stops
 * acts on: velocities of the last substep's middle become those of the pose where the step ends. Coordinates
 * that motors and friction hold keep their speeds. Nothing changes where no motor holds a speed, or a stop
 * presses. The energy of islands without motors is bounded: they would lose some in each step. */
void dry_stops_arrive(const dry_linkage *linkage);

#endif
