/* Validation: checks whether a world's structures agree with each other (rows and slots, lists, colors,
 * pairs, islands, the solver's layout). Each check works from scratch, without the code that keeps the
 * structures.
 *
 * Tests call it in every build. A validating build (-Dvalidate=true) also calls it after every stage of every
 * step: step/validate.c. */
#ifndef WORLD_VALIDATE_H
#define WORLD_VALIDATE_H

#include <stdbool.h>
#include <stdint.h>

struct dry_world;

/* Groups of invariants. */
enum {
    DRY_VALID_BODIES = 1,   /* slots, rows, flags, motion, lists of shapes, the list of sleep changes */
    DRY_VALID_SHAPES = 2,   /* proxies of enabled bodies, fat boxes around tight ones */
    DRY_VALID_GRAPH = 4,    /* contacts, joints, their lists and bits; colors disjoint at each body */
    DRY_VALID_PAIRS = 8,    /* each permitted pair of unmoved overlapping proxies has a contact */
    DRY_VALID_ISLANDS = 16, /* islands, unless stale, are the components of the graph */
    DRY_VALID_LAYOUT =
        32, /* the layout, unless out of date: one lane a constraint, no body twice in a phase */
    /* No change waits for the graph, and active contacts touch exactly where their manifolds have points. */
    DRY_VALID_SETTLED = 64,
    /* The same for contacts of sleeping bodies. A step that ran out of memory may leave it otherwise. */
    DRY_VALID_SETTLED_ALL = 128,
    DRY_VALID_BETWEEN_CALLS = 63
};

/* Receives the report of a failed check. `failed` does not return. */
typedef struct dry_validation {
    void (*failed)(const struct dry_validation *validation, const char *condition, const char *file,
                   int line);
    const char *place; /* what the program was doing, for the report */
} dry_validation;

/* Checks the invariants whose bits are set. Needs memory of its own, which no allocator of the world counts.
 */
void dry_world_validate(const struct dry_world *world, uint32_t invariants, const dry_validation *validation);

/* Checks the layout alone. Returns how many partitions the tier with the most of them has; 0 where the layout
 * is out of date. */
int dry_world_validate_layout(const struct dry_world *world, const dry_validation *validation);

#endif
