/* Validation of a whole world: its structures agree (rows and slots, lists, colors, pairs) if they are those
 * that a load of its save makes. A load checks what a save says, and derives all else from scratch, without
 * the code that keeps the structures. Islands and the solver's layout, which no save has, have checks of
 * their own, from scratch, too.
 *
 * Tests call it in every build. A validating build (-Dvalidate=true) also calls it in every step:
 * host/validate/steps.c. */
#ifndef HOST_VALIDATE_VALIDATE_H
#define HOST_VALIDATE_VALIDATE_H

struct dry_world;

/* Receives the report of a failed check. `failed` does not return. */
typedef struct dry_validation {
    void (*failed)(const struct dry_validation *validation, const char *condition, const char *file,
                   int line);
    const char *place; /* what the program was doing, for the report */
} dry_validation;

/* The contacts of which no change waits for the graph, so that those that are active touch exactly where
 * their manifolds have points. */
typedef enum dry_settled {
    DRY_SETTLED_NONE,  /* between calls, and before the graph is done */
    DRY_SETTLED_AWAKE, /* those of awake bodies */
    DRY_SETTLED_ALL    /* all: no step has run out of memory */
} dry_settled;

/* Checks all of a world. Needs memory of its own, which no allocator of the world counts. */
void dry_world_validate(const struct dry_world *world, dry_settled settled, const dry_validation *validation);
/* Checks that islands, unless stale, are the components of the graph. */
void dry_world_validate_islands(const struct dry_world *world, const dry_validation *validation);
/* Checks that the layout, unless out of date, has one lane a constraint, and no body twice in a phase.
 * Returns how many partitions the tier with the most of them has; 0 where the layout is out of date. */
int dry_world_validate_layout(const struct dry_world *world, const dry_validation *validation);

#endif
