/* A convex shape at a place, in double: a core, and a radius around the core. Queries and pairs with
 * cylinders see shapes so.
 *
 * The frame of a query has the axes of the world. Its origin is that of the query's own shape, so that digits
 * are lost neither far from the world's origin nor on large shapes. The frame of a pair is that of its
 * cylinder. Next: gap.c, pairs/cylinder.h. */
#ifndef NARROWPHASE_QUERIES_PLACED_H
#define NARROWPHASE_QUERIES_PLACED_H

#include "core/double3.h"
#include "geometry/geometry.h"
#include "geometry/hull.h"
#include "narrowphase/closest.h"

typedef enum dry_placed_kind {
    DRY_PLACED_POINT,
    DRY_PLACED_SEGMENT,  /* half[1] times axis[1], of any length, to both sides */
    DRY_PLACED_BOX,      /* half extents `half` */
    DRY_PLACED_CYLINDER, /* about axis[1]: half[0] is the radius, half[1] half the length */
    DRY_PLACED_HULL,
    DRY_PLACED_TRIANGLE,
    DRY_PLACED_HALFSPACE, /* below the plane through the center across axis[1] */
} dry_placed_kind;

typedef struct dry_placed {
    dry_placed_kind kind;
    dry_double3 center; /* of the core, m */
    union {
        dry_double3 axis[3];   /* unit */
        dry_double3 corner[3]; /* of a triangle, which has no axes, from the center, m */
    };
    double half[3];        /* m */
    double radius;         /* around the core, m */
    double reach;          /* of a ball about the center that holds the core, m; a half-space: 0 */
    dry_geometry geometry; /* of a shape, and its orientation */
    dry_quat turn;
    const dry_hull *hull;
    dry_vec3 about; /* the point of a hull, before the scale, that is at the center, m */
} dry_placed;

/* A place in the frame of a query. */
typedef struct dry_placed_pose {
    dry_double3 position; /* m */
    dry_quat orientation;
} dry_placed_pose;

/* Returns a pose, given in the frame of another, in the frame that the other is given in. */
dry_placed_pose dry_placed_pose_mul(const dry_placed_pose *pose, const dry_transform *inner);

/* Writes a point of the frame as seen from a pose, or a vector if `position` is left out. */
dry_double3 dry_placed_point_inverse(const dry_placed_pose *pose, dry_double3 point);
dry_double3 dry_placed_vector_inverse(const dry_placed_pose *pose, dry_double3 vector);

/* Returns a convex shape at a pose, or at the frame's origin if `pose` is null; every type of shape but those
 * made of pieces. */
dry_placed dry_placed_of(const dry_geometry *geometry, const dry_placed_pose *pose);
/* Returns the solid below a plane through a point. */
dry_placed dry_placed_below(dry_double3 point, dry_double3 normal);
dry_placed dry_placed_point(dry_double3 point);
/* Returns a box about the frame's origin, along its axes. */
dry_placed dry_placed_box(const double half[3]);
dry_placed dry_placed_triangle(const dry_double3 corner[3]);

/* Moves a solid into the frame of another, along that one's axes. */
void dry_placed_see_from(const dry_placed *place, dry_placed *solid);

/* Returns the outward unit normal of a hull's face. Its vertices reach to `offset` along it, m from the
 * center, if that is not null. */
dry_double3 dry_placed_hull_normal(const dry_placed *solid, int face, double *offset);

/* Returns the point of a dry_placed's core that lies farthest along a direction. A half-space has none. */
dry_support dry_placed_support;

/* Returns the radius of the largest ball about the center that lies within a convex shape, m. */
double dry_placed_inner_radius(const dry_placed *solid);

/* Returns the extent of two solids about which a query rounds, m. */
static inline double dry_placed_scale(const dry_placed *a, const dry_placed *b)
{
    return a->reach + a->radius + b->reach + b->radius;
}

/* The signed distance of two solids (gap.c). */

/* How two solids lie. Where they overlap, the normal is the shortest way for b out of a. */
typedef struct dry_gap {
    double separation;      /* m; negative: the depth */
    dry_double3 normal;     /* unit, from a to b */
    dry_double3 on_a, on_b; /* on the surfaces: b's less a's is the normal times the separation, m */
} dry_gap;

/* Returns a lower bound of the separation of two solids, m: that of the balls that hold them. */
double dry_placed_apart(const dry_placed *a, const dry_placed *b);

/* Finds the gap of two solids, neither a half-space, if it is no larger than the margin, m. Otherwise sets
 * the separation alone, to a lower bound, and returns false. */
bool dry_placed_near(const dry_placed *a, const dry_placed *b, double margin, dry_gap *gap);

/* Finds the gap of two solids; b is no half-space. It looks longer than dry_placed_near for the shortest way
 * out of a cylinder and for the place where the two touch then. */
void dry_placed_gap(const dry_placed *a, const dry_placed *b, dry_gap *gap);

/* Writes the gap of a solid above a plane through a point, whose unit normal points up. */
void dry_placed_plane_gap(dry_double3 at, dry_double3 up, const dry_placed *b, dry_gap *gap);

/* Tells whether solids touch or overlap; b is no half-space. */
bool dry_placed_overlap(const dry_placed *a, const dry_placed *b);

/* Finds the shortest way for core b out of core a; neither is a half-space. That of a cylinder is rough: the
 * polytope has no curved faces. The separation is 0 or negative but for rounding. Radii are left out.
 * `touching` is a point of both where their difference is flat: then it is the point on a. */
void dry_placed_depth(const dry_placed *a, const dry_placed *b, dry_double3 touching, dry_gap *gap);

typedef struct dry_placed_hit {
    double fraction;    /* of the way, 0 to 1 */
    dry_double3 normal; /* unit, from a to b; the shortest way for b out of a if b starts inside */
    dry_double3 point;  /* where they touch; the deepest point of b if it starts inside */
    double depth;       /* at the start, m; 0 if b starts outside */
} dry_placed_hit;

/* Finds where b, on its way along `way`, m, first touches a; b is no half-space. Solids that touch at the
 * start hit only if b moves towards a. Returns false if b touches a nowhere up to a fraction. */
bool dry_placed_cast(const dry_placed *a, const dry_placed *b, dry_double3 way, double limit,
                     dry_placed_hit *hit);

#endif
