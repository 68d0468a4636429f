/* The materials of shapes: the first of each shape in columns, and a list for shapes that have several.
 *
 * The list is beside the state: a shape's column has the hash of its materials. A part of the list that no
 * shape has any more is a hole until the holes are closed. Reads and writes columns of shapes and the list.
 * Next: state/shapes.c, which mixes two materials. */
#include "core/assert.h"
#include "state/definitions.h"
#include "state/hash_mix.h"
#include "state/shapes.h"

dry_material dry_material_standard(void)
{
    return (dry_material){DRY_MATERIAL_DEF_FIELDS(DRY_FIELD_DEFAULT, dry_material)};
}

const dry_material *dry_materials_of_def(const dry_shape_def *def, dry_material *own)
{
    if (def->material_count > 0)
        return def->materials;
    *own = dry_material_standard();
#define X(name, ...) own->name = def->name;
    DRY_SURFACE_NUMBERS(X)
#undef X
    return own;
}

uint64_t dry_shapes_material_id(const dry_shapes *shapes, int shape, int index)
{
    if (index > 0)
        return dry_shapes_material(shapes, shape, index).id;
    return shapes->material ? shapes->material[shape].id : 0;
}

dry_material dry_shapes_material(const dry_shapes *shapes, int shape, int index)
{
    if (index > 0) {
        DRY_ASSERT(index < dry_shapes_material_count(shapes, shape));
        return shapes->list[shapes->material[shape].begin + index].material;
    }
    dry_material material = {0};
#define X(name, standard, high, error, column, member, ...)                                                  \
    if (shapes->column)                                                                                      \
        material.name = shapes->column[shape].member;
    DRY_SURFACE_NUMBERS(X)
#undef X
#define X(name, limit, error, column, member, ...)                                                           \
    if (shapes->column)                                                                                      \
        material.name = shapes->column[shape].member;
    DRY_SURFACE_VECTORS(X)
#undef X
    const dry_shape_rules *rules = shapes->rules ? &shapes->rules[shape] : &dry_shape_default_rules;
#define X(name, standard) material.name = (dry_combination)rules->name;
    DRY_SURFACE_RULES(X)
#undef X
    material.id = dry_shapes_material_id(shapes, shape, 0);
    return material;
}

bool dry_shapes_need_materials(dry_shapes *shapes, dry_memory *memory, const dry_material *materials,
                               int count)
{
    bool ok = count < 2 || dry_shapes_need_material(shapes, memory);
    for (int i = 0; i < count && ok; i++) {
        const dry_material *m = &materials[i];
        shapes->unlike |= shapes->usual > 0.0f && m->friction + 1.0f != shapes->usual;
        shapes->usual = m->friction + 1.0f;
#define X(name, standard, high, error, column, ...)                                                          \
    ok = ok && (m->name == 0.0f || dry_shapes_need_##column(shapes, memory));
        DRY_SURFACE_NUMBERS(X)
#undef X
#define X(name, limit, error, column, ...)                                                                   \
    ok = ok && (vec3_is_zero(m->name) || dry_shapes_need_##column(shapes, memory));
        DRY_SURFACE_VECTORS(X)
#undef X
#define X(name, standard) ok = ok && (m->name == (standard) || dry_shapes_need_rules(shapes, memory));
        DRY_SURFACE_RULES(X)
#undef X
        /* By unlike rules a pair has static friction above its friction, though neither side has any. */
        ok = ok && (m->friction_rule == m->static_friction_rule || dry_shapes_need_stiction(shapes, memory));
        ok = ok && (m->id == 0 || dry_shapes_need_material(shapes, memory));
    }
    return ok;
}

bool dry_shapes_reserve_list(dry_shapes *shapes, dry_memory *memory, int more)
{
    enum { LISTED_MAX = 1 << 28 }; /* 19 GB: the sum below stays an int */
    return more <= LISTED_MAX - shapes->listed &&
           DRY_RESERVE(memory, shapes->list, shapes->list_capacity, shapes->listed + more);
}

static uint64_t hash_of(const dry_material *materials, int count)
{
    uint64_t hash = (uint64_t)count;
    for (int i = 0; i < count; i++) {
        const dry_material *m = &materials[i];
#define X(name, ...) hash = dry_hash_mix_floats(hash, &m->name, 1);
        DRY_SURFACE_NUMBERS(X)
#undef X
#define X(name, ...) hash = dry_hash_mix_floats(hash, (const float[]){m->name.x, m->name.y, m->name.z}, 3);
        DRY_SURFACE_VECTORS(X)
#undef X
#define X(name, ...) hash = dry_hash_mix(hash, (uint64_t)m->name);
        DRY_SURFACE_RULES(X)
#undef X
        hash = dry_hash_mix(hash, m->id);
    }
    return dry_hash_spread(hash);
}

/* Closes the holes of the list once they are more than half of it: each material moves once for each that
 * left. */
static void close_holes(dry_shapes *shapes)
{
    enum { HOLES_MIN = 64 };
    if (shapes->list_left < HOLES_MIN || shapes->list_left <= shapes->listed / 2)
        return;
    int to = 0;
    for (int from = 0; from < shapes->listed; from++) {
        const int shape = shapes->list[from].shape;
        if (shape < 0)
            continue;
        if (shapes->material[shape].begin == from)
            shapes->material[shape].begin = to;
        shapes->list[to++] = shapes->list[from];
    }
    shapes->listed = to;
    shapes->list_left = 0;
}

void dry_shapes_drop_materials(dry_shapes *shapes, int shape)
{
    if (!shapes->material)
        return;
    const dry_shape_material old = shapes->material[shape];
    shapes->material[shape] = dry_shape_default_material;
    for (int i = 0; i < old.count; i++)
        shapes->list[old.begin + i].shape = -1;
    shapes->list_left += old.count;
    close_holes(shapes);
}

/* Stores the first material of a shape in the columns. */
static void set_first(dry_shapes *shapes, int shape, const dry_material *first)
{
#define X(name, standard, high, error, column, member, ...)                                                  \
    if (shapes->column)                                                                                      \
        shapes->column[shape].member = first->name;
    DRY_SURFACE_NUMBERS(X)
#undef X
#define X(name, limit, error, column, member, ...)                                                           \
    if (shapes->column)                                                                                      \
        shapes->column[shape].member = first->name;
    DRY_SURFACE_VECTORS(X)
#undef X
#define X(name, standard)                                                                                    \
    if (shapes->rules)                                                                                       \
        shapes->rules[shape].name = (uint8_t)first->name;
    DRY_SURFACE_RULES(X)
#undef X
    if (shapes->material)
        shapes->material[shape].id = first->id;
}

void dry_shapes_set_materials(dry_shapes *shapes, int shape, const dry_material *materials, int count)
{
    dry_shapes_drop_materials(shapes, shape);
    set_first(shapes, shape, &materials[0]);
    if (count < 2)
        return;
    DRY_ASSERT(shapes->listed + count <= shapes->list_capacity);
    shapes->material[shape].hash = hash_of(materials, count);
    shapes->material[shape].begin = shapes->listed;
    shapes->material[shape].count = count;
    for (int i = 0; i < count; i++)
        shapes->list[shapes->listed++] = (dry_listed_material){materials[i], shape};
}
