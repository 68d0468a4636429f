/* Goes back by some steps of a twin, and brings a mirror along with deltas (past.h). */
#include "tools/cli/soak/past.h"

#include <stdlib.h>

enum { REWIND_IN = 12, DELTA_IN = 5 };

/* ---- Going back ---- */

static soak_moment *moment_of(soak_past *past, uint64_t step)
{
    return &past->moments[step % HISTORY_STEPS];
}

/* Keeps the end of the step that both worlds have made. */
static void keep(soak_past *past, soak_twin *twin, const soak_model *model)
{
    const uint64_t step = dry_world_step_count(twin->sides[0].world);
    if (twin_compare(twin, "a step that is kept")) {
        soak_moment *moment = moment_of(past, step);
        moment->serial = ++past->last_serial;
        moment->step = step;
        moment->hash = twin->hash;
        moment->model = *model;
    }
}

/* Returns by how many steps one can surely go back to the end of a step; -1: by none. The oldest state of a
 * history may be that of its begin, which has the calls before it. */
static int surely_kept(const soak_side *side)
{
    return dry_history_steps(side->history) - 1;
}

/* Takes back `steps` steps of a side. Returns false if that was refused, or has taken memory. */
static bool rewind_side(soak_side *side, int steps)
{
    const uint64_t requests = side->memory.requests;
    return dry_history_rewind(side->history, steps) == DRY_OK && side->memory.requests == requests;
}

bool past_rewind(soak_past *past, soak_twin *twin, soak_lots *lots, soak_model *model)
{
    if (!lots_once_in(lots, REWIND_IN)) {
        return false;
    }
    const uint64_t now = dry_world_step_count(twin->sides[0].world);
    const int first = surely_kept(&twin->sides[0]), second = surely_kept(&twin->sides[1]);
    const int most = first < second ? first : second, steps = lots_below(lots, most + 2) - 1;
    if (dry_history_rewind(twin->sides[0].history, HISTORY_STEPS + 1) != DRY_ERROR_ARGUMENT) {
        twin_differs(twin, "a way back by more steps than are kept");
    }
    if (steps < 0) {
        return false;
    }
    const soak_moment *moment = moment_of(past, now - (uint64_t)steps);
    for (int i = 0; i < 2; i++) {
        if (!rewind_side(&twin->sides[i], steps)) {
            return twin_differs(twin, "a way back by %d steps: %s", steps, twin->sides[i].log_line);
        }
    }
    *model = moment->model;
    if (twin_compare(twin, "a way back") &&
        (twin->hash != moment->hash || dry_world_step_count(twin->sides[0].world) != moment->step)) {
        twin_differs(twin, "a way back by %d steps leads to the state %016llx, not %016llx", steps,
                     (unsigned long long)twin->hash, (unsigned long long)moment->hash);
    }
    return true;
}

/* ---- The mirror ---- */

/* Answers that nobody has the data with this hash. */
static dry_shape_data *find_none(void *user, uint64_t hash)
{
    (void)hash;
    ((soak_mirror *)user)->lacked_data = true;
    return NULL;
}

/* Makes the mirror anew from a save of the first side. */
static void make_mirror(soak_mirror *mirror, soak_twin *twin)
{
    soak_side *side = &mirror->side;
    const dry_sink sink = {file_bytes_append, &mirror->bytes};
    dry_world_destroy(side->world);
    side->world = NULL;
    side->def = twin->sides[1].def;
    side->def.allocator = counted_memory_hooks(&side->memory);
    side->def.log = twin_log(side);
    side->def.recording.sink = (dry_sink){NULL, NULL};
    mirror->bytes.size = 0;
    dry_result result = dry_world_save(twin->sides[0].world, NULL, &sink);
    if (result == DRY_OK) {
        result = dry_world_load(mirror->bytes.at, mirror->bytes.size, &side->def, NULL, &side->world, NULL);
    }
    if (result != DRY_OK) {
        twin_differs(twin, "a mirror could not be made: %s", side->log_line);
    }
}

/* Writes a delta of the first side and applies it to the mirror; memory fails now and then. */
static dry_result send_delta(soak_mirror *mirror, soak_twin *twin)
{
    soak_side *from = &twin->sides[0], *to = &mirror->side;
    const dry_sink sink = {file_bytes_append, &mirror->bytes};
    const dry_load_options options = {.find_data = find_none, .user = mirror};
    const uint64_t before = dry_world_hash(to->world);
    dry_result result;
    do {
        mirror->bytes.size = 0;
        twin_arm(twin);
        result = dry_world_save_delta(from->world, dry_world_step_count(to->world), &sink);
    } while (twin_refused(twin, result, "dry_world_save_delta"));
    for (bool again = result == DRY_OK; again;) {
        mirror->lacked_data = false;
        const uint64_t refusals = to->memory.refusals;
        to->memory.refuse_in =
            lots_once_in(&twin->failures, DELTA_IN) ? 1 + lots_below(&twin->failures, 6) : 0;
        result = dry_world_apply_delta(to->world, mirror->bytes.at, mirror->bytes.size, &options);
        to->memory.refuse_in = 0;
        if (result != DRY_OK && dry_world_hash(to->world) != before) {
            twin_differs(twin, "a delta was refused (%s) and changed the mirror", dry_result_name(result));
        }
        again = result == DRY_ERROR_MEMORY && to->memory.refusals > refusals;
    }
    return result;
}

/* Brings the mirror to the present state of the first side: by a delta, or else by a save. */
static void update(soak_past *past, soak_twin *twin)
{
    soak_mirror *mirror = &past->mirror;
    if (mirror->side.world != NULL) {
        const uint64_t step = dry_world_step_count(mirror->side.world);
        const uint64_t behind = dry_world_step_count(twin->sides[0].world) - step; /* huge after a way back */
        const int kept = surely_kept(&twin->sides[0]);
        const bool holds = kept >= 0 && behind <= (uint64_t)kept && mirror->serial != 0 &&
                           moment_of(past, step)->serial == mirror->serial;
        const dry_result result = send_delta(mirror, twin);
        if (holds && result != DRY_OK && !mirror->lacked_data) {
            twin_differs(twin, "a delta by %d steps was refused: %s, %s", (int)behind,
                         twin->sides[0].log_line, mirror->side.log_line);
        }
        if (result != DRY_OK) {
            make_mirror(mirror, twin);
        }
    } else {
        make_mirror(mirror, twin);
    }
    mirror->serial = 0;
    if (mirror->side.world != NULL &&
        dry_world_hash(mirror->side.world) != dry_world_hash(twin->sides[0].world)) {
        twin_differs(twin, "a mirror has another state than its world");
    }
}

/* Lets the mirror make the step that the twin has made. */
static void follow(soak_past *past, soak_twin *twin, const soak_step *step)
{
    dry_world *world = past->mirror.side.world;
    const dry_result result = step->kind == STEP_NAMED
                                  ? dry_world_step_only(world, step->dt, step->ids, step->count)
                                  : dry_world_step(world, step->dt);
    if (result != DRY_OK || !twin_compare(twin, "a step that a mirror makes") ||
        dry_world_hash(world) != twin->hash) {
        twin_differs(twin, "a step of a mirror: %s, and another state", dry_result_name(result));
    }
}

dry_result past_step(soak_past *past, soak_twin *twin, soak_lots *lots, const soak_model *model,
                     const soak_step *step)
{
    soak_mirror *mirror = &past->mirror;
    const bool with_mirror = lots_once_in(lots, DELTA_IN);
    if (with_mirror) {
        update(past, twin);
    }
    const uint64_t refusals = twin->refusals;
    const dry_result result = twin_step(twin, step);
    if (result != DRY_OK || twin->difference[0] != '\0') {
        return result;
    }
    keep(past, twin, model);
    /* A refused step has found contacts already, and that of the mirror has not. */
    if (with_mirror && twin->refusals == refusals) {
        follow(past, twin, step);
        mirror->serial = past->last_serial;
    }
    return result;
}

void past_end(soak_past *past, soak_twin *twin)
{
    soak_mirror *mirror = &past->mirror;
    dry_world_destroy(mirror->side.world);
    mirror->side.world = NULL;
    free(mirror->bytes.at);
    if (mirror->side.memory.bytes != 0 || mirror->side.memory.faults != 0) {
        twin_differs(twin, "a destroyed mirror holds %zu bytes", mirror->side.memory.bytes);
    }
}
