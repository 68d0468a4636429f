/* The machine as hwloc sees it: cores, caches, and where a worker may be bound.
 *
 * Reads the system, never caches it; a reading takes milliseconds. hwloc keeps its tree in memory of
 * its own, outside dry_memory, until it is closed. */
#ifndef JOBS_TOPOLOGY_H
#define JOBS_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

/* What this process may use: cgroup cpusets and its own affinity are respected. */
typedef struct dry_topology {
    char processor[128];  /* "unknown" if it is */
    int cores;            /* physical, at least 1 */
    int hardware_threads; /* at least `cores` */
    int numa_nodes;       /* at least 1 */
    size_t l1_bytes;      /* data or unified caches above the first core; 0 if unknown */
    size_t l2_bytes;
    size_t l3_bytes;
} dry_topology;

dry_topology dry_topology_read(void);

struct hwloc_topology;

/* Null if hwloc fails. */
struct hwloc_topology *dry_topology_open(void);
void dry_topology_close(struct hwloc_topology *tree);

/* Physical cores this process may use, at least 1; null is allowed. */
int dry_topology_cores(struct hwloc_topology *tree);

/* Binds the calling thread to the core of `worker`: the cores in hwloc's order, in which neighbours share
 * caches, then around again. May be called by many threads at once. False if the system refuses. */
bool dry_topology_bind(struct hwloc_topology *tree, int worker);

#endif
