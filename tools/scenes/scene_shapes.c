/* Reads the shapes of a scene file: sizes, surface, and shape data, which lie in the shape itself or in a
 * file beside the scene.
 *
 * Reads JSON values and files of points; writes shapes and forms of the scene. Next: forms.c, which lets
 * equal data be one; scene_check.c, which checks ranges. */
#include "state/surface.h"
#include "tools/scenes/scene_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 1000000, CHILDREN_MAX = 65535, PATH_BYTES = 4096, SIZE_FIELDS_MAX = 8 };

const char *const dry_scene_event_names[DRY_SHAPE_EVENTS_ALL + 1] = {"none", "contacts", "hits", "all"};

const char *const dry_scene_shape_names[DRY_SHAPE_TYPE_COUNT] = {
    [DRY_SHAPE_SPHERE] = "sphere",
    [DRY_SHAPE_CAPSULE] = "capsule",
    [DRY_SHAPE_BOX] = "box",
    [DRY_SHAPE_HALFSPACE] = "halfspace",
    [DRY_SHAPE_CYLINDER] = "cylinder",
    [DRY_SHAPE_HULL] = "hull",
    [DRY_SHAPE_COMPOUND] = "compound",
    [DRY_SHAPE_MESH] = "mesh",
    [DRY_SHAPE_HEIGHT_FIELD] = "height_field",
};

static const char *const size_fields[DRY_SHAPE_TYPE_COUNT][SIZE_FIELDS_MAX] = {
    [DRY_SHAPE_SPHERE] = {"radius"},
    [DRY_SHAPE_CAPSULE] = {"radius", "half_length"},
    [DRY_SHAPE_BOX] = {"half_extents"},
    [DRY_SHAPE_HALFSPACE] = {"normal", "offset"},
    [DRY_SHAPE_CYLINDER] = {"radius", "half_length"},
    [DRY_SHAPE_HULL] = {"points", "file", "max_vertices"},
    [DRY_SHAPE_COMPOUND] = {"children"},
    [DRY_SHAPE_MESH] = {"vertices", "triangles", "file", "material_indices", "two_sided", "solid"},
    [DRY_SHAPE_HEIGHT_FIELD] = {"rows", "columns", "spacing", "heights", "holes", "material_indices",
                                "diagonal", "solid_depth"},
};

/* Lets the reader fail at a field that no shape of the type has; a child has no surface and no density. */
static void expect_fields(dry_json_reader *r, const dry_json_place *at, json_t *object, dry_shape_type type,
                          bool child)
{
#define X(name, ...) #name,
    static const char *const surface[] = {DRY_SURFACE_NUMBERS(X) "density", "group", "events", NULL};
#undef X
    const char *known[32] = {"type"};
    int count = 1;
    for (int i = 0; i < SIZE_FIELDS_MAX && size_fields[type][i]; i++)
        known[count++] = size_fields[type][i];
    for (int i = 0; surface[i] && !child; i++)
        known[count++] = surface[i];
    known[count++] = "position";
    known[count++] = "orientation";
    known[count++] = "scale";
    if (!child)
        known[count++] = "materials";
    dry_json_expect_known(r, at, object, known);
}

double dry_json_whole(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                      int required, double low, double high)
{
    const double x = dry_json_double(r, at, object, key, required, 0.0);
    const dry_json_place here = {at, key, 0};
    if (!r->failed && !(x >= low && x <= high && x == floor(x)))
        dry_json_fail(r, &here, "expected a whole number from %.0f to %.0f, got %.9g", low, high, x);
    return r->failed ? 0.0 : x;
}

/* ---- Hulls ---- */

bool dry_json_point_file(dry_json_reader *r, const dry_json_place *at, const json_t *object)
{
    const json_t *name = dry_json_field(r, at, object, "file", JSON_STRING, DRY_JSON_REQUIRED);
    const dry_json_place here = {at, "file", 0};
    char path[PATH_BYTES], error[512];
    if (!name)
        return false;
    const char *slash = strrchr(r->file, '/'), *text = json_string_value(name);
    const int folder = slash ? (int)(slash + 1 - r->file) : 0;
    if (text[0] == '\0' || text[0] == '/') {
        dry_json_fail(r, &here, "expected a name relative to the scene's folder, got \"%.60s\"", text);
        return false;
    }
    if (snprintf(path, sizeof path, "%.*s%s", folder, r->file, text) >= (int)sizeof path) {
        dry_json_fail(r, &here, "expected a name of at most %d bytes with its folder", PATH_BYTES - 1);
        return false;
    }
    if (r->points_name && strcmp(r->points_name, path) == 0)
        return true;
    dry_json_free_points(r);
    r->points_name = dry_scene_copy_text(path);
    if (!r->points_name) {
        dry_json_fail(r, at, "out of memory");
    } else if (!dry_point_file_read(path, &r->points, error, sizeof error)) {
        dry_json_free_points(r);
        dry_json_fail(r, &here, "%s", error);
    }
    return !r->failed;
}

void dry_json_free_points(dry_json_reader *r)
{
    dry_point_file_free(&r->points);
    free(r->points_name);
    r->points_name = NULL;
}

dry_vec3 *dry_json_points(dry_json_reader *r, const dry_json_place *at, const json_t *object, const char *key,
                          int most, int *count)
{
    const json_t *list = dry_json_field(r, at, object, key, JSON_ARRAY, DRY_JSON_REQUIRED);
    const dry_json_place here = {at, key, 0};
    if (!list)
        return NULL;
    const size_t size = json_array_size(list);
    if (size < 1 || size > (size_t)most) {
        dry_json_fail(r, &here, "expected 1 to %d %s, got %zu", most, key, size);
        return NULL;
    }
    dry_vec3 *points = malloc(size * sizeof *points);
    if (!points)
        dry_json_fail(r, &here, "out of memory");
    for (size_t i = 0; points && i < size && !r->failed; i++)
        dry_json_element(r, &here, list, (int)i, &points[i]);
    if (r->failed) {
        free(points);
        return NULL;
    }
    *count = (int)size;
    return points;
}

static void fail_hull(dry_json_reader *r, const dry_json_place *at, dry_result result,
                      const dry_hull_report *report)
{
    const dry_json_place point = {at, NULL, report->point};
    if (result == DRY_ERROR_MEMORY)
        dry_json_fail(r, at, "out of memory");
    else if (report->fault == DRY_HULL_BAD_POINT)
        dry_json_fail(r, &point, "expected three numbers from -1e+06 to 1e+06");
    else
        dry_json_fail(r, at, "expected points that span a hull, but %s", dry_hull_fault_name(report->fault));
}

static void read_hull(dry_json_reader *r, const dry_json_place *at, const json_t *object, dry_shape_def *def)
{
    const bool in_file = json_object_get(object, "file") != NULL;
    const dry_json_place limit_at = {at, "max_vertices", 0}, list = {at, in_file ? "file" : "points", 0};
    const int limit = (int)dry_json_whole(r, at, object, "max_vertices", DRY_JSON_OPTIONAL, 0.0, 256.0);
    if (limit > 0 && limit < 4)
        dry_json_fail(r, &limit_at, "expected 0 or a whole number from 4 to 256, got %d", limit);
    if (in_file && json_object_get(object, "points"))
        dry_json_fail(r, &list, "expected either points or a file, got both");
    if (r->failed || (in_file && !dry_json_point_file(r, at, object)))
        return;
    int count = r->points.point_count;
    dry_vec3 *points =
        in_file ? r->points.points : dry_json_points(r, at, object, "points", POINTS_MAX, &count);
    if (!points)
        return;
    dry_hull_report report = {.point = -1};
    const dry_result result = dry_scene_add_hull(r->scene, points, count, limit, &def->data, &report);
    if (result != DRY_OK)
        fail_hull(r, &list, result, &report);
    if (!in_file)
        free(points);
}

/* ---- Compounds ---- */

static void read_sizes(dry_json_reader *r, const dry_json_place *at, json_t *object, dry_shape_def *def);

/* Reads the type, sizes, pose and scale of a shape. Returns false after a failure. */
static bool read_form(dry_json_reader *r, const dry_json_place *at, json_t *object, bool child,
                      dry_shape_def *def)
{
    *def = dry_default_shape_def();
    if (!dry_json_expect_kind(r, at, object, JSON_OBJECT))
        return false;
    const int type = dry_json_name(r, at, object, "type", dry_scene_shape_names, DRY_SHAPE_TYPE_COUNT);
    if (type < 0)
        return false;
    const dry_json_place here = {at, "type", 0};
    def->type = (dry_shape_type)type;
    if (child && (def->type == DRY_SHAPE_COMPOUND || def->type == DRY_SHAPE_HALFSPACE))
        dry_json_fail(r, &here, "expected no %s in a compound", dry_scene_shape_names[type]);
    expect_fields(r, at, object, def->type, child);
    dry_json_vector(r, at, object, "position", DRY_JSON_OPTIONAL, &def->pose.position);
    dry_json_rotation(r, at, object, "orientation", &def->pose.orientation);
    dry_json_vector(r, at, object, "scale", DRY_JSON_OPTIONAL, &def->scale);
    if (!r->failed)
        read_sizes(r, at, object, def);
    return !r->failed;
}

/* Reads a child and checks it. The message of a check begins with the field. */
static void read_child(dry_json_reader *r, const dry_json_place *at, json_t *object, dry_shape_def *child)
{
    char what[256];
    if (!read_form(r, at, object, true, child))
        return;
    if (!dry_scene_check_child(r->scene, child, what, sizeof what)) {
        char *colon = strstr(what, ": ");
        const dry_json_place here = {at, what, 0};
        if (colon)
            *colon = '\0';
        dry_json_fail(r, &here, "%s", colon ? colon + 2 : "expected a child");
        return;
    }
    dry_quat *q = &child->pose.orientation;
    dry_scene_normalize((float *const[]){&q->x, &q->y, &q->z, &q->w}, 4);
}

static void read_compound(dry_json_reader *r, const dry_json_place *at, const json_t *object,
                          dry_shape_def *def)
{
    const json_t *list = dry_json_field(r, at, object, "children", JSON_ARRAY, DRY_JSON_REQUIRED);
    const dry_json_place here = {at, "children", 0};
    if (!list)
        return;
    const size_t count = json_array_size(list);
    if (count < 1 || count > CHILDREN_MAX) {
        dry_json_fail(r, &here, "expected 1 to %d shapes, got %zu", CHILDREN_MAX, count);
        return;
    }
    dry_shape_def *children = malloc(count * sizeof *children);
    if (!children)
        dry_json_fail(r, &here, "out of memory");
    for (size_t i = 0; i < count && !r->failed; i++) {
        const dry_json_place child = {&here, NULL, (int)i};
        read_child(r, &child, json_array_get(list, i), &children[i]);
    }
    if (!r->failed) {
        const dry_result result = dry_scene_add_compound(r->scene, children, (int)count, &def->data);
        if (result != DRY_OK)
            dry_json_fail(r, &here, "%s",
                          result == DRY_ERROR_MEMORY ? "out of memory" : "expected shapes of a compound");
    }
    free(children);
}

/* ---- Shapes ---- */

static void read_sizes(dry_json_reader *r, const dry_json_place *at, json_t *object, dry_shape_def *def)
{
    switch (def->type) {
    case DRY_SHAPE_BOX:
        dry_json_vector(r, at, object, "half_extents", DRY_JSON_REQUIRED, &def->half_extents);
        break;
    case DRY_SHAPE_CAPSULE:
    case DRY_SHAPE_CYLINDER:
        dry_json_float(r, at, object, "radius", DRY_JSON_REQUIRED, &def->radius);
        dry_json_float(r, at, object, "half_length", DRY_JSON_REQUIRED, &def->half_length);
        break;
    case DRY_SHAPE_SPHERE:
        dry_json_float(r, at, object, "radius", DRY_JSON_REQUIRED, &def->radius);
        break;
    case DRY_SHAPE_HULL:
        read_hull(r, at, object, def);
        break;
    case DRY_SHAPE_COMPOUND:
        read_compound(r, at, object, def);
        break;
    case DRY_SHAPE_MESH:
        dry_json_mesh(r, at, object, def);
        break;
    case DRY_SHAPE_HEIGHT_FIELD:
        dry_json_height_field(r, at, object, def);
        break;
    default:
        dry_json_vector(r, at, object, "normal", DRY_JSON_REQUIRED, &def->normal);
        dry_json_float(r, at, object, "offset", DRY_JSON_REQUIRED, &def->offset);
    }
}

void dry_json_shape(dry_json_reader *r, const dry_json_place *at, json_t *object)
{
    dry_shape_def def;
    if (!read_form(r, at, object, false, &def))
        return;
    dry_json_float(r, at, object, "density", DRY_JSON_OPTIONAL, &def.density);
#define X(name, ...) dry_json_float(r, at, object, #name, DRY_JSON_OPTIONAL, &def.name);
    DRY_SURFACE_NUMBERS(X)
#undef X
    def.filter.group = (int32_t)dry_json_whole(r, at, object, "group", DRY_JSON_OPTIONAL,
                                               -DRY_SCENE_GROUP_MAX, DRY_SCENE_GROUP_MAX);
    if (!r->failed && json_object_get(object, "events"))
        def.events =
            (uint32_t)dry_json_name(r, at, object, "events", dry_scene_event_names, DRY_SHAPE_EVENTS_ALL + 1);
    dry_material *materials = dry_json_materials(r, at, object, &def.material_count);
    def.materials = materials;
    if (!r->failed && dry_scene_add_shape(r->scene, &def) < 0)
        dry_json_fail(r, at, "out of memory");
    free(materials);
}
