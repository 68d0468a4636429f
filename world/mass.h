/* Mass properties of bodies: from their shapes or as given, put into the columns. */
#ifndef WORLD_MASS_H
#define WORLD_MASS_H

#include <drystone/body.h>

/* Reserves room for the frame that such a mass gives a body. Returns false if memory fails. For a
 * mass that shapes decide, dry_shape_reserve_rare reserves it: shapes at the body's origin, with axes along
 * its own, leave the principal frame equal to the user's. */
bool dry_mass_reserve(dry_world *world, const dry_mass *mass);
/* Gives a body its mass properties: principal axes, inner pose, places of shapes and joints, anchors, bounds.
 */
void dry_mass_apply(dry_world *world, int slot, const dry_mass *mass);
/* Recomputes a body's mass after a change of its shapes, unless the mass was given. */
void dry_mass_refresh(dry_world *world, int slot);
/* Returns a body's mass properties; all 0 except the center if the body is not dynamic. */
dry_mass dry_mass_of(const dry_world *world, int slot);
/* Returns what is wrong with a mass, in words; null if nothing is. */
const char *dry_mass_error(const dry_mass *mass);

#endif
