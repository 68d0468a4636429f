/* The distance of a cylinder and a convex core that do not overlap.
 *
 * The distance of a point from the cylinder has a closed form and is convex. So its least value over the core
 * is sought among few corners of the core, as by [Gilbert, Johnson, Keerthi 1988], but with the whole
 * cylinder in place of its corners. A core with flat faces is done after a few corners, exactly. Each corner
 * that joins is the farthest one towards the cylinder; a point, an edge or a triangle of the corners has the
 * nearest point.
 *
 * Reads: a pair. Writes: a gap. Next: cylinder_gap.c, which also knows pairs that overlap. */
#include "narrowphase/pairs/cylinder.h"

/* Corners that may join: boxes and hulls need about five; a rim, with which few pairs
 * are left here, halves its arc with each one. */
enum { CORNERS_MAX = 40, ROOT_STEPS_MAX = 40 };

/* The nearest point among the corners so far, and the one to three corners around it. */
typedef struct nearest {
    int count;
    dry_double3 corner[3];
    dry_double3 at, way; /* the point, and the vector to it from the cylinder, m */
    double square;       /* of the distance */
} nearest;

/* Returns the point of the cylinder that is nearest to p: p itself inside. */
static dry_double3 nearest_of(const dry_cylinder *c, dry_double3 p)
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

/* Returns the point of the partner's core that is farthest along a direction. */
static dry_double3 support(const dry_placed *partner, dry_double3 direction)
{
    int number;
    return dry_placed_support(partner, direction, &number);
}

/* Returns half the derivative of the squared distance from the cylinder at q along e, and its own derivative.
 */
static double slope(const dry_cylinder *c, dry_double3 q, dry_double3 e, double *growth)
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
static double nearest_on_segment(const dry_cylinder *c, dry_double3 a, dry_double3 e)
{
    double growth, low = 0.0, high = 1.0;
    const double first = slope(c, a, e, &growth);
    if (first >= 0.0)
        return 0.0;
    double t = growth > 0.0 ? -first / growth : 0.5;
    const double last = slope(c, double3_add(a, e), e, &growth);
    if (last <= 0.0)
        return 1.0;
    for (int i = 0; i < ROOT_STEPS_MAX; i++) {
        if (!(t > low && t < high))
            t = 0.5 * (low + high);
        const double value = slope(c, double3_add_scaled(a, t, e), e, &growth);
        if (value == 0.0)
            break;
        if (value < 0.0)
            low = t;
        else
            high = t;
        const double step = growth > 0.0 ? value / growth : high - low;
        t -= step;
        if (fabs(step) < 1e-13 || high - low < 1e-14)
            break;
    }
    return dry_clamp_double(t, low, high);
}

static void take_point(const dry_cylinder *c, dry_double3 q, nearest *found)
{
    found->at = q;
    found->way = double3_sub(q, nearest_of(c, q));
    found->square = double3_dot(found->way, found->way);
}

/* Takes the nearest point of the edge of two corners, if it is nearer than what was found. */
static void try_edge(const dry_cylinder *c, dry_double3 a, dry_double3 b, nearest *best)
{
    const dry_double3 e = double3_sub(b, a);
    const double t = nearest_on_segment(c, a, e);
    nearest found = {.count = 1, .corner = {t == 1.0 ? b : a, b}};
    found.count = t > 0.0 && t < 1.0 ? 2 : 1;
    take_point(c, found.count == 2 ? double3_add_scaled(a, t, e) : found.corner[0], &found);
    if (found.square < best->square)
        *best = found;
}

/* Tells whether q, in the plane of a triangle with normal n, lies on the inner side of the edge from a to b.
 */
static bool is_inside(dry_double3 a, dry_double3 b, dry_double3 n, dry_double3 q)
{
    return double3_dot(double3_cross(double3_sub(b, a), double3_sub(q, a)), n) >= 0.0;
}

/* Takes the nearest point within the triangle of three corners, if there is one and it is nearer. */
static void try_triangle(const dry_cylinder *c, dry_double3 a, dry_double3 b, dry_double3 d, double scale,
                         nearest *best)
{
    const dry_double3 e = double3_sub(b, a), f = double3_sub(d, a), m = double3_cross(e, f);
    const double length = double3_length(m);
    /* Corners almost in a line have no exact normal. */
    const double longest = double_max(double3_dot(e, e), double3_dot(f, f));
    if (!(length * length > 1e-16 * scale * scale * longest))
        return;
    const dry_double3 up = double3_scale(m, 1.0 / length);
    const dry_double3 n = double3_dot(a, up) < 0.0 ? double3_neg(up) : up;
    const double distance = double3_dot(a, n) - dry_cylinder_reach(c, n);
    if (!(distance > 0.0) || distance * distance >= best->square)
        return;
    const dry_double3 q = double3_add_scaled(dry_cylinder_support(c, n), distance, n);
    if (!is_inside(a, b, up, q) || !is_inside(b, d, up, q) || !is_inside(d, a, up, q))
        return;
    *best = (nearest){3, {a, b, d}, q, double3_scale(n, distance), distance * distance};
}

/* Adds a corner. Returns false if the corners' hull reaches the cylinder. */
static bool add_corner(const dry_cylinder *c, dry_double3 w, double scale, nearest *found)
{
    nearest best = {.square = DBL_MAX};
    const dry_double3 *k = found->corner;
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
        if (double3_dot(best.way, double3_sub(k[i], best.at)) < least)
            return false;
    if (double3_dot(best.way, double3_sub(w, best.at)) < least)
        return false;
    *found = best;
    return true;
}

static bool has_corner(const nearest *found, dry_double3 w)
{
    for (int i = 0; i < found->count; i++)
        if (found->corner[i].x == w.x && found->corner[i].y == w.y && found->corner[i].z == w.z)
            return true;
    return false;
}

bool dry_cylinder_separate(const dry_cylinder_pair *pair, dry_double3 shift, dry_double3 start, double scale,
                           dry_cylinder_gap *gap)
{
    const dry_cylinder *c = &pair->cylinder;
    dry_placed partner = pair->partner;
    partner.center = double3_add(partner.center, shift);
    const double tiny = 1e-9 * scale;
    nearest found = {.count = 1, .corner = {support(&partner, double3_neg(start))}};
    take_point(c, found.corner[0], &found);
    for (int i = 0; i < CORNERS_MAX && found.square > tiny * tiny; i++) {
        const dry_double3 w = support(&partner, double3_neg(found.way));
        const double nearer = double3_dot(found.way, double3_sub(found.at, w));
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
    gap->normal = double3_scale(found.way, 1.0 / distance);
    gap->separation = distance;
    gap->on_cylinder = double3_sub(found.at, found.way);
    return true;
}
