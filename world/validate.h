/* Validation of what steps derive from a world's state and keep: islands, the solver's layout. Each check
 * works from scratch, without the code that keeps the structures. Next: snapshot/validate.h, which checks all
 * of a world. */
#ifndef WORLD_VALIDATE_H
#define WORLD_VALIDATE_H

struct dry_world;

/* Receives the report of a failed check. `failed` does not return. */
typedef struct dry_validation {
    void (*failed)(const struct dry_validation *validation, const char *condition, const char *file,
                   int line);
    const char *place; /* what the program was doing, for the report */
} dry_validation;

/* Checks that islands, unless stale, are the components of the graph. */
void dry_world_validate_islands(const struct dry_world *world, const dry_validation *validation);
/* Checks that the layout, unless out of date, has one lane a constraint, and no body twice in a phase.
 * Returns how many partitions the tier with the most of them has; 0 where the layout is out of date. */
int dry_world_validate_layout(const struct dry_world *world, const dry_validation *validation);

#endif
