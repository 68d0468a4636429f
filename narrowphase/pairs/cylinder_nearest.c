/* The distance of a cylinder and a convex core that do not overlap.
 *
 * The distance of a point from the cylinder has a closed form and is convex. So its least value over the core
 * is sought among few corners of the core, as by [Gilbert, Johnson, Keerthi 1988], but with the whole
 * cylinder in place of its corners. A core with flat faces is done after a few corners, exactly. Each corner
 * that joins is the farthest one towards the cylinder; a point, an edge or a triangle of the corners has the
 * nearest point.
 *
 * Reads: a pair. Writes: a gap. Next: cylinder_gap.c, which also knows pairs that overlap. */
#include "narrowphase/pairs/cylinder_nearest.h"

/* Corners that may join: boxes and hulls need about five; a rim, with which few pairs
 * are left here, halves its arc with each one. */
enum { CORNERS_MAX = 40, ROOT_STEPS_MAX = 40 };

/* The nearest point among the corners so far, and the one to three corners around it. */
typedef struct nearest {
    int count;
    dry_triple corner[3];
    dry_triple at, way; /* the point, and the vector to it from the cylinder, m */
    double square;      /* of the distance */
} nearest;

/* Returns the point of the partner's core that is farthest along a direction. */
static dry_triple support(const dry_placed *partner, dry_triple direction)
{
    int number;
    return dry_placed_support(partner, direction, &number);
}

/* Returns half the derivative of the squared distance from the cylinder at q along e, and its own derivative.
 */
static double slope(const dry_cylinder *c, dry_triple q, dry_triple e, double *growth)
{
    const double square = q.x * q.x + q.z * q.z, h = c->half_length;
    const double over = q.y > h ? q.y - h : q.y < -h ? q.y + h : 0.0;
    double sum = e.y * over;
    *growth = over != 0.0 ? e.y * e.y : 0.0;
    if (square > c->radius * c->radius) {
        const double length = sqrt(square), share = c->radius / length;
        const double along = e.x * q.x + e.z * q.z;
        sum += along * (1.0 - share);
        *growth += (e.x * e.x + e.z * e.z) * (1.0 - share) + share * along * along / square;
    }
    return sum;
}

/* Returns the share of the way from a along e at which a segment is nearest to the cylinder. The slope never
 * falls along it; Newton's method finds its root, halving what is left where it leaves that. */
static double nearest_on_segment(const dry_cylinder *c, dry_triple a, dry_triple e)
{
    double growth, low = 0.0, high = 1.0;
    const double first = slope(c, a, e, &growth);
    if (first >= 0.0)
        return 0.0;
    double t = growth > 0.0 ? -first / growth : 0.5;
    const double last = slope(c, triple_add_scaled(a, 1.0, e), e, &growth);
    if (last <= 0.0)
        return 1.0;
    for (int i = 0; i < ROOT_STEPS_MAX; i++) {
        if (!(t > low && t < high))
            t = 0.5 * (low + high);
        const double value = slope(c, triple_add_scaled(a, t, e), e, &growth);
        if (value == 0.0)
            break;
        if (value < 0.0)
            low = t;
        else
            high = t;
        const double step = growth > 0.0 ? value / growth : high - low;
        t -= step;
        if (double_abs(step) < 1e-13 || high - low < 1e-14)
            break;
    }
    return dry_clamp_double(t, low, high);
}

static void take_point(const dry_cylinder *c, dry_triple q, nearest *found)
{
    found->at = q;
    found->way = triple_sub(q, dry_cylinder_nearest(c, q));
    found->square = triple_dot(found->way, found->way);
}

/* Takes the nearest point of the edge of two corners, if it is nearer than what was found. */
static void try_edge(const dry_cylinder *c, dry_triple a, dry_triple b, nearest *best)
{
    const dry_triple e = triple_sub(b, a);
    const double t = nearest_on_segment(c, a, e);
    nearest found = {.count = 1, .corner = {t == 1.0 ? b : a, b}};
    found.count = t > 0.0 && t < 1.0 ? 2 : 1;
    take_point(c, found.count == 2 ? triple_add_scaled(a, t, e) : found.corner[0], &found);
    if (found.square < best->square)
        *best = found;
}

/* Tells whether q, in the plane of a triangle with normal n, lies on the inner side of the edge from a to b.
 */
static bool is_inside(dry_triple a, dry_triple b, dry_triple n, dry_triple q)
{
    return triple_dot(triple_cross(triple_sub(b, a), triple_sub(q, a)), n) >= 0.0;
}

/* Takes the nearest point within the triangle of three corners, if there is one and it is nearer. */
static void try_triangle(const dry_cylinder *c, dry_triple a, dry_triple b, dry_triple d, double scale,
                         nearest *best)
{
    const dry_triple e = triple_sub(b, a), f = triple_sub(d, a), m = triple_cross(e, f);
    const double length = triple_length(m);
    /* Corners almost in a line have no exact normal. */
    const double longest = double_max(triple_dot(e, e), triple_dot(f, f));
    if (!(length * length > 1e-16 * scale * scale * longest))
        return;
    const dry_triple up = triple_scale(m, 1.0 / length);
    const dry_triple n = triple_dot(a, up) < 0.0 ? triple_neg(up) : up;
    const double distance = triple_dot(a, n) - dry_cylinder_reach(c, n);
    if (!(distance > 0.0) || distance * distance >= best->square)
        return;
    const dry_triple q = triple_add_scaled(dry_cylinder_support(c, n), distance, n);
    if (!is_inside(a, b, up, q) || !is_inside(b, d, up, q) || !is_inside(d, a, up, q))
        return;
    *best = (nearest){3, {a, b, d}, q, triple_scale(n, distance), distance * distance};
}

/* Adds a corner. Returns false if the corners' hull reaches the cylinder. */
static bool add_corner(const dry_cylinder *c, dry_triple w, double scale, nearest *found)
{
    nearest best = {.square = DBL_MAX};
    const dry_triple *k = found->corner;
    const int count = found->count;
    for (int i = 0; i < count; i++)
        try_edge(c, k[i], w, &best);
    if (count == 2)
        try_triangle(c, k[0], k[1], w, scale, &best);
    for (int i = 0; i < 3 && count == 3; i++)
        try_triangle(c, k[i], k[(i + 1) % 3], w, scale, &best);
    /* If a corner still lies towards the cylinder, the nearest point is none of the surface. */
    const double least = -1e-9 * scale * sqrt(best.square);
    for (int i = 0; i < count; i++)
        if (triple_dot(best.way, triple_sub(k[i], best.at)) < least)
            return false;
    if (triple_dot(best.way, triple_sub(w, best.at)) < least)
        return false;
    *found = best;
    return true;
}

static bool has_corner(const nearest *found, dry_triple w)
{
    for (int i = 0; i < found->count; i++)
        if (found->corner[i].x == w.x && found->corner[i].y == w.y && found->corner[i].z == w.z)
            return true;
    return false;
}

bool dry_cylinder_separate(const dry_cylinder_pair *pair, dry_triple shift, dry_triple start, double scale,
                           dry_cylinder_gap *gap)
{
    const dry_cylinder *c = &pair->cylinder;
    dry_placed partner = pair->partner;
    partner.center = triple_add_scaled(partner.center, 1.0, shift);
    const double tiny = 1e-9 * scale;
    nearest found = {.count = 1, .corner = {support(&partner, triple_neg(start))}};
    take_point(c, found.corner[0], &found);
    for (int i = 0; i < CORNERS_MAX && found.square > tiny * tiny; i++) {
        const dry_triple w = support(&partner, triple_neg(found.way));
        const double nearer = triple_dot(found.way, triple_sub(found.at, w));
        if (nearer <= 1e-11 * scale * sqrt(found.square) || has_corner(&found, w))
            break;
        nearest next = found;
        if (!add_corner(c, w, scale, &next))
            return false;
        if (next.square >= found.square)
            break;
        found = next;
    }
    if (found.square <= tiny * tiny)
        return false;
    const double distance = sqrt(found.square);
    gap->normal = triple_scale(found.way, 1.0 / distance);
    gap->separation = distance;
    gap->on_cylinder = triple_sub(found.at, found.way);
    return true;
}
