/* A mesh of triangles by itself: whether it bounds a solid, and that solid's integrals. */
#ifndef GEOMETRY_MESH_H
#define GEOMETRY_MESH_H

#include "core/inertia.h"

#include <drystone/mesh.h>

/* A triangle has no area if its height is below this share of its longest side, and a part of the surface no
 * volume that fills less than this share of its box: doubles of floats are that exact. */
#define DRY_MESH_FLAT_SHARE 1e-12

/* One side of an edge: the triangle that runs along it. */
typedef struct dry_mesh_side {
    int32_t low, high; /* vertices of the edge, the lower number first */
    int32_t triangle;
    bool backward; /* the triangle runs from high to low */
} dry_mesh_side;

/* A solid of density 1. */
typedef struct dry_solid {
    double volume, center[3];
    dry_inertia inertia; /* about the center of mass */
    double spread[3][3]; /* the integral of r r^T about the center of mass, which a scale multiplies */
} dry_solid;

/* Finds the first fault of a mesh. `side` has room for three elements a triangle, `part` for one. */
dry_mesh_fault dry_mesh_find_fault(const dry_mesh *mesh, dry_mesh_side *side, int32_t *part);

/* Integrates over the solid that a sound mesh bounds [CSE169]. */
dry_solid dry_mesh_integrate(const dry_mesh *mesh);

/* Returns the square of a triangle's height over its longest side; 0 if all corners are equal. */
double dry_mesh_thinness(dry_vec3 a, dry_vec3 b, dry_vec3 c);

/* Returns the volume under one triangle: that of the tetrahedron with the point `from`, m^3. It is positive
 * if the triangle faces away from the point. */
double dry_mesh_volume_under(const dry_mesh *mesh, int triangle, dry_vec3 from);

#endif
