/* Finds what a stage changed: a copy of all columns from before it, compared field by field with the columns
 * after it. Validating builds hold each stage to the writers that the lists of fields declare. */
#ifndef HOST_VALIDATE_CHANGES_H
#define HOST_VALIDATE_CHANGES_H

#include "state/state.h"

typedef struct dry_state_copy dry_state_copy;

/* A field that changed. Rows of bodies are named by slot. */
typedef struct dry_state_change {
    const dry_column *column;
    const dry_field *field;
    int row;
} dry_state_change;

/* Copies all columns into memory from malloc(), which no allocator of a world counts. Returns null if there
 * is none. */
dry_state_copy *dry_state_copy_create(const dry_tables *state);
void dry_state_copy_destroy(dry_state_copy *copy);

/* Returns whether a field changed of which none of `writers` (DRY_BY_...) is a writer, and the first such
 * field. A body, shape, contact, joint or proxy that came or went is no change of its fields: the columns
 * that say which ones there are tell of it. */
bool dry_state_find_change(const dry_state_copy *before, const dry_tables *now, uint16_t writers,
                           dry_state_change *change);

#endif
