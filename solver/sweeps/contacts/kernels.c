/* The kernels of contacts at one level: see kernel_list.h. Compiled once for each level. */
#include "solver/sweeps/contacts/kernel_list.h"

#include "solver/sweeps/contacts/prepare_kernel.h"
#include "solver/sweeps/contacts/sweep_kernels.h"

CONTACT_SWEEP(contact_solve_cone, .position = true, .plain_apart = true)
CONTACT_SWEEP(contact_relax_cone, .position = false, .plain_apart = true)

static void contact_warm(void *bundles, int begin, int end, const dry_sweep *sweep)
{
    contact_apply_sweep(bundles, begin, end, sweep, false, false);
}

static void contact_prepare(const dry_contact_source *source, dry_contact_bundle *bundle,
                            dry_contact_cold *cold, dry_contact_speeds *speeds, const dry_prepare *prepare)
{
    for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES)
        prepare_lanes(source, bundle, cold, speeds, prepare, at);
    if (prepare->stream_to)
        prepare_stream(prepare->stream_to, bundle);
}

static void contact_keep(dry_contact_bundle *bundle, dry_lanes friction[3])
{
    for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES)
        keep_lanes(friction, bundle, at);
}

static void contact_turn(const dry_contact_source *source, dry_contact_bundle *bundle, dry_contact_cold *cold,
                         const dry_prepare *prepare)
{
    for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES)
        turn_lanes(source, bundle, cold, prepare, at);
}

const dry_contact_kernels DRY_LEVEL_TABLE(dry_contact_kernels) = {
#define X(name) .name = name,
    DRY_CONTACT_SWEEPS(X)
#undef X
        .contact_prepare = contact_prepare,
    .contact_keep = contact_keep,
    .contact_turn = contact_turn,
};
