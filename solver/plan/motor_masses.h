/* The masses that motors to a position move. */
#ifndef SOLVER_PLAN_MOTOR_MASSES_H
#define SOLVER_PLAN_MOTOR_MASSES_H

#include "core/scratch.h"
#include "solver/data/context.h"

/* Sweeps converge on a chain of springs while their own frequency times the substep is below this: 40 springs
 * that hang at rest stay there at 0.75, and swing by themselves at 0.93. */
#define DRY_SPRING_ANGLE 0.65f

/* The masses that a joint's motors move. */
typedef struct dry_motor_masses {
    float mass[DRY_AXIS_COUNT]; /* along each axis, kg or kg m^2; 0: that of the joint's two bodies */
    float rate;                 /* of the substeps that they ask for, 1/s */
} dry_motor_masses;

/* Finds these masses for the active joints that have such motors. Returns false if memory fails. */
bool dry_find_motor_masses(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);

/* Returns those of an active joint; null if it has no such motor. */
static inline const dry_motor_masses *dry_motor_masses_of(const dry_solver_step *step, int joint)
{
    const dry_joint *of = &step->joints->joint[joint];
    return of->flags & DRY_JOINT_SERVO ? &step->state->plan.motors[of->active] : NULL;
}

#endif
