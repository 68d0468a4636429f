/* Compounds: their children as the scale leaves them, and which of them are near. Next: shapes/compound.c. */
#include "geometry/compound.h"

#include "core/assert.h"
#include "geometry/kind.h"
#include "geometry/scaled.h"
#include "geometry/triangles.h"
#include "state/hash_mix.h"

#include <string.h>

enum { CHILDREN_MAX = 65535, BRANCHES = 8 /* of a box */, ROWS_MAX = 6 };

/* The types of children: all but compounds. */
static const dry_shape_kind *const kinds[DRY_SHAPE_TYPE_COUNT] = {
#define X(type, name, ...) [type] = &dry_shape_kind_##name,
    DRY_SIMPLE_SHAPE_TYPES(X)
#undef X
};

const dry_shape_kind *dry_child_kind(int32_t type)
{
    return type >= 0 && type < DRY_SHAPE_TYPE_COUNT ? kinds[type] : NULL;
}

static const char *child_error(const dry_shape_def *def)
{
    const dry_shape_kind *kind = dry_child_kind((int32_t)def->type);
    if (!kind || def->type == DRY_SHAPE_HALFSPACE)
        return "type: no child of a compound";
    const char *error = dry_kind_def_error(kind, def);
    return error ? error : dry_pose_error(&def->pose);
}

/* Adds the pieces of a child. Returns false if their number takes more than 32 bits. */
static bool count_pieces(const dry_geometry *child, uint32_t *pieces)
{
    const uint64_t all =
        (uint64_t)*pieces + (dry_type_has_triangles(child->type) ? dry_triangles_slots(child) : UINT32_C(1));
    *pieces = (uint32_t)all;
    return all <= UINT32_MAX;
}

const char *dry_compound_error(const dry_shape_def *children, int count, int *child)
{
    uint32_t pieces = 0;
    *child = -1;
    if (!children || count < 1 || count > CHILDREN_MAX)
        return "child_count must be 1 to 65535";
    for (*child = 0; *child < count; ++*child) {
        const char *error = child_error(&children[*child]);
        if (error)
            return error;
        const dry_geometry geometry = {.type = (int32_t)children[*child].type, .data = children[*child].data};
        if (!count_pieces(&geometry, &pieces))
            return "the triangles of all children must be less than 2^32";
    }
    return NULL;
}

/* Returns the number of boxes in rows above a number of children. */
static int boxes_above(int count)
{
    int boxes = 0;
    for (int row = count; row > BRANCHES; boxes += row)
        row = (row + BRANCHES - 1) / BRANCHES;
    return boxes;
}

/* Makes the rows above the boxes of the children, each of which has a box for eight of the row below. */
static void join_boxes(dry_extents *row, int count)
{
    for (dry_extents *above = row + count; count > BRANCHES; row = above, above += count) {
        for (int i = 0; i < count; i++) {
            dry_extents *box = &above[i / BRANCHES];
            box->low = i % BRANCHES ? vec3_min(box->low, row[i].low) : row[i].low;
            box->high = i % BRANCHES ? vec3_max(box->high, row[i].high) : row[i].high;
        }
        count = (count + BRANCHES - 1) / BRANCHES;
    }
}

static dry_compound *make_form(dry_memory *memory, const dry_shape_def *children, int count)
{
    const size_t boxes = (size_t)count + (size_t)boxes_above(count);
    const size_t bytes = sizeof(dry_compound) + (size_t)count * sizeof(dry_piece) +
                         boxes * sizeof(dry_extents) + ((size_t)count + 1) * sizeof(uint32_t);
    dry_compound *compound = dry_memory_allocate(memory, bytes, DRY_CACHE_LINE);
    if (!compound)
        return NULL;
    memset(compound, 0, bytes);
    dry_extents *bounds = (dry_extents *)(void *)(compound->children + count);
    uint32_t *first = (uint32_t *)(void *)(bounds + boxes), pieces = 0;
    compound->count = count;
    compound->bounds = bounds;
    compound->first = first;
    for (int i = 0; i < count; i++) {
        dry_piece *piece = &compound->children[i];
        const dry_shape_kind *kind = dry_child_kind((int32_t)children[i].type);
        piece->geometry = dry_kind_from_def(kind, &children[i]);
        piece->pose =
            (dry_transform){children[i].pose.position, quat_normalize(children[i].pose.orientation)};
        piece->radius = kind->radius(&piece->geometry);
        bounds[i] = dry_kind_bounds_at(kind, piece);
        first[i] = pieces;
        count_pieces(&piece->geometry, &pieces);
        compound->surface_count += dry_type_has_triangles(piece->geometry.type);
        if (piece->geometry.data)
            dry_shape_data_retain(piece->geometry.data);
    }
    first[count] = pieces;
    join_boxes(bounds, count);
    return compound;
}

/* Releases the data of the children; `form` is a dry_compound. */
static void release_children(void *form)
{
    const dry_compound *compound = form;
    for (int i = 0; i < compound->count; i++)
        dry_shape_data_release(compound->children[i].geometry.data);
}

uint64_t dry_compound_hash(const dry_compound *compound)
{
    uint64_t h = dry_hash_mix(0x636f6d706f756e64ull, (uint64_t)compound->count);
    for (int i = 0; i < compound->count; i++) {
        const dry_piece *piece = &compound->children[i];
        const dry_vec3 *size = &piece->geometry.size, *at = &piece->pose.position;
        const dry_quat *q = &piece->pose.orientation;
        const float numbers[] = {size->x, size->y, size->z, at->x, at->y, at->z, q->x, q->y, q->z, q->w};
        h = dry_hash_mix(h, (uint64_t)piece->geometry.type);
        h = dry_hash_mix_floats(h, numbers, (int)(sizeof numbers / sizeof *numbers));
        h = dry_hash_mix(h, piece->geometry.data ? piece->geometry.data->hash : 0);
    }
    return dry_hash_spread(h);
}

dry_shape_data *dry_compound_make(const dry_shape_def *children, int count, const dry_data_services *services)
{
    dry_memory memory = dry_shape_data_memory(services);
    dry_compound *form = make_form(&memory, children, count);
    dry_shape_data *data = form ? dry_shape_data_make(&memory, DRY_SHAPE_COMPOUND, form,
                                                      dry_compound_hash(form), release_children)
                                : NULL;
    if (form && !data)
        release_children(form);
    if (!data)
        dry_memory_release_all(&memory);
    return data;
}

dry_piece dry_compound_piece(const dry_geometry *geometry, int child)
{
    DRY_ASSERT(child >= 0 && child < dry_compound_of(geometry)->count);
    dry_piece piece = dry_compound_of(geometry)->children[child];
    const dry_vec3 scale = geometry->size;
    if (scale.x == 1.0f && scale.y == 1.0f && scale.z == 1.0f)
        return piece;
    /* With scale S = k M, M a mirror, S R x = (M R M) (S x): the child is rotated by M R M and scaled by S.
     * The axis of a rotation is an axial vector. A child that is not rotated takes any scale. */
    const dry_vec3 mirror =
        vec3(copysignf(1.0f, scale.x), copysignf(1.0f, scale.y), copysignf(1.0f, scale.z));
    const float sign = mirror.x * mirror.y * mirror.z;
    dry_quat *q = &piece.pose.orientation;
    *q = (dry_quat){sign * mirror.x * q->x, sign * mirror.y * q->y, sign * mirror.z * q->z, q->w};
    piece.pose.position = vec3_mul(scale, piece.pose.position);
    const dry_shape_kind *kind = dry_child_kind(piece.geometry.type);
    kind->scale(&piece.geometry, scale, &piece.geometry.size);
    piece.radius = kind->radius(&piece.geometry);
    return piece;
}

/* A walk over the boxes of a compound. */
typedef struct box_walk {
    dry_extents box; /* without the scale */
    dry_compound_visit *visit;
    void *context;
} box_walk;

/* The rows of boxes of a compound: the children's, and those above. */
typedef struct box_rows {
    int count; /* of rows */
    int boxes[ROWS_MAX];
    const dry_extents *box[ROWS_MAX];
} box_rows;

static box_rows rows_of(const dry_compound *compound)
{
    box_rows rows = {1, {compound->count}, {compound->bounds}};
    for (int below = compound->count; below > BRANCHES; below = rows.boxes[rows.count++]) {
        DRY_ASSERT(rows.count < ROWS_MAX);
        rows.box[rows.count] = rows.box[rows.count - 1] + below;
        rows.boxes[rows.count] = (below + BRANCHES - 1) / BRANCHES;
    }
    return rows;
}

static void visit_row(const box_rows *rows, const box_walk *walk, int row, int begin)
{
    const int end =
        row + 1 < rows->count ? dry_min_int(begin + BRANCHES, rows->boxes[row]) : rows->boxes[row];
    for (int i = begin; i < end; i++) {
        if (!dry_extents_overlap(&rows->box[row][i], &walk->box))
            continue;
        if (row > 0)
            visit_row(rows, walk, row - 1, BRANCHES * i);
        else
            walk->visit(walk->context, i);
    }
}

void dry_compound_query(const dry_geometry *geometry, const dry_extents *box, dry_compound_visit *visit,
                        void *context)
{
    const dry_compound *compound = dry_compound_of(geometry);
    box_walk walk = {*box, visit, context};
    if (geometry->size.x != 1.0f || geometry->size.y != 1.0f || geometry->size.z != 1.0f) {
        const dry_box own = dry_unscaled_box(geometry->size, double3_of(box->low), double3_of(box->high));
        walk.box =
            (dry_extents){vec3(own.min[0], own.min[1], own.min[2]), vec3(own.max[0], own.max[1], own.max[2])};
    }
    const box_rows rows = rows_of(compound);
    visit_row(&rows, &walk, rows.count - 1, 0);
}

int dry_compound_child_of(const dry_geometry *geometry, uint32_t piece, uint32_t *slot)
{
    const dry_compound *compound = dry_compound_of(geometry);
    int low = 0, high = compound->count; /* the child is in [low, high) */
    DRY_ASSERT(piece < compound->first[compound->count]);
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (compound->first[middle] <= piece)
            low = middle;
        else
            high = middle;
    }
    *slot = piece - compound->first[low];
    return low;
}
