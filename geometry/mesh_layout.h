/* The places of the arrays of a mesh's block: a function of its counts. */
#ifndef GEOMETRY_MESH_LAYOUT_H
#define GEOMETRY_MESH_LAYOUT_H

#include "geometry/mesh_node.h"

enum {
    DRY_MESH_MAGIC = 0x4d797244, /* "DryM" */
    DRY_MESH_VERSION = 1,
    DRY_MESH_ALIGNMENT = 64,
};

static inline uint64_t dry_mesh_lay_array(uint64_t *end, uint64_t count, uint64_t bytes)
{
    const uint64_t begin = (*end + DRY_MESH_ALIGNMENT - 1) / DRY_MESH_ALIGNMENT * DRY_MESH_ALIGNMENT;
    *end = begin + count * bytes;
    return begin;
}

/* Fills in the magic, the version, the offsets and the size of a header with counts. */
static inline void dry_mesh_lay_out(dry_mesh_tree *header)
{
    uint64_t end = sizeof *header;
    header->magic = DRY_MESH_MAGIC;
    header->version = DRY_MESH_VERSION;
    header->nodes = (uint32_t)dry_mesh_lay_array(&end, header->node_count, sizeof(dry_mesh_node));
    header->vertices = dry_mesh_lay_array(&end, header->vertex_count, sizeof(dry_vec3));
    header->corners = dry_mesh_lay_array(&end, header->slot_count, 3 * sizeof(uint32_t));
    header->tags = dry_mesh_lay_array(&end, header->slot_count, sizeof(uint32_t));
    header->materials =
        dry_mesh_lay_array(&end, header->materials_present ? header->slot_count : 0, sizeof(uint16_t));
    header->bytes = (end + DRY_MESH_ALIGNMENT - 1) / DRY_MESH_ALIGNMENT * DRY_MESH_ALIGNMENT;
}

#endif
