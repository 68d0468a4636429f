/* The difficulty of islands: which tier of substeps each one needs. */
#ifndef SOLVER_ISLANDS_DIFFICULTY_H
#define SOLVER_ISLANDS_DIFFICULTY_H

#include <drystone/world.h>

struct dry_solver_step;

/* The substeps of a class under these settings. */
int dry_island_substeps(const dry_settings *settings, int island_class);
/* The sweeps with the position term of a class, in each substep. */
int dry_island_sweeps(const dry_settings *settings, int island_class);
/* The class of an island, from what it is and what it was. */
void dry_difficulty_rate(struct dry_solver_step *step);

#endif
