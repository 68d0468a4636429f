/* The types of a compound's children: all but compounds. */
#include "geometry/kind.h"

static const dry_shape_kind *const kinds[DRY_SHAPE_TYPE_COUNT] = {
#define X(type, name, ...) [type] = &dry_shape_kind_##name,
    DRY_SIMPLE_SHAPE_TYPES(X)
#undef X
};

const dry_shape_kind *dry_child_kind(int32_t type)
{
    return type >= 0 && type < DRY_SHAPE_TYPE_COUNT ? kinds[type] : NULL;
}
