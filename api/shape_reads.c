/* Reading what shape data hold, for drawing and for tools. Data never change: any thread may read. */
#include "core/fail.h"
#include "geometry/compound.h"
#include "geometry/height_field.h"
#include "geometry/hull.h"
#include "geometry/mesh_tree.h"
#include "geometry/shape_data.h"
#include "world/check.h"

dry_result dry_shape_data_get_sizes(const dry_shape_data *data, dry_shape_data_sizes *sizes)
{
    if (!data || !sizes)
        return dry_fail(NULL, DRY_ERROR_ARGUMENT, "%s: data or sizes is null", __func__);
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

/* Checks a call that writes up to `capacity` elements of data of a type. */
static dry_result check(const dry_shape_data *data, dry_shape_type type, const void *out, int capacity,
                        const int *count, const char *name)
{
    if (!data || !count || capacity < 0 || (capacity > 0 && !out))
        return dry_fail(NULL, DRY_ERROR_ARGUMENT, "%s: a pointer is null, or capacity is negative", name);
    return data->type == type ? DRY_OK
                              : dry_fail(NULL, DRY_ERROR_ARGUMENT, "%s: the data are not of a %s", name,
                                         type == DRY_SHAPE_HULL ? "hull" : "compound");
}

/* Writes `total` elements, of which number `i` of `form` is as told. */
#define READ(call, element_type, shape_type, form_type, total, ...)                                          \
    dry_result call(const dry_shape_data *data, element_type *out, int capacity, int *count)                 \
    {                                                                                                        \
        DRY_RETURN_REFUSAL(check(data, shape_type, out, capacity, count, #call));                            \
        const form_type *form = data->form;                                                                  \
        *count = form->total;                                                                                \
        for (int i = 0; i < dry_min_int(capacity, *count); i++)                                              \
            out[i] = __VA_ARGS__;                                                                            \
        return DRY_OK;                                                                                       \
    }

/* The offset of a face from the origin; a hull keeps that from its center. */
static float offset_of(const dry_hull *hull, int face)
{
    const dry_vec3 n = dry_hull_normal(hull, face);
    const float *c = hull->measures.center;
    return (float)((double)n.x * (double)c[0] + (double)n.y * (double)c[1] + (double)n.z * (double)c[2] +
                   (double)dry_hull_offset(hull, face));
}

static dry_shape_def child_def(const dry_piece *child)
{
    dry_shape_def def = dry_default_shape_def();
    dry_geometry_to_def(&child->geometry, &def);
    def.pose = child->pose;
    return def;
}

READ(dry_shape_data_get_vertices, dry_vec3, DRY_SHAPE_HULL, dry_hull, vertex_count, dry_hull_vertex(form, i))
READ(dry_shape_data_get_faces, dry_shape_data_face, DRY_SHAPE_HULL, dry_hull, face_count,
     (dry_shape_data_face){dry_hull_normal(form, i), offset_of(form, i), dry_hull_firsts(form)[i]})
READ(dry_shape_data_get_half_edges, dry_shape_data_half_edge, DRY_SHAPE_HULL, dry_hull, half_edge_count,
     (dry_shape_data_half_edge){dry_hull_origins(form)[i], dry_hull_faces(form)[i], dry_hull_nexts(form)[i]})
READ(dry_shape_data_get_children, dry_shape_def, DRY_SHAPE_COMPOUND, dry_compound, count,
     child_def(&form->children[i]))
