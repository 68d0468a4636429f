/* The energy of linkages within a step, where joints are solved for positions.
 *
 * A substep changes velocities by impulses at the pose in which it begins. Rigid joints do no work there:
 * bodies have no more energy after the sweeps than the forces gave them. Sweeps that do not converge, and
 * joints that close what has opened, may give some. It is taken back within the substep: in a step of a
 * hundred substeps the gain of a substep grows by a factor, and its bodies would leave the range of valid
 * speeds, and the world's momentum with them.
 *
 * The momenta of a linkage that nothing fixed holds move it as one rigid body. The motion relative to that
 * has no momentum of either kind, and all energy that can be taken back: it is scaled down. */
#ifndef METHODS_LINKAGE_ENERGY_H
#define METHODS_LINKAGE_ENERGY_H

#include "core/memory.h"

struct dry_solver_state;
struct dry_solver_step;
struct dry_tier_range;

/* Finds the islands with an open joint, and lists the bodies of linkages that turn far within the step. False
 * if memory fails. */
bool dry_linkage_energy_begin(struct dry_solver_step *step, dry_memory *memory);
/* Counts what forces have just done on a tier's linkages in a substep. */
void dry_linkage_energy_force(struct dry_solver_step *step, const struct dry_tier_range *range);
/* Takes back, after sweeps, what the velocities of a tier's linkages have above the energy of the forces. */
void dry_linkage_energy_bound(struct dry_solver_step *step, const struct dry_tier_range *range);

#endif
