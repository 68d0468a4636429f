/* The solver: from manifolds and joints to new velocities and displacements.
 *
 * Stages, in the order step/step.c calls them:
 *   layout (layout/)             tiers cut into partitions,
 *                                constraints assigned into bundles by tier, partition and color
 *   begin bodies (rows/)         velocities whitened, forces turned into a substep's change
 *   prepare (contacts/, joints/) bundles filled from manifolds, joints, poses
 *   solve (substeps.c, passes.c) N substeps: forces; sweeps; move; relax
 *   impacts (substeps.c)         restitution
 *   store (store.c)              impulses back to manifolds and joints
 * and step/finalize.c takes rows back to poses and velocities. */
#ifndef SOLVER_STAGES_H
#define SOLVER_STAGES_H

#include "core/memory.h"

struct dry_solver_step;

void dry_solver_begin_bodies(struct dry_solver_step *step);
/* False, and nothing changed outside, if memory for cold blocks fails. */
bool dry_solver_prepare(struct dry_solver_step *step, dry_memory *memory);
void dry_solver_solve(struct dry_solver_step *step);
void dry_solver_impacts(struct dry_solver_step *step);
void dry_solver_store(struct dry_solver_step *step);

#endif
