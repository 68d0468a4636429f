/* The kernels of all families at one level. */
#ifndef PERF_KERNEL_TABLES_H
#define PERF_KERNEL_TABLES_H

#include "methods/added_kernels.h"
#include "methods/blocks/kernel_list.h"
#include "narrowphase/pairs/kernel_list.h"
#include "solver/bodies/kernel_list.h"
#include "solver/sweeps/contacts/kernel_list.h"
#include "solver/sweeps/joints/kernel_list.h"

/* The place of a kernel's pointer: those of the last two are compiled for DRY_RARE_LEVELS alone. */
typedef enum kernel_table { TABLE_ALL, TABLE_RARE, TABLE_ADDED, TABLE_COUNT } kernel_table;

typedef struct kernel_tables {
    const char *name;
    const void *contacts[TABLE_COUNT];
    const dry_joint_kernels *joints[TABLE_COUNT];
    const dry_body_kernels *bodies;
    const dry_pair_kernels *boxes;
    const dry_block_kernels *blocks;
} kernel_tables;

static inline kernel_tables kernel_tables_at(dry_level level)
{
    return (kernel_tables){
        .name = dry_isa_name(dry_level_isa(level)),
        .contacts = {dry_contact_kernels_at(level), dry_rare_contact_kernels_at(level),
                     dry_added_contact_kernels_at(level)},
        .joints = {dry_joint_kernels_at(level), dry_rare_joint_kernels_at(level),
                   &dry_added_joint_kernels_at(level)->sweeps},
        .bodies = dry_body_kernels_at(level),
        .boxes = dry_pair_kernels_at(level),
        .blocks = dry_block_kernels_at(level),
    };
}

#endif
