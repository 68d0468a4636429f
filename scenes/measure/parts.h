/* Declares what the files of the quality measure share: shapes in the world, in double precision, and the
 * search for pairs that may touch. The measure uses no geometry of the engine. */
#ifndef SCENES_MEASURE_PARTS_H
#define SCENES_MEASURE_PARTS_H

#include "scenes/scenes.h"

/* Two surfaces nearer than this distance, m, count as touching, with a depth of 0. */
#define DRY_QUALITY_GAP 1e-4

/* A shape in the world. Each type is a point, a segment or a box, enlarged by a radius. A half-space is the
 * points with axis[1] . x <= offset. */
typedef struct dry_solid {
    dry_shape_type type;
    int body;
    bool dynamic;
    dry_filter filter;
    double center[3];
    double axis[3][3];      /* unit axes of the shape in the world */
    double half[3];         /* box: half extents; capsule: half[1] is half the segment's length; else 0 */
    double radius;          /* sphere, capsule; else 0 */
    double offset;          /* half-space */
    double low[3], high[3]; /* bounds, enlarged by half the gap; unused for half-spaces */
} dry_solid;

/* Returns the overlap of two solids, not both half-spaces, m: the distance that separates them. If they are
 * apart, returns minus their distance, or for two boxes that are nearest at vertices minus a lower bound of
 * it. */
double dry_solid_overlap(const dry_solid *a, const dry_solid *b);

/* Returns the mass of a shape and computes its principal moments, along the shape's axes. */
double dry_solid_mass(const dry_shape_def *shape, double *moments);

typedef void (*dry_solid_pair)(const dry_solid *a, const dry_solid *b, void *user);

/* Calls `pair` once for every two solids of different bodies, at least one of them dynamic, whose bounds
 * overlap. Returns false if there is no memory. */
bool dry_solid_pairs(const dry_solid *solids, int count, dry_solid_pair pair, void *user);

#endif
