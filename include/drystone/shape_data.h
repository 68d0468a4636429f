/* SPDX-License-Identifier: MIT
 * Shape data: forms that any number of shapes, worlds and threads share. Data never change. */
#ifndef DRYSTONE_SHAPE_DATA_H
#define DRYSTONE_SHAPE_DATA_H

#include <drystone/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The memory and the log of calls that create shape data, which belong to no world. */
typedef struct dry_data_services {
    dry_allocator allocator; /**< null functions take the C library's; kept until the data are freed */
    dry_log log;             /**< told why a call fails; null writes nowhere */
} dry_data_services;

/** The reason why points have no hull. */
typedef enum dry_hull_fault_kind {
    DRY_HULL_SOUND = 0,
    DRY_HULL_BAD_COUNT,  /**< fewer than one point, or more than 1,000,000 */
    DRY_HULL_BAD_LIMIT,  /**< max_vertices is neither 0 nor 4 to 256 */
    DRY_HULL_BAD_POINT,  /**< a component is not finite, or beyond 1e6 */
    DRY_HULL_FEW_POINTS, /**< fewer than four points */
    DRY_HULL_EQUAL,      /**< all points are within 1e-4 m */
    DRY_HULL_COLLINEAR,  /**< all points are within 1e-4 m of a line */
    DRY_HULL_COPLANAR,   /**< the hull is thinner than 1e-4 m */
} dry_hull_fault_kind;

/** The result of building a hull. */
typedef struct dry_hull_report {
    dry_hull_fault_kind fault;
    int point;           /**< the point of DRY_HULL_BAD_POINT; else -1 */
    int vertices, faces; /**< of the hull; 0 if there is none */
    double cut_m;        /**< the largest distance of a point from the hull, m: what simplification cut off */
} dry_hull_report;

/** Returns a short English reason, never null. */
DRY_API const char *dry_hull_fault_name(dry_hull_fault_kind kind);

/** Creates the convex hull of 1 to 1,000,000 points, m, each |component| <= 1e6. Coplanar faces are merged.
 * `max_vertices` is 4 to 256, or 0 for 256: a hull with more vertices is simplified, and report->cut_m tells
 * by how much. Every point lies in the hull to within 1e-5 of its largest extent and cut_m. The hull does not
 * depend on the order of the points. Its mass is that of dry_mesh_get_mass. `services` and `report` may be
 * null. Errors: ARGUMENT (the report and the log name the fault), MEMORY. */
DRY_API dry_result dry_hull_create(const dry_vec3 *points, int count, int max_vertices,
                                   const dry_data_services *services, dry_shape_data **data,
                                   dry_hull_report *report);

/** Creates a compound: 1 to 65,535 shapes of any type but compounds and half-spaces, each with its pose,
 * which may be `child_count` times as much memory as one. A child keeps its own scale. Its density, surface,
 * filter and user_data must have their defaults: a shape that uses the compound has them for all its
 * children. Data of children are retained. The new data has one reference. `services` may be null. Errors:
 * ARGUMENT (the log names the child), MEMORY. */
DRY_API dry_result dry_compound_create(const dry_shape_def *children, int child_count,
                                       const dry_data_services *services, dry_shape_data **data);

/** Adds a reference, from any thread. */
DRY_API void dry_shape_data_retain(dry_shape_data *data);
/** Drops a reference, from any thread. The last one frees the data. A shape that uses data, and a compound
 * that has them in a child, hold references of their own. Null does nothing. */
DRY_API void dry_shape_data_release(dry_shape_data *data);

/** Returns the type of the shapes that use the data. */
DRY_API dry_shape_type dry_shape_data_type(const dry_shape_data *data);
/** Returns a hash of the contents, the same on every machine. State hashes take it. */
DRY_API uint64_t dry_shape_data_hash(const dry_shape_data *data);
/** Returns the bytes of memory that the data take, without the data of a compound's children. */
DRY_API size_t dry_shape_data_bytes(const dry_shape_data *data);

/** Saves data as bytes, which are the same on every machine. Sets *size to their number; writes them if
 * `capacity` is at least that, else nothing. Error: ARGUMENT (a null pointer). */
DRY_API dry_result dry_shape_data_save(const dry_shape_data *data, void *bytes, size_t capacity,
                                       size_t *size);
/** Makes data of saved bytes, which are checked for every index and number: bytes that are cut short or
 * changed, or those of another version, are refused. The data has one reference. `services` may be null.
 * Errors: ARGUMENT, MEMORY. */
DRY_API dry_result dry_shape_data_load(const void *bytes, size_t size, const dry_data_services *services,
                                       dry_shape_data **data);

#ifdef __cplusplus
}
#endif

#endif
