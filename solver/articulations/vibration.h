/* The vibration that a joint's force gives to its bodies. */
#ifndef SOLVER_ARTICULATIONS_VIBRATION_H
#define SOLVER_ARTICULATIONS_VIBRATION_H

struct dry_solver_step;

/* Returns the square of the frequency of the fastest vibration, rad^2/s^2, that a joint's force gives its
 * bodies: under F they turn back with F r for each radian. */
float dry_joint_vibration(const struct dry_solver_step *step, int joint);

#endif
