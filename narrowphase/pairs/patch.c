/* Chooses four points of a patch by the rules of box_corners.h. Next: hull_face.c. */
#include "narrowphase/pairs/patch.h"

#include "core/math.h"
#include "narrowphase/pairs/hull_rules.h"

/* Decides which points come first. */
typedef struct choice {
    float deepest;    /* points below this height count as the deepest */
    float deep;       /* half as deep, or as deep */
    float touching;   /* points below this height touch */
    float area_least; /* m^2, of a point that comes before less deep ones */
} choice;

/* Returns twice the signed area of a triangle. */
static float area(const dry_patch_point *a, const dry_patch_point *b, const dry_patch_point *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Returns the gain of taking p as point k, given those before it: a place in a fixed direction for the first,
 * the distance from it for the second, then the area that p adds. */
static float gain_of(const dry_patch_point *chosen, int k, float side, const dry_patch_point *p)
{
    const float dx = p->x - chosen[0].x, dy = p->y - chosen[0].y;
    if (k == 1)
        return dx * dx + dy * dy;
    if (k == 2)
        return dry_abs(area(&chosen[0], &chosen[1], p));
    return dry_max(side * area(&chosen[0], &chosen[1], p),
                   dry_max(side * area(&chosen[1], &chosen[2], p), side * area(&chosen[2], &chosen[0], p)));
}

/* Returns the value of taking p as point k. Without a point at a deep corner the body would tilt until the
 * corner is deeper than the chosen ones, and then back. */
static float value_of(const dry_patch_point *chosen, int k, float side, const choice *rule,
                      const dry_patch_point *p)
{
    float value = gain_of(chosen, k, side, p);
    if (value > rule->area_least) {
        value *= p->height <= rule->touching ? HULL_FIRST : 1.0f;
        value *= p->height <= rule->deep ? HULL_FIRST : 1.0f;
    }
    return value;
}

static void swap(dry_patch_point *a, dry_patch_point *b)
{
    const dry_patch_point c = *a;
    *a = *b;
    *b = c;
}

/* Puts the best of the points from k on to place k. */
static void choose_point(dry_patch_point *points, int count, int k, const choice *rule)
{
    const float side = k == 3 && area(&points[0], &points[1], &points[2]) < 0.0f ? 1.0f : -1.0f;
    int best = -1;
    float most = 0.0f;
    for (int i = k; i < count; i++) {
        const dry_patch_point *p = &points[i];
        if (k == 0) {
            const float value = 0.92387953f * p->x + 0.38268343f * p->y;
            if (p->height <= rule->deepest && (best < 0 || value > most)) {
                most = value;
                best = i;
            }
            continue;
        }
        const float value = value_of(points, k, side, rule, p);
        if (best < 0 || value > HULL_CLEARLY * most) {
            most = dry_max(value, 0.0f);
            best = i;
        }
    }
    if (best > k)
        swap(&points[k], &points[best]);
}

static int without_equals(dry_patch_point *points, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool known = false;
        for (int j = 0; j < kept && !known; j++)
            known = points[j].feature == points[i].feature;
        if (!known)
            points[kept++] = points[i];
    }
    return kept;
}

int dry_patch_choose(dry_patch_point *points, int count, int kept, float same)
{
    count = without_equals(points, count);
    if (count <= 4)
        return count;
    float least = FLT_MAX, low[2] = {FLT_MAX, FLT_MAX}, high[2] = {-FLT_MAX, -FLT_MAX};
    for (int i = 0; i < count; i++) {
        const dry_patch_point *p = &points[i];
        least = dry_min(least, p->height);
        low[0] = dry_min(low[0], p->x), high[0] = dry_max(high[0], p->x);
        low[1] = dry_min(low[1], p->y), high[1] = dry_max(high[1], p->y);
    }
    const float half = 0.5f * dry_min(high[0] - low[0], high[1] - low[1]);
    const choice rule = {least + same, dry_max(0.5f * least, least + same), dry_max(least, 0.0f) + same,
                         HULL_AREA_LEAST * half * half};
    for (int k = kept; k < 4; k++)
        choose_point(points, count, k, &rule);
    return 4;
}
