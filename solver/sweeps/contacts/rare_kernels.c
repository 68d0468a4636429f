/* The kernels of contacts that no default uses, at one level: see kernel_list.h. Compiled once for each rare
 * level. */
#include "solver/sweeps/contacts/kernel_list.h"

#include "solver/sweeps/contacts/sweep_kernels.h"

CONTACT_SWEEP(contact_solve_any, .summed = sweep->summed, .position = true, .relaxed = true,
              .spook = sweep->spook, .springs = sweep->springs)
CONTACT_SWEEP(contact_relax_any, .summed = sweep->summed, .position = false, .spook = sweep->spook,
              .springs = sweep->springs)

static void contact_carry(void *bundles, int begin, int end, const dry_sweep *sweep)
{
    contact_carry_sweep(bundles, begin, end, sweep);
}

const dry_rare_contact_kernels DRY_LEVEL_TABLE(dry_rare_contact_kernels) = {
#define X(name) .name = name,
    DRY_RARE_CONTACT_SWEEPS(X)
#undef X
};
