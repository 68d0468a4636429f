/* Moves one of two twins (twin.h): it is destroyed and loaded from a save, or restored where it is, or it
 * gives memory back and takes other workers. The other goes on, so that each comparison from then on compares
 * a moved world with one that was not interrupted. */
#include "tools/cli/file_bytes.h"
#include "tools/cli/soak/twin.h"

#include <stdlib.h>

/* The ways to move a world. */
typedef enum way { LOAD, RESTORE, TRIM, WAYS } way;

/* Gives a world 1 to 3 workers, other ones than it has, and what is left of its memory. */
static dry_result trim(soak_side *side)
{
    dry_world *world = side->world;
    dry_workers workers = dry_world_get_workers(world);
    workers.threads = 1 + workers.threads % 3;
    const dry_result result = dry_world_set_workers(world, &workers);
    dry_history_destroy(side->history); /* it keeps a world from being trimmed */
    side->history = NULL;
    return result == DRY_OK ? dry_world_trim(world) : result;
}

static dry_result move(soak_twin *twin, int which, const file_bytes *save, way how)
{
    soak_side *side = &twin->sides[which];
    if (how == RESTORE) {
        return dry_world_restore(side->world, save->at, save->size, NULL, NULL);
    }
    if (how == TRIM) {
        const dry_result result = trim(side);
        return result == DRY_OK ? twin_begin_history(twin, side) : result;
    }
    if (side->world != NULL) {
        twin_end_world(twin, which, dry_world_hash(side->world));
    }
    side->recording.size = 0;
    const dry_result result = dry_world_load(save->at, save->size, &side->def, NULL, &side->world, NULL);
    return result == DRY_OK ? twin_begin_history(twin, side) : result;
}

bool twin_reload(soak_twin *twin)
{
    const unsigned turn = twin->reloads++;
    soak_side *side = &twin->sides[turn % 2];
    file_bytes save = {NULL, 0, 0};
    const dry_sink sink = {file_bytes_append, &save};
    const uint64_t hash = dry_world_hash(side->world);
    dry_result result = dry_world_save(side->world, NULL, &sink);
    if (result != DRY_OK) {
        twin_differs(twin, "dry_world_save: %s", dry_result_name(result));
    }
    for (bool again = result == DRY_OK; again;) {
        if (turn % 2 == 0) {
            twin_arm(twin);
        }
        result = move(twin, (int)(turn % 2), &save, (way)(turn / 2 % WAYS));
        again = turn % 2 == 0 && twin_refused(twin, result, "a load or a trim");
    }
    free(save.at);
    twin->hash_known = false;
    if (result != DRY_OK || dry_world_hash(side->world) != hash) {
        return twin_differs(twin, "a load or a trim: %s, and another state: %s", dry_result_name(result),
                            side->log_line);
    }
    return true;
}
