/* The signed distance of two solids: by closest.c where their cores are apart, by depth.c where they overlap;
 * that of a cylinder and another solid by pairs/cylinder_gap.c.
 *
 * Radii move both surfaces along the normal, so that a distance or depth of the cores needs only their sum
 * taken off. Reads: solids. Writes: a gap. Next: depth.c. */
#include "narrowphase/placed.h"

#include "core/assert.h"
#include "geometry/triangle.h"
#include "narrowphase/pairs/cylinder.h"

/* Below this share of the solids' size the direction between the closest points is rounding error. */
#define TOUCHING 1e-11

void dry_placed_plane_gap(dry_double3 at, dry_double3 up, const dry_placed *b, dry_gap *gap)
{
    int number;
    const dry_double3 lowest = dry_placed_support(b, double3_neg(up), &number);
    gap->normal = up;
    gap->on_b = double3_add_scaled(lowest, -b->radius, up);
    gap->separation = double3_dot(up, double3_sub(gap->on_b, at));
    gap->on_a = double3_add_scaled(gap->on_b, -gap->separation, up);
}

/* Solids are moved this far apart to see where they touch, of their size. */
#define JUST_PARTED 1e-6
/* The shortest way out of an overlap that is deeper than this, of the size, may be far from any face: of
 * 1,830,000 drawn pairs two were off by more than 1e-4 of the size, 0.004 and 0.009 deep. */
#define DEEP 0.003

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
        dry_cylinder_climb(pair, double3_along_axes(own->axis, rough.normal), scale, &near);
        if (near.separation > found->separation)
            *found = near;
    }
    /* The two touch where they are nearest once they have just parted. */
    const double way = JUST_PARTED * scale - found->separation - pair->partner.radius;
    if (dry_cylinder_separate(pair, double3_scale(found->normal, way), found->normal, scale, &near))
        found->on_cylinder = near.on_cylinder;
}

/* Finds the gap in the frame of the cylinder, a if both are. */
static bool cylinder_gap(const dry_placed *a, const dry_placed *b, double margin, bool improves, dry_gap *gap)
{
    const bool is_first = a->kind == DRY_PLACED_CYLINDER;
    const dry_placed *own = is_first ? a : b, *other = is_first ? b : a;
    dry_cylinder_pair pair = {{own->half[0], own->half[1]}, *other};
    dry_placed_see_from(own, &pair.partner);
    dry_cylinder_gap found;
    const bool is_near = dry_cylinder_find_gap(&pair, margin, &found);
    gap->separation = found.separation;
    if (!is_near)
        return false;
    const double depth = -found.separation - other->radius;
    if (depth > 0.0 && improves)
        improve_overlap(own, other, &pair, depth, &found);
    const dry_double3 on_own = double3_add(own->center, double3_from_axes(own->axis, found.on_cylinder));
    const dry_double3 normal = double3_from_axes(own->axis, found.normal);
    const dry_double3 on_other = double3_add_scaled(on_own, found.separation, normal);
    gap->separation = found.separation;
    gap->normal = is_first ? normal : double3_neg(normal);
    gap->on_a = is_first ? on_own : on_other;
    gap->on_b = is_first ? on_other : on_own;
    return true;
}

/* A segment as a box sees it along axis k: the places middle[k] + t half[k], t from -1 to 1. */
typedef struct seen_segment {
    double h[3]; /* of the box: half extents, m */
    double middle[3], half[3];
} seen_segment;

/* Returns how far the place t lies beyond the box along an axis, with its sign. */
static double beyond(const seen_segment *s, int k, double t)
{
    const double x = s->middle[k] + t * s->half[k];
    return x - dry_clamp_double(x, -s->h[k], s->h[k]);
}

/* Returns half the derivative of the squared distance from the box along the segment. The distance is convex,
 * so the derivative never falls with t. */
static double slope(const seen_segment *s, double t)
{
    return s->half[0] * beyond(s, 0, t) + s->half[1] * beyond(s, 1, t) + s->half[2] * beyond(s, 2, t);
}

/* Returns t where a segment is nearest to a box, in the middle of such places. The slope is linear between
 * the planes of the box's faces, so interpolation between them finds its root. */
static double nearest_to_box(const seen_segment *s)
{
    double low = -1.0, high = 1.0, slope_low = slope(s, low), slope_high = slope(s, high);
    if (slope_low > 0.0 || slope_high < 0.0)
        return slope_low > 0.0 ? low : high;
    double flat_low = slope_low == 0.0 ? low : DBL_MAX, flat_high = slope_high == 0.0 ? high : -DBL_MAX;
    for (int i = 0; i < 6; i++) {
        const int k = i / 2;
        const double t = ((i & 1 ? s->h[k] : -s->h[k]) - s->middle[k]) / s->half[k];
        if (!(t > low && t < high))
            continue;
        const double value = slope(s, t);
        if (value < 0.0) {
            low = t;
            slope_low = value;
        } else if (value > 0.0) {
            high = t;
            slope_high = value;
        } else {
            flat_low = double_min(flat_low, t);
            flat_high = double_max(flat_high, t);
        }
    }
    if (flat_low < DBL_MAX || flat_high > -DBL_MAX)
        return 0.5 * (double_max(double_min(flat_low, flat_high), low) +
                      double_min(double_max(flat_low, flat_high), high));
    return slope_high > slope_low ? low + (high - low) * (-slope_low / (slope_high - slope_low)) : low;
}

/* Writes the closest points of a core, and a point of another one that lies `apart` from there. */
static void write_closest(dry_double3 on_b, dry_double3 apart, dry_closest_points *found)
{
    found->distance = double3_length(apart);
    found->normal = double3_scale(apart, 1.0 / found->distance);
    found->on_b = on_b;
    found->on_a = double3_sub(on_b, apart);
    found->count = 1;
}

static void triangle_gap(const dry_placed *triangle, const dry_placed *point, dry_closest_points *found)
{
    const dry_double3 at = double3_sub(point->center, triangle->center);
    dry_double3 nearest;
    dry_triangle_nearest(triangle->corner, at, &nearest);
    write_closest(point->center, double3_sub(at, nearest), found);
}

/* Finds the closest points of a box and a segment that are apart. */
static void box_gap(const dry_placed *box, const dry_placed *segment, dry_closest_points *found)
{
    const dry_double3 way = double3_along_axes(box->axis, double3_sub(segment->center, box->center));
    const dry_double3 half = double3_along_axes(box->axis, double3_scale(segment->axis[1], segment->half[1]));
    const seen_segment s = {
        {box->half[0], box->half[1], box->half[2]}, {way.x, way.y, way.z}, {half.x, half.y, half.z}};
    const double t = segment->kind == DRY_PLACED_POINT ? 0.0 : nearest_to_box(&s);
    DRY_ASSERT(t >= -1.0 && t <= 1.0);
    const dry_double3 apart =
        double3_from_axes(box->axis, double3(beyond(&s, 0, t), beyond(&s, 1, t), beyond(&s, 2, t)));
    write_closest(double3_add_scaled(segment->center, t * segment->half[1], segment->axis[1]), apart, found);
}

/* Tells whether cores that are no cylinders are no farther apart than a limit; finds their closest points,
 * unless it `asks` that alone. */
static bool core_closest(const dry_placed *a, const dry_placed *b, double limit, bool asks,
                         dry_closest_points *found)
{
    const dry_convex first = {dry_placed_support, a}, second = {dry_placed_support, b};
    if (a->kind == DRY_PLACED_BOX && (b->kind == DRY_PLACED_SEGMENT || b->kind == DRY_PLACED_POINT))
        box_gap(a, b, found);
    else if (a->kind == DRY_PLACED_TRIANGLE && b->kind == DRY_PLACED_POINT)
        triangle_gap(a, b, found);
    else
        return dry_find_closest(&first, &second, double3_sub(b->center, a->center), limit,
                                asks ? NULL : found);
    return found->distance <= limit;
}

/* Finds the gap of solids of which none is a cylinder. */
static bool core_gap(const dry_placed *a, const dry_placed *b, double margin, dry_gap *gap)
{
    dry_closest_points closest;
    const double radii = a->radius + b->radius;
    if (!core_closest(a, b, margin + radii, false, &closest)) {
        gap->separation = closest.distance - radii;
        return false;
    }
    const double scale = dry_placed_scale(a, b);
    if (closest.distance > TOUCHING * scale) {
        DRY_ASSERT(closest.count < 4);
        gap->separation = closest.distance;
        gap->normal = closest.normal;
        gap->on_a = closest.on_a;
        gap->on_b = closest.on_b;
    } else {
        dry_placed_depth(a, b, closest.count < 4 ? closest.on_a : a->center, gap);
    }
    gap->separation -= radii;
    gap->on_a = double3_add_scaled(gap->on_a, a->radius, gap->normal);
    gap->on_b = double3_add_scaled(gap->on_b, -b->radius, gap->normal);
    return gap->separation <= margin;
}

static bool has_cylinder(const dry_placed *a, const dry_placed *b)
{
    return a->kind == DRY_PLACED_CYLINDER || b->kind == DRY_PLACED_CYLINDER;
}

double dry_placed_apart(const dry_placed *a, const dry_placed *b)
{
    if (a->kind == DRY_PLACED_HALFSPACE)
        return -DBL_MAX;
    return double3_length(double3_sub(b->center, a->center)) - dry_placed_scale(a, b);
}

bool dry_placed_near(const dry_placed *a, const dry_placed *b, double margin, dry_gap *gap)
{
    gap->separation = dry_placed_apart(a, b);
    if (gap->separation > margin)
        return false;
    if (has_cylinder(a, b))
        return cylinder_gap(a, b, margin, false, gap);
    return core_gap(a, b, margin, gap);
}

void dry_placed_gap(const dry_placed *a, const dry_placed *b, dry_gap *gap)
{
    if (a->kind == DRY_PLACED_HALFSPACE)
        dry_placed_plane_gap(a->center, a->axis[1], b, gap);
    else if (has_cylinder(a, b))
        cylinder_gap(a, b, DBL_MAX, true, gap);
    else
        core_gap(a, b, DBL_MAX, gap);
}

bool dry_placed_overlap(const dry_placed *a, const dry_placed *b)
{
    dry_gap gap;
    dry_closest_points closest;
    if (dry_placed_apart(a, b) > 0.0)
        return false;
    if (a->kind == DRY_PLACED_HALFSPACE)
        dry_placed_gap(a, b, &gap);
    else if (has_cylinder(a, b))
        cylinder_gap(a, b, 0.0, false, &gap);
    else
        return core_closest(a, b, a->radius + b->radius + TOUCHING * dry_placed_scale(a, b), true, &closest);
    return gap.separation <= 0.0;
}
