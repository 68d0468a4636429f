/* Built-in scenes of meshes, height fields and other floors. */
#ifndef TOOLS_SCENES_GROUNDS_H
#define TOOLS_SCENES_GROUNDS_H

#include "tools/scenes/maker.h"

/* Drops hulls onto wavy ground, a mesh. */
void dry_make_terrain(maker *m, int size);
/* Drops the same hulls onto the same ground as a height field. */
void dry_make_field(maker *m, int size);
/* Lets a body of each convex type slide without friction over a floor, which the size names: 1 a half-space,
 * 2 a mesh at random, 3 needles, 4 boxes, 5 height fields, 6 hulls. */
void dry_make_slide(maker *m, int size);

#endif
