/* Ends the worlds of a twin (twin.h), and replays what they have recorded. */
#include "tools/cli/soak/twin.h"

dry_result twin_begin_history(const soak_twin *twin, soak_side *side)
{
    return twin->keeps_steps ? dry_world_create_history(side->world, HISTORY_STEPS, &side->history) : DRY_OK;
}

/* Replays the recording of a side, which ends in a state with this hash. */
static bool replay(soak_twin *twin, int which, uint64_t hash)
{
    soak_side *side = &twin->sides[which];
    dry_world_def def = twin->sides[1 - which].def;
    dry_replay *made = NULL;
    bool more = true;
    def.allocator = (dry_allocator){NULL, NULL, NULL};
    def.recording.sink = (dry_sink){NULL, NULL};
    dry_result result = dry_replay_create(side->recording.at, side->recording.size, &def, NULL, &made);
    while (result == DRY_OK && more) {
        result = dry_replay_step(made, &more);
    }
    const dry_replay_report report = dry_replay_get_report(made);
    const uint64_t end = made != NULL ? dry_world_hash(dry_replay_world(made)) : 0;
    dry_replay_destroy(made);
    if (result != DRY_OK) {
        return twin_differs(twin, "a replay: %s: %s", dry_result_name(result),
                            twin->sides[1 - which].log_line);
    }
    if (report.difference.kind != DRY_DIFFERENCE_NONE) {
        return twin_differs(twin, "a replay: %s", report.difference.text);
    }
    if (!report.has_end || end != hash) {
        return twin_differs(twin, "a replay ends in the state %016llx, its world in %016llx%s",
                            (unsigned long long)end, (unsigned long long)hash,
                            report.has_end ? "" : "; the recording has no end");
    }
    return true;
}

bool twin_end_world(soak_twin *twin, int which, uint64_t hash)
{
    soak_side *side = &twin->sides[which];
    const bool recorded = side->world != NULL && dry_world_is_recording(side->world);
    dry_world_destroy(side->world);
    side->world = NULL;
    side->history = NULL;
    return !recorded || twin->difference[0] != '\0' || replay(twin, which, hash);
}
