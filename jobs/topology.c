/* Restricts hwloc's tree to this process and reads a few numbers from it. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "jobs/topology.h"

#include <hwloc.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* Shrinks the tree to the calling thread's affinity mask, which threads that it starts inherit. */
static void restrict_to_affinity(hwloc_topology_t tree)
{
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (!allowed)
        return;
    if (hwloc_get_cpubind(tree, allowed, HWLOC_CPUBIND_THREAD) == 0 && !hwloc_bitmap_iszero(allowed))
        hwloc_topology_restrict(tree, allowed, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS);
    hwloc_bitmap_free(allowed);
}

struct hwloc_topology *dry_topology_open(void)
{
    hwloc_topology_t tree;
    if (hwloc_topology_init(&tree) != 0)
        return NULL;
    /* Without this flag hwloc moves the calling thread over all processors to ask each one. */
    hwloc_topology_set_flags(tree, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
    if (hwloc_topology_load(tree) != 0) {
        hwloc_topology_destroy(tree);
        return NULL;
    }
    restrict_to_affinity(tree);
    return tree;
}

void dry_topology_close(struct hwloc_topology *tree)
{
    if (tree)
        hwloc_topology_destroy(tree);
}

int dry_topology_processors(void)
{
#ifdef __linux__
    /* 8,192 processors: the kernel refuses a set with room for fewer than the machine could have. */
    cpu_set_t allowed[8];
    if (sched_getaffinity(0, sizeof allowed, allowed) == 0 && CPU_COUNT_S(sizeof allowed, allowed) > 0)
        return CPU_COUNT_S(sizeof allowed, allowed);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

/* Returns the type of a core. Some virtual machines show processors but no cores; each processor then counts
 * as one. */
static hwloc_obj_type_t core_type(hwloc_topology_t tree)
{
    return hwloc_get_nbobjs_by_type(tree, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

int dry_topology_cores(struct hwloc_topology *tree)
{
    int cores = tree ? hwloc_get_nbobjs_by_type(tree, core_type(tree)) : dry_topology_processors();
    return cores > 0 ? cores : 1;
}

bool dry_topology_bind(struct hwloc_topology *tree, int worker)
{
    hwloc_obj_type_t type = core_type(tree);
    int cores = hwloc_get_nbobjs_by_type(tree, type);
    if (cores <= 0)
        return false;
    hwloc_obj_t core = hwloc_get_obj_by_type(tree, type, (unsigned)(worker % cores));
    return core && hwloc_set_cpubind(tree, core->cpuset, HWLOC_CPUBIND_THREAD) == 0;
}

static const char *processor_name(hwloc_topology_t tree)
{
    hwloc_obj_t root = hwloc_get_root_obj(tree);
    hwloc_obj_t package = hwloc_get_obj_by_type(tree, HWLOC_OBJ_PACKAGE, 0);
    const char *name = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!name)
        name = hwloc_obj_get_info_by_name(root, "CPUModel");
    if (!name) /* kernels on ARM name no model */
        name = hwloc_obj_get_info_by_name(root, "Architecture");
    return name ? name : "unknown";
}

dry_topology dry_topology_read(void)
{
    struct hwloc_topology *tree = dry_topology_open();
    dry_topology machine = {.processor = "unknown", .cores = dry_topology_cores(tree), .numa_nodes = 1};
    machine.hardware_threads = machine.cores;
    if (!tree)
        return machine;

    snprintf(machine.processor, sizeof machine.processor, "%s", processor_name(tree));
    machine.hardware_threads = hwloc_get_nbobjs_by_type(tree, HWLOC_OBJ_PU);
    machine.numa_nodes = hwloc_get_nbobjs_by_type(tree, HWLOC_OBJ_NUMANODE);
    if (machine.numa_nodes < 1)
        machine.numa_nodes = 1;
    for (hwloc_obj_t above = hwloc_get_obj_by_type(tree, HWLOC_OBJ_PU, 0); above; above = above->parent) {
        if (above->type == HWLOC_OBJ_L1CACHE)
            machine.l1_bytes = (size_t)above->attr->cache.size;
        else if (above->type == HWLOC_OBJ_L2CACHE)
            machine.l2_bytes = (size_t)above->attr->cache.size;
        else if (above->type == HWLOC_OBJ_L3CACHE)
            machine.l3_bytes = (size_t)above->attr->cache.size;
    }
    dry_topology_close(tree);
    return machine;
}
