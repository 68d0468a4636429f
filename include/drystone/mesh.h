/* SPDX-License-Identifier: MIT
 * Mass properties of a solid that a mesh of triangles bounds [CSE169]. */
#ifndef DRYSTONE_MESH_H
#define DRYSTONE_MESH_H

#include <drystone/body.h>
#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A surface of triangles, read during the call only. A solid has a closed surface, whose triangles run
 * counterclockwise as seen from outside. It may have several parts, and cavities, which have surfaces of
 * their own. Surfaces must not cross each other or themselves: that is not checked. */
typedef struct dry_mesh {
    const dry_vec3 *vertices; /**< m, each |component| <= 1e6 */
    const int32_t *triangles; /**< three numbers of vertices for each triangle */
    int vertex_count;
    int triangle_count; /**< 1 to 200,000,000 */
} dry_mesh;

/** The reason why a mesh bounds no solid. */
typedef enum dry_mesh_fault_kind {
    DRY_MESH_SOUND = 0,
    DRY_MESH_BAD_VERTEX, /**< a corner of the triangle has no vertex, or one that is not finite or too far */
    DRY_MESH_DEGENERATE, /**< the triangle has no area */
    DRY_MESH_OPEN,       /**< the edge lies on an odd number of triangles */
    DRY_MESH_FLIPPED,    /**< the triangle runs along the edge in the same direction as its neighbor */
    DRY_MESH_INSIDE_OUT, /**< the triangle's part of the surface faces inward, and is no cavity of a solid */
    DRY_MESH_NESTED,     /**< the triangle's part of the surface faces outward, but lies within the solid */
    DRY_MESH_FLAT,       /**< the triangle's part of the surface bounds no volume */
} dry_mesh_fault_kind;

/** The first fault of a mesh, and its place. */
typedef struct dry_mesh_fault {
    dry_mesh_fault_kind kind;
    int triangle; /**< its number; -1 without a fault */
    int edge[2];  /**< the edge's vertices, for DRY_MESH_OPEN and DRY_MESH_FLIPPED; else -1 */
} dry_mesh_fault;

/** The mass properties of a solid of one density, in the frame of its mesh. */
typedef struct dry_mesh_mass {
    double volume;           /**< m^3 */
    dry_mass mass;           /**< dry_body_set_mass takes it */
    dry_quat principal_axes; /**< the orientation of the principal axes */
    float principal[3];      /**< the moments of inertia about these, kg m^2 */
} dry_mesh_mass;

/** Returns a short English reason, never null. */
DRY_API const char *dry_mesh_fault_name(dry_mesh_fault_kind kind);

/** Finds volume, center of mass, inertia and principal axes of the solid that a mesh bounds, by exact
 * integrals over its triangles [CSE169, after Mirtich and Eberly]. `density` is in kg/m^3, above 0. `fault`
 * may be null. The call takes 52 bytes a triangle from `allocator`, and gives them back; null means the C
 * library. Its time grows as n log n with the triangles, and with the triangles times the parts of the
 * surface where there are several. Errors: ARGUMENT (a null pointer, a count or density out of its range, a
 * fault, a mass or inertia that no body may have); MEMORY. */
DRY_API dry_result dry_mesh_get_mass(const dry_mesh *mesh, float density, const dry_allocator *allocator,
                                     dry_mesh_mass *mass, dry_mesh_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
