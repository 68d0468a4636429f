/* Weighs the motion that carries on from substep to substep. */
#ifndef SOLVER_LAWS_WEIGH_H
#define SOLVER_LAWS_WEIGH_H

#include "solver/data/context.h"

void dry_weigh_free(dry_solver_state *state, dry_memory *memory);
/* Makes room for all islands, once frames have begun (solver/bodies/frames.h). False if memory fails. */
bool dry_weigh_reserve(dry_solver_step *step, dry_memory *memory);
/* Lets islands of a tier whose carried impulses give them energy forget those. Rows have these impulses, and
 * the forces of the substep that begins. */
void dry_weigh_carried(dry_solver_step *step, const dry_tier_range *range);
/* Weighs the impulses of joints in sweeps in islands with direct joints, too, between two substeps. The
 * impulses are taken back from the rows after `begin`, and `end` forgets those that gave energy. */
void dry_weigh_joints_begin(dry_solver_step *step, const dry_tier_range *range);
void dry_weigh_joints_end(dry_solver_step *step, const dry_tier_range *range);
/* Marks the bodies of a tier that carried impulses turn too far in a substep of h seconds; rows have these
 * and the forces of the substep. Returns false if there are none. */
bool dry_weigh_turning(const dry_solver_step *step, const dry_tier_range *range, float h);
/* Forgets the impulses of joints of marked bodies. Rows must be without the impulses of joints. */
void dry_weigh_forget_joints(const dry_solver_step *step, const dry_tier_range *range);

#endif
