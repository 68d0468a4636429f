/* The difficulty of islands: which tier of substeps each one needs. */
#ifndef SOLVER_ISLANDS_DIFFICULTY_H
#define SOLVER_ISLANDS_DIFFICULTY_H

#include <drystone/world.h>

struct dry_solver_step;

/* Returns the substeps of a tier under these settings. */
int dry_island_substeps(const dry_settings *settings, int tier);
/* Returns the number of sweeps with the position term that a tier does in each substep. */
int dry_island_sweeps(const dry_settings *settings, int tier);
/* Sets the tier of every island. */
void dry_difficulty_rate(struct dry_solver_step *step);

#endif
