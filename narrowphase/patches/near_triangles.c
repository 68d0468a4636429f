/* Triangles near a convex piece. Those that others stand for are left out: where a piece lies wholly beyond
 * an edge, the triangle on the other side has the contact. Next: patches.c. */
#include "narrowphase/patches/near_triangles.h"

#include "geometry/triangles.h"
#include "narrowphase/patches/reach.h"
#include "narrowphase/surface/same_surface.h"

/* A piece is on a triangle's front until this share of its extent is behind, beyond its center: one that has
 * sunk in is still pushed out to the front, and one that touches the back is far from it. */
#define BEHIND 0.5f

/* A piece beyond an edge may touch that edge alone only where the surface falls away by more than this, in
 * steps of 180 / 16 degrees: 45 degrees. Less room has no corner of a piece but a needle's. */
enum { STEPS_STEEP = 4 };

/* A list that grows. */
typedef struct collection {
    const dry_patch_pair *pair;
    dry_extents own; /* the bounds of the piece about its center */
    dry_reach reach;
    bool has_backs;
    dry_near_triangle *list;
    int count;
} collection;

/* Visits the triangles that meet the bounds of the piece, widened by the margin. */
static void visit(const dry_patch_pair *pair, const dry_extents *own, dry_triangles_visitor *visitor,
                  void *context)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = pair->at[k] + (double)(vec3_get(own->low, k) - pair->margin);
        high[k] = pair->at[k] + (double)(vec3_get(own->high, k) + pair->margin);
    }
    dry_triangles_visit(&pair->surface, low, high, visitor, context);
}

static bool count_one(void *context, uint32_t slot)
{
    (void)slot;
    ++*(int *)context;
    return true;
}

int dry_near_triangles_count(const dry_patch_pair *pair)
{
    int count = 0;
    const dry_extents own = dry_geometry_bounds(&pair->piece, pair->orientation);
    visit(pair, &own, count_one, &count);
    return count;
}

bool dry_near_triangle_place(const dry_patch_pair *pair, uint32_t slot, dry_near_triangle *t)
{
    double corner[3][3], u[3], v[3];
    *t = (dry_near_triangle){.slot = slot, .plane = -1};
    dry_triangles_corners(&pair->surface, slot, corner);
    for (int k = 0; k < 3; k++) {
        u[k] = corner[1][k] - corner[0][k];
        v[k] = corner[2][k] - corner[0][k];
        corner[0][k] -= pair->at[k];
        corner[1][k] -= pair->at[k];
        corner[2][k] -= pair->at[k];
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(area > 0.0))
        return false;
    const double offset = (n[0] * corner[0][0] + n[1] * corner[0][1] + n[2] * corner[0][2]) / area;
    for (int i = 0; i < 3; i++)
        t->corner[i] = vec3((float)corner[i][0], (float)corner[i][1], (float)corner[i][2]);
    t->normal = vec3((float)(n[0] / area), (float)(n[1] / area), (float)(n[2] / area));
    t->offset = (float)offset;
    t->area = (float)area;
    t->material = dry_triangles_material(&pair->surface, slot);
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

/* Finds the ridges, and the edges beyond which lowest points of the piece lie. Returns false if the whole
 * piece lies beyond one, so that others stand for the triangle. */
static bool judge_edges(const collection *c, dry_near_triangle *t, bool back, const dry_low_points *low)
{
    const float margin = c->pair->margin, high = low->least + SAME_HEIGHT * c->pair->radius;
    bool is_over[DRY_HULL_VERTICES_MAX];
    for (int i = 0; i < low->count; i++)
        is_over[i] = true;
    for (int k = 0; k < 3; k++) {
        const dry_vec3 along = vec3_sub(t->corner[(k + 1) % 3], t->corner[k]);
        const dry_vec3 outward = vec3_normalize_or(vec3_cross(along, t->normal), t->normal);
        const float edge = vec3_dot(outward, t->corner[k]); /* the piece's center is at 0 */
        int steps;
        const dry_mesh_edge kind = dry_triangles_edge(&c->pair->surface, t->slot, back ? 2 - k : k, &steps);
        const bool falls = kind == (back ? DRY_MESH_EDGE_CONCAVE : DRY_MESH_EDGE_CONVEX);
        const bool rises = kind == (back ? DRY_MESH_EDGE_CONVEX : DRY_MESH_EDGE_CONCAVE);
        const bool ends = kind == DRY_MESH_EDGE_OPEN;
        if (edge < 0.0f) {
            const float beyond = -dry_reach_along(&c->reach, vec3_neg(outward)) - edge;
            if (beyond > margin || (beyond > 0.0f && !ends && !rises && !(falls && steps > STEPS_STEEP)))
                return false;
        }
        t->ridges |= (uint8_t)((falls || ends) << k);
        t->rises |= (uint8_t)(rises << k);
        t->ends |= (uint8_t)(ends << k);
        for (int i = 0; i < low->count; i++) {
            const float beyond = vec3_dot(outward, low->point[i]) - edge;
            is_over[i] &= beyond <= (rises || ends ? dry_max(c->pair->closing, SAME_SURFACE) : SAME_SURFACE);
            t->beyond |= (uint8_t)((beyond > 0.0f && low->height[i] <= high) << k);
        }
    }
    t->is_borne = low->is_disc;
    for (int i = 0; i < low->count; i++)
        t->is_borne |= is_over[i];
    return true;
}

static bool collect_one(void *context, uint32_t slot)
{
    collection *c = context;
    dry_near_triangle *t = &c->list[c->count];
    if (!dry_near_triangle_place(c->pair, slot, t))
        return true;
    c->count++;
    t->is_left_out = true;
    bool back = false;
    if (t->offset > 0.0f && t->offset > BEHIND * dry_reach_along(&c->reach, t->normal)) {
        if (!c->has_backs)
            return true;
        turn_over(t);
        back = true;
    }
    if (-t->offset - dry_reach_along(&c->reach, vec3_neg(t->normal)) > c->pair->margin)
        return true;
    dry_low_points low;
    dry_reach_low_points(&c->reach, t->normal, t->offset, c->pair->margin, &low);
    t->is_left_out = !judge_edges(c, t, back, &low);
    return true;
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
    bool is_alone = true;
    for (int i = 0; i < c->count; i++) {
        const dry_near_triangle *other = &c->list[i];
        const int j = dry_near_triangle_edge(t, k, other);
        if (j < 0)
            continue;
        is_alone = false;
        if (!other->is_left_out && other->beyond >> j & 1 && t->slot < other->slot)
            return true;
    }
    return is_alone && is_near(c->pair, &c->own, t->corner[k], t->corner[(k + 1) % 3]);
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
    for (int i = 0; i < c->count; i++)
        c->list[i].is_left_out |= !c->list[i].is_borne && !c->list[i].has_ridge;
}

int dry_near_triangles_collect(const dry_patch_pair *pair, dry_near_triangle *list)
{
    collection c = {.pair = pair, .has_backs = dry_triangles_have_backs(&pair->surface), .list = list};
    c.own = dry_geometry_bounds(&pair->piece, pair->orientation);
    dry_reach_begin(&c.reach, &pair->piece, pair->orientation);
    visit(pair, &c.own, collect_one, &c);
    judge_ridges(&c);
    return c.count;
}
