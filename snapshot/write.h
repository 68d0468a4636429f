/* Writing the columns of a state to a sink.
 *
 * Reads: the lists of state/, a state. Writes: bytes, through a buffer of its own. Next: snapshot/write.c. */
#ifndef SNAPSHOT_WRITE_H
#define SNAPSHOT_WRITE_H

#include "snapshot/read.h"
#include "state/state.h"

#include <drystone/save.h>

enum { DRY_WRITER_BYTES = 8192 };

typedef struct dry_writer {
    dry_sink sink;
    dry_checksum sum;  /* of the section, up to `summed` */
    size_t used;       /* bytes in the buffer */
    size_t summed;     /* of them, the bytes before the section or in its sum */
    uint32_t sections; /* written so far */
    bool failed;       /* the sink has refused bytes: nothing more is handed to it */
    char buffer[DRY_WRITER_BYTES];
} dry_writer;

/* Begins with a header. */
void dry_write_begin(dry_writer *writer, const dry_sink *sink, const dry_save_header *header);
/* Writes a section for each column of a state that has something to save. */
void dry_write_state(dry_writer *writer, const dry_tables *state);
/* Writes a section for each of the data of shapes, once each, by rising hash. */
void dry_write_shape_data(dry_writer *writer, const dry_shapes *shapes);
/* Returns the place of the first of data, by rising hash, whose hash is not below another. */
int dry_data_place(dry_shape_data *const *data, int count, uint64_t hash);
/* Writes a section of the data of a shape. */
void dry_write_data(dry_writer *writer, const dry_shape_data *data);
/* Hands the whole words of the buffer to the sink, and keeps the rest. */
void dry_write_flush(dry_writer *writer);
/* Brackets a section of another kind, of `bytes` bytes in all. */
void dry_write_begin_section(dry_writer *writer, const dry_section_header *header);
void dry_write_end_section(dry_writer *writer);
/* Writes bytes of such a section. */
void dry_write_bytes(dry_writer *writer, const void *bytes, size_t size);
/* Writes the section of a program, unless it has no bytes. */
void dry_write_program(dry_writer *writer, const void *bytes, size_t size);
/* Ends a save. Returns false if the sink has refused bytes. */
bool dry_write_end(dry_writer *writer);

/* Writes a save of a state alone: without data of shapes, and without a program. */
void dry_write_plain(const dry_tables *state, const dry_sink *sink);
/* Returns the bytes of such a save. */
size_t dry_plain_bytes(const dry_tables *state);
/* Writes such a save into memory, and finds its sections. Returns false if memory fails. */
bool dry_write_to_memory(const dry_tables *state, dry_memory *memory, dry_saved *saved);

#endif
