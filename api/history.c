/* Histories: the calls that begin, end and use them. Next: snapshot/history.h. */
#include "snapshot/history.h"
#include "snapshot/record.h"
#include "world/check.h"
#include "world/world.h"

dry_result dry_world_create_history(dry_world *world, int steps, dry_history **history)
{
    if (history)
        *history = NULL;
    DRY_RETURN_REFUSAL(dry_check_world(world, __func__));
    if (!history || steps < 1 || steps > DRY_HISTORY_STEPS_MAX)
        return dry_refuse(world, __func__, history ? "steps must be 1 to 3600" : "history is null");
    if (world->history)
        return dry_refuse(world, __func__, "the world has a history already");
    *history = dry_history_begin(world, steps);
    return *history ? DRY_OK : dry_lacks_memory(world, __func__);
}

void dry_history_destroy(dry_history *history)
{
    if (history && dry_check_world(dry_history_world(history), __func__) == DRY_OK)
        dry_history_end(history);
}

dry_result dry_history_rewind(dry_history *history, int steps)
{
    if (!history)
        return dry_refuse(NULL, __func__, "history is null");
    dry_world *world = dry_history_world(history);
    DRY_RETURN_REFUSAL(dry_check_world(world, __func__));
    const int kept = dry_history_steps(history);
    if (dry_history_is_lost(history))
        return dry_refuse(world, __func__, "nothing is kept before the next step");
    if (steps < 0 || steps > kept)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: steps is %d, and %d are kept", __func__, steps,
                              kept);
    dry_history_go_back(history, steps);
    if (world->recorder)
        dry_record_restored(world);
    return DRY_OK;
}
