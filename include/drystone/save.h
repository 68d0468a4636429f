/* SPDX-License-Identifier: MIT
 * Saving a world's state as bytes, and making a world of them.
 *
 * A save has all that decides the future of a world, its ids and its user data. A world that is loaded goes
 * on as the saved one does, bit for bit, with any number of threads and on any instruction set, machine and
 * compiler of the same arithmetic. Threads, allocator, log, hooks and the events of the last step are not in
 * a save. Pointers that a program keeps in user data mean nothing in another process. */
#ifndef DRYSTONE_SAVE_H
#define DRYSTONE_SAVE_H

#include <drystone/shape_data.h>
#include <drystone/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The number of the format that dry_world_save writes. */
#define DRY_SAVE_FORMAT 1u

/** The revision of the arithmetic: it rises whenever some existing scene comes to other bits. */
#define DRY_ARITHMETIC_REVISION 20u

/** The choices of a save; defaults are 0. */
typedef struct dry_save_options {
    const void
        *program_bytes;  /**< bytes of the program's own, which dry_load_options.read_program gets again */
    size_t program_size; /**< their number, at most 2^40 */
    bool without_shape_data; /**< the data of hulls, meshes and so on stay outside: the program that loads
                              finds them by their hashes (dry_shape_data_hash) */
} dry_save_options;

/** Writes the state of a world to a sink, between two steps. Nothing is allocated, and other worlds may step
 * meanwhile. `options` may be null. Errors: ARGUMENT (world or sink is null, program_bytes is null beside a
 * size, program_size is above 2^40, or the sink has failed: then it has taken a part of the bytes), LOCKED.
 */
DRY_API dry_result dry_world_save(const dry_world *world, const dry_save_options *options,
                                  const dry_sink *sink);

/** The choices of a load; defaults are 0. */
typedef struct dry_load_options {
    /** Returns data with this hash, or null. Asked for data that are not in the save; the world takes a
     * reference of its own. Null: the save must have all its data. */
    dry_shape_data *(*find_data)(void *user, uint64_t hash);
    /** Reads the program's own bytes, of which there may be none, when the save is known to be sound and
     * nothing has changed yet. Returns false to refuse the save. Null: nobody reads them. */
    bool (*read_program)(void *user, const void *bytes, size_t size);
    void *user; /**< handed to find_data and read_program. They must not call into the world: calls that would
                     change it return LOCKED */
} dry_load_options;

/** Tells of a save that has been loaded. */
typedef struct dry_load_report {
    uint32_t format;     /**< DRY_SAVE_FORMAT of the library that saved */
    uint32_t arithmetic; /**< DRY_ARITHMETIC_REVISION of that library */
    bool same_bits; /**< the loaded world has the future of the saved one to the bit: its arithmetic is that
                       of this library */
} dry_load_report;

/** Creates a world from the bytes of a save. Of `def` the settings, the tag and the capacity are ignored: the
 * save has them. The bytes may come from anywhere: what is no sound save is refused, and the log names the
 * section, the row and the field. Memory is at most 4,096 bytes for each byte given, besides what
 * dry_world_create takes. `options` and `report` may be null. On error *world is null, and *report is not
 * written. Errors: those of dry_world_create; ARGUMENT (no sound save, or data that nobody has found),
 * UNSUPPORTED (a newer format), MEMORY. */
DRY_API dry_result dry_world_load(const void *bytes, size_t size, const dry_world_def *def,
                                  const dry_load_options *options, dry_world **world,
                                  dry_load_report *report);

/** Replaces the state of a world by that of a save, which may be that of another world: then ids are those of
 * the other. Events of the last step are gone. All or nothing: if the call fails, the world is as before,
 * and *report is not written. The functions of `options` must not call into the world: calls that would
 * change it return LOCKED. `options` and `report` may be null. Errors: ARGUMENT, UNSUPPORTED, LOCKED, MEMORY,
 * as of dry_world_load. */
DRY_API dry_result dry_world_restore(dry_world *world, const void *bytes, size_t size,
                                     const dry_load_options *options, dry_load_report *report);

#ifdef __cplusplus
}
#endif

#endif
