/* Computes the overlap of two convex cores from their support functions alone.
 *
 * Their Minkowski difference D is the set of a - b over all points of the two. If the origin lies outside of
 * D, its distance is that of the cores: found by Gilbert, Johnson and Keerthi [Ericson, Real-Time Collision
 * Detection, 9.5]. Else a polytope within D grows where its surface is nearest to the origin (van den Bergen
 * 2001). The plane there bounds the depth from below, the support of D along its normal from above. */
#include "tools/scenes/double3.h"
#include "tools/scenes/measure/parts.h"

#include <float.h>
#include <string.h>

enum { CLOSER_MAX = 300, GROWTH_MAX = 400, FACES_MAX = 16 * GROWTH_MAX };

typedef struct difference {
    const dry_solid *a, *b;
    double apart[3];  /* from a's center to b's */
    double tolerance; /* m, of the result */
} difference;

/* Computes the point of D that lies farthest along a direction. */
static void support(const difference *d, const double *direction, double *point)
{
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    double on_a[3], on_b[3];
    dry_solid_support(d->a, direction, on_a);
    dry_solid_support(d->b, back, on_b);
    for (int k = 0; k < 3; k++)
        point[k] = on_a[k] - on_b[k] - d->apart[k];
}

/* ---- Distance ---- */

/* One to four points of D, and their weights in the combination that is nearest to the origin. */
typedef struct simplex {
    double x[4][3], weight[4];
    int count;
} simplex;

static void nearest_of(const simplex *s, double *v)
{
    for (int k = 0; k < 3; k++) {
        v[k] = 0.0;
        for (int i = 0; i < s->count; i++)
            v[k] += s->weight[i] * s->x[i][k];
    }
}

static void keep(const simplex *s, const int *corners, const double *weights, int count, simplex *out)
{
    out->count = 0;
    for (int i = 0; i < count; i++) {
        if (!(weights[i] > 0.0))
            continue;
        memcpy(out->x[out->count], s->x[corners[i]], sizeof out->x[0]);
        out->weight[out->count++] = weights[i];
    }
}

static void nearest_on_segment(const simplex *s, int a, int b, simplex *out)
{
    double ab[3];
    d3_sub(s->x[b], s->x[a], ab);
    const double squared = d3_dot(ab, ab), along = -d3_dot(s->x[a], ab);
    double t = squared > 0.0 ? along / squared : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    keep(s, (const int[]){a, b}, (const double[]){1.0 - t, t}, 2, out);
}

/* Replaces *best if `s` is nearer to the origin. */
static void take_nearer(const simplex *s, simplex *best, double *least)
{
    double v[3];
    nearest_of(s, v);
    const double squared = d3_dot(v, v);
    if (squared < *least) {
        *least = squared;
        *best = *s;
    }
}

/* Finds the nearest point of a triangle: within it, or on one of its edges. */
static void nearest_on_triangle(const simplex *s, int a, int b, int c, simplex *best, double *least)
{
    double ab[3], ac[3], normal[3];
    simplex part;
    d3_sub(s->x[b], s->x[a], ab);
    d3_sub(s->x[c], s->x[a], ac);
    d3_cross(ab, ac, normal);
    const double squared = d3_dot(normal, normal);
    if (squared > 0.0) {
        double bc[3], ca[3];
        d3_cross(s->x[b], s->x[c], bc);
        d3_cross(s->x[c], s->x[a], ca);
        const double u = d3_dot(bc, normal) / squared, v = d3_dot(ca, normal) / squared, w = 1.0 - u - v;
        if (u >= 0.0 && v >= 0.0 && w >= 0.0) {
            keep(s, (const int[]){a, b, c}, (const double[]){u, v, w}, 3, &part);
            take_nearer(&part, best, least);
        }
    }
    const int edges[3][2] = {{a, b}, {b, c}, {c, a}};
    for (int i = 0; i < 3; i++) {
        nearest_on_segment(s, edges[i][0], edges[i][1], &part);
        take_nearer(&part, best, least);
    }
}

/* Tells whether the origin lies within a tetrahedron: on the inner side of each face. */
static bool holds_origin(const simplex *s)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    for (int i = 0; i < 4; i++) {
        const double *a = s->x[faces[i][0]];
        double ab[3], ac[3], ad[3], normal[3];
        d3_sub(s->x[faces[i][1]], a, ab);
        d3_sub(s->x[faces[i][2]], a, ac);
        d3_sub(s->x[faces[i][3]], a, ad);
        d3_cross(ab, ac, normal);
        const double inner = d3_dot(normal, ad), origin = -d3_dot(normal, a);
        if (!(inner * origin > 0.0))
            return false;
    }
    return true;
}

/* Reduces a simplex to the part that is nearest to the origin. Returns false if it holds the origin. */
static bool reduce(simplex *s)
{
    simplex best = *s;
    double least = DBL_MAX;
    if (s->count == 1) {
        s->weight[0] = 1.0;
        return true;
    }
    if (s->count == 4 && holds_origin(s))
        return false;
    if (s->count == 2) {
        nearest_on_segment(s, 0, 1, &best);
    } else {
        nearest_on_triangle(s, 0, 1, 2, &best, &least);
        for (int i = 0; i < 3 && s->count == 4; i++)
            nearest_on_triangle(s, i, (i + 1) % 3, 3, &best, &least);
    }
    *s = best;
    return true;
}

/* Returns the distance of the cores; 0 if they overlap, or nearly so. */
static double distance_of(const difference *d)
{
    simplex s = {.count = 0};
    double v[3] = {-d->apart[0], -d->apart[1], -d->apart[2]}, distance = d3_length(v);
    if (!(distance > 0.0))
        v[0] = 1.0;
    for (int i = 0; i < CLOSER_MAX; i++) {
        const double back[3] = {-v[0], -v[1], -v[2]};
        double *w = s.x[s.count];
        support(d, back, w);
        /* All of D lies beyond the plane through w, so this is how much nearer it can come. */
        if (s.count > 0 && distance - d3_dot(v, w) / distance <= d->tolerance)
            return distance;
        s.count++;
        if (!reduce(&s))
            return 0.0;
        nearest_of(&s, v);
        distance = d3_length(v);
        if (distance <= d->tolerance)
            return 0.0;
    }
    return distance;
}

/* ---- Depth ---- */

/* Takes the point of D that lies farther from x[0], one way or the other along a direction, if that is
 * farther than `most`. */
static void take_farther(const difference *d, const double *direction, double (*x)[3], int i, double *most)
{
    const double length = d3_length(direction);
    for (int sign = -1; sign <= 1; sign += 2) {
        double along[3], point[3], from[3];
        for (int k = 0; k < 3; k++)
            along[k] = sign * direction[k] / length;
        support(d, along, point);
        d3_sub(point, x[0], from);
        if (d3_dot(along, from) > *most) {
            *most = d3_dot(along, from);
            memcpy(x[i], point, sizeof point);
        }
    }
}

/* Chooses four points of D that span a volume, each far from those before. Returns false without a volume. */
static bool choose_tetrahedron(const difference *d, double (*x)[3], double size)
{
    const double along_x[3] = {1.0, 0.0, 0.0};
    double ab[3], ac[3], across[3], other[3], most[3] = {0.0, 0.0, 0.0};
    support(d, along_x, x[0]);
    take_farther(d, along_x, x, 1, &most[0]);
    if (!(most[0] > 1e-12 * size))
        return false;
    d3_sub(x[1], x[0], ab);
    const bool steep = fabs(ab[1]) > 0.5 * d3_length(ab);
    const double unit[3] = {0.0, !steep, steep};
    d3_cross(ab, unit, across);
    d3_cross(ab, across, other);
    take_farther(d, across, x, 2, &most[1]);
    take_farther(d, other, x, 2, &most[1]);
    if (!(most[1] > 1e-12 * size))
        return false;
    d3_sub(x[2], x[0], ac);
    d3_cross(ab, ac, across);
    take_farther(d, across, x, 3, &most[2]);
    return most[2] > 1e-12 * size;
}

static double depth_of(const difference *d, double size)
{
    double vertices[GROWTH_MAX][3], least = DBL_MAX;
    dry_surface_face faces[FACES_MAX];
    dry_surface s = {.vertices = vertices,
                     .faces = faces,
                     .vertex_room = GROWTH_MAX,
                     .face_room = FACES_MAX,
                     .tolerance = 1e-13 * size};
    if (!choose_tetrahedron(d, vertices, size))
        return 0.0;
    dry_surface_begin(&s);
    for (;;) {
        const dry_surface_face *nearest = NULL;
        for (int i = 0; i < s.face_count; i++) {
            const double *n = faces[i].normal;
            if (faces[i].alive && d3_dot(n, n) > 0.5 && (!nearest || faces[i].offset < nearest->offset))
                nearest = &faces[i];
        }
        if (!nearest)
            return least;
        double point[3];
        support(d, nearest->normal, point);
        const double outer = d3_dot(nearest->normal, point);
        least = outer < least ? outer : least;
        if (outer - nearest->offset <= d->tolerance || least - nearest->offset <= d->tolerance ||
            !dry_surface_add(&s, point))
            return least;
    }
}

static double size_of(const dry_solid *s)
{
    double size = 0.0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, s->high[k] - s->low[k]);
    return size;
}

double dry_convex_overlap(const dry_solid *a, const dry_solid *b)
{
    const double x = size_of(a), y = size_of(b), size = x + y;
    difference d = {.a = a, .b = b, .tolerance = fmax(1e-6 * fmin(x, y), 1e-12 * size)};
    d3_sub(b->center, a->center, d.apart);
    const double distance = distance_of(&d);
    return distance > 0.0 ? -distance : depth_of(&d, size);
}
