/* Describes the machine by hwloc: cores, caches, and the cores to which workers are bound.
 *
 * Each call reads the system anew, which takes milliseconds. hwloc keeps its tree in memory of its own,
 * outside dry_memory, until the tree is closed. */
#ifndef JOBS_TOPOLOGY_H
#define JOBS_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

/* The part of the machine that this process may use: cgroup cpusets and the process's affinity limit it. */
typedef struct dry_topology {
    char processor[128];  /* the model's name, or "unknown" */
    int cores;            /* physical cores, at least 1 */
    int hardware_threads; /* at least `cores` */
    int numa_nodes;       /* at least 1 */
    size_t l1_bytes;      /* data or unified caches of the first core; 0 if unknown */
    size_t l2_bytes;
    size_t l3_bytes;
} dry_topology;

dry_topology dry_topology_read(void);

struct hwloc_topology;

/* Opens hwloc's tree. Returns null if hwloc fails. */
struct hwloc_topology *dry_topology_open(void);
void dry_topology_close(struct hwloc_topology *tree);

/* Returns the number of logical processors that the calling thread may use, at least 1. Takes less than 1 us
 * and no memory. */
int dry_topology_processors(void);

/* Returns the number of physical cores that this process may use, at least 1; accepts null. */
int dry_topology_cores(struct hwloc_topology *tree);

/* Binds the calling thread to the core of `worker`. Workers take the cores in hwloc's order, in which
 * neighbors share caches, and begin again after the last core. Many threads may call this at once. Returns
 * false if the system refuses. */
bool dry_topology_bind(struct hwloc_topology *tree, int worker);

#endif
