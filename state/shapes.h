/* Shapes as columns. A shape's index is its slot: it never moves. */
#ifndef STATE_SHAPES_H
#define STATE_SHAPES_H

#include "core/math.h"
#include "core/memory.h"
#include "core/slots.h"
#include "state/geometry.h"

/* What bounds and contacts read; one cache line. */
typedef struct dry_shape_form {
    dry_geometry geometry;
    dry_transform pose; /* in the body's principal frame; half-space: solid below its y = 0 */
    int32_t body;       /* slot */
    int32_t proxy;      /* in the broadphase, -1: none (half-space, disabled body) */
    float radius;       /* of the sphere about the shape's origin, m */
    float friction, restitution;
} dry_shape_form;
_Static_assert(sizeof(dry_shape_form) == 64, "one cache line per shape");

/* What the user gave besides, with later changes. */
typedef struct dry_shape_link {
    uint64_t user_data;
    union {
        float density; /* kg/m^3 */
        float offset;  /* half-space, m; it has no density, and its normal is geometry.size */
    };
    int32_t next; /* shape of the same body, -1 ends */
} dry_shape_link;
_Static_assert(sizeof(dry_shape_link) == 16, "four to a cache line");

/* Rises with each shape made: creation order, which slots lose when they are reused. */
typedef uint64_t dry_shape_number;

/* X(type, name): written by the calls of shape.h; form.pose also by mass changes, form.proxy by enabling. */
#define DRY_SHAPE_COLUMNS(X)                                                                                 \
    X(dry_shape_form, form)                                                                                  \
    X(dry_shape_link, link)                                                                                  \
    X(dry_shape_number, number)

/* What few shapes have: absent, a null pointer, until the world's first shape needs it, as the rare columns
 * of bodies are (state/bodies.h). Absent, all shapes have dry_shape_no_...
 *   pose      where the user put it in the body's user frame
 *   filter    what it may touch, as the user gave it */
#define DRY_SHAPE_RARE_COLUMNS(X)                                                                            \
    X(dry_transform, pose)                                                                                   \
    X(dry_filter, filter)

typedef struct dry_shapes {
    dry_slots slots;
    int form_capacity, link_capacity, number_capacity;
    int pose_capacity, filter_capacity;
    uint64_t made; /* shapes ever */
#define X(type, name) type *name;
    DRY_SHAPE_COLUMNS(X)
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
} dry_shapes;

static const dry_transform dry_shape_no_pose = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
static const dry_filter dry_shape_no_filter = {.category = 1, .mask = UINT64_MAX};

static inline bool dry_shapes_reserve(dry_shapes *shapes, dry_memory *memory, int more)
{
    if (!dry_slots_reserve(&shapes->slots, memory, more))
        return false;
#define X(type, name)                                                                                        \
    if (!DRY_RESERVE(memory, shapes->name, shapes->name##_capacity, shapes->slots.capacity))                 \
        return false;
    DRY_SHAPE_COLUMNS(X)
#undef X
#define X(type, name)                                                                                        \
    if (shapes->name && !DRY_RESERVE(memory, shapes->name, shapes->name##_capacity, shapes->slots.capacity)) \
        return false;
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
    return true;
}

/* dry_shapes_need_pose, dry_shapes_need_filter: make a rare column, if it is absent, for the shapes that
 * there is room for; false, and nothing changed, if memory fails. */
#define X(type, name)                                                                                        \
    static inline bool dry_shapes_need_##name(dry_shapes *shapes, dry_memory *memory)                        \
    {                                                                                                        \
        if (shapes->name)                                                                                    \
            return true;                                                                                     \
        if (!DRY_RESERVE(memory, shapes->name, shapes->name##_capacity, shapes->slots.capacity))             \
            return false;                                                                                    \
        for (int shape = 0; shape < shapes->slots.used; shape++)                                             \
            shapes->name[shape] = dry_shape_no_##name;                                                       \
        return true;                                                                                         \
    }
DRY_SHAPE_RARE_COLUMNS(X)
#undef X

static inline const dry_transform *dry_shapes_pose(const dry_shapes *shapes, int shape)
{
    return shapes->pose ? &shapes->pose[shape] : &dry_shape_no_pose;
}

static inline const dry_filter *dry_shapes_filter(const dry_shapes *shapes, int shape)
{
    return shapes->filter ? &shapes->filter[shape] : &dry_shape_no_filter;
}

static inline void dry_shapes_free(dry_shapes *shapes, dry_memory *memory)
{
#define X(type, name) DRY_RELEASE(memory, shapes->name, shapes->name##_capacity);
    DRY_SHAPE_COLUMNS(X)
    DRY_SHAPE_RARE_COLUMNS(X)
#undef X
    dry_slots_free(&shapes->slots, memory);
}

#endif
