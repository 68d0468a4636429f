/* The places of the arrays of a mesh's block: a function of its counts. */
#ifndef GEOMETRY_MESH_LAYOUT_H
#define GEOMETRY_MESH_LAYOUT_H

#include "geometry/block.h"
#include "geometry/mesh_node.h"

enum {
    DRY_MESH_MAGIC = 0x4d797244, /* "DryM" */
    DRY_MESH_VERSION = 1,
};

/* Fills in the magic, the version, the offsets and the size of a header with counts. */
static inline void dry_mesh_lay_out(dry_mesh_tree *header)
{
    uint64_t end = sizeof *header;
    header->magic = DRY_MESH_MAGIC;
    header->version = DRY_MESH_VERSION;
    header->nodes = (uint32_t)dry_block_lay_array(&end, header->node_count * sizeof(dry_mesh_node));
    header->vertices = dry_block_lay_array(&end, header->vertex_count * sizeof(dry_vec3));
    header->corners = dry_block_lay_array(&end, 3 * sizeof(uint32_t) * header->slot_count);
    header->tags = dry_block_lay_array(&end, sizeof(uint32_t) * header->slot_count);
    header->materials =
        dry_block_lay_array(&end, header->materials_present ? sizeof(uint16_t) * header->slot_count : 0);
    header->bytes = dry_block_padded(end);
}

#endif
