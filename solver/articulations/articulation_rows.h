/* Articulations beside the solver's rows of their bodies. */
#ifndef SOLVER_ARTICULATIONS_ARTICULATION_ROWS_H
#define SOLVER_ARTICULATIONS_ARTICULATION_ROWS_H

#include "solver/context.h"

/* Returns the tier of an articulation. */
static inline const dry_tier_range *dry_articulation_range(const dry_solver_step *step, int index)
{
    const dry_articulation *articulation = &step->state->articulations.articulation[index];
    return &step->state->ranges[step->islands->island[articulation->island].tier];
}

/* Tells whether nothing else acts within the island of an articulation: it then moves by itself, in double.
 */
static inline bool dry_articulation_is_alone(const dry_solver_step *step, int index)
{
    const dry_articulation *articulation = &step->state->articulations.articulation[index];
    return step->islands->island[articulation->island].alone;
}

/* Takes a body's velocity and displacement from its row; the velocity from when the substep began, if asked
 * to. */
static inline void dry_articulated_read_row(const dry_solver_step *step, dry_articulated_body *body,
                                            bool from_start)
{
    const dry_solver_row *r = &step->state->rows[body->row + 1];
    const dry_whitening w = dry_whitening_of(r, step->bodies->pose[body->row].orientation);
    const double m = (double)w.inv_sqrt_mass;
    const dry_double3 none = {0};
    const float *u = from_start ? step->state->start[body->row].u : r->u;
    body->begin.velocity = (dry_double3){m * (double)u[0], m * (double)u[1], m * (double)u[2]};
    body->moved = (dry_double3){m * (double)r->dl[0], m * (double)r->dl[1], m * (double)r->dl[2]};
    body->begin.spin = body->turned = none;
    for (int k = 0; k < 3; k++) {
        const dry_double3 axis = {(double)w.axes[k][0], (double)w.axes[k][1], (double)w.axes[k][2]};
        body->begin.spin = double3_add_scaled(body->begin.spin, (double)u[3 + k], axis);
        body->turned = double3_add_scaled(body->turned, (double)r->da[k], axis);
    }
}

/* Adds the impulses of the last solve to a body's row. */
static inline void dry_articulated_write_row(const dry_solver_step *step, const dry_articulated_body *body)
{
    dry_solver_row *r = &step->state->rows[body->row + 1];
    const dry_whitening w = dry_whitening_of(r, step->bodies->pose[body->row].orientation);
    const double linear[3] = {body->impulse.x, body->impulse.y, body->impulse.z};
    for (int k = 0; k < 3; k++) {
        const dry_double3 axis = {(double)w.axes[k][0], (double)w.axes[k][1], (double)w.axes[k][2]};
        r->ul[k] = (float)((double)r->ul[k] + (double)w.inv_sqrt_mass * linear[k]);
        r->ua[k] = (float)((double)r->ua[k] + double3_dot(axis, body->angular_impulse));
    }
}

#endif
