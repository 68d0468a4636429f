/* Builds a mesh's block: checks the input, links edges, divides the triangles, writes the arrays, then judges
 * the edges that no equal edge matches. One thread; the same bits everywhere.
 *
 * Reads: a dry_mesh. Writes: the block and the report. Next: mesh_split.c, mesh_edges.c, mesh_borders.c. */
#include "core/assert.h"
#include "geometry/geometry.h"
#include "geometry/mesh_edges.h"
#include "geometry/mesh_layout.h"
#include "geometry/mesh_split.h"
#include "state/hash_mix.h"

typedef struct builder {
    const dry_mesh_tree_def *def;
    dry_memory memory; /* of the arrays in between */
    dry_mesh_links links;
    dry_mesh_item *items;
    dry_mesh_node *nodes;
    uint32_t *number; /* for each caller's vertex: its place in the block */
    dry_mesh_tree header;
} builder;

const char *dry_mesh_error_name(dry_mesh_error error)
{
    static const char *const names[] = {
        [DRY_MESH_BUILT] = "none",
        [DRY_MESH_NO_MEMORY] = "no memory",
        [DRY_MESH_BAD_COUNT] = "a mesh has 1 to 16,777,216 triangles",
        [DRY_MESH_BAD_INDEX] = "a triangle's corner has no vertex",
        [DRY_MESH_BAD_POSITION] = "a vertex is not finite or beyond 1e6 m",
        [DRY_MESH_ALL_DEGENERATE] = "no triangle has an area",
        [DRY_MESH_NOT_CLOSED] = "an edge of a solid lies on an odd number of triangles",
        [DRY_MESH_NOT_ORIENTED] =
            "an edge of a solid is passed in one direction more often than in the other",
        [DRY_MESH_FACES_INWARD] = "a solid faces inward",
    };
    return (unsigned)error < sizeof names / sizeof *names ? names[error] : "unknown";
}

static bool fails(dry_mesh_report *report, dry_mesh_error error, int element)
{
    report->error = error;
    report->element = element;
    return false;
}

static bool is_good(const dry_mesh *mesh, dry_mesh_report *report)
{
    if (!mesh->vertices || !mesh->triangles || mesh->vertex_count < 0 || mesh->triangle_count < 1 ||
        mesh->triangle_count > DRY_MESH_TRIANGLES_MAX)
        return fails(report, DRY_MESH_BAD_COUNT, -1);
    for (int v = 0; v < mesh->vertex_count; v++) {
        const dry_vec3 at = mesh->vertices[v];
        if (!dry_is_within_extent(at))
            return fails(report, DRY_MESH_BAD_POSITION, v);
    }
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++) {
            const int32_t v = mesh->triangles[3 * (size_t)t + (size_t)i];
            if (v < 0 || v >= mesh->vertex_count)
                return fails(report, DRY_MESH_BAD_INDEX, t);
        }
    return true;
}

static void *take(builder *b, size_t count, size_t bytes)
{
    return dry_memory_allocate(&b->memory, count * bytes, DRY_CACHE_LINE);
}

static uint32_t vertex_of(const builder *b, uint32_t triangle, int corner)
{
    return b->links.first_equal[b->def->mesh->triangles[3 * (size_t)triangle + (size_t)corner]];
}

/* Returns a position whose zeros are positive: then boxes are so, too, on every machine. */
static dry_vec3 position_of(const builder *b, uint32_t vertex)
{
    const dry_vec3 v = b->def->mesh->vertices[vertex];
    return vec3(v.x + 0.0f, v.y + 0.0f, v.z + 0.0f);
}

static void fill_items(builder *b)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < (uint32_t)b->def->mesh->triangle_count; t++) {
        if (b->links.state[t])
            continue;
        const dry_vec3 p = position_of(b, vertex_of(b, t, 0)), q = position_of(b, vertex_of(b, t, 1)),
                       r = position_of(b, vertex_of(b, t, 2));
        const dry_vec3 low = vec3_min(vec3_min(p, q), r), high = vec3_max(vec3_max(p, q), r);
        b->items[count++] = (dry_mesh_item){{low.x, low.y, low.z, (float)t}, {high.x, high.y, high.z, 0.0f}};
    }
    DRY_ASSERT(count == (uint32_t)b->links.kept);
}

/* Numbers the vertices in the order in which the slots need them. */
static void number_vertices(builder *b)
{
    uint32_t count = 0;
    memset(b->number, 0xff, (size_t)b->def->mesh->vertex_count * sizeof *b->number);
    for (uint32_t slot = 0; slot < (uint32_t)b->links.kept; slot++)
        for (int i = 0; i < 3; i++) {
            const uint32_t v = vertex_of(b, dry_mesh_item_triangle(&b->items[slot]), i);
            if (b->number[v] == UINT32_MAX)
                b->number[v] = count++;
        }
    b->header.vertex_count = count;
}

static bool prepare(builder *b, dry_mesh_report *report)
{
    const dry_mesh *mesh = b->def->mesh;
    b->links = (dry_mesh_links){.mesh = mesh, .memory = &b->memory, .report = report};
    if (!dry_mesh_link(&b->links, b->def->flags & DRY_MESH_SOLID))
        return fails(report, DRY_MESH_NO_MEMORY, -1);
    if (report->error != DRY_MESH_BUILT)
        return false;
    const size_t kept = (size_t)b->links.kept;
    if (kept == 0)
        return fails(report, DRY_MESH_ALL_DEGENERATE, -1);
    b->items = take(b, kept, sizeof *b->items);
    b->nodes = take(b, dry_mesh_nodes_max(kept), sizeof *b->nodes);
    b->number = take(b, (size_t)mesh->vertex_count, sizeof *b->number);
    if (!b->items || !b->nodes || !b->number)
        return fails(report, DRY_MESH_NO_MEMORY, -1);
    fill_items(b);
    b->header.node_count = dry_mesh_split(b->items, (uint32_t)kept, b->nodes, &b->header.depth);
    number_vertices(b);
    return true;
}

static void write_arrays(builder *b, dry_mesh_tree *tree)
{
    memcpy((char *)tree + tree->nodes, b->nodes, tree->node_count * sizeof *b->nodes);
    dry_vec3 *vertices = (void *)((char *)tree + tree->vertices);
    uint32_t *corners = (void *)((char *)tree + tree->corners);
    uint32_t *tags = (void *)((char *)tree + tree->tags);
    uint16_t *materials = (void *)((char *)tree + tree->materials);
    for (uint32_t slot = 0; slot < tree->slot_count; slot++) {
        const uint32_t t = dry_mesh_item_triangle(&b->items[slot]);
        for (int i = 0; i < 3; i++) {
            const uint32_t v = vertex_of(b, t, i), code = b->links.code[3 * (size_t)t + (size_t)i];
            corners[3 * (size_t)slot + (size_t)i] = b->number[v] | code << DRY_MESH_KIND_SHIFT;
            vertices[b->number[v]] = position_of(b, v);
        }
        tags[slot] = t;
        if (tree->materials_present)
            materials[slot] = b->def->materials[t];
    }
}

static dry_mesh_tree *write_block(builder *b, const dry_allocator *allocator, dry_mesh_report *report)
{
    dry_mesh_tree *h = &b->header;
    dry_box bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < b->links.kept; i++)
        for (int k = 0; k < 3; k++) {
            bounds.min[k] = dry_min(bounds.min[k], b->items[i].min[k]);
            bounds.max[k] = dry_max(bounds.max[k], b->items[i].max[k]);
        }
    h->bounds = bounds;
    h->flags = b->def->flags;
    h->triangle_count = (uint32_t)b->def->mesh->triangle_count;
    h->slot_count = (uint32_t)b->links.kept;
    h->materials_present = b->def->materials != NULL;
    dry_mesh_lay_out(h);
    dry_memory memory;
    dry_memory_init(&memory, allocator ? *allocator : (dry_allocator){0});
    dry_mesh_tree *tree = memory.allocator.allocate(h->bytes, DRY_CACHE_LINE, memory.allocator.user);
    if (!tree) {
        fails(report, DRY_MESH_NO_MEMORY, -1);
        return NULL;
    }
    memset(tree, 0, h->bytes);
    *tree = *h;
    write_arrays(b, tree);
    dry_mesh_judge_borders(tree, (uint8_t *)b->number); /* numbers have served */
    tree->hash = dry_mesh_tree_hash(tree);
    return tree;
}

dry_mesh_tree *dry_mesh_tree_build(const dry_mesh_tree_def *def, const dry_allocator *allocator,
                                   dry_mesh_report *report)
{
    *report = (dry_mesh_report){.element = -1, .edge = {-1, -1}};
    if (!is_good(def->mesh, report))
        return NULL;
    builder b = {.def = def};
    dry_memory_init(&b.memory, allocator ? *allocator : (dry_allocator){0});
    dry_mesh_tree *tree = prepare(&b, report) ? write_block(&b, allocator, report) : NULL;
    dry_memory_release_all(&b.memory);
    return tree;
}

uint64_t dry_mesh_tree_hash(const dry_mesh_tree *tree)
{
    const size_t from = offsetof(dry_mesh_tree, hash) + sizeof tree->hash;
    const uint64_t h = dry_hash_mix(DRY_MESH_MAGIC, tree->bytes);
    return dry_hash_spread(dry_hash_mix_bytes(h, (const char *)tree + from, tree->bytes - from));
}
