/* The least depth of two cores, by a polytope that grows within their difference [van den Bergen, Proximity
 * Queries and Penetration Depth Computation on 3D Game Objects, 2001].
 *
 * The difference holds all b - a of points b and a. The extent of the difference along any direction is the
 * way that b moves against it until the cores only touch, so that each support is an upper bound of the
 * depth. The nearest face of the polytope is a lower one, and the next corner joins beyond it. Flat faces end
 * with equal bounds. A curved surface would take corners without end: the least extent that was seen is then
 * the answer, and the error of its direction counts only in second order.
 *
 * Reads: two cores. Writes: a gap. Next: gap.c, which takes it. */
#include "narrowphase/queries/depth.h"

enum {
    CORNERS_MAX = 128,
    SEARCH_CORNERS = 100,            /* the rest is for the end of the search */
    FACES_MAX = 2 * CORNERS_MAX - 4, /* of a closed surface of triangles */
    NO_FACE = 255,
    REFINEMENTS = 24,
};

/* Equal to this share of the size, bounds are the same. */
#define SAME 1e-10
/* Points of a curved surface are as exact as this share of the size. */
#define CURVED 1e-8
/* Planes above which a corner lies by less than this share of the size stay. */
#define ROUNDING 1e-13

typedef struct corner {
    dry_triple at, on_a; /* a point of the difference, and its point of a */
} corner;

typedef struct face {
    dry_triple normal; /* outward, unit */
    double offset;     /* from the origin, m; DBL_MAX: a needle, whose normal is rounding error */
    uint8_t corner[3];
    uint8_t next[3]; /* the face across the edge from corner i to the next */
    bool used, seen;
} face;

typedef struct growth {
    const dry_placed *a, *b;
    double scale; /* m */
    corner corner[CORNERS_MAX];
    face face[FACES_MAX];
    int corner_count, face_count; /* faces: places in use, some of them empty */
    /* The least extent of the difference so far, m, and its direction. */
    double extent;
    dry_triple along;
} growth;

/* Returns the corner of the difference that lies farthest along a unit direction, and keeps the least extent.
 */
static corner support(growth *g, dry_triple along, double *extent)
{
    int number;
    const dry_triple on_b = dry_placed_support(g->b, along, &number);
    const dry_triple on_a = dry_placed_support(g->a, triple_neg(along), &number);
    const corner c = {triple_sub(on_b, on_a), on_a};
    *extent = triple_dot(c.at, along);
    if (*extent < g->extent) {
        g->extent = *extent;
        g->along = along;
    }
    return c;
}

static dry_triple unit_or(dry_triple v, double least, dry_triple other)
{
    const double length = triple_length(v);
    return length > least ? triple_scale(v, 1.0 / length) : other;
}

/* Returns a unit vector across a unit vector. */
static dry_triple across(dry_triple n)
{
    const dry_triple p = double_abs(n.x) < 0.57735 ? triple(0.0, n.z, -n.y) : triple(n.y, -n.x, 0.0);
    return triple_scale(p, 1.0 / triple_length(p));
}

static void set_plane(growth *g, face *f)
{
    const dry_triple a = g->corner[f->corner[0]].at, b = g->corner[f->corner[1]].at;
    const dry_triple c = g->corner[f->corner[2]].at;
    const dry_triple ab = triple_sub(b, a), ac = triple_sub(c, a), n = triple_cross(ab, ac);
    const double length = triple_length(n), longest = double_max(triple_dot(ab, ab), triple_dot(ac, ac));
    f->used = true;
    f->seen = false;
    f->normal = triple(0.0, 0.0, 0.0);
    f->offset = DBL_MAX;
    if (!(length > 1e-12 * longest))
        return;
    f->normal = triple_scale(n, 1.0 / length);
    f->offset = triple_dot(f->normal, a);
}

static void begin_tetrahedron(growth *g)
{
    static const uint8_t corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint8_t next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int i = 0; i < 4; i++) {
        face *f = &g->face[i];
        for (int k = 0; k < 3; k++) {
            f->corner[k] = corners[i][k];
            f->next[k] = next[i][k];
        }
        set_plane(g, f);
    }
}

/* Finds a tetrahedron in the difference. Returns false where the difference is flat, with the direction
 * across it as the least extent. */
static bool find_tetrahedron(growth *g)
{
    const double least = 1e-12 * g->scale;
    double extent, farthest = -1.0;
    corner *c = g->corner;
    c[0] = support(g, triple(0.0, 1.0, 0.0), &extent);
    for (int i = 0; i < 6; i++) {
        const double sign = i & 1 ? 1.0 : -1.0;
        const corner next = support(
            g, triple(i / 2 == 1 ? sign : 0.0, i / 2 == 0 ? sign : 0.0, i / 2 == 2 ? sign : 0.0), &extent);
        const double distance = triple_length(triple_sub(next.at, c[0].at));
        if (distance > farthest)
            c[1] = next;
        farthest = double_max(distance, farthest);
    }
    const dry_triple e = unit_or(triple_sub(c[1].at, c[0].at), least, triple(1.0, 0.0, 0.0));
    const dry_triple u = across(e);
    const dry_triple v = triple_cross(e, u);
    farthest = -1.0;
    for (int i = 0; i < 4; i++) {
        const corner next = support(g, triple_scale(i < 2 ? u : v, i & 1 ? -1.0 : 1.0), &extent);
        const double distance = triple_length(triple_cross(e, triple_sub(next.at, c[0].at)));
        if (distance > farthest)
            c[2] = next;
        farthest = double_max(distance, farthest);
    }
    const dry_triple n = unit_or(triple_cross(e, triple_sub(c[2].at, c[0].at)), least, u);
    const corner up = support(g, n, &extent), down = support(g, triple_neg(n), &extent);
    const double above = triple_dot(n, triple_sub(up.at, c[0].at));
    const double below = triple_dot(n, triple_sub(c[0].at, down.at));
    if (!(double_max(above, below) > least)) {
        g->extent = triple_dot(n, c[0].at);
        g->along = n;
        return false;
    }
    c[3] = below >= above ? down : up;
    if (below < above) { /* the base faces away from the fourth corner */
        const corner kept = c[1];
        c[1] = c[2];
        c[2] = kept;
    }
    g->corner_count = g->face_count = 4;
    begin_tetrahedron(g);
    return true;
}

static int nearest_face(const growth *g)
{
    int best = -1;
    for (int i = 0; i < g->face_count; i++)
        if (g->face[i].used && (best < 0 || g->face[i].offset < g->face[best].offset))
            best = i;
    return best;
}

/* An edge at the border of what a new corner sees: its ends, and the face beyond it. */
typedef struct border {
    uint8_t from, to, beyond;
} border;

/* Marks the faces that a corner sees, from one of them on, and lists the edges around them. Returns their
 * number. */
static int find_border(growth *g, int first, dry_triple at, border *edges)
{
    uint8_t stack[FACES_MAX];
    int top = 0, count = 0;
    stack[top++] = (uint8_t)first;
    g->face[first].seen = true;
    while (top > 0) {
        const face *f = &g->face[stack[--top]];
        for (int k = 0; k < 3; k++) {
            face *next = &g->face[f->next[k]];
            if (next->seen)
                continue;
            if (triple_dot(next->normal, at) - next->offset > ROUNDING * g->scale) {
                next->seen = true;
                stack[top++] = f->next[k];
            }
        }
    }
    for (int i = 0; i < g->face_count; i++)
        for (int k = 0; k < 3 && g->face[i].used && g->face[i].seen; k++)
            if (!g->face[g->face[i].next[k]].seen)
                edges[count++] =
                    (border){g->face[i].corner[k], g->face[i].corner[(k + 1) % 3], g->face[i].next[k]};
    return count;
}

/* Tells whether edges are one closed loop: each corner begins one edge at most, and all follow each other. */
static bool is_loop(const border *edges, int count, uint8_t *at)
{
    for (int i = 0; i < CORNERS_MAX; i++)
        at[i] = NO_FACE;
    for (int i = 0; i < count; i++) {
        if (at[edges[i].from] != NO_FACE)
            return false;
        at[edges[i].from] = (uint8_t)i;
    }
    int i = 0, steps = 0;
    do {
        i = at[edges[i].to];
        steps++;
    } while (i != 0 && i != NO_FACE && steps < count);
    return i == 0 && steps == count;
}

/* Sets the face across an edge. */
static void join(growth *g, const border *edge, int to)
{
    face *f = &g->face[edge->beyond];
    for (int k = 0; k < 3; k++)
        if (f->corner[k] == edge->to && f->corner[(k + 1) % 3] == edge->from)
            f->next[k] = (uint8_t)to;
}

/* Puts a corner outside of a face on the polytope. Returns false where rounding leaves no surface, or no
 * room.
 */
static bool grow(growth *g, int seen, const corner *c)
{
    border edges[FACES_MAX];
    uint8_t edge_at[CORNERS_MAX], made[FACES_MAX];
    if (g->corner_count == CORNERS_MAX)
        return false;
    const int count = find_border(g, seen, c->at, edges);
    if (count < 3 || !is_loop(edges, count, edge_at))
        return false;
    for (int i = 0; i < g->face_count; i++)
        g->face[i].used = g->face[i].used && !g->face[i].seen;
    const int top = g->corner_count++;
    g->corner[top] = *c;
    for (int i = 0, slot = 0; i < count; i++, slot++) {
        while (slot < g->face_count && g->face[slot].used)
            slot++;
        if (slot == FACES_MAX)
            return false;
        g->face_count = dry_max_int(g->face_count, slot + 1);
        made[i] = (uint8_t)slot;
        face *f = &g->face[slot];
        f->corner[0] = edges[i].from, f->corner[1] = edges[i].to, f->corner[2] = (uint8_t)top;
        set_plane(g, f);
        join(g, &edges[i], slot);
    }
    for (int i = 0; i < count; i++) {
        const int after = edge_at[edges[i].to];
        g->face[made[i]].next[0] = edges[i].beyond;
        g->face[made[i]].next[1] = made[after];
        g->face[made[after]].next[2] = made[i];
    }
    return true;
}

/* Turns the direction to where the extent is least nearby. Corners of a curved surface leave it a little off.
 */
static void refine(growth *g)
{
    double step = 0.05, extent;
    for (int i = 0; i < REFINEMENTS; i++) {
        const dry_triple n = g->along, x = across(n), y = triple_cross(n, x);
        /* Every other time along the diagonals: a ridge of the extent would stop the same four directions. */
        const dry_triple u = i & 1 ? triple_add_scaled(x, 0.9, y) : x, v = triple_cross(n, u);
        const double before = g->extent;
        for (int k = 0; k < 4; k++) {
            const dry_triple tried = triple_add_scaled(n, k & 1 ? -step : step, k < 2 ? u : v);
            support(g, triple_scale(tried, 1.0 / triple_length(tried)), &extent);
        }
        step *= g->extent < before ? 1.0 : 0.5;
    }
}

/* Writes the shares of a face's corners at the point where the direction leaves the face, if there is one.
 * Returns the least of them. */
static double shares_of(const growth *g, const face *f, double share[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const dry_triple from = g->corner[f->corner[(k + 1) % 3]].at,
                         to = g->corner[f->corner[(k + 2) % 3]].at;
        share[k] = triple_dot(g->along, triple_cross(from, to));
        sum += share[k];
    }
    if (!(sum > 0.0))
        return -DBL_MAX;
    for (int k = 0; k < 3; k++)
        share[k] /= sum;
    return double_min(share[0], double_min(share[1], share[2]));
}

/* Finds the face through which the direction of the least extent leaves the polytope, and the shares of its
 * corners there. */
static int face_along(const growth *g, double taken[3])
{
    double best = -DBL_MAX, share[3];
    int found = 0;
    taken[0] = 1.0, taken[1] = taken[2] = 0.0;
    for (int i = 0; i < g->face_count; i++) {
        const face *f = &g->face[i];
        if (!f->used || f->offset == DBL_MAX || !(triple_dot(f->normal, g->along) > 0.0))
            continue;
        const double least = shares_of(g, f, share);
        if (least <= best)
            continue;
        best = least;
        found = i;
        for (int k = 0; k < 3; k++)
            taken[k] = double_max(share[k], 0.0);
    }
    return found;
}

/* Grows the polytope along the direction, so that the point of a there lies on a curved surface. */
static void grow_along(growth *g)
{
    double share[3], extent;
    for (bool grows = true; grows;) {
        const int found = face_along(g, share);
        const face f = g->face[found];
        const corner next = support(g, f.normal, &extent);
        grows = g->extent * triple_dot(f.normal, g->along) - f.offset > CURVED * g->scale &&
                extent - f.offset > SAME * g->scale && grow(g, found, &next);
    }
}

static dry_triple point_of(const growth *g)
{
    double share[3];
    const face *f = &g->face[face_along(g, share)];
    const double sum = share[0] + share[1] + share[2];
    dry_triple at = triple(0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++)
        at = triple_add_scaled(at, share[k] / sum, g->corner[f->corner[k]].on_a);
    return at;
}

static void grow_until_sure(growth *g)
{
    for (bool grows = true; grows;) {
        const int nearest = nearest_face(g);
        const face f = g->face[nearest];
        if (f.offset == DBL_MAX)
            return;
        double extent;
        const corner next = support(g, f.normal, &extent);
        grows = extent - f.offset > SAME * g->scale && g->extent - f.offset > SAME * g->scale &&
                g->corner_count < SEARCH_CORNERS && grow(g, nearest, &next);
    }
}

void dry_placed_depth(const dry_placed *a, const dry_placed *b, dry_triple touching, dry_gap *gap)
{
    growth g = {.a = a, .b = b, .scale = dry_placed_scale(a, b), .extent = DBL_MAX};
    gap->on_a = touching;
    if (find_tetrahedron(&g)) {
        grow_until_sure(&g);
        if (a->kind == DRY_PLACED_CYLINDER || b->kind == DRY_PLACED_CYLINDER) {
            refine(&g);
            grow_along(&g);
        }
        gap->on_a = point_of(&g);
    }
    gap->normal = triple_neg(g.along);
    gap->separation = -g.extent;
    gap->on_b = triple_add_scaled(gap->on_a, gap->separation, gap->normal);
}

double dry_placed_separation(const dry_placed *a, const dry_placed *b, dry_triple normal)
{
    int number;
    const dry_triple on_b = dry_placed_support(b, triple_neg(normal), &number);
    return triple_dot(normal, triple_sub(on_b, dry_placed_support(a, normal, &number)));
}

void dry_placed_refine_normal(const dry_placed *a, const dry_placed *b, dry_gap *gap)
{
    growth g = {.a = a, .b = b, .along = triple_neg(gap->normal)};
    g.extent = -dry_placed_separation(a, b, gap->normal);
    refine(&g);
    gap->normal = triple_neg(g.along);
}
