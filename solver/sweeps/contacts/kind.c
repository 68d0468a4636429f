/* Contacts as a kind of constraint: which kernel serves which settings, and what stages do to bundles. */
#include "solver/sweeps/contacts/kind.h"

#include "solver/constraint/spook.h"
#include "solver/data/contacts/mode.h"
#include "solver/data/context.h"
#include "solver/sweeps/contacts/kernel_list.h"
#include "solver/sweeps/contacts/prepare.h"

bool dry_contacts_are_plain(const dry_settings *settings, bool springs)
{
    return !springs && settings->method.friction == DRY_FRICTION_CONE && !dry_spook_given_as_k(settings) &&
           settings->method.relaxation == 1.0f && !settings->method.relaxation_adaptive;
}

/* Written as the library of methods is loaded. */
static const dry_added_contact_kernels *(*find_added)(dry_level level);

void dry_contact_kernels_add(const dry_added_contact_kernels *(*find)(dry_level level))
{
    DRY_ASSERT(!find_added || find_added == find);
    find_added = find;
}

/* Returns a kernel of the second volume: at turned bodies, or of another model of friction than the cone. */
static dry_sweep_kernel *added_kernel(dry_level level, dry_sweep_kind sweep, bool turned)
{
    DRY_ASSERT(find_added);
    const dry_added_contact_kernels *k = find_added(level);
    switch (sweep) {
    case DRY_SWEEP_WARM:
        return k->contact_warm_turned;
    case DRY_SWEEP_SOLVE:
        return turned ? k->contact_solve_turned : k->contact_solve_model;
    case DRY_SWEEP_RELAX:
        return turned ? k->contact_relax_turned : k->contact_relax_model;
    default:
        return k->contact_exchange;
    }
}

static dry_sweep_kernel *contact_kernel(const dry_constraint_kind *kind, dry_level level,
                                        dry_sweep_kind sweep, dry_update update, const dry_settings *settings,
                                        bool springs)
{
    (void)kind;
    const dry_contact_kernels *k = dry_contact_kernels_at(level);
    const dry_rare_contact_kernels *rare = dry_rare_contact_kernels_at(level);
    const bool turned = update == DRY_UPDATE_TURNED;
    const bool plain = update == DRY_UPDATE_DIRECT && dry_contacts_are_plain(settings, springs);
    if (sweep == DRY_SWEEP_CARRY)
        return rare->contact_carry;
    if (sweep == DRY_SWEEP_WARM && !turned)
        return k->contact_warm;
    if (turned || settings->method.friction != DRY_FRICTION_CONE)
        return added_kernel(level, sweep, turned);
    if (sweep == DRY_SWEEP_SOLVE)
        return plain ? k->contact_solve_cone : rare->contact_solve_any;
    return plain ? k->contact_relax_cone : rare->contact_relax_any;
}

bool dry_contacts_need_cold_blocks(const dry_settings *settings, dry_update update)
{
    return update == DRY_UPDATE_SUMMED || contact_friction_is_box(settings->method.friction) ||
           settings->method.friction == DRY_FRICTION_TWO_PHASE || dry_spook_given_as_k(settings);
}

static int contact_bodies(const dry_solver_step *step, int contact, int body[DRY_CONSTRAINT_BODIES])
{
    body[0] = step->contacts->link[contact].body_a;
    body[1] = step->contacts->link[contact].body_b;
    return 2;
}

static int contact_lanes(const dry_solver_state *state, const dry_constraint_kind *kind, int bundle)
{
    (void)kind;
    return state->sweeps.headers[bundle].lanes;
}

const dry_constraint_kind dry_kind_contact = {
    .index = DRY_KIND_CONTACT,
    .name = "contact",
    .bundle_bytes = sizeof(dry_contact_bundle),
    .kernel = contact_kernel,
    .bodies = contact_bodies,
    .prepare = dry_prepare_contacts,
    .store = dry_store_contacts,
    .lanes = contact_lanes,
};
