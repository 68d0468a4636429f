/* The signed distance of two solids: by closest.c where their cores are apart, by depth.c where they overlap;
 * that of a cylinder and another solid by pairs/cylinder_gap.c.
 *
 * Radii move both surfaces along the normal, so that a distance or depth of the cores needs only their sum
 * taken off. Reads: solids. Writes: a gap. Next: depth.c. */
#include "narrowphase/queries/gap.h"

#include "narrowphase/pairs/cylinder_nearest.h"

/* Below this share of the solids' size the direction between the closest points is rounding error. */
#define TOUCHING 1e-11

/* The gap below b's lowest point. */
static void halfspace_gap(const dry_placed *a, const dry_placed *b, dry_gap *gap)
{
    int number;
    const dry_triple up = a->axis[1];
    dry_triple lowest = dry_placed_support(b, triple_neg(up), &number);
    lowest = triple_add_scaled(lowest, -b->radius, up);
    gap->normal = up;
    gap->separation = triple_dot(up, triple_sub(lowest, a->center));
    gap->on_b = lowest;
    gap->on_a = triple_add_scaled(lowest, -gap->separation, up);
}

/* Solids are moved this far apart to see where they touch, of their size. */
#define JUST_PARTED 1e-6
/* The shortest way out of an overlap that is deeper than this, of the size, may be far from any face. */
#define DEEP 0.01

/* Improves the gap of cores that overlap by `depth`, m. The polytope of deep ones finds about where the
 * shortest way out is. */
static void improve_overlap(const dry_placed *own, const dry_placed *other, const dry_cylinder_pair *pair,
                            double depth, dry_cylinder_gap *found)
{
    const double scale = dry_placed_scale(own, other);
    dry_cylinder_gap near;
    if (depth > DEEP * scale && other->kind != DRY_PLACED_POINT) {
        dry_gap rough;
        dry_placed_depth(own, other, own->center, &rough);
        dry_cylinder_climb(pair, dry_placed_local(own, rough.normal), scale, &near);
        if (near.separation > found->separation)
            *found = near;
    }
    /* The two touch where they are nearest once they have just parted. */
    const double way = JUST_PARTED * scale - found->separation - pair->partner.radius;
    if (dry_cylinder_separate(pair, triple_scale(found->normal, way), found->normal, scale, &near))
        found->on_cylinder = near.on_cylinder;
}

/* Finds the gap in the frame of the cylinder, a if both are. */
static void cylinder_gap(const dry_placed *a, const dry_placed *b, dry_gap *gap)
{
    const bool is_first = a->kind == DRY_PLACED_CYLINDER;
    const dry_placed *own = is_first ? a : b, *other = is_first ? b : a;
    dry_cylinder_pair pair = {{own->half[0], own->half[1]}, *other, {0.0, 0.0, 0.0}};
    dry_placed_see_from(own, &pair.partner);
    dry_cylinder_gap found;
    dry_cylinder_find_gap(&pair, DBL_MAX, &found);
    const double depth = -found.separation - other->radius;
    if (depth > 0.0)
        improve_overlap(own, other, &pair, depth, &found);
    const dry_triple on_own =
        triple_add_scaled(own->center, 1.0, dry_placed_direction(own, found.on_cylinder));
    const dry_triple normal = dry_placed_direction(own, found.normal);
    const dry_triple on_other = triple_add_scaled(on_own, found.separation, normal);
    gap->separation = found.separation;
    gap->normal = is_first ? normal : triple_neg(normal);
    gap->on_a = is_first ? on_own : on_other;
    gap->on_b = is_first ? on_other : on_own;
}

bool dry_placed_overlap(const dry_placed *a, const dry_placed *b)
{
    if (a->kind == DRY_PLACED_HALFSPACE || a->kind == DRY_PLACED_CYLINDER || b->kind == DRY_PLACED_CYLINDER) {
        dry_gap gap;
        dry_placed_gap(a, b, &gap);
        return gap.separation <= 0.0;
    }
    const dry_convex first = {dry_placed_support_at, a}, second = {dry_placed_support_at, b};
    return dry_are_within(&first, &second, triple_sub(b->center, a->center),
                          a->radius + b->radius + TOUCHING * dry_placed_scale(a, b));
}

void dry_placed_gap(const dry_placed *a, const dry_placed *b, dry_gap *gap)
{
    if (a->kind == DRY_PLACED_HALFSPACE) {
        halfspace_gap(a, b, gap);
        return;
    }
    if (a->kind == DRY_PLACED_CYLINDER || b->kind == DRY_PLACED_CYLINDER) {
        cylinder_gap(a, b, gap);
        return;
    }
    const dry_convex first = {dry_placed_support_at, a}, second = {dry_placed_support_at, b};
    dry_closest_points closest;
    dry_find_closest(&first, &second, triple_sub(b->center, a->center), &closest);
    const double scale = dry_placed_scale(a, b);
    if (closest.distance > TOUCHING * scale) {
        gap->separation = closest.distance;
        gap->normal = closest.normal;
        gap->on_a = closest.on_a;
        gap->on_b = closest.on_b;
    } else {
        dry_placed_depth(a, b, closest.count < 4 ? closest.on_a : a->center, gap);
    }
    gap->separation -= a->radius + b->radius;
    gap->on_a = triple_add_scaled(gap->on_a, a->radius, gap->normal);
    gap->on_b = triple_add_scaled(gap->on_b, -b->radius, gap->normal);
}
