/* A depth buffer for convex solids, in perspective or along parallel rays (shadow maps).
 *
 * The buffer holds keys that grow towards the viewer: 1/t in perspective, -t for parallel rays, with the
 * distance t along the view axis. On a plane both are linear in the pixel. The surface of a convex solid is
 * therefore the minimum of the keys of its planes that face the viewer. A ray hits the solid if that minimum
 * is at least the maximum of the keys of the planes that face away. Faces, edges and silhouettes need no
 * triangles. */
#ifndef TOOLS_CLI_PICTURE_RASTER_H
#define TOOLS_CLI_PICTURE_RASTER_H

#include "tools/cli/vector.h"
#include "tools/scenes/polytope.h"

typedef enum solid_kind {
    SOLID_BOX,
    SOLID_SPHERE,
    SOLID_CAPSULE,
    SOLID_HALFSPACE,
    SOLID_CYLINDER,
    SOLID_HULL,
    SOLID_TRIANGLE
} solid_kind;

typedef struct solid {
    solid_kind kind;
    vec center;
    vec axis[3]; /* unit, world; a capsule or a cylinder lies along axis[1], a half-space's outward normal is
                    axis[1] */
    double half[3]; /* box: half extents; sphere: radius; capsule, cylinder: radius, half length; hull and
                       triangle: of the box along its axes */
    double radius;  /* of a bounding sphere */
    int body;       /* index in the scene */
    const dry_polytope *polytope; /* hull: x of it lies at origin + the sum of scale[i] x[i] axis[i] */
    vec origin;
    double scale[3];
    vec corner[3]; /* triangle: a thin plate whose front, along axis[1], is that of the triangle */
} solid;

typedef struct raster_view {
    bool perspective;
    int width, height;
    vec forward;           /* unit, the view axis */
    vec origin, direction; /* of the ray through the corner (0, 0) */
    vec dx, dy;            /* step of one pixel: of the direction in perspective, else of the origin */
} raster_view;

typedef struct raster {
    int width, height, tiles_x;
    float *key;
    uint32_t *id;              /* null for a shadow map; 0 for a pixel without a solid */
    float *tile_far;           /* smallest key of a tile when it was looked at */
    unsigned char *tile_stale; /* queries since it was drawn to; 0 if nothing was */
} raster;

typedef struct raster_rect {
    int x0, y0, x1, y1; /* half open */
} raster_rect;

/* Returns a perspective view from `eye`; `scale` is the tangent of half the horizontal angle. */
raster_view raster_view_perspective(vec eye, vec forward, vec right, double scale, int width, int height);
/* Returns a view of parallel rays along `forward`: a square around `center`, `radius` to each side. */
raster_view raster_view_parallel(vec center, double radius, vec forward, int size);

bool raster_create(raster *r, int width, int height, bool with_ids);
void raster_clear(raster *r, bool perspective);
void raster_free(raster *r);

/* Draws `count` solids in the given order; nearest first is fastest. Solid i has the id i + 1. */
void raster_draw(raster *r, const raster_view *view, const solid *solids, const int *order, int count);

/* Returns a point in the frame of a hull's polytope. */
vec raster_hull_point(const solid *s, vec point);

/* Computes the key of a solid's front at pixel position (x, y). Returns false if the ray misses the solid. */
bool raster_solid_key(const raster_view *view, const solid *s, double x, double y, double *key);
raster_rect raster_bounds(const raster_view *view, const solid *s);

/* Sorts the indices of solids, nearest first. Returns false if there is no memory. */
bool raster_sort(const raster_view *view, const solid *solids, int *order, int count);

/* Computes the pixel position of a point and its distance along the view axis. */
void raster_project(const raster_view *view, vec point, double *x, double *y, double *t);
vec raster_ray(const raster_view *view, double x, double y);

#endif
