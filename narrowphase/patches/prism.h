/* A triangle as a convex solid: a prism below it, which collides as a hull does. Next: prism.c. */
#ifndef NARROWPHASE_PATCHES_PRISM_H
#define NARROWPHASE_PATCHES_PRISM_H

#include "geometry/shape_data.h"
#include "narrowphase/patches/near_triangles.h"

enum { DRY_PRISM_BYTES = 1280, DRY_PRISM_TRIANGLE = 0 /* the face */ };

/* A prism is this much deeper than what meets it is large: no way out leads through the bottom. */
#define DRY_PRISM_DEPTH 4.0f

typedef struct dry_prism {
    dry_shape_data data; /* of a hull; its form is `block` */
    _Alignas(64) char block[DRY_PRISM_BYTES];
} dry_prism;

/* Makes the prism of a triangle, `depth` (m) deep. Its frame is that in which the triangle's corners are. */
void dry_prism_make(dry_prism *prism, const dry_near_triangle *triangle, float depth);

/* Returns it as a shape, which lives as long as the prism. */
dry_geometry dry_prism_geometry(dry_prism *prism);

#endif
