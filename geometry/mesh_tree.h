/* A triangle mesh as an asset: one block of memory without pointers, which holds the triangles in the order
 * of a tree of boxes. Saving it is copying it. Every byte is defined, and depends on the triangles alone.
 *
 *      header | nodes | vertices | corners | tags | materials        each on a cache line
 *
 * A *slot* is a triangle's place in the block, a *triangle* its number at the caller. Queries report both.
 * Equal positions are one vertex; vertices without a triangle are left out. Degenerate and duplicate
 * triangles have no slot.
 *
 * Scale: the block holds the triangles as they were given. A caller that scales a mesh divides rays, boxes
 * and points by the scale first. A scale that mirrors (a negative determinant) turns fronts into backs: the
 * caller exchanges `back`, and negates normals; convex edges stay convex on the side that was solid.
 *
 * Edges. A normal at a point of a surface holds only if it is a normal of every triangle at that point: no
 * part of any of them may rise above the plane through the point. Two levels tell that.
 *   1. Each edge of a slot has a kind and an angle, each corner a bit. An edge that is flat or concave, and
 *      a corner without an active edge around it, admits no normal but the triangle's own. That is the common
 *      case, and takes one bit.
 *   2. Elsewhere dry_triangles_admit gathers the triangles around the point from the tree, and judges them
 *      all. It needs no neighbors by number, so T-junctions, needles and unwelded vertices cost it nothing.
 * Stored neighbors would take 12 bytes a triangle, and could not tell of T-junctions.
 *
 * Reads: a dry_mesh. Next: mesh_node.h (boxes), mesh_tree_build.c (how a block is made), mesh_edges.h. */
#ifndef GEOMETRY_MESH_TREE_H
#define GEOMETRY_MESH_TREE_H

#include "core/bounds.h"
#include "core/double3.h"

#include <drystone/shape_data.h>

#define DRY_MESH_TRIANGLES_MAX (1 << 24)

enum {
    DRY_MESH_TWO_SIDED = 1, /* triangles collide on their backs, too */
    DRY_MESH_SOLID = 2,     /* the surface is closed, and faces outward */
};

/* The beginning of a block. Offsets are in bytes from here. */
typedef struct dry_mesh_tree {
    uint32_t magic, version;
    uint64_t bytes; /* of the whole block */
    uint64_t hash;  /* of all bytes behind this number */
    uint32_t flags, depth;
    uint32_t triangle_count; /* the caller's, with those that have no slot */
    uint32_t slot_count, vertex_count, node_count;
    dry_box bounds;
    uint32_t nodes, materials_present;
    uint64_t vertices, corners, tags, materials;
} dry_mesh_tree;
_Static_assert(sizeof(dry_mesh_tree) == 112, "a header has no padding");

/* Kinds of edges, seen from the front of the triangle. From the back, convex and concave change places. */
typedef enum dry_mesh_edge {
    DRY_MESH_EDGE_FLAT,    /* also: triangles there leave no common normal; inactive */
    DRY_MESH_EDGE_CONCAVE, /* inactive */
    DRY_MESH_EDGE_CONVEX,  /* active */
    DRY_MESH_EDGE_OPEN,    /* active: no other triangle on a part of it at least */
} dry_mesh_edge;

/* An edge's kind, and the largest angle between the triangle's normal and another there, in steps of 180 / 16
 * degrees, rounded up: 1 to 16. It says nothing about a flat edge. */
typedef struct dry_edge_angle {
    dry_mesh_edge kind;
    int steps;
} dry_edge_angle;

/* Bits of a corner: the vertex, and the edge from this corner to the next. */
enum {
    DRY_MESH_VERTEX_BITS = 26,
    DRY_MESH_VERTEX_MASK = (1 << DRY_MESH_VERTEX_BITS) - 1,
    DRY_MESH_KIND_SHIFT = DRY_MESH_VERTEX_BITS,
    DRY_MESH_ANGLE_SHIFT = DRY_MESH_VERTEX_BITS + 2,
    DRY_MESH_ANGLE_STEPS = 16, /* of 180 degrees */
};

/* Bits of a tag: the caller's number, and the corners at which an active edge ends. */
enum {
    DRY_MESH_TRIANGLE_MASK = DRY_MESH_TRIANGLES_MAX - 1,
    DRY_MESH_ACTIVE_SHIFT = 24,
};

static inline const void *dry_mesh_tree_at(const dry_mesh_tree *tree, uint64_t offset)
{
    return (const char *)tree + offset;
}

static inline const dry_vec3 *dry_mesh_tree_vertices(const dry_mesh_tree *tree)
{
    return dry_mesh_tree_at(tree, tree->vertices);
}

/* Returns three words for each slot. */
static inline const uint32_t *dry_mesh_tree_corners(const dry_mesh_tree *tree)
{
    return dry_mesh_tree_at(tree, tree->corners);
}

static inline const uint32_t *dry_mesh_tree_tags(const dry_mesh_tree *tree)
{
    return dry_mesh_tree_at(tree, tree->tags);
}

static inline dry_vec3 dry_mesh_tree_vertex(const dry_mesh_tree *tree, uint32_t slot, int corner)
{
    const uint32_t word = dry_mesh_tree_corners(tree)[3 * (size_t)slot + (size_t)corner];
    return dry_mesh_tree_vertices(tree)[word & DRY_MESH_VERTEX_MASK];
}

/* Writes the corners of a slot, m. */
static inline void dry_mesh_tree_corner_points(const dry_mesh_tree *tree, uint32_t slot,
                                               dry_double3 corner[3])
{
    for (int i = 0; i < 3; i++)
        corner[i] = double3_of(dry_mesh_tree_vertex(tree, slot, i));
}

/* Returns the caller's number of a slot. */
static inline uint32_t dry_mesh_tree_triangle(const dry_mesh_tree *tree, uint32_t slot)
{
    return dry_mesh_tree_tags(tree)[slot] & DRY_MESH_TRIANGLE_MASK;
}

/* Returns the material index of a slot; 0 if the mesh has none. */
static inline uint16_t dry_mesh_tree_material(const dry_mesh_tree *tree, uint32_t slot)
{
    return tree->materials_present ? ((const uint16_t *)dry_mesh_tree_at(tree, tree->materials))[slot] : 0;
}

static inline dry_mesh_edge dry_mesh_tree_edge(const dry_mesh_tree *tree, uint32_t slot, int edge)
{
    const uint32_t word = dry_mesh_tree_corners(tree)[3 * (size_t)slot + (size_t)edge];
    return (dry_mesh_edge)(word >> DRY_MESH_KIND_SHIFT & 3);
}

/* Tells whether a normal between those of the triangles may come from an edge; `back`: on the back side. */
static inline bool dry_mesh_tree_edge_is_active(const dry_mesh_tree *tree, uint32_t slot, int edge, bool back)
{
    const dry_mesh_edge kind = dry_mesh_tree_edge(tree, slot, edge);
    return kind == DRY_MESH_EDGE_OPEN || kind == (back ? DRY_MESH_EDGE_CONCAVE : DRY_MESH_EDGE_CONVEX);
}

/* Returns the angle of an edge, as dry_edge_angle. */
static inline int dry_mesh_tree_edge_angle(const dry_mesh_tree *tree, uint32_t slot, int edge)
{
    return (int)(dry_mesh_tree_corners(tree)[3 * (size_t)slot + (size_t)edge] >> DRY_MESH_ANGLE_SHIFT) + 1;
}

static inline void dry_mesh_tree_edges(const dry_mesh_tree *tree, uint32_t slot, dry_edge_angle edges[3])
{
    for (int k = 0; k < 3; k++)
        edges[k] =
            (dry_edge_angle){dry_mesh_tree_edge(tree, slot, k), dry_mesh_tree_edge_angle(tree, slot, k)};
}

/* Building. */

typedef struct dry_mesh_tree_def {
    const dry_mesh *mesh;
    const uint16_t *materials; /* one for each triangle, or null */
    uint32_t flags;
} dry_mesh_tree_def;

/* Builds a block in memory of the allocator, which takes it back; null means an error, which the
 * report names. The call takes some 80 bytes a triangle besides. `allocator` may be null for the C
 * library's. */
dry_mesh_tree *dry_mesh_tree_build(const dry_mesh_tree_def *def, const dry_allocator *allocator,
                                   dry_mesh_report *report);

/* Tells whether `size` bytes, aligned to 8, are a block. It trusts nothing: after true, no query
 * reads outside of the block or runs forever, and every box holds its triangles. */
bool dry_mesh_tree_check(const void *bytes, size_t size);

/* Computes the hash that a block of this content has. */
uint64_t dry_mesh_tree_hash(const dry_mesh_tree *tree);

/* Queries, all in the mesh's frame. Answers do not depend on the shape of the tree: of equal ones the lower
 * caller's number wins. */

/* Receives the slot of a triangle; false ends the query. */
typedef bool dry_triangles_visitor(void *context, uint32_t slot);

/* Visits all triangles whose box meets a box, in an order that the block alone decides. Returns false if the
 * visitor ended the query. */
bool dry_mesh_tree_visit_box(const dry_mesh_tree *tree, const dry_box *box, dry_triangles_visitor *visit,
                             void *context);

enum {
    DRY_MESH_FRONTS = 1, /* hits on the side from which a triangle runs counterclockwise */
    DRY_MESH_BACKS = 2,
};

typedef struct dry_mesh_ray {
    double origin[3], translation[3]; /* m */
    int sides;
} dry_mesh_ray;

typedef struct dry_mesh_hit {
    double fraction;       /* of the translation, 0 to 1 */
    double barycentric[3]; /* the weights of the corners; their sum is 1 */
    uint32_t slot, triangle;
    bool back;
} dry_mesh_hit;

/* Finds the first triangle on a ray [Woop, Benthin, Wald 2013]. A ray through a shared edge or vertex of a
 * closed surface hits it. A ray within a triangle's plane does not hit that triangle. */
bool dry_mesh_tree_cast_ray(const dry_mesh_tree *tree, const dry_mesh_ray *ray, dry_mesh_hit *hit);

/* One ray of many, and its first hit. */
typedef struct dry_mesh_cast {
    const dry_mesh_tree *tree;
    dry_mesh_ray ray;
    double bound;  /* a fraction, 0 to 1: hits farther away may be left out */
    bool is_found; /* written; and `hit` then, with the bits of dry_mesh_tree_cast_ray */
    dry_mesh_hit hit;
} dry_mesh_cast;

/* Casts many rays side by side. */
void dry_mesh_tree_cast_rays(dry_mesh_cast *casts, int count);

/* Tells whether a point lies in the solid that the mesh bounds; only a mesh with DRY_MESH_SOLID bounds one. A
 * point on the surface may count as either. */
bool dry_mesh_tree_contains(const dry_mesh_tree *tree, dry_double3 point);

#endif
