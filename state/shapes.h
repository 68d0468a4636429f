/* Shapes as columns. A shape's index is its slot: it never moves. */
#ifndef STATE_SHAPES_H
#define STATE_SHAPES_H

#include "core/math.h"
#include "core/memory.h"
#include "core/slots.h"
#include "state/fields.h"
#include "state/geometry.h"

#include <float.h>

/* The part of a shape that bounds and contacts read. */
#define DRY_SHAPE_FORM_FIELDS(F, T)                                                                          \
    F(T, 1, dry_geometry, geometry, , DRY_GEOMETRY_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS, "type and sizes") \
    F(T, 2, dry_transform, pose, , DRY_TRANSFORM_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                     \
      "in the body's principal frame; a half-space is solid below its y = 0")                                \
    F(T, 3, int32_t, body, , -1, "", DRY_HASHED, DRY_BY_CALLS, "slot of the body")                           \
    F(T, 4, int32_t, proxy, , -1, "", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,                            \
      "index in the broadphase; -1: none, as in a disabled body")                                            \
    F(T, 5, float, radius, , 0.0f, "m", DRY_HASHED, DRY_BY_CALLS,                                            \
      "of the sphere about the shape's origin that holds the shape")                                         \
    F(T, 6, float, friction, , 0.0f, "", DRY_HASHED, DRY_BY_CALLS,                                           \
      "coefficient; a pair uses the geometric mean")                                                         \
    F(T, 7, float, restitution, , 0.0f, "", DRY_HASHED, DRY_BY_CALLS, "coefficient; a pair uses the larger")

/* Data that the user gave besides. dry_shape_get_def puts the definition together again. */
#define DRY_SHAPE_LINK_FIELDS(F, T)                                                                          \
    F(T, 1, uint64_t, user_data, , 0, "", DRY_UNHASHED("the caller's own"), DRY_BY_CALLS,                    \
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

/* Rolling resistance: how the shape's surface resists round shapes that roll on it. */
#define DRY_SHAPE_ROLLING_FIELDS(F, T)                                                                       \
    F(T, 1, float, resistance, , 0.0f, "", DRY_HASHED, DRY_BY_CALLS, "coefficient; a pair uses the larger")

/* Static friction: how much more than its friction the shape holds while it sticks. */
#define DRY_SHAPE_STICTION_FIELDS(F, T)                                                                      \
    F(T, 1, float, friction, , 0.0f, "", DRY_HASHED, DRY_BY_CALLS,                                           \
      "coefficient of a patch that sticks; below the shape's friction: as that")

/* The spring of a shape's surface, at each point of its contacts. */
#define DRY_SHAPE_SPRING_FIELDS(F, T)                                                                        \
    F(T, 1, float, stiffness, , 0.0f, "N/m", DRY_HASHED, DRY_BY_CALLS,                                       \
      "k; a pair uses both in series; 0: rigid beside a shape that has one")                                 \
    F(T, 2, float, damping, , 0.0f, "N s/m", DRY_HASHED, DRY_BY_CALLS, "c of that spring")

DRY_STRUCT_OF(dry_shape_form, DRY_SHAPE_FORM_FIELDS);
DRY_STRUCT_OF(dry_shape_link, DRY_SHAPE_LINK_FIELDS);
DRY_STRUCT_OF(dry_shape_creation, DRY_SHAPE_CREATION_FIELDS);
DRY_STRUCT_OF(dry_shape_rolling, DRY_SHAPE_ROLLING_FIELDS);
DRY_STRUCT_OF(dry_shape_stiction, DRY_SHAPE_STICTION_FIELDS);
DRY_STRUCT_OF(dry_shape_spring, DRY_SHAPE_SPRING_FIELDS);
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
    X(SHAPE_SPRING, dry_shape_spring, spring, DRY_SHAPE_SPRING_FIELDS, 34)

/* Numbers that the table of shapes keeps once. */
#define DRY_SHAPES_FIELDS(F, T) F(T, 1, uint64_t, made, , 0, "", DRY_HASHED, DRY_BY_CALLS, "shapes ever made")

typedef struct dry_shapes {
    dry_slots slots;
    DRY_SHAPES_FIELDS(DRY_FIELD_MEMBER, dry_shapes)
#define X(ID, type, name, ...)                                                                               \
    type *name;                                                                                              \
    int name##_capacity;
    DRY_SHAPE_COLUMNS(X)
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
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
    if (!DRY_RESERVE(memory, shapes->name, shapes->name##_capacity, shapes->slots.capacity))                 \
        return false;
    DRY_SHAPE_COLUMNS(X)
#undef X
#define X(ID, type, name, ...)                                                                               \
    if (shapes->name && !DRY_RESERVE(memory, shapes->name, shapes->name##_capacity, shapes->slots.capacity)) \
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
        if (shapes->name)                                                                                    \
            return true;                                                                                     \
        if (!DRY_RESERVE(memory, shapes->name, shapes->name##_capacity, shapes->slots.capacity))             \
            return false;                                                                                    \
        for (int shape = 0; shape < shapes->slots.used; shape++)                                             \
            shapes->name[shape] = dry_shape_default_##name;                                                  \
        return true;                                                                                         \
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

static inline const dry_filter *dry_shapes_filter(const dry_shapes *shapes, int shape)
{
    return shapes->filter ? &shapes->filter[shape] : &dry_shape_default_filter;
}

/* How a pair mixes the numbers of its surfaces. */
static inline float dry_shapes_mixed_friction(const dry_shapes *shapes, int a, int b)
{
    return sqrtf(shapes->form[a].friction * shapes->form[b].friction);
}

static inline float dry_shapes_mixed_restitution(const dry_shapes *shapes, int a, int b)
{
    return dry_max(shapes->form[a].restitution, shapes->form[b].restitution);
}

static inline float dry_shapes_mixed_rolling_resistance(const dry_shapes *shapes, int a, int b)
{
    return shapes->rolling ? dry_max(shapes->rolling[a].resistance, shapes->rolling[b].resistance) : 0.0f;
}

/* Returns the static coefficient of a pair: no surface has less of it than its friction. */
static inline float dry_shapes_mixed_static_friction(const dry_shapes *shapes, int a, int b)
{
    if (!shapes->stiction)
        return dry_shapes_mixed_friction(shapes, a, b);
    return sqrtf(dry_max(shapes->stiction[a].friction, shapes->form[a].friction) *
                 dry_max(shapes->stiction[b].friction, shapes->form[b].friction));
}

/* Returns the spring of a pair; stiffness 0: the world's settings say how stiff the pair is. Surfaces in
 * series bear the same force F: they give way by F / k_a + F / k_b, and lose c (F' / k)^2 each. */
static inline dry_shape_spring dry_shapes_mixed_spring(const dry_shapes *shapes, int a, int b)
{
    if (!shapes->spring)
        return dry_shape_default_spring;
    const dry_shape_spring sa = shapes->spring[a], sb = shapes->spring[b];
    if (sa.stiffness == 0.0f || sb.stiffness == 0.0f)
        return sa.stiffness == 0.0f ? sb : sa;
    const float sum = sa.stiffness + sb.stiffness;
    const float of_a = sb.stiffness / sum, of_b = sa.stiffness / sum; /* of the overlap */
    /* Above 0 for any two: 0 would stand for a pair without a spring. */
    return (dry_shape_spring){dry_max(sa.stiffness * of_a, FLT_MIN),
                              of_a * of_a * sa.damping + of_b * of_b * sb.damping};
}

static inline void dry_shapes_free(dry_shapes *shapes, dry_memory *memory)
{
#define X(ID, type, name, ...) DRY_RELEASE(memory, shapes->name, shapes->name##_capacity);
    DRY_SHAPE_COLUMNS(X)
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
    dry_slots_free(&shapes->slots, memory);
}

#endif
