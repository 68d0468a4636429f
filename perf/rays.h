/* The common part of the ways to cast rays. Next: rays.c. */
#ifndef PERF_RAYS_H
#define PERF_RAYS_H

#include <drystone/drystone.h>

/* A way to cast rays at one mesh, one thread. */
typedef struct ray_way {
    const char *name;
    /* Makes what the rays meet. Returns false if that fails. */
    bool (*make)(const dry_mesh *mesh);
    /* Casts rays; writes each one's fraction, or 2 where it meets nothing. */
    void (*cast)(const dry_ray *rays, int count, float *fractions);
    void (*end)(void);
} ray_way;

#ifdef HAVE_EMBREE
extern const ray_way embree_rays, embree_packets;
#endif

#endif
