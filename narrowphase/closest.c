/* The algorithm of Gilbert, Johnson and Keerthi [A fast procedure for computing the distance between complex
 * objects, 1988], in double: a simplex of points of b - a goes towards the origin.
 *
 * The point of a simplex that is nearest to the origin is found by regions [Ericson, Real-Time Collision
 * Detection, 5.1]. Next: pairs/hull_capsule.c, which uses it. */
#include "narrowphase/closest.h"

#include "core/math.h"

enum { TURNS_MAX = 128 };

/* A corner of the simplex: a point of b less a point of a. */
typedef struct corner {
    double at[3], on_a[3], on_b[3];
    int of_a, of_b;
} corner;

typedef struct simplex {
    corner corner[4];
    double share[4]; /* of the nearest point */
    int count;
} simplex;

static void sub(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

static void keep_one(simplex *s, int a)
{
    s->corner[0] = s->corner[a];
    s->share[0] = 1.0;
    s->count = 1;
}

static void keep_two(simplex *s, int a, int b, double t)
{
    const corner first = s->corner[a], second = s->corner[b];
    s->corner[0] = first, s->corner[1] = second;
    s->share[0] = 1.0 - t, s->share[1] = t;
    s->count = 2;
}

/* Leaves of a segment the part on which the origin's nearest point lies. */
static void reduce_segment(simplex *s, int a, int b)
{
    double along[3];
    sub(s->corner[b].at, s->corner[a].at, along);
    const double t = -array3_dot(s->corner[a].at, along), square = array3_dot(along, along);
    if (!(t > 0.0))
        keep_one(s, a);
    else if (t >= square)
        keep_one(s, b);
    else
        keep_two(s, a, b, t / square);
}

static double square_of_nearest(const simplex *s, double nearest[3])
{
    for (int i = 0; i < 3; i++) {
        nearest[i] = 0.0;
        for (int k = 0; k < s->count; k++)
            nearest[i] += s->share[k] * s->corner[k].at[i];
    }
    return array3_dot(nearest, nearest);
}

/* Leaves the better of what two parts of a simplex left. */
static void take_nearer(simplex *best, const simplex *other)
{
    double unused[3];
    if (square_of_nearest(other, unused) < square_of_nearest(best, unused))
        *best = *other;
}

static void reduce_triangle(simplex *s, int a, int b, int c)
{
    double ab[3], ac[3], n[3], edge[3], across[3];
    sub(s->corner[b].at, s->corner[a].at, ab);
    sub(s->corner[c].at, s->corner[a].at, ac);
    array3_cross(ab, ac, n);
    /* Twice the signed areas of the triangles of the origin's projection and each side. */
    const int from[3] = {b, c, a}, to[3] = {c, a, b};
    double share[3], sum = 0.0;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        sub(s->corner[to[i]].at, s->corner[from[i]].at, edge);
        array3_cross(s->corner[from[i]].at, edge, across);
        share[i] = array3_dot(n, across);
        sum += share[i];
        inside = inside && share[i] > 0.0;
    }
    if (inside && sum > 0.0) {
        const corner kept[3] = {s->corner[a], s->corner[b], s->corner[c]};
        for (int i = 0; i < 3; i++) {
            s->corner[i] = kept[i];
            s->share[i] = share[i] / sum;
        }
        s->count = 3;
        return;
    }
    simplex best = *s, other = *s;
    reduce_segment(&best, a, b);
    reduce_segment(&other, b, c);
    take_nearer(&best, &other);
    other = *s;
    reduce_segment(&other, c, a);
    take_nearer(&best, &other);
    *s = best;
}

/* Leaves all four corners where the origin lies inside, which it cannot if the shapes are known to be apart:
 * the signs of a thin tetrahedron are rounding error. */
static void reduce_tetrahedron(simplex *s, bool apart)
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    simplex best = *s;
    bool outside = false;
    for (int i = 0; i < 4; i++) {
        double ab[3], ac[3], ad[3], n[3];
        const double *a = s->corner[face[i][0]].at;
        sub(s->corner[face[i][1]].at, a, ab);
        sub(s->corner[face[i][2]].at, a, ac);
        sub(s->corner[face[i][3]].at, a, ad);
        array3_cross(ab, ac, n);
        const double inward = array3_dot(n, ad), origin = -array3_dot(n, a);
        if (inward * origin > 0.0 && !apart)
            continue; /* on the side of the fourth corner */
        simplex part = *s;
        reduce_triangle(&part, face[i][0], face[i][1], face[i][2]);
        if (outside)
            take_nearer(&best, &part);
        else
            best = part;
        outside = true;
    }
    if (outside)
        *s = best;
}

static void reduce(simplex *s, bool apart)
{
    if (s->count == 1)
        keep_one(s, 0);
    else if (s->count == 2)
        reduce_segment(s, 0, 1);
    else if (s->count == 3)
        reduce_triangle(s, 0, 1, 2);
    else
        reduce_tetrahedron(s, apart);
}

static corner support_of(const dry_convex *a, const dry_convex *b, const double along[3])
{
    corner c;
    const double against[3] = {-along[0], -along[1], -along[2]};
    c.of_a = a->support(a->shape, against, c.on_a);
    c.of_b = b->support(b->shape, along, c.on_b);
    sub(c.on_b, c.on_a, c.at);
    return c;
}

static bool is_known(const simplex *s, const corner *c)
{
    bool known = false;
    if (c->of_a < 0 || c->of_b < 0)
        return false;
    for (int i = 0; i < s->count; i++)
        known = known || (s->corner[i].of_a == c->of_a && s->corner[i].of_b == c->of_b);
    return known;
}

static void write_result(const simplex *s, const double nearest[3], double square, dry_closest_points *result)
{
    result->count = s->count;
    result->distance = s->count < 4 ? sqrt(square) : 0.0;
    for (int i = 0; i < 3; i++) {
        result->on_a[i] = result->on_b[i] = 0.0;
        for (int k = 0; k < s->count && s->count < 4; k++) {
            result->on_a[i] += s->share[k] * s->corner[k].on_a[i];
            result->on_b[i] += s->share[k] * s->corner[k].on_b[i];
        }
        result->normal[i] = result->distance > 0.0 ? nearest[i] / result->distance : 0.0;
    }
    for (int k = 0; k < s->count; k++) {
        result->of_a[k] = s->corner[k].of_a;
        result->of_b[k] = s->corner[k].of_b;
    }
}

void dry_find_closest(const dry_convex *a, const dry_convex *b, const double guess[3],
                      dry_closest_points *result)
{
    const double upward[3] = {0.0, 1.0, 0.0};
    const double toward[3] = {-guess[0], -guess[1], -guess[2]};
    simplex s = {.count = 1};
    s.corner[0] = support_of(a, b, array3_dot(guess, guess) > 0.0 ? toward : upward);
    s.share[0] = 1.0;
    double nearest[3], square = square_of_nearest(&s, nearest);
    for (int turn = 0; turn < TURNS_MAX && square > 0.0; turn++) {
        const double against[3] = {-nearest[0], -nearest[1], -nearest[2]};
        const corner next = support_of(a, b, against);
        /* The plane through `next` across the nearest point's direction lies below the difference of the
         * shapes. */
        if (square - array3_dot(nearest, next.at) <= 1e-12 * square || is_known(&s, &next))
            break;
        simplex tried = s;
        tried.corner[tried.count++] = next;
        reduce(&tried, array3_dot(nearest, next.at) > 0.0);
        if (tried.count == 4) {
            s = tried;
            break;
        }
        double point[3];
        const double smaller = square_of_nearest(&tried, point);
        if (!(smaller < square))
            break;
        s = tried;
        square = smaller;
        for (int i = 0; i < 3; i++)
            nearest[i] = point[i];
    }
    write_result(&s, nearest, square, result);
}
