/* The two ways in which articulations move on: by themselves, and after the sweeps of a step. */
#ifndef SOLVER_DIRECT_CORRECT_H
#define SOLVER_DIRECT_CORRECT_H

#include "solver/direct/linkage.h"

/* Moves an articulation that nothing else acts on by a step, in `substeps` or more. Returns the substeps that
 * it took; 1 if the budget of substeps was not enough. */
int dry_linkage_move_alone(dry_linkage l, int substeps);
/* Closes the joints of an articulation after the sweeps of a step. Sweeps have found the velocities, with
 * contacts and motors: poses alone are corrected [Tomcin 7]. Velocities that were corrected without contacts
 * would move what contacts hold. */
void dry_linkage_correct_swept(const dry_linkage *l);

#endif
