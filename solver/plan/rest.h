/* Islands at rest: the springs of their contacts have lengths at which they bear the island's load. */
#ifndef SOLVER_PLAN_REST_H
#define SOLVER_PLAN_REST_H

#include "solver/plan/islands.h"

struct dry_solver_step;

/* The root of the mean square of the speeds of an island's bodies, m/s, above which it goes somewhere, and
 * does not rest. */
#define DRY_MOVING 0.1f

/* Returns the compliance of islands at rest, s^2, where the fewest substeps converge on `converged`; 0 if
 * settings and solver let no island rest. */
float dry_rest_compliance(const struct dry_solver_step *step, float converged);
/* Finds whether an island rests or settles in this step; its measure is that of its bodies. */
void dry_rest_rate(const struct dry_solver_step *step, int island);
/* Returns dry_body_sleep.rest of a body of an island after a step: 0 if the island has no lengths, or if the
 * body is not slow, or if its load, once `load`, is another now, m/s^2. */
float dry_rest_after(const struct dry_solver_step *step, int island, bool slow, float load, float measured);

#endif
