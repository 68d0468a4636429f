/* The step between surfaces that continue each other. */
#ifndef NARROWPHASE_SURFACE_SAME_SURFACE_H
#define NARROWPHASE_SURFACE_SAME_SURFACE_H

/* Surfaces continue each other within this distance, m. */
#define SAME_SURFACE 1e-3f
/* A flat or concave edge admits normals that lean by less than this. */
#define LEAN_MOST 1e-3f
/* Planes whose normals have this cosine are one: over 1 m they part by 1 mm. */
#define SAME_PLANE 0.9999995f

#endif
