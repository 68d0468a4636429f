/* Creating shape data, which belong to no world. */
#include "geometry/shape_data.h"

#include "core/fail.h"
#include "geometry/compound.h"
#include "geometry/height_field.h"
#include "geometry/hull_build.h"
#include "geometry/shape_bytes.h"
#include "state/surface.h"

/* Tells why a call fails, as dry_fail does. */
static dry_result fail(const dry_data_services *services, dry_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    dry_fail_with(services ? &services->log : NULL, result, format, arguments);
    va_end(arguments);
    return result;
}

/* Returns the allocator of the services; null for the C library's. */
static const dry_allocator *allocator_of(const dry_data_services *services)
{
    return services && services->allocator.allocate ? &services->allocator : NULL;
}

dry_result dry_hull_create(const dry_vec3 *points, int count, int max_vertices,
                           const dry_data_services *services, dry_shape_data **data, dry_hull_report *report)
{
    dry_hull_report own;
    report = report ? report : &own;
    *report = (dry_hull_report){.point = -1};
    if (!points || !data)
        return fail(services, DRY_ERROR_ARGUMENT, "%s: points or data is null", __func__);
    const dry_allocator *allocator = allocator_of(services);
    dry_hull *hull;
    const dry_result result = dry_hull_build(points, count, max_vertices, allocator, &hull, report);
    if (result == DRY_ERROR_ARGUMENT && report->point >= 0)
        return fail(services, result, "%s: points[%d]: %s", __func__, report->point,
                    dry_hull_fault_name(report->fault));
    if (result == DRY_ERROR_ARGUMENT)
        return fail(services, result, "%s: %s", __func__, dry_hull_fault_name(report->fault));
    if (result == DRY_OK) {
        report->vertices = hull->vertex_count;
        report->faces = hull->face_count;
    }
    dry_shape_data *made = result == DRY_OK ? dry_shape_data_of_block(DRY_SHAPE_HULL, hull, hull->bytes,
                                                                      dry_hull_hash(hull), services)
                                            : NULL;
    if (!made)
        return fail(services, DRY_ERROR_MEMORY, "%s: out of memory", __func__);
    *data = made;
    return DRY_OK;
}

/* Tells why triangles make no shape, with the element and its range. */
static dry_result fail_mesh(const dry_data_services *services, const dry_mesh *mesh,
                            const dry_mesh_report *report)
{
    const char *name = "dry_mesh_create", *error = dry_mesh_error_name(report->error);
    const int element = report->element;
    switch (report->error) {
    case DRY_MESH_NO_MEMORY:
        return fail(services, DRY_ERROR_MEMORY, "%s: out of memory", name);
    case DRY_MESH_BAD_INDEX:
        return fail(services, DRY_ERROR_ARGUMENT, "%s: triangles[%d]: %s; numbers are 0 to %d", name, element,
                    error, mesh->vertex_count - 1);
    case DRY_MESH_BAD_POSITION:
        return fail(services, DRY_ERROR_ARGUMENT, "%s: vertices[%d]: %s", name, element, error);
    case DRY_MESH_NOT_CLOSED:
    case DRY_MESH_NOT_ORIENTED:
        return fail(services, DRY_ERROR_ARGUMENT, "%s: triangles[%d], edge from vertex %d to %d: %s", name,
                    element, report->edge[0], report->edge[1], error);
    default:
        return fail(services, DRY_ERROR_ARGUMENT, "%s: %s", name, error);
    }
}

dry_result dry_mesh_create(const dry_mesh *mesh, const dry_mesh_options *options,
                           const dry_data_services *services, dry_shape_data **data, dry_mesh_report *report)
{
    dry_mesh_report own;
    report = report ? report : &own;
    *report = (dry_mesh_report){.element = -1, .edge = {-1, -1}};
    if (!mesh || !data)
        return fail(services, DRY_ERROR_ARGUMENT, "%s: mesh or data is null", __func__);
    dry_mesh_tree_def def = {.mesh = mesh};
    if (options) {
        def.materials = options->material_indices;
        def.flags = (options->two_sided ? DRY_MESH_TWO_SIDED : 0) | (options->solid ? DRY_MESH_SOLID : 0);
    }
    dry_mesh_tree *tree = dry_mesh_tree_build(&def, allocator_of(services), report);
    dry_shape_data *made =
        tree ? dry_shape_data_of_block(DRY_SHAPE_MESH, tree, tree->bytes, tree->hash, services) : NULL;
    if (tree && !made)
        report->error = DRY_MESH_NO_MEMORY;
    if (!made)
        return fail_mesh(services, mesh, report);
    *data = made;
    return DRY_OK;
}

/* Tells why heights make no field, with the element and its range. */
static dry_result fail_field(const dry_data_services *services, const dry_height_field_report *report)
{
    const char *name = "dry_height_field_create", *error = dry_height_field_error_name(report->error);
    if (report->error == DRY_HEIGHT_NO_MEMORY)
        return fail(services, DRY_ERROR_MEMORY, "%s: out of memory", name);
    if (report->error == DRY_HEIGHT_BAD_HEIGHT)
        return fail(services, DRY_ERROR_ARGUMENT, "%s: heights[%lld]: %s", name, (long long)report->element,
                    error);
    return fail(services, DRY_ERROR_ARGUMENT, "%s: %s", name, error);
}

dry_result dry_height_field_create(const dry_height_field_def *def, const dry_data_services *services,
                                   dry_shape_data **data, dry_height_field_report *report)
{
    dry_height_field_report own;
    report = report ? report : &own;
    *report = (dry_height_field_report){.element = -1};
    if (!def || !data || !def->heights)
        return fail(services, DRY_ERROR_ARGUMENT, "%s: def, heights or data is null", __func__);
    dry_height_field *field = dry_height_field_build(def, allocator_of(services), report);
    dry_shape_data *made =
        field ? dry_shape_data_of_block(DRY_SHAPE_HEIGHT_FIELD, field, field->bytes, field->hash, services)
              : NULL;
    if (field && !made)
        report->error = DRY_HEIGHT_NO_MEMORY;
    if (!made)
        return fail_field(services, report);
    *data = made;
    return DRY_OK;
}

static bool has_default_surface(const dry_shape_def *def)
{
    const dry_shape_def standard = dry_default_shape_def();
    bool same = def->density == standard.density && def->user_data == 0 && def->filter.category == 1 &&
                def->filter.mask == UINT64_MAX && def->filter.group == 0 && def->material_count == 0 &&
                def->events == standard.events;
#define X(name, ...) same = same && def->name == standard.name;
    DRY_SURFACE_NUMBERS(X)
#undef X
    return same;
}

dry_result dry_compound_create(const dry_shape_def *children, int child_count,
                               const dry_data_services *services, dry_shape_data **data)
{
    if (!data)
        return fail(services, DRY_ERROR_ARGUMENT, "%s: data is null", __func__);
    int child;
    const char *error = dry_compound_error(children, child_count, &child);
    for (int i = 0; i < child_count && !error; i++)
        if (!has_default_surface(&children[i])) {
            child = i;
            error = "density, surface, filter, events and user_data must have their defaults";
        }
    if (error && child < 0)
        return fail(services, DRY_ERROR_ARGUMENT, "%s: %s", __func__, error);
    if (error)
        return fail(services, DRY_ERROR_ARGUMENT, "%s: children[%d]: %s", __func__, child, error);
    dry_shape_data *made = dry_compound_make(children, child_count, services);
    if (!made)
        return fail(services, DRY_ERROR_MEMORY, "%s: out of memory", __func__);
    *data = made;
    return DRY_OK;
}

dry_result dry_shape_data_save(const dry_shape_data *data, void *bytes, size_t capacity, size_t *size)
{
    if (!data || !size || (capacity > 0 && !bytes))
        return dry_fail(NULL, DRY_ERROR_ARGUMENT, "%s: data, bytes or size is null", __func__);
    *size = dry_shape_bytes_size(data);
    if (*size <= capacity)
        dry_shape_bytes_write(data, bytes);
    return DRY_OK;
}

dry_result dry_shape_data_load(const void *bytes, size_t size, const dry_data_services *services,
                               dry_shape_data **data)
{
    if (!bytes || !data)
        return fail(services, DRY_ERROR_ARGUMENT, "%s: bytes or data is null", __func__);
    dry_shape_data *made = NULL;
    const dry_bytes_fault fault = dry_shape_bytes_read(bytes, size, services, &made);
    if (fault == DRY_BYTES_INVALID)
        return fail(services, DRY_ERROR_ARGUMENT, "%s: the bytes are not as they were saved", __func__);
    if (fault == DRY_BYTES_NO_MEMORY)
        return fail(services, DRY_ERROR_MEMORY, "%s: out of memory", __func__);
    *data = made;
    return DRY_OK;
}
