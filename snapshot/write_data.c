/* The data of shapes, and the bytes of a program, as sections of a save; and saves that have neither.
 *
 * Shapes share data, and nothing tells which shape is the first to have some. Without memory, data are found
 * by rising hash, some at a time: the next ones above the last hash that was written. */
#include "snapshot/write.h"

#include "geometry/shape_bytes.h"

#include <string.h>

enum { BATCH = 128 };

typedef struct batch {
    dry_shape_data *data[BATCH]; /* by rising hash */
    int count;
} batch;

int dry_data_place(dry_shape_data *const *data, int count, uint64_t hash)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (data[middle]->hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds data to the batch, unless their hash is there; the largest leave where there is no room. */
static void offer(batch *b, dry_shape_data *data)
{
    const int at = dry_data_place(b->data, b->count, data->hash);
    if (at == BATCH || (at < b->count && b->data[at]->hash == data->hash))
        return;
    b->count += b->count < BATCH;
    memmove(&b->data[at + 1], &b->data[at], (size_t)(b->count - 1 - at) * sizeof *b->data);
    b->data[at] = data;
}

static void put(void *context, const void *bytes, size_t size)
{
    dry_write_bytes(context, bytes, size);
}

void dry_write_data(dry_writer *w, const dry_shape_data *data)
{
    const dry_section_header header = {.kind = DRY_SECTION_DATA, .bytes = dry_shape_bytes_size(data)};
    const dry_bytes_sink sink = {put, w};
    dry_write_begin_section(w, &header);
    dry_shape_bytes_emit(data, &sink);
    dry_write_end_section(w);
}

void dry_write_shape_data(dry_writer *w, const dry_shapes *shapes)
{
    batch b = {.count = BATCH};
    uint64_t last = 0; /* no data have the hash 0 */
    while (shapes->asset && b.count == BATCH) {
        b.count = 0;
        for (int shape = -1; (shape = dry_slots_next(&shapes->slots, shape)) >= 0;)
            if (shapes->asset[shape].data && shapes->asset[shape].hash > last)
                offer(&b, shapes->asset[shape].data);
        for (int i = 0; i < b.count; i++)
            dry_write_data(w, b.data[i]);
        last = b.count > 0 ? b.data[b.count - 1]->hash : last;
    }
}

void dry_write_program(dry_writer *w, const void *bytes, size_t size)
{
    const uint32_t fill = (uint32_t)(-size & 7);
    const dry_section_header header = {.kind = DRY_SECTION_PROGRAM, .present = fill, .bytes = size + fill};
    if (size == 0)
        return;
    dry_write_begin_section(w, &header);
    dry_write_bytes(w, bytes, size);
    dry_write_end_section(w);
}

void dry_write_plain(const dry_tables *state, const dry_sink *sink)
{
    const dry_save_header header = {DRY_SAVE_MAGIC, DRY_SAVE_FORMAT, DRY_ARITHMETIC_REVISION, 0};
    dry_writer writer;
    dry_write_begin(&writer, sink, &header);
    dry_write_state(&writer, state);
    dry_write_end(&writer);
}

static bool count_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)user += size;
    return true;
}

size_t dry_plain_bytes(const dry_tables *state)
{
    size_t size = 0;
    dry_write_plain(state, &(dry_sink){count_bytes, &size});
    return size;
}

static bool append(void *user, const void *bytes, size_t size)
{
    char **to = user;
    memcpy(*to, bytes, size);
    *to += size;
    return true;
}

bool dry_write_to_memory(const dry_tables *state, dry_memory *memory, dry_saved *saved)
{
    const size_t size = dry_plain_bytes(state);
    char *bytes = dry_memory_allocate(memory, size, DRY_CACHE_LINE), *end = bytes;
    dry_save_fault fault;
    if (!bytes)
        return false;
    dry_write_plain(state, &(dry_sink){append, &end});
    const bool found = dry_saved_find(bytes, size, saved, &fault);
    (void)found;
    DRY_ASSERT(found && end == bytes + size);
    return true;
}
