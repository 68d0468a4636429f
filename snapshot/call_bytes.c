/* Writing the arguments of a call, and what goes through them. Next: host/replay/arguments.c. */
#include "snapshot/call_bytes.h"

#include "state/geometry.h"

#include <string.h>

void dry_call_put(dry_call_writer *w, const void *bytes, size_t size)
{
    if (w->out)
        dry_write_bytes(w->out, bytes, size);
    w->bytes += size;
}

static void put_short(dry_call_writer *w, size_t value)
{
    const uint16_t number = (uint16_t)value;
    dry_call_put(w, &number, sizeof number);
}

static void put_count(dry_call_writer *w, uint32_t count)
{
    dry_call_put(w, &count, sizeof count);
}

/* Returns the data of a shape's definition; null where its type has none. */
static const dry_shape_data *data_of(const dry_shape_def *def)
{
    return dry_type_properties((int32_t)def->type) & DRY_TYPE_DATA ? def->data : NULL;
}

static const void *member_of(const void *element, const dry_member *member)
{
    return (const char *)element + member->offset;
}

/* Returns the elements of a counted member, and their number. */
static const void *counted_elements(const dry_definition *d, const void *element, const dry_member *member,
                                    int *count)
{
    const void *elements;
    memcpy(count, (const char *)element + d->count_offset, sizeof *count);
    memcpy(&elements, member_of(element, member), sizeof elements);
    return elements;
}

static void put_definition(dry_call_writer *w, const dry_definition *d, const void *element);

static void put_definitions(dry_call_writer *w, const dry_definition *d, const void *elements, int count)
{
    put_count(w, (uint32_t)count);
    for (int i = 0; i < count; i++)
        put_definition(w, d, (const char *)elements + (size_t)i * d->size);
}

/* Tells whether a member is written: it is not at its default. */
static bool is_written(const dry_definition *d, const void *element, const dry_member *member)
{
    int count;
    if (member->counted)
        return counted_elements(d, element, member, &count) && count > 0;
    if (member->what == DRY_WRITTEN_DATA)
        return data_of(element) != NULL;
    return member->what < DRY_DEFINITION_COUNT ||
           memcmp(member_of(element, member), member_of(d->standard, member), member->size) != 0;
}

static void put_member(dry_call_writer *w, const dry_definition *d, const void *element,
                       const dry_member *member)
{
    int count = 0;
    put_short(w, member->number);
    if (member->counted) {
        const void *elements = counted_elements(d, element, member, &count);
        put_short(w, 0);
        put_definitions(w, &dry_definitions[member->what], elements, count);
    } else if (member->what == DRY_WRITTEN_DATA) {
        const uint64_t hash = dry_shape_data_hash(data_of(element));
        put_short(w, sizeof hash);
        dry_call_put(w, &hash, sizeof hash);
    } else if (member->what < DRY_DEFINITION_COUNT) {
        const dry_definition *part = &dry_definitions[member->what];
        put_short(w, 0);
        put_definitions(w, part, member_of(element, member), member->size / part->size);
    } else {
        put_short(w, member->size);
        dry_call_put(w, member_of(element, member), member->size);
    }
}

static void put_definition(dry_call_writer *w, const dry_definition *d, const void *element)
{
    size_t count = 0;
    for (int i = 0; i < d->member_count; i++)
        count += is_written(d, element, &d->members[i]);
    put_short(w, count);
    for (int i = 0; i < d->member_count; i++)
        if (is_written(d, element, &d->members[i]))
            put_member(w, d, element, &d->members[i]);
}

static void put_elements(dry_call_writer *w, const dry_argument *kind, const void *elements, size_t count)
{
    if (kind->what >= DRY_DEFINITION_COUNT)
        dry_call_put(w, elements, count * kind->size);
    for (size_t i = 0; kind->what < DRY_DEFINITION_COUNT && i < count; i++)
        put_definition(w, &dry_definitions[kind->what], (const char *)elements + i * kind->size);
}

void dry_call_write(dry_call_writer *w, const dry_call *call, const void *const *arguments)
{
    const uint32_t elements = (uint32_t)dry_call_elements(call, arguments);
    for (int i = 0; i < call->count; i++) {
        const dry_argument *kind = &dry_arguments[call->kind[i]];
        if (kind->form == DRY_FORM_VALUE) {
            put_elements(w, kind, arguments[i], 1);
            continue;
        }
        put_count(w, arguments[i] ? elements : DRY_NO_ELEMENTS);
        if (arguments[i])
            put_elements(w, kind, arguments[i], elements);
    }
}

static void visit_shape(const dry_shape_def *def, dry_visit_data *visit, void *context)
{
    const dry_shape_data *data = data_of(def);
    if (data)
        visit(context, data);
}

void dry_call_visit_data(const dry_call *call, const void *const *arguments, dry_visit_data *visit,
                         void *context)
{
    const int64_t elements = dry_call_elements(call, arguments);
    for (int i = 0; i < call->count; i++) {
        if (call->kind[i] == DRY_ARGUMENT_SHAPE_DEF)
            visit_shape(arguments[i], visit, context);
        const dry_body_def *bodies = call->kind[i] == DRY_ARGUMENT_BODY_DEFS ? arguments[i] : NULL;
        for (int64_t k = 0; bodies && k < elements; k++)
            for (int s = 0; s < bodies[k].shape_count; s++)
                visit_shape(&bodies[k].shapes[s], visit, context);
    }
}

/* Things whose fields are summed. */
typedef struct thing_sums {
    const dry_sum_units *units;
    const dry_tables *state;
    dry_column_rows rows[DRY_COLUMN_COUNT];
    uint64_t *sums;
} thing_sums;

static void sum_row(thing_sums *s, int column, int row)
{
    dry_sum_rows(s->units, column, &s->rows[column], row, row + 1, s->sums);
}

/* Sums the rows of a thing in all columns of its kind. A thing that is gone has none. */
static void sum_thing(thing_sums *s, dry_call_thing thing, uint64_t id)
{
    const dry_slots *slots = thing == DRY_THING_BODY    ? &s->state->bodies.slots
                             : thing == DRY_THING_SHAPE ? &s->state->shapes.slots
                                                        : &s->state->joints.slots;
    const int slot = dry_slots_find(slots, id);
    for (int column = 0; slot >= 0 && column < DRY_COLUMN_COUNT; column++) {
        const dry_column_rows *rows = &s->rows[column];
        if (!rows->rows)
            continue;
        if (thing == DRY_THING_BODY && rows->bodies)
            sum_row(s, column, slots->slots[slot].row);
        else if (rows->slots == slots)
            sum_row(s, column, slot);
    }
}

void dry_call_sum(const dry_sum_units *units, const dry_tables *state, const dry_call *call,
                  const void *const *arguments, uint64_t *sums)
{
    thing_sums s = {.units = units, .state = state, .sums = sums};
    const int64_t elements = dry_call_elements(call, arguments);
    dry_find_column_rows(state, s.rows);
    memset(sums, 0, (size_t)units->count * sizeof *sums);
    for (int i = 0; i < call->count; i++) {
        const dry_argument *kind = &dry_arguments[call->kind[i]];
        const char *at = arguments[i];
        if (kind->thing == DRY_THING_SETTINGS)
            sum_row(&s, DRY_COLUMN_SETTINGS, 0);
        if (kind->thing == DRY_NO_THING || kind->thing == DRY_THING_SETTINGS || !at)
            continue;
        /* Elements begin with the id. */
        for (int64_t k = 0; k < (kind->form == DRY_FORM_VALUE ? 1 : elements); k++, at += kind->size) {
            uint64_t id;
            memcpy(&id, at, sizeof id);
            sum_thing(&s, kind->thing, id);
        }
    }
}

void dry_sums_write(dry_call_writer *w, const uint64_t *sums, int count)
{
    for (int first = 0; first < count; first += 64) {
        const int end = first + 64 < count ? first + 64 : count;
        uint64_t set = 0, some[64];
        int used = 0;
        for (int i = first; i < end; i++)
            if (sums[i] != 0) {
                set |= UINT64_C(1) << (i - first);
                some[used++] = sums[i];
            }
        dry_call_put(w, &set, sizeof set);
        dry_call_put(w, some, (size_t)used * sizeof *some);
    }
}
