/* Making and unmaking shapes, for shapes.c and bodies.c. */
#ifndef WORLD_SHAPE_MAKE_H
#define WORLD_SHAPE_MAKE_H

#include "world/world.h"

/* What is wrong with a definition, in words; null if nothing. */
const char *dry_shape_def_error(const dry_shape_def *def, dry_body_type body_type);
/* Room for `more` shapes, half-spaces among them, wherever they will be listed. */
bool dry_shape_reserve(dry_world *world, int more, int halfspaces);
/* The rare columns that a shape needs: its pose and its filter, if they are not as by default, and with a
 * pose its body's own frame. Room for the shape and its body must be reserved. */
bool dry_shape_reserve_rare(dry_world *world, const dry_shape_def *def);
/* Makes a shape and appends it to its body's list; neither mass nor broadphase know it yet. */
int dry_shape_make(dry_world *world, int body, const dry_shape_def *def);
/* Takes a detached shape off its body's list and forgets it. */
void dry_shape_unmake(dry_world *world, int shape);

#endif
