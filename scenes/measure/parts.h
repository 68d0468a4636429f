/* What the files of the quality measure share: shapes placed in the world, in double precision, and the
 * search for pairs that may touch. Nothing here rests on the engine's own geometry. */
#ifndef SCENES_MEASURE_PARTS_H
#define SCENES_MEASURE_PARTS_H

#include "scenes/scenes.h"

/* Two surfaces nearer than this count as touching, with depth 0. */
#define DRY_QUALITY_GAP 1e-4

/* A shape where its body is. Each type is a point, a segment or a box, grown by a radius; a half-space is
 * the points with normal . x <= offset, its normal axis[1]. */
typedef struct dry_solid {
    dry_shape_type type;
    int body;
    bool dynamic;
    dry_filter filter;
    double center[3];
    double axis[3][3];      /* the shape's axes in the world, unit */
    double half[3];         /* box: half extents; capsule: half[1] is half its segment; else 0 */
    double radius;          /* sphere, capsule; else 0 */
    double offset;          /* half-space */
    double low[3], high[3]; /* bounds, grown by half the gap; not for half-spaces */
} dry_solid;

/* Overlap of two solids, not both half-spaces: how far they must be moved apart, or minus a gap that is at
 * most the distance between them (and that distance unless two boxes are nearest at vertices). */
double dry_solid_overlap(const dry_solid *a, const dry_solid *b);

typedef void (*dry_solid_pair)(const dry_solid *a, const dry_solid *b, void *user);

/* Calls `pair` once for every two solids of different bodies, one of them dynamic, whose bounds meet.
 * False if there is no memory. */
bool dry_solid_pairs(const dry_solid *solids, int count, dry_solid_pair pair, void *user);

#endif
