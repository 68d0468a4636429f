/* Reads the triangles of a scene file: meshes, inline or from a file beside the scene, and height fields.
 *
 * Reads JSON values; writes forms of the scene. Next: forms.c, which lets equal data be one. */
#include "tools/scenes/scene_json.h"

#include <math.h>
#include <stdlib.h>

enum { VERTICES_MAX = 1 << 26, TRIANGLES_MAX = 1 << 24, SIDE_MAX = 16385, MATERIALS_MAX = 65535 };

/* Returns the array of a field, which has `count` elements; null after a failure, or if it is absent. */
static const json_t *field_of(dry_json_reader *r, const dry_json_place *at, const json_t *object,
                              const char *key, int required, size_t count)
{
    const json_t *list = dry_json_field(r, at, object, key, JSON_ARRAY, required);
    const dry_json_place here = {at, key, 0};
    if (!list || json_array_size(list) == count)
        return list;
    dry_json_fail(r, &here, "expected %zu numbers, got %zu", count, json_array_size(list));
    return NULL;
}

/* Returns element i of an array, a number from `low` to `high`; 0 after a failure. */
static double element_of(dry_json_reader *r, const dry_json_place *at, const json_t *list, size_t i,
                         double low, double high, bool whole)
{
    const dry_json_place here = {at, NULL, (int)i};
    const json_t *value = json_array_get(list, i);
    if (!dry_json_expect_kind(r, &here, value, JSON_REAL))
        return 0.0;
    const double x = json_real_value(value);
    if (x >= low && x <= high && (!whole || x == floor(x)))
        return x;
    dry_json_fail(r, &here, "expected a %snumber from %.0f to %.0f, got %.9g", whole ? "whole " : "", low,
                  high, x);
    return 0.0;
}

/* Makes room for the elements of a list; null after a failure, or without a list. */
static void *room_for(dry_json_reader *r, const dry_json_place *at, const json_t *list, size_t bytes)
{
    void *room = list && !r->failed ? malloc(json_array_size(list) * bytes + 1) : NULL;
    if (list && !r->failed && !room)
        dry_json_fail(r, at, "out of memory");
    return room;
}

static uint16_t *read_materials(dry_json_reader *r, const dry_json_place *at, const json_t *object,
                                size_t count)
{
    const dry_json_place here = {at, "material_indices", 0};
    const json_t *list = field_of(r, at, object, "material_indices", DRY_JSON_OPTIONAL, count);
    uint16_t *materials = room_for(r, &here, list, sizeof *materials);
    for (size_t i = 0; materials && i < count && !r->failed; i++)
        materials[i] = (uint16_t)element_of(r, &here, list, i, 0.0, MATERIALS_MAX, true);
    return materials;
}

/* ---- Meshes ---- */

/* Reads triples of numbers of vertices into memory from malloc; null after a failure. */
static int32_t *read_triangles(dry_json_reader *r, const dry_json_place *at, const json_t *object,
                               int vertices, int *count)
{
    const json_t *list = dry_json_field(r, at, object, "triangles", JSON_ARRAY, DRY_JSON_REQUIRED);
    const dry_json_place here = {at, "triangles", 0};
    const size_t size = list ? json_array_size(list) : 0;
    if (list && (size < 1 || size > TRIANGLES_MAX))
        dry_json_fail(r, &here, "expected 1 to %d triangles, got %zu", TRIANGLES_MAX, size);
    int32_t *triangles = room_for(r, &here, list, 3 * sizeof *triangles);
    for (size_t i = 0; triangles && i < size && !r->failed; i++) {
        const dry_json_place one = {&here, NULL, (int)i};
        const json_t *corners = json_array_get(list, i);
        if (!dry_json_expect_kind(r, &one, corners, JSON_ARRAY))
            break;
        if (json_array_size(corners) != 3)
            dry_json_fail(r, &one, "expected three numbers of vertices, got %zu", json_array_size(corners));
        for (size_t k = 0; k < 3 && !r->failed; k++)
            triangles[3 * i + k] = (int32_t)element_of(r, &one, corners, k, 0.0, vertices - 1.0, true);
    }
    *count = (int)size;
    return triangles;
}

static void fail_mesh(dry_json_reader *r, const dry_json_place *at, dry_result result,
                      const dry_mesh_report *report)
{
    if (result == DRY_ERROR_MEMORY)
        dry_json_fail(r, at, "out of memory");
    else if (report->edge[0] >= 0)
        dry_json_fail(r, at, "expected triangles of a mesh, but %s: triangle %d, vertices %d and %d",
                      dry_mesh_error_name(report->error), report->element, report->edge[0], report->edge[1]);
    else if (report->element >= 0)
        dry_json_fail(r, at, "expected triangles of a mesh, but %s: %d", dry_mesh_error_name(report->error),
                      report->element);
    else
        dry_json_fail(r, at, "expected triangles of a mesh, but %s", dry_mesh_error_name(report->error));
}

/* Adds the mesh to the scene, with options that stand beside it. */
static void add_mesh(dry_json_reader *r, const dry_json_place *at, const json_t *object, const dry_mesh *mesh,
                     dry_shape_def *def)
{
    dry_mesh_report report = {.element = -1, .edge = {-1, -1}};
    dry_mesh_options options = {.two_sided = dry_json_bool(r, at, object, "two_sided", false),
                                .solid = dry_json_bool(r, at, object, "solid", false)};
    uint16_t *materials = read_materials(r, at, object, (size_t)mesh->triangle_count);
    options.material_indices = materials;
    if (!r->failed) {
        const dry_result result = dry_scene_add_mesh(r->scene, mesh, &options, &def->data, &report);
        if (result != DRY_OK)
            fail_mesh(r, at, result, &report);
    }
    free(materials);
}

void dry_json_mesh(dry_json_reader *r, const dry_json_place *at, const json_t *object, dry_shape_def *def)
{
    const dry_json_place file = {at, "file", 0};
    if (json_object_get(object, "file")) {
        if (json_object_get(object, "vertices") || json_object_get(object, "triangles"))
            dry_json_fail(r, &file, "expected either vertices and triangles or a file, got both");
        if (r->failed || !dry_json_point_file(r, at, object))
            return;
        const dry_point_file *p = &r->points;
        const dry_mesh mesh = {p->points, p->triangles, p->point_count, p->triangle_count};
        if (mesh.triangle_count < 1)
            dry_json_fail(r, &file, "expected a file with triangles");
        else
            add_mesh(r, at, object, &mesh, def);
        return;
    }
    dry_mesh mesh = {0};
    dry_vec3 *vertices = dry_json_points(r, at, object, "vertices", VERTICES_MAX, &mesh.vertex_count);
    int32_t *triangles =
        vertices ? read_triangles(r, at, object, mesh.vertex_count, &mesh.triangle_count) : NULL;
    mesh.vertices = vertices;
    mesh.triangles = triangles;
    if (vertices && triangles && !r->failed)
        add_mesh(r, at, object, &mesh, def);
    free(vertices);
    free(triangles);
}

/* ---- Height fields ---- */

static float *read_heights(dry_json_reader *r, const dry_json_place *at, const json_t *object, size_t count)
{
    const dry_json_place here = {at, "heights", 0};
    const json_t *list = field_of(r, at, object, "heights", DRY_JSON_REQUIRED, count);
    float *heights = room_for(r, &here, list, sizeof *heights);
    for (size_t i = 0; heights && i < count && !r->failed; i++)
        heights[i] = (float)element_of(r, &here, list, i, -1e6, 1e6, false);
    return heights;
}

/* Reads 0 or 1, or false or true, for each cell. */
static uint8_t *read_holes(dry_json_reader *r, const dry_json_place *at, const json_t *object, size_t count)
{
    const dry_json_place here = {at, "holes", 0};
    const json_t *list = field_of(r, at, object, "holes", DRY_JSON_OPTIONAL, count);
    uint8_t *holes = room_for(r, &here, list, sizeof *holes);
    for (size_t i = 0; holes && i < count && !r->failed; i++) {
        const json_t *value = json_array_get(list, i);
        holes[i] = json_is_boolean(value) ? json_is_true(value)
                                          : (uint8_t)element_of(r, &here, list, i, 0.0, 1.0, true);
    }
    return holes;
}

static void read_grid(dry_json_reader *r, const dry_json_place *at, const json_t *object,
                      dry_height_field_def *field)
{
    static const char *const diagonals[] = {"forward", "backward"};
    double spacing[2] = {0.0, 0.0};
    field->rows = (int)dry_json_whole(r, at, object, "rows", DRY_JSON_REQUIRED, 2.0, SIDE_MAX);
    field->columns = (int)dry_json_whole(r, at, object, "columns", DRY_JSON_REQUIRED, 2.0, SIDE_MAX);
    dry_json_doubles(r, at, object, "spacing", DRY_JSON_REQUIRED, spacing, 2);
    for (int k = 0; k < 2; k++) {
        const dry_json_place place = {at, "spacing", 0}, here = {&place, NULL, k};
        field->spacing[k] = (float)spacing[k];
        if (!r->failed && !(spacing[k] <= 1e6 && field->spacing[k] > 0.0f))
            dry_json_fail(r, &here, "expected a number above 0 and at most 1e6, got %.9g", spacing[k]);
    }
    if (json_object_get(object, "diagonal"))
        field->diagonal = (dry_diagonal)dry_json_name(r, at, object, "diagonal", diagonals, 2);
    dry_json_float(r, at, object, "solid_depth", DRY_JSON_OPTIONAL, &field->solid_depth);
}

void dry_json_height_field(dry_json_reader *r, const dry_json_place *at, const json_t *object,
                           dry_shape_def *def)
{
    dry_height_field_def field = {0};
    dry_height_field_report report = {.element = -1};
    read_grid(r, at, object, &field);
    if (r->failed)
        return;
    const size_t samples = (size_t)field.rows * (size_t)field.columns;
    const size_t cells = (size_t)(field.rows - 1) * (size_t)(field.columns - 1);
    float *heights = read_heights(r, at, object, samples);
    uint8_t *holes = read_holes(r, at, object, cells);
    uint16_t *materials = read_materials(r, at, object, cells);
    field.heights = heights;
    field.holes = holes;
    field.material_indices = materials;
    if (!r->failed) {
        const dry_result result = dry_scene_add_height_field(r->scene, &field, &def->data, &report);
        if (result == DRY_ERROR_MEMORY)
            dry_json_fail(r, at, "out of memory");
        else if (result != DRY_OK)
            dry_json_fail(r, at, "expected heights of a field, but %s",
                          dry_height_field_error_name(report.error));
    }
    free(heights);
    free(holes);
    free(materials);
}
