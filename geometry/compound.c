/* Compounds: their children as the scale leaves them, and which of them are near. Next: shapes/compound.c. */
#include "geometry/compound.h"

#include "geometry/kind.h"
#include "geometry/shape_data.h"
#include "state/hash_mix.h"

#include <string.h>

enum { CHILDREN_MAX = 65535 };

static const char *child_error(const dry_shape_def *def)
{
    const dry_shape_kind *kind = dry_child_kind((int32_t)def->type);
    if (!kind || def->type == DRY_SHAPE_HALFSPACE)
        return "type: no child of a compound";
    const char *error = dry_kind_def_error(kind, def);
    return error ? error : dry_pose_error(&def->pose);
}

const char *dry_compound_error(const dry_shape_def *children, int count, int *child)
{
    *child = -1;
    if (!children || count < 1 || count > CHILDREN_MAX)
        return "child_count must be 1 to 65535";
    for (*child = 0; *child < count; ++*child) {
        const char *error = child_error(&children[*child]);
        if (error)
            return error;
    }
    return NULL;
}

dry_compound *dry_compound_make(dry_memory *memory, const dry_shape_def *children, int count)
{
    const size_t bytes = sizeof(dry_compound) + (size_t)count * sizeof(dry_piece);
    dry_compound *compound = dry_memory_allocate(memory, bytes, DRY_CACHE_LINE);
    if (!compound)
        return NULL;
    memset(compound, 0, bytes);
    compound->count = count;
    compound->bounds = (dry_extents){vec3(FLT_MAX, FLT_MAX, FLT_MAX), vec3(-FLT_MAX, -FLT_MAX, -FLT_MAX)};
    for (int i = 0; i < count; i++) {
        dry_piece *piece = &compound->children[i];
        const dry_shape_kind *kind = dry_child_kind((int32_t)children[i].type);
        piece->geometry = dry_kind_from_def(kind, &children[i]);
        piece->pose =
            (dry_transform){children[i].pose.position, quat_normalize(children[i].pose.orientation)};
        piece->radius = kind->radius(&piece->geometry);
        const dry_extents bounds = dry_kind_bounds_at(kind, piece);
        compound->bounds.low = vec3_min(compound->bounds.low, bounds.low);
        compound->bounds.high = vec3_max(compound->bounds.high, bounds.high);
        if (piece->geometry.data)
            dry_shape_data_retain(piece->geometry.data);
    }
    return compound;
}

void dry_compound_release_children(void *form)
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

static const dry_compound *compound_of(const dry_geometry *geometry)
{
    return geometry->data->form;
}

int dry_compound_count(const dry_geometry *geometry)
{
    return compound_of(geometry)->count;
}

dry_piece dry_compound_piece(const dry_geometry *geometry, int child)
{
    dry_piece piece = compound_of(geometry)->children[child];
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
    piece.geometry.size = kind->scaled(&piece.geometry, scale);
    piece.radius = kind->radius(&piece.geometry);
    return piece;
}

dry_extents dry_compound_piece_bounds(const dry_piece *piece)
{
    return dry_kind_bounds_at(dry_child_kind(piece->geometry.type), piece);
}

void dry_compound_query(const dry_geometry *compound, const dry_extents *box, dry_compound_visit *visit,
                        void *context)
{
    const int count = dry_compound_count(compound);
    for (int i = 0; i < count; i++) {
        const dry_piece piece = dry_compound_piece(compound, i);
        const dry_extents bounds = dry_compound_piece_bounds(&piece);
        if (dry_extents_overlap(&bounds, box))
            visit(context, i);
    }
}
