/* A moving solid, by Newton's method on its distance [Mirtich, Impulse-based Dynamic Simulation,
 * 1996, 2.3.2].
 *
 * The distance of convex solids is a convex function of the way. So each step along its tangent stays on the
 * near side of the first touch, and a tangent that does not fall proves a miss.
 *
 * Reads: two solids. Writes: a hit. Next: gap.c. */
#include "narrowphase/placed.h"

/* Each step divides the distance at least by four where b only grazes a. */
enum { STEPS_MAX = 64 };

/* Solids touch at this share of their size. The normal keeps its digits there; the last step crosses the
 * rest.
 */
#define TOUCHING 1e-8

/* Returns how far cores lie apart along a unit normal from a to b, m; negative: they overlap along it. */
static double separation_along(const dry_placed *a, const dry_placed *b, dry_double3 normal)
{
    int number;
    const dry_double3 on_b = dry_placed_support(b, double3_neg(normal), &number);
    return double3_dot(normal, double3_sub(on_b, dry_placed_support(a, normal, &number)));
}

bool dry_placed_cast(const dry_placed *a, const dry_placed *b, dry_double3 way, double limit,
                     dry_placed_hit *hit)
{
    const double tiny = TOUCHING * dry_placed_scale(a, b);
    dry_placed moved = *b;
    double fraction = 0.0;
    for (int step = 0; step < STEPS_MAX; step++) {
        dry_gap gap;
        moved.center = double3_add_scaled(b->center, fraction, way);
        dry_placed_gap(a, &moved, &gap);
        if (step == 0 && gap.separation < -tiny) {
            *hit = (dry_placed_hit){0.0, gap.normal, gap.on_b, -gap.separation};
            return true;
        }
        /* The normal of the step before may have more digits, as the shapes all but touch. */
        if (step > 0 && a->kind != DRY_PLACED_HALFSPACE &&
            separation_along(a, &moved, hit->normal) > separation_along(a, &moved, gap.normal))
            gap.normal = hit->normal;
        const double closing = -double3_dot(gap.normal, way);
        const double left = double_max(gap.separation, 0.0);
        if (!(left <= closing * (limit - fraction)) || !(closing > 0.0))
            return false;
        fraction += left / closing;
        *hit = (dry_placed_hit){fraction, gap.normal, double3_add_scaled(gap.on_b, left / closing, way), 0.0};
        if (gap.separation <= tiny)
            return true;
    }
    return true;
}
