/* SPDX-License-Identifier: MIT
 * Queries: rays, moving shapes, overlaps, contacts at a pose, closest points, points inside. A query changes
 * nothing. Any number of threads may make queries between steps, except for the batches at the end.
 *
 * A query asks the shapes whose category has a bit of `mask`; a mask of 0 stands for all bits. If `body` is
 * not null, it asks that body's shapes alone. It leaves out the bodies of `ignore`, which may name dead
 * bodies or none. Disabled bodies have no shapes for queries. */
#ifndef DRYSTONE_QUERY_H
#define DRYSTONE_QUERY_H

#include <drystone/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The sides from which a query meets triangles. From the front a triangle runs counterclockwise. */
typedef enum dry_triangle_sides {
    DRY_SIDES_OF_SHAPE = 0, /**< fronts, and the backs of a two-sided mesh; of dry_closest_query both */
    DRY_SIDES_FRONT,
    DRY_SIDES_BACK,
    DRY_SIDES_BOTH,
    DRY_SIDES_COUNT
} dry_triangle_sides;

/** The segment from `origin` to origin + translation. */
typedef struct dry_ray {
    dry_position origin;
    dry_vec3 translation;      /**< m, each |component| <= 1e7, not all zero */
    uint64_t mask;             /**< the ray meets only shapes whose category has a bit of it; 0: all */
    dry_body_id body;          /**< the only body that the ray meets; null: any */
    const dry_body_id *ignore; /**< bodies that the ray passes through; may be null if there are none */
    int ignore_count;          /**< 0 or more */
    dry_triangle_sides sides;  /**< from which it meets triangles */
} dry_ray;

/** Returns a ray at the origin that meets all shapes; its translation is 0 and must be set. */
DRY_API dry_ray dry_default_ray(void);

/** One shape that a ray meets. */
typedef struct dry_ray_hit {
    dry_shape_id shape; /**< null if the ray met no shape */
    dry_body_id body;
    uint64_t shape_user_data, body_user_data;
    dry_position point;
    dry_vec3 normal;      /**< of the surface, unit; opposite to the ray if the ray starts inside the shape */
    dry_vec3 face_normal; /**< the same: a ray meets faces */
    float fraction;       /**< 0 to 1 along the ray; 0 if the ray starts inside the shape */
    int child;            /**< the number of the child of a compound; -1 for a shape without children */
    int triangle; /**< the number of the triangle; -1 for a shape without, inside a solid one, or on the sides
                       and the underside of a solid height field */
    dry_vec3 barycentric; /**< the weights of the triangle's corners at the point; their sum is 1; else 0 */
    int back;             /**< 1: the triangle is met from its back */
    int material_index;   /**< of the material in the list of the shape; 0 without a list */
    uint64_t material;    /**< id of that material; 0: none was given */
} dry_ray_hit;

/** Finds the first shape that a ray meets; of equally near ones, the one created first. Errors: ARGUMENT,
 * STALE_ID. */
DRY_API dry_result dry_world_cast_ray(const dry_world *world, const dry_ray *ray, dry_ray_hit *hit);

/** Finds all shapes that a ray meets, nearest first, equally near ones in creation order. Sets *count to
 * their number and writes the nearest `capacity` of them. Errors: ARGUMENT, STALE_ID. */
DRY_API dry_result dry_world_cast_ray_all(const dry_world *world, const dry_ray *ray, dry_ray_hit *hits,
                                          int capacity, int *count);

/** Tells whether a ray meets any shape, with less work than finding the first. Errors: ARGUMENT, STALE_ID. */
DRY_API dry_result dry_world_cast_ray_any(const dry_world *world, const dry_ray *ray, bool *met);

/** A convex shape that moves along a straight way without turning. */
typedef struct dry_cast_query {
    const dry_shape_def *shape; /**< a sphere, capsule, cylinder, box or hull; form, scale and pose count */
    dry_pose pose;              /**< of a body that would have the shape, at the start */
    dry_vec3 translation;       /**< m, each |component| <= 1e7, not all zero */
    uint64_t mask;              /**< meets only shapes whose category has a bit of it; 0: all */
    dry_body_id body;           /**< the only body that it meets; null: any */
    const dry_body_id *ignore;  /**< bodies that it passes through; may be null if there are none */
    int ignore_count;           /**< 0 or more */
    dry_triangle_sides sides;   /**< from which it meets triangles */
} dry_cast_query;

/** Returns a query at the origin that meets all shapes; its shape and its translation must be set. */
DRY_API dry_cast_query dry_default_cast_query(void);

/** One shape that a moving shape meets. */
typedef struct dry_cast_hit {
    dry_shape_id shape; /**< null if it met no shape */
    dry_body_id body;
    uint64_t shape_user_data, body_user_data;
    int child;            /**< the number of the child of a compound; -1 for a shape without children */
    int triangle;         /**< the number of the triangle; -1 for a shape without, or on the sides and the
                               underside of a solid height field */
    dry_vec3 barycentric; /**< the weights of the triangle's corners at the point; their sum is 1; else 0 */
    int back;             /**< 1: the triangle is met from its back */
    uint64_t material;    /**< id of the material there; 0: none was given */
    int material_index;   /**< of that material in the list of the shape; 0 without a list */
    dry_position
        point;       /**< where the shapes touch; the deepest point of the moving shape if it starts inside */
    dry_vec3 normal; /**< unit, from the shape met to the moving one; the shortest way out at the start */
    dry_vec3
        face_normal; /**< unit, of the face that is met: at an edge or a corner the face that looks most
                          against the way; where the shape is round or the point deep inside, the normal */
    float fraction;  /**< 0 to 1 along the way; 0 if it starts inside the shape */
    float depth;     /**< if it starts inside the shape, how far it has to move along the normal, m; else 0 */
} dry_cast_hit;

/** Finds the first shape that a moving shape meets. It starts inside a shape if they overlap by more than
 * 1e-8 of their size. A shape that it touches at the start counts only if it moves towards it. Of shapes met
 * equally soon the deepest comes first, then the one created first. Within a shape the lowest child and
 * triangle win. Errors: ARGUMENT, STALE_ID. */
DRY_API dry_result dry_world_cast_shape(const dry_world *world, const dry_cast_query *query,
                                        dry_cast_hit *hit);
/** Finds all shapes that a moving shape meets, each where it meets it first, in the order above. Sets *count
 * to their number and writes the first `capacity` of them. Errors: ARGUMENT, STALE_ID. */
DRY_API dry_result dry_world_cast_shape_all(const dry_world *world, const dry_cast_query *query,
                                            dry_cast_hit *hits, int capacity, int *count);
/** Tells whether a moving shape meets any shape, with less work than finding the first. Errors: ARGUMENT,
 * STALE_ID. */
DRY_API dry_result dry_world_cast_shape_any(const dry_world *world, const dry_cast_query *query, bool *met);

/** A sphere if radius > 0, else a box. */
typedef struct dry_overlap {
    dry_pose pose;
    dry_vec3 half_extents;     /**< m, each above 0 and <= 1e6; ignored if radius > 0 */
    float radius;              /**< m, 0 to 1e6; 0 for a box */
    uint64_t mask;             /**< sees only shapes whose category has a bit of it; 0: all */
    dry_body_id body;          /**< the only body that it sees; null: any */
    const dry_body_id *ignore; /**< bodies that it does not see; may be null if there are none */
    int ignore_count;          /**< 0 or more */
} dry_overlap;

/** Returns a box with sides of 1 m at the origin that sees all shapes. */
DRY_API dry_overlap dry_default_overlap(void);

/** Finds the shapes that a box or sphere overlaps, in creation order. Sets *count to their number and writes
 * the first `capacity` of them. Errors: ARGUMENT, STALE_ID. */
DRY_API dry_result dry_world_overlap(const dry_world *world, const dry_overlap *overlap, dry_shape_id *shapes,
                                     int capacity, int *count);
/** Tells whether a box or sphere overlaps any shape, with less work than finding all. Errors: ARGUMENT,
 * STALE_ID. */
DRY_API dry_result dry_world_overlap_any(const dry_world *world, const dry_overlap *overlap, bool *met);

/** A convex shape at a pose. */
typedef struct dry_collide_query {
    const dry_shape_def *shape; /**< a sphere, capsule, cylinder, box or hull; form, scale and pose count */
    dry_pose pose;              /**< of a body that would have the shape */
    float margin;               /**< shapes no farther away count, too; m, 0 to 1e6 */
    uint64_t mask;              /**< sees only shapes whose category has a bit of it; 0: all */
    dry_body_id body;           /**< the only body that it sees; null: any */
    const dry_body_id *ignore;  /**< bodies that it does not see; may be null if there are none */
    int ignore_count;           /**< 0 or more */
    dry_triangle_sides sides;   /**< from which it meets triangles */
} dry_collide_query;

/** Returns a query at the origin that sees all shapes, without a margin; its shape must be set. */
DRY_API dry_collide_query dry_default_collide_query(void);

/** One point of a contact. */
typedef struct dry_collide_point {
    dry_position position; /**< on the surface of the shape in the world */
    float separation;      /**< from there along the normal to the query's shape, m; negative inside */
} dry_collide_point;

/** The contact of a convex shape with one shape, or with one child, triangle or other face of a solid height
 * field. */
typedef struct dry_collide_hit {
    dry_shape_id shape;
    dry_body_id body;
    uint64_t shape_user_data, body_user_data;
    int child;            /**< the number of the child of a compound; -1 for a shape without children */
    int triangle;         /**< the number of the triangle; -1 for a shape without, or on the sides and the
                               underside of a solid height field */
    dry_vec3 barycentric; /**< the weights of the triangle's corners at the point; their sum is 1; else 0 */
    int back;             /**< 1: the triangle is met from its back */
    uint64_t material;    /**< id of the material there; 0: none was given */
    int material_index;   /**< of that material in the list of the shape; 0 without a list */
    dry_vec3 normal;      /**< unit, from the shape in the world to the query's, as a step has it */
    float depth; /**< the way along the normal until they only touch, m; negative: they are that far apart */
    int count;   /**< 1 to 4 */
    dry_collide_point points[4];
} dry_collide_hit;

/** Finds the contacts of a convex shape at a pose, one for each shape, child or triangle that it touches, the
 * deepest first; of equally deep ones the one created first, then the lowest child and triangle. Sets *count
 * to their number and writes the first `capacity` of them. Errors: ARGUMENT, STALE_ID. */
DRY_API dry_result dry_world_collide(const dry_world *world, const dry_collide_query *query,
                                     dry_collide_hit *hits, int capacity, int *count);

/** A convex shape or a point, and how far around it. */
typedef struct dry_closest_query {
    const dry_shape_def *shape; /**< as of dry_collide_query; null: the point at pose.position */
    dry_pose pose;              /**< of a body that would have the shape */
    float max_distance;         /**< shapes farther away are left out; m, 0 to 1e7 */
    uint64_t mask;              /**< sees only shapes whose category has a bit of it; 0: all */
    dry_body_id body;           /**< the only body that it sees; null: any */
    const dry_body_id *ignore;  /**< bodies that it does not see; may be null if there are none */
    int ignore_count;           /**< 0 or more */
    dry_triangle_sides sides;   /**< from which it meets triangles */
} dry_closest_query;

/** Returns a query of the point at the origin that sees all shapes within 1e7 m. */
DRY_API dry_closest_query dry_default_closest_query(void);

/** The closest points of a shape in the world and the query's shape. */
typedef struct dry_closest_hit {
    dry_shape_id shape; /**< null if there is no shape within max_distance */
    dry_body_id body;
    uint64_t shape_user_data, body_user_data;
    int child;             /**< the number of the child of a compound; -1 for a shape without children */
    int triangle;          /**< the number of the triangle; -1 for a shape without, or on the sides and the
                                underside of a solid height field */
    dry_vec3 barycentric;  /**< the weights of the triangle's corners at the point; their sum is 1; else 0 */
    int back;              /**< 1: the triangle is met from its back */
    uint64_t material;     /**< id of the material there; 0: none was given */
    int material_index;    /**< of that material in the list of the shape; 0 without a list */
    dry_position point;    /**< on the surface of the shape in the world */
    dry_position on_query; /**< on the surface of the query's shape: point + distance * normal */
    dry_vec3 normal;       /**< unit, from the shape in the world to the query's */
    float distance;        /**< m; negative where they overlap: the least depth, along the normal */
} dry_closest_hit;

/** Finds the shape nearest to a convex shape or a point; of equally near ones, the one created first. Shapes
 * that overlap have negative distances: the deepest is the nearest. Errors: ARGUMENT, STALE_ID. */
DRY_API dry_result dry_world_closest(const dry_world *world, const dry_closest_query *query,
                                     dry_closest_hit *hit);
/** Finds all shapes within max_distance, nearest first, equally near ones in creation order; of a compound
 * its nearest child. Sets *count to their number and writes the first `capacity` of them. Errors: ARGUMENT,
 * STALE_ID. */
DRY_API dry_result dry_world_closest_all(const dry_world *world, const dry_closest_query *query,
                                         dry_closest_hit *hits, int capacity, int *count);

/** A point. */
typedef struct dry_contains_query {
    dry_position point;
    uint64_t mask;             /**< sees only shapes whose category has a bit of it; 0: all */
    dry_body_id body;          /**< the only body that it sees; null: any */
    const dry_body_id *ignore; /**< bodies that it does not see; may be null if there are none */
    int ignore_count;          /**< 0 or more */
} dry_contains_query;

/** Returns a query of the origin that sees all shapes. */
DRY_API dry_contains_query dry_default_contains_query(void);

/** A shape that holds a point. */
typedef struct dry_contains_hit {
    dry_shape_id shape;
    dry_body_id body;
    uint64_t shape_user_data, body_user_data;
    int child; /**< the lowest number of a child that holds the point; -1 for a shape without children */
} dry_contains_hit;

/** Finds the shapes that hold a point, their surfaces included, in creation order. Sets *count to their
 * number and writes the first `capacity` of them. Errors: ARGUMENT, STALE_ID. */
DRY_API dry_result dry_world_contains(const dry_world *world, const dry_contains_query *query,
                                      dry_contains_hit *hits, int capacity, int *count);

/** A triangle of a shape, in the world. */
typedef struct dry_shape_triangle {
    dry_position corners[3]; /**< counterclockwise seen from the front */
    int triangle;            /**< its number */
    int child; /**< the number of the child of a compound that it is of; -1: of the shape itself */
} dry_shape_triangle;

/** Reads the triangles of a mesh, a height field or a compound with such children that touch the box from
 * `low` to `high`, which has the axes of the world: for drawing, and for navigation meshes. Sets *count to
 * their number and writes those with the `capacity` lowest numbers, by rising number of the child and the
 * triangle. Errors: STALE_ID, ARGUMENT (another type of shape, a box that is not finite, is turned over or
 * exceeds 1e9 m). */
DRY_API dry_result dry_shape_get_triangles(const dry_world *world, dry_shape_id id, dry_position low,
                                           dry_position high, dry_shape_triangle *triangles, int capacity,
                                           int *count);

/* Batches. The world's workers share the queries of one call; the results are in the order of the input, with
 * the bits of one call at a time. Only one thread at a time may call a batch. Errors: ARGUMENT and STALE_ID
 * (the log names the index), LOCKED. Calls with `capacity_each` write at most that many answers of query i
 * from [i * capacity_each] on, and their full number to counts[i]. */

DRY_API dry_result dry_world_cast_rays(dry_world *world, int count, const dry_ray *rays, dry_ray_hit *hits);
DRY_API dry_result dry_world_cast_shapes(dry_world *world, int count, const dry_cast_query *queries,
                                         dry_cast_hit *hits);
DRY_API dry_result dry_world_overlaps(dry_world *world, int count, const dry_overlap *overlaps,
                                      dry_shape_id *shapes, int capacity_each, int *counts);
DRY_API dry_result dry_world_collides(dry_world *world, int count, const dry_collide_query *queries,
                                      dry_collide_hit *hits, int capacity_each, int *counts);
DRY_API dry_result dry_world_closests(dry_world *world, int count, const dry_closest_query *queries,
                                      dry_closest_hit *hits);
DRY_API dry_result dry_world_contains_points(dry_world *world, int count, const dry_contains_query *queries,
                                             dry_contains_hit *hits, int capacity_each, int *counts);

#ifdef __cplusplus
}
#endif

#endif
