/* Comparing all columns before and after a stage. */
#include "host/validate/changes.h"

#include "state/tables.h"

#include <stdlib.h>
#include <string.h>

struct dry_state_copy {
    dry_tables tables;
    void *rows[DRY_COLUMN_COUNT]; /* to which they point */
};

dry_state_copy *dry_state_copy_create(const dry_tables *state)
{
    dry_column_rows rows[DRY_COLUMN_COUNT];
    dry_state_copy *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    dry_find_column_rows(state, rows);
    copy->tables = *state;
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const size_t bytes = (size_t)rows[id].count * rows[id].stride;
        copy->rows[id] = malloc(bytes + 1);
        if (!copy->rows[id]) {
            dry_state_copy_destroy(copy);
            return NULL;
        }
        if (bytes > 0)
            memcpy(copy->rows[id], rows[id].rows, bytes);
    }
    dry_tables_point(&copy->tables, copy->rows);
    return copy;
}

void dry_state_copy_destroy(dry_state_copy *copy)
{
    for (int id = 0; copy && id < DRY_COLUMN_COUNT; id++)
        free(copy->rows[id]);
    free(copy);
}

/* Returns the row that now has the tenant of an earlier one; -1 if it is gone, or there was none. */
static int find_row(const dry_column_rows *before, int row, const dry_tables *state,
                    const dry_column_rows *rows)
{
    int now = row;
    if (!dry_row_counts(before, row))
        return -1;
    if (before->bodies) {
        const int slot = before->bodies[row].slot;
        now = dry_slots_is_taken(&state->bodies.slots, slot) ? dry_bodies_row(&state->bodies, slot) : -1;
    }
    if (now < 0 || now >= rows->count || !dry_row_counts(rows, now))
        return -1;
    const bool other =
        before->slots && before->slots->slots[row].generation != rows->slots->slots[now].generation;
    return other ? -1 : now;
}

/* Returns the first field with another writer whose bytes differ between two rows, or null. */
static const dry_field *find_field(const dry_column *column, const char *before, const char *now,
                                   uint16_t writers)
{
    for (int i = 0; i < column->field_count; i++) {
        const dry_field *field = &column->fields[i];
        if (!(field->writers & writers) &&
            memcmp(before + field->offset, now + field->offset, field->size) != 0)
            return field;
    }
    return NULL;
}

/* Returns whether the rows of a column come and go with the tenants of slots, contacts or proxies. */
static bool has_tenants(const dry_column_rows *rows)
{
    return rows->slots || rows->bits || rows->proxies || rows->bodies;
}

static bool find_in_row(const dry_column *column, const char *before, const char *now, uint16_t writers,
                        dry_state_change *change)
{
    if (memcmp(before, now, column->size) == 0)
        return false;
    change->column = column;
    change->field = find_field(column, before, now, writers);
    return change->field != NULL;
}

/* Rows of a list that is longer before or now are compared with a row of defaults. */
static bool find_in_list(const dry_column_rows *before, const dry_column *column, const dry_column_rows *rows,
                         uint16_t writers, dry_state_change *change)
{
    for (int row = 0; row < before->count || row < rows->count; row++) {
        const char *from = row < before->count ? dry_row_at(before, row) : column->standard;
        const char *to = row < rows->count ? dry_row_at(rows, row) : column->standard;
        change->row = row;
        if (find_in_row(column, from, to, writers, change))
            return true;
    }
    return false;
}

static bool find_in_column(const dry_column_rows *before, const dry_tables *state, const dry_column *column,
                           const dry_column_rows *rows, uint16_t writers, dry_state_change *change)
{
    if (!has_tenants(rows))
        return find_in_list(before, column, rows, writers, change);
    for (int row = 0; row < before->count; row++) {
        const int now = find_row(before, row, state, rows);
        change->row = before->bodies ? before->bodies[row].slot : row;
        if (now >= 0 && find_in_row(column, dry_row_at(before, row), dry_row_at(rows, now), writers, change))
            return true;
    }
    return false;
}

bool dry_state_find_change(const dry_state_copy *before, const dry_tables *now, uint16_t writers,
                           dry_state_change *change)
{
    dry_column_rows was[DRY_COLUMN_COUNT], rows[DRY_COLUMN_COUNT];
    dry_find_column_rows(&before->tables, was);
    dry_find_column_rows(now, rows);
    for (int i = 0; i < DRY_COLUMN_COUNT; i++)
        if (find_in_column(&was[i], now, &dry_columns[i], &rows[i], writers, change))
            return true;
    return false;
}
