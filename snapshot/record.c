/* Writing a recording. A block is handed to the sink as soon as it is complete. */
#include "snapshot/record.h"

#include "snapshot/call_bytes.h"
#include "snapshot/recording.h"
#include "snapshot/write.h"
#include "world/check.h"
#include "world/state_tables.h"

#include <drystone/recording.h>
#include <string.h>

/* Hashes of shape data that have been written, each at the place that its bits give. Data that lose their
 * place to others are written once more when they are needed again. */
enum { KNOWN_COUNT = 512 };

typedef struct dry_recorder {
    dry_recording_def def;
    dry_writer out;
    dry_sum_units units;
    uint64_t sums[DRY_SUM_UNITS_MAX];
    uint64_t known[KNOWN_COUNT];
    uint64_t sums_asked, saves_asked; /* the steps when it was last asked whether some are due */
    bool told;                        /* the log knows that the sink has failed */
    bool changed;                     /* since the last sums */
    bool changed_since;               /* since the last save */
} dry_recorder;

/* Brackets what is written in one go: a sink that calls into the world is refused meanwhile. */
static dry_recorder *open_recorder(dry_world *world)
{
    dry_recorder *r = world->recorder;
    if (r->out.failed)
        return NULL;
    world->stepping = true;
    return r;
}

static void close_recorder(dry_world *world)
{
    dry_recorder *r = world->recorder;
    dry_write_flush(&r->out);
    world->stepping = false;
    if (r->out.failed && !r->told)
        dry_world_fail(world, DRY_OK, "the recording ends: its sink has failed");
    r->told = r->out.failed;
}

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

/* Returns the number of units of the field that a unit belongs to, which is its first. */
static int units_of_field(const dry_sum_units *units, int column, int first)
{
    int end = first;
    while (end < units->layout[column].end && units->unit[end].field == units->unit[first].field)
        end++;
    return end - first;
}

static void write_fields(dry_recorder *r)
{
    dry_section_header header = {.kind = DRY_BLOCK_FIELDS};
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            dry_write_begin_section(&r->out, &header);
        for (int column = 0; column < DRY_COLUMN_COUNT; column++)
            for (int i = r->units.layout[column].first; i < r->units.layout[column].end;) {
                const int count = units_of_field(&r->units, column, i);
                const dry_field_units field = {dry_columns[column].number,
                                               dry_columns[column].fields[r->units.unit[i].field].number,
                                               (uint16_t)count, 0};
                i += count;
                header.bytes += pass == 0 ? sizeof field : 0;
                if (pass == 1)
                    dry_write_bytes(&r->out, &field, sizeof field);
            }
    }
    dry_write_end_section(&r->out);
}

/* Writes data unless a block before has them. */
static void write_data(void *context, const dry_shape_data *data)
{
    dry_recorder *r = context;
    const uint64_t hash = dry_shape_data_hash(data);
    if (r->known[hash % KNOWN_COUNT] == hash)
        return;
    r->known[hash % KNOWN_COUNT] = hash;
    dry_write_data(&r->out, data);
}

static void write_all_data(dry_recorder *r, const dry_shapes *shapes)
{
    for (int shape = -1; shapes->asset && (shape = dry_slots_next(&shapes->slots, shape)) >= 0;)
        if (shapes->asset[shape].data)
            write_data(r, shapes->asset[shape].data);
}

static bool pass_bytes(void *user, const void *bytes, size_t size)
{
    dry_write_bytes(user, bytes, size);
    return true;
}

/* Writes the state as a block. The save is made twice: its size comes before it. */
static void write_save(dry_recorder *r, const dry_world *world, int reason)
{
    const dry_tables state = dry_world_state(world);
    write_all_data(r, &world->shapes);
    const dry_section_header header = {.kind = DRY_BLOCK_SAVE,
                                       .number = (uint16_t)reason,
                                       .bytes = sizeof world->step_count + dry_plain_bytes(&state)};
    dry_write_begin_section(&r->out, &header);
    dry_write_bytes(&r->out, &world->step_count, sizeof world->step_count);
    dry_write_plain(&state, &(dry_sink){pass_bytes, &r->out});
    dry_write_end_section(&r->out);
    r->changed_since = false;
}

dry_result dry_record_call(dry_world *world, dry_call_id id, const void *arguments)
{
    dry_recorder *r = open_recorder(world);
    if (!r)
        return DRY_OK;
    const dry_call *call = &dry_calls[id];
    const void *pointers[DRY_ARGUMENTS_MAX];
    memcpy(pointers, arguments, call->count * sizeof *pointers);
    dry_call_visit_data(call, pointers, write_data, r);
    const dry_tables state = dry_world_state(world);
    dry_call_sum(&r->units, &state, call, pointers, r->sums);
    dry_call_writer size = {NULL, 0}, sums = {NULL, 0}, out = {&r->out, 0};
    dry_call_write(&size, call, pointers);
    dry_sums_write(&sums, r->sums, r->units.count);
    const dry_section_header header = {.kind = DRY_BLOCK_CALL,
                                       .number = call->number,
                                       .bytes = sizeof size.bytes + padded(size.bytes) + sums.bytes};
    const char zero[8] = {0};
    dry_write_begin_section(&r->out, &header);
    dry_call_put(&out, &size.bytes, sizeof size.bytes);
    dry_call_write(&out, call, pointers);
    dry_call_put(&out, zero, padded(size.bytes) - size.bytes);
    dry_sums_write(&out, r->sums, r->units.count);
    dry_write_end_section(&r->out);
    r->changed = r->changed_since = true;
    close_recorder(world);
    return DRY_OK;
}

/* Tells whether steps have come to a multiple of what a setting says, or passed one, since the last time; 0
 * is for never. Steps of some bodies count, and do not ask for sums. */
static bool is_due(uint64_t steps, uint64_t *asked, int every)
{
    const bool due = every > 0 && steps / (uint64_t)every != *asked / (uint64_t)every;
    *asked = steps;
    return due;
}

static void write_due_save(dry_recorder *r, const dry_world *world)
{
    if (is_due(world->step_count, &r->saves_asked, r->def.saves_every) && r->changed_since)
        write_save(r, world, DRY_SAVE_PERIODIC);
}

static void write_step(dry_recorder *r, const dry_world *world, float dt, dry_result result, bool summed)
{
    const dry_step_block step = {(uint32_t)result, dt, world->step_count};
    const bool staged = world->hash_stages && result == DRY_OK;
    dry_call_writer sums = {NULL, 0}, out = {&r->out, 0};
    if (summed) {
        const dry_tables state = dry_world_state(world);
        dry_sum_state(&r->units, &state, r->sums);
        dry_sums_write(&sums, r->sums, r->units.count);
    }
    const dry_section_header header = {
        .kind = DRY_BLOCK_STEP,
        .fields = (staged ? DRY_STEP_HAS_STAGES : 0u) | (summed ? DRY_STEP_HAS_SUMS : 0u),
        .bytes = sizeof step + (staged ? sizeof world->stage_hash : 0) + sums.bytes};
    dry_write_begin_section(&r->out, &header);
    dry_call_put(&out, &step, sizeof step);
    if (staged)
        dry_call_put(&out, world->stage_hash, sizeof world->stage_hash);
    if (summed)
        dry_sums_write(&out, r->sums, r->units.count);
    dry_write_end_section(&r->out);
}

void dry_record_step(dry_world *world, float dt, dry_result result, bool idle)
{
    dry_recorder *r = open_recorder(world);
    if (!r)
        return;
    r->changed = r->changed || !idle;
    r->changed_since = r->changed_since || !idle;
    /* A world in which nothing moves has the sums that it had. */
    const bool summed =
        result == DRY_OK && is_due(world->step_count, &r->sums_asked, r->def.sums_every) && r->changed;
    write_step(r, world, dt, result, summed);
    r->changed = r->changed && !summed;
    if (result != DRY_OK)
        write_save(r, world, DRY_SAVE_STOPPED);
    else
        write_due_save(r, world);
    close_recorder(world);
}

void dry_record_some(dry_world *world)
{
    dry_recorder *r = open_recorder(world);
    if (!r)
        return;
    write_due_save(r, world);
    close_recorder(world);
}

void dry_record_restored(dry_world *world)
{
    dry_recorder *r = open_recorder(world);
    if (!r)
        return;
    write_save(r, world, DRY_SAVE_RESTORED);
    r->sums_asked = r->saves_asked = world->step_count;
    r->changed = true;
    close_recorder(world);
}

bool dry_recorder_begin(dry_world *world, const dry_recording_def *def)
{
    const dry_save_header header = {DRY_RECORDING_MAGIC, DRY_RECORDING_FORMAT, DRY_ARITHMETIC_REVISION, 0};
    dry_recorder *r = dry_memory_allocate(&world->memory, sizeof *r, DRY_CACHE_LINE);
    if (!r)
        return false;
    memset(r, 0, sizeof *r);
    r->def = *def;
    r->sums_asked = r->saves_asked = world->step_count;
    r->changed = true;
    dry_sum_units_find(&r->units);
    dry_write_begin(&r->out, &def->sink, &header);
    world->recorder = r;
    open_recorder(world);
    write_fields(r);
    write_save(r, world, DRY_SAVE_FIRST);
    close_recorder(world);
    return true;
}

void dry_recorder_end(dry_world *world)
{
    if (!world->recorder || !open_recorder(world))
        return;
    const dry_section_header end = {.kind = DRY_SECTION_END, .rows = world->recorder->out.sections};
    dry_write_begin_section(&world->recorder->out, &end);
    dry_write_end_section(&world->recorder->out);
    close_recorder(world);
}

bool dry_recorder_is_live(const dry_world *world)
{
    return world->recorder && !world->recorder->out.failed;
}

dry_result dry_draw_numbers(dry_world *world, const char *name)
{
    const int wanted = dry_max_int(dry_max_int(world->bodies.slots.wanted, world->shapes.slots.wanted),
                                   world->joints.slots.wanted);
    const int had = world->leases.count;
    const bool drawn = wanted <= had || dry_leases_draw(&world->leases, wanted);
    for (int i = had; i < world->leases.count; i++)
        (void)DRY_RECORD(world, dry_world_take_lease, &world->leases.first[i]);
    return drawn
               ? DRY_OK
               : dry_world_fail(world, DRY_ERROR_NUMBERS, "%s: the process has no world numbers left", name);
}

dry_result dry_world_take_lease(dry_world *world, uint64_t first)
{
    dry_leases leases = world->leases;
    const char *error = "a world has at most 16 leases";
    if (leases.count < DRY_LEASES_MAX) {
        leases.first[leases.count++] = first;
        error = dry_leases_error(&leases);
    }
    if (error)
        return dry_refuse(world, __func__, error);
    dry_leases_pass_over(&leases);
    world->leases = leases;
    return DRY_OK;
}
