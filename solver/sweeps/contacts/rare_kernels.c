/* The kernels of contacts that no default uses, at one level: see kernel_list.h. Compiled once for each rare
 * level. */
#include "solver/sweeps/contacts/kernel_list.h"

#include "solver/sweeps/contacts/prepare_kernel.h"
#include "solver/sweeps/contacts/sweep_kernels.h"

CONTACT_SWEEP(contact_solve_any, .summed = sweep->summed, .position = true, .relaxed = true,
              .spook = sweep->spook, .springs = sweep->springs)
CONTACT_SWEEP(contact_relax_any, .summed = sweep->summed, .position = false, .spook = sweep->spook,
              .springs = sweep->springs)

static void contact_carry(void *bundles, int begin, int end, const dry_sweep *sweep)
{
    contact_carry_sweep(bundles, begin, end, sweep);
}

static void contact_rates(const dry_contact_source *source, dry_contact_bundle *bundle,
                          dry_contact_turning *turning, const dry_prepare *prepare)
{
    for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES)
        prepare_turning(source, turning, bundle, prepare, at);
}

const dry_rare_contact_kernels DRY_LEVEL_TABLE(dry_rare_contact_kernels) = {
#define X(name) .name = name,
    DRY_RARE_CONTACT_SWEEPS(X)
#undef X
        .contact_rates = contact_rates,
};
