/* The functions of a type of shape: a file of geometry/shapes/ each. Next: geometry.h, which calls them. */
#ifndef GEOMETRY_KIND_H
#define GEOMETRY_KIND_H

#include "geometry/geometry.h"

/* A ray in the frame of a shape, in double: in float a ray from far away misses a small sphere. */
typedef struct dry_local_ray {
    dry_double3 o, d; /* origin, and unit direction */
    double length;    /* m, above 0 */
} dry_local_ray;

/* The point at which a ray enters a shape. */
typedef struct dry_local_hit {
    double distance; /* along the ray, m */
    dry_vec3 normal; /* unit */
} dry_local_hit;

typedef struct dry_shape_kind {
    /* Returns the reason why the sizes of a definition are invalid, or null if they are valid; null if all
     * are.
     */
    const char *(*def_error)(const dry_shape_def *def);
    /* Reads and writes the sizes of a definition. */
    dry_vec3 (*size_of)(const dry_shape_def *def);
    void (*write_def)(const dry_geometry *geometry, dry_shape_def *def);
    /* Writes the size that a scale gives. Returns false if it does not leave the shape in its type. */
    bool (*scale)(const dry_geometry *geometry, dry_vec3 scale, dry_vec3 *size);
    dry_extents (*bounds)(const dry_geometry *geometry, dry_quat q);
    float (*radius)(const dry_geometry *geometry);
    dry_shape_mass (*mass)(const dry_geometry *geometry);
    /* Tells whether a point, m, lies in the shape. */
    bool (*contains)(const dry_geometry *geometry, dry_double3 point);
    /* Finds where a ray that starts outside enters the shape, within any distance. */
    bool (*cast_ray)(const dry_geometry *geometry, const dry_local_ray *ray, dry_local_hit *hit);
} dry_shape_kind;

#define X(type, name, ...) extern const dry_shape_kind dry_shape_kind_##name;
DRY_SHAPE_TYPES(X)
#undef X

/* Returns the functions of a type of a compound's children; null if compounds have no such children. */
const dry_shape_kind *dry_child_kind(int32_t type);

/* As dry_geometry_def_error, dry_geometry_from_def and dry_piece_bounds, of a given kind. */
const char *dry_kind_def_error(const dry_shape_kind *kind, const dry_shape_def *def);
dry_geometry dry_kind_from_def(const dry_shape_kind *kind, const dry_shape_def *def);
dry_extents dry_kind_bounds_at(const dry_shape_kind *kind, const dry_piece *piece);

/* Functions of kinds whose size is a scale, and whose form is all in the data. */
dry_vec3 dry_scaled_size_of(const dry_shape_def *def);
void dry_scaled_write_def(const dry_geometry *geometry, dry_shape_def *def);
bool dry_scaled_by(const dry_geometry *geometry, dry_vec3 scale, dry_vec3 *size); /* by any scale */

/* Functions of spheres, capsules and cylinders: size.x is the radius, size.y half the length. */
dry_vec3 dry_round_size_of(const dry_shape_def *def);
void dry_round_write_def(const dry_geometry *geometry, dry_shape_def *def);
bool dry_round_scale(const dry_geometry *geometry, dry_vec3 scale, dry_vec3 *size); /* a uniform one */

/* Returns the mass of what no dynamic body has: none. */
dry_shape_mass dry_no_mass(const dry_geometry *geometry);

/* Tells whether a size is in its range. */
static inline bool dry_size_is_valid(float size)
{
    return size >= 1e-4f && size <= DRY_EXTENT_MAX;
}

/* Returns bounds that lie symmetrically about the shape's origin. */
static inline dry_extents dry_extents_about(dry_vec3 half)
{
    return (dry_extents){vec3_neg(half), half};
}

/* Returns a unit normal; the y axis if the vector has no direction. */
static inline dry_vec3 dry_unit_normal(double x, double y, double z)
{
    const double length = sqrt(x * x + y * y + z * z);
    if (!(length > 0.0))
        return vec3(0.0f, 1.0f, 0.0f);
    return vec3((float)(x / length), (float)(y / length), (float)(z / length));
}

/* Finds where a ray that starts outside enters a compound first within its length, and through which child.
 */
bool dry_compound_cast_ray(const dry_geometry *compound, const dry_local_ray *ray, dry_local_hit *hit,
                           int *child);

/* Finds the distance along the ray to the sphere about (0, y, 0); the origin lies outside it. */
bool dry_ray_meets_sphere(const dry_local_ray *ray, double y, double radius, double *distance);

#endif
