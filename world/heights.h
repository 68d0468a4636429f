/* The world around heights of a shape that change. */
#ifndef WORLD_HEIGHTS_H
#define WORLD_HEIGHTS_H

#include "core/bounds.h"

#include <drystone/types.h>

/* Takes up new heights within a box of a height field: `box` holds old and new ones, in the field's frame and
 * without the scale. Contacts near them are looked at anew, and bodies near them wake. */
void dry_shape_heights_changed(dry_world *world, int shape, const dry_box *box);

#endif
