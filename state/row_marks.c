/* Marks of rows: state/row_marks.h. */
#include "state/row_marks.h"

bool dry_marks_reserve(dry_row_marks *marks, dry_memory *memory, dry_marked what, int rows)
{
    dry_mark_set *set = &marks->set[what];
    const int words = rows / 64 + 1;
    return DRY_RESERVE(memory, set->bits, set->bits_capacity, words) &&
           DRY_RESERVE(memory, set->word, set->word_capacity, set->bits_capacity);
}

void dry_marks_clear(dry_row_marks *marks)
{
    for (int what = 0; what < DRY_MARKED_COUNT; what++) {
        dry_mark_set *set = &marks->set[what];
        while (set->word_count > 0)
            set->bits[set->word[--set->word_count]] = 0;
    }
    marks->all = marks->boxes = false;
}

bool dry_marks_are_none(const dry_row_marks *marks)
{
    for (int what = 0; what < DRY_MARKED_COUNT; what++)
        if (marks->set[what].word_count > 0)
            return false;
    return !marks->all && !marks->boxes;
}

void dry_marks_add(dry_row_marks *marks, dry_marked what, int row)
{
    dry_mark_set *set = &marks->set[what];
    if (row / 64 >= set->bits_capacity || row / 64 >= set->word_capacity) {
        marks->all = true;
        return;
    }
    if (set->bits[row / 64] == 0)
        set->word[set->word_count++] = row / 64;
    set->bits[row / 64] |= UINT64_C(1) << row % 64;
}
