/* The mesh of a file: its faults, its size, and the solid that it bounds. Next: shape.c, which tells of the
 * hull. */
#define _XOPEN_SOURCE 700
#include "tools/cli/shape_mesh.h"

#include <stdio.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

dry_result shape_mesh_build(const dry_point_file *file, shape_mesh *mesh)
{
    const dry_mesh triangles = {file->points, file->triangles, file->point_count, file->triangle_count};
    const double begin_ms = now_ms();
    const dry_result result = dry_mesh_create(&triangles, NULL, NULL, &mesh->data, &mesh->report);
    mesh->build_ms = now_ms() - begin_ms;
    if (result == DRY_ERROR_MEMORY) {
        return result;
    }
    const dry_result weighed = dry_mesh_get_mass(&triangles, 1.0f, NULL, &mesh->mass, &mesh->fault);
    return weighed == DRY_ERROR_MEMORY ? weighed : DRY_OK;
}

void shape_mesh_print(const dry_point_file *file, const shape_mesh *mesh)
{
    const dry_mesh_report *r = &mesh->report;
    printf("%-12s %d triangles, of which %d degenerate, %d duplicate, %d needles\n", "mesh",
           file->triangle_count, r->degenerate, r->duplicate, r->needles);
    printf("%-12s %d open, %d of three triangles and more, %d flipped\n", "edges", r->open_edges,
           r->crowded_edges, r->flipped_edges);
    if (mesh->data == NULL) {
        printf("%-12s %s\n", "  shape", dry_mesh_error_name(r->error));
        return;
    }
    if (mesh->fault.kind == DRY_MESH_SOUND && mesh->mass.volume > 0.0) {
        const float *m = mesh->mass.principal;
        const dry_vec3 center = mesh->mass.mass.center;
        printf("%-12s %.6g m^3\n", "  volume", mesh->mass.volume);
        printf("%-12s %.6g, %.6g, %.6g m\n", "  center", (double)center.x, (double)center.y,
               (double)center.z);
        printf("%-12s %.6g, %.6g, %.6g kg m^2 at 1 kg/m^3\n", "  moments", (double)m[0], (double)m[1],
               (double)m[2]);
    } else {
        printf("%-12s %s\n", "  solid", dry_mesh_fault_name(mesh->fault.kind));
    }
    printf("%-12s %zu\n", "  bytes", dry_shape_data_bytes(mesh->data));
    printf("%-12s %.3g ms\n", "  build", mesh->build_ms);
}
