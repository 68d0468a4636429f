/* The arguments of a call as bytes.
 *
 *     value            its bytes, or its definition
 *     elements         number, or NONE for a null pointer | elements
 *     definition       number of members | member | member | ...
 *     member           its number | bytes of its value | value
 *
 * A member at its default is left out. Shape data are written as the hash of their content.
 *
 * Reads: snapshot/calls.h, arguments. Writes: bytes. Next: snapshot/call_bytes.c, host/replay/arguments.c,
 * which reads them back. */
#ifndef SNAPSHOT_CALL_BYTES_H
#define SNAPSHOT_CALL_BYTES_H

#include "snapshot/calls.h"
#include "snapshot/write.h"
#include "state/field_sums.h"

#define DRY_NO_ELEMENTS UINT32_MAX

/* Takes bytes over, or counts them only. */
typedef struct dry_call_writer {
    dry_writer *out; /* null: counts */
    uint64_t bytes;  /* so far */
} dry_call_writer;

void dry_call_put(dry_call_writer *w, const void *bytes, size_t size);
void dry_call_write(dry_call_writer *w, const dry_call *call, const void *const *arguments);

/* Calls `visit` for each of the shape data that the arguments of a call refer to. */
typedef void dry_visit_data(void *context, const dry_shape_data *data);
void dry_call_visit_data(const dry_call *call, const void *const *arguments, dry_visit_data *visit,
                         void *context);

/* Sums the fields of the things that a call has changed, as they are after it. */
void dry_call_sum(const dry_sum_units *units, const dry_tables *state, const dry_call *call,
                  const void *const *arguments, uint64_t *sums);

/* Writes sums: for each 64 of them the set of those that are not 0, and these. */
void dry_sums_write(dry_call_writer *w, const uint64_t *sums, int count);

#endif
