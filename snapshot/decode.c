/* Columns of a save, field by field, into the rows of tables.
 *
 * Reads: sections that snapshot/read.c has found. Writes: rows. */
#include "snapshot/read.h"

#include <drystone/shape_data.h>
#include <string.h>

enum { POINTS_MAX = 4 };

/* A column on its way from the section to its rows. */
typedef struct column_reader {
    const dry_column *column;
    const dry_column_rows *rows;
    const dry_saved_column *saved;
    dry_saved_rows saved_rows;
    int every_has; /* each row has at least so many points */
    dry_save_fault *fault;
} column_reader;

static bool fail(const column_reader *c, const char *field, int64_t row, const char *text)
{
    return dry_save_fail(c->fault, c->column->id, field, row, text);
}

/* Kinds of values that are checked wherever they stand. */
typedef enum value_kind { OTHER, TRUTH, FLOATS, DOUBLES } value_kind;

static value_kind kind_of(const dry_field *field)
{
    static const char *const floats[] = {"float",         "dry_vec3",           "dry_quat",
                                         "dry_transform", "dry_manifold_point", NULL};
    static const char *const doubles[] = {"double", "dry_position", "dry_double3", "dry_rotation", NULL};
    if (strcmp(field->type, "bool") == 0)
        return TRUTH;
    for (int i = 0; floats[i]; i++)
        if (strcmp(field->type, floats[i]) == 0)
            return FLOATS;
    for (int i = 0; doubles[i]; i++)
        if (strcmp(field->type, doubles[i]) == 0)
            return DOUBLES;
    return OTHER;
}

/* Returns the first of `count` numbers that is not finite, or with `infinite` that is no number; -1: none.
 * The first loop has no branches, so that compilers make it one of vectors. */
static int64_t find_bad_float(const char *at, size_t count, bool infinite)
{
    const int32_t limit = INT32_C(0x7f800000) + infinite;
    int32_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t bits;
        memcpy(&bits, at + 4 * i, sizeof bits);
        bits &= INT32_MAX;
        largest = bits > largest ? bits : largest;
    }
    for (size_t i = 0; i < count && largest >= limit; i++) {
        int32_t bits;
        memcpy(&bits, at + 4 * i, sizeof bits);
        if ((bits & INT32_MAX) >= limit)
            return (int64_t)i;
    }
    return -1;
}

static int64_t find_bad_double(const char *at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, at + 8 * i, sizeof bits);
        if ((bits & UINT64_C(0x7fffffffffffffff)) >= UINT64_C(0x7ff0000000000000))
            return (int64_t)i;
    }
    return -1;
}

/* Checks the values of a field, as many as `bytes` hold. */
static bool check_values(const column_reader *c, const dry_field *field, const char *at, size_t bytes,
                         size_t size)
{
    const bool infinite =
        c->column == &dry_columns[DRY_COLUMN_PROXY_BOX] || c->column == &dry_columns[DRY_COLUMN_JOINT_DEF];
    switch (kind_of(field)) {
    case TRUTH:
        for (size_t i = 0; i < bytes; i++)
            if ((unsigned char)at[i] > 1)
                return fail(c, field->name, (int64_t)i, "a truth value is neither 0 nor 1");
        return true;
    case FLOATS: {
        const int64_t bad = find_bad_float(at, bytes / 4, infinite);
        return bad < 0 || fail(c, field->name, bad * 4 / (int64_t)size, "a number is not finite");
    }
    case DOUBLES: {
        const int64_t bad = find_bad_double(at, bytes / 8);
        return bad < 0 || fail(c, field->name, bad * 8 / (int64_t)size, "a number is not finite");
    }
    case OTHER:
        break;
    }
    return true;
}

static void put_field(const column_reader *c, size_t offset, size_t size, bool each, const char *from)
{
    const size_t step = each ? size : 0;
    for (int begin, end = 0; dry_next_run(&c->saved_rows, &begin, &end);) {
        dry_copy_values(dry_row_at(c->rows, begin) + offset, c->rows->stride, from, step, end - begin, size);
        from += step * (size_t)(end - begin);
    }
}

/* Puts the values of an element by points into the rows that have the point. Returns how many it took. */
static uint32_t put_points(const column_reader *c, size_t offset, size_t size, int point, const char *from,
                           uint32_t count)
{
    uint32_t taken = 0;
    if (count == c->saved->present && c->every_has > point) {
        put_field(c, offset, size, true, from);
        return count;
    }
    for (int begin, end = 0; dry_next_run(&c->saved_rows, &begin, &end);)
        for (int row = begin; row < end; row++)
            if (c->rows->points[row].points > point && taken++ < count)
                dry_copy_values(dry_row_at(c->rows, row) + offset, 0, from + (taken - 1) * size, 0, 1, size);
    return taken;
}

static const dry_field *find_field(const dry_column *column, int number)
{
    for (int i = 0; i < column->field_count; i++)
        if (column->fields[i].number == number && column->fields[i].saved_bits != 0)
            return &column->fields[i];
    return NULL;
}

/* Checks the header of a field against the list. */
static bool check_field(const column_reader *c, const dry_field *field, const dry_field_header *h,
                        uint64_t *seen)
{
    const unsigned elements = field->by_point ? POINTS_MAX : 1;
    if (h->element >= elements || h->size != field->size / elements || h->zero != 0)
        return fail(c, field->name, -1, "the field has another size");
    const int at =
        (int)(field - c->column->fields) + (field->by_point ? c->column->field_count * h->element : 0);
    DRY_ASSERT(at < 128);
    if (seen[at / 64] >> at % 64 & 1)
        return fail(c, field->name, -1, "the field comes twice");
    seen[at / 64] |= UINT64_C(1) << at % 64;
    const bool one = h->kind == DRY_FIELD_ONE && h->count == 1 && !field->by_point && c->saved->present > 0;
    const bool each = h->kind == DRY_FIELD_EACH && (field->by_point || h->count == c->saved->present);
    return one || each || fail(c, field->name, -1, "the field has another number of values");
}

/* Tells whether values have bits that are not saved. */
static bool has_other_bits(const dry_field *field, const char *at, size_t bytes)
{
    unsigned char other = 0;
    for (size_t i = 0; i < bytes && field->size == 1; i++)
        other |= (unsigned char)at[i] & (unsigned char)~field->saved_bits;
    return other != 0;
}

static bool read_field(const column_reader *c, const dry_field_header *h, const char *values, uint64_t *seen)
{
    const dry_field *field = find_field(c->column, h->number);
    if (!field && (h->flags & DRY_FIELD_MAY_BE_SKIPPED))
        return true;
    if (!field)
        return fail(c, NULL, h->number, "no field has this number");
    const size_t size = h->size;
    if (!check_field(c, field, h, seen) || !check_values(c, field, values, (size_t)h->count * size, size))
        return false;
    if (has_other_bits(field, values, (size_t)h->count * size))
        return fail(c, field->name, -1, "a value has bits that are not saved");
    const size_t offset = field->offset + h->element * size;
    if (!field->by_point)
        put_field(c, offset, size, h->kind == DRY_FIELD_EACH, values);
    else if (put_points(c, offset, size, h->element, values, h->count) != h->count)
        return fail(c, field->name, -1, "the field has another number of values");
    return true;
}

static bool read_fields(const column_reader *c, const char *at, size_t size)
{
    const char *end = at + size;
    uint64_t seen[2] = {0, 0};
    for (uint32_t i = 0; i < c->saved->fields; i++) {
        dry_field_header h = {0};
        const bool has_header = (size_t)(end - at) >= sizeof h;
        const char *values = dry_next_field(&at, end, &h);
        if (!values)
            return fail(c, NULL, has_header ? h.number : -1, "the section ends within a field");
        if (!read_field(c, &h, values, seen))
            return false;
    }
    return at == end || fail(c, NULL, -1, "the section goes on after its fields");
}

/* Takes the set of rows that count from the front of a section. */
static bool read_set(column_reader *c, const char **at, size_t *size)
{
    const uint32_t rows = c->saved->rows;
    const size_t bytes = dry_set_bytes(rows, c->saved->present);
    c->saved_rows = (dry_saved_rows){c->rows, (int)rows, bytes == 0, *at};
    if (bytes == 0)
        return true;
    if (*size < bytes)
        return fail(c, NULL, -1, "the section ends within the set of its rows");
    uint32_t members = 0;
    for (size_t i = 0; i < bytes / 8; i++) {
        uint64_t word;
        memcpy(&word, *at + 8 * i, sizeof word);
        members += (uint32_t)dry_count_bits(word);
        if (i == rows / 64 && rows % 64 != 0 && word >> rows % 64 != 0)
            return fail(c, NULL, -1, "the set has rows beyond the last");
    }
    if (members != c->saved->present)
        return fail(c, NULL, -1, "the set has another number of rows");
    *at += bytes;
    *size -= bytes;
    return true;
}

/* Contacts exist where their links do. */
static void mark_contacts(const column_reader *c, uint64_t *used_bits)
{
    for (int begin, end = 0; dry_next_run(&c->saved_rows, &begin, &end);)
        for (int row = begin; row < end; row++)
            used_bits[row / 64] |= UINT64_C(1) << row % 64;
}

/* Checks that the rows of the section are those that count. */
static bool check_set(const column_reader *c)
{
    for (int row = 0; row < c->rows->count; row++)
        if (dry_row_is_saved(&c->saved_rows, row) != dry_row_counts(c->rows, row))
            return fail(c, NULL, row, "the row is there, or is not, against what its table says");
    return true;
}

/* Returns the least number of points of a row. */
static int least_points(const column_reader *c)
{
    int least = POINTS_MAX;
    for (int begin, end = 0; dry_next_run(&c->saved_rows, &begin, &end);)
        for (int row = begin; row < end; row++)
            least = dry_min_int(least, c->rows->points[row].points);
    return least;
}

static bool read_column(const dry_saved *saved, int id, const dry_column_rows *rows, dry_tables *tables,
                        dry_save_fault *fault)
{
    column_reader c = {.column = &dry_columns[id], .rows = rows, .saved = &saved->column[id], .fault = fault};
    const char *at = c.saved->bytes;
    size_t size = c.saved->size;
    if (!read_set(&c, &at, &size))
        return false;
    if (id == DRY_COLUMN_CONTACT_LINK)
        mark_contacts(&c, tables->contacts.used_bits);
    if (rows->points && id != DRY_COLUMN_CONTACT_LINK)
        c.every_has = least_points(&c);
    return read_fields(&c, at, size) && check_set(&c);
}

/* Tells whether something of a column is saved. */
static bool is_saved(const dry_column *column)
{
    bool saved = false;
    for (int i = 0; i < column->field_count; i++)
        saved = saved || column->fields[i].saved_bits != 0;
    return saved;
}

/* Columns that tell which rows of others count come first. */
static bool comes_first(int id)
{
    return id == DRY_COLUMN_BODY_SLOT || id == DRY_COLUMN_SHAPE_SLOT || id == DRY_COLUMN_JOINT_SLOT ||
           id == DRY_COLUMN_CONTACT_LINK || id == DRY_COLUMN_PROXY_FLAGS;
}

bool dry_saved_read(const dry_saved *saved, dry_tables *tables, dry_save_fault *fault)
{
    const int slab_rows = tables->schedule.slab_rows, proxies = tables->proxies.used;
    const int slots[] = {tables->bodies.slots.used, tables->shapes.slots.used, tables->joints.slots.used};
    dry_column_rows rows[DRY_COLUMN_COUNT];
    dry_find_column_rows(tables, rows);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++) {
        const dry_saved_column *column = &saved->column[id];
        const bool wanted = is_saved(&dry_columns[id]) && rows[id].rows;
        if (wanted != (column->bytes != NULL) && (rows[id].count > 0 || column->bytes))
            return dry_save_fail(fault, dry_columns[id].id, NULL, -1,
                                 wanted ? "the column has no section" : "nothing of the column is saved");
        if (column->bytes && column->rows != (uint32_t)rows[id].count)
            return dry_save_fail(fault, dry_columns[id].id, NULL, -1,
                                 "the column has another number of rows");
    }
    for (int pass = 0; pass < 2; pass++)
        for (int id = 0; id < DRY_COLUMN_COUNT; id++)
            if (saved->column[id].bytes && comes_first(id) == (pass == 0) &&
                !read_column(saved, id, &rows[id], tables, fault))
                return false;
    const bool same = tables->schedule.slab_rows == slab_rows && tables->proxies.used == proxies &&
                      tables->bodies.slots.used == slots[0] && tables->shapes.slots.used == slots[1] &&
                      tables->joints.slots.used == slots[2];
    return same ||
           dry_save_fail(fault, "tables", NULL, -1, "a table has another number of rows than its column");
}

void dry_shapes_hold_data(const dry_shapes *shapes, bool hold)
{
    for (int shape = 0; shapes->asset && shape < shapes->slots.used; shape++) {
        dry_shape_data *data = shapes->asset[shape].data;
        if (data && hold)
            dry_shape_data_retain(data);
        else if (data)
            dry_shape_data_release(data);
    }
}
