/* Calls the functions of a shape's type. Next: geometry/shapes/, a file for each type. */
#include "geometry/geometry.h"

#include "geometry/compound.h"
#include "geometry/kind.h"

static const dry_shape_kind *const kinds[DRY_SHAPE_TYPE_COUNT] = {
#define X(type, name, ...) [type] = &dry_shape_kind_##name,
    DRY_SHAPE_TYPES(X)
#undef X
};

static const dry_shape_kind *kind_of(const dry_geometry *geometry)
{
    return kinds[geometry->type];
}

const char *dry_geometry_def_error(const dry_shape_def *def)
{
    if ((int)def->type < 0 || def->type >= DRY_SHAPE_TYPE_COUNT)
        return "type is unknown";
    return dry_kind_def_error(kinds[def->type], def);
}

dry_geometry dry_geometry_from_def(const dry_shape_def *def)
{
    return dry_kind_from_def(kinds[def->type], def);
}

dry_extents dry_piece_bounds(const dry_piece *piece)
{
    return dry_kind_bounds_at(kind_of(&piece->geometry), piece);
}

void dry_geometry_to_def(const dry_geometry *geometry, dry_shape_def *def)
{
    def->type = (dry_shape_type)geometry->type;
    kind_of(geometry)->write_def(geometry, def);
}

bool dry_geometry_has_triangles(const dry_geometry *geometry)
{
    return dry_type_has_triangles(geometry->type) ||
           (geometry->type == DRY_SHAPE_COMPOUND && dry_compound_of(geometry)->surface_count > 0);
}

dry_extents dry_geometry_bounds(const dry_geometry *geometry, dry_quat q)
{
    return kind_of(geometry)->bounds(geometry, q);
}

float dry_geometry_radius(const dry_geometry *geometry)
{
    return kind_of(geometry)->radius(geometry);
}

dry_shape_mass dry_geometry_mass(const dry_geometry *geometry)
{
    return kind_of(geometry)->mass(geometry);
}

bool dry_geometry_contains(const dry_geometry *geometry, dry_double3 point)
{
    return kind_of(geometry)->contains(geometry, point);
}

bool dry_geometry_cast_ray(const dry_geometry *geometry, dry_vec3 origin, dry_vec3 translation,
                           float *fraction, dry_vec3 *normal, int *child)
{
    dry_local_ray r = {double3_of(origin), double3_of(translation), 0.0};
    const bool has_children = geometry->type == DRY_SHAPE_COMPOUND;
    *child = has_children ? dry_compound_child_at(geometry, r.o) : -1;
    if (has_children ? *child >= 0 : dry_geometry_contains(geometry, r.o)) {
        *fraction = 0.0f;
        *normal = dry_unit_normal(-r.d.x, -r.d.y, -r.d.z);
        return true;
    }
    r.length = double3_length(r.d);
    if (!(r.length > 0.0))
        return false;
    r.d = double3(r.d.x / r.length, r.d.y / r.length, r.d.z / r.length);
    dry_local_hit hit = {0};
    const bool met = has_children ? dry_compound_cast_ray(geometry, &r, &hit, child)
                                  : kind_of(geometry)->cast_ray(geometry, &r, &hit);
    if (!met || hit.distance > r.length)
        return false;
    *fraction = (float)(hit.distance > 0.0 ? hit.distance / r.length : 0.0);
    *normal = hit.normal;
    return true;
}
