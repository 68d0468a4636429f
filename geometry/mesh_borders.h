/* Judges the edges of a mesh that no equal edge matches, and then its corners. */
#ifndef GEOMETRY_MESH_BORDERS_H
#define GEOMETRY_MESH_BORDERS_H

#include "geometry/mesh_tree.h"

/* Gives each open edge of a block its kind from the triangles that lie along it (T-junctions, unwelded
 * vertices), and each corner its bit. `marks` has room for one byte a vertex. */
void dry_mesh_judge_borders(dry_mesh_tree *tree, uint8_t *marks);

#endif
