/* Columns as sections of a save.
 *
 * A column is written field by field, so that a reader depends on no struct. Each field is looked at twice:
 * first whether all rows have one value, which mostly ends with the second row; then its values go to the
 * buffer, whose bytes are in the first cache while the checksum takes them. */
#include "snapshot/write.h"

#include "state/column_rows.h"
#include "state/tables.h"

#include <string.h>

enum { POINTS_MAX = 4, VALUE_BYTES_MAX = 1024 };

void dry_write_flush(dry_writer *w)
{
    const size_t whole = w->used & ~(size_t)7;
    DRY_ASSERT(w->summed <= whole);
    dry_checksum_add(&w->sum, w->buffer + w->summed, (whole - w->summed) / 8);
    w->failed = w->failed || !w->sink.write(w->sink.user, w->buffer, whole);
    memmove(w->buffer, w->buffer + whole, w->used - whole);
    w->used -= whole;
    w->summed = 0;
}

/* Returns room for `bytes` more. */
static char *room_for(dry_writer *w, size_t bytes)
{
    if (w->used + bytes > sizeof w->buffer)
        dry_write_flush(w);
    DRY_ASSERT(w->used + bytes <= sizeof w->buffer);
    return w->buffer + w->used;
}

void dry_write_bytes(dry_writer *w, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        const size_t part = size < DRY_WRITER_BYTES / 2 ? size : DRY_WRITER_BYTES / 2;
        memcpy(room_for(w, part), at, part);
        w->used += part;
        at += part;
        size -= part;
    }
}

/* Fills up to the next word. */
static void pad(dry_writer *w)
{
    static const char zero[8] = {0};
    dry_write_bytes(w, zero, -w->used & 7);
}

void dry_write_begin(dry_writer *w, const dry_sink *sink, const dry_save_header *header)
{
    w->sink = *sink;
    w->sum = dry_checksum_begin();
    w->used = w->summed = 0;
    w->sections = 0;
    w->failed = false;
    dry_write_bytes(w, header, sizeof *header);
}

void dry_write_begin_section(dry_writer *w, const dry_section_header *header)
{
    DRY_ASSERT(w->used % 8 == 0);
    w->sum = dry_checksum_begin();
    w->summed = w->used;
    w->sections++;
    dry_write_bytes(w, header, sizeof *header);
}

void dry_write_end_section(dry_writer *w)
{
    pad(w);
    dry_checksum_add(&w->sum, w->buffer + w->summed, (w->used - w->summed) / 8);
    w->summed = w->used;
    const uint64_t sum = dry_checksum_end(&w->sum);
    dry_write_bytes(w, &sum, sizeof sum);
    w->summed = w->used;
}

bool dry_write_end(dry_writer *w)
{
    const dry_section_header end = {.kind = DRY_SECTION_END, .rows = w->sections};
    dry_write_begin_section(w, &end);
    dry_write_end_section(w);
    dry_write_flush(w);
    return !w->failed;
}

/* A field, or an element of an array by points. */
typedef struct part {
    const dry_field *field;
    size_t offset, size;
    int point;    /* rows that have it count; -1: all */
    bool every;   /* row has the point */
    uint8_t kind; /* DRY_FIELD_...; 0: left out */
    uint32_t count;
} part;

typedef struct column_writer {
    dry_writer *out;
    const dry_column *column;
    const dry_column_rows *rows;
    dry_saved_rows saved;
    uint32_t present;
    uint32_t with_point[POINTS_MAX]; /* rows that have each point */
} column_writer;

static bool has_point(const dry_column_rows *rows, int row, int point)
{
    return point < 0 || rows->points[row].points > point;
}

/* Counts the rows that count, and those with each point. */
static void count_rows(column_writer *c, bool by_point)
{
    c->saved.all = !c->rows->slots && !c->rows->bits && !c->rows->proxies && !c->rows->materials;
    for (int begin, end = 0; dry_next_run(&c->saved, &begin, &end);) {
        c->present += (uint32_t)(end - begin);
        for (int row = begin; row < end && by_point; row++)
            for (int k = 0; k < POINTS_MAX; k++)
                c->with_point[k] += has_point(c->rows, row, k);
    }
    c->saved.all = c->present == (uint32_t)c->rows->count;
}

/* Tells whether a value is that of another row. */
static inline bool is_same(const part *p, const char *a, const char *b)
{
    switch (p->size) {
    case 1:
        return ((*a ^ *b) & (char)p->field->saved_bits) == 0;
    case 4:
        return memcmp(a, b, 4) == 0;
    case 8:
        return memcmp(a, b, 8) == 0;
    case 12:
        return memcmp(a, b, 12) == 0;
    default:
        return memcmp(a, b, p->size) == 0;
    }
}

/* Decides how a field is written: left out, once, or for each row. */
static void plan_field(const column_writer *c, part *p)
{
    const char *first = NULL;
    bool uniform = true;
    for (int begin, end = 0; uniform && dry_next_run(&c->saved, &begin, &end);) {
        first = first ? first : dry_row_at(c->rows, begin) + p->offset;
        for (int row = begin; row < end && uniform; row++)
            uniform = is_same(p, first, dry_row_at(c->rows, row) + p->offset);
    }
    p->kind = DRY_FIELD_EACH;
    p->count = c->present;
    if (!uniform)
        return;
    const bool standard = !first || is_same(p, first, (const char *)c->column->standard + p->offset);
    p->kind = standard ? 0 : DRY_FIELD_ONE;
    p->count = 1;
}

/* Values of a point that all rows have are written as those of any field. */
static void plan_element(const column_writer *c, part *p)
{
    p->count = c->with_point[p->point];
    p->kind = p->count > 0 ? DRY_FIELD_EACH : 0;
    p->every = p->count == c->present;
}

static size_t bytes_of(const part *p)
{
    const size_t values = p->count * p->size;
    return p->kind ? sizeof(dry_field_header) + ((values + 7) & ~(size_t)7) : 0;
}

static void write_run(const column_writer *c, const part *p, int begin, int end)
{
    while (begin < end) {
        const size_t fit = (sizeof c->out->buffer - VALUE_BYTES_MAX) / p->size;
        const int count = (size_t)(end - begin) < fit ? end - begin : (int)fit;
        char *to = room_for(c->out, (size_t)count * p->size);
        dry_copy_values(to, p->size, dry_row_at(c->rows, begin) + p->offset, c->rows->stride, count, p->size);
        for (int i = 0; i < count && p->size == 1; i++)
            to[i] &= (char)p->field->saved_bits;
        c->out->used += (size_t)count * p->size;
        begin += count;
    }
}

/* Copies the values of the rows of a run that have the part's point. Returns the number of bytes. */
static inline size_t gather(char *to, const column_writer *c, const part *p, int begin, int end, size_t size)
{
    const dry_contact_link *link = c->rows->points;
    const char *from = dry_row_at(c->rows, begin) + p->offset;
    size_t used = 0;
    for (int row = begin; row < end; row++, from += c->rows->stride) {
        memcpy(to + used, from, size);
        used += link[row].points > p->point ? size : 0;
    }
    return used;
}

static void write_points(const column_writer *c, const part *p, int begin, int end)
{
    const int fit = (int)((sizeof c->out->buffer - VALUE_BYTES_MAX) / p->size) - 1;
    while (begin < end) {
        const int until = end - begin < fit ? end : begin + fit;
        char *to = room_for(c->out, (size_t)(until - begin + 1) * p->size);
        switch (p->size) {
        case 2:
            c->out->used += gather(to, c, p, begin, until, 2);
            break;
        case 4:
            c->out->used += gather(to, c, p, begin, until, 4);
            break;
        case 16:
            c->out->used += gather(to, c, p, begin, until, 16);
            break;
        default:
            c->out->used += gather(to, c, p, begin, until, p->size);
        }
        begin = until;
    }
}

static void write_part(const column_writer *c, const part *p)
{
    if (!p->kind)
        return;
    const dry_field_header header = {.number = p->field->number,
                                     .kind = p->kind,
                                     .flags =
                                         p->field->origin == DRY_FIELD_CALLER ? DRY_FIELD_MAY_BE_SKIPPED : 0,
                                     .element = (uint16_t)(p->point < 0 ? 0 : p->point),
                                     .size = (uint16_t)p->size,
                                     .count = p->count};
    dry_write_bytes(c->out, &header, sizeof header);
    bool done = false;
    for (int begin, end = 0; !done && dry_next_run(&c->saved, &begin, &end);) {
        done = p->kind == DRY_FIELD_ONE;
        if (p->point < 0 || p->every)
            write_run(c, p, begin, done ? begin + 1 : end);
        else
            write_points(c, p, begin, end);
    }
    pad(c->out);
}

/* Writes which rows count, unless all do or their places do not matter. */
static size_t set_bytes(const column_writer *c)
{
    return c->rows->materials ? 0 : dry_set_bytes((uint32_t)c->rows->count, c->present);
}

static void write_set(const column_writer *c)
{
    for (int first = 0; first < c->rows->count; first += 64) {
        uint64_t word = 0;
        for (int row = first; row < first + 64 && row < c->rows->count; row++)
            word |= (uint64_t)dry_row_counts(c->rows, row) << (row - first);
        dry_write_bytes(c->out, &word, sizeof word);
    }
}

/* Lists the parts of a column that are saved. Returns their number. */
static int plan_parts(const column_writer *c, part *parts)
{
    int count = 0;
    for (int i = 0; i < c->column->field_count; i++) {
        const dry_field *field = &c->column->fields[i];
        const int elements = field->by_point ? POINTS_MAX : 1;
        const size_t size = field->size / (size_t)elements;
        DRY_ASSERT(size <= VALUE_BYTES_MAX);
        for (int k = 0; k < elements && field->saved_bits != 0; k++) {
            part *p = &parts[count++];
            *p = (part){.field = field,
                        .offset = field->offset + (size_t)k * size,
                        .size = size,
                        .point = field->by_point ? k : -1};
            if (field->by_point)
                plan_element(c, p);
            else
                plan_field(c, p);
        }
    }
    return count;
}

/* Tells whether steps make a column. One without any value is not saved: a world that was loaded
 * while its table had no rows lacks the column, and equal states have equal saves. */
static bool is_of_steps(const dry_column *column)
{
    return column == &dry_columns[DRY_COLUMN_BODY_REST_POSE] ||
           column == &dry_columns[DRY_COLUMN_CONTACT_PENALTY] ||
           column == &dry_columns[DRY_COLUMN_CONTACT_STICKING] ||
           column == &dry_columns[DRY_COLUMN_CONTACT_REST];
}

static void write_column(dry_writer *out, const dry_column *column, const dry_column_rows *rows)
{
    enum { PARTS_MAX = 64 };
    part parts[PARTS_MAX];
    column_writer c = {.out = out, .column = column, .rows = rows, .saved = {rows, rows->count, false, NULL}};
    bool by_point = false;
    for (int i = 0; i < column->field_count; i++)
        by_point = by_point || column->fields[i].by_point;
    count_rows(&c, by_point);
    const int count = plan_parts(&c, parts);
    DRY_ASSERT(count <= PARTS_MAX);
    dry_section_header header = {.kind = DRY_SECTION_COLUMN,
                                 .number = column->number,
                                 .rows = rows->materials ? c.present : (uint32_t)rows->count,
                                 .present = c.present,
                                 .bytes = set_bytes(&c)};
    bool is_read = false; /* steps read a part */
    for (int i = 0; i < count; i++) {
        is_read = is_read || parts[i].field->origin != DRY_FIELD_CALLER;
        header.fields += parts[i].kind != 0;
        header.bytes += bytes_of(&parts[i]);
    }
    if (count == 0 || (rows->materials && c.present == 0) || (is_of_steps(column) && header.fields == 0))
        return;
    header.kind = (uint16_t)(header.kind | (is_read ? 0 : DRY_SECTION_MAY_BE_SKIPPED));
    dry_write_begin_section(out, &header);
    if (set_bytes(&c) > 0)
        write_set(&c);
    for (int i = 0; i < count; i++)
        write_part(&c, &parts[i]);
    dry_write_end_section(out);
}

void dry_write_state(dry_writer *w, const dry_tables *state)
{
    dry_column_rows rows[DRY_COLUMN_COUNT];
    dry_tables trimmed = *state;
    /* Free indices behind the last contact are no state: worlds with equal states have equal saves. */
    trimmed.contacts.used = dry_contacts_in_use(&state->contacts);
    dry_find_column_rows(&trimmed, rows);
    for (int id = 0; id < DRY_COLUMN_COUNT; id++)
        if (rows[id].rows && rows[id].count > 0)
            write_column(w, &dry_columns[id], &rows[id]);
}
