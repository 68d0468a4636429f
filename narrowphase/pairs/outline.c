/* One clip of two outlines: the corners of one within the other, the places where its edges cross the other's
 * sides [Liang, Barsky, A new concept and method for line clipping, 1984], and the corners of the other
 * within it, in this order. Corners that nearly coincide count once, so aligned boxes keep their features
 * when they tremble. box_face_kernel.h does the same for many pairs of boxes at once. Next: patch.c, which
 * leaves four points. */
#include "narrowphase/pairs/outline.h"

#include "narrowphase/pairs/rules.h"

dry_view dry_view_along(dry_vec3 normal, dry_vec3 x)
{
    dry_view v = {.normal = normal};
    v.x = vec3_normalize_or(vec3_add_scaled(x, -vec3_dot(x, normal), normal), vec3_perpendicular(normal));
    v.y = vec3_cross(normal, v.x);
    return v;
}

void dry_outline_face(const dry_view *v, dry_polytope *p, int face, dry_outline *o)
{
    const dry_vec3 own = dry_polytope_normal(p, face), n = dry_view_see(v, own);
    const dry_double3 way = double3_sub(p->center, v->origin);
    const float offset = dry_polytope_offset(p, face);
    const dry_vec3 middle = vec3_add_scaled(vec3_of(way), offset, own);
    o->kind = DRY_OUTLINE_FACE;
    o->polytope = p;
    o->part = (uint32_t)face;
    o->turn = n.z < 0.0f ? -p->winding : p->winding;
    o->at = (float)(((double)offset + double3_dot(double3_of(own), way)) / (double)n.z);
    o->slope_x = -n.x / n.z;
    o->slope_y = -n.y / n.z;
    o->middle_x = vec3_dot(middle, v->x), o->middle_y = vec3_dot(middle, v->y);
    /* The view narrows a circle in the face to an ellipse; the rest is more than rounding. */
    o->inner =
        (float)PAIR_ON_FACE * dry_abs(n.z) * vec3_get(p->inner, face / 2 % 3) - PAIR_SAME_PLACE * p->radius;
    o->count = 0;
}

/* Finds the corners of a face if they are not known. */
static void find_corners(const dry_view *v, dry_outline *o)
{
    if (o->kind != DRY_OUTLINE_FACE || o->count > 0)
        return;
    dry_polytope *p = o->polytope;
    if (!p->vertices)
        dry_pair_kernels_at(DRY_LEVEL_LEAST_LANES)->polytope_place_vertices(p);
    const dry_vec3 to = vec3_of(double3_sub(p->center, v->origin));
    const int first = p->first[o->part];
    int h = first;
    do {
        DRY_ASSERT(o->count < DRY_HULL_VERTICES_MAX && p->face[h] == o->part);
        const dry_vec3 d = vec3_add(dry_polytope_vertex(p, p->origin[h]), to);
        o->corner[o->count++] =
            (dry_outline_corner){vec3_dot(d, v->x), vec3_dot(d, v->y), p->origin[h], (uint16_t)(h / 2)};
        h = p->next[h];
    } while (h != first);
}

void dry_outline_line(dry_vec3 middle, dry_vec3 half, uint16_t name, dry_outline *o)
{
    const float square = half.x * half.x + half.y * half.y;
    o->kind = square > 0.0f && half.z * half.z <= square ? DRY_OUTLINE_LINE : DRY_OUTLINE_NONE;
    if (o->kind == DRY_OUTLINE_NONE)
        return;
    o->inner = 0.0f;
    o->count = 2;
    o->part = name;
    o->slope_x = half.z / square * half.x;
    o->slope_y = half.z / square * half.y;
    o->at = middle.z - (o->slope_x * middle.x + o->slope_y * middle.y);
    o->corner[0] = (dry_outline_corner){middle.x - half.x, middle.y - half.y, name, name};
    o->corner[1] = (dry_outline_corner){middle.x + half.x, middle.y + half.y, (uint16_t)(name + 1),
                                        (uint16_t)(name + 1)};
}

void dry_outline_disc(dry_vec3 middle, dry_vec3 u, dry_vec3 v, uint16_t name, dry_outline *o)
{
    static const float along_u[8] = {1.0f,        -1.0f,       0.0f,         0.0f,
                                     0.70710678f, 0.70710678f, -0.70710678f, -0.70710678f};
    static const float along_v[8] = {0.0f,        0.0f,         1.0f,        -1.0f,
                                     0.70710678f, -0.70710678f, 0.70710678f, -0.70710678f};
    const dry_vec3 n = vec3_cross(u, v);
    const float inverse = 1.0f / n.z;
    o->kind = DRY_OUTLINE_DISC;
    o->inner = 0.0f;
    o->count = 8;
    o->part = name;
    o->radius = vec3_length(u);
    o->middle_x = middle.x, o->middle_y = middle.y;
    o->inverse[0][0] = v.y * inverse, o->inverse[0][1] = -v.x * inverse;
    o->inverse[1][0] = -u.y * inverse, o->inverse[1][1] = u.x * inverse;
    o->slope_x = -n.x * inverse;
    o->slope_y = -n.y * inverse;
    o->at = middle.z - (o->slope_x * middle.x + o->slope_y * middle.y);
    for (int i = 0; i < 8; i++)
        o->corner[i] = (dry_outline_corner){middle.x + (along_u[i] * u.x + along_v[i] * v.x),
                                            middle.y + (along_u[i] * u.y + along_v[i] * v.y),
                                            (uint16_t)(name + i), name};
}

/* A half-plane inward of a side. */
typedef struct side {
    float x, y, at;
    uint16_t name;
} side;

typedef struct clipping {
    const dry_view *view;
    dry_outline *reference, *other;
    bool reference_is_b;
    float at, slope_x, slope_y; /* of the separation: the height of b's plane over a's */
    dry_clipped *found;
    int side_count;
    side side[DRY_HULL_VERTICES_MAX];
} clipping;

/* Finds the half-planes of an outline: those of a line end it. A disc has none. */
static void find_sides(clipping *c, const dry_outline *o)
{
    c->side_count = 0;
    for (int i = 0; i < o->count && o->kind != DRY_OUTLINE_DISC; i++) {
        const dry_outline_corner *from = &o->corner[i], *to = &o->corner[i + 1 < o->count ? i + 1 : 0];
        const float dx = to->x - from->x, dy = to->y - from->y, length = sqrtf(dx * dx + dy * dy);
        if (!(length > 1e-18f))
            continue;
        const float share = o->count == 2 ? 1.0f / length : o->turn / length;
        side *s = &c->side[c->side_count++];
        *s = o->count == 2 ? (side){share * dx, share * dy, 0.0f, from->edge}
                           : (side){-share * dy, share * dx, 0.0f, from->edge};
        s->at = s->x * from->x + s->y * from->y;
    }
}

/* Returns a place as the unit circle of a disc sees it. */
static dry_vec3 in_circle(const dry_outline *o, float x, float y)
{
    return vec3(o->inverse[0][0] * x + o->inverse[0][1] * y, o->inverse[1][0] * x + o->inverse[1][1] * y,
                0.0f);
}

static float depth_in(const side *s, float x, float y)
{
    return s->x * x + s->y * y - s->at;
}

/* Returns how far a place lies within an outline whose sides were found, m; negative outside. */
static float depth_within(const clipping *c, const dry_outline *o, float x, float y)
{
    float least = FLT_MAX;
    if (o->kind == DRY_OUTLINE_DISC)
        return o->radius * (1.0f - vec3_length(in_circle(o, x - o->middle_x, y - o->middle_y)));
    for (int i = 0; i < c->side_count; i++)
        least = dry_min(least, depth_in(&c->side[i], x, y));
    return least;
}

/* Adds a place that is not known yet. */
static void offer(clipping *c, float x, float y, uint32_t feature)
{
    dry_clipped *found = c->found;
    const float place = c->view->place;
    for (int i = 0; i < found->count; i++) {
        const float dx = found->point[i].x - x, dy = found->point[i].y - y;
        if (dx * dx + dy * dy <= place * place)
            return;
    }
    if (found->count == DRY_CLIPPED_MAX)
        found->count = dry_patch_choose(found->point, found->count, 0, place);
    DRY_ASSERT(found->count < DRY_CLIPPED_MAX);
    found->point[found->count++] =
        (dry_patch_point){x, y, c->at + (c->slope_x * x + c->slope_y * y), feature};
}

static void offer_corner(clipping *c, const dry_outline *of, const dry_outline_corner *corner)
{
    const dry_outline *on = of == c->other ? c->reference : c->other;
    const bool is_of_b = (of == c->reference) == c->reference_is_b;
    offer(c, corner->x, corner->y,
          is_of_b ? dry_view_name(c->view, DRY_AT_CORNER_OF_B, on->part, corner->name)
                  : dry_view_name(c->view, DRY_AT_CORNER_OF_A, corner->name, on->part));
}

/* A stretch of an edge, as shares of the edge, and the sides that end it. */
typedef struct stretch {
    float share[2];
    const side *by[2];
} stretch;

/* Finds the stretch of the line from (x, y) on, by shares of (dx, dy), within a disc. Returns false if there
 * is none. */
static bool stretch_in_disc(const dry_outline *o, float x, float y, float dx, float dy, float share[2])
{
    const dry_vec3 a = in_circle(o, x - o->middle_x, y - o->middle_y), d = in_circle(o, dx, dy);
    const float square = vec3_dot(d, d), along = vec3_dot(a, d);
    const float root = along * along - square * (vec3_dot(a, a) - 1.0f);
    if (!(root >= 0.0f) || !(square > 0.0f))
        return false;
    const float half = sqrtf(root);
    share[0] = (-along - half) / square;
    share[1] = (-along + half) / square;
    return true;
}

/* Finds the stretch of an edge within the reference, whose sides are moved out by `place`. */
static bool find_stretch(const clipping *c, const dry_outline_corner *from, const dry_outline_corner *to,
                         stretch *s)
{
    const float dx = to->x - from->x, dy = to->y - from->y;
    *s = (stretch){{0.0f, 1.0f}, {NULL, NULL}};
    if (c->reference->kind == DRY_OUTLINE_DISC) {
        float share[2];
        if (!stretch_in_disc(c->reference, from->x, from->y, dx, dy, share))
            return false;
        s->share[0] = dry_max(share[0], 0.0f);
        s->share[1] = dry_min(share[1], 1.0f);
    }
    for (int i = 0; i < c->side_count; i++) {
        const side *by = &c->side[i];
        const float depth = depth_in(by, from->x, from->y) + c->view->place, rise = by->x * dx + by->y * dy;
        const bool begins_in = depth >= 0.0f, ends_in = depth + rise >= 0.0f;
        if (!begins_in && !ends_in)
            return false;
        if (begins_in && ends_in)
            continue;
        const int end = begins_in ? 1 : 0;
        const float share = -depth / rise;
        if (end == 0 ? share > s->share[0] : share < s->share[1]) {
            s->share[end] = share;
            s->by[end] = by;
        }
    }
    return s->share[0] <= s->share[1];
}

/* Adds the places where an edge of the other crosses the reference's sides. */
static void cut_edge(clipping *c, int i, const bool inside[2])
{
    const dry_outline *o = c->other;
    const dry_outline_corner *from = &o->corner[i], *to = &o->corner[i + 1 < o->count ? i + 1 : 0];
    stretch s;
    if (!find_stretch(c, from, to, &s))
        return;
    for (int end = 0; end < 2; end++) {
        if (inside[end])
            continue;
        const side *by = s.by[end];
        float x = from->x + s.share[end] * (to->x - from->x), y = from->y + s.share[end] * (to->y - from->y);
        if (by) { /* back onto the side */
            x += c->view->place * by->x;
            y += c->view->place * by->y;
        }
        const uint32_t side_name = by ? by->name : c->reference->part + (uint32_t)end;
        offer(c, x, y,
              c->reference_is_b ? dry_view_name(c->view, DRY_AT_EDGES, from->edge, side_name)
                                : dry_view_name(c->view, DRY_AT_EDGES, side_name, from->edge));
    }
}

/* Adds the corners of the reference within the other. Points of a rim between four that are there add
 * nothing.
 */
static void offer_covered(clipping *c)
{
    const dry_outline *reference = c->reference;
    const bool is_disc = reference->kind == DRY_OUTLINE_DISC;
    find_sides(c, c->other);
    int covered = 0;
    for (int i = 0; i < reference->count && !(is_disc && i >= 4 && covered == 4); i++)
        if (depth_within(c, c->other, reference->corner[i].x, reference->corner[i].y) >= 0.0f) {
            offer_corner(c, reference, &reference->corner[i]);
            covered++;
        }
}

/* Tells whether all points lie along one side of the reference. */
static bool is_thin(clipping *c)
{
    find_sides(c, c->reference);
    for (int i = 0; i < c->side_count; i++) {
        float most = -FLT_MAX;
        for (int k = 0; k < c->found->count; k++)
            most = dry_max(most, depth_in(&c->side[i], c->found->point[k].x, c->found->point[k].y));
        if (most <= c->view->place)
            return true;
    }
    return false;
}

/* Tells whether all corners of the other lie well within the reference, whose sides do not matter then. */
static bool lies_well_within(const clipping *c)
{
    const dry_outline *reference = c->reference, *o = c->other;
    const float inner = dry_max(reference->inner, 0.0f);
    for (int i = 0; i < o->count; i++) {
        const float dx = o->corner[i].x - reference->middle_x, dy = o->corner[i].y - reference->middle_y;
        if (!(dx * dx + dy * dy < inner * inner))
            return false;
    }
    return true;
}

static void clip(clipping *c)
{
    const dry_outline *o = c->other;
    const float place = c->view->place;
    float most = -place;
    bool inside[DRY_HULL_VERTICES_MAX], all = true;
    c->side_count = 0;
    find_corners(c->view, c->other);
    if (!lies_well_within(c)) {
        find_corners(c->view, c->reference);
        find_sides(c, c->reference);
    }
    for (int i = 0; i < o->count; i++) {
        const float depth = depth_within(c, c->reference, o->corner[i].x, o->corner[i].y);
        inside[i] = depth >= -place;
        all = all && inside[i];
        most = dry_max(most, depth);
        if (inside[i])
            offer_corner(c, o, &o->corner[i]);
    }
    if (all)
        return;
    const int edges = o->count == 2 ? 1 : o->count;
    for (int i = 0; i < edges; i++) {
        const bool ends[2] = {inside[i], inside[i + 1 < o->count ? i + 1 : 0]};
        if (!(ends[0] && ends[1]))
            cut_edge(c, i, ends);
    }
    if (o->count == 2)
        return;
    offer_covered(c);
    if (c->reference->kind != DRY_OUTLINE_DISC && most <= place && is_thin(c))
        c->found->count = 0;
}

/* Finds points of the lens in which two discs overlap: along four directions from its middle, on the nearer
 * of the rims. The separation falls fastest along the first one. */
static void clip_discs(clipping *c)
{
    const dry_outline *a = c->reference, *b = c->other;
    float x = b->middle_x - a->middle_x, y = b->middle_y - a->middle_y, own[2], its[2];
    const float distance = sqrtf(x * x + y * y);
    if (distance > 0.0f) {
        x /= distance;
        y /= distance;
    }
    const bool apart = distance > 0.0f;
    if (!stretch_in_disc(a, a->middle_x, a->middle_y, apart ? x : 1.0f, y, own) ||
        !stretch_in_disc(b, a->middle_x, a->middle_y, apart ? x : 1.0f, y, its) || its[0] > own[1])
        return;
    const float way = apart ? 0.5f * (dry_max(own[0], its[0]) + dry_min(own[1], its[1])) : 0.0f;
    x = a->middle_x + way * x;
    y = a->middle_y + way * y;
    const float slope = sqrtf(c->slope_x * c->slope_x + c->slope_y * c->slope_y);
    float dx = c->view->lean_x, dy = c->view->lean_y;
    if (slope >= PAIR_FLAT_SINE || (dx == 0.0f && dy == 0.0f)) {
        dx = slope > 1e-9f ? -c->slope_x / slope : 1.0f;
        dy = slope > 1e-9f ? -c->slope_y / slope : 0.0f;
    }
    const float way_x[4] = {dx, -dx, -dy, dy}, way_y[4] = {dy, -dy, dx, -dx};
    for (uint32_t i = 0; i < 4; i++) {
        if (!stretch_in_disc(a, x, y, way_x[i], way_y[i], own) ||
            !stretch_in_disc(b, x, y, way_x[i], way_y[i], its))
            return;
        const float out = dry_min(own[1], its[1]);
        offer(c, x + out * way_x[i], y + out * way_y[i],
              dry_view_name(c->view, DRY_AT_EDGES, a->part + i, b->part));
    }
}

void dry_outlines_clip(const dry_view *v, dry_outline *a, dry_outline *b, bool reference_is_b,
                       dry_clipped *found)
{
    clipping c; /* its sides are many, and set when they are asked for */
    c.view = v;
    c.reference = reference_is_b ? b : a, c.other = reference_is_b ? a : b;
    DRY_ASSERT(c.reference->kind >= c.other->kind && c.other->kind != DRY_OUTLINE_NONE && v->place >= 0.0f);
    c.reference_is_b = reference_is_b;
    c.at = b->at - a->at;
    c.slope_x = b->slope_x - a->slope_x, c.slope_y = b->slope_y - a->slope_y;
    c.found = found;
    found->count = 0;
    found->has_origin = false;
    if (c.other->kind == DRY_OUTLINE_DISC)
        clip_discs(&c);
    else
        clip(&c);
    int kept = 0;
    for (int i = 0; i < found->count; i++)
        if (found->point[i].height <= v->margin)
            found->point[kept++] = found->point[i];
    found->count = kept;
}

void dry_clipped_write(const dry_view *v, const dry_outline *a, dry_clipped *found, float same,
                       dry_local_manifold *manifold)
{
    const int count = dry_patch_choose(found->point, found->count, 0, same);
    manifold->normal = v->normal;
    manifold->count = 0;
    for (int i = 0; i < count; i++) {
        const dry_patch_point *p = &found->point[i];
        const bool is_origin = found->has_origin && p->x == 0.0f && p->y == 0.0f;
        const float base = is_origin ? 0.0f : a->at + (a->slope_x * p->x + a->slope_y * p->y);
        const dry_vec3 at = vec3_add_scaled(vec3_add_scaled(vec3_scale(v->x, p->x), p->y, v->y),
                                            base + 0.5f * p->height, v->normal);
        dry_local_manifold_add(manifold,
                               vec3((float)(v->origin.x + (double)at.x), (float)(v->origin.y + (double)at.y),
                                    (float)(v->origin.z + (double)at.z)),
                               p->height, p->feature);
    }
}
