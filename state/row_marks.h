/* Marks of rows that a step or a call changes although they are not awake or active.
 *
 * A history looks at awake bodies, active contacts and active joints after each step anyway. All other rows
 * are marked where they change, so that it need not look at the whole world. Tables point to the marks of
 * their world's history, or to none: then nothing is written.
 *
 * Reads: nothing. Writes: the marks. Next: snapshot/history.h, snapshot/shadow.h. */
#ifndef STATE_ROW_MARKS_H
#define STATE_ROW_MARKS_H

#include "core/memory.h"

#include <stdbool.h>
#include <stdint.h>

/* Kinds of rows that can be marked. Bodies are marked by row, and their slots by slot. */
typedef enum dry_marked {
    DRY_MARKED_BODY,
    DRY_MARKED_BODY_SLOT,
    DRY_MARKED_CONTACT,
    DRY_MARKED_JOINT,
    DRY_MARKED_COUNT
} dry_marked;

/* A set of rows. `word` lists the words of `bits` that are not 0. */
typedef struct dry_mark_set {
    uint64_t *bits;
    int32_t *word;
    int bits_capacity, word_capacity, word_count;
} dry_mark_set;

typedef struct dry_row_marks {
    dry_mark_set set[DRY_MARKED_COUNT];
    bool all;   /* any row may have changed */
    bool boxes; /* boxes of proxies of awake bodies may have changed although the proxies did not move */
} dry_row_marks;

/* Makes room for a number of rows in a set; who owns `memory` releases it. Returns false if memory fails. */
bool dry_marks_reserve(dry_row_marks *marks, dry_memory *memory, dry_marked what, int rows);
/* Removes all marks. */
void dry_marks_clear(dry_row_marks *marks);
/* Tells whether nothing is marked. */
bool dry_marks_are_none(const dry_row_marks *marks);
/* Adds a row to a set. A row for which there is no room marks all. */
void dry_marks_add(dry_row_marks *marks, dry_marked what, int row);

/* Marks a row, or all rows, if somebody asks for marks. */
static inline void dry_mark(dry_row_marks *marks, dry_marked what, int row)
{
    if (marks)
        dry_marks_add(marks, what, row);
}

static inline void dry_mark_all(dry_row_marks *marks)
{
    if (marks)
        marks->all = true;
}

#endif
