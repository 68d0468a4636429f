/* Gives the blocks of shapes that no shape data hold back to the allocators that built them. */
#ifndef TESTS_BLOCKS_H
#define TESTS_BLOCKS_H

#include "core/memory.h"
#include "geometry/height_field.h"
#include "geometry/hull.h"

#include <math.h>

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

/* Returns how far a point lies outside of the face's plane from which it lies farthest, m. */
static inline double outside_of_hull(const dry_hull *hull, const double point[3])
{
    double farthest = -INFINITY;
    for (int face = 0; face < hull->face_count; face++) {
        double above = -(double)dry_hull_offset(hull, face);
        for (int k = 0; k < 3; k++)
            above += (double)dry_hull_planes(hull, k)[face] * (point[k] - (double)hull->measures.center[k]);
        farthest = fmax(farthest, above);
    }
    return farthest;
}

#endif
