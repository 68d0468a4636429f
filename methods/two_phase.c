/* Two-phase friction [Spook p. 9]: before its other sweeps a substep is solved without friction, from the
 * motion that the bodies would have without its impulses; then it goes back to the motion with them. The
 * normal impulses that this leaves in the cold blocks limit friction in the other sweeps. */
#include "solver/data/method.h"
#include "solver/sweeps/passes.h"

static bool acts(const dry_solver_step *step, const dry_tier_range *range)
{
    const dry_bundle_range contacts = dry_tier_bundles(step->state, range, DRY_KIND_CONTACT);
    return step->settings->method.friction == DRY_FRICTION_TWO_PHASE && contacts.begin < contacts.end;
}

/* Springs push as they are compressed. Contacts given as a frequency stand for rigid ones: their impulses are
 * found without the position term, so that shapes which are pushed apart do not rub harder meanwhile. */
static void solve_without_friction(dry_substeps *run)
{
    const dry_sweep_kernels exchange = dry_choose_kernels(run->step, DRY_SWEEP_EXCHANGE);
    if (run->step->settings->method.order != DRY_ORDER_COLOR)
        dry_pass_set_order(run->step, &run->sweep, DRY_SWEEP_SOLVE, run->index * run->schedule.solve_sweeps);
    run->sweep.frictionless = true;
    dry_substeps_sweep(run, DRY_SWEEP_EXCHANGE, &exchange);
    const dry_sweep_kind kind = run->sweep.spook ? DRY_SWEEP_SOLVE : DRY_SWEEP_RELAX;
    for (int i = 0; i < run->schedule.solve_sweeps; i++)
        dry_substeps_sweep(run, kind, &run->kernels->sweep[kind]);
    dry_substeps_sweep(run, DRY_SWEEP_EXCHANGE, &exchange);
    run->sweep.frictionless = false;
}

const dry_solver_part dry_part_two_phase = {.acts = acts, .start = solve_without_friction};
