/* Shape data: a form in memory of its own, with a counter of references. */
#ifndef GEOMETRY_SHAPE_DATA_H
#define GEOMETRY_SHAPE_DATA_H

#include "core/memory.h"

#include <drystone/shape_data.h>
#include <stdatomic.h>

struct dry_shape_data {
    atomic_int references;
    dry_shape_type type;
    uint64_t hash;           /* of the contents */
    dry_memory memory;       /* holds this struct, and the form unless it is a block */
    void *form;              /* a dry_compound and so on */
    void (*end)(void *form); /* gives back what the form holds elsewhere; null: nothing */
    size_t block_bytes;      /* of a form that the allocator gave by itself; 0: it did not */
    int material_count;      /* materials that a shape needs: the largest index of a triangle and 1 */
};

/* Makes data of a form and takes the memory over that holds it; one reference. Returns null, and has changed
 * nothing, if memory fails. */
dry_shape_data *dry_shape_data_make(dry_memory *memory, dry_shape_type type, void *form, uint64_t hash,
                                    void (*end)(void *form));

/* Makes data of a block that the allocator of `services` gave, and takes the block over. Returns null if
 * memory fails: then the block is given back. */
dry_shape_data *dry_shape_data_of_block(dry_shape_type type, void *block, size_t bytes, uint64_t hash,
                                        const dry_data_services *services);

/* Tells whether others hold data, besides the caller. */
bool dry_shape_data_is_shared(const dry_shape_data *data);
/* Copies data of a block, with the same allocator; one reference. Returns null if memory fails. */
dry_shape_data *dry_shape_data_copy_block(const dry_shape_data *data);

/* Begins the memory of new data. */
dry_memory dry_shape_data_memory(const dry_data_services *services);

#endif
