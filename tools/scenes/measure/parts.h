/* Declares what the files of the quality measure share: shapes in the world, in double precision, and the
 * search for pairs that may touch. The measure uses no geometry of the engine.
 *
 * solids.c places shapes -> pairs.c finds those that may touch -> overlap.c measures them, convex.c those
 * with a cylinder or a hull, triangles.c those with a triangle. mass.c has their masses. */
#ifndef TOOLS_SCENES_MEASURE_PARTS_H
#define TOOLS_SCENES_MEASURE_PARTS_H

#include "tools/scenes/polytope.h"
#include "tools/scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two surfaces nearer than this distance, m, count as touching, with a depth of 0. */
#define DRY_QUALITY_GAP 1e-4

/* A convex shape, a child of a compound, or a triangle of a mesh or a height field, in the world. Each is a
 * core, enlarged by a radius: a point, a segment, a box, a cylinder, a polytope, a triangle. A half-space is
 * the points with axis[1] . x <= offset. */
typedef struct dry_solid {
    dry_shape_type type; /* no compound; a triangle is DRY_SHAPE_MESH */
    int body;
    bool dynamic;
    dry_filter filter;
    double density;
    double center[3];
    double axis[3][3];            /* unit axes of the shape in the world; mirrored ones are left-handed */
    double half[3];               /* box: half extents; capsule: half[1] is half the segment's length;
                                     cylinder: its radius, half length and radius; hull: its scale; else 0 */
    double radius;                /* sphere, capsule; else 0 */
    double offset;                /* half-space */
    const dry_polytope *polytope; /* hull; else null */
    double corner[3][3];          /* of a triangle, from the center, counterclockwise on its front */
    bool two_sided;               /* triangle */
    double low[3], high[3];       /* bounds, enlarged by half the gap; unused for half-spaces */
} dry_solid;

/* Returns the number of solids of a shape: 1, or that of a compound's children or of triangles. */
int dry_solids_of(const dry_scene *scene, const dry_shape_def *shape);

/* Computes solid i of a shape of a body with a pose. Body and `dynamic` are left to the caller. */
dry_solid dry_solid_place(const dry_scene *scene, const dry_shape_def *shape, int i, const dry_pose *pose);

/* Writes the point of a solid's core that lies farthest along a direction of any length, relative to the
 * solid's center. Not for half-spaces. */
void dry_solid_support(const dry_solid *solid, const double *direction, double *point);

/* Returns the overlap of two solids, not both half-spaces, m: the distance that separates them. If they are
 * apart, returns minus their distance, or for two boxes that are nearest at vertices minus a lower bound of
 * it. */
double dry_solid_overlap(const dry_solid *a, const dry_solid *b);

/* Returns the same of two cores, at least one of which has a volume, without their radii. Its error is at
 * most 1e-6 of the smaller core's size. */
double dry_convex_overlap(const dry_solid *a, const dry_solid *b);

/* Returns the same of a solid and a triangle; a ball or a capsule below a front is deeper than its radius. */
double dry_triangle_overlap(const dry_solid *solid, const dry_solid *triangle);

/* The mass of a solid: 0 for half-spaces and triangles. */
typedef struct dry_solid_mass {
    double mass, center[3]; /* in the world */
    double second[3][3];    /* the integral of density x y about the center, in the world's axes */
} dry_solid_mass;

dry_solid_mass dry_solid_get_mass(const dry_solid *solid);

typedef void (*dry_solid_pair)(const dry_solid *a, const dry_solid *b, void *user);

/* Calls `pair` once for every two solids of different bodies, at least one of them dynamic, whose bounds
 * overlap. Returns false if there is no memory. */
bool dry_solid_pairs(const dry_solid *solids, int count, dry_solid_pair pair, void *user);

#ifdef __cplusplus
}
#endif

#endif
