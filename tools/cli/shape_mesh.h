/* Tells of the triangles of a file, as `drystone shape` does. Next: shape_mesh.c. */
#ifndef TOOLS_CLI_SHAPE_MESH_H
#define TOOLS_CLI_SHAPE_MESH_H

#include "tools/scenes/point_file.h"

#include <drystone/drystone.h>

/* The mesh of a file's triangles. */
typedef struct shape_mesh {
    dry_shape_data *data; /* null: no triangle has an area */
    dry_mesh_report report;
    dry_mesh_fault fault; /* why the triangles bound no solid */
    dry_mesh_mass mass;   /* of the solid, at 1 kg/m^3, if there is no fault */
    double build_ms;
} shape_mesh;

/* Builds the mesh, and finds the mass of the solid that it bounds. Returns MEMORY if memory fails, else OK.
 */
dry_result shape_mesh_build(const dry_point_file *file, shape_mesh *mesh);

void shape_mesh_print(const dry_point_file *file, const shape_mesh *mesh);

#endif
