/* Comparing all columns before and after a stage. */
#include "state/changes.h"

#include "state/column_rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct column_copy {
    char *rows;
    int64_t *keys; /* by row */
    int count;
} column_copy;

struct dry_state_copy {
    column_copy columns[DRY_COLUMN_COUNT];
};

/* Returns what names a row for as long as its tenant lives; -1 where the row has none. */
static int64_t key_of(const dry_column_rows *rows, int row)
{
    if (!dry_row_counts(rows, row))
        return -1;
    if (rows->bodies)
        return rows->bodies[row].slot;
    return rows->slots ? (int64_t)rows->slots->slots[row].generation << 32 | row : row;
}

/* Returns the row with this key now, -1 if there is none. */
static int find_row(const dry_tables *state, const dry_column_rows *rows, int64_t key)
{
    int row = (int)(uint32_t)key;
    if (rows->bodies)
        row = dry_slots_is_taken(&state->bodies.slots, row) ? dry_bodies_row(&state->bodies, row) : -1;
    return row >= 0 && row < rows->count && key_of(rows, row) == key ? row : -1;
}

static bool copy_column(column_copy *copy, const dry_column *column, const dry_column_rows *rows)
{
    size_t count = (size_t)rows->count;
    copy->rows = malloc(count * column->size + 1);
    copy->keys = malloc((count + 1) * sizeof *copy->keys);
    if (!copy->rows || !copy->keys)
        return false;
    for (int row = 0; row < rows->count; row++) {
        memcpy(copy->rows + (size_t)row * column->size, dry_row_at(rows, row), column->size);
        copy->keys[row] = key_of(rows, row);
    }
    copy->count = rows->count;
    return true;
}

dry_state_copy *dry_state_copy_create(const dry_tables *state)
{
    dry_column_rows rows[DRY_COLUMN_COUNT];
    dry_state_copy *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    dry_find_column_rows(state, rows);
    for (int i = 0; i < DRY_COLUMN_COUNT; i++)
        if (!copy_column(&copy->columns[i], &dry_columns[i], &rows[i])) {
            dry_state_copy_destroy(copy);
            return NULL;
        }
    return copy;
}

void dry_state_copy_destroy(dry_state_copy *copy)
{
    for (int i = 0; copy && i < DRY_COLUMN_COUNT; i++) {
        free(copy->columns[i].rows);
        free(copy->columns[i].keys);
    }
    free(copy);
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
static bool find_in_list(const column_copy *before, const dry_column *column, const dry_column_rows *rows,
                         uint16_t writers, dry_state_change *change)
{
    for (int row = 0; row < before->count || row < rows->count; row++) {
        const char *from = row < before->count ? before->rows + (size_t)row * column->size : column->standard;
        const char *to = row < rows->count ? dry_row_at(rows, row) : column->standard;
        change->row = row;
        if (find_in_row(column, from, to, writers, change))
            return true;
    }
    return false;
}

static bool find_in_column(const column_copy *before, const dry_tables *state, const dry_column *column,
                           const dry_column_rows *rows, uint16_t writers, dry_state_change *change)
{
    if (!has_tenants(rows))
        return find_in_list(before, column, rows, writers, change);
    for (int row = 0; row < before->count; row++) {
        int now = before->keys[row] < 0 ? -1 : find_row(state, rows, before->keys[row]);
        change->row = (int)(uint32_t)before->keys[row];
        if (now >= 0 && find_in_row(column, before->rows + (size_t)row * column->size, dry_row_at(rows, now),
                                    writers, change))
            return true;
    }
    return false;
}

bool dry_state_find_change(const dry_state_copy *before, const dry_tables *now, uint16_t writers,
                           dry_state_change *change)
{
    dry_column_rows rows[DRY_COLUMN_COUNT];
    dry_find_column_rows(now, rows);
    for (int i = 0; i < DRY_COLUMN_COUNT; i++)
        if (find_in_column(&before->columns[i], now, &dry_columns[i], &rows[i], writers, change))
            return true;
    return false;
}
