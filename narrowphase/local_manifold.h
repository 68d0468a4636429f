/* The contact points of one pair of shapes, in the first shape's frame, as the collide functions find them.
 */
#ifndef NARROWPHASE_LOCAL_MANIFOLD_H
#define NARROWPHASE_LOCAL_MANIFOLD_H

#include "core/assert.h"
#include "core/math.h"

#include <drystone/types.h>

#include <stdbool.h>

/* The surface points of a and b are position -+ normal * separation / 2. */
typedef struct dry_local_point {
    dry_vec3 position; /* midway between the two surfaces, m */
    float separation;  /* m, negative when the shapes overlap */
    uint32_t feature;  /* names the features that touch; unique within the manifold; stays the same from step
                          to  step while the same features touch */
} dry_local_point;

typedef struct dry_local_manifold {
    dry_vec3 normal;      /* unit, from a to b */
    int count;            /* 0 to 4 */
    bool rolls;           /* the points lie on a curved surface, which rolls on the other */
    float separation_min; /* without points: a lower bound of the distance of the shapes, m; 0 if none is
                             known */
    dry_vec3 lean;        /* set by dry_collide_leaning before the points are found; zero if it is unknown */
    dry_local_point points[4];
} dry_local_manifold;

/* Appends a point. The manifold has fewer than four; the separation is within the margin. */
static inline void dry_local_manifold_add(dry_local_manifold *manifold, dry_vec3 position, float separation,
                                          uint32_t feature)
{
    DRY_ASSERT(manifold->count >= 0 && manifold->count < 4);
    manifold->points[manifold->count++] = (dry_local_point){position, separation, feature};
}

/* Returns the place of a point on the first shape's surface. */
static inline dry_vec3 dry_local_on_a(const dry_local_manifold *manifold, const dry_local_point *point)
{
    return vec3_add_scaled(point->position, -0.5f * point->separation, manifold->normal);
}

/* Returns the place on the first shape's surface of the point that lies deepest: the first of several. */
static inline dry_vec3 dry_local_deepest(const dry_local_manifold *manifold)
{
    int deepest = 0;
    DRY_ASSERT(manifold->count > 0);
    for (int i = 1; i < manifold->count; i++)
        deepest = manifold->points[i].separation < manifold->points[deepest].separation ? i : deepest;
    return dry_local_on_a(manifold, &manifold->points[deepest]);
}

/* Returns the least separation of the points, m; FLT_MAX without points. */
static inline float dry_local_manifold_nearest(const dry_local_manifold *manifold)
{
    float least = FLT_MAX;
    for (int i = 0; i < manifold->count; i++)
        least = dry_min(least, manifold->points[i].separation);
    return least;
}

/* Cuts features to the 16 bits that manifolds have for shapes which need no more. */
static inline void dry_local_manifold_narrow(dry_local_manifold *manifold)
{
    for (int i = 0; i < manifold->count; i++)
        manifold->points[i].feature &= 0xffff;
}

#endif
