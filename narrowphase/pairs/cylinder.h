/* Cylinders against other convex shapes, in the cylinder's frame and in double: the pair's normal and
 * separation, then its points.
 *
 * The cylinder's axis is y, its center the origin. A partner is a core and a radius around it: a point, a
 * segment, a box, a hull or another cylinder. The nearest point of the cylinder to any point has a closed
 * form, so that cylinder_gap.c searches among the partner's corners alone. Next: cylinder_gap.c. */
#ifndef NARROWPHASE_PAIRS_CYLINDER_H
#define NARROWPHASE_PAIRS_CYLINDER_H

#include "narrowphase/placed.h"

typedef struct dry_cylinder {
    double radius, half_length;
} dry_cylinder;

typedef struct dry_cylinder_pair {
    dry_cylinder cylinder;
    dry_placed partner; /* the other shape, seen from the cylinder */
} dry_cylinder_pair;

/* How a pair lies: the normal points from the cylinder to the partner. A negative separation is the least
 * distance by which the partner has to move along any direction, nearly, until the shapes only touch. */
typedef struct dry_cylinder_gap {
    dry_double3 normal;
    double separation;       /* m */
    dry_double3 on_cylinder; /* the point that touches along the normal */
} dry_cylinder_gap;

/* Returns the point of the cylinder that is farthest along a direction. */
static inline dry_double3 dry_cylinder_support(const dry_cylinder *c, dry_double3 d)
{
    const double across = sqrt(d.x * d.x + d.z * d.z), share = across > 0.0 ? c->radius / across : 0.0;
    return double3(d.x * share, d.y < 0.0 ? -c->half_length : c->half_length, d.z * share);
}

/* Returns how far the cylinder reaches along a unit direction, m. */
static inline double dry_cylinder_reach(const dry_cylinder *c, dry_double3 n)
{
    return c->half_length * fabs(n.y) + c->radius * sqrt(n.x * n.x + n.z * n.z);
}

/* Finds the gap of a pair. If it is above the margin, fills in only `separation`, with a lower bound, and
 * returns false. */
bool dry_cylinder_find_gap(const dry_cylinder_pair *pair, double margin, dry_cylinder_gap *gap);

/* Finds the nearest points of a cylinder and a core, `shift` apart from its place, and the unit normal from
 * the cylinder to the core. The search begins along -start. `scale` is about the size of both, m. Returns
 * false if they overlap, or if their distance is within rounding. The partner's radius is left out. */
bool dry_cylinder_separate(const dry_cylinder_pair *pair, dry_double3 shift, dry_double3 start, double scale,
                           dry_cylinder_gap *gap);

/* Climbs from a direction to one that separates overlapping shapes best near it. (cylinder_gap.c) */
void dry_cylinder_climb(const dry_cylinder_pair *pair, dry_double3 start, double scale,
                        dry_cylinder_gap *gap);

/* Climbs from a direction to one along which two cylinders are farthest apart, near it: of all, where they
 * are apart. Returns false if that takes too many steps. (cylinder_climb.c) */
bool dry_cylinders_climb(const dry_cylinder_pair *pair, dry_double3 start, dry_cylinder_gap *gap);

#endif
