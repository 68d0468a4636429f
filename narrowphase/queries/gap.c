/* The signed distance of two solids: by closest.c where their cores are apart, by depth.c where they overlap.
 *
 * Radii move both surfaces along the normal, so that a distance or depth of the cores needs only their sum
 * taken off. Reads: solids. Writes: a gap. Next: depth.c. */
#include "narrowphase/queries/gap.h"

/* Below this share of the solids' size the direction between the closest points is rounding error. */
#define TOUCHING 1e-11
/* Below this share the direction between points of a curved surface loses digits that the normal needs. */
#define NEARLY_TOUCHING 1e-3

static dry_triple triple_at(const double v[3])
{
    return triple(v[0], v[1], v[2]);
}

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

void dry_placed_gap(const dry_placed *a, const dry_placed *b, dry_gap *gap)
{
    if (a->kind == DRY_PLACED_HALFSPACE) {
        halfspace_gap(a, b, gap);
        return;
    }
    const dry_triple between = triple_sub(b->center, a->center);
    const double guess[3] = {between.x, between.y, between.z};
    const dry_convex first = {dry_placed_support_at, a}, second = {dry_placed_support_at, b};
    dry_closest_points closest;
    dry_find_closest(&first, &second, guess, &closest);
    const double scale = dry_placed_scale(a, b);
    const bool curved = a->kind == DRY_PLACED_CYLINDER || b->kind == DRY_PLACED_CYLINDER;
    if (closest.distance > TOUCHING * scale) {
        gap->separation = closest.distance;
        gap->normal = triple_at(closest.normal);
        gap->on_a = triple_at(closest.on_a);
        gap->on_b = triple_at(closest.on_b);
        if (curved && closest.distance < NEARLY_TOUCHING * scale)
            dry_placed_refine_normal(a, b, gap);
    } else {
        dry_placed_depth(a, b, closest.count < 4 ? triple_at(closest.on_a) : a->center, gap);
    }
    gap->separation -= a->radius + b->radius;
    gap->on_a = triple_add_scaled(gap->on_a, a->radius, gap->normal);
    gap->on_b = triple_add_scaled(gap->on_b, -b->radius, gap->normal);
}
