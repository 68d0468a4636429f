/* Makes calls on a world and its twin and compares them (twin.h). */
#include "tools/cli/soak/twin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool twin_differs(soak_twin *twin, const char *format, ...)
{
    if (twin->difference[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(twin->difference, sizeof twin->difference, format, arguments);
        va_end(arguments);
    }
    return false;
}

void twin_arm(soak_twin *twin)
{
    if (twin->failure_odds > 0 && lots_once_in(&twin->failures, twin->failure_odds)) {
        twin->sides[0].memory.refuse_in = 1 + lots_below(&twin->failures, 6);
    }
}

bool twin_refused(soak_twin *twin, dry_result result, const char *name)
{
    counted_memory *memory = &twin->sides[0].memory;
    bool was_armed = memory->refuse_in > 0;
    memory->refuse_in = 0;
    if (result != DRY_ERROR_MEMORY) {
        return false;
    }
    if (was_armed || memory->refusals == 0) {
        twin_differs(twin, "%s: refused for want of memory, which nobody refused", name);
    }
    twin->refusals++;
    return true;
}

static void keep_line(const char *line, void *user)
{
    soak_side *side = user;
    snprintf(side->log_line, sizeof side->log_line, "%s", line);
}

dry_log twin_log(soak_side *side)
{
    return (dry_log){keep_line, side};
}

bool twin_create(soak_twin *twin, const dry_world_def defs[2])
{
    for (int i = 0; i < 2; i++) {
        soak_side *side = &twin->sides[i];
        dry_world_def def = defs[i];
        def.allocator = counted_memory_hooks(&side->memory);
        def.log = twin_log(side);
        if (def.recording.sums_every > 0) {
            def.recording.sink = (dry_sink){file_bytes_append, &side->recording};
        }
        side->def = def;
        dry_result result;
        do {
            if (i == 0) {
                twin_arm(twin);
            }
            side->recording.size = 0;
            result = dry_world_create(&def, &side->world);
            if (result != DRY_OK && (side->world != NULL || side->memory.bytes != 0)) {
                return twin_differs(twin, "a world that could not be created left something");
            }
        } while (i == 0 && twin_refused(twin, result, "dry_world_create"));
        if (result != DRY_OK) {
            return twin_differs(twin, "no world could be created: %s", dry_result_name(result));
        }
        if (twin_begin_history(twin, side) != DRY_OK) {
            return twin_differs(twin, "no history could be created: %s", side->log_line);
        }
    }
    return twin_compare(twin, "dry_world_create");
}

bool twin_destroy(soak_twin *twin)
{
    for (int i = 0; i < 2; i++) {
        soak_side *side = &twin->sides[i];
        twin_end_world(twin, i, side->world != NULL ? dry_world_hash(side->world) : 0);
        free(side->recording.at);
        side->recording = (file_bytes){NULL, 0, 0};
        if (side->memory.bytes != 0 || side->memory.blocks != 0) {
            twin_differs(twin, "a destroyed world holds %zu bytes in %llu blocks", side->memory.bytes,
                         (unsigned long long)side->memory.blocks);
        }
        if (side->memory.faults != 0) {
            twin_differs(twin, "a world gave back what it had not, or asked for what makes no sense");
        }
    }
    return twin->difference[0] == '\0';
}

bool twin_compare(soak_twin *twin, const char *after)
{
    uint64_t hashes[2] = {dry_world_hash(twin->sides[0].world), dry_world_hash(twin->sides[1].world)};
    if (hashes[0] != hashes[1]) {
        return twin_differs(
            twin, "%s: the state is %016llx on %s with %d threads, %016llx on %s with %d", after,
            (unsigned long long)hashes[0], dry_isa_name(dry_world_isa(twin->sides[0].world)),
            dry_world_threads(twin->sides[0].world), (unsigned long long)hashes[1],
            dry_isa_name(dry_world_isa(twin->sides[1].world)), dry_world_threads(twin->sides[1].world));
    }
    twin->hash = hashes[0];
    twin->hash_known = true;
    return true;
}

dry_result twin_call(soak_twin *twin, soak_call *call)
{
    const char *name = call->kind->name;
    dry_result results[2];
    if (!twin->hash_known) {
        twin_compare(twin, "before a call");
    }
    const uint64_t before = twin->hash;
    soak_call made[2] = {*call, *call};
    for (int i = 0; i < 2; i++) {
        memset(&made[i].answer, 0, sizeof made[i].answer);
        do {
            if (i == 0) {
                twin_arm(twin);
            }
            results[i] = call->kind->make(twin->sides[i].world, &made[i]);
            if (results[i] != DRY_OK && dry_world_hash(twin->sides[i].world) != before) {
                twin_differs(twin, "%s: answered '%s' and changed the state", name,
                             dry_result_name(results[i]));
            }
        } while (i == 0 && twin_refused(twin, results[i], name) && twin->difference[0] == '\0');
    }
    twin->calls++;
    if (results[0] != results[1]) {
        twin_differs(twin, "%s: '%s' and '%s'", name, dry_result_name(results[0]),
                     dry_result_name(results[1]));
    }
    if (results[0] == DRY_OK && memcmp(&made[0].answer, &made[1].answer, sizeof made[0].answer) != 0) {
        twin_differs(twin, "%s: two answers", name);
    }
    twin_compare(twin, name);
    call->answer = made[0].answer;
    return results[0];
}

/* Makes one world's step once. A refused one has moved nothing. */
static dry_result step_side(soak_twin *twin, int side, const soak_step *step)
{
    dry_world *world = twin->sides[side].world;
    const bool watched = twin->sides[side].memory.refuse_in > 0;
    const uint64_t motion = watched ? dry_world_motion_hash(world) : 0, steps = dry_world_step_count(world);
    const bool whole = step->kind == STEP_WHOLE || (step->kind == STEP_ALL_NAMED && side == 1);
    const dry_result result = whole ? dry_world_step(world, step->dt)
                                    : dry_world_step_only(world, step->dt, step->ids, step->count);
    if (result != DRY_OK && watched && dry_world_motion_hash(world) != motion) {
        twin_differs(twin, "a step that answered '%s' moved a body", dry_result_name(result));
    }
    if (dry_world_step_count(world) != steps + (result == DRY_OK)) {
        twin_differs(twin, "the count of steps is wrong");
    }
    return result;
}

static bool events_agree(const dry_world *a, const dry_world *b)
{
    const dry_events x = dry_world_events(a), y = dry_world_events(b);
    return x.moved_count == y.moved_count && x.contact_begin_count == y.contact_begin_count &&
           x.contact_end_count == y.contact_end_count && x.hit_count == y.hit_count &&
           x.sleep_count == y.sleep_count && x.quarantine_count == y.quarantine_count &&
           x.joint_count == y.joint_count && x.conflict_count == y.conflict_count &&
           (x.contact_begin_count == 0 ||
            memcmp(x.contact_begins, y.contact_begins,
                   (size_t)x.contact_begin_count * sizeof *x.contact_begins) == 0) &&
           (x.contact_end_count == 0 || memcmp(x.contact_ends, y.contact_ends,
                                               (size_t)x.contact_end_count * sizeof *x.contact_ends) == 0);
}

/* A refused step has found contacts already, and the state shows that: so it is refused to the twin as well.
 * Teams of different sizes need different memory, and so do a world that was loaded, one with a history and a
 * step that names its bodies: all are spared. */
static void arm_both(soak_twin *twin, const soak_step *step)
{
    if (!twin->reloads_some && !twin->keeps_steps && step->kind == STEP_WHOLE &&
        dry_world_threads(twin->sides[0].world) == dry_world_threads(twin->sides[1].world)) {
        twin_arm(twin);
        twin->sides[1].memory.refuse_in = twin->sides[0].memory.refuse_in;
    }
}

dry_result twin_step(soak_twin *twin, const soak_step *step)
{
    dry_result results[2];
    do {
        arm_both(twin, step);
        for (int i = 0; i < 2; i++) {
            results[i] = step_side(twin, i, step);
        }
        twin->sides[1].memory.refuse_in = 0;
        twin->hash_known = false;
        if (results[0] != results[1]) {
            twin_differs(twin, "dry_world_step: '%s' and '%s'", dry_result_name(results[0]),
                         dry_result_name(results[1]));
        }
    } while (twin_refused(twin, results[0], "dry_world_step") && twin_compare(twin, "a refused step"));
    twin->steps++;
    if (twin->reloads_some) {
        twin_compare(twin, "a step after a load");
    }
    if (results[0] == DRY_OK && !events_agree(twin->sides[0].world, twin->sides[1].world)) {
        twin_differs(twin, "dry_world_step: the events of the two worlds differ");
    }
    return results[0];
}
