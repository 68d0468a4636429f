/* Augmented vertex block descent for rigid bodies [Waterson 6.1-6.2, 7]: bodies of one color at a time, each
 * of which minimizes the substep's potential; then multipliers and penalties follow. Restitution comes before
 * the sweeps, as impacts of a substep. A sweep keeps neither momentum [Waterson 7.53]. */
#include "methods/blocks/blocks.h"
#include "methods/methods.h"
#include "solver/laws/ledger.h"
#include "solver/plan/islands.h"
#include "solver/sweeps/joints/place.h"
#include "state/joint_list.h"
#include "state/settings.h"

#include <math.h>

static const char *avbd_refuses(const dry_settings *s)
{
    const dry_settings standard = dry_settings_default();
    if (s->method.friction != DRY_FRICTION_CONE)
        return "solver avbd has no friction but the cone";
    if (s->contact_stiffness != 0.0f)
        return "solver avbd has rigid contacts: contact_stiffness must be 0";
    if (s->contact_hertz != 0.0f || s->contact_damping_ratio != standard.contact_damping_ratio)
        return "solver avbd has rigid contacts: contact_hertz must be 0, and contact_damping_ratio its "
               "default";
    if (s->method.push_factor != 0.0f)
        return "solver avbd has rigid contacts: push_factor must be 0";
    if (s->method.relaxation != 1.0f || s->method.relaxation_adaptive)
        return "solver avbd takes the whole step of a body: relaxation must be 1, and not adaptive";
    if (s->method.order != DRY_ORDER_COLOR)
        return "solver avbd goes by colors of bodies: order must be color";
    if (s->method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA)
        return "solver avbd minimizes over its own motion: integrator must be Runge-Kutta";
    if (s->joint_solver != DRY_JOINT_SOLVER_ITERATIVE)
        return "solver avbd solves no joints directly: joint_solver must be iterative";
    return NULL;
}

static const char *avbd_refuses_joint(const dry_joint_def *def)
{
    if (def->solver != DRY_JOINT_SOLVER_WORLD && def->solver != DRY_JOINT_SOLVER_ITERATIVE)
        return "solver must be the world's or iterative: solver avbd solves no joints directly";
    if (dry_joint_has(def->type, DRY_JOINT_HAS_CORNERS))
        return "type must not be volume: solver avbd has rows over two bodies";
    if (def->type == DRY_JOINT_TARGET && def->force_max != INFINITY)
        return "force_max must be infinite: solver avbd bounds rows one by one, not the force of three";
    if (def->type == DRY_JOINT_BALL && def->friction > 0.0f)
        return "friction must be 0: solver avbd bounds rows one by one, not the moment of three";
    return NULL;
}

/* All that drives an island is known, what contacts and joints add, too. What one that nothing holds gains of
 * sweeps is taken back, and the energy of every linkage is bounded (laws/ledger.c). */
static bool has_account(const dry_solver_step *step, const dry_island *island)
{
    (void)step;
    return island->joints > 0 ? !island->kinematic : island->floating;
}

static bool avbd_prepare(dry_solver_step *step, dry_memory *memory)
{
    for (int i = 0; i < step->islands->count; i++) {
        dry_island_ledger *m = dry_ledger_account_in(step, i);
        if (m && step->islands->island[i].joints > 0)
            m->gives = true;
    }
    return dry_blocks_prepare(step, memory);
}

const dry_method dry_method_avbd = {
    .each = {6, 1}, /* four substeps of six sweeps bring a load through a tower of ten */
    .refuses = avbd_refuses,
    .refuses_joint = avbd_refuses_joint,
    .no_geometric_stiffness = "solver avbd has geometric stiffness in each body's system, always: "
                              "geometric_stiffness must be false",
    .has_account = has_account,
    .whole_below = DRY_PARTITION_NEVER,
    .springs = &dry_springs_as_substeps,
    .lag = dry_lag_damping,
    .find_total = dry_total_of_last,
    .no_contact_springs = "solver avbd has rigid contacts: contact_stiffness must be 0",
    .prepare = avbd_prepare,
    .joints = &(const dry_method_joints){.begin = dry_blocks_begin_frames},
    .run_substeps = dry_blocks_run,
    .store = dry_blocks_store,
};
