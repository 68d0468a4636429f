/* SPDX-License-Identifier: MIT
 * The numbers of worlds, which keep ids from repeating, and the range of them that a process gives out.
 *
 * Each world without a tag (dry_world_def.tag) takes a number when it is created, and more numbers when its
 * ids have used up those it has. A pool of rooms takes one for each 1,024 rooms (dry_rooms_add). A process
 * gives no number out twice, and none that a loaded world holds.
 * Processes that exchange saves or ids are to have ranges that do not overlap. */
#ifndef DRYSTONE_NUMBERS_H
#define DRYSTONE_NUMBERS_H

#include <drystone/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The first number that a process may give out, and the one behind the last. */
#define DRY_NUMBERS_BEGIN (UINT64_C(1) << 32)
#define DRY_NUMBERS_END (UINT64_C(1) << 34)

/** A range of numbers: `begin`, and those up to `end`, which is not in it. */
typedef struct dry_number_range {
    uint64_t begin, end;
} dry_number_range;

/** Sets the range of numbers that this process gives out; at first that is all of them. Call it before worlds
 * are created or loaded, and beside no call that does so. A later range must hold all numbers that have been
 * given out. A child process inherits both range and numbers: it should be forked before worlds are created,
 * and then set a range of its own. `log`, which may be null, hears why a range is refused. Errors:
 * ARGUMENT (the range is empty or not within DRY_NUMBERS_BEGIN and _END, or numbers outside of it have been
 * given out). */
DRY_API dry_result dry_set_number_range(dry_number_range range, const dry_log *log);

/** Returns the range that is set. */
DRY_API dry_number_range dry_get_number_range(void);

/** Returns how many numbers the range has left. A world takes one when it is created, and as many as it has,
 * plus one, each time a slot has been used as often as they allow: after 64 objects that took the place of
 * each other, after 192, 448, ..., at most 65,535 in all. Without any left, dry_world_create and the calls
 * that create objects may return NUMBERS. */
DRY_API uint64_t dry_numbers_left(void);

#ifdef __cplusplus
}
#endif

#endif
