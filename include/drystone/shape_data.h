/* SPDX-License-Identifier: MIT
 * Shape data: forms that any number of shapes, worlds and threads share. Data never change. */
#ifndef DRYSTONE_SHAPE_DATA_H
#define DRYSTONE_SHAPE_DATA_H

#include <drystone/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The memory and the log of calls that create shape data, which belong to no world. */
typedef struct dry_data_services {
    dry_allocator allocator; /**< null functions take the C library's; kept until the data are freed */
    dry_log log;             /**< told why a call fails; null writes nowhere */
} dry_data_services;

/** Creates a compound: 1 to 65,535 shapes of any type but compounds and half-spaces, each with its pose,
 * which may be `child_count` times as much memory as one. A child keeps its own scale. Its density, surface,
 * filter and user_data must have their defaults: a shape that uses the compound has them for all its
 * children. Data of children are retained. The new data has one reference. `services` may be null. Errors:
 * ARGUMENT (the log names the child), MEMORY. */
DRY_API dry_result dry_compound_create(const dry_shape_def *children, int child_count,
                                       const dry_data_services *services, dry_shape_data **data);

/** Adds a reference, from any thread. */
DRY_API void dry_shape_data_retain(dry_shape_data *data);
/** Drops a reference, from any thread. The last one frees the data. A shape that uses data, and a compound
 * that has them in a child, hold references of their own. Null does nothing. */
DRY_API void dry_shape_data_release(dry_shape_data *data);

/** Returns the type of the shapes that use the data. */
DRY_API dry_shape_type dry_shape_data_type(const dry_shape_data *data);
/** Returns a hash of the contents, the same on every machine. State hashes take it. */
DRY_API uint64_t dry_shape_data_hash(const dry_shape_data *data);
/** Returns the bytes of memory that the data take, without the data of a compound's children. */
DRY_API size_t dry_shape_data_bytes(const dry_shape_data *data);

#ifdef __cplusplus
}
#endif

#endif
