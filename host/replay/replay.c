/* Replays: the world of a save, and then the calls and steps that a recording has. */
#include "host/replay/replay.h"

#include "core/assert.h"
#include "core/fail.h"
#include "world/state_tables.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

static dry_result read_header(dry_replay *r)
{
    dry_save_header header;
    if (r->size < sizeof header)
        return dry_replay_fail(r, DRY_ERROR_ARGUMENT, "dry_replay_create: the bytes are no recording");
    memcpy(&header, r->bytes, sizeof header);
    if (header.magic != DRY_RECORDING_MAGIC || header.format == 0 || header.zero != 0)
        return dry_replay_fail(r, DRY_ERROR_ARGUMENT, "dry_replay_create: the bytes are no recording");
    if (header.format > DRY_RECORDING_FORMAT)
        return dry_replay_fail(r, DRY_ERROR_UNSUPPORTED,
                               "dry_replay_create: the format is %u, and this library reads up to %u",
                               (unsigned)header.format, DRY_RECORDING_FORMAT);
    r->report.format = header.format;
    r->report.arithmetic = header.arithmetic;
    r->report.compares_state = header.arithmetic == DRY_ARITHMETIC_REVISION;
    return DRY_OK;
}

/* Finds the save to begin with: the last one before a step beyond from_step. Returns false if there is none.
 */
static bool find_save(const dry_replay *r, dry_block *save)
{
    dry_block block;
    bool found = false;
    for (size_t at = sizeof(dry_save_header); dry_replay_block(r, at, &block); at = block.next) {
        uint64_t steps;
        dry_step_block step;
        if (block.header.kind == DRY_BLOCK_CALL || block.header.kind == DRY_BLOCK_STEP)
            if (!found)
                return false;
        if (block.header.kind == DRY_BLOCK_STEP) {
            memcpy(&step, block.bytes, sizeof step);
            if (step.step_count > r->options.from_step)
                break;
        }
        if (block.header.kind != DRY_BLOCK_SAVE)
            continue;
        memcpy(&steps, block.bytes, sizeof steps);
        if (!found || steps <= r->options.from_step)
            *save = block;
        found = true;
    }
    return found;
}

static dry_result begin(dry_replay *r, const dry_world_def *def)
{
    dry_block save;
    dry_world_def own = *def;
    const dry_load_options options = {.find_data = dry_replay_find_data, .user = r};
    dry_result result = read_header(r);
    if (result == DRY_OK)
        result = dry_replay_check_blocks(r);
    if (result == DRY_OK)
        result = dry_replay_read_fields(r);
    if (result == DRY_OK)
        result = dry_replay_read_data(r);
    if (result != DRY_OK)
        return result;
    if (!find_save(r, &save))
        return dry_replay_fail(r, DRY_ERROR_ARGUMENT,
                               "dry_replay_create: no save comes before the first call");
    own.hash_stages = r->has_stages && r->report.compares_state;
    r->at = save.next;
    result = dry_world_load(save.bytes + sizeof(uint64_t), save.size - sizeof(uint64_t), &own, &options,
                            &r->world, NULL);
    r->report.first_step = r->report.step_count = dry_world_step_count(r->world);
    return result;
}

dry_result dry_replay_create(const void *bytes, size_t size, const dry_world_def *def,
                             const dry_replay_options *options, dry_replay **replay)
{
    if (replay)
        *replay = NULL;
    if (!replay || !bytes || !def || !def->allocator.allocate != !def->allocator.release)
        return dry_fail(def ? &def->log : NULL, DRY_ERROR_ARGUMENT,
                        "dry_replay_create: bytes, def, replay or a function of the allocator is null");
    dry_memory memory;
    dry_memory_init(&memory, def->allocator);
    dry_replay *r = dry_memory_allocate(&memory, sizeof *r, DRY_CACHE_LINE);
    if (!r)
        return dry_fail(&def->log, DRY_ERROR_MEMORY, "dry_replay_create: out of memory");
    memset(r, 0, sizeof *r);
    r->memory = memory;
    r->allocator = def->allocator;
    r->log = def->log;
    r->bytes = bytes;
    r->size = size;
    if (options)
        r->options = *options;
    const dry_result result = begin(r, def);
    if (result != DRY_OK) {
        dry_replay_destroy(r);
        return result;
    }
    *replay = r;
    return DRY_OK;
}

void dry_replay_destroy(dry_replay *r)
{
    if (!r)
        return;
    dry_world_destroy(r->world);
    dry_replay_release_data(r);
    dry_memory memory = r->memory;
    dry_memory_release_all(&memory); /* with the replay itself */
}

/* Returns the difference of the present call, or of the next step, to be filled in. */
static dry_difference *new_difference(dry_replay *r, const char *call)
{
    dry_difference *d = &r->report.difference;
    *d = (dry_difference){.step = r->step, .call = call ? r->call : 0, .name = call};
    return d;
}

static dry_result bad_block(const dry_replay *r, const dry_block *block, const char *what)
{
    return dry_replay_fail(r, DRY_ERROR_ARGUMENT, "dry_replay_step: block at byte %zu: %s", block->at, what);
}

static int find_call(int number)
{
    for (int id = 0; id < DRY_CALL_COUNT; id++)
        if (dry_calls[id].number == number)
            return id;
    return -1;
}

/* Compares the results of a call. Returns whether they differ. */
static bool results_differ(dry_replay *r, const dry_call *call, const dry_read_arguments *read,
                           dry_result result)
{
    bool same = true;
    for (int i = 0; i < call->count && result == DRY_OK; i++)
        same = same && (!read->recorded[i] ||
                        memcmp(read->recorded[i], read->argument[i],
                               (size_t)read->elements * dry_arguments[call->kind[i]].size) == 0);
    if (result == DRY_OK && same)
        return false;
    dry_difference *d = new_difference(r, call->name);
    char what[96] = " the call gave other ids";
    d->kind = DRY_DIFFERENCE_RESULT;
    d->result = result;
    if (result != DRY_OK)
        snprintf(what, sizeof what, " the call failed (%s)", dry_result_name(result));
    dry_replay_describe(r, what);
    return true;
}

/* Makes a call whose arguments were read, and compares what it did. */
static dry_result make_call(dry_replay *r, const dry_block *block, const dry_call *call,
                            const dry_read_arguments *read, uint64_t size)
{
    const size_t sums = sizeof size + (((size_t)size + 7) & ~(size_t)7);
    DRY_ASSERT(sums <= block->size && dry_world_step_count(r->world) == r->report.step_count);
    r->step = dry_world_step_count(r->world) + 1;
    const dry_result result = dry_replay_make_call(r->world, (dry_call_id)(call - dry_calls), read->argument);
    r->call++;
    r->report.calls++;
    r->report.step_count = dry_world_step_count(r->world); /* a call may step some bodies */
    if (result == DRY_ERROR_MEMORY)
        return result;
    if (results_differ(r, call, read, result) || !r->report.compares_state)
        return DRY_OK;
    if (!dry_replay_read_sums(r, block->bytes + sums, block->size - sums))
        return bad_block(r, block, "there are other sums than fields");
    const dry_tables state = dry_world_state(r->world);
    dry_call_sum(&r->units, &state, call, (const void *const *)read->argument, r->here);
    new_difference(r, call->name);
    dry_replay_compare_sums(r, DRY_DIFFERENCE_THING);
    return DRY_OK;
}

static dry_result replay_call(dry_replay *r, const dry_block *block)
{
    const int id = find_call(block->header.number);
    uint64_t size;
    memcpy(&size, block->bytes, sizeof size);
    if (id < 0)
        return bad_block(r, block, "the call is not known to this library");
    if (size > block->size - sizeof size)
        return bad_block(r, block, "arguments end beyond the block");
    dry_memory memory;
    dry_memory_init(&memory, r->allocator);
    dry_argument_reader reader = {
        .at = block->bytes + sizeof size, .left = (size_t)size, .memory = &memory, .replay = r};
    dry_read_arguments read;
    dry_result result;
    if (dry_replay_read_call(&reader, &dry_calls[id], &read))
        result = make_call(r, block, &dry_calls[id], &read, size);
    else if (reader.no_memory)
        result = dry_replay_fail(r, DRY_ERROR_MEMORY, "dry_replay_step: out of memory");
    else
        result = bad_block(r, block, reader.fault);
    dry_memory_release_all(&memory);
    return result;
}

static dry_result replay_restored(dry_replay *r, const dry_block *block)
{
    const dry_load_options options = {.find_data = dry_replay_find_data, .user = r};
    if (block->header.number != DRY_SAVE_RESTORED && block->header.number != DRY_SAVE_STOPPED)
        return DRY_OK;
    const dry_result result = dry_world_restore(r->world, block->bytes + sizeof(uint64_t),
                                                block->size - sizeof(uint64_t), &options, NULL);
    r->report.step_count = dry_world_step_count(r->world);
    return result;
}

/* Compares hashes of stages; a step of length 0 leaves out those that move bodies. */
static void compare_stages(dry_replay *r, const char *hashes, float dt)
{
    for (dry_stage stage = 0; stage < (dt > 0.0f ? DRY_STAGE_COUNT : DRY_STAGE_SOLVE); stage++) {
        uint64_t there;
        memcpy(&there, hashes + (size_t)stage * sizeof there, sizeof there);
        if (there == dry_world_stage_hash(r->world, stage))
            continue;
        r->report.difference.kind = DRY_DIFFERENCE_STAGE;
        r->report.difference.stage = dry_stage_name(stage);
        dry_replay_describe(r, " the stage ended with another hash");
        return;
    }
}

static dry_result compare_step(dry_replay *r, const dry_block *block, const dry_step_block *step)
{
    const char *at = block->bytes + sizeof *step;
    size_t left = block->size - sizeof *step;
    if (block->header.fields & DRY_STEP_HAS_STAGES) {
        const size_t bytes = DRY_STAGE_COUNT * sizeof(uint64_t);
        if (left < bytes)
            return bad_block(r, block, "hashes of stages end beyond the block");
        compare_stages(r, at, step->dt);
        at += bytes;
        left -= bytes;
    }
    if (!(block->header.fields & DRY_STEP_HAS_SUMS))
        return DRY_OK;
    if (!dry_replay_read_sums(r, at, left))
        return bad_block(r, block, "there are other sums than fields");
    const dry_tables state = dry_world_state(r->world);
    dry_sum_state(&r->units, &state, r->here);
    dry_replay_compare_sums(r, DRY_DIFFERENCE_STATE);
    return DRY_OK;
}

/* Makes a step, unless memory stopped it: then a save follows. Sets *made. */
static dry_result replay_step(dry_replay *r, const dry_block *block, bool *made)
{
    dry_step_block step;
    memcpy(&step, block->bytes, sizeof step);
    *made = step.result == DRY_OK;
    r->call = 0;
    if (!*made)
        return DRY_OK;
    r->step = dry_world_step_count(r->world) + 1;
    dry_difference *d = new_difference(r, NULL);
    const dry_result result = dry_world_step(r->world, step.dt);
    if (result == DRY_ERROR_MEMORY)
        return result;
    if (result != DRY_OK) {
        d->kind = DRY_DIFFERENCE_STEP;
        d->result = result;
        dry_replay_describe(r, " the step failed");
        return DRY_OK;
    }
    r->report.step_count = dry_world_step_count(r->world);
    return r->report.compares_state ? compare_step(r, block, &step) : DRY_OK;
}

/* Goes on to the end of the next step. Sets *stepped to whether there was one. */
static dry_result advance(dry_replay *r, bool *stepped)
{
    dry_block block;
    dry_result result = DRY_OK;
    while (result == DRY_OK && !*stepped && r->report.difference.kind == DRY_DIFFERENCE_NONE &&
           dry_replay_block(r, r->at, &block)) {
        r->at = block.next;
        if (block.header.kind == DRY_BLOCK_CALL)
            result = replay_call(r, &block);
        else if (block.header.kind == DRY_BLOCK_SAVE)
            result = replay_restored(r, &block);
        else if (block.header.kind == DRY_BLOCK_STEP)
            result = replay_step(r, &block, stepped);
    }
    return result;
}

dry_result dry_replay_step(dry_replay *r, bool *more)
{
    bool stepped = false;
    if (more)
        *more = false;
    if (!r || !more)
        return dry_fail(r ? &r->log : NULL, DRY_ERROR_ARGUMENT, "dry_replay_step: replay or more is null");
    if (r->done)
        return DRY_OK;
    const dry_result result = advance(r, &stepped);
    *more = result == DRY_OK && stepped && r->report.difference.kind == DRY_DIFFERENCE_NONE;
    r->done = !*more;
    if (r->report.difference.kind == DRY_DIFFERENCE_NONE)
        r->report.difference = (dry_difference){0};
    return result;
}

const dry_world *dry_replay_world(const dry_replay *r)
{
    return r ? r->world : NULL;
}

dry_replay_report dry_replay_get_report(const dry_replay *r)
{
    return r ? r->report : (dry_replay_report){0};
}
