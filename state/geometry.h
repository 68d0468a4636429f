/* The types of shapes, and the form of a shape: its type and size, without a place, a body or a material. */
#ifndef STATE_GEOMETRY_H
#define STATE_GEOMETRY_H

#include <drystone/shape.h>

#include <stdbool.h>

/* Properties of a type. */
enum {
    DRY_TYPE_ROUND = 1,       /* the surface lies `size.x` around a point or a segment: contacts roll */
    DRY_TYPE_UNBOUNDED = 2,   /* without bounds, volume or a center */
    DRY_TYPE_IN_LANES = 4,    /* geometry/bounds_lanes.h has its bounds */
    DRY_TYPE_PIECES = 8,      /* made of pieces: a pair with it may have many contacts */
    DRY_TYPE_DATA = 16,       /* needs data of the same type */
    DRY_TYPE_CURVED = 32,     /* some contacts roll, on a surface of radius size.x */
    DRY_TYPE_WIDE = 64,       /* the features of its points need more than 16 bits */
    DRY_TYPE_TRIANGLES = 128, /* made of triangles: static and kinematic bodies only */
};

/* X(type, name, rank, properties): the only list; compounds have children of the simple types. The functions
 * of a type are dry_shape_kind_<name> in geometry/shapes/<name>.c.
 *
 * The shape of the higher rank is the first of a pair: it has more sides, so that its frame makes the pair
 * easy, and the contact's anchors lie on the other shape. */
#define DRY_SIMPLE_SHAPE_TYPES(X)                                                                            \
    X(DRY_SHAPE_SPHERE, sphere, 0, DRY_TYPE_ROUND | DRY_TYPE_IN_LANES)                                       \
    X(DRY_SHAPE_CAPSULE, capsule, 1, DRY_TYPE_ROUND | DRY_TYPE_IN_LANES)                                     \
    X(DRY_SHAPE_CYLINDER, cylinder, 2, DRY_TYPE_CURVED | DRY_TYPE_IN_LANES)                                  \
    X(DRY_SHAPE_BOX, box, 3, DRY_TYPE_IN_LANES)                                                              \
    X(DRY_SHAPE_HULL, hull, 4, DRY_TYPE_DATA | DRY_TYPE_WIDE)                                                \
    X(DRY_SHAPE_HALFSPACE, halfspace, 8, DRY_TYPE_UNBOUNDED)                                                 \
    X(DRY_SHAPE_MESH, surface, 7, DRY_TYPE_PIECES | DRY_TYPE_DATA | DRY_TYPE_WIDE | DRY_TYPE_TRIANGLES)      \
    X(DRY_SHAPE_HEIGHT_FIELD, surface, 6,                                                                    \
      DRY_TYPE_PIECES | DRY_TYPE_DATA | DRY_TYPE_WIDE | DRY_TYPE_TRIANGLES)
#define DRY_SHAPE_TYPES(X)                                                                                   \
    DRY_SIMPLE_SHAPE_TYPES(X)                                                                                \
    X(DRY_SHAPE_COMPOUND, compound, 5, DRY_TYPE_PIECES | DRY_TYPE_DATA)

/* A shape's type and sizes as its column keeps them. size holds, by type:
 *   sphere      (radius, 0, 0), m
 *   capsule     (radius, half_length, 0), m; the segment lies along the local y axis
 *   box         half extents, m
 *   cylinder    (radius, half_length, 0), m; the axis is the local y axis
 *   hull, compound, mesh, height field
 *               the scale along the axes
 *   half-space  the unit normal that the user gave; its local frame has the solid at y <= 0
 *               (dry_halfspace_frame in geometry/geometry.h) */
typedef struct dry_geometry_core {
    dry_vec3 size;
    int32_t type; /* dry_shape_type */
} dry_geometry_core;
_Static_assert(sizeof(dry_geometry_core) == 16, "lanes gather a geometry with one 16-byte load");

/* A shape by itself, as collision, bounds, mass and rays take it. */
typedef struct dry_geometry {
    dry_vec3 size;
    int32_t type;
    dry_shape_data *data; /* null for a type without */
} dry_geometry;

static inline int dry_type_properties(int32_t type)
{
    static const uint8_t properties[DRY_SHAPE_TYPE_COUNT] = {
#define X(type, name, rank, properties) [type] = (properties),
        DRY_SHAPE_TYPES(X)
#undef X
    };
    return properties[type];
}

static inline int dry_type_rank(int32_t type)
{
    static const int8_t ranks[DRY_SHAPE_TYPE_COUNT] = {
#define X(type, name, rank, properties) [type] = (rank),
        DRY_SHAPE_TYPES(X)
#undef X
    };
    return ranks[type];
}

/* Tells whether a shape is a surface of triangles. A compound may have such children, too. */
static inline bool dry_type_has_triangles(int32_t type)
{
    return dry_type_properties(type) & DRY_TYPE_TRIANGLES;
}

/* Tells whether a shape has flat faces that meet at edges. */
static inline bool dry_type_is_polytope(int32_t type)
{
    return type == DRY_SHAPE_BOX || type == DRY_SHAPE_HULL;
}

/* Tells whether a shape has a curved surface, of radius size.x. */
static inline bool dry_type_is_curved(int32_t type)
{
    return dry_type_properties(type) & (DRY_TYPE_ROUND | DRY_TYPE_CURVED);
}

/* Tells whether a shape rolls: its surface lies `size.x` around a point or a segment. */
static inline bool dry_type_is_round(int32_t type)
{
    return dry_type_properties(type) & DRY_TYPE_ROUND;
}

#endif
