/* Points where parts of a cylinder and of its partner face each other along the normal: a flat end on a face,
 * on another end or under a line; the side on a face, on an end or along a line.
 *
 * A point's separation is measured along the normal from part to part. So none is below the pair's
 * separation, and the pair's touching points lie among them.
 *
 * Reads: a pair and its gap. Writes: offers. Next: cylinder_manifold.c, which chooses four. */
#include "narrowphase/pairs/cylinder_points.h"

/* A stretch shorter than this, of the cylinder's radius, touches at one point. */
#define STRETCH_LEAST 0.1

/* Returns the separation along the normal from a point to the plane through `on` across `axis`. */
static double height_to(const dry_point_list *list, dry_triple point, dry_triple on, dry_triple axis)
{
    return triple_dot(triple_sub(on, point), axis) / triple_dot(list->gap->normal, axis);
}

static bool is_within(const dry_facet *facet, dry_triple q)
{
    for (int i = 0; i < facet->count; i++) {
        const dry_triple a = facet->corner[i], b = facet->corner[i + 1 < facet->count ? i + 1 : 0];
        if (triple_dot(triple_cross(triple_sub(b, a), triple_sub(q, a)), facet->normal) < 0.0)
            return false;
    }
    return true;
}

/* Finds the stretch of a + t d, from t = 0 to 1, within `radius` of the origin. Returns false if there is
 * none. */
static bool stretch_in_ball(dry_triple a, dry_triple d, double radius, double *low, double *high)
{
    const double square = triple_dot(d, d), along = triple_dot(a, d);
    const double c = triple_dot(a, a) - radius * radius;
    *low = 0.0;
    *high = 1.0;
    if (!(square > 0.0))
        return c <= 0.0;
    const double root = along * along - square * c;
    if (root < 0.0)
        return false;
    const double half = sqrt(root);
    *low = double_max(0.0, (-along - half) / square);
    *high = double_min(1.0, (-along + half) / square);
    return *low <= *high;
}

/* Points of the rim: the deepest one, a quarter turn from each to the next, and then those between them. */
static void rim_points(const dry_point_list *list, dry_triple rim[8])
{
    const double r = list->pair->cylinder.radius, y = list->side * list->pair->cylinder.half_length;
    const dry_triple u = list->u;
    rim[DRY_PART_DEEPEST] = triple(r * u.x, y, r * u.z);
    rim[DRY_PART_OPPOSITE] = triple(-r * u.x, y, -r * u.z);
    rim[DRY_PART_LEFT] = triple(-r * u.z, y, r * u.x);
    rim[DRY_PART_RIGHT] = triple(r * u.z, y, -r * u.x);
    const double d = r * 0.70710678118654752;
    rim[DRY_PART_BETWEEN] = triple(d * (u.x - u.z), y, d * (u.z + u.x));
    rim[DRY_PART_BETWEEN + 1] = triple(d * (u.x + u.z), y, d * (u.z - u.x));
    rim[DRY_PART_BETWEEN + 2] = triple(-d * (u.x - u.z), y, -d * (u.z + u.x));
    rim[DRY_PART_BETWEEN + 3] = triple(-d * (u.x + u.z), y, -d * (u.z - u.x));
}

void dry_offer_end_on_facet(dry_point_list *list, const dry_facet *facet)
{
    const dry_triple n = list->gap->normal;
    const dry_disc end = dry_facing_end(list);
    const uint32_t high = list->side > 0.0 ? DRY_PART_HIGH : 0;
    dry_triple rim[8];
    rim_points(list, rim);
    /* Points between help to fill what is left of an end that hangs over an edge. */
    for (uint32_t i = 0, inside = 0; i < 8 && inside < 4; i++) {
        const double s = height_to(list, rim[i], facet->corner[0], facet->normal);
        if (!is_within(facet, triple_add_scaled(rim[i], s, n)))
            continue;
        dry_offer(list, rim[i], s, i + high);
        inside += i < 4;
    }
    for (int i = 0; i < facet->count; i++) {
        const dry_triple v = facet->corner[i], w = facet->corner[i + 1 < facet->count ? i + 1 : 0];
        const double at_v = -height_to(list, v, end.center, end.axis);
        const double at_w = -height_to(list, w, end.center, end.axis);
        const dry_triple a = triple_sub(triple_add_scaled(v, -at_v, n), end.center);
        const dry_triple d = triple_sub(triple_sub(triple_add_scaled(w, -at_w, n), end.center), a);
        double low, high_t;
        if (!stretch_in_ball(a, d, end.radius, &low, &high_t))
            continue;
        const uint32_t corner = DRY_PART_CORNER + 4 * (uint32_t)i;
        const dry_triple start = triple_add_scaled(end.center, 1.0, triple_add_scaled(a, low, d));
        dry_offer(list, start, at_v + low * (at_w - at_v), low == 0.0 ? corner : corner + 1);
        if (high_t < 1.0)
            dry_offer(list, triple_add_scaled(end.center, 1.0, triple_add_scaled(a, high_t, d)),
                      at_v + high_t * (at_w - at_v), corner + 2);
    }
}

/* Offers both ends of a stretch of a line, or the deeper one if it is short. The points lie `out` beside the
 * line. */
static void offer_stretch(dry_point_list *list, const dry_triple at[2], const double separation[2],
                          const uint32_t feature[2])
{
    const double least = STRETCH_LEAST * list->pair->cylinder.radius;
    const dry_triple d = triple_sub(at[1], at[0]);
    const int deeper = separation[1] < separation[0] ? 1 : 0;
    for (int i = 0; i < 2; i++)
        if (triple_dot(d, d) > least * least || i == deeper)
            dry_offer(list, at[i], separation[i], feature[i]);
}

void dry_offer_side_on_facet(dry_point_list *list, const dry_facet *facet)
{
    const dry_triple n = list->gap->normal;
    const dry_line line = dry_facing_side(list);
    const dry_triple ends[2] = {triple_add_scaled(line.middle, -1.0, line.half),
                                triple_add_scaled(line.middle, 1.0, line.half)};
    double s[2], low = 0.0, high = 1.0;
    for (int i = 0; i < 2; i++)
        s[i] = height_to(list, ends[i], facet->corner[0], facet->normal);
    const dry_triple q = triple_add_scaled(ends[0], s[0], n);
    const dry_triple d = triple_sub(triple_add_scaled(ends[1], s[1], n), q);
    for (int i = 0; i < facet->count; i++) {
        const dry_triple a = facet->corner[i], b = facet->corner[i + 1 < facet->count ? i + 1 : 0];
        const dry_triple inward = triple_cross(facet->normal, triple_sub(b, a));
        const double from = triple_dot(inward, triple_sub(q, a)), rise = triple_dot(inward, d);
        if (rise > 0.0)
            low = double_max(low, -from / rise);
        else if (rise < 0.0)
            high = double_min(high, -from / rise);
        else if (from < 0.0)
            return;
    }
    if (low > high)
        return;
    const double t[2] = {low, high};
    dry_triple at[2];
    double separation[2];
    for (int i = 0; i < 2; i++) {
        at[i] = triple_add_scaled(ends[0], 2.0 * t[i], line.half);
        separation[i] = s[0] + t[i] * (s[1] - s[0]);
    }
    offer_stretch(list, at, separation, (const uint32_t[2]){DRY_PART_DEEPEST, DRY_PART_HIGH});
}

/* Finds the stretch of a line over a disc, seen along the normal, which points from the disc to the line or
 * the other way round, as `toward` is 1 or -1: the line's points there and their separations. */
static bool find_over_disc(const dry_point_list *list, const dry_line *line, const dry_disc *disc,
                           double toward, dry_triple at[2], double separation[2])
{
    const dry_triple n = list->gap->normal;
    double s[2], t[2];
    dry_triple q[2];
    for (int i = 0; i < 2; i++) {
        const dry_triple end = triple_add_scaled(line->middle, i ? 1.0 : -1.0, line->half);
        const double height = height_to(list, end, disc->center, disc->axis);
        s[i] = -toward * height;
        q[i] = triple_sub(triple_add_scaled(end, height, n), disc->center);
    }
    if (!stretch_in_ball(q[0], triple_sub(q[1], q[0]), disc->radius, &t[0], &t[1]))
        return false;
    for (int i = 0; i < 2; i++) {
        at[i] = triple_add_scaled(line->middle, 2.0 * t[i] - 1.0, line->half);
        separation[i] = s[0] + t[i] * (s[1] - s[0]) - line->radius;
    }
    return true;
}

void dry_offer_line_on_end(dry_point_list *list, const dry_line *line)
{
    const dry_disc end = dry_facing_end(list);
    dry_triple at[2];
    double s[2];
    if (!find_over_disc(list, line, &end, 1.0, at, s))
        return;
    for (int i = 0; i < 2; i++)
        at[i] = triple_add_scaled(at[i], -s[i] - line->radius, list->gap->normal);
    offer_stretch(list, at, s, (const uint32_t[2]){1, 2});
}

void dry_offer_side_on_end(dry_point_list *list, const dry_disc *other)
{
    const dry_line line = dry_facing_side(list);
    dry_triple at[2];
    double s[2];
    if (find_over_disc(list, &line, other, -1.0, at, s))
        offer_stretch(list, at, s, (const uint32_t[2]){DRY_PART_DEEPEST, DRY_PART_HIGH});
}

/* Returns where the normal through q meets the plane that touches the cylinder's side where it faces the
 * partner, and its way there, m. */
static dry_triple foot_on_side(const dry_point_list *list, dry_triple q, double *way)
{
    const dry_triple n = list->gap->normal;
    *way = (triple_dot(list->u, q) - list->pair->cylinder.radius) / list->across;
    return triple_add_scaled(q, -*way, n);
}

void dry_offer_line_on_side(dry_point_list *list, const dry_line *line)
{
    const double h = list->pair->cylinder.half_length;
    dry_triple at[2];
    double way[2], s[2];
    for (int i = 0; i < 2; i++)
        at[i] = foot_on_side(list, triple_add_scaled(line->middle, i ? 1.0 : -1.0, line->half), &way[i]);
    const dry_triple d = triple_sub(at[1], at[0]);
    if (d.y == 0.0)
        return;
    double t[2] = {(-h - at[0].y) / d.y, (h - at[0].y) / d.y};
    for (int i = 0; i < 2; i++)
        t[i] = dry_clamp_double(t[i], 0.0, 1.0);
    if (t[0] == t[1])
        return;
    const dry_triple start = at[0];
    for (int i = 0; i < 2; i++) {
        at[i] = triple_add_scaled(start, t[i], d);
        s[i] = way[0] + t[i] * (way[1] - way[0]) - line->radius;
    }
    offer_stretch(list, at, s, (const uint32_t[2]){1, 2});
}

/* Returns the way along d, of any length, from the point a within a circle of a radius to the circle. */
static double way_out(dry_triple a, dry_triple d, double radius)
{
    const double square = triple_dot(d, d), along = triple_dot(a, d);
    const double root = along * along - square * (triple_dot(a, a) - radius * radius);
    return (sqrt(double_max(root, 0.0)) - along) / square;
}

/* Two ends overlap in a lens. Its points lie along four directions from its middle, on the nearer of the
 * rims: where the gap falls fastest, and a quarter turn from each to the next. */
void dry_offer_end_on_end(dry_point_list *list, const dry_disc *other)
{
    const dry_triple n = list->gap->normal;
    const dry_disc own = dry_facing_end(list);
    const double rise = height_to(list, other->center, own.center, own.axis);
    const dry_triple away = triple_sub(triple_add_scaled(other->center, rise, n), own.center);
    const double distance = triple_length(away);
    const double low = double_max(-own.radius, distance - other->radius);
    const double high = double_min(own.radius, distance + other->radius);
    if (low > high)
        return;
    const dry_triple middle = triple_scale(away, distance > 0.0 ? 0.5 * (low + high) / distance : 0.0);
    const dry_triple tilt = triple_scale(other->axis, 1.0 / triple_dot(n, other->axis));
    const double length = sqrt(tilt.x * tilt.x + tilt.z * tilt.z);
    const dry_triple d = list->leans && length < DRY_FLAT_SINE ? list->lean
                         : length > 1e-9                       ? triple(tilt.x / length, 0.0, tilt.z / length)
                                                               : triple(1.0, 0.0, 0.0);
    const dry_triple ways[4] = {d, triple_neg(d), triple(-d.z, 0.0, d.x), triple(d.z, 0.0, -d.x)};
    const dry_triple from = triple_add_scaled(own.center, 1.0, middle);
    const double start = height_to(list, from, other->center, other->axis);
    const dry_triple there = triple_sub(triple_add_scaled(from, start, n), other->center);
    if (triple_dot(there, there) > other->radius * other->radius)
        return;
    for (uint32_t i = 0; i < 4; i++) {
        const double fall = -triple_dot(ways[i], tilt);
        const double out = double_min(way_out(middle, ways[i], own.radius),
                                      way_out(there, triple_add_scaled(ways[i], fall, n), other->radius));
        dry_offer(list, triple_add_scaled(from, out, ways[i]), start + out * fall,
                  i + (list->side > 0.0 ? DRY_PART_HIGH : 0));
    }
}
