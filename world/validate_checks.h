/* Declares what the files of validation share. Next: world/validate.c. */
#ifndef WORLD_VALIDATE_CHECKS_H
#define WORLD_VALIDATE_CHECKS_H

#include "world/validate.h"
#include "world/world.h"

#include <stdlib.h>

/* Reports the condition if it does not hold. Every function that checks has a parameter `validation`. */
#define CHECK(condition)                                                                                     \
    ((condition) ? (void)0 : validation->failed(validation, #condition, __FILE__, __LINE__))

/* Returns `count` cleared elements, to be released with free(). */
static inline void *checked_array(const dry_validation *validation, int count, size_t element_bytes)
{
    void *array = calloc((size_t)count + 1, element_bytes);
    CHECK(array != NULL);
    return array;
}

static inline bool checked_lives(const dry_slots *slots, int slot)
{
    return slot >= 0 && slot < slots->used && dry_slots_is_taken(slots, slot);
}

static inline const dry_body_state *checked_state(const dry_world *world, int body)
{
    return &world->bodies.state[dry_bodies_row(&world->bodies, body)];
}

/* Of one side of a constraint; the world, -1, is a side that is enabled and never moves. */
static inline bool checked_enabled(const dry_world *world, int body)
{
    return body < 0 || (checked_state(world, body)->flags & DRY_BODY_ENABLED) != 0;
}

static inline bool checked_dynamic(const dry_world *world, int body)
{
    return body >= 0 && checked_state(world, body)->type == DRY_BODY_DYNAMIC;
}

static inline bool checked_awake(const dry_world *world, int body)
{
    return body >= 0 && dry_bodies_row(&world->bodies, body) < world->bodies.awake_count;
}

/* Tells whether a constraint of two bodies moves either of them: both awake and dynamic, or one of them. */
static inline bool checked_moves(const dry_world *world, int body)
{
    return checked_dynamic(world, body) && checked_awake(world, body);
}

/* Tells whether two shapes may have a contact: enabled bodies of which one is dynamic, filters, joints. */
bool dry_validate_may_touch(const dry_world *world, int shape_a, int shape_b);
/* The parts: validate_graph.c. */
void dry_validate_graph(const dry_world *world, uint32_t invariants, const dry_validation *validation);
void dry_validate_islands(const dry_world *world, const dry_validation *validation);

#endif
