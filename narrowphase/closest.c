/* The algorithm of Gilbert, Johnson and Keerthi [A fast procedure for computing the distance between complex
 * objects, 1988], in double: a simplex of points of b - a goes towards the origin.
 *
 * The point of a simplex that is nearest to the origin is found by regions [Ericson, Real-Time Collision
 * Detection, 5.1]. Next: gap.c, which takes it. */
#include "narrowphase/closest.h"

#include "core/assert.h"

enum { TURNS_MAX = 128 };

/* A corner of the simplex: a point of b less a point of a. */
typedef struct corner {
    dry_double3 at, on_a, on_b;
    int of_a, of_b;
} corner;

typedef struct simplex {
    const corner *corner[4];
    double share[4]; /* of the nearest point */
    int count;
} simplex;

static void keep_one(simplex *s, int a)
{
    DRY_ASSERT(a < s->count);
    *s = (simplex){{s->corner[a]}, {1.0}, 1};
}

static void keep_two(simplex *s, int a, int b, double t)
{
    DRY_ASSERT(a != b && a < s->count && b < s->count && t > 0.0 && t <= 1.0);
    *s = (simplex){{s->corner[a], s->corner[b]}, {1.0 - t, t}, 2};
}

/* Leaves of a segment the part on which the origin's nearest point lies. */
static void reduce_segment(simplex *s, int a, int b)
{
    const dry_double3 along = double3_sub(s->corner[b]->at, s->corner[a]->at);
    const double t = -double3_dot(s->corner[a]->at, along), square = double3_dot(along, along);
    if (!(t > 0.0))
        keep_one(s, a);
    else if (t >= square)
        keep_one(s, b);
    else
        keep_two(s, a, b, t / square);
}

/* Returns the point of a simplex that is nearest to the origin. */
static dry_double3 nearest_of(const simplex *s)
{
    dry_double3 nearest = {0.0, 0.0, 0.0};
    for (int k = 0; k < s->count; k++)
        nearest = double3_add_scaled(nearest, s->share[k], s->corner[k]->at);
    return nearest;
}

/* Leaves the better of what two parts of a simplex left; the first may be none, without corners. */
static void take_nearer(simplex *best, const simplex *other)
{
    const dry_double3 a = nearest_of(best), b = nearest_of(other);
    if (best->count == 0 || double3_dot(b, b) < double3_dot(a, a))
        *best = *other;
}

static void reduce_triangle(simplex *s, int a, int b, int c)
{
    const dry_double3 n = double3_cross(double3_sub(s->corner[b]->at, s->corner[a]->at),
                                        double3_sub(s->corner[c]->at, s->corner[a]->at));
    /* Twice the signed areas of the triangles of the origin's projection and each side. */
    const int from[3] = {b, c, a}, to[3] = {c, a, b};
    double share[3], sum = 0.0;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        const dry_double3 at = s->corner[from[i]]->at, edge = double3_sub(s->corner[to[i]]->at, at);
        share[i] = double3_dot(n, double3_cross(at, edge));
        sum += share[i];
        inside = inside && share[i] > 0.0;
    }
    if (inside && sum > 0.0) {
        *s = (simplex){
            {s->corner[a], s->corner[b], s->corner[c]}, {share[0] / sum, share[1] / sum, share[2] / sum}, 3};
        return;
    }
    simplex best = {.count = 0};
    for (int i = 0; i < 3; i++) {
        simplex side = *s;
        reduce_segment(&side, to[(i + 1) % 3], from[i]);
        take_nearer(&best, &side);
    }
    *s = best;
}

/* Leaves all four corners where the origin lies inside, which it cannot if the shapes are known to be apart:
 * the signs of a thin tetrahedron are rounding error. */
static void reduce_tetrahedron(simplex *s, bool apart)
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    simplex best = {.count = 0};
    for (int i = 0; i < 4; i++) {
        const dry_double3 a = s->corner[face[i][0]]->at;
        const dry_double3 n = double3_cross(double3_sub(s->corner[face[i][1]]->at, a),
                                            double3_sub(s->corner[face[i][2]]->at, a));
        const double inward = double3_dot(n, double3_sub(s->corner[face[i][3]]->at, a)),
                     origin = -double3_dot(n, a);
        if (inward * origin > 0.0 && !apart)
            continue; /* on the side of the fourth corner */
        simplex part = *s;
        reduce_triangle(&part, face[i][0], face[i][1], face[i][2]);
        take_nearer(&best, &part);
    }
    if (best.count > 0)
        *s = best;
}

static void reduce(simplex *s, bool apart)
{
    DRY_ASSERT(s->count >= 2 && s->count <= 4);
    if (s->count == 2)
        reduce_segment(s, 0, 1);
    else if (s->count == 3)
        reduce_triangle(s, 0, 1, 2);
    else
        reduce_tetrahedron(s, apart);
}

static corner support_of(const dry_convex *a, const dry_convex *b, dry_double3 along)
{
    corner c;
    c.on_a = a->support(a->shape, double3_neg(along), &c.of_a);
    c.on_b = b->support(b->shape, along, &c.of_b);
    c.at = double3_sub(c.on_b, c.on_a);
    return c;
}

static bool is_known(const simplex *s, const corner *c)
{
    for (int i = 0; i < s->count; i++)
        if (s->corner[i]->of_a == c->of_a && s->corner[i]->of_b == c->of_b)
            return c->of_a >= 0 && c->of_b >= 0;
    return false;
}

static void write_result(const simplex *s, dry_double3 nearest, double d, dry_closest_points *result)
{
    result->distance = d;
    result->count = s->count;
    result->on_a = result->on_b = double3(0.0, 0.0, 0.0);
    for (int k = 0; k < s->count; k++) {
        result->of_a[k] = s->corner[k]->of_a;
        result->of_b[k] = s->corner[k]->of_b;
        if (s->count == 4)
            continue;
        result->on_a = double3_add_scaled(result->on_a, s->share[k], s->corner[k]->on_a);
        result->on_b = double3_add_scaled(result->on_b, s->share[k], s->corner[k]->on_b);
    }
    result->normal = d > 0.0 ? double3(nearest.x / d, nearest.y / d, nearest.z / d) : double3(0.0, 0.0, 0.0);
}

bool dry_find_closest(const dry_convex *a, const dry_convex *b, dry_double3 guess, double limit,
                      dry_closest_points *result)
{
    corner seen[TURNS_MAX + 1];
    simplex s = {{seen}, {1.0}, 1};
    seen[0] = support_of(a, b, double3_dot(guess, guess) > 0.0 ? double3_neg(guess) : double3(0.0, 1.0, 0.0));
    dry_double3 nearest = nearest_of(&s);
    double square = double3_dot(nearest, nearest);
    const double enough = result ? 0.0 : limit * limit;
    /* A hull's support rounds to float. */
    const double length = double3_length(guess), rounding = 8.0 * (double)FLT_EPSILON * length;
    if (!result && double3_dot(guess, nearest) > (limit + rounding) * length)
        return false;
    for (int turn = 1; turn <= TURNS_MAX && square > enough; turn++) {
        seen[turn] = support_of(a, b, double3_neg(nearest));
        const double along = double3_dot(nearest, seen[turn].at);
        if (along > limit * sqrt(square)) {
            if (result)
                result->distance = along / sqrt(square);
            return false;
        }
        /* The plane through the new corner across the nearest point's direction lies below the difference of
         * the shapes. */
        if (square - along <= 1e-12 * square || is_known(&s, &seen[turn]))
            break;
        simplex tried = s;
        DRY_ASSERT(tried.count < 4);
        tried.corner[tried.count++] = &seen[turn];
        reduce(&tried, along > 0.0);
        const dry_double3 point = nearest_of(&tried);
        const double smaller = tried.count < 4 ? double3_dot(point, point) : 0.0;
        if (!(smaller < square))
            break;
        s = tried;
        square = smaller;
        nearest = point;
    }
    if (result)
        write_result(&s, nearest, sqrt(square), result);
    return sqrt(square) <= limit;
}
