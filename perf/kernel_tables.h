/* The kernels of all families at one level. */
#ifndef PERF_KERNEL_TABLES_H
#define PERF_KERNEL_TABLES_H

#include "methods/blocks/kernel_list.h"
#include "methods/contact_kernels.h"
#include "methods/volumes/kernel_list.h"
#include "narrowphase/pairs/kernel_list.h"
#include "solver/bodies/kernel_list.h"
#include "solver/sweeps/contacts/kernel_list.h"
#include "solver/sweeps/joints/kernel_list.h"

typedef struct kernel_tables {
    const char *name;
    const dry_contact_kernels *contacts;
    const dry_rare_contact_kernels *rare_contacts;
    const dry_added_contact_kernels *added_contacts;
    const dry_joint_kernels *joints;
    const dry_rare_joint_kernels *rare_joints;
    const dry_quad_kernels *quads;
    const dry_body_kernels *bodies;
    const dry_box_kernels *boxes;
    const dry_block_kernels *blocks;
} kernel_tables;

static inline kernel_tables kernel_tables_at(dry_level level)
{
    return (kernel_tables){
        .name = dry_level_name(level),
        .contacts = dry_contact_kernels_at(level),
        .rare_contacts = dry_rare_contact_kernels_at(level),
        .added_contacts = dry_added_contact_kernels_at(level),
        .joints = dry_joint_kernels_at(level),
        .rare_joints = dry_rare_joint_kernels_at(level),
        .quads = dry_quad_kernels_at(level),
        .bodies = dry_body_kernels_at(level),
        .boxes = dry_box_kernels_at(level),
        .blocks = dry_block_kernels_at(level),
    };
}

#endif
