/* The places of a joint's bodies when a step begins. */
#ifndef SOLVER_SWEEPS_JOINTS_PLACE_H
#define SOLVER_SWEEPS_JOINTS_PLACE_H

#include "solver/constraint/joints/joint_type.h"
#include "solver/data/joints/places.h"
#include "solver/sweeps/joints/joint_side.h"

/* Both sides, as far as softness depends on them: their rows, and whether other constraints push the bodies.
 */
typedef struct dry_joint_placed {
    dry_joint_side a, b;
    dry_double3 apart; /* anchor b - anchor a, m */
} dry_joint_placed;

/* Fills a lane of the places of the joint in slot `joint`, and of its frames where it has some. */
dry_joint_placed dry_joint_place_bodies(const struct dry_solver_step *step, int joint, int lane,
                                        dry_joint_places *places, dry_joint_frame_places *frames);

/* Returns both sides of a lane that has its places, with these rows. */
static inline dry_joint_placed dry_joint_placed_at(const dry_joint_places *places, int row_a, int row_b,
                                                   int lane)
{
    return (dry_joint_placed){
        .a = {.row = row_a, .shared = places->shared[lane] > 0.0f},
        .b = {.row = row_b},
    };
}

/* Tells whether the gap of a joint with frames is so large that its rows' own turning outweighs all else: its
 * impulses and the speeds that its rows gain by turning are forgotten. */
bool dry_joint_is_torn(const struct dry_solver_step *step, int joint, const dry_joint_placed *placed);

/* Finds which forms occur among the lanes of each row. */
void dry_joint_count_forms(dry_lanes *form, int rows, int lanes, uint32_t *forms);

#endif
