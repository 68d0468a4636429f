/* The vibration that a joint's force gives to its bodies. */
#ifndef SOLVER_ARTICULATIONS_VIBRATION_H
#define SOLVER_ARTICULATIONS_VIBRATION_H

struct dry_linkage;

/* Returns the square of the frequency of the fastest vibration, rad^2/s^2, that the joints' forces give to
 * the bodies of an articulation where a step ends: the forces are the joints' impulses over `time`. Returns a
 * bound if that is not above `followed`. Rows are filled. */
double dry_linkage_vibration(const struct dry_linkage *linkage, double time, double followed);

#endif
