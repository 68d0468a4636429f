/* The layout: bundles of constraints by tier, partition and color. */
#ifndef SOLVER_PLAN_LAYOUT_H
#define SOLVER_PLAN_LAYOUT_H

#include "core/scratch.h"
#include "solver/data/tiers.h"

struct dry_solver_step;

/* Finds how many partitions each tier has; 0 if the tier has no bodies. A body's partition is that of its
 * island where partitions are apart, else the slab of its row. False if memory fails. (partitions.c) */
bool dry_partitions_update(struct dry_solver_step *step, dry_memory *memory, int partitions[DRY_RANGE_COUNT]);
/* Keeps or finds the slabs of the tiers whose bits are set; state->slab_rows is 0 afterwards if there are
 * none. False if memory fails. (slabs.c) */
bool dry_slabs_update(struct dry_solver_step *step, dry_memory *memory, uint32_t tiers);
/* Makes room for the rows of bodies, and sets the substeps and sweeps of tiers. False if memory fails. */
bool dry_layout_begin(struct dry_solver_step *step, dry_memory *memory);
/* Tells whether the last step's layout serves this one. Most steps of standing bodies change nothing about
 * the graph. Layers follow poses. */
bool dry_layout_stays(const struct dry_solver_step *step);
/* Marks the islands whose joints are all in sweeps, for methods that make rows in each substep. */
void dry_layout_find_swept(const struct dry_solver_step *step);
/* Assigns constraints to lanes of bundles, once articulations are listed. Scratch memory has a part
 * meanwhile. False if memory fails: nothing but the layout has changed then. */
bool dry_layout_assign(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);

#endif
