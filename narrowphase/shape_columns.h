/* Shapes as columns. A shape's index is its slot: it never moves. */
#ifndef NARROWPHASE_SHAPE_COLUMNS_H
#define NARROWPHASE_SHAPE_COLUMNS_H

#include "core/slots.h"
#include "narrowphase/geometry.h"

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

/* What the user gave besides, with later changes; one cache line. dry_shape_def_of puts the two together. */
typedef struct dry_shape_link {
    uint64_t category, mask; /* with `group`, the filter */
    uint64_t user_data;
    dry_transform pose; /* in the user's frame of the body */
    union {
        float density; /* kg/m^3 */
        float offset;  /* half-space, m; it has no density, and its normal is geometry.size */
    };
    int32_t group;
    int32_t next; /* shape of the same body, -1 ends */
} dry_shape_link;
_Static_assert(sizeof(dry_shape_link) == 64, "one cache line per shape");

/* Rises with each shape made: creation order, which slots lose when they are reused. */
typedef uint64_t dry_shape_number;

/* X(type, name): written by the calls of shape.h; form.pose also by mass changes, form.proxy by enabling. */
#define DRY_SHAPE_COLUMNS(X)                                                                                 \
    X(dry_shape_form, form)                                                                                  \
    X(dry_shape_link, link)                                                                                  \
    X(dry_shape_number, number)

typedef struct dry_shapes {
    dry_slots slots;
    int form_capacity, link_capacity, number_capacity;
    uint64_t made; /* shapes ever */
#define X(type, name) type *name;
    DRY_SHAPE_COLUMNS(X)
#undef X
} dry_shapes;

static inline bool dry_shapes_reserve(dry_shapes *shapes, dry_memory *memory, int more)
{
    if (!dry_slots_reserve(&shapes->slots, memory, more))
        return false;
#define X(type, name)                                                                                        \
    if (!DRY_RESERVE(memory, shapes->name, shapes->name##_capacity, shapes->slots.capacity))                 \
        return false;
    DRY_SHAPE_COLUMNS(X)
#undef X
    return true;
}

static inline void dry_shapes_free(dry_shapes *shapes, dry_memory *memory)
{
#define X(type, name) DRY_RELEASE(memory, shapes->name, shapes->name##_capacity);
    DRY_SHAPE_COLUMNS(X)
#undef X
    dry_slots_free(&shapes->slots, memory);
}

/* The definition as it is now. What the shape's type has no use for is as by default. */
dry_shape_def dry_shape_def_of(const dry_shapes *shapes, int shape);

#endif
