/* Gives the blocks of shapes that no shape data hold back to the allocators that built them. */
#ifndef TESTS_BLOCKS_H
#define TESTS_BLOCKS_H

#include "core/memory.h"
#include "geometry/height_field.h"
#include "geometry/hull.h"

static inline void release_block(void *block, size_t bytes, const dry_allocator *allocator)
{
    dry_memory memory;
    dry_memory_init(&memory, allocator ? *allocator : (dry_allocator){0});
    memory.allocator.release(block, bytes, memory.allocator.user);
}

static inline void release_hull(dry_hull *hull, const dry_allocator *allocator)
{
    if (hull)
        release_block(hull, hull->bytes, allocator);
}

static inline void release_tree(dry_mesh_tree *tree, const dry_allocator *allocator)
{
    if (tree)
        release_block(tree, tree->bytes, allocator);
}

static inline void release_field(dry_height_field *field, const dry_allocator *allocator)
{
    if (field)
        release_block(field, field->bytes, allocator);
}

#endif
