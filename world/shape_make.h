/* Making and unmaking shapes, for shapes.c and bodies.c. */
#ifndef WORLD_SHAPE_MAKE_H
#define WORLD_SHAPE_MAKE_H

#include "world/world.h"

/* What is wrong with a definition, in words; null if nothing. */
const char *dry_shape_def_error(const dry_shape_def *def, dry_body_type body_type);
/* Room for `more` shapes, half-spaces among them, wherever they will be listed. */
bool dry_shape_reserve(dry_world *world, int more, int halfspaces);
/* Room for what a shape's pose brings its body: a principal frame that may be another than the user's. Room
 * for the body must be reserved. */
bool dry_shape_reserve_frame(dry_world *world, const dry_shape_def *def);
/* Makes a shape and appends it to its body's list; neither mass nor broadphase know it yet. */
int dry_shape_make(dry_world *world, int body, const dry_shape_def *def);
/* Takes a detached shape off its body's list and forgets it. */
void dry_shape_unmake(dry_world *world, int shape);

#endif
