/* SPDX-License-Identifier: MIT
 * Replaying a recording: the same calls and steps once more, until something differs.
 *
 * dry_world_def.recording records a world. A replay makes the world of the recording's first save, or of a
 * later one, and goes through the recording step by step: with any number of threads and on any instruction
 * set. It compares results of calls, the things that calls change, hashes of stages where the recording has
 * some, and the fields of all columns after a step. */
#ifndef DRYSTONE_RECORDING_H
#define DRYSTONE_RECORDING_H

#include <drystone/save.h>
#include <drystone/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The number of the format of recordings. */
#define DRY_RECORDING_FORMAT 1u

/** A replay under way. */
typedef struct dry_replay dry_replay;

/** The choices of a replay; defaults are 0. */
typedef struct dry_replay_options {
    uint64_t from_step; /**< begins with the last save of at most so many steps done */
    /** Returns data with this hash, or null. Asked for shape data that a recording lacks, which was made by
     * another program: recordings of this library have all data. Null: there are none. */
    dry_shape_data *(*find_data)(void *user, uint64_t hash);
    void *user; /**< handed to find_data */
} dry_replay_options;

/** The kind of a difference. */
typedef enum dry_difference_kind {
    DRY_DIFFERENCE_NONE = 0,
    DRY_DIFFERENCE_RESULT, /**< a call failed, or gave other ids */
    DRY_DIFFERENCE_THING,  /**< a thing that a call changed has another state after it */
    DRY_DIFFERENCE_STEP,   /**< a step failed */
    DRY_DIFFERENCE_STAGE,  /**< a stage of a step ended with another hash; the state is compared, too */
    DRY_DIFFERENCE_STATE,  /**< a field has other values after a step */
    DRY_DIFFERENCE_KIND_COUNT
} dry_difference_kind;

/** The first difference of a replay from its recording. */
typedef struct dry_difference {
    dry_difference_kind kind;
    uint64_t step;     /**< the step in which, or before which it is; the first step of a world is 1 */
    const char *stage; /**< name of the stage; null: not known */
    uint64_t call;     /**< number of the call among those before the step, from 1; 0: no call */
    const char *name;  /**< name of the call; null: no call */
    dry_result result; /**< of the call or step in the replay, where the result differs */
    const char
        *column; /**< the column and the field whose values differ first, as in docs/columns.md; null: */
    const char *field;  /**< none is known */
    dry_body_id body;   /**< the body, or the bodies of the contact, that differ first. Null: */
    dry_body_id body_b; /**< none is known, or several bodies differ */
    dry_shape_id shape; /**< likewise */
    dry_joint_id joint; /**< likewise */
    char text[256];     /**< all this as one line of English, without a newline */
} dry_difference;

/** The state of a replay. */
typedef struct dry_replay_report {
    uint32_t format;     /**< of the recording */
    uint32_t arithmetic; /**< DRY_ARITHMETIC_REVISION of the library that recorded */
    bool compares_state; /**< the arithmetic is that of this library; else only results of calls are compared
                          */
    bool has_end;        /**< false for a recording that was cut, by a crash or by its sink */
    uint64_t first_step; /**< steps done where the replay began */
    uint64_t step_count; /**< steps done */
    uint64_t calls;      /**< made in the replay */
    dry_difference difference;
} dry_replay_report;

/** Begins a replay. The bytes stay the caller's, and must last until dry_replay_destroy. They may come from
 * anywhere: what is no recording is refused, and the log says where. Of `def` the settings, the tag and the
 * capacity are ignored; its recording records the replay, and must not go to these bytes. `options` may be
 * null. On error *replay is null. Errors: those of dry_world_load; ARGUMENT (no sound recording), UNSUPPORTED
 * (a newer format). */
DRY_API dry_result dry_replay_create(const void *bytes, size_t size, const dry_world_def *def,
                                     const dry_replay_options *options, dry_replay **replay);

/** Ends a replay with its world. Does nothing for null. */
DRY_API void dry_replay_destroy(dry_replay *replay);

/** Makes the calls before the next step, and the step. Sets *more to whether there was one and nothing
 * differs; then it may be called again. Calls after the last step are made when there is no step left. A
 * difference is no error: the call returns DRY_OK, and dry_replay_get_report has it. Errors: ARGUMENT (null,
 * a block that is not sound, or a call that this library does not know: the log says which), MEMORY. After an
 * error, or a difference, the replay goes no further: *more is false. */
DRY_API dry_result dry_replay_step(dry_replay *replay, bool *more);

/** Returns the world as it is now, to be looked at: changes would differ from the recording. Null for null.
 */
DRY_API const dry_world *dry_replay_world(const dry_replay *replay);

/** Returns how the replay stands. All 0 for null. */
DRY_API dry_replay_report dry_replay_get_report(const dry_replay *replay);

#ifdef __cplusplus
}
#endif

#endif
