/* Reading what shape data hold, for drawing and for tools. Data never change: any thread may read. */
#include "core/fail.h"
#include "geometry/compound.h"
#include "geometry/height_field.h"
#include "geometry/hull.h"
#include "geometry/mesh_tree.h"
#include "geometry/shape_data.h"

/* Checks a call that writes up to `capacity` elements of data of one type. Returns the form; null with the
 * reason in *result. */
static const void *form_to_read(const dry_shape_data *data, dry_shape_type type, const void *elements,
                                int capacity, const int *count, const char *name, dry_result *result)
{
    *result = DRY_OK;
    if (!data || !count || capacity < 0 || (capacity > 0 && !elements))
        *result = dry_fail(NULL, DRY_ERROR_ARGUMENT, "%s: a pointer is null, or capacity is negative", name);
    else if (data->type != type)
        *result = dry_fail(NULL, DRY_ERROR_ARGUMENT, "%s: the data are not of a %s", name,
                           type == DRY_SHAPE_HULL ? "hull" : "compound");
    return *result == DRY_OK ? data->form : NULL;
}

dry_result dry_shape_data_get_sizes(const dry_shape_data *data, dry_shape_data_sizes *sizes)
{
    if (!data || !sizes)
        return dry_fail(NULL, DRY_ERROR_ARGUMENT, "dry_shape_data_get_sizes: data or sizes is null");
    dry_shape_def def = dry_default_shape_def();
    def.type = data->type;
    def.data = (dry_shape_data *)data;
    const dry_geometry whole = dry_geometry_from_def(&def);
    const dry_extents bounds = dry_geometry_bounds(&whole, quat_identity());
    *sizes = (dry_shape_data_sizes){.low = bounds.low, .high = bounds.high};
    if (data->type == DRY_SHAPE_HULL) {
        const dry_hull *hull = data->form;
        sizes->vertices = hull->vertex_count;
        sizes->faces = hull->face_count;
        sizes->edges = hull->half_edge_count / 2;
    } else if (data->type == DRY_SHAPE_MESH) {
        const dry_mesh_tree *mesh = data->form;
        sizes->triangles = (int)mesh->triangle_count;
    } else if (data->type == DRY_SHAPE_HEIGHT_FIELD) {
        const dry_height_field *field = data->form;
        sizes->triangles = 2 * (field->rows - 1) * (field->columns - 1);
        sizes->rows = field->rows;
        sizes->columns = field->columns;
        sizes->spacing[0] = field->spacing[0];
        sizes->spacing[1] = field->spacing[1];
        sizes->solid_depth = field->solid_depth;
    } else {
        sizes->children = ((const dry_compound *)data->form)->count;
    }
    return DRY_OK;
}

dry_result dry_shape_data_get_vertices(const dry_shape_data *data, dry_vec3 *vertices, int capacity,
                                       int *count)
{
    dry_result result;
    const dry_hull *hull =
        form_to_read(data, DRY_SHAPE_HULL, vertices, capacity, count, "dry_shape_data_get_vertices", &result);
    if (!hull)
        return result;
    *count = hull->vertex_count;
    for (int i = 0; i < dry_min_int(capacity, *count); i++)
        vertices[i] = dry_hull_vertex(hull, i);
    return DRY_OK;
}

dry_result dry_shape_data_get_faces(const dry_shape_data *data, dry_shape_data_face *faces, int capacity,
                                    int *count)
{
    dry_result result;
    const dry_hull *hull =
        form_to_read(data, DRY_SHAPE_HULL, faces, capacity, count, "dry_shape_data_get_faces", &result);
    if (!hull)
        return result;
    const float *center = hull->measures.center;
    *count = hull->face_count;
    for (int i = 0; i < dry_min_int(capacity, *count); i++) {
        const dry_vec3 n = dry_hull_normal(hull, i);
        const double to_center = (double)n.x * (double)center[0] + (double)n.y * (double)center[1] +
                                 (double)n.z * (double)center[2];
        faces[i] = (dry_shape_data_face){n, (float)(to_center + (double)dry_hull_offset(hull, i)),
                                         dry_hull_firsts(hull)[i]};
    }
    return DRY_OK;
}

dry_result dry_shape_data_get_half_edges(const dry_shape_data *data, dry_shape_data_half_edge *edges,
                                         int capacity, int *count)
{
    dry_result result;
    const dry_hull *hull =
        form_to_read(data, DRY_SHAPE_HULL, edges, capacity, count, "dry_shape_data_get_half_edges", &result);
    if (!hull)
        return result;
    *count = hull->half_edge_count;
    for (int i = 0; i < dry_min_int(capacity, *count); i++)
        edges[i] = (dry_shape_data_half_edge){dry_hull_origins(hull)[i], dry_hull_faces(hull)[i],
                                              dry_hull_nexts(hull)[i]};
    return DRY_OK;
}

dry_result dry_shape_data_get_children(const dry_shape_data *data, dry_shape_def *children, int capacity,
                                       int *count)
{
    dry_result result;
    const dry_compound *compound = form_to_read(data, DRY_SHAPE_COMPOUND, children, capacity, count,
                                                "dry_shape_data_get_children", &result);
    if (!compound)
        return result;
    *count = compound->count;
    for (int i = 0; i < dry_min_int(capacity, *count); i++) {
        children[i] = dry_default_shape_def();
        dry_geometry_to_def(&compound->children[i].geometry, &children[i]);
        children[i].pose = compound->children[i].pose;
    }
    return DRY_OK;
}
