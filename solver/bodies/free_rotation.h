/* The rotation of bodies on joints that are solved for positions.
 *
 * A substep is an impulse of joints and contacts at the pose in which it begins, and then motion on which
 * nothing acts. The row of such a body is whitened in the principal frame of the substep's beginning
 * (frames.h), where impulses meet the inertia that the body has there: a force across a slender link gives it
 * no spin about its length. Its angular momentum then turns the body as it turns a free one, by the velocity
 * of the substep's middle. From substep to substep rotations are composed: the sum of their vectors would
 * turn a body otherwise than its momentum says, and the joints of balls would feed on the difference. */
#ifndef SOLVER_BODIES_FREE_ROTATION_H
#define SOLVER_BODIES_FREE_ROTATION_H

struct dry_solver_step;
struct dry_tier_range;

/* Takes the rows of a tier, their starts and forces to the frame of the beginning of the next substep. */
void dry_free_rotation_begin(struct dry_solver_step *step, const struct dry_tier_range *range);
/* Finds the rotations of bodies from the step's beginning to the end of a substep of h, by their momenta as
 * they are now. */
void dry_free_rotation_predict(struct dry_solver_step *step, const struct dry_tier_range *range, float h);
/* Turns the bodies there, once their centers have moved. */
void dry_free_rotation_move(struct dry_solver_step *step, const struct dry_tier_range *range, float h);

#endif
