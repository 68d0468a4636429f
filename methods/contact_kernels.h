/* Kernels of contacts that this library adds, by level. */
#ifndef METHODS_CONTACT_KERNELS_H
#define METHODS_CONTACT_KERNELS_H

#include "solver/sweeps/contacts/kernel_list.h"

DRY_RARE_TABLES(dry_added_contact_kernels, dry_added_contact_kernels_at)

#endif
