/* Shape data: a form in memory of its own, with a counter of references. */
#ifndef GEOMETRY_SHAPE_DATA_H
#define GEOMETRY_SHAPE_DATA_H

#include "core/memory.h"

#include <drystone/shape_data.h>
#include <stdatomic.h>

typedef struct dry_mesh_tree dry_mesh_tree;
typedef struct dry_height_field dry_height_field;

struct dry_shape_data {
    atomic_int references;
    dry_shape_type type;
    uint64_t hash;           /* of the contents */
    dry_memory memory;       /* holds this struct, and the form unless it is a block */
    void *form;              /* a dry_compound and so on */
    void (*end)(void *form); /* gives back what the form holds elsewhere; null: nothing */
    size_t block_bytes;      /* of a form that the allocator gave by itself; 0: it did not */
};

/* Makes data of a form and takes the memory over that holds it; one reference. Returns null, and has changed
 * nothing, if memory fails. */
dry_shape_data *dry_shape_data_make(dry_memory *memory, dry_shape_type type, void *form, uint64_t hash,
                                    void (*end)(void *form));

/* Makes data of a mesh or a height field, whose block came from the allocator of `services`; takes the block
 * over. Returns null if memory fails: then the block is gone, too. */
dry_shape_data *dry_shape_data_of_mesh(dry_mesh_tree *tree, const dry_data_services *services);
dry_shape_data *dry_shape_data_of_field(dry_height_field *field, const dry_data_services *services);

/* Begins the memory of new data. */
dry_memory dry_shape_data_memory(const dry_data_services *services);

#endif
