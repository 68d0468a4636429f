/* The poses where a step begins for the solver.
 *
 * A row's displacement leads from the frame of this pose to where the body is. A body that stays at its rest
 * pose has been displaced from there when the step begins: its contacts' rows and separations, which are
 * those of the rest pose, are the last step's (plan/rest.c). All others begin where they are. */
#ifndef SOLVER_BODIES_START_H
#define SOLVER_BODIES_START_H

#include "solver/data/context.h"
#include "solver/plan/islands.h"

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

#endif
