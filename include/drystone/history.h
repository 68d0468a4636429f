/* SPDX-License-Identifier: MIT
 * The last steps of a world, and going back by some of them.
 *
 * A history keeps each step of its world when the step ends. Going back brings the world to the end of an
 * earlier step to the bit: state, user data, ids, the ids that come next, and its hash. The same calls and
 * steps then lead to the same bits again. A history holds one copy of the state, and of each step what
 * changed in it. */
#ifndef DRYSTONE_HISTORY_H
#define DRYSTONE_HISTORY_H

#include <drystone/save.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dry_history dry_history;

/** The most steps that a history keeps. */
#define DRY_HISTORY_STEPS_MAX 3600

/** Begins a history that keeps the last `steps` steps of a world, 1 to DRY_HISTORY_STEPS_MAX. Steps done
 * before are not in it, and the present state is the first to which one can go back. A world has one history
 * at most, which ends with the world. Its memory comes from the world's allocator. On error *history is null.
 * Errors: ARGUMENT, LOCKED, MEMORY. */
DRY_API dry_result dry_world_create_history(dry_world *world, int steps, dry_history **history);
DRY_FORMER_NAME("dry_world_create_history")
static inline dry_result dry_history_create(dry_world *world, int steps, dry_history **history)
{
    return dry_world_create_history(world, steps, history);
}

/** Ends a history, between two steps. Null is ignored. In a function that the world calls it writes that to
 * the log and does nothing. The handle is invalid once its world is destroyed. */
DRY_API void dry_history_destroy(dry_history *history);

/** Brings the world back to the end of the step that is `steps` steps before the last one; 0 takes back the
 * calls since the last step. Steps and calls after that are forgotten, and the events of the last step are
 * gone. Allocates nothing. Errors: ARGUMENT (history is null, or does not keep so many steps), LOCKED. */
DRY_API dry_result dry_history_rewind(dry_history *history, int steps);

/** Returns the most steps by which the world can go back now. A restoration, and a step that finds no memory
 * for its history, make a history forget all: then it begins anew at the end of the next step, and until then
 * nothing can be taken back. 0 if history is null. */
DRY_API int dry_history_steps(const dry_history *history);

/** Returns the memory that a history holds, bytes. 0: null. */
DRY_API size_t dry_history_bytes(const dry_history *history);

/** Writes what changed since the end of a step to a sink: `step` is what dry_world_step_count was then, and
 * the world's history must hold it. A mirror, which is a world that was loaded from a save of this one, and
 * has that step, is brought to the present state by it. Data of shapes are not in it. The size of a delta
 * grows with what changed. The call takes time for the whole world. It takes memory for two saves, the delta
 * and the columns that changed, which it returns before it ends. Errors: ARGUMENT (null, no history, a step
 * that it does not hold, or the sink has failed: then it has taken a part of the bytes), LOCKED, MEMORY. */
DRY_API dry_result dry_world_save_delta(const dry_world *world, uint64_t step, const dry_sink *sink);

/** Brings a world from the step that a delta begins with to the state that it was written of, with equal
 * bits, ids and user data. Takes time for the whole world, and memory for two saves and a restoration, which
 * it returns before it ends. All or nothing: if the call fails, the world is as before, and another delta may
 * be tried. The bytes may come from anywhere, and are checked as those of dry_world_load. Of `options`, which
 * may be null, find_data is asked for data that no shape of the world has. A history of the world forgets
 * all. Errors: ARGUMENT (no sound delta, or the world is not at the step that it begins with, or was changed
 * since), UNSUPPORTED (another format or arithmetic), LOCKED, MEMORY. */
DRY_API dry_result dry_world_apply_delta(dry_world *world, const void *bytes, size_t size,
                                         const dry_load_options *options);

#ifdef __cplusplus
}
#endif

#endif
