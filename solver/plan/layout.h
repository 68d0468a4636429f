/* The layout: bundles of constraints by tier, partition and color. */
#ifndef SOLVER_PLAN_LAYOUT_H
#define SOLVER_PLAN_LAYOUT_H

#include "core/scratch.h"
#include "solver/data/context.h"
#include "solver/plan/islands.h"

/* Returns the island of a row; null if it belongs to none. */
static inline const dry_island *dry_row_island(const dry_solver_step *step, int row)
{
    const int island = step->bodies->sleep[row].island;
    return island < 0 ? NULL : &step->islands->island[island];
}

/* Returns the substep of a row's island, s; without one the step. */
static inline float dry_island_substep(const dry_solver_step *step, const dry_island *island)
{
    return island ? step->dt / (float)step->state->plan.ranges[dry_island_range(island)].substeps : step->dt;
}

/* A core's own cache is taken to hold what preparing reads of so many bodies, and no more. */
enum { DRY_ROWS_NEAR = 4096 };
/* The fewest constraints for slabs: 24 MB of bundles. With half of that, slabs gain nothing. */
enum { DRY_SLABS_LEAST = 98304 };
/* Finds how many partitions each tier has; 0 if the tier has no bodies. A body's partition is that of its
 * island where partitions are apart, else the slab of its row. False if memory fails. (partitions.c) */
bool dry_partitions_update(dry_solver_step *step, dry_memory *memory, int partitions[DRY_RANGE_COUNT]);
/* Keeps or finds the slabs of the tiers whose bits are set; plan.slabs.rows is 0 afterwards if there are
 * none. False if memory fails. (slabs.c) */
bool dry_slabs_update(dry_solver_step *step, dry_memory *memory, uint32_t tiers);
/* Searches for slabs in a step that may keep its layout, if they are due; counts the steps until then. With
 * slabs that are found the step makes a layout after all. False if memory fails. */
bool dry_slabs_search(dry_solver_step *step, dry_memory *memory, bool *found);
/* Makes room for the rows of bodies, and sets the substeps and sweeps of tiers. False if memory fails. */
bool dry_layout_begin(dry_solver_step *step, dry_memory *memory);
/* Tells whether the last step's layout serves this one. Most steps of standing bodies change nothing about
 * the graph. */
bool dry_layout_stays(const dry_solver_step *step);
/* Marks the islands whose joints are all in sweeps, for methods that make rows in each substep. */
void dry_layout_find_swept(const dry_solver_step *step);
/* Assigns constraints to lanes of bundles, once articulations are listed. Scratch memory has a part
 * meanwhile. False if memory fails: nothing but the layout has changed then. */
bool dry_layout_assign(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);

#endif
