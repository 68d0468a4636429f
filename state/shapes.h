/* Shapes as columns. A shape's index is its slot: it never moves. */
#ifndef STATE_SHAPES_H
#define STATE_SHAPES_H

#include "core/math.h"
#include "core/memory.h"
#include "core/slots.h"
#include "state/fields.h"
#include "state/geometry.h"
#include "state/surface.h"

/* The part of a shape that bounds and contacts read. */
#define DRY_SHAPE_FORM_FIELDS(F, T)                                                                          \
    F(T, 1, dry_geometry_core, geometry, , DRY_GEOMETRY_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,              \
      "type and sizes")                                                                                      \
    F(T, 2, dry_transform, pose, , DRY_TRANSFORM_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                     \
      "in the body's principal frame; a half-space is solid below its y = 0")                                \
    F(T, 3, int32_t, body, , -1, "", DRY_HASHED, DRY_BY_CALLS, "slot of the body")                           \
    F(T, 4, int32_t, proxy, , -1, "", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,                            \
      "index in the broadphase; -1: none, as in a disabled body")                                            \
    F(T, 5, float, radius, , 0.0f, "m", DRY_HASHED, DRY_BY_CALLS,                                            \
      "of the sphere about the shape's origin that holds the shape")                                         \
    DRY_SURFACE_FORM_FIELDS(F, T)

/* Data that the user gave besides. dry_shape_get_def puts the definition together again. */
#define DRY_SHAPE_LINK_FIELDS(F, T)                                                                          \
    F(T, 1, uint64_t, user_data, , 0, "", DRY_OF_CALLER("the caller's own"), DRY_BY_CALLS,                   \
      "returned to the caller as given")                                                                     \
    F(T, 2, float, density_or_offset, , 0.0f, "kg/m^3, m", DRY_HASHED, DRY_BY_CALLS,                         \
      "a half-space's offset along its normal, geometry.size; else the density")                             \
    F(T, 3, int32_t, next, , -1, "", DRY_HASHED, DRY_BY_CALLS, "next shape of the same body; -1: none")

/* Creation order, which slots lose when they are reused. */
#define DRY_SHAPE_CREATION_FIELDS(F, T)                                                                      \
    F(T, 1, uint64_t, index, , 0, "", DRY_HASHED, DRY_BY_CALLS, "rises with each shape that the world makes")

/* The pose that the user gave the shape. */
#define DRY_SHAPE_POSE_FIELDS(F, T)                                                                          \
    F(T, 1, dry_vec3, position, , DRY_VEC3_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                           \
      "in the user's body frame")                                                                            \
    F(T, 2, dry_quat, orientation, , DRY_QUAT_DEFAULT, "", DRY_HASHED, DRY_BY_CALLS,                         \
      "in the user's body frame")

/* The filter: which shapes the shape may touch. */
#define DRY_SHAPE_FILTER_FIELDS(F, T)                                                                        \
    F(T, 1, uint64_t, category, , 1, "", DRY_HASHED, DRY_BY_CALLS,                                           \
      "a bit for each category that the shape is of")                                                        \
    F(T, 2, uint64_t, mask, , UINT64_MAX, "", DRY_HASHED, DRY_BY_CALLS,                                      \
      "the categories that the shape may touch")                                                             \
    F(T, 3, int32_t, group, , 0, "", DRY_HASHED, DRY_BY_CALLS,                                               \
      "shapes of one group, if not 0, touch always (above 0) or never (below)")

/* The events that a shape asks for. */
#define DRY_SHAPE_EVENTS_FIELDS(F, T)                                                                        \
    F(T, 1, uint32_t, kinds, , DRY_SHAPE_EVENTS_ALL, "", DRY_HASHED, DRY_BY_CALLS, "bits of dry_shape_events")

/* The data of a shape whose form is shared. The shape holds a reference. */
#define DRY_SHAPE_DATA_FIELDS(F, T)                                                                          \
    F(T, 1, dry_shape_data *, data, , NULL, "", DRY_DERIVED("its hash stands for it"), DRY_BY_CALLS,         \
      "null: none")                                                                                          \
    F(T, 2, uint64_t, hash, , 0, "", DRY_HASHED, DRY_BY_CALLS, "of the contents")

DRY_STRUCT_OF(dry_shape_form, DRY_SHAPE_FORM_FIELDS);
DRY_STRUCT_OF(dry_shape_link, DRY_SHAPE_LINK_FIELDS);
DRY_STRUCT_OF(dry_shape_creation, DRY_SHAPE_CREATION_FIELDS);
DRY_STRUCT_OF(dry_shape_rolling, DRY_SHAPE_ROLLING_FIELDS);
DRY_STRUCT_OF(dry_shape_stiction, DRY_SHAPE_STICTION_FIELDS);
DRY_STRUCT_OF(dry_shape_spring, DRY_SHAPE_SPRING_FIELDS);
DRY_STRUCT_OF(dry_shape_asset, DRY_SHAPE_DATA_FIELDS);
DRY_STRUCT_OF(dry_asked_events, DRY_SHAPE_EVENTS_FIELDS);
DRY_STRUCT_OF(dry_shape_belt, DRY_SHAPE_BELT_FIELDS);
DRY_STRUCT_OF(dry_shape_rules, DRY_SHAPE_RULES_FIELDS);
DRY_STRUCT_OF(dry_shape_material, DRY_SHAPE_MATERIAL_FIELDS);
DRY_LIST_MATCHES(dry_transform, DRY_SHAPE_POSE_FIELDS, 0);
DRY_LIST_MATCHES(dry_filter, DRY_SHAPE_FILTER_FIELDS, 4);
_Static_assert(sizeof(dry_shape_form) == 64, "one cache line a shape");
_Static_assert(sizeof(dry_shape_link) == 16, "four to a cache line");

/* X(ID, type, name, FIELDS, number), as DRY_BODY_COLUMNS. */
#define DRY_SHAPE_COLUMNS(X)                                                                                 \
    X(SHAPE_FORM, dry_shape_form, form, DRY_SHAPE_FORM_FIELDS, 20)                                           \
    X(SHAPE_LINK, dry_shape_link, link, DRY_SHAPE_LINK_FIELDS, 21)                                           \
    X(SHAPE_CREATION, dry_shape_creation, creation, DRY_SHAPE_CREATION_FIELDS, 22)

/* Columns that few shapes need, absent as those of bodies are. */
#define DRY_SHAPE_RARE_COLUMNS(X)                                                                            \
    X(SHAPE_POSE, dry_transform, pose, DRY_SHAPE_POSE_FIELDS, 23)                                            \
    X(SHAPE_FILTER, dry_filter, filter, DRY_SHAPE_FILTER_FIELDS, 24)                                         \
    X(SHAPE_ROLLING, dry_shape_rolling, rolling, DRY_SHAPE_ROLLING_FIELDS, 28)                               \
    X(SHAPE_STICTION, dry_shape_stiction, stiction, DRY_SHAPE_STICTION_FIELDS, 29)                           \
    X(SHAPE_SPRING, dry_shape_spring, spring, DRY_SHAPE_SPRING_FIELDS, 34)                                   \
    X(SHAPE_ASSET, dry_shape_asset, asset, DRY_SHAPE_DATA_FIELDS, 35)                                        \
    X(SHAPE_BELT, dry_shape_belt, belt, DRY_SHAPE_BELT_FIELDS, 36)                                           \
    X(SHAPE_RULES, dry_shape_rules, rules, DRY_SHAPE_RULES_FIELDS, 37)                                       \
    X(SHAPE_MATERIAL, dry_shape_material, material, DRY_SHAPE_MATERIAL_FIELDS, 38)                           \
    X(SHAPE_EVENTS, dry_asked_events, events, DRY_SHAPE_EVENTS_FIELDS, 82)

/* Numbers that the table of shapes keeps once. */
#define DRY_SHAPES_FIELDS(F, T) F(T, 1, uint64_t, made, , 0, "", DRY_HASHED, DRY_BY_CALLS, "shapes ever made")

/* A material in the list, and the shape that has it; -1: none any more. */
typedef struct dry_listed_material {
    dry_material material;
    int32_t shape;
} dry_listed_material;

#define DRY_MATERIAL_COLUMNS(X) X(LISTED_MATERIAL, dry_listed_material, list, DRY_LISTED_MATERIAL_FIELDS, 76)
DRY_LIST_MATCHES(dry_listed_material, DRY_LISTED_MATERIAL_FIELDS, 8);

typedef struct dry_shapes {
    dry_slots slots;
    DRY_SHAPES_FIELDS(DRY_FIELD_MEMBER, dry_shapes)
    DRY_SHAPE_COLUMNS(DRY_COLUMN_MEMBERS)
    DRY_SHAPE_RARE_COLUMNS(DRY_COLUMN_MEMBERS)
    dry_listed_material *list; /* of the shapes that have several materials, those of a shape in a row */
    int list_capacity;
    int listed;    /* elements, with those of holes */
    int list_left; /* elements in holes */
    int pieced;    /* shapes that are made of pieces */
    float usual;   /* friction of the last material that some shape got, plus 1; 0: none did */
    bool unlike;   /* not all had that friction */
} dry_shapes;

/* The values of all shapes while a rare column is absent: dry_shape_default_pose and so on. */
#define X(ID, type, name, FIELDS, number)                                                                    \
    static const type dry_shape_default_##name = {FIELDS(DRY_FIELD_DEFAULT, type)};
DRY_SHAPE_RARE_COLUMNS(X)
#undef X

static inline bool dry_shapes_reserve(dry_shapes *shapes, dry_memory *memory, int more)
{
    if (!dry_slots_reserve(&shapes->slots, memory, more))
        return false;
#define X(ID, type, name, ...)                                                                               \
    if (!DRY_FIT(memory, shapes->name, shapes->name##_capacity, shapes->slots.capacity))                     \
        return false;
    DRY_SHAPE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...)                                                                               \
    if (shapes->name && !DRY_FIT(memory, shapes->name, shapes->name##_capacity, shapes->slots.capacity))     \
        return false;
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
    return true;
}

/* dry_shapes_need_pose, _need_filter and so on: make a rare column, if it is absent, for the shapes that
 * there is room for; false, and nothing changed, if memory fails. */
#define X(ID, type, name, ...)                                                                               \
    static inline bool dry_shapes_need_##name(dry_shapes *shapes, dry_memory *memory)                        \
    {                                                                                                        \
        return DRY_MAKE(memory, shapes->name, shapes->name##_capacity, shapes->slots.capacity,               \
                        shapes->slots.used, dry_shape_default_##name);                                       \
    }
DRY_SHAPE_RARE_COLUMNS(X)
#undef X

/* Every shape has a form: numbers of surfaces may be there or in a rare column. */
static inline bool dry_shapes_need_form(dry_shapes *shapes, dry_memory *memory)
{
    (void)memory;
    return shapes->form != NULL;
}

static inline const dry_transform *dry_shapes_pose(const dry_shapes *shapes, int shape)
{
    return shapes->pose ? &shapes->pose[shape] : &dry_shape_default_pose;
}

/* Returns a shape by itself. */
static inline dry_geometry dry_shapes_geometry(const dry_shapes *shapes, int shape)
{
    const dry_geometry_core *core = &shapes->form[shape].geometry;
    return (dry_geometry){core->size, core->type, shapes->asset ? shapes->asset[shape].data : NULL};
}

static inline const dry_filter *dry_shapes_filter(const dry_shapes *shapes, int shape)
{
    return shapes->filter ? &shapes->filter[shape] : &dry_shape_default_filter;
}
/* Tells whether the filters of two shapes let them touch. */
static inline bool dry_shapes_filters_agree(const dry_shapes *shapes, int shape_a, int shape_b)
{
    const dry_filter *a = dry_shapes_filter(shapes, shape_a), *b = dry_shapes_filter(shapes, shape_b);
    if (a->group != 0 && a->group == b->group)
        return a->group > 0;
    return (a->mask & b->category) && (b->mask & a->category);
}

static inline uint32_t dry_shapes_events(const dry_shapes *shapes, int shape)
{
    return shapes->events ? shapes->events[shape].kinds : dry_shape_default_events.kinds;
}

/* Tells whether one of two shapes asks for a kind of events. */
static inline bool dry_shapes_ask(const dry_shapes *shapes, int shape_a, int shape_b, uint32_t kind)
{
    return (dry_shapes_events(shapes, shape_a) | dry_shapes_events(shapes, shape_b)) & kind;
}

/* The numbers of one surface, or of a pair. Without a stiffness of its own a pair is as stiff as the world's
 * settings say. */
typedef struct dry_surface {
#define X(name, ...) float name;
    DRY_SURFACE_NUMBERS(X)
#undef X
} dry_surface;

/* Returns the material of which nothing was given. */
dry_material dry_material_standard(void);
/* Returns the materials of a definition, of which there is at least one: those that are given, or `own`,
 * which takes the coefficients of the definition. */
const dry_material *dry_materials_of_def(const dry_shape_def *def, dry_material *own);
/* Returns a material of a shape. */
dry_material dry_shapes_material(const dry_shapes *shapes, int shape, int index);
/* Returns the id of such a material. */
uint64_t dry_shapes_material_id(const dry_shapes *shapes, int shape, int index);
/* Returns the number of a shape's materials. */
static inline int dry_shapes_material_count(const dry_shapes *shapes, int shape)
{
    return shapes->material ? dry_max_int(shapes->material[shape].count, 1) : 1;
}
/* Makes the rare columns that hold the materials of a shape. Returns false if memory fails. */
bool dry_shapes_need_materials(dry_shapes *shapes, dry_memory *memory, const dry_material *materials,
                               int count);
/* Reserves room in the list for `more` materials, of shapes with several. Returns false if memory fails. */
bool dry_shapes_reserve_list(dry_shapes *shapes, dry_memory *memory, int more);
/* Replaces the materials of a shape. Columns and room in the list must have been made. */
void dry_shapes_set_materials(dry_shapes *shapes, int shape, const dry_material *materials, int count);
/* Forgets the materials of a shape that goes. */
void dry_shapes_drop_materials(dry_shapes *shapes, int shape);

/* Two shapes, each with the index of the material that touches. */
typedef struct dry_surface_pair {
    int shape[2], material[2];
} dry_surface_pair;

/* Returns the numbers of a pair of surfaces. */
dry_surface dry_shapes_mixed(const dry_shapes *shapes, dry_surface_pair pair);
/* Tells whether a pair of surfaces has a stiffness of its own. */
bool dry_shapes_have_spring(const dry_shapes *shapes, dry_surface_pair pair);

#endif
