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

/* The rest. */
typedef struct dry_shape_link {
    dry_shape_def def; /* as the user gave it, with later changes */
    int32_t next;      /* of the same body, -1 ends */
    uint64_t number;   /* rises with each shape made: creation order, which slots lose when they are reused */
} dry_shape_link;

/* X(type, name): written by the calls of shape.h; form.pose also by mass changes, form.proxy by enabling. */
#define DRY_SHAPE_COLUMNS(X)                                                                                 \
    X(dry_shape_form, form)                                                                                  \
    X(dry_shape_link, link)

typedef struct dry_shapes {
    dry_slots slots;
    int form_capacity, link_capacity;
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

#endif
