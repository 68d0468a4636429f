/* The kernels of contacts that this library adds, at one level: those of methods that solve for positions,
 * those of other models of friction than the cone, and two-phase friction's exchange of phases. Compiled once
 * for each rare level. */
#include "solver/sweeps/contacts/kernel_list.h"

#include "methods/added_kernels.h"
#include "solver/sweeps/contacts/sweep_kernels.h"

CONTACT_SWEEP(contact_solve_turned, .turned = true, .position = true, .relaxed = true,
              .friction = sweep->friction, .spook = sweep->spook, .springs = sweep->springs)
CONTACT_SWEEP(contact_relax_turned, .turned = true, .position = false, .friction = sweep->friction,
              .spook = sweep->spook, .springs = sweep->springs)

CONTACT_SWEEP(contact_solve_model, .summed = sweep->summed, .position = true, .relaxed = true,
              .friction = sweep->friction, .spook = sweep->spook, .springs = sweep->springs,
              .frictionless = sweep->frictionless)
CONTACT_SWEEP(contact_relax_model, .summed = sweep->summed, .position = false, .friction = sweep->friction,
              .spook = sweep->spook, .springs = sweep->springs, .frictionless = sweep->frictionless)

static void contact_warm_turned(void *bundles, int begin, int end, const dry_sweep *sweep)
{
    contact_apply_sweep(bundles, begin, end, sweep, true, false);
}

static void contact_exchange(void *bundles, int begin, int end, const dry_sweep *sweep)
{
    contact_apply_sweep(bundles, begin, end, sweep, false, true);
}

const dry_added_contact_kernels DRY_LEVEL_TABLE(dry_added_contact_kernels) = {
#define X(name) .name = name,
    DRY_ADDED_CONTACT_SWEEPS(X)
#undef X
};
