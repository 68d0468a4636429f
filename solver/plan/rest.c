/* Which islands rest, and which settle: their contacts take the lengths of their springs.
 *
 * Stiffness buys depth, and substeps buy stiffness; both are spared where the load is known. A point presses
 * by how far its separation is below its length. When an island settles, each length is chosen such that its
 * point bears, where the bodies are, the impulse that it has (sweeps/contacts/rest.c): that of the last step
 * once all is calm, and that of the static load where bodies were just placed (static_load.c).
 * From then on springs answer for changes alone, and the fewest substeps do. Nothing of the island moves
 * meanwhile, and nothing follows the forces that are measured: an offset that does throws towers [DESIGN 5].
 *
 * Whatever changes a load ends it before the next solve: a contact of the island that begins or ends, a call
 * that wakes a body. So does what the step's end tells: motion, and a load that is another. Then contacts are
 * as stiff again as an island's load asks.
 *
 * Reads islands, their measures, bodies' rest. Writes `rests` and `settles`. Called by difficulty.c. */
#include "solver/plan/rest.h"
#include "solver/constraint/spook.h"
#include "solver/data/context.h"
#include "solver/data/method.h"

/* The factor by which a load may change. */
static const float CHANGED = 1.5f;
/* Contacts at rest are so much softer than sweeps converge on, at 0.155 of the substep rate instead of 0.19:
 * some graphs ring at 0.17. */
static const float SOFTER = 1.5f;

float dry_rest_compliance(const dry_solver_step *step, float converged)
{
    const dry_settings *settings = step->settings;
    const bool may = step->method->rests && settings->warm_start && settings->relax_sweeps > 0 &&
                     !dry_spook_is_given(settings);
    return may ? SOFTER * converged : 0.0f;
}

void dry_rest_rate(const dry_solver_step *step, int index)
{
    dry_island *island = &step->islands->island[index];
    const dry_island_measure *m = &step->islands->measure[index];
    const float bodies = (float)dry_max_int(island->bodies, 1);
    const bool may = step->islands->rest_compliance > 0.0f && island->manifolds > 0 && !island->kinematic &&
                     m->squares <= DRY_MOVING * DRY_MOVING * bodies;
    /* What calls have changed is solved once before it is taken for the load. */
    const bool calm = !m->fresh && !m->disturbed && m->squares <= DRY_CALM * DRY_CALM * bodies;
    island->rests = may && m->resting == island->bodies;
    island->settles = may && !island->rests && (calm || (island->placed && island->joints == 0));
    step->islands->settling |= island->settles;
}

float dry_rest_after(const dry_solver_step *step, int index, bool slow, float load, float measured)
{
    const dry_island *island = &step->islands->island[index];
    if (!slow || !(island->rests || island->settles))
        return 0.0f;
    if (island->settles)
        return step->islands->rest_compliance;
    const bool same = measured <= CHANGED * load && load <= CHANGED * measured;
    return same ? step->islands->measure[index].rest : 0.0f;
}
