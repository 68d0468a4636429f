/* Built-in scenes of heaps of hulls. */
#ifndef TOOLS_SCENES_HEAPS_H
#define TOOLS_SCENES_HEAPS_H

#include "tools/scenes/maker.h"

enum { DRY_HULL_FORMS = 64 };

/* Makes the hull of random points of an ellipsoid with half axes of 0.5 to 0.8 m, and so of about the volume
 * of a cube of 1 m. Each point is a vertex. */
dry_shape_data *dry_draw_hull(maker *m);
/* Drops hulls of any orientation into a bin. */
void dry_make_hulls(maker *m, int size);
/* Drops shapes of all types that move into a bin. */
void dry_make_shapes(maker *m, int size);

#endif
