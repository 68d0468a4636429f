/* All kinds of joint bundles share this: stages "prepare" and "store" go over bundles and lanes here, and a
 * kind places and stores one lane. */
#ifndef SOLVER_SWEEPS_JOINTS_JOINT_BUNDLES_H
#define SOLVER_SWEEPS_JOINTS_JOINT_BUNDLES_H

#include "core/shared.h"
#include "solver/data/constraint.h"
#include "solver/data/context.h"
#include "solver/data/coupled.h"
#include "solver/data/joints/line.h"

struct dry_added_joint_kernels;

/* The kinds of bundles that joints have. */
#define X(kind, KIND) extern const dry_constraint_kind dry_kind_##kind;
DRY_BOOK_JOINT_KINDS(X)
#undef X

/* The members of a dry_constraint_kind that follow from the type of its bundle. */
#define DRY_JOINT_KIND_OF(KIND, bundle_type)                                                                 \
    .index = DRY_KIND_##KIND, .bundle_bytes = sizeof(bundle_type),                                           \
    .lanes_offset = offsetof(bundle_type, lanes), .kernel = dry_joint_kernel, .slope = dry_joint_slope,      \
    .bodies = dry_joint_bodies, .prepare = dry_joint_begin_rows, .store = dry_joint_store_bundles,           \
    .lanes = dry_joint_lanes

/* Adds kernels of joints, found by level. */
DRY_SHARED void dry_joint_kernels_add(const struct dry_added_joint_kernels *(*find)(dry_level level));
DRY_SHARED dry_sweep_kernel *dry_joint_kernel(const dry_constraint_kind *kind, dry_level level,
                                              dry_sweep_kind sweep, dry_update update,
                                              const dry_settings *settings, bool springs);
DRY_SHARED dry_sweep_kernel *dry_joint_slope(const dry_constraint_kind *kind, dry_level level);
DRY_SHARED int dry_joint_bodies(const dry_solver_step *step, int joint, int body[DRY_CONSTRAINT_BODIES]);
DRY_SHARED void dry_joint_store_bundles(const dry_solver_step *step, dry_bundle_part part);
/* Stores the impulses of a joint with one row, which has a direction at body b. */
DRY_SHARED void dry_joint_store_single(const dry_solver_step *step, int joint, const dry_single_row *row,
                                       dry_vec3 direction, int lane, float h);
/* Finds the bundles of blocks and of axes in a tier whose lanes have the same joints: they share places, and
 * their rows are made together. */
void dry_joints_pair(const dry_solver_step *step, const dry_tier_range *range);
/* Fills bundles, and makes the first rows. */
DRY_SHARED void dry_joint_begin_rows(const dry_solver_step *step, dry_bundle_part part);
/* Keeps the speeds along their rows, before frames turn. */
void dry_joint_keep_speeds(const dry_solver_step *step, dry_bundle_part part);
/* Makes the rows of bundles where their bodies are now. */
void dry_joint_make_rows(const dry_solver_step *step, dry_bundle_part part);
/* Adds to the records of joints how much energy springs in lanes have, once the step's rows are made. */
void dry_joints_add_stored(const dry_solver_step *step);
DRY_SHARED int dry_joint_lanes(const dry_solver_state *state, const dry_constraint_kind *kind, int bundle);

/* Bounded axes of articulations, one lane at a time (coupled_axes.c), as of contacts. */
DRY_SHARED void dry_axes_couple(const dry_solver_step *step, int bundle, int lane, dry_coupled_rows *rows);
DRY_SHARED void dry_axes_visit(const dry_solver_step *step, int bundle, int lane, const dry_sweep *sweep,
                               dry_sweep_kind kind, dry_coupled_motion *motion);
/* Adds the impulses along axes of joints that are solved directly to those of the step: a substep has ended.
 * Sweeps add up those of other joints themselves. */
DRY_SHARED void dry_axes_tally(const dry_solver_step *step, const dry_tier_range *range);

#endif
