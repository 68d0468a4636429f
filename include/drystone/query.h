/* SPDX-License-Identifier: MIT
 * Queries. They change nothing and are safe from any number of threads between steps. */
#ifndef DRYSTONE_QUERY_H
#define DRYSTONE_QUERY_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The segment from `origin` to origin + translation. A shape is seen if its category is in `mask`. */
typedef struct dry_ray {
    dry_position origin;
    dry_vec3 translation; /**< m, |component| <= 1e7, not all zero */
    uint64_t mask;
} dry_ray;

typedef struct dry_ray_hit {
    dry_shape_id shape; /**< null id: nothing was hit */
    dry_body_id body;
    dry_position point;
    dry_vec3 normal; /**< of the surface; against the ray if the ray starts inside */
    float fraction;  /**< 0 to 1 along the ray; 0 if it starts inside */
} dry_ray_hit;

/** The first thing a ray meets; hit->shape is null if nothing. Errors: ARGUMENT. */
DRY_API dry_result dry_world_cast_ray(const dry_world *world, const dry_ray *ray, dry_ray_hit *hit);

/** All that a ray meets, nearest first (ties by creation order). *count is their number, the nearest
 *  `capacity` are written. */
DRY_API dry_result dry_world_cast_ray_all(const dry_world *world, const dry_ray *ray, dry_ray_hit *hits,
                                          int capacity, int *count);

/** A box (half_extents > 0) or, with radius > 0, a sphere. */
typedef struct dry_overlap {
    dry_pose pose;
    dry_vec3 half_extents; /**< m; ignored if radius > 0 */
    float radius;          /**< m; 0 for a box */
    uint64_t mask;
} dry_overlap;

/** Shapes that a box or sphere overlaps, in creation order. *count is their number, at most `capacity` are
 *  written. */
DRY_API dry_result dry_world_overlap(const dry_world *world, const dry_overlap *overlap, dry_shape_id *shapes,
                                     int capacity, int *count);

/* Batches: many at once, on the world's workers, results in the order of the input. They must not be
 * called from several threads at once. */
DRY_API dry_result dry_world_cast_rays(dry_world *world, int count, const dry_ray *rays, dry_ray_hit *hits);
/** Query i writes at most `capacity_each` shapes at shapes[i * capacity_each] and its number at counts[i]. */
DRY_API dry_result dry_world_overlaps(dry_world *world, int count, const dry_overlap *overlaps,
                                      dry_shape_id *shapes, int capacity_each, int *counts);

#ifdef __cplusplus
}
#endif

#endif
