/* The recorder of a world: what it writes for each call and each step.
 *
 * Reads: the world, the arguments of calls. Writes: blocks (snapshot/recording.h) to a sink, without
 * allocating. Next: snapshot/record.c. */
#ifndef SNAPSHOT_RECORD_H
#define SNAPSHOT_RECORD_H

#include "snapshot/calls.h"
#include "world/world.h"

/* Records a call of the list in snapshot/calls.h, which has succeeded and changed the world: pointers to its
 * arguments, in order. Its value is DRY_OK, the result of the call. */
#define DRY_RECORD(world, name, ...)                                                                         \
    ((world)->recorder ? dry_record_call((world), DRY_CALL_##name, &(dry_arguments_of_##name){__VA_ARGS__})  \
                       : DRY_OK)

/* `arguments`: a struct of pointers, as the list has them. Returns DRY_OK. */
dry_result dry_record_call(dry_world *world, dry_call_id id, const void *arguments);
/* Records a step. `idle`: nothing was awake when it began. */
void dry_record_step(dry_world *world, float dt, dry_result result, bool idle);
/* Follows the step of some bodies, which was recorded as a call. */
void dry_record_some(dry_world *world);
/* Records that another state has replaced that of the world. */
void dry_record_restored(dry_world *world);

/* Makes the recorder of a world, and begins with the world's present state. Returns false if memory fails. */
bool dry_recorder_begin(dry_world *world, const dry_recording_def *def);
void dry_recorder_end(dry_world *world);
/* Tells whether a world has a recorder whose sink has taken all bytes. */
bool dry_recorder_is_live(const dry_world *world);

/* Draws the numbers that new objects of a world need: input, as calls are, and recorded likewise. Errors:
 * NUMBERS. */
dry_result dry_draw_numbers(dry_world *world, const char *name);
/* Gives a world a lease that it drew when it was recorded: `first` is its first number. Errors: ARGUMENT. */
dry_result dry_world_take_lease(dry_world *world, uint64_t first);

#endif
