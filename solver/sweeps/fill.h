/* Bundles filled from manifolds, joints and poses, at a step's beginning or in its midst. */
#ifndef SOLVER_SWEEPS_FILL_H
#define SOLVER_SWEEPS_FILL_H

#include "core/shared.h"
#include "solver/data/tiers.h"

struct dry_solver_step;

/* Calls a function for all bundles of a kind in a tier. */
void dry_over_bundles(const struct dry_solver_step *step, const dry_tier_range *range, int kind,
                      dry_bundle_work *work, dry_moment at);
/* The same for all kinds of joints. */
void dry_over_joints(const struct dry_solver_step *step, const dry_tier_range *range, dry_bundle_work *work,
                     dry_moment at);
/* Tells whether substeps begin the joints of a range themselves, each partition in its worker's cache. All
 * other joints, which parts or other methods read before, are begun in stage "prepare". */
static inline bool dry_solver_begins_in_substeps(const dry_tier_range *range)
{
    return dry_range_is_swept(range) && !range->listed;
}

/* Fills the bundles of a range's joints where the step begins. */
void dry_solver_begin_joints(struct dry_solver_step *step, const dry_tier_range *range);
/* Makes the rows of a range's joints where its bodies are, `since` seconds after the step's beginning. Errors
 * are measured `ahead` seconds later. */
DRY_SHARED void dry_solver_make_joints(struct dry_solver_step *step, const dry_tier_range *range, float since,
                                       float ahead);
/* The same once bodies have moved by a substep of length h: first their frames follow, as the method lets
 * them. */
typedef void dry_frames_following(struct dry_solver_step *step, const dry_tier_range *range, float h);
DRY_SHARED void dry_solver_follow_joints(struct dry_solver_step *step, const dry_tier_range *range,
                                         float since, float h, dry_frames_following *follow);
/* Whitens a tier's contacts anew, of bodies whose rows are whitened otherwise than when they were prepared.
 */
DRY_SHARED void dry_solver_turn_contacts(struct dry_solver_step *step, const dry_tier_range *range);

#endif
