/* Kernels of contacts and of joints that this library adds, by level. */
#ifndef METHODS_ADDED_KERNELS_H
#define METHODS_ADDED_KERNELS_H

#include "solver/sweeps/contacts/kernel_list.h"
#include "solver/sweeps/joints/kernel_list.h"

DRY_RARE_TABLES(dry_added_contact_kernels, dry_added_contact_kernels_at)
DRY_RARE_TABLES(dry_added_joint_kernels, dry_added_joint_kernels_at)

#endif
