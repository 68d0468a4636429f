/* The face of the other polytope that looks against the reference face, cut by the planes along that face's
 * sides [Sutherland and Hodgman, Reentrant polygon clipping, 1974].
 *
 * Corners that nearly coincide count once, as vertices of the other polytope where one is among them: aligned
 * boxes keep their features when they tremble. Next: patch.c, which leaves four points. */
#include "narrowphase/pairs/hull_face.h"

#include "narrowphase/pairs/hull_rules.h"
#include "narrowphase/pairs/patch.h"

enum { CORNERS_MAX = 2 * DRY_HULL_VERTICES_MAX + 4 };

/* A corner of the polygon, and the line on which the polygon goes on from there: an edge of the other
 * polytope, or a side of the reference face. */
typedef struct corner {
    dry_patch_point point;
    uint16_t line;
    bool is_side;
} corner;

/* The view from above the reference face: x and y along it from its first vertex. */
typedef struct view {
    const dry_polytope *reference, *other;
    dry_vec3 shift; /* from the reference's center to the other's */
    bool of_b;
    int face, other_face;
    dry_vec3 x, y, normal, origin; /* about the reference's center */
    float place;                   /* corners nearer than this count as one, m */
} view;

static view look_at(const dry_hull_search *s, bool of_b, int face)
{
    view v = {.reference = of_b ? &s->b : &s->a,
              .other = of_b ? &s->a : &s->b,
              .shift = of_b ? vec3_neg(s->offset) : s->offset,
              .of_b = of_b,
              .face = face,
              .place = PAIR_SAME_PLACE * s->half};
    const dry_polytope *p = v.reference;
    v.normal = dry_polytope_normal(p, face);
    const int h = p->first[face];
    const dry_vec3 first = dry_polytope_vertex(p, p->origin[h]),
                   second = dry_polytope_vertex(p, p->origin[p->next[h]]);
    const dry_vec3 along = vec3_sub(second, first);
    v.x = vec3_normalize_or(vec3_add_scaled(along, -vec3_dot(along, v.normal), v.normal),
                            vec3_perpendicular(v.normal));
    v.y = vec3_cross(v.normal, v.x);
    const float below = dry_polytope_offset(p, face) - vec3_dot(first, v.normal);
    v.origin = vec3_add_scaled(first, below, v.normal);
    const dry_vec3 against = vec3_neg(v.normal);
    v.other_face =
        dry_polytope_face_around(v.other, dry_polytope_support(v.other, s->kernels, against), against);
    return v;
}

static uint32_t vertex_of_other(const view *v, int vertex)
{
    return v->of_b ? DRY_HULL_FEATURE(DRY_HULL_VERTEX_OF_A, vertex, v->face)
                   : DRY_HULL_FEATURE(DRY_HULL_VERTEX_OF_B, v->face, vertex);
}

static uint32_t vertex_of_reference(const view *v, int vertex)
{
    return v->of_b ? DRY_HULL_FEATURE(DRY_HULL_VERTEX_OF_B, v->other_face, vertex)
                   : DRY_HULL_FEATURE(DRY_HULL_VERTEX_OF_A, vertex, v->other_face);
}

static uint32_t crossing(const view *v, int edge, int side)
{
    return v->of_b ? DRY_HULL_FEATURE(DRY_HULL_EDGES, edge, side)
                   : DRY_HULL_FEATURE(DRY_HULL_EDGES, side, edge);
}

/* Writes the other's face as seen from above the reference. */
static int other_corners(const view *v, corner *corners)
{
    const dry_polytope *p = v->other;
    const dry_vec3 to = vec3_sub(v->shift, v->origin);
    int count = 0, h = p->first[v->other_face];
    do {
        const dry_vec3 d = vec3_add(dry_polytope_vertex(p, p->origin[h]), to);
        corners[count++] = (corner){
            {vec3_dot(d, v->x), vec3_dot(d, v->y), vec3_dot(d, v->normal), vertex_of_other(v, p->origin[h])},
            (uint16_t)(h / 2),
            false};
        h = p->next[h];
    } while (h != p->first[v->other_face]);
    return count;
}

/* A side of the reference face: its half-edge, and the half-plane inward of it. */
typedef struct side {
    int h;
    float x, y, offset;
} side;

static float depth_in(const side *s, const dry_patch_point *p)
{
    return s->x * p->x + s->y * p->y - s->offset;
}

/* Returns the vertex between two sides of the reference. */
static int vertex_between(const dry_polytope *p, int h, int g)
{
    return p->next[h] == g ? p->origin[g] : p->origin[h];
}

/* Returns the corner where the line from `from` to `to` crosses a side. */
static corner cross_side(const view *v, const side *s, const corner *from, const corner *to, float depth_from,
                         float depth_to)
{
    const float t = depth_from / (depth_from - depth_to);
    const dry_patch_point *a = &from->point, *b = &to->point;
    const uint32_t feature = from->is_side
                                 ? vertex_of_reference(v, vertex_between(v->reference, from->line, s->h))
                                 : crossing(v, from->line, s->h / 2);
    return (corner){{a->x + t * (b->x - a->x), a->y + t * (b->y - a->y),
                     a->height + t * (b->height - a->height), feature},
                    from->line,
                    from->is_side};
}

/* Cuts a polygon by a side, in place. A side crosses a convex polygon twice, which adds one corner at most:
 * no corner that is written lies beyond the one that is read next. Returns the number of corners left; none
 * if all lie along the side. */
static int cut(const view *v, const side *s, corner *corners, int count)
{
    int kept = 0;
    float most = -FLT_MAX;
    const corner first = corners[0];
    corner from = first;
    float depth = depth_in(s, &first.point);
    for (int i = 0; i < count; i++) {
        const corner to = i + 1 < count ? corners[i + 1] : first;
        const float next = depth_in(s, &to.point);
        const bool inside = depth >= -v->place, next_inside = next >= -v->place;
        most = dry_max(most, depth);
        if (inside)
            corners[kept++] = from;
        if (inside && !next_inside) {
            if (depth > v->place)
                corners[kept++] = cross_side(v, s, &from, &to, depth, next);
            corners[kept - 1].line = (uint16_t)s->h;
            corners[kept - 1].is_side = true;
        }
        if (!inside && next_inside && next > v->place)
            corners[kept++] = cross_side(v, s, &from, &to, depth, next);
        from = to;
        depth = next;
    }
    return most > v->place ? kept : 0;
}

/* The room for a polygon, and then for its corners that are collected: a worker's stack is small. */
typedef union polygon {
    corner corner[CORNERS_MAX];
    dry_patch_point point[CORNERS_MAX];
} polygon;

/* Collects the corners within the margin, one for each place. Points are smaller than corners, so that none
 * is written over a corner that is still to be read. */
static int collect(const view *v, polygon *room, int count, float margin)
{
    int kept = 0;
    const float square = v->place * v->place;
    for (int i = 0; i < count; i++) {
        const dry_patch_point p = room->corner[i].point, *points = room->point;
        bool known = !(p.height <= margin);
        for (int j = 0; j < kept && !known; j++) {
            const float dx = p.x - points[j].x, dy = p.y - points[j].y;
            known = dx * dx + dy * dy <= square;
        }
        if (!known)
            room->point[kept++] = p;
    }
    return kept;
}

/* Cuts the other's face by all sides of the reference face, and collects the corners that are left. Returns
 * how many. */
static int clip(const view *v, float margin, polygon *room)
{
    int count = other_corners(v, room->corner);
    const dry_polytope *p = v->reference;
    const int first = p->first[v->face];
    int h = first;
    dry_vec3 from = vec3_sub(dry_polytope_vertex(p, p->origin[h]), v->origin);
    do {
        const int next = p->next[h];
        const dry_vec3 to = vec3_sub(dry_polytope_vertex(p, p->origin[next]), v->origin);
        const dry_vec3 d = vec3_sub(to, from);
        const float x = p->winding * -vec3_dot(d, v->y), y = p->winding * vec3_dot(d, v->x);
        const float length = sqrtf(x * x + y * y);
        if (length > 1e-18f) {
            side s = {h, x / length, y / length, 0.0f};
            s.offset = s.x * vec3_dot(from, v->x) + s.y * vec3_dot(from, v->y);
            count = cut(v, &s, room->corner, count);
        }
        h = next;
        from = to;
    } while (h != first && count > 0);
    return collect(v, room, count, margin);
}

void dry_hull_face_contact(const dry_hull_search *s, bool of_b, int face, dry_local_manifold *manifold)
{
    const view v = look_at(s, of_b, face);
    polygon room;
    int count = clip(&v, s->margin, &room);
    count = dry_patch_choose(room.point, count, 0, PAIR_SAME_DEPTH * s->half);
    manifold->normal = of_b ? vec3_neg(v.normal) : v.normal;
    manifold->count = 0;
    for (int i = 0; i < count; i++) {
        const dry_patch_point *p = &room.point[i];
        dry_vec3 at = vec3_add_scaled(vec3_add_scaled(v.origin, p->x, v.x), p->y, v.y);
        at = vec3_add_scaled(at, 0.5f * p->height, v.normal);
        dry_local_manifold_add(manifold, dry_polytope_from_center(v.reference, at), p->height, p->feature);
    }
}
