/* The share of the processors that control groups leave to this process: `cpu.max` of version 2, the quota of
 * the completely fair scheduler of version 1. A group that has used its share waits for the rest of a period,
 * mostly 100 ms, whatever the affinity mask says.
 *
 * Reads: /proc/self/cgroup, /proc/self/mountinfo, files of the groups. Writes: nothing. Next: topology.c. */
#ifndef JOBS_CGROUP_H
#define JOBS_CGROUP_H

#include <limits.h>

/* Nothing limits the processors. */
#define DRY_CGROUP_UNLIMITED INT_MAX

/* Returns how many whole processors `cpu.max` gives, at least 1: "200000 100000" gives 2. Text that says
 * "max", or cannot be read, gives DRY_CGROUP_UNLIMITED. */
int dry_cgroup_parse_max(const char *text);

/* Returns the same for the texts of cpu.cfs_quota_us and cpu.cfs_period_us; a quota below 0 is none. */
int dry_cgroup_parse_quota(const char *quota, const char *period);

/* Returns the least that the groups of this process and the groups above them give. `root` goes before each
 * path; "" is this machine. Takes no memory from the heap. */
int dry_cgroup_processors(const char *root);

#endif
