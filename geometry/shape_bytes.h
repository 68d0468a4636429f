/* Shape data as bytes: the same on every machine, and checked when they come back.
 *
 *      header | hull, mesh or height field: their block
 *      header | compound: count, count of data | pieces | data of the pieces, each with a header of its own
 *
 * Blocks begin at multiples of 64. */
#ifndef GEOMETRY_SHAPE_BYTES_H
#define GEOMETRY_SHAPE_BYTES_H

#include "geometry/shape_data.h"

/* Returns the number of bytes of data. */
size_t dry_shape_bytes_size(const dry_shape_data *data);
/* Takes bytes over, in order. */
typedef struct dry_bytes_sink {
    void (*put)(void *context, const void *bytes, size_t size);
    void *context;
} dry_bytes_sink;
/* Hands the bytes of data to a sink, part by part, without memory for all of them. */
void dry_shape_bytes_emit(const dry_shape_data *data, const dry_bytes_sink *sink);
/* Writes them to memory. */
void dry_shape_bytes_write(const dry_shape_data *data, void *bytes);

typedef enum dry_bytes_fault { DRY_BYTES_SOUND, DRY_BYTES_NO_MEMORY, DRY_BYTES_INVALID } dry_bytes_fault;

/* Makes data from bytes, of which nothing is trusted. Reads nothing beyond `size`. */
dry_bytes_fault dry_shape_bytes_read(const void *bytes, size_t size, const dry_data_services *services,
                                     dry_shape_data **data);

#endif
