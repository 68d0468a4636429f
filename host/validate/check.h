/* Declares what the files of validation share. Next: host/validate/layout.c. */
#ifndef HOST_VALIDATE_CHECK_H
#define HOST_VALIDATE_CHECK_H

#include "host/validate/validate.h"
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

/* Tells whether a constraint moves a body: it is awake and dynamic. The world, -1, never is. */
static inline bool checked_moves(const dry_world *world, int body)
{
    const int row = body < 0 ? -1 : dry_bodies_row(&world->bodies, body);
    return row >= 0 && row < world->bodies.awake_count && world->bodies.state[row].type == DRY_BODY_DYNAMIC;
}

#endif
