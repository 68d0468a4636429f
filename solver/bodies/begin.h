/* The rows of bodies when a step begins, and those of bodies that stop in its midst. */
#ifndef SOLVER_BODIES_BEGIN_H
#define SOLVER_BODIES_BEGIN_H

#include "core/shared.h"
#include "solver/bodies/invalid.h"
#include "solver/data/context.h"
#include "solver/plan/islands.h"

/* Sums over a body's substeps, which exist only while some island floats. */
typedef struct dry_momentum_row {
    float begin[6];         /* u when the step began */
    float force[6];         /* change of u by forces in one substep */
    float angular_force[3]; /* sum of displacement x force, N m s */
} dry_momentum_row;

/* Fills the rows of awake dynamic bodies, for a layout that is done. */
void dry_solver_begin_bodies(dry_solver_step *step);
/* Adds up the moments of the forces on `count` bodies of a tier with floating islands: when a substep begins,
 * but for the first one, before which nothing has moved. */
DRY_SHARED void dry_momentum_gather(const dry_solver_step *step, const int32_t *rows, int count);
/* Stops the bodies of a tier whose motion became invalid since the step began, so that no neighbor sees it.
 */
DRY_SHARED void dry_solver_stop_invalid(dry_solver_step *step, const dry_tier_range *range);
/* Zeroes a row that cannot be integrated, so that no neighbor sees it. */
DRY_SHARED void dry_solver_stop_row(dry_solver_state *state, int row);

/* Calls a function for the rows of a tier's bodies. */
typedef void dry_row_work(const void *context, int row);
DRY_SHARED void dry_over_rows(const dry_solver_step *step, const dry_tier_range *range, dry_row_work *work,
                              const void *context);

/* Notes what is wrong with the motion that a row holds. Returns whether something is, or was noted. The mark
 * makes sure that the body goes: a rotation to another axis could bring its speed below the limit. */
static inline bool dry_solver_is_invalid(const dry_solver_step *step, int row)
{
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    uint8_t *fault = &step->state->bodies.invalid[row];
    float linear = 0.0f, angular = 0.0f;
    for (int k = 0; k < 3; k++) {
        const float v = r->ul[k] * r->inv_sqrt_mass, w = r->ua[k] * r->inv_sqrt_inertia[k];
        linear += v * v;
        angular += w * w;
    }
    *fault = *fault ? *fault : (uint8_t)dry_speeds_fault(linear, angular, &step->bodies->mass[row]);
    return *fault;
}

/* Stops one body whose motion is invalid; joints may push it again. */
static inline void dry_solver_stop_if_invalid(const dry_solver_step *step, int row)
{
    if (dry_solver_is_invalid(step, row))
        dry_solver_stop_row(step->state, row);
}

/* The poses where a step begins for the solver.
 *
 * A row's displacement leads from the frame of this pose to where the body is. A body that stays at its rest
 * pose has been displaced from there when the step begins: its contacts' rows and separations, which are
 * those of the rest pose, are the last step's (plan/rest.c). All others begin where they are. */

/* Tells whether a body of this row stays at its rest pose in this step. */
static inline bool dry_stays(const dry_solver_step *step, int row)
{
    if (!step->islands->staying || row >= step->bodies->awake_count)
        return false;
    const int island = step->bodies->sleep[row].island;
    return island >= 0 && step->islands->island[island].phase == DRY_ISLAND_STAYS;
}

/* Returns the pose of a body whose frame its row is in. */
static inline const dry_body_pose *dry_start_pose(const dry_solver_step *step, int row)
{
    return dry_stays(step, row) ? &step->bodies->rest_pose[row] : &step->bodies->pose[row];
}

/* Bodies that are too light for the loads that go through them count as heavier. (heavier.c) */

/* A member of a dry_method: makes those of some rows heavier through which joints in sweeps pass more load
 * than substeps of h seconds bear. The rows must have begun, and no constraint been prepared. */
void dry_rows_make_heavier(const dry_solver_step *step, const int32_t *rows, int count, float h);
/* Returns how many times as heavy a row is as its body. */
double dry_row_heaviness(const dry_solver_step *step, int row);
/* Returns how many times further an impulse of a joint would part its bodies if no row was heavier. */
float dry_joint_relief(const dry_solver_step *step, int joint);

#endif
