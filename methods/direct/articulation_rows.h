/* Articulations beside the solver's rows of their bodies. */
#ifndef METHODS_DIRECT_ARTICULATION_ROWS_H
#define METHODS_DIRECT_ARTICULATION_ROWS_H

#include "solver/bodies/whitening.h"
#include "solver/data/context.h"
#include "solver/plan/islands.h"

/* Returns the tier of an articulation. */
static inline const dry_tier_range *dry_articulation_range(const dry_solver_step *step, int index)
{
    const dry_articulation *articulation = &step->state->articulations.articulation[index];
    return &step->state->plan.ranges[dry_island_range(&step->islands->island[articulation->island])];
}

/* Tells whether nothing else acts within the island of an articulation: it then moves by itself, in double.
 */
static inline bool dry_articulation_is_alone(const dry_solver_step *step, int index)
{
    const dry_articulation *articulation = &step->state->articulations.articulation[index];
    return step->islands->island[articulation->island].solved == DRY_JOINTS_ALONE;
}

/* Tells whether an articulation takes part in the sweeps of a tier; null: of any. */
static inline bool dry_articulation_is_swept(const dry_solver_step *step, const dry_tier_range *range,
                                             int index)
{
    return (!range || dry_articulation_range(step, index) == range) &&
           !dry_articulation_is_alone(step, index);
}

/* Takes a body's velocity and displacement from its row. */
static inline void dry_articulated_read_row(const dry_solver_step *step, dry_articulated_body *body)
{
    const dry_solver_row *r = &step->state->bodies.rows[body->row + 1];
    const dry_whitening w = dry_whitening_of(r, step->bodies->pose[body->row].orientation);
    const double m = (double)w.inv_sqrt_mass;
    const dry_double3 none = {0};
    body->begin.velocity = (dry_double3){m * (double)r->u[0], m * (double)r->u[1], m * (double)r->u[2]};
    body->moved = (dry_double3){m * (double)r->dl[0], m * (double)r->dl[1], m * (double)r->dl[2]};
    body->begin.spin = body->turned = none;
    for (int k = 0; k < 3; k++) {
        const dry_double3 axis = dry_whitening_axis(&w, k);
        body->begin.spin = double3_add_scaled(body->begin.spin, (double)r->u[3 + k], axis);
        body->turned = double3_add_scaled(body->turned, (double)r->da[k], axis);
    }
}

/* Adds to a body's row the impulses that the last solve gave to its parts, and those that contacts and
 * bounded axes gave it, whitened; null: none. Both may be large and nearly opposite: their sum alone is
 * rounded. */
static inline void dry_articulated_write_row(const dry_solver_step *step, const dry_articulated_body *part,
                                             const double *given)
{
    dry_solver_row *r = &step->state->bodies.rows[part->row + 1];
    const dry_whitening w = dry_whitening_of(r, step->bodies->pose[part->row].orientation);
    dry_double3 impulse = {0}, turning = {0};
    for (int i = 0; i < part->parts; i++) {
        impulse = double3_add_scaled(impulse, 1.0, part[i].impulse);
        turning = double3_add_scaled(turning, 1.0, part[i].angular_impulse);
    }
    double change[6];
    dry_whitening_half(&w, 1.0, impulse, turning, change);
    for (int k = 0; k < 6; k++)
        r->u[k] = (float)((double)r->u[k] + (change[k] + (given ? given[k] : 0.0)));
}

#endif
