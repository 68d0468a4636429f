/* Keys of the depth buffer (raster.h): planes of a convex solid, and rays against round ones. */
#ifndef TOOLS_CLI_PICTURE_KEYS_H
#define TOOLS_CLI_PICTURE_KEYS_H

#include "tools/cli/picture/raster.h"

typedef struct key_plane {
    double a, b, c; /* key at (x, y) = a + b x + c y */
} key_plane;

enum { PLANES_MAX = 2 * DRY_POLYTOPE_VERTICES_MAX };

/* Large, and for a box almost empty: never cleared as a whole. */
typedef struct convex {
    int front_count, back_count;
    key_plane front[PLANES_MAX], back[PLANES_MAX];
} convex;

/* Computes the planes of a box, a hull or a half-space as a view sees them. */
void raster_make_convex(const raster_view *view, const solid *s, convex *hull);

/* Tells whether a solid has no planes: its keys come from raster_curved_key. */
bool raster_is_curved(const solid *s);
/* Computes the key of a sphere, a capsule or a cylinder at pixel position (x, y). Returns false without one.
 */
bool raster_curved_key(const raster_view *view, const solid *s, double x, double y, double *key);

#endif
