/* The rules of a world's workers, for the calls that make worlds and those that change their workers. */
#ifndef API_WORKERS_H
#define API_WORKERS_H

#include "jobs/jobs.h"

#define DRY_WORKERS_LACK_OPENMP "this build has no OpenMP: team must be DRY_TEAM_THREADS"

/* Returns what is wrong with workers, in words; null if nothing is. */
const char *dry_workers_error(const dry_workers *workers);

/* Returns the definition of their team. */
dry_jobs_def dry_workers_jobs(const dry_workers *workers, dry_log log);

/* Gives a world other workers, whoever it belongs to, in a call of this name. Errors: as for
 * dry_world_set_workers. */
dry_result dry_workers_give(dry_world *world, const char *name, const dry_workers *workers);

#endif
