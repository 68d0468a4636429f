/* Built-in scenes of heaps of hulls. */
#ifndef SCENES_HEAPS_H
#define SCENES_HEAPS_H

#include "scenes/maker.h"

/* Drops hulls of any orientation into a bin. */
void dry_make_hulls(maker *m, int size);
/* Drops shapes of all types that move into a bin. */
void dry_make_shapes(maker *m, int size);

#endif
