/* The stages of a step that are not the solver's; step.c has all of them in order. Each returns false if
 * memory fails. */
#ifndef STEP_STAGES_H
#define STEP_STAGES_H

#include "world/solver_step.h"

/* Makes contacts of shapes whose fat bounds newly overlap. */
bool dry_stage_pairs(dry_world *world, dry_solver_step *step);
/* Updates or rebuilds the manifolds of active contacts. */
bool dry_stage_contacts(dry_world *world, dry_solver_step *step);
/* Begins and ends contacts, wakes bodies, builds islands and rates their difficulty. */
bool dry_stage_graph(dry_world *world, dry_solver_step *step);
/* Lays the solver's bundles out and fills them, and raises hit events. */
bool dry_stage_prepare(dry_world *world, dry_solver_step *step);
/* Takes the solver's rows back to poses and velocities, and raises the events of the step's end. */
bool dry_stage_finalize(dry_world *world, dry_solver_step *step);

/* What stages consist of. */

/* Graph: wakes the sleepers that awake bodies strike within `dt` seconds, and those that no longer hold what
 * they bear. Islands must be built; they are stale afterwards if a body woke. False if memory fails. */
bool dry_wake_neighbors(dry_world *world, float dt);
/* Prepare: raises an event for each contact whose surfaces meet within the step, faster than hit_speed_min.
 * False if memory fails. */
bool dry_hits_raise(dry_world *world, const dry_solver_step *step);
/* Finalize: finds the islands with a joint that began the step open, once rows of joints have been made. */
void dry_corrections_begin(dry_world *world, dry_solver_step *step);
/* Notes the correction of a body that goes to this pose and velocity. */
void dry_correction_note(const dry_solver_step *step, int row, const dry_body_pose *pose,
                         const dry_body_velocity *velocity);
/* Disables the bodies that finalize marked as invalid: their contacts end, their neighbors wake. */
void dry_quarantine_invalid(dry_world *world);
/* Raises the events of joints that contradict each other and of those whose force or torque exceeds a bound,
 * and disables those that break. */
void dry_joints_raise_events(dry_world *world);
/* Puts every island to sleep that has been still for long enough, and kinematic bodies without velocity. */
void dry_sleep_still_islands(dry_world *world, const dry_solver_step *step);

/* Returns the state hash, mixed with the rows and bundles that the stage left. A step that does not move
 * bodies has none. */
uint64_t dry_hash_stage(const dry_world *world, dry_stage stage, bool moves);

#endif
