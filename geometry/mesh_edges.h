/* How a mesh's triangles meet, before its tree is built: equal positions, degenerate and duplicate triangles,
 * edges and their kinds. Reads: a dry_mesh. Writes: the arrays below and the report's counts. */
#ifndef GEOMETRY_MESH_EDGES_H
#define GEOMETRY_MESH_EDGES_H

#include "core/memory.h"
#include "geometry/mesh_tree.h"

/* States of a triangle. Both kinds have no slot. */
enum {
    DRY_MESH_DEGENERATE_TRIANGLE = 1,
    DRY_MESH_DUPLICATE_TRIANGLE = 2,
};

/* An edge's kind and angle in six bits, as a corner word holds them. */
enum {
    DRY_MESH_CODE_OPEN = DRY_MESH_EDGE_OPEN | (DRY_MESH_ANGLE_STEPS - 1) << 2,
};

typedef struct dry_mesh_links {
    const dry_mesh *mesh;
    dry_memory *memory;
    dry_mesh_report *report;
    uint32_t *first_equal; /* for each vertex: the first one at its position */
    uint8_t *state;        /* for each triangle */
    uint8_t *code;         /* for each triangle's edges: kind | (angle - 1) << 2 */
    int kept;              /* triangles with a slot */
} dry_mesh_links;

/* Fills the arrays, which lie in `memory`. Returns false if there is no memory. `is_solid` also looks for an
 * edge that is open or not consistent, and for a volume that is not positive: report->error names these. */
bool dry_mesh_link(dry_mesh_links *links, bool is_solid);

/* Judges an edge along e between two triangles, whose third corners are at a and b from one point of it. The
 * code is that of the first triangle, which runs along e; a is on its left, seen from its front. */
uint8_t dry_mesh_edge_code(dry_double3 e, dry_double3 a, dry_double3 b);

/* Returns the code of an edge where one triangle meets two others. */
uint8_t dry_mesh_edge_join(uint8_t a, uint8_t b);

/* Gives each open edge of a block its kind from the triangles that lie along it (T-junctions, unwelded
 * vertices), and each corner its bit. `marks` has room for one byte a vertex. */
void dry_mesh_judge_borders(dry_mesh_tree *tree, uint8_t *marks);

#endif
