/* References of shape data. */
#include "geometry/shape_data.h"

#include "core/assert.h"
#include "geometry/height_field.h"

dry_memory dry_shape_data_memory(const dry_data_services *services)
{
    dry_memory memory;
    dry_memory_init(&memory, services ? services->allocator : (dry_allocator){0});
    return memory;
}

dry_shape_data *dry_shape_data_make(dry_memory *memory, dry_shape_type type, void *form, uint64_t hash,
                                    void (*end)(void *form))
{
    dry_shape_data *data = dry_memory_allocate(memory, sizeof *data, DRY_CACHE_LINE);
    if (!data)
        return NULL;
    *data = (dry_shape_data){.type = type, .hash = hash, .memory = *memory, .form = form, .end = end};
    atomic_init(&data->references, 1);
    return data;
}

/* Makes data of a block that the allocator gave; gives it back if memory fails. */
static dry_shape_data *make_of_block(dry_shape_type type, void *block, size_t bytes, uint64_t hash,
                                     const dry_data_services *services)
{
    dry_memory memory = dry_shape_data_memory(services);
    dry_shape_data *data = dry_shape_data_make(&memory, type, block, hash, NULL);
    if (data)
        data->block_bytes = bytes;
    else
        memory.allocator.release(block, bytes, memory.allocator.user);
    return data;
}

dry_shape_data *dry_shape_data_of_mesh(dry_mesh_tree *tree, const dry_data_services *services)
{
    return make_of_block(DRY_SHAPE_MESH, tree, tree->bytes, tree->hash, services);
}

dry_shape_data *dry_shape_data_of_field(dry_height_field *field, const dry_data_services *services)
{
    return make_of_block(DRY_SHAPE_HEIGHT_FIELD, field, field->bytes, field->hash, services);
}

void dry_shape_data_retain(dry_shape_data *data)
{
    const int before = atomic_fetch_add_explicit(&data->references, 1, memory_order_relaxed);
    DRY_ASSERT(before > 0);
    (void)before;
}

void dry_shape_data_release(dry_shape_data *data)
{
    if (!data)
        return;
    const int before = atomic_fetch_sub_explicit(&data->references, 1, memory_order_acq_rel);
    DRY_ASSERT(before > 0);
    if (before != 1)
        return;
    if (data->end)
        data->end(data->form);
    dry_memory memory = data->memory;
    if (data->block_bytes)
        memory.allocator.release(data->form, data->block_bytes, memory.allocator.user);
    dry_memory_release_all(&memory); /* with the data itself */
}

dry_shape_type dry_shape_data_type(const dry_shape_data *data)
{
    return data->type;
}

uint64_t dry_shape_data_hash(const dry_shape_data *data)
{
    return data->hash;
}

size_t dry_shape_data_bytes(const dry_shape_data *data)
{
    return data->memory.bytes + data->block_bytes;
}
