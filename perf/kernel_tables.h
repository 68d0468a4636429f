/* The kernels of all families at one level. */
#ifndef PERF_KERNEL_TABLES_H
#define PERF_KERNEL_TABLES_H

#include "narrowphase/pairs/kernel_list.h"
#include "solver/contacts/kernel_list.h"
#include "solver/joints/kernel_list.h"
#include "solver/methods/blocks/kernel_list.h"
#include "solver/rows/kernel_list.h"

typedef struct kernel_tables {
    const char *name;
    const dry_contact_kernels *contacts;
    const dry_joint_kernels *joints;
    const dry_body_kernels *bodies;
    const dry_box_kernels *boxes;
    const dry_block_kernels *blocks;
} kernel_tables;

static inline kernel_tables kernel_tables_at(dry_level level)
{
    return (kernel_tables){dry_level_name(level),       dry_contact_kernels_at(level),
                           dry_joint_kernels_at(level), dry_body_kernels_at(level),
                           dry_box_kernels_at(level),   dry_block_kernels_at(level)};
}

#endif
