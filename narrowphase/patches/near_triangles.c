/* Triangles near a convex piece. Those that others stand for are left out: where a piece lies wholly beyond
 * an edge, the triangle on the other side has the contact. Next: patches.c. */
#include "narrowphase/patches/near_triangles.h"

#include "core/assert.h"
#include "core/compiler.h"
#include "geometry/triangles.h"
#include "narrowphase/patches/reach.h"
#include "narrowphase/patches/sides.h"
#include "narrowphase/surface/same_surface.h"

#include <string.h>

/* A piece is on a triangle's front until this share of its extent is behind, beyond its center: one that has
 * sunk in is still pushed out to the front, and one that touches the back is far from it. */
#define BEHIND 0.5f

/* A piece beyond an edge may touch that edge alone only where the surface falls away by more than this, in
 * steps of 180 / 16 degrees: 45 degrees. Less room has no corner of a piece but a needle's. */
enum { STEPS_STEEP = 4 };

/* A center above the edge of two triangles that part by an angle is beyond it by at most this share of its
 * height: the tangent of 14 degrees. Flat edges part by at most 2.5 degrees, those of strips under 4 mm more.
 */
#define FOLD_STEEPEST 0.25f

typedef struct collection {
    const dry_patch_pair *pair;
    dry_reach reach;
    bool has_backs;
    dry_near_triangle *list;
    int count, room;
} collection;

bool dry_near_triangle_place(const dry_patch_pair *pair, uint32_t slot, dry_near_triangle *t)
{
    dry_double3 corner[3];
    dry_triangles_corners(&pair->surface, slot, corner);
    const dry_double3 n = double3_cross(double3_sub(corner[1], corner[0]), double3_sub(corner[2], corner[0]));
    const double area = double3_length(n);
    if (!(area > 0.0))
        return false;
    for (int i = 0; i < 3; i++)
        t->corner[i] = vec3_of(double3_sub(corner[i], pair->at));
    t->normal = vec3((float)(n.x / area), (float)(n.y / area), (float)(n.z / area));
    t->offset = (float)(double3_dot(n, double3_sub(corner[0], pair->at)) / area);
    t->area = (float)area;
    t->slot = slot;
    t->plane = -1;
    t->material = dry_triangles_material(&pair->surface, slot);
    t->is_back = t->is_borne = t->has_ridge = false;
    t->ridges = t->flats = t->folds = t->rises = t->ends = t->beyond = 0;
    return true;
}

static void turn_over(dry_near_triangle *t)
{
    const dry_vec3 second = t->corner[1];
    t->corner[1] = t->corner[2];
    t->corner[2] = second;
    t->normal = vec3_neg(t->normal);
    t->offset = -t->offset;
}

/* Returns how far the middle of a piece may be behind a triangle's plane before it is at the back, m. A piece
 * that has been held on one side alone stays there until it is out of it on the other. */
static float most_behind(const dry_patch_pair *pair, dry_vec3 normal, float extent)
{
    bool front = false, back = false;
    for (int i = 0; i < pair->held_count; i++) {
        front |= vec3_dot(pair->held[i], normal) > 0.5f;
        back |= vec3_dot(pair->held[i], normal) < -0.5f;
    }
    return front == back ? 0.5f * BEHIND * extent : front ? extent : -extent;
}

/* Turns triangles over that have two sides if the piece is at their back. */
static void find_back(const collection *c, dry_near_triangle *t)
{
    if (!c->has_backs)
        return;
    const float most = dry_reach_along(&c->reach, t->normal),
                least = -dry_reach_along(&c->reach, vec3_neg(t->normal));
    if (t->offset - 0.5f * (most + least) <= most_behind(c->pair, t->normal, most - least))
        return;
    turn_over(t);
    t->is_back = true;
}

/* Finds out how the surface goes on beyond the edges of a triangle. Tells whether others stand for it: where
 * the piece lies wholly beyond an edge. */
static bool others_stand_for(const collection *c, dry_near_triangle *t, const dry_sides *sides, int i)
{
    bool stand = false;
    dry_edge_angle edges[3];
    dry_triangles_edges(&c->pair->surface, t->slot, edges);
    for (int k = 0; k < 3; k++) {
        const dry_edge_angle *edge = &edges[t->is_back ? 2 - k : k];
        const dry_mesh_edge kind = edge->kind;
        const bool falls = kind == (t->is_back ? DRY_MESH_EDGE_CONCAVE : DRY_MESH_EDGE_CONVEX);
        const bool rises = kind == (t->is_back ? DRY_MESH_EDGE_CONVEX : DRY_MESH_EDGE_CONCAVE);
        const bool ends = kind == DRY_MESH_EDGE_OPEN;
        t->ridges |= (uint8_t)((falls || ends) << k);
        t->flats |= (uint8_t)((kind == DRY_MESH_EDGE_FLAT) << k);
        t->rises |= (uint8_t)(rises << k);
        t->ends |= (uint8_t)(ends << k);
        stand |= sides->beyond[k][i] > 0.0f && !(ends || rises || (falls && edge->steps > STEPS_STEEP));
    }
    return stand;
}

static void set_sides(dry_sides *sides, int i, const dry_near_triangle *t)
{
    for (int k = 0; k < 3; k++) {
        sides->corner[k][0][i] = t->corner[k].x;
        sides->corner[k][1][i] = t->corner[k].y;
        sides->corner[k][2][i] = t->corner[k].z;
        sides->normal[k][i] = vec3_get(t->normal, k);
    }
    sides->offset[i] = t->offset;
}

/* Sets how far beyond the edges points are over a triangle, too: dry_lies_ahead takes no others. */
static void set_over(dry_sides *sides, int i, const dry_near_triangle *t, float closing)
{
    const float ahead = dry_max(closing, SAME_SURFACE), deep = dry_max(ahead, -sides->height[i]);
    set_sides(sides, i, t);
    for (int k = 0; k < 3; k++)
        sides->over[k][i] = t->rises >> k & 1 ? deep : t->ends >> k & 1 ? ahead : SAME_SURFACE;
}

/* Tells whether the piece is within the margin of a triangle, and not behind it. Takes over what was found.
 */
static bool is_within_margin(const collection *c, dry_near_triangle *t, const dry_sides *sides, int i)
{
    const float margin = c->pair->margin;
    for (int k = 0; k < 3; k++)
        t->outward[k] = vec3(sides->outward[k][0][i], sides->outward[k][1][i], sides->outward[k][2][i]);
    const float extent = sides->most[i] - sides->height[i] - t->offset;
    const float deepest = dry_max(0.5f * BEHIND * extent, most_behind(c->pair, t->normal, extent));
    const bool is_behind = t->offset - sides->most[i] + 0.5f * extent > deepest;
    return !is_behind && sides->height[i] <= margin && sides->beyond[0][i] <= margin &&
           sides->beyond[1][i] <= margin && sides->beyond[2][i] <= margin;
}

/* Judges at most DRY_SIDES triangles. Most of them are out of reach, and only the rest is asked for edges. */
static void judge(const collection *c, dry_near_triangle *list, int count)
{
    const dry_side_rule rule = {c->pair->margin, SAME_HEIGHT * c->pair->radius};
    const dry_pair_kernels *kernels = dry_pair_kernels_at(c->pair->level);
    dry_sides sides;
    for (int i = 0; i < DRY_SIDES; i++)
        set_sides(&sides, i, &list[dry_min_int(i, count - 1)]);
    DRY_ASSERT(count > 0 && count <= DRY_SIDES);
    kernels->find_sides(&sides, count, &c->reach);
    memset(sides.over, 0, sizeof sides.over);
    int left[DRY_SIDES], left_count = 0;
    for (int i = 0; i < count; i++) {
        dry_near_triangle *t = &list[i];
        t->is_left_out = !is_within_margin(c, t, &sides, i) || others_stand_for(c, t, &sides, i);
        if (t->is_left_out)
            continue;
        /* Those that are left move to the front. */
        sides.height[left_count] = sides.height[i];
        set_over(&sides, left_count, t, c->pair->closing);
        left[left_count++] = i;
    }
    kernels->find_touched(&sides, left_count, &c->reach, &rule);
    for (int i = 0; i < left_count; i++) {
        const int touched = (int)sides.touched[i];
        list[left[i]].is_borne = touched & DRY_SIDES_BORNE;
        list[left[i]].beyond = (uint8_t)(touched / DRY_SIDES_BEYOND);
    }
}

static bool list_one(void *context, uint32_t slot)
{
    collection *c = context;
    if (c->count < c->room)
        c->list[c->count].slot = slot;
    c->count++;
    return true;
}

/* Visits the triangles that meet the bounds of the piece, widened by `room` m. */
static void visit(const dry_patch_pair *pair, const dry_extents *own, float room,
                  dry_triangles_visitor *visitor, void *context)
{
    const dry_vec3 wider = vec3(room, room, room);
    const dry_double3 low = double3_add(pair->at, double3_of(vec3_sub(own->low, wider))),
                      high = double3_add(pair->at, double3_of(vec3_add(own->high, wider)));
    dry_triangles_visit(&pair->surface, false, low, high, visitor, context);
}

/* Looks at all that are listed, and takes those without area from the list. */
static void judge_all(collection *c)
{
    const int listed = c->count;
    c->count = 0;
    for (int i = 0; i < listed; i++) {
        dry_near_triangle *t = &c->list[c->count];
        if (!dry_near_triangle_place(c->pair, c->list[i].slot, t))
            continue;
        find_back(c, t);
        for (int k = 0; k < 3; k++)
            t->edge[k] = vec3_length_squared(vec3_add(t->corner[k], t->corner[(k + 1) % 3]));
        c->count++;
    }
    for (int i = 0; i < c->count; i += DRY_SIDES)
        judge(c, c->list + i, dry_min_int(c->count - i, DRY_SIDES));
}

DRY_NOINLINE int dry_near_list_beyond(const dry_near_list *list, int from, const dry_near_triangle *t,
                                      int edge, int *its_edge)
{
    for (; from < list->count; from++)
        for (int k = 0; k < 3; k++) {
            const dry_near_triangle *other = &list->triangle[from];
            *its_edge = k;
            if (t->edge[edge] == other->edge[k] &&
                vec3_is_zero(vec3_sub(t->corner[edge], other->corner[(k + 1) % 3])) &&
                vec3_is_zero(vec3_sub(t->corner[(edge + 1) % 3], other->corner[k])))
                return from;
        }
    return from;
}

/* Tells whether an edge of a triangle meets the bounds of the piece, widened by the margin. */
static bool is_near(const dry_patch_pair *pair, const dry_extents *own, dry_vec3 a, dry_vec3 b)
{
    const dry_vec3 room = vec3(pair->margin, pair->margin, pair->margin);
    const dry_extents edge = {vec3_sub(vec3_min(a, b), room), vec3_add(vec3_max(a, b), room)};
    return dry_extents_overlap(&edge, own);
}

/* Tells whether the piece may touch an edge between two triangles, or at the end of one, and not only their
 * faces. Where it does so, it has a lowest point beyond the edge over either of them: supports are monotone.
 * The triangle of the lower number looks after the edge. */
static bool may_touch_ridge(const collection *c, const dry_near_triangle *t, int k)
{
    const dry_near_list list = {c->pair, c->list, t->ends >> k & 1 ? 0 : c->count}; /* an end has no other */
    bool is_alone = true;
    int j;
    for (int i = 0; (i = dry_near_list_beyond(&list, i, t, k, &j)) < list.count; i++) {
        const dry_near_triangle *other = &c->list[i];
        DRY_ASSERT(other->slot != t->slot);
        is_alone = false;
        if (!other->is_left_out && other->beyond >> j & 1 && t->slot < other->slot)
            return true;
    }
    return is_alone && is_near(c->pair, &c->reach.bounds, t->corner[k], t->corner[(k + 1) % 3]);
}

/* Returns the place of a center of a round piece about a corner. */
static dry_vec3 center_about(const dry_reach *reach, int i, dry_vec3 corner)
{
    const float *x = reach->vertices + i;
    return vec3_sub(vec3(x[0], x[reach->room], x[2 * reach->room]), corner);
}

/* Tells whether a center of a round piece lies in the wedge between the normals of two triangles, above their
 * edge. */
static bool is_above_edge(const dry_reach *reach, const dry_near_triangle *t, int k,
                          const dry_near_triangle *other, int j)
{
    for (int i = 0; i < reach->count; i++) {
        const dry_vec3 at = center_about(reach, i, t->corner[k]);
        if (vec3_dot(t->outward[k], at) > SAME_SURFACE && vec3_dot(other->outward[j], at) > SAME_SURFACE)
            return true;
    }
    return false;
}

/* Returns the flat edges of a triangle beyond which a center of a round piece lies, at most `far` from their
 * lines: a bit for each. */
static uint8_t find_folds(const dry_reach *reach, const dry_near_triangle *t, float far)
{
    int folds = 0;
    for (int i = 0; i < reach->count; i++) {
        const dry_vec3 at = center_about(reach, i, t->corner[0]);
        const float height = vec3_dot(t->normal, at), room = far * far - height * height;
        for (int k = 0; k < 3 && room >= 0.0f; k++) {
            const float beyond = vec3_dot(t->outward[k], center_about(reach, i, t->corner[k]));
            folds |= (beyond > SAME_SURFACE && beyond <= FOLD_STEEPEST * far && beyond * beyond <= room) << k;
        }
    }
    return (uint8_t)(folds & t->flats);
}

/* Finds the edges that are flat and yet convex by a degree or two, where a center of a round piece lies over
 * neither of the triangles: no face bears it there. The triangle of the lower number looks after the edge. */
static void judge_folds(collection *c)
{
    const dry_reach *reach = &c->reach;
    for (int i = 0; i < c->count; i++) {
        dry_near_triangle *t = &c->list[i];
        if (!t->is_left_out && t->flats)
            t->folds = find_folds(reach, t, reach->rounding + c->pair->margin);
        for (int k = 0; k < 3; k++) {
            const dry_near_list list = {c->pair, c->list, t->folds >> k & 1 ? i : 0};
            int j;
            for (int other = 0; (other = dry_near_list_beyond(&list, other, t, k, &j)) < list.count;
                 other++) {
                dry_near_triangle *o = &c->list[other];
                if (o->folds >> j & 1 && is_above_edge(reach, t, k, o, j))
                    (t->slot < o->slot ? t : o)->has_ridge = true;
            }
        }
    }
}

/* Leaves triangles out that bear nothing. */
static void judge_ridges(collection *c)
{
    for (int i = 0; i < c->count; i++) {
        dry_near_triangle *t = &c->list[i];
        for (int k = 0; k < 3 && !t->is_left_out; k++)
            if (t->ridges >> k & t->beyond >> k & 1)
                t->has_ridge |= may_touch_ridge(c, t, k);
    }
    if (c->reach.rounding > 0.0f)
        judge_folds(c);
    for (int i = 0; i < c->count; i++)
        c->list[i].is_left_out |= !c->list[i].is_borne && !c->list[i].has_ridge;
}

int dry_near_triangles_collect(const dry_patch_pair *pair, dry_near_triangle *list, int room)
{
    collection c;
    c.pair = pair;
    c.has_backs = dry_triangles_have_backs(&pair->surface);
    c.list = list;
    c.count = 0;
    c.room = room;
    dry_reach_begin(&c.reach, &pair->piece, pair->orientation, pair->level);
    visit(pair, &c.reach.bounds, pair->margin, list_one, &c);
    if (c.count > room)
        return c.count;
    judge_all(&c);
    judge_ridges(&c);
    return c.count;
}

/* A search for a lower bound of the distance. */
typedef struct gap_search {
    const dry_patch_pair *pair;
    const dry_extents *own;
    double gap; /* m */
} gap_search;

static bool measure_gap(void *context, uint32_t slot)
{
    gap_search *s = context;
    dry_double3 corner[3];
    double gap = 0.0;
    dry_triangles_corners(&s->pair->surface, slot, corner);
    for (int k = 0; k < 3; k++) {
        const double a = double3_get(corner[0], k), b = double3_get(corner[1], k),
                     c = double3_get(corner[2], k);
        const double at = double3_get(s->pair->at, k);
        const double under = double_min(a, double_min(b, c)) - at - (double)vec3_get(s->own->high, k);
        const double over = at + (double)vec3_get(s->own->low, k) - double_max(a, double_max(b, c));
        gap = double_max(gap, double_max(under, over));
    }
    s->gap = gap < s->gap ? gap : s->gap;
    return s->gap > (double)s->pair->margin;
}

float dry_near_triangles_gap(const dry_patch_pair *pair)
{
    const dry_extents own = dry_geometry_bounds(&pair->piece, pair->orientation);
    const float most = DRY_FAR_FACTOR * pair->margin;
    gap_search s = {pair, &own, (double)most};
    visit(pair, &own, most, measure_gap, &s);
    return (float)s.gap;
}
