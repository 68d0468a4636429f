/* Which islands rest, and which settle: their contacts take the lengths of their springs.
 *
 * Stiffness buys depth, and substeps buy stiffness; both are spared where the load is known. A point presses
 * by how far its separation is below its length. Where bodies were just placed, each length is chosen such
 * that its point bears, where the bodies are, the impulse of the static load (static_load.c,
 * sweeps/contacts/rest.c). From then on springs answer for changes alone, and the fewest substeps do. Nothing
 * of the island moves meanwhile, and nothing follows the forces that are measured: an offset that does throws
 * towers [DESIGN 5].
 *
 * A call that changes what a body bears ends it before the next solve. So does what the step's end tells:
 * motion, and a load that is another. Then contacts are as stiff again as an island's load asks. An island
 * that calms down keeps that stiffness: a pile of 10,000 that took lengths when it was calm crept by them,
 * and when they ended, what the stiffer springs gave back threw bodies by decimeters a second.
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
    island->rests = may && m->resting == island->bodies;
    island->settles = may && !island->rests && island->placed && island->joints == 0;
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
