/* The distance of a cylinder and a core that do not overlap. */
#ifndef NARROWPHASE_PAIRS_CYLINDER_NEAREST_H
#define NARROWPHASE_PAIRS_CYLINDER_NEAREST_H

#include "narrowphase/pairs/cylinder.h"

/* Returns the point of the cylinder that is nearest to p: p itself inside. */
static inline dry_double3 dry_cylinder_nearest(const dry_cylinder *c, dry_double3 p)
{
    const double h = c->half_length, square = p.x * p.x + p.z * p.z;
    p.y = p.y > h ? h : p.y < -h ? -h : p.y;
    if (square > c->radius * c->radius) {
        const double share = c->radius / sqrt(square);
        p.x *= share;
        p.z *= share;
    }
    return p;
}

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
