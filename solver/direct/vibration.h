/* The vibration that a joint's force gives to its bodies. */
#ifndef SOLVER_DIRECT_VIBRATION_H
#define SOLVER_DIRECT_VIBRATION_H

struct dry_linkage;

/* Velocity-Verlet follows a vibration while w h < 2; w h = 1 keeps its energy. Sweeps follow w h up to this
 * where contacts alone act on an articulation: contacts take the energy that a vibration gains. Motors hold
 * it up.
 */
#define DRY_VIBRATION_SWEPT 1.5

/* Returns the square of the frequency of the fastest vibration, rad^2/s^2, that the joints' forces give to
 * the bodies of an articulation where a step ends: the forces are the joints' impulses over `time`. Returns
 * any value up to `followed` if that is not above it, and a value within some tenths if it is not above
 * `sure`, which the next step follows whatever else it does. Rows are filled. */
double dry_linkage_vibration(const struct dry_linkage *linkage, double time, double followed, double sure);
/* Returns what the last step has found. */
double dry_linkage_last_vibration(const struct dry_linkage *linkage);

#endif
