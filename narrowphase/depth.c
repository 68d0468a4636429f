/* The least depth of two cores, by a polytope that grows within their difference [van den Bergen, Proximity
 * Queries and Penetration Depth Computation on 3D Game Objects, 2001].
 *
 * The difference holds all b - a of points b and a. The extent of the difference along any direction is the
 * way that b moves against it until the cores only touch, so that each support is an upper bound of the
 * depth. The nearest face of the polytope is a lower one, and the next corner joins beyond it. Flat faces end
 * with equal bounds. Cylinders are left to pairs/cylinder_gap.c: curved surfaces take corners without end.
 *
 * Reads: two cores. Writes: a gap. Next: gap.c, which takes it. */
#include "core/assert.h"
#include "narrowphase/placed.h"

enum {
    CORNERS_MAX = 128,
    FACES_MAX = 2 * CORNERS_MAX - 4, /* of a closed surface of triangles */
    NO_CORNER = 255,
};

/* Equal to this share of the size, bounds are the same. */
#define SAME 1e-10
/* Planes above which a corner lies by less than this share of the size stay. */
#define ROUNDING 1e-13

typedef struct corner {
    dry_double3 at, on_a; /* a point of the difference, and its point of a */
} corner;

typedef struct face {
    dry_double3 normal; /* outward, unit */
    double offset;      /* from the origin, m; DBL_MAX: a needle, whose normal is rounding error */
    uint8_t corner[3];  /* counterclockwise, seen from outside */
} face;

typedef struct growth {
    const dry_placed *a, *b;
    double scale; /* m */
    corner corner[CORNERS_MAX];
    face face[FACES_MAX];
    int corner_count, face_count;
    /* The least extent of the difference so far, m, and its direction. */
    double extent;
    dry_double3 along;
} growth;

/* Returns the corner of the difference that lies farthest along a unit direction, and keeps the least extent.
 */
static corner support(growth *g, dry_double3 along, double *extent)
{
    int number;
    const dry_double3 on_b = dry_placed_support(g->b, along, &number);
    const dry_double3 on_a = dry_placed_support(g->a, double3_neg(along), &number);
    const corner c = {double3_sub(on_b, on_a), on_a};
    *extent = double3_dot(c.at, along);
    if (*extent < g->extent) {
        g->extent = *extent;
        g->along = along;
    }
    return c;
}

static dry_double3 unit_or(dry_double3 v, double least, dry_double3 other)
{
    const double length = double3_length(v);
    return length > least ? double3_scale(v, 1.0 / length) : other;
}

/* Returns a unit vector across a unit vector. */
static dry_double3 across(dry_double3 n)
{
    const dry_double3 p = fabs(n.x) < 0.57735 ? double3(0.0, n.z, -n.y) : double3(n.y, -n.x, 0.0);
    return double3_scale(p, 1.0 / double3_length(p));
}

static void add_face(growth *g, int i, int j, int k)
{
    const dry_double3 a = g->corner[i].at, ab = double3_sub(g->corner[j].at, a);
    const dry_double3 ac = double3_sub(g->corner[k].at, a), n = double3_cross(ab, ac);
    const double length = double3_length(n), longest = double_max(double3_dot(ab, ab), double3_dot(ac, ac));
    DRY_ASSERT(g->face_count < FACES_MAX && i < g->corner_count && j < g->corner_count &&
               k < g->corner_count);
    face *f = &g->face[g->face_count++];
    *f = (face){{0.0, 0.0, 0.0}, DBL_MAX, {(uint8_t)i, (uint8_t)j, (uint8_t)k}};
    if (!(length > 1e-12 * longest))
        return;
    f->normal = double3_scale(n, 1.0 / length);
    f->offset = double3_dot(f->normal, a);
}

/* Finds a tetrahedron in the difference. Returns false where the difference is flat, with the direction
 * across it as the least extent. */
static bool find_tetrahedron(growth *g)
{
    const double least = 1e-12 * g->scale;
    double extent, farthest = -1.0;
    corner *c = g->corner;
    c[0] = support(g, double3(0.0, 1.0, 0.0), &extent);
    for (int i = 0; i < 6; i++) {
        const double sign = i & 1 ? 1.0 : -1.0;
        const corner next = support(
            g, double3(i / 2 == 1 ? sign : 0.0, i / 2 == 0 ? sign : 0.0, i / 2 == 2 ? sign : 0.0), &extent);
        const double distance = double3_length(double3_sub(next.at, c[0].at));
        if (distance > farthest)
            c[1] = next;
        farthest = double_max(distance, farthest);
    }
    const dry_double3 e = unit_or(double3_sub(c[1].at, c[0].at), least, double3(1.0, 0.0, 0.0));
    const dry_double3 u = across(e);
    const dry_double3 v = double3_cross(e, u);
    farthest = -1.0;
    for (int i = 0; i < 4; i++) {
        const corner next = support(g, double3_scale(i < 2 ? u : v, i & 1 ? -1.0 : 1.0), &extent);
        const double distance = double3_length(double3_cross(e, double3_sub(next.at, c[0].at)));
        if (distance > farthest)
            c[2] = next;
        farthest = double_max(distance, farthest);
    }
    const dry_double3 n = unit_or(double3_cross(e, double3_sub(c[2].at, c[0].at)), least, u);
    const corner up = support(g, n, &extent), down = support(g, double3_neg(n), &extent);
    const double above = double3_dot(n, double3_sub(up.at, c[0].at));
    const double below = double3_dot(n, double3_sub(c[0].at, down.at));
    if (!(double_max(above, below) > least)) {
        g->extent = double3_dot(n, c[0].at);
        g->along = n;
        return false;
    }
    c[3] = below >= above ? down : up;
    if (below < above) { /* the base faces away from the fourth corner */
        const corner kept = c[1];
        c[1] = c[2];
        c[2] = kept;
    }
    g->corner_count = 4;
    add_face(g, 0, 1, 2);
    add_face(g, 0, 3, 1);
    add_face(g, 1, 3, 2);
    add_face(g, 2, 3, 0);
    return true;
}

static const face *nearest_face(const growth *g)
{
    const face *best = &g->face[0];
    for (int i = 1; i < g->face_count; i++)
        best = g->face[i].offset < best->offset ? &g->face[i] : best;
    return best;
}

/* The faces that a new corner sees, and for each corner on the border around them the next one along it. */
typedef struct view {
    int face_count, begin; /* one corner of the border */
    uint8_t face[FACES_MAX], next[CORNERS_MAX];
} view;

/* Tells whether the border of a view is one loop of so many edges. */
static bool is_loop(const view *v, int edges)
{
    int at = v->begin, steps = 0;
    do {
        at = v->next[at];
        steps++;
    } while (at != v->begin && at != NO_CORNER && steps < edges);
    return at == v->begin && steps == edges;
}

/* Looks at the polytope from a corner outside. Returns false where the border is not one loop, by rounding.
 */
static bool look_from(const growth *g, dry_double3 at, view *v)
{
    uint64_t bits[CORNERS_MAX][2] = {{0}}; /* by the ends of the edges of faces that are seen */
    int edges = 0;
    v->face_count = v->begin = 0;
    for (int i = 0; i < CORNERS_MAX; i++)
        v->next[i] = NO_CORNER;
    for (int i = 0; i < g->face_count; i++) {
        const face *f = &g->face[i];
        if (!(double3_dot(f->normal, at) - f->offset > ROUNDING * g->scale))
            continue;
        v->face[v->face_count++] = (uint8_t)i;
        for (int k = 0; k < 3; k++)
            bits[f->corner[k]][f->corner[(k + 1) % 3] / 64] |= 1ull << f->corner[(k + 1) % 3] % 64;
    }
    for (int i = 0; i < 3 * v->face_count; i++) {
        const uint8_t *ends = g->face[v->face[i / 3]].corner;
        const uint8_t from = ends[i % 3], to = ends[(i + 1) % 3];
        if (bits[to][from / 64] >> from % 64 & 1)
            continue;
        if (v->next[from] != NO_CORNER)
            return false;
        v->next[from] = to;
        v->begin = from;
        edges++;
    }
    return edges >= 3 && is_loop(v, edges);
}

/* Puts a corner on the polytope, in place of the faces that it sees. Returns false where rounding leaves no
 * surface, or no room. */
static bool grow(growth *g, const corner *c)
{
    view v;
    if (g->corner_count == CORNERS_MAX || !look_from(g, c->at, &v))
        return false;
    while (v.face_count > 0)
        g->face[v.face[--v.face_count]] = g->face[--g->face_count];
    const int top = g->corner_count++;
    g->corner[top] = *c;
    int from = v.begin;
    do {
        add_face(g, from, v.next[from], top);
        from = v.next[from];
    } while (from != v.begin);
    return true;
}

static void grow_until_sure(growth *g)
{
    for (bool grows = true; grows;) {
        const face *f = nearest_face(g);
        double extent;
        if (f->offset == DBL_MAX)
            return;
        const corner next = support(g, f->normal, &extent);
        grows =
            extent - f->offset > SAME * g->scale && g->extent - f->offset > SAME * g->scale && grow(g, &next);
    }
}

/* Returns the point of a where the direction of the least extent leaves the polytope. Of faces in one plane
 * it is the face with the largest least share. */
static dry_double3 point_of(const growth *g)
{
    double best = -DBL_MAX;
    dry_double3 at = g->corner[0].on_a;
    for (int i = 0; i < g->face_count; i++) {
        const face *f = &g->face[i];
        const corner *c[3] = {&g->corner[f->corner[0]], &g->corner[f->corner[1]], &g->corner[f->corner[2]]};
        double share[3], sum = 0.0;
        if (f->offset == DBL_MAX || !(double3_dot(f->normal, g->along) > 0.0))
            continue;
        for (int k = 0; k < 3; k++) {
            share[k] = double3_dot(g->along, double3_cross(c[(k + 1) % 3]->at, c[(k + 2) % 3]->at));
            sum += share[k];
        }
        const double least = double_min(share[0], double_min(share[1], share[2])) / sum;
        if (!(sum > 0.0) || least <= best)
            continue;
        best = least;
        sum = double_max(share[0], 0.0) + double_max(share[1], 0.0) + double_max(share[2], 0.0);
        at = double3(0.0, 0.0, 0.0);
        for (int k = 0; k < 3; k++)
            at = double3_add_scaled(at, double_max(share[k], 0.0) / sum, c[k]->on_a);
    }
    return at;
}

void dry_placed_depth(const dry_placed *a, const dry_placed *b, dry_double3 touching, dry_gap *gap)
{
    growth g = {.a = a, .b = b, .scale = dry_placed_scale(a, b), .extent = DBL_MAX};
    gap->on_a = touching;
    if (find_tetrahedron(&g)) {
        grow_until_sure(&g);
        gap->on_a = point_of(&g);
    }
    gap->normal = double3_neg(g.along);
    gap->separation = -g.extent;
    gap->on_b = double3_add_scaled(gap->on_a, gap->separation, gap->normal);
}
