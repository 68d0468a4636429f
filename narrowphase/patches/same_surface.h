/* The step between surfaces that continue each other. */
#ifndef NARROWPHASE_PATCHES_SAME_SURFACE_H
#define NARROWPHASE_PATCHES_SAME_SURFACE_H

/* Surfaces continue each other within this distance, m. */
#define SAME_SURFACE 1e-3f

#endif
