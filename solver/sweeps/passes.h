/* Passes over a tier: some work on its bodies, then one sweep over its constraints.
 *
 * A substep of a tier is a list of passes (substeps.c). In one partition a pass ends before the next begins.
 * Over several partitions, several passes are under way at a time. Each body sees the same operations in the
 * same order, so that the bits are those of one pass after the other, partition after partition. */
#ifndef SOLVER_SWEEPS_PASSES_H
#define SOLVER_SWEEPS_PASSES_H

#include "core/shared.h"
#include "solver/data/constraint.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/data/sweep.h"

typedef enum dry_body_work {
    DRY_WORK_NONE,
    DRY_WORK_FIRST_FORCES, /* u takes on the first substep's forces */
    DRY_WORK_NEXT_FORCES,  /* u += u - u0: forces and warm start; u0 = u */
    DRY_WORK_KEEP_FORCES,  /* FIRST_FORCES; keeps a substep's change by forces */
    DRY_WORK_FORCES,       /* u0 = u, u += that change */
    DRY_WORK_MOVE,         /* x += h v [Spook 37] */
    DRY_WORK_MOVE_VALID    /* MOVE, after bodies that cannot be moved are stopped */
} dry_body_work;

/* The share of a bundle's lanes that are in use: more than half, half or less. */
typedef enum dry_fill { DRY_FILL_WHOLE, DRY_FILL_HALF, DRY_FILL_COUNT } dry_fill;

/* Returns the level whose kernels sweep such bundles fastest. */
DRY_SHARED dry_level dry_level_of_fill(dry_level level, dry_fill fill);
/* Returns the share of a bundle that this number of lanes is. */
static inline dry_fill dry_fill_of(int lanes)
{
    return lanes > DRY_BUNDLE / 2 ? DRY_FILL_WHOLE : DRY_FILL_HALF;
}

/* The kernels of one sweep for each kind; null where the sweep passes over the kind. */
typedef struct dry_sweep_kernels {
    dry_sweep_kernel *kernel[DRY_KIND_COUNT][DRY_FILL_COUNT];
    const struct dry_sweep_kernels *then; /* of a sweep that follows in each few bundles; or null */
    dry_update update;
} dry_sweep_kernels;

/* The kernels of each sweep of a tier. */
typedef struct dry_tier_kernels {
    dry_sweep_kernels sweep[DRY_SWEEP_COUNT];
} dry_tier_kernels;

typedef struct dry_pass {
    dry_body_work work;
    const dry_sweep_kernels *kernels; /* null: no sweep */
    dry_sweep sweep;
} dry_pass;

enum { DRY_PASSES_MAX = 32 };

/* The substeps of a tier under way, or of one of its partitions. Passes wait until as many as may run at once
 * have come together: `left` passes and `batches` batches are still to come. Tiers on which parts act, and
 * those of joints in sweeps, have one pass at a time. */
typedef struct dry_substeps {
    dry_solver_step *step;
    const dry_tier_range *range;
    const dry_tier_kernels *kernels;
    dry_schedule schedule;
    dry_sweep sweep;    /* parameters of the next sweep */
    dry_body_work work; /* of the next pass, before its sweep */
    int index;          /* of the substep */
    int sweeps_left;    /* sweeps with, or without, the position term that follow in the substep */
    bool rotated;       /* impacts: bodies whose frames turn have rotated before their substep is done */
    dry_pass *waiting;
    int waiting_count, room, left, batches;
} dry_substeps;

/* Begins the substeps of a tier, which have `left` passes. `waiting` has room for DRY_PASSES_MAX. */
void dry_substeps_begin(dry_substeps *run);
/* Adds a pass; null kernels: without a sweep. */
void dry_substeps_pass(dry_substeps *run, const dry_sweep_kernels *kernels);
/* Adds a pass with a sweep over all that acts on the tier. */
DRY_SHARED void dry_substeps_sweep(dry_substeps *run, dry_sweep_kind kind, const dry_sweep_kernels *kernels);

/* Returns how many passes a tier may be given at once; 1 where each must end before the next begins. */
int dry_passes_at_once(const dry_solver_step *step, const dry_tier_range *range);
/* Runs passes over a tier, several at a time where the tier has partitions. */
void dry_run_passes(dry_solver_step *step, const dry_tier_range *range, const dry_pass *passes, int count);
/* Runs one pass, which ends before the next begins. */
DRY_SHARED void dry_run_pass(dry_solver_step *step, const dry_tier_range *range, dry_body_work work,
                             const dry_sweep *sweep, const dry_sweep_kernels *kernels);

/* Chooses the kernels of a sweep for the kinds that have bundles in this step. */
DRY_SHARED dry_sweep_kernels dry_choose_kernels(const dry_solver_step *step, dry_sweep_kind sweep);
/* Returns the kernels of a sweep over some kinds alone, by their bits. */
DRY_SHARED dry_sweep_kernels dry_kernels_of(const dry_sweep_kernels *kernels, uint32_t kinds);
/* Returns the parameters of sweeps that follow from the method and the settings, for substeps of length h and
 * contacts of at most `hertz_max`. Rows, times and prefetching are the caller's. */
DRY_SHARED dry_sweep dry_sweep_of(const struct dry_method *method, const dry_settings *settings, float h,
                                  float hertz_max);
/* Sets the order in which sweep `i` of its kind in this step goes through the phases. Sweeps of one kind
 * alternate, and those without the position term mirror those with it. */
DRY_SHARED void dry_pass_set_order(const dry_solver_step *step, dry_sweep *sweep, dry_sweep_kind kind, int i);

/* The line search along the impulses of joints that a substep begins with. (line_search.c) */

/* Makes room for all islands, once frames have begun (solver/bodies/frames.h). False if memory fails. */
bool dry_line_search_reserve(dry_solver_step *step, dry_memory *memory);
/* Keeps the velocities of a range's bodies without the impulses of joints, and applies these by the kernels
 * `warm`, but for those of bundles that a part sweeps. */
void dry_line_search_begin(dry_substeps *run, const dry_sweep_kernels *warm);
/* Scales these impulses, in the bodies' velocities and in the bundles. Returns whether any changed. */
bool dry_line_search_end(dry_substeps *run);

#endif
