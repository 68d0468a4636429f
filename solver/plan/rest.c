/* Which islands rest, and which settle: their contacts take the lengths of their springs.
 *
 * Stiffness buys depth, and substeps buy stiffness; both are spared where the load is known. A point presses
 * by how far its separation is below its length. When an island settles, each length is chosen such that its
 * point bears, where the bodies are, the impulse that it has (sweeps/contacts/rest.c): that of the last step
 * once all is calm, and that of the static load where bodies were just placed (static_load.c).
 * From then on springs answer for changes alone, and few substeps do. Nothing of the island moves meanwhile,
 * and nothing follows the forces that are measured: an offset that does throws towers [DESIGN 5].
 * Points come up to where they touch before that, however they came there, if each body stands on one other
 * or if loads are beyond what stiffness bears. A heap would be lifted by it, and what is squeezed pressed
 * harder.
 *
 * A call that changes what a body bears ends it before the next solve. So does what the step's end tells:
 * motion, and a load that is another. Then contacts are as stiff again as an island's load asks. A point that
 * is deeper than its load asks for then keeps a length by which it stays there, and comes up slowly.
 *
 * An island that rests by contacts alone stays in the frames of its rest poses: bodies/begin.h.
 *
 * A body that is pressed between springs buckles if they are too soft for the press, as a stack does. So the
 * largest load decides how soft they may be.
 *
 * Reads islands, their measures, bodies' rest, impulses. Writes phases and the compliance `rest`. Called by
 * difficulty.c. */
#include "solver/plan/islands.h"

#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/data/terms.h"
#include "solver/plan/difficulty.h"

#include <float.h>

/* Contacts at rest are so much softer than sweeps converge on, at 0.155 of the substep rate instead of 0.19:
 * some graphs ring at 0.17. */
static const float SOFTER = 1.5f;
/* The largest way by which a loaded point would give way without its length, as a share of its body's radius.
 * In piles bodies buckle at 1/68. */
static const float GIVES_WAY = 1.0f / 128.0f;
/* Lengths that are left when a rest has ended go within this, s. Until then the island does not settle. */
static const float FADE = 2.0f;

bool dry_island_may_settle(const dry_solver_step *step, const dry_island *island)
{
    return island->joints == 0 && island->manifolds > 0 && !island->kinematic && step->method->may_rest &&
           step->method->may_rest(step->settings);
}

/* Returns an island's phase; `held`: it stays where it rests. What swings is calm for a step as it turns. */
static dry_island_phase next_phase(const dry_island *island, dry_island_phase before, bool may_rest,
                                   bool calm, bool held, float dt)
{
    const bool risen = before == DRY_ISLAND_RISES ? island->rated.rest == DRY_REST_RISEN : !island->rises;
    dry_island_phase next = before;
    if (before == DRY_ISLAND_RESTS)
        next = !may_rest ? DRY_ISLAND_ENDS : held ? DRY_ISLAND_STAYS : DRY_ISLAND_RESTS;
    else if (may_rest && island->placed == DRY_PLACED)
        next = DRY_ISLAND_SETTLES;
    else if (may_rest && calm && before & (DRY_ISLAND_MOVES | DRY_ISLAND_RISES))
        next = risen ? DRY_ISLAND_SETTLES : DRY_ISLAND_RISES;
    else if (before == DRY_ISLAND_RISES && (!may_rest || island->rated.rest == DRY_REST_RISES - dt))
        next = DRY_ISLAND_ENDS;
    DRY_ASSERT(dry_phase_leads_to(before, next));
    return next;
}

/* Finds the phase of an island, and what is left of its lengths. */
static void find_phase(const dry_solver_step *step, int index, float beyond)
{
    dry_islands *islands = step->islands;
    dry_island *island = &islands->island[index];
    const dry_island_measure *m = &islands->measure[index];
    const bool stayed = island->phase == DRY_ISLAND_STAYS,
               turns = dry_turns(m->spin, 1.0f, DRY_MIDDLE_ANGLE, step->dt);
    islands->turning |= turns && island->manifolds > 0;
    /* The phase that its bodies remember. Where some rest, it has come together. */
    const dry_island_phase before = m->resting == island->bodies ? dry_phase_of_rest(island->rated.rest)
                                    : m->resting > 0             ? DRY_ISLAND_ENDS
                                                                 : dry_phase_of_rest(-island->rated.fading);
    island->before = before;
    island->phase = DRY_ISLAND_MOVES;
    island->deep = false;
    island->rises =
        island->bodies > 1 && dry_island_may_settle(step, island) &&
        (island->manifolds <= island->bodies || (2 * m->heavy >= island->bodies && m->load > beyond));
    if (island->manifolds == 0 && before == DRY_ISLAND_MOVES) /* as most islands are that do nothing */
        return;
    island->phase = next_phase(island, before,
                               dry_island_may_settle(step, island) && !dry_moves(m->squares, island->bodies),
                               !m->fresh && dry_is_calm(m->squares, island->bodies),
                               !island->floating && !turns && step->settings->levers == DRY_LEVERS_HELD &&
                                   step->settings->method.integrator == DRY_INTEGRATOR_RUNGE_KUTTA,
                               step->dt);
    island->goes_on = !island->rises && island->phase != DRY_ISLAND_RISES;
    islands->staying += island->phase == DRY_ISLAND_STAYS ? island->bodies : 0;
    islands->leaving |= stayed && island->phase != DRY_ISLAND_STAYS;
    islands->phases |= island->phase;
    if (island->phase & (DRY_ISLAND_ENDS | DRY_ISLAND_FADES)) {
        const float share = island->phase == DRY_ISLAND_ENDS ? 1.0f : island->rated.fading;
        island->rated.left = dry_max(share - step->dt / FADE, 0.0f);
    }
}

/* Finds what presses in islands that settle. */
static void measure_presses(const dry_solver_step *step)
{
    const dry_islands *islands = step->islands;
    const dry_bodies *bodies = step->bodies;
    for (int i = 0; i < islands->edge_count; i++) {
        const dry_edge *edge = &islands->edge[i];
        const int32_t row[2] = {edge->row_a, edge->row_b};
        const int island = bodies->sleep[row[0] >= 0 ? row[0] : row[1]].island;
        const dry_manifold *m = &step->contacts->manifold[edge->contact];
        const float substep = dry_abs(m->substep);
        if (islands->island[island].phase != DRY_ISLAND_SETTLES || substep == 0.0f)
            continue;
        float inverse_mass = 0.0f, radius = FLT_MAX, impulse = 0.0f;
        for (int side = 0; side < 2; side++)
            if (row[side] >= 0) {
                inverse_mass += bodies->mass[row[side]].inverse_mass;
                radius = dry_min(radius, bodies->state[row[side]].radius);
            }
        for (int k = 0; k < 4; k++)
            impulse = dry_max(impulse, m->impulse[k]);
        float *press = &islands->measure[island].press;
        *press = dry_max(*press, impulse * inverse_mass / (substep * dry_max(radius, FLT_MIN)));
    }
}

void dry_rest_find(const dry_solver_step *step, const float *converged, int least, int floor, float beyond)
{
    dry_islands *islands = step->islands;
    islands->leaving = islands->turning = false;
    islands->staying = islands->phases = 0;
    for (int i = 0; i < islands->count; i++)
        find_phase(step, i, beyond);
    if (!(islands->phases & DRY_ISLAND_SETTLES))
        return;
    measure_presses(step);
    for (int i = 0; i < islands->count; i++) {
        const dry_island_measure *m = &islands->measure[i];
        dry_island *island = &islands->island[i];
        if (island->phase != DRY_ISLAND_SETTLES)
            continue;
        int tier = least;
        while ((island->placed != DRY_PLACED || tier < floor) && tier < DRY_TIER_COUNT - 1 &&
               SOFTER * converged[tier] * m->press > GIVES_WAY)
            tier++;
        island->rated.rest = SOFTER * converged[tier];
    }
}

float dry_rest_after(const dry_solver_step *step, int index, bool slow, float load, float measured)
{
    const dry_island *island = &step->islands->island[index];
    const dry_island_rating *rated = &island->rated;
    float rest = rated->left > 0.0f && island->goes_on ? -rated->left : 0.0f;
    if (island->phase & (DRY_ISLAND_SETTLES | DRY_ISLAND_RESTS | DRY_ISLAND_STAYS)) {
        const bool same = island->phase == DRY_ISLAND_SETTLES || !dry_load_changed(load, measured);
        rest = slow && same ? rated->rest : DRY_REST_ENDS;
    }
    if (island->phase == DRY_ISLAND_RISES)
        rest = !slow              ? DRY_REST_ENDS
               : !island->goes_on ? DRY_REST_RISEN
                                  : dry_min(rated->rest, DRY_REST_RISES) - step->dt;
    DRY_ASSERT(dry_phase_leads_to(island->phase, dry_phase_of_rest(rest)));
    return rest;
}
