/* SPDX-License-Identifier: MIT
 * Shape data: forms that any number of shapes, worlds and threads share. Data never change. */
#ifndef DRYSTONE_SHAPE_DATA_H
#define DRYSTONE_SHAPE_DATA_H

#include <drystone/mesh.h>
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
    double flat_m;       /**< the largest distance by which a vertex moved, m, as sides that were nearly flat
                              became flat */
} dry_hull_report;

/** Returns a short English reason, never null. */
DRY_API const char *dry_hull_fault_name(dry_hull_fault_kind kind);

/** Creates the convex hull of 1 to 1,000,000 points, m, each |component| <= 1e6. Coplanar faces are merged.
 * A side that is flat to within 1 % of the hull's thickness, as a scan of a flat one is, becomes flat.
 * `max_vertices` is 4 to 256, or 0 for 256: a hull with more vertices is simplified, and report->cut_m tells
 * by how much. Every point lies in the hull to within 1e-5 of its largest extent, cut_m and flat_m. The hull
 * does not depend on the order of the points. Its mass is that of dry_mesh_get_mass. `services` and `report`
 * may be null. Errors: ARGUMENT (the report and the log name the fault), MEMORY. */
DRY_API dry_result dry_hull_create(const dry_vec3 *points, int count, int max_vertices,
                                   const dry_data_services *services, dry_shape_data **data,
                                   dry_hull_report *report);

/** The way in which the triangles of a mesh collide. */
typedef struct dry_mesh_options {
    bool two_sided; /**< triangles collide and meet rays on their backs, too; false */
    bool solid;     /**< the mesh bounds a solid: it is closed, and its triangles run counterclockwise as seen
                       from outside; false */
    const uint16_t *material_indices; /**< one for each triangle, copied; null: 0 for all */
} dry_mesh_options;

/** The reason why triangles make no shape. */
typedef enum dry_mesh_error {
    DRY_MESH_BUILT = 0,
    DRY_MESH_NO_MEMORY,
    DRY_MESH_BAD_COUNT,      /**< no triangle, or more than 16,777,216; a negative count of vertices */
    DRY_MESH_BAD_INDEX,      /**< `element`: a triangle with a corner that has no vertex */
    DRY_MESH_BAD_POSITION,   /**< `element`: a vertex that is not finite, or beyond 1e6 m */
    DRY_MESH_ALL_DEGENERATE, /**< no triangle has an area */
    DRY_MESH_NOT_CLOSED,     /**< of a solid; `element`: a triangle, `edge`: its open edge */
    DRY_MESH_NOT_ORIENTED,   /**< of a solid; `element`: a triangle, `edge`: its flipped edge */
    DRY_MESH_FACES_INWARD,   /**< of a solid: its volume is not positive */
} dry_mesh_error;

/** The faults of a mesh. Edges match by position. Degenerate triangles count as neighbors, duplicate ones do
 * not. Neither collides; all other triangles do. */
typedef struct dry_mesh_report {
    dry_mesh_error error;
    int element, edge[2]; /**< where; -1 if nowhere. `edge` holds two vertices */
    int degenerate;       /**< triangles without area */
    int duplicate;        /**< triangles with the positions and the winding of one before them */
    int needles;          /**< triangles whose least height is below a hundredth of their longest side */
    int open_edges;       /**< edges of one triangle */
    int crowded_edges;    /**< edges of three triangles and more */
    int flipped_edges;    /**< edges along which two triangles run in the same direction */
} dry_mesh_report;

/** Returns a short English reason, never null. */
DRY_API const char *dry_mesh_error_name(dry_mesh_error error);

/** Creates a mesh of 1 to 16,777,216 triangles, which static and kinematic bodies may have. A triangle
 * collides on the side from which it runs counterclockwise, or on both sides. Degenerate and duplicate
 * triangles do not collide. Triangles keep their numbers. A solid must be closed; ARGUMENT names an edge that
 * is not. A mesh that is no solid may be open, and have edges of many triangles. `options`, `services` and
 * `report` may be null. The call takes some 80 bytes a triangle besides, and gives them back. Errors:
 * ARGUMENT (the report and the log name the fault), MEMORY. */
DRY_API dry_result dry_mesh_create(const dry_mesh *mesh, const dry_mesh_options *options,
                                   const dry_data_services *services, dry_shape_data **data,
                                   dry_mesh_report *report);

/** The diagonal that divides the cells of a height field. */
typedef enum dry_diagonal {
    DRY_DIAGONAL_FORWARD = 0, /**< from (row, column) to (row + 1, column + 1) */
    DRY_DIAGONAL_BACKWARD,    /**< from (row + 1, column) to (row, column + 1) */
} dry_diagonal;

/** A field of heights, read during the call only. The sample of row r and column c is at
 * x = c spacing[0], z = r spacing[1], with its height as y. A cell lies between four samples; cell
 * r (columns - 1) + c has sample (r, c) as its first corner. */
typedef struct dry_height_field_def {
    int rows, columns;                /**< samples, each 2 to 16,385 */
    float spacing[2];                 /**< m, along x and z; above 0, and a side is at most 1e6 m long */
    const float *heights;             /**< m, row by row, each |height| <= 1e6 */
    const uint8_t *holes;             /**< for each cell, not 0 for a hole; null: none */
    const uint16_t *material_indices; /**< for each cell; null: 0 for all */
    float solid_depth; /**< the ground is solid to this depth below the surface, m, 0 to 1e6; 0: a surface */
    dry_diagonal diagonal; /**< of all cells */
} dry_height_field_def;

/** The reason why heights make no field. */
typedef enum dry_height_field_error {
    DRY_HEIGHT_BUILT = 0,
    DRY_HEIGHT_NO_MEMORY,
    DRY_HEIGHT_BAD_SIDE,    /**< rows or columns: 2 to 16,385 */
    DRY_HEIGHT_BAD_SPACING, /**< not positive, or a side above 1e6 m */
    DRY_HEIGHT_BAD_DEPTH,   /**< 0 to 1e6 m */
    DRY_HEIGHT_BAD_HEIGHT,  /**< not finite or above 1e6 m; `element`: the sample, or its place in a rectangle
                             */
    DRY_HEIGHT_ALL_HOLES,   /**< no cell is left */
    DRY_HEIGHT_OUTSIDE,     /**< a rectangle without samples, or one that leaves the field */
    DRY_HEIGHT_BAD_DIAGONAL, /**< unknown */
} dry_height_field_error;

/** The result of building a height field. */
typedef struct dry_height_field_report {
    dry_height_field_error error;
    int64_t element; /**< where; -1 if nowhere */
    int64_t holes;   /**< cells */
} dry_height_field_report;

/** Returns a short English reason, never null. */
DRY_API const char *dry_height_field_error_name(dry_height_field_error error);

/** Creates a height field, which static and kinematic bodies may have. Its triangles collide on their upper
 * side. Each cell has two, 2 cell and 2 cell + 1. `services` and `report` may be null. Errors: ARGUMENT (the
 * report and the log name the fault), MEMORY. */
DRY_API dry_result dry_height_field_create(const dry_height_field_def *def, const dry_data_services *services,
                                           dry_shape_data **data, dry_height_field_report *report);

/** Creates a compound: 1 to 65,535 shapes of any type but half-spaces and compounds, each with its pose. A
 * compound with a mesh or a height field is for static and kinematic bodies. A child keeps its own scale. Its
 * density, surface, filter, events and user_data must have their defaults: a shape that uses the compound has
 * them for all its children. Triangles of children choose from its materials. Data of children are retained.
 * The new data has one reference. `services` may be null. Errors: ARGUMENT (the log names the child), MEMORY.
 */
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

/** The sizes of shape data. What the type does not have is 0. */
typedef struct dry_shape_data_sizes {
    dry_vec3 low, high;         /**< the box around the data in their own frame, m */
    int vertices, faces, edges; /**< of a hull */
    int triangles;              /**< of a mesh or a height field: their numbers are below this */
    int rows, columns;          /**< samples of a height field */
    float spacing[2];           /**< between these, m, along x and z */
    float solid_depth;          /**< of the ground below them, m */
    int children;               /**< of a compound */
} dry_shape_data_sizes;

/** Reads the sizes of data. dry_shape_get_triangles has the triangles of a shape. Error: ARGUMENT (null). */
DRY_API dry_result dry_shape_data_get_sizes(const dry_shape_data *data, dry_shape_data_sizes *sizes);

/** A face of a hull: its points have normal . x = offset. */
typedef struct dry_shape_data_face {
    dry_vec3 normal; /**< unit, outward */
    float offset;    /**< m */
    int first;       /**< a half-edge of the face */
} dry_shape_data_face;

/** A side of an edge of a hull. Half-edges 2 e and 2 e + 1 are the two sides of edge e. */
typedef struct dry_shape_data_half_edge {
    int vertex; /**< from which it runs */
    int face;   /**< that it runs around, counterclockwise as seen from outside */
    int next;   /**< the half-edge that follows around the face */
} dry_shape_data_half_edge;

/* Four calls read parts of data in the data's own frame, without a shape's scale. Each sets *count to their
 * number and writes the first `capacity` of them. Errors: ARGUMENT (null, a negative capacity, data of
 * another type). */

/** Reads the vertices of a hull, m. */
DRY_API dry_result dry_shape_data_get_vertices(const dry_shape_data *data, dry_vec3 *vertices, int capacity,
                                               int *count);
/** Reads the faces of a hull. */
DRY_API dry_result dry_shape_data_get_faces(const dry_shape_data *data, dry_shape_data_face *faces,
                                            int capacity, int *count);
/** Reads the half-edges of a hull, two for each edge. */
DRY_API dry_result dry_shape_data_get_half_edges(const dry_shape_data *data, dry_shape_data_half_edge *edges,
                                                 int capacity, int *count);
/** Reads the children of a compound as they were given, with their poses. The compound keeps its references
 * to their data. */
DRY_API dry_result dry_shape_data_get_children(const dry_shape_data *data, dry_shape_def *children,
                                               int capacity, int *count);

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
