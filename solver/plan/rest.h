/* Islands at rest: the springs of their contacts have lengths at which they bear the island's load. */
#ifndef SOLVER_PLAN_REST_H
#define SOLVER_PLAN_REST_H

#include "solver/plan/islands.h"

struct dry_solver_step;

/* Tells whether a load, or what it asks for, is another now. */
static inline bool dry_load_changed(float before, float now)
{
    return !(now <= 1.5f * before && before <= 1.5f * now);
}

/* Tells whether contacts alone hold an island, and take lengths once it is calm. */
bool dry_island_may_settle(const struct dry_solver_step *step, const dry_island *island);
/* Finds which islands rest, settle, or end their rest in this step, and the compliance of those that settle,
 * of the tier `least` or above; where bodies were placed at rest, of `floor` at most. Each tier's sweeps
 * converge on `converged`, s^2. */
void dry_rest_find(const struct dry_solver_step *step, const float *converged, int least, int floor);
/* Returns dry_body_sleep.rest of a body of an island after a step. A rest ends if some body is not slow, or
 * if its load, once `load`, is another now, m/s^2. */
float dry_rest_after(const struct dry_solver_step *step, int island, bool slow, float load, float measured);

#endif
