/* Reading the arguments of a call. Nothing that the bytes say is trusted: a number of elements is bounded by
 * the bytes that follow, and the call itself checks values. Next: snapshot/call_bytes.h, which has the
 * format. */
#include "host/replay/replay.h"

#include <string.h>

enum { DEFINITION_BYTES_MIN = 2 };

static bool fail(dry_argument_reader *r, const char *fault)
{
    r->fault = r->fault ? r->fault : fault;
    return false;
}

static bool take(dry_argument_reader *r, void *to, size_t size)
{
    if (r->fault || r->left < size)
        return fail(r, "the arguments end early");
    memcpy(to, r->at, size);
    r->at += size;
    r->left -= size;
    return true;
}

/* Returns memory for elements, cleared; null without. */
static void *room_for(dry_argument_reader *r, size_t count, size_t size)
{
    const size_t bytes = count * size;
    void *room = dry_memory_allocate(r->memory, bytes > 0 ? bytes : 1, DRY_CACHE_LINE);
    r->no_memory = r->no_memory || !room;
    if (room)
        memset(room, 0, bytes);
    return room;
}

static bool take_definition(dry_argument_reader *r, const dry_definition *d, char *element);

static bool take_definitions(dry_argument_reader *r, const dry_definition *d, char *elements, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!take_definition(r, d, elements + i * d->size))
            return false;
    return true;
}

/* Reads the elements of a counted member into memory of their own. */
static bool take_counted(dry_argument_reader *r, const dry_definition *d, const dry_member *member,
                         char *element)
{
    const dry_definition *part = &dry_definitions[member->what];
    uint32_t count;
    if (!take(r, &count, sizeof count))
        return false;
    if (count > r->left / DEFINITION_BYTES_MIN || count > INT32_MAX)
        return fail(r, "there are more elements than bytes for them");
    char *elements = room_for(r, count, part->size);
    if (!elements)
        return false;
    memcpy(element + member->offset, &(const void *){elements}, sizeof(const void *));
    memcpy(element + d->count_offset, &(int){(int)count}, sizeof(int));
    return take_definitions(r, part, elements, count);
}

static bool take_data(dry_argument_reader *r, char *to)
{
    uint64_t hash;
    if (!take(r, &hash, sizeof hash))
        return false;
    dry_shape_data *data = dry_replay_find_data(r->replay, hash);
    memcpy(to, &data, sizeof data);
    return data || fail(r, "no shape data before the call have this hash");
}

static bool take_truth(dry_argument_reader *r, char *to)
{
    uint8_t truth;
    if (!take(r, &truth, sizeof truth))
        return false;
    if (truth > 1)
        return fail(r, "a truth value is neither 0 nor 1");
    *(bool *)to = truth == 1;
    return true;
}

static bool take_member(dry_argument_reader *r, const dry_definition *d, const dry_member *member,
                        size_t size, char *element)
{
    char *to = element + member->offset;
    if (member->counted)
        return take_counted(r, d, member, element);
    if (member->what < DRY_DEFINITION_COUNT) {
        const dry_definition *part = &dry_definitions[member->what];
        uint32_t count;
        if (!take(r, &count, sizeof count))
            return false;
        return count * part->size == member->size ? take_definitions(r, part, to, count)
                                                  : fail(r, "a member has another number of parts");
    }
    if (size != (member->what == DRY_WRITTEN_DATA ? sizeof(uint64_t) : member->size))
        return fail(r, "a member has another size");
    if (member->what == DRY_WRITTEN_DATA)
        return take_data(r, to);
    return member->what == DRY_WRITTEN_TRUTH ? take_truth(r, to) : take(r, to, size);
}

static const dry_member *find_member(const dry_definition *d, int number)
{
    for (int i = 0; i < d->member_count; i++)
        if (d->members[i].number == number)
            return &d->members[i];
    return NULL;
}

static bool take_definition(dry_argument_reader *r, const dry_definition *d, char *element)
{
    uint16_t count, number, size;
    memcpy(element, d->standard, d->size);
    if (!take(r, &count, sizeof count))
        return false;
    for (int i = 0; i < count; i++) {
        if (!take(r, &number, sizeof number) || !take(r, &size, sizeof size))
            return false;
        const dry_member *member = find_member(d, number);
        if (!member)
            return fail(r, "a definition has a member that this library does not know");
        if (!take_member(r, d, member, size, element))
            return false;
    }
    return true;
}

static bool take_elements(dry_argument_reader *r, const dry_argument *kind, char *to, size_t count)
{
    if (kind->what < DRY_DEFINITION_COUNT)
        return take_definitions(r, &dry_definitions[kind->what], to, count);
    return kind->what == DRY_WRITTEN_TRUTH ? take_truth(r, to) : take(r, to, count * kind->size);
}

/* Reads an array, and makes room for results. */
static bool take_array(dry_argument_reader *r, const dry_argument *kind, dry_read_arguments *read, int i)
{
    const size_t least = kind->what < DRY_DEFINITION_COUNT ? DEFINITION_BYTES_MIN : kind->size;
    uint32_t count;
    if (!take(r, &count, sizeof count))
        return false;
    if (count == DRY_NO_ELEMENTS)
        return true;
    if (count > r->left / least)
        return fail(r, "there are more elements than bytes for them");
    char *elements = room_for(r, count, kind->size);
    read->argument[i] = elements;
    if (!elements || !take_elements(r, kind, elements, count))
        return false;
    read->elements = (int64_t)count;
    if (kind->form != DRY_FORM_MADE)
        return true;
    read->recorded[i] = elements;
    read->argument[i] = room_for(r, count, kind->size);
    return read->argument[i] != NULL;
}

bool dry_replay_read_call(dry_argument_reader *r, const dry_call *call, dry_read_arguments *read)
{
    int64_t elements[DRY_ARGUMENTS_MAX];
    memset(read, 0, sizeof *read);
    for (int i = 0; i < call->count; i++) {
        const dry_argument *kind = &dry_arguments[call->kind[i]];
        read->elements = -1;
        if (kind->form == DRY_FORM_VALUE) {
            read->argument[i] = read->value[i];
            if (!take_elements(r, kind, read->argument[i], 1))
                return false;
        } else if (!take_array(r, kind, read, i)) {
            return false;
        }
        elements[i] = read->elements;
    }
    read->elements = dry_call_elements(call, (const void *const *)read->argument);
    for (int i = 0; i < call->count; i++)
        if (elements[i] >= 0 && elements[i] != read->elements)
            return fail(r, "an array has another number of elements than the call");
    return r->left < 8 || fail(r, "there are bytes behind the arguments");
}
