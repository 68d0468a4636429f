/* The solver's stages: from manifolds and joints to new velocities and displacements.
 *
 *   layout       plan/        cuts tiers into partitions, and assigns constraints to lanes of bundles
 *   begin bodies bodies/      whitens velocities, and turns forces into a substep's change of velocity
 *   prepare      prepare.c    fills bundles from manifolds, joints and poses: contacts/, joints/
 *   solve        substeps.c   runs substeps: forces, impacts (impacts.c), sweeps, motion (passes.c)
 *   repair       substeps.c   closes open joints, restores momentum and energy of islands
 *   store        store.c      keeps impulses in manifolds and joints
 *
 * step/finalize.c then takes rows back to poses and velocities. */
#ifndef SOLVER_STAGES_STAGES_H
#define SOLVER_STAGES_STAGES_H

#include "core/memory.h"
#include "simd/processor.h"

struct dry_solver_state;
struct dry_solver_step;
struct dry_tier_range;

/* Fills the rows of awake dynamic bodies, for a layout that is done. */
void dry_solver_begin_bodies(struct dry_solver_step *step);
/* Fills all bundles. False if memory for cold blocks fails: nothing that outlives the step has changed then.
 */
bool dry_solver_prepare(struct dry_solver_step *step, dry_memory *memory);
/* Stops the bodies of a tier whose motion became invalid since the step began, so that no neighbor sees it.
 */
void dry_solver_stop_invalid(struct dry_solver_step *step, const struct dry_tier_range *range);
/* Does so for one row. */
void dry_solver_stop_if_invalid(struct dry_solver_state *state, int row);
/* Prepares a tier's joints anew, `since` seconds after the step's beginning, from the rows; errors are
 * measured `ahead` seconds later. */
void dry_solver_refresh_joints(struct dry_solver_step *step, const struct dry_tier_range *range, float since,
                               float ahead);
/* Whitens a tier's contacts anew, of bodies whose rows are whitened otherwise than when they were prepared.
 */
void dry_solver_turn_contacts(struct dry_solver_step *step, const struct dry_tier_range *range);
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
