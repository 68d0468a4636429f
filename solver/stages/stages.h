/* The solver's stages: from manifolds and joints to new velocities and displacements.
 *
 *   layout       prepare.c    cuts tiers into partitions, and assigns constraints to lanes of bundles: plan/
 *   begin bodies bodies/      whitens velocities, and turns forces into a substep's change of velocity
 *   prepare      prepare.c    fills bundles from manifolds, joints and poses: sweeps/
 *   solve        substeps.c   runs substeps: forces, sweeps, motion (passes.c), and parts in between
 *   repair       substeps.c   closes open joints, restores momentum and energy of islands
 *   store        substeps.c   keeps impulses in manifolds and joints
 *
 * step/finalize.c then takes rows back to poses and velocities. */
#ifndef SOLVER_STAGES_STAGES_H
#define SOLVER_STAGES_STAGES_H

#include "core/scratch.h"
#include "simd/processor.h"
#include <drystone/world.h>

struct dry_solver_step;
struct dry_tier_range;

/* Assigns constraints to lanes of bundles. Scratch memory has a part meanwhile. False if memory fails:
 * nothing but the layout has changed then. */
bool dry_solver_layout(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);
/* Fills all bundles. False if memory for blocks fails: nothing that outlives the step has changed then.
 */
bool dry_solver_prepare(struct dry_solver_step *step, dry_memory *memory);
/* Returns the level of the kernels that sweep under the settings, in a world of the given level. `springs`:
 * some shape has a stiffness of its own. */
dry_level dry_solver_sweep_level(dry_level level, const dry_settings *settings, bool springs);
/* Runs the substeps of all tiers. */
void dry_solver_solve(struct dry_solver_step *step);
/* Closes joints that the substeps let open, and repairs the angular momentum of floating islands and the
 * energy of linkages that turn fast. */
void dry_solver_repair(struct dry_solver_step *step);
/* Keeps the impulses for the next step's warm start and for queries. */
void dry_solver_store(struct dry_solver_step *step);

#endif
