/* A depth buffer for convex solids, seen in perspective or along parallel rays (shadow maps).
 *
 * Depth is kept as a key that is larger where nearer: 1/t in perspective, -t for parallel rays, t being the
 * distance along the view axis. Both are linear in the pixel on a plane. So the surface of a convex
 * solid is min(keys of its planes that face the viewer), and a ray hits where that is no less than
 * max(keys of the planes that face away): faces, edges and silhouettes need no triangles. */
#ifndef CLI_PICTURE_RASTER_H
#define CLI_PICTURE_RASTER_H

#include "cli/vector.h"

typedef enum solid_kind { SOLID_BOX, SOLID_SPHERE, SOLID_CAPSULE, SOLID_HALFSPACE } solid_kind;

typedef struct solid {
    solid_kind kind;
    vec center;
    vec axis[3];    /* unit, world; a capsule lies along axis[1], a half-space's outward normal is axis[1] */
    double half[3]; /* box: half extents; sphere: radius; capsule: radius, half length */
    double radius;  /* of a sphere around it */
    int body;       /* in the scene */
} solid;

typedef struct raster_view {
    bool perspective;
    int width, height;
    vec forward;           /* unit, the view axis */
    vec origin, direction; /* of the ray through the corner (0, 0) */
    vec dx, dy;            /* what a pixel adds: to the direction in perspective, else to the origin */
} raster_view;

typedef struct raster {
    int width, height, tiles_x;
    float *key;
    uint32_t *id;    /* null for a shadow map; 0 where nothing was drawn */
    float *tile_far; /* least key in a tile, if not stale */
    bool *tile_stale;
} raster;

typedef struct raster_rect {
    int x0, y0, x1, y1; /* half open */
} raster_rect;

/* Perspective from `eye`; `scale` is the tangent of half the horizontal angle. */
raster_view raster_view_perspective(vec eye, vec forward, vec right, double scale, int width, int height);
/* Parallel rays along `forward`: a square around `center`, `radius` to each side. */
raster_view raster_view_parallel(vec center, double radius, vec forward, int size);

bool raster_create(raster *r, int width, int height, bool with_ids);
void raster_clear(raster *r, bool perspective);
void raster_free(raster *r);

/* Draws `count` solids, listed by `order` (nearest first is fastest). Solid i gets the id i + 1. */
void raster_draw(raster *r, const raster_view *view, const solid *solids, const int *order, int count);

/* The key at which a solid's front is met at pixel position (x, y); false if it is missed. */
bool raster_solid_key(const raster_view *view, const solid *s, double x, double y, double *key);
raster_rect raster_bounds(const raster_view *view, const solid *s);

/* Sorts indices nearest first. */
bool raster_sort(const raster_view *view, const solid *solids, int *order, int count);

/* The pixel position of a point and its distance along the view axis. */
void raster_project(const raster_view *view, vec point, double *x, double *y, double *t);
vec raster_ray(const raster_view *view, double x, double y);

#endif
