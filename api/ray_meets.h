/* Rays that meet one shape. Next: query_rays.c. */
#ifndef API_RAY_MEETS_H
#define API_RAY_MEETS_H

#include "api/query.h"
#include "geometry/triangles.h"

/* A place where a ray meets a shape. */
typedef struct dry_ray_place {
    float fraction;
    dry_vec3 normal; /* world axes */
    dry_query_part part;
} dry_ray_place;

/* Finds where a ray first meets a shape that it asks. Returns false if it does not. */
bool dry_ray_meets(const dry_world *world, const dry_ray *ray, const dry_asked *asked, int shape,
                   dry_ray_place *place);

/* The same in steps, for batches. A ray in the frame of a shape of triangles, in double: vertices far from
 * their origin lose no digits. */
typedef struct dry_seen_ray {
    dry_geometry geometry;
    dry_double3 origin, translation; /* m */
    int sides;                       /* of a dry_mesh_ray */
} dry_seen_ray;

dry_seen_ray dry_ray_see(const dry_world *world, const dry_ray *ray, const dry_asked *asked, int shape);

/* Tells whether a ray starts in the solid that a shape of triangles bounds, and writes the answer then. */
bool dry_ray_starts_inside(const dry_world *world, const dry_ray *ray, int shape, const dry_seen_ray *seen,
                           dry_ray_place *place);

/* Returns the ray as the shape's data see it. */
static inline dry_mesh_ray dry_ray_unscaled(const dry_seen_ray *seen)
{
    return dry_triangles_ray(&seen->geometry, seen->origin, seen->translation, seen->sides);
}

/* Returns the place of a hit on a shape of triangles. */
dry_ray_place dry_ray_place_on(const dry_world *world, int shape, const dry_geometry *geometry,
                               const dry_mesh_hit *hit);

#endif
