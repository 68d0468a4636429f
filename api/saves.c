/* Saves: the calls that write and read them. Next: snapshot/format.h, snapshot/restore.h. */
#include "api/saves.h"

#include "core/fail.h"
#include "snapshot/record.h"
#include "snapshot/restore.h"
#include "snapshot/write.h"
#include "world/check.h"
#include "world/state_tables.h"
#include "world/world.h"

#include <inttypes.h>
#include <stdio.h>

dry_result dry_world_save(const dry_world *world, const dry_save_options *options, const dry_sink *sink)
{
    DRY_RETURN_REFUSAL(dry_check_world(world, __func__));
    if (!sink || !sink->write)
        return dry_refuse(world, __func__, "sink is null");
    if (options && options->program_size > 0 && (!options->program_bytes || options->program_size >> 40))
        return dry_refuse(world, __func__, "program_bytes is null, or program_size is above 2^40");
    const dry_save_header header = {DRY_SAVE_MAGIC, DRY_SAVE_FORMAT, DRY_ARITHMETIC_REVISION, 0};
    dry_writer writer;
    const dry_tables state = dry_world_state(world);
    dry_writes_to_sink(world, true);
    dry_write_begin(&writer, sink, &header);
    dry_write_state(&writer, &state);
    if (!options || !options->without_shape_data)
        dry_write_shape_data(&writer, &world->shapes);
    if (options)
        dry_write_program(&writer, options->program_bytes, options->program_size);
    const bool written = dry_write_end(&writer);
    dry_writes_to_sink(world, false);
    return written ? DRY_OK : dry_refuse(world, __func__, "the sink has failed");
}

/* Writes a fault to the log. */
static dry_result tell(const dry_world *world, const char *name, dry_result result,
                       const dry_save_fault *fault)
{
    char row[32] = "";
    if (result == DRY_ERROR_MEMORY)
        return dry_world_fail(world, result, "%s: out of memory", name);
    if (fault->row >= 0)
        snprintf(row, sizeof row, ", row %" PRId64, fault->row);
    return dry_world_fail(world, result, "%s: section %s%s%s%s: %s", name, fault->section, row,
                          fault->field ? ", field " : "", fault->field ? fault->field : "", fault->text);
}

dry_result dry_restore_bytes(dry_world *world, const char *name, const void *bytes, size_t size,
                             const dry_load_options *options, dry_load_report *report)
{
    dry_saved saved;
    dry_save_fault fault = {.row = -1};
    const bool found = dry_saved_find(bytes, size, &saved, &fault);
    if (saved.header.magic == DRY_SAVE_MAGIC && saved.header.format > DRY_SAVE_FORMAT)
        return dry_world_fail(world, DRY_ERROR_UNSUPPORTED,
                              "%s: the format is %u, and this library reads up to %u", name,
                              (unsigned)saved.header.format, DRY_SAVE_FORMAT);
    if (!found)
        return tell(world, name, DRY_ERROR_ARGUMENT, &fault);
    world->stepping = true; /* its functions that find data and read the program's bytes can change nothing */
    const dry_result result = dry_world_restore_saved(world, &saved, options, &fault);
    world->stepping = false;
    if (result != DRY_OK)
        return tell(world, name, result, &fault);
    if (world->recorder)
        dry_record_restored(world);
    if (report)
        *report = (dry_load_report){saved.header.format, saved.header.arithmetic,
                                    saved.header.arithmetic == DRY_ARITHMETIC_REVISION};
    return DRY_OK;
}

dry_result dry_world_load(const void *bytes, size_t size, const dry_world_def *def,
                          const dry_load_options *options, dry_world **world, dry_load_report *report)
{
    if (world)
        *world = NULL;
    if (!world || !bytes || !def)
        return dry_fail(def ? &def->log : NULL, DRY_ERROR_ARGUMENT, "%s: bytes, def or world is null",
                        __func__);
    dry_world_def plain = *def;
    plain.settings = dry_default_settings();
    plain.tag = UINT16_MAX; /* draws no number: the save has its own */
    plain.body_capacity = 0;
    plain.recording.sink.write = NULL; /* until there is a state to begin with */
    dry_world *made;
    DRY_RETURN_REFUSAL(dry_world_create(&plain, &made));
    dry_load_report loaded;
    dry_result result = dry_restore_bytes(made, __func__, bytes, size, options, &loaded);
    if (result == DRY_OK && def->recording.sink.write && !dry_recorder_begin(made, &def->recording))
        result = dry_lacks_memory(made, __func__);
    if (result != DRY_OK) {
        dry_world_destroy(made);
        return result;
    }
    *world = made;
    if (report)
        *report = loaded;
    return DRY_OK;
}

dry_result dry_world_restore(dry_world *world, const void *bytes, size_t size,
                             const dry_load_options *options, dry_load_report *report)
{
    DRY_RETURN_REFUSAL(dry_check_world(world, __func__));
    if (!bytes)
        return dry_refuse(world, __func__, "bytes is null");
    return dry_restore_bytes(world, __func__, bytes, size, options, report);
}
