/* References of shape data. */
#include "geometry/shape_data.h"

#include "core/assert.h"
#include "geometry/compound.h"
#include "geometry/height_field.h"

#include <string.h>

dry_memory dry_shape_data_memory(const dry_data_services *services)
{
    dry_memory memory;
    dry_memory_init(&memory, services ? services->allocator : (dry_allocator){0});
    return memory;
}

/* Returns the largest material index of a form's triangles, and 1. */
static int count_materials(dry_shape_type type, const void *form)
{
    int most = 0;
    if (type == DRY_SHAPE_MESH) {
        const dry_mesh_tree *tree = form;
        for (uint32_t slot = 0; slot < tree->slot_count && tree->materials_present; slot++)
            most = dry_max_int(most, dry_mesh_tree_material(tree, slot));
    } else if (type == DRY_SHAPE_HEIGHT_FIELD) {
        const dry_height_field *field = form;
        const size_t cells = (size_t)(field->rows - 1) * (size_t)(field->columns - 1);
        for (size_t cell = 0; cell < cells && field->material_bytes > 0; cell++)
            most = dry_max_int(most, dry_height_field_material(field, cell));
    } else if (type == DRY_SHAPE_COMPOUND) {
        const dry_compound *compound = form;
        for (int i = 0; i < compound->count; i++)
            if (compound->children[i].geometry.data)
                most = dry_max_int(most, compound->children[i].geometry.data->material_count - 1);
    }
    return most + 1;
}

dry_shape_data *dry_shape_data_make(dry_memory *memory, dry_shape_type type, void *form, uint64_t hash,
                                    void (*end)(void *form))
{
    dry_shape_data *data = dry_memory_allocate(memory, sizeof *data, DRY_CACHE_LINE);
    if (!data)
        return NULL;
    *data = (dry_shape_data){.type = type,
                             .hash = hash,
                             .memory = *memory,
                             .form = form,
                             .end = end,
                             .material_count = count_materials(type, form)};
    atomic_init(&data->references, 1);
    return data;
}

dry_shape_data *dry_shape_data_of_block(dry_shape_type type, void *block, size_t bytes, uint64_t hash,
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

bool dry_shape_data_is_shared(const dry_shape_data *data)
{
    return atomic_load_explicit(&data->references, memory_order_acquire) > 1;
}

dry_shape_data *dry_shape_data_copy_block(const dry_shape_data *data)
{
    DRY_ASSERT(data->block_bytes > 0);
    const dry_data_services services = {.allocator = data->memory.allocator};
    void *block = services.allocator.allocate(data->block_bytes, DRY_CACHE_LINE, services.allocator.user);
    if (!block)
        return NULL;
    memcpy(block, data->form, data->block_bytes);
    return dry_shape_data_of_block(data->type, block, data->block_bytes, data->hash, &services);
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
