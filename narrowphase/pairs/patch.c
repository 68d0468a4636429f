/* Chooses four points of a patch. Next: hull_hull.c.
 *
 * A body that lands on its deepest point tilts about it, and a point at the distance r and the height h above
 * it comes down when the tilt has reached h / r: the least of these in a direction comes down first. So a
 * point is seen at r over h, and the four are chosen there as at rest, when all are as high: far apart, with
 * the most area between them. A landing hull of 20 points at 15 m/s sank in by up to 98 mm when heights did
 * not count, and by 8 mm now. */
#include "narrowphase/pairs/patch.h"

#include "core/assert.h"
#include "core/math.h"
#include "narrowphase/pairs/rules.h"

/* Points that are less than this above the deepest are seen about where they are, m: contacts at rest have
 * points up to the margin. A quarter and four times of it give the same depths. */
#define LEVEL 0.02f

/* A point as it is seen from the first one. */
typedef struct place {
    float x, y;
} place;

static place place_of(const dry_patch_point *first, const dry_patch_point *p)
{
    const float nearer = LEVEL / (LEVEL + dry_max(p->height - first->height, 0.0f));
    return (place){nearer * (p->x - first->x), nearer * (p->y - first->y)};
}

/* Returns twice the signed area of the triangle of the first point and two others. */
static float area(place a, place b)
{
    return a.x * b.y - a.y * b.x;
}

/* Returns the gain of taking a point as number k, given the places of those before it: the distance from the
 * first for the second, then the area that it adds. */
static float gain_of(const place *chosen, int k, place p)
{
    DRY_ASSERT(k >= 1 && k <= 3);
    if (k == 1)
        return p.x * p.x + p.y * p.y;
    const place b = chosen[1], c = chosen[2];
    if (k == 2)
        return dry_abs(area(b, p));
    const float side = area(b, c) < 0.0f ? 1.0f : -1.0f;
    const place along = {c.x - b.x, c.y - b.y}, from = {p.x - b.x, p.y - b.y};
    return dry_max(side * area(b, p), dry_max(side * area(along, from), side * area(p, c)));
}

static void swap(dry_patch_point *a, dry_patch_point *b)
{
    const dry_patch_point c = *a;
    *a = *b;
    *b = c;
}

/* Puts one of the deepest points to the front: the one in a fixed direction. */
static void choose_first(dry_patch_point *points, int count, float same)
{
    float deepest = FLT_MAX, most = -FLT_MAX;
    int best = 0;
    for (int i = 0; i < count; i++)
        deepest = dry_min(deepest, points[i].height);
    for (int i = 0; i < count; i++) {
        const float value = PAIR_FIRST_X * points[i].x + PAIR_FIRST_Y * points[i].y;
        if (points[i].height <= deepest + same && value > most) {
            most = value;
            best = i;
        }
    }
    if (best > 0)
        swap(&points[0], &points[best]);
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

/* Puts the point with the largest gain to place k. */
static void choose_point(dry_patch_point *points, int count, int k, const place *chosen)
{
    int best = k;
    float most = dry_max(gain_of(chosen, k, place_of(&points[0], &points[k])), 0.0f);
    for (int i = k + 1; i < count; i++) {
        const float gain = gain_of(chosen, k, place_of(&points[0], &points[i]));
        if (gain > PAIR_CLEARLY * most) {
            most = gain;
            best = i;
        }
    }
    if (best > k)
        swap(&points[k], &points[best]);
}

int dry_patch_choose(dry_patch_point *points, int count, int kept, float same)
{
    DRY_ASSERT(kept >= 0 && kept <= count);
    count = without_equals(points, count);
    if (count <= 4)
        return count;
    if (kept == 0)
        choose_first(points, count, same);
    place chosen[4] = {{0.0f, 0.0f}};
    for (int k = 1; k < 4; k++) {
        if (k >= kept)
            choose_point(points, count, k, chosen);
        chosen[k] = place_of(&points[0], &points[k]);
    }
    return 4;
}
