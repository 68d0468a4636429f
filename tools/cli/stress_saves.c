/* Saves of `drystone stress`: --save, --load, and --reload-every, which takes a run through saves; and
 * --rollback, which takes it through its history.
 *
 * Ids of the scene's bodies stay valid, since all worlds of the tool have one tag and make their bodies in
 * the order of the scene. */
#include "tools/cli/file_bytes.h"
#include "tools/cli/stress_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool stress_write_to_stream(void *user, const void *more, size_t size)
{
    return fwrite(more, 1, size, user) == size;
}

dry_result stress_write_save(const stress_run *run, FILE *stream)
{
    const dry_sink sink = {stress_write_to_stream, stream};
    return dry_world_save(run->world, NULL, &sink);
}

/* Tells whether a world has the bodies of the scene, under their ids and numbers. */
static bool has_scene(const stress_run *run)
{
    uint64_t number;
    if (dry_world_statistics(run->world).bodies != run->scene.body_count) {
        return false;
    }
    for (int i = 0; i < run->scene.body_count; i++) {
        if (dry_body_get_user_data(run->world, run->ids[i], &number) != DRY_OK || number != (uint64_t)i) {
            return false;
        }
    }
    return true;
}

bool stress_load(stress_run *run, char *error, size_t error_bytes)
{
    const char *path = run->options.load;
    file_bytes file = {NULL, 0, 0};
    bool good = file_bytes_read(path, &file);
    if (!good) {
        snprintf(error, error_bytes, "--load %s: %s", path, strerror(errno));
    } else if (dry_world_restore(run->world, file.at ? file.at : "", file.size, NULL, NULL) != DRY_OK) {
        good = false;
        snprintf(error, error_bytes, "--load %s: %s", path, run->log_line);
    } else if (!has_scene(run)) {
        good = false;
        snprintf(error, error_bytes, "--load %s: expected a save of this scene in this size", path);
    }
    free(file.at);
    return good;
}

/* Returns the next instruction set of those that this processor has. */
static dry_isa next_isa(dry_isa isa)
{
    do {
        isa = isa + 1 < DRY_ISA_COUNT ? (dry_isa)(isa + 1) : DRY_ISA_SCALAR;
    } while (!dry_isa_available(isa));
    return isa;
}

bool stress_reload(stress_run *run)
{
    file_bytes save = {NULL, 0, 0};
    const dry_sink sink = {file_bytes_append, &save};
    dry_world *world = NULL;
    dry_world_def def = run->def;
    def.isa = next_isa(dry_world_isa(run->world));
    def.threads = 1 + run->reloads % 3;
    dry_result result = dry_world_save(run->world, NULL, &sink);
    if (result == DRY_OK) {
        dry_world_destroy(run->world);
        run->world = NULL;
        result = dry_world_load(save.at, save.size, &def, NULL, &world, NULL);
    }
    free(save.at);
    run->world = result == DRY_OK ? world : run->world;
    run->reloads++;
    if (result != DRY_OK) {
        snprintf(run->failure, sizeof run->failure, "--reload-every: %.900s", run->log_line);
        run->report.failure = run->failure;
    }
    return result == DRY_OK;
}

bool stress_roll_back(stress_run *run)
{
    const int steps = dry_history_steps(run->history);
    const uint64_t hash = dry_world_hash(run->world);
    dry_result result = dry_history_rewind(run->history, steps);
    for (int i = 0; i < steps && result == DRY_OK; i++) {
        result = dry_world_step(run->world, run->report.dt);
    }
    if (result == DRY_OK && dry_world_hash(run->world) == hash) {
        return true;
    }
    snprintf(run->failure, sizeof run->failure, "--rollback: %.900s",
             result == DRY_OK ? "the steps done again lead to another hash" : run->log_line);
    run->report.failure = run->failure;
    return false;
}
