/* Saved shape data. Reads and writes blocks; next: the checks of hull.h, mesh_tree.h and height_field.h. */
#include "geometry/shape_bytes.h"

#include "geometry/block.h"
#include "geometry/compound.h"
#include "geometry/height_field.h"
#include "geometry/hull.h"
#include "geometry/kind.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "saved bytes are those of a little-endian machine"
#endif

#define MAGIC UINT64_C(0x617461642d797264) /* "dry-data" */
enum { VERSION = 1 };

/* Stands before each block. */
typedef struct header {
    uint64_t magic;
    uint32_t version, type;
    uint64_t bytes; /* with the header, to the next multiple of DRY_BLOCK_ALIGNMENT */
    uint64_t hash;
    uint64_t zero[4];
} header;
_Static_assert(sizeof(header) == DRY_BLOCK_ALIGNMENT, "blocks begin at multiples of 64");

/* The beginning of a compound's block. */
typedef struct piece_counts {
    uint32_t pieces, data;
} piece_counts;

typedef struct saved_piece {
    int32_t type, data; /* -1: none */
    dry_vec3 size;
    dry_transform pose;
} saved_piece;
_Static_assert(sizeof(saved_piece) == 48, "a piece has no padding");

/* Returns whether the data of a child are those of an earlier child, whose number it writes. */
static bool is_repeated(const dry_compound *compound, int child, int *first)
{
    for (*first = 0; *first < child; ++*first)
        if (compound->children[*first].geometry.data == compound->children[child].geometry.data)
            return true;
    return false;
}

static size_t pieces_size(const dry_compound *compound)
{
    return dry_block_padded(sizeof(piece_counts) + (size_t)compound->count * sizeof(saved_piece));
}

static size_t compound_size(const dry_compound *compound)
{
    size_t bytes = pieces_size(compound);
    for (int i = 0, first; i < compound->count; i++) {
        const dry_shape_data *data = compound->children[i].geometry.data;
        if (data && !is_repeated(compound, i, &first))
            bytes += dry_shape_bytes_size(data);
    }
    return bytes;
}

size_t dry_shape_bytes_size(const dry_shape_data *data)
{
    return sizeof(header) + (data->type == DRY_SHAPE_COMPOUND ? compound_size(data->form)
                                                              : dry_block_padded(data->block_bytes));
}

/* Returns the number of a child's data among those that are saved: the data of earlier children, each once.
 */
static int data_number(const dry_compound *compound, int child)
{
    int first, number = 0, other;
    is_repeated(compound, child, &first);
    for (int i = 0; i < first; i++)
        number += compound->children[i].geometry.data && !is_repeated(compound, i, &other);
    return number;
}

static void emit_padding(const dry_bytes_sink *sink, size_t bytes)
{
    static const char zero[DRY_BLOCK_ALIGNMENT] = {0};
    sink->put(sink->context, zero, dry_block_padded(bytes) - bytes);
}

static void emit_compound(const dry_compound *compound, const dry_bytes_sink *sink)
{
    piece_counts counts = {(uint32_t)compound->count, 0};
    int first;
    for (int i = 0; i < compound->count; i++)
        counts.data += compound->children[i].geometry.data && !is_repeated(compound, i, &first);
    sink->put(sink->context, &counts, sizeof counts);
    int number = 0; /* of the next data */
    for (int i = 0; i < compound->count; i++) {
        const dry_piece *child = &compound->children[i];
        saved_piece saved = {child->geometry.type, -1, child->geometry.size, child->pose};
        if (child->geometry.data)
            saved.data = is_repeated(compound, i, &first) ? data_number(compound, i) : number++;
        sink->put(sink->context, &saved, sizeof saved);
    }
    emit_padding(sink, sizeof counts + (size_t)compound->count * sizeof(saved_piece));
    for (int i = 0; i < compound->count; i++) {
        const dry_shape_data *data = compound->children[i].geometry.data;
        if (data && !is_repeated(compound, i, &first))
            dry_shape_bytes_emit(data, sink);
    }
}

void dry_shape_bytes_emit(const dry_shape_data *data, const dry_bytes_sink *sink)
{
    const header head = {MAGIC, VERSION, (uint32_t)data->type, dry_shape_bytes_size(data), data->hash, {0}};
    sink->put(sink->context, &head, sizeof head);
    if (data->type == DRY_SHAPE_COMPOUND) {
        emit_compound(data->form, sink);
        return;
    }
    sink->put(sink->context, data->form, data->block_bytes);
    emit_padding(sink, data->block_bytes);
}

/* Appends to bytes in memory; `context` is where they end. */
static void put_in_memory(void *context, const void *bytes, size_t size)
{
    char **end = context;
    memcpy(*end, bytes, size);
    *end += size;
}

void dry_shape_bytes_write(const dry_shape_data *data, void *bytes)
{
    char *end = bytes;
    const dry_bytes_sink sink = {put_in_memory, &end};
    dry_shape_bytes_emit(data, &sink);
}

/* Reads the header of a block that lies within `size` bytes. */
static bool read_header(const char *bytes, size_t size, header *head)
{
    if (size < sizeof *head)
        return false;
    memcpy(head, bytes, sizeof *head);
    return head->magic == MAGIC && head->version == VERSION && head->bytes <= size &&
           head->bytes >= sizeof *head && head->bytes % DRY_BLOCK_ALIGNMENT == 0 &&
           (head->zero[0] | head->zero[1] | head->zero[2] | head->zero[3]) == 0;
}

/* Returns the bytes of a block without its padding, as its own header gives them; 0 if it has no header. */
static uint64_t bytes_of_block(uint32_t type, const char *block, size_t room)
{
    union {
        dry_hull hull;
        dry_mesh_tree mesh;
        dry_height_field field;
    } first = {0};
    memcpy(&first, block, room < sizeof first ? room : sizeof first);
    return type == DRY_SHAPE_HULL           ? first.hull.bytes
           : type == DRY_SHAPE_MESH         ? first.mesh.bytes
           : type == DRY_SHAPE_HEIGHT_FIELD ? first.field.bytes
                                            : 0;
}

/* Tells whether a copy of a block is sound, and has the hash that was saved with it. */
static bool block_is_sound(uint32_t type, const void *block, size_t bytes, uint64_t hash)
{
    if (type == DRY_SHAPE_HULL)
        return dry_hull_check(block, bytes) && dry_hull_hash(block) == hash;
    if (type == DRY_SHAPE_MESH)
        return dry_mesh_tree_check(block, bytes) && ((const dry_mesh_tree *)block)->hash == hash;
    return dry_height_field_check(block, bytes) && ((const dry_height_field *)block)->hash == hash;
}

static dry_bytes_fault read_block(const char *bytes, const header *head, const dry_data_services *services,
                                  dry_shape_data **data)
{
    const size_t room = (size_t)head->bytes - sizeof *head;
    const uint64_t own = bytes_of_block(head->type, bytes, room);
    if (own == 0 || own > room || dry_block_padded((size_t)own) != room ||
        !dry_block_is_zero(bytes, own, room))
        return DRY_BYTES_INVALID;
    const dry_allocator allocator = dry_shape_data_memory(services).allocator;
    void *block = allocator.allocate((size_t)own, DRY_BLOCK_ALIGNMENT, allocator.user);
    if (!block)
        return DRY_BYTES_NO_MEMORY;
    memcpy(block, bytes, (size_t)own);
    if (!block_is_sound(head->type, block, (size_t)own, head->hash)) {
        allocator.release(block, (size_t)own, allocator.user);
        return DRY_BYTES_INVALID;
    }
    *data = dry_shape_data_of_block((dry_shape_type)head->type, block, (size_t)own, head->hash, services);
    return *data ? DRY_BYTES_SOUND : DRY_BYTES_NO_MEMORY;
}

/* The data of a compound's children while it is read. */
typedef struct children_data {
    dry_shape_data **data;
    uint32_t count; /* of those that have been read */
} children_data;

static void release_children_data(const children_data *children)
{
    for (uint32_t i = 0; i < children->count; i++)
        dry_shape_data_release(children->data[i]);
}

/* Reads the data behind the pieces, which fill the rest of the block. */
static dry_bytes_fault read_children_data(const char *bytes, size_t size, uint32_t count,
                                          const dry_data_services *services, children_data *children)
{
    for (; children->count < count; children->count++) {
        header head;
        if (!read_header(bytes, size, &head) || !dry_child_kind((int32_t)head.type))
            return DRY_BYTES_INVALID;
        const dry_bytes_fault fault =
            dry_shape_bytes_read(bytes, (size_t)head.bytes, services, &children->data[children->count]);
        if (fault != DRY_BYTES_SOUND)
            return fault;
        bytes += head.bytes;
        size -= (size_t)head.bytes;
    }
    return size == 0 ? DRY_BYTES_SOUND : DRY_BYTES_INVALID;
}

/* Turns saved pieces into definitions. Returns false if one is no child of a compound, or as no definition
 * gives it. */
static bool define_children(const char *pieces, const children_data *children, int count, dry_shape_def *defs)
{
    for (int i = 0; i < count; i++) {
        saved_piece saved;
        memcpy(&saved, pieces + (size_t)i * sizeof saved, sizeof saved);
        const dry_shape_kind *kind = dry_child_kind(saved.type);
        const bool has_data = kind && dry_type_properties(saved.type) & DRY_TYPE_DATA;
        if (!kind || (has_data ? saved.data < 0 : saved.data != -1) ||
            (has_data && (uint32_t)saved.data >= children->count))
            return false;
        const dry_geometry geometry = {saved.size, saved.type, has_data ? children->data[saved.data] : NULL};
        defs[i] = (dry_shape_def){
            .type = (dry_shape_type)saved.type, .scale = {1.0f, 1.0f, 1.0f}, .pose = saved.pose};
        kind->write_def(&geometry, &defs[i]);
    }
    int child;
    return dry_compound_error(defs, count, &child) == NULL;
}

/* Gives the children the orientations that were saved: a second normalization might change their last bits.
 * Returns false if one is not of unit length, if a size is another one than its type has, or if the hash is
 * not the one that was saved. */
static bool keep_pieces(const char *pieces, dry_shape_data *data, uint64_t hash)
{
    dry_compound *compound = data->form;
    bool same = true;
    for (int i = 0; i < compound->count; i++) {
        saved_piece saved;
        memcpy(&saved, pieces + (size_t)i * sizeof saved, sizeof saved);
        const float length2 = quat_length_squared(saved.pose.orientation);
        same = same && length2 > 1.0f - 1e-5f && length2 < 1.0f + 1e-5f &&
               memcmp(&saved.size, &compound->children[i].geometry.size, sizeof saved.size) == 0;
        compound->children[i].pose.orientation = saved.pose.orientation;
    }
    data->hash = dry_compound_hash(compound);
    return same && data->hash == hash;
}

static dry_bytes_fault read_compound(const char *bytes, const header *head, const dry_data_services *services,
                                     dry_shape_data **data)
{
    const size_t room = (size_t)head->bytes - sizeof *head;
    piece_counts counts;
    if (room < sizeof counts)
        return DRY_BYTES_INVALID;
    memcpy(&counts, bytes, sizeof counts);
    if (counts.pieces < 1 || counts.pieces > 65535 || counts.data > counts.pieces)
        return DRY_BYTES_INVALID;
    const size_t pieces = sizeof counts + counts.pieces * sizeof(saved_piece);
    if (dry_block_padded(pieces) > room || !dry_block_is_zero(bytes, pieces, dry_block_padded(pieces)))
        return DRY_BYTES_INVALID;
    dry_memory work = dry_shape_data_memory(services);
    const int count = (int)counts.pieces;
    dry_shape_def *defs = dry_memory_allocate(&work, counts.pieces * sizeof *defs, DRY_BLOCK_ALIGNMENT);
    children_data children = {
        dry_memory_allocate(&work, (counts.data + 1) * sizeof *children.data, DRY_BLOCK_ALIGNMENT), 0};
    dry_bytes_fault fault = !defs || !children.data ? DRY_BYTES_NO_MEMORY
                                                    : read_children_data(bytes + dry_block_padded(pieces),
                                                                         room - dry_block_padded(pieces),
                                                                         counts.data, services, &children);
    if (fault == DRY_BYTES_SOUND && !define_children(bytes + sizeof counts, &children, count, defs))
        fault = DRY_BYTES_INVALID;
    dry_shape_data *made = fault == DRY_BYTES_SOUND ? dry_compound_make(defs, count, services) : NULL;
    if (fault == DRY_BYTES_SOUND && !made)
        fault = DRY_BYTES_NO_MEMORY;
    if (made && !keep_pieces(bytes + sizeof counts, made, head->hash)) {
        dry_shape_data_release(made);
        fault = DRY_BYTES_INVALID;
    }
    if (fault == DRY_BYTES_SOUND)
        *data = made;
    release_children_data(&children);
    dry_memory_release_all(&work);
    return fault;
}

dry_bytes_fault dry_shape_bytes_read(const void *bytes, size_t size, const dry_data_services *services,
                                     dry_shape_data **data)
{
    header head;
    if (!read_header(bytes, size, &head) || head.bytes != size)
        return DRY_BYTES_INVALID;
    const char *block = (const char *)bytes + sizeof head;
    return head.type == DRY_SHAPE_COMPOUND ? read_compound(block, &head, services, data)
                                           : read_block(block, &head, services, data);
}
