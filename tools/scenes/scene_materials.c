/* Reads, checks and writes the materials of shapes in scene files.
 *
 * Reads JSON values; writes materials into memory from malloc, which dry_scene_add_shape copies. Next:
 * scene_check_shapes.c and scene_write_shapes.c, for all else of a shape. */
#include "state/surface.h"
#include "tools/scenes/scene_expect.h"
#include "tools/scenes/scene_json.h"
#include "tools/scenes/scene_print.h"

#include <stdlib.h>

enum { MATERIALS_MAX = 65536 };

const char *const dry_scene_rule_names[DRY_COMBINE_COUNT] = {
    [DRY_COMBINE_GEOMETRIC_MEAN] = "geometric-mean",
    [DRY_COMBINE_MEAN] = "mean",
    [DRY_COMBINE_SMALLEST] = "smallest",
    [DRY_COMBINE_LARGEST] = "largest",
    [DRY_COMBINE_PRODUCT] = "product",
};

static void read_material(dry_json_reader *r, const dry_json_place *at, json_t *object, dry_material *m)
{
#define X(name, ...) #name,
    static const char *const known[] = {
        DRY_SURFACE_NUMBERS(X) DRY_SURFACE_VECTORS(X) DRY_SURFACE_RULES(X) "id", NULL};
#undef X
    *m = dry_default_material();
    if (!dry_json_expect_kind(r, at, object, JSON_OBJECT))
        return;
    dry_json_expect_known(r, at, object, known);
#define X(name, ...) dry_json_float(r, at, object, #name, DRY_JSON_OPTIONAL, &m->name);
    DRY_SURFACE_NUMBERS(X)
#undef X
#define X(name, ...) dry_json_vector(r, at, object, #name, DRY_JSON_OPTIONAL, &m->name);
    DRY_SURFACE_VECTORS(X)
#undef X
#define X(name, ...)                                                                                         \
    if (!r->failed && json_object_get(object, #name)) {                                                      \
        const int rule = dry_json_name(r, at, object, #name, dry_scene_rule_names, DRY_COMBINE_COUNT);       \
        m->name = rule < 0 ? m->name : (dry_combination)rule;                                                \
    }
    DRY_SURFACE_RULES(X)
#undef X
    m->id = (uint64_t)dry_json_whole(r, at, object, "id", DRY_JSON_OPTIONAL, 0.0, DRY_SCENE_ID_MAX);
}

dry_material *dry_json_materials(dry_json_reader *r, const dry_json_place *at, const json_t *object,
                                 int *count)
{
    const json_t *list = dry_json_field(r, at, object, "materials", JSON_ARRAY, DRY_JSON_OPTIONAL);
    const dry_json_place here = {at, "materials", 0};
    if (!list)
        return NULL;
#define X(name, ...)                                                                                         \
    if (json_object_get(object, #name))                                                                      \
        dry_json_fail(r, &here, "expected either materials or %s, got both", #name);
    DRY_SURFACE_NUMBERS(X)
#undef X
    const size_t size = json_array_size(list);
    if (size < 1 || size > MATERIALS_MAX)
        dry_json_fail(r, &here, "expected 1 to %d materials, got %zu", MATERIALS_MAX, size);
    dry_material *materials = r->failed ? NULL : malloc(size * sizeof *materials);
    if (!materials)
        dry_json_fail(r, &here, "out of memory"); /* keeps an earlier failure */
    for (size_t i = 0; i < size && !r->failed; i++) {
        const dry_json_place element = {&here, NULL, (int)i};
        read_material(r, &element, json_array_get(list, i), &materials[i]);
    }
    *count = (int)size;
    return materials;
}

static bool check_material(const place *at, int index, const dry_material *def)
{
    char field[64];
    bool ok = true;
#define FIELD(name) (snprintf(field, sizeof field, "materials[%d]." #name, index), field)
#define X(name, standard, high, ...) ok = ok && expect_range(at, FIELD(name), -1, def->name, 0.0f, high);
    DRY_SURFACE_NUMBERS(X)
#undef X
#define X(name, limit, ...) ok = ok && expect_components(at, FIELD(name), def->name, -limit, limit);
    DRY_SURFACE_VECTORS(X)
#undef X
#define X(name, ...)                                                                                         \
    ok = ok && ((unsigned)def->name < DRY_COMBINE_COUNT ||                                                   \
                expect_at(at, FIELD(name), -1, "a known rule", (double)def->name));
    DRY_SURFACE_RULES(X)
#undef X
    return ok && (def->id <= (uint64_t)DRY_SCENE_ID_MAX ||
                  expect_at(at, FIELD(id), -1, "a number from 0 to 2^53", (double)def->id));
#undef FIELD
}

bool dry_scene_check_materials(const place *at, const dry_shape_def *shape)
{
    const dry_shape_def plain = dry_default_shape_def();
    const int count = shape->material_count;
    if (count == 0)
        return true;
    if (count < 0 || count > MATERIALS_MAX || !shape->materials)
        return expect_at(at, "materials", -1, "0 to 65536 materials", (double)count);
#define X(name, ...)                                                                                         \
    if (shape->name != plain.name)                                                                           \
        return expect_at(at, #name, -1, "its default beside materials", (double)shape->name);
    DRY_SURFACE_NUMBERS(X)
#undef X
    bool ok = true;
    for (int i = 0; i < count && ok; i++)
        ok = check_material(at, i, &shape->materials[i]);
    return ok;
}

/* Prints the fields of a material that differ from their defaults. */
static void print_material(FILE *file, const dry_material *m)
{
    const dry_material plain = dry_default_material();
    fprintf(file, "{\"id\": %.0f", (double)m->id);
#define X(name, ...)                                                                                         \
    if (m->name != plain.name)                                                                               \
        dry_print_number(file, #name, m->name);
    DRY_SURFACE_NUMBERS(X)
#undef X
#define X(name, ...)                                                                                         \
    if (m->name.x != 0.0f || m->name.y != 0.0f || m->name.z != 0.0f)                                         \
        dry_print_vector(file, #name, m->name);
    DRY_SURFACE_VECTORS(X)
#undef X
#define X(name, ...)                                                                                         \
    if (m->name != plain.name)                                                                               \
        fprintf(file, ", \"%s\": \"%s\"", #name, dry_scene_rule_names[m->name]);
    DRY_SURFACE_RULES(X)
#undef X
    fputc('}', file);
}

void dry_print_surface(FILE *file, const dry_shape_def *shape)
{
#define X(name, standard, high, error, column, member, mix, kept, written, ...)                              \
    if (shape->material_count == 0 && ((written) || shape->name != 0.0f))                                    \
        dry_print_number(file, #name, shape->name);
    DRY_SURFACE_NUMBERS(X)
#undef X
    for (int i = 0; i < shape->material_count; i++) {
        fputs(i > 0 ? ",\n     " : ", \"materials\": [", file);
        print_material(file, &shape->materials[i]);
    }
    if (shape->material_count > 0)
        fputc(']', file);
}
