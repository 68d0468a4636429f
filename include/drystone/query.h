/* SPDX-License-Identifier: MIT
 * Queries: rays and overlaps. A query changes nothing. Any number of threads may make queries between steps,
 * except for the batches at the end. */
#ifndef DRYSTONE_QUERY_H
#define DRYSTONE_QUERY_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The segment from `origin` to origin + translation. The ray meets only shapes whose category has a bit of
 * `mask`. */
typedef struct dry_ray {
    dry_position origin;
    dry_vec3 translation; /**< m, each |component| <= 1e7, not all zero */
    uint64_t mask;
} dry_ray;

/** One shape that a ray meets. */
typedef struct dry_ray_hit {
    dry_shape_id shape; /**< null if the ray met no shape */
    dry_body_id body;
    dry_position point;
    dry_vec3 normal; /**< of the surface, unit; opposite to the ray if the ray starts inside the shape */
    float fraction;  /**< 0 to 1 along the ray; 0 if the ray starts inside the shape */
} dry_ray_hit;

/** Finds the first shape that a ray meets; of equally near ones, the one created first. Error: ARGUMENT. */
DRY_API dry_result dry_world_cast_ray(const dry_world *world, const dry_ray *ray, dry_ray_hit *hit);

/** Finds all shapes that a ray meets, nearest first, equally near ones in creation order. Sets *count to
 * their number and writes the nearest `capacity` of them. Error: ARGUMENT. */
DRY_API dry_result dry_world_cast_ray_all(const dry_world *world, const dry_ray *ray, dry_ray_hit *hits,
                                          int capacity, int *count);

/** A sphere if radius > 0, else a box. The overlap sees only shapes whose category has a bit of `mask`. */
typedef struct dry_overlap {
    dry_pose pose;
    dry_vec3 half_extents; /**< m, each above 0 and <= 1e6; ignored if radius > 0 */
    float radius;          /**< m, 0 to 1e6; 0 for a box */
    uint64_t mask;
} dry_overlap;

/** Finds the shapes that a box or sphere overlaps, in creation order. Sets *count to their number and writes
 * the first `capacity` of them. Error: ARGUMENT. */
DRY_API dry_result dry_world_overlap(const dry_world *world, const dry_overlap *overlap, dry_shape_id *shapes,
                                     int capacity, int *count);

/* Batches. The world's workers share the queries of one call; the results are in the order of the input. Only
 * one thread at a time may call a batch. Errors: ARGUMENT (the log names the index), LOCKED. */

DRY_API dry_result dry_world_cast_rays(dry_world *world, int count, const dry_ray *rays, dry_ray_hit *hits);
/** Writes at most `capacity_each` shapes of query i from shapes[i * capacity_each] on, and their full number
 * to counts[i]. */
DRY_API dry_result dry_world_overlaps(dry_world *world, int count, const dry_overlap *overlaps,
                                      dry_shape_id *shapes, int capacity_each, int *counts);

#ifdef __cplusplus
}
#endif

#endif
