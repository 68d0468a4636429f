/* Triangles near a convex piece. Those that others stand for are left out: where a piece lies wholly beyond
 * an edge, the triangle on the other side has the contact. Next: patches.c. */
#include "narrowphase/patches/near_triangles.h"

#include "geometry/triangles.h"
#include "narrowphase/patches/reach.h"

/* A piece is on a triangle's front until this share of its extent is behind, beyond its center: one that has
 * sunk in is still pushed out to the front, and one that touches the back is far from it. */
#define BEHIND 0.5f

/* A piece beyond an edge may touch that edge alone only where the surface falls away by more than this, in
 * steps of 180 / 16 degrees: 45 degrees. Less room has no corner of a piece but a needle's. */
enum { STEPS_STEEP = 4 };

/* A list that grows. */
typedef struct collection {
    const dry_patch_pair *pair;
    dry_reach reach;
    bool has_backs;
    dry_near_triangle *list;
    int count;
} collection;

/* Visits the triangles that meet the bounds of the piece, widened by the margin. */
static void visit(const dry_patch_pair *pair, dry_triangles_visitor *visitor, void *context)
{
    const dry_extents own = dry_geometry_bounds(&pair->piece, pair->orientation);
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = pair->at[k] + (double)(vec3_get(own.low, k) - pair->margin);
        high[k] = pair->at[k] + (double)(vec3_get(own.high, k) + pair->margin);
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
    visit(pair, count_one, &count);
    return count;
}

/* Places the corners about the piece, and finds the plane. Returns false for a triangle without area. */
static bool place(const dry_patch_pair *pair, uint32_t slot, dry_near_triangle *t)
{
    double corner[3][3], u[3], v[3];
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
    t->slot = slot;
    t->plane = -1;
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

/* Finds the edges that the piece reaches. Returns false if it lies beyond one, so that others stand for the
 * triangle. */
static bool judge_edges(const collection *c, dry_near_triangle *t, bool back)
{
    const float margin = c->pair->margin;
    t->ridges = 0;
    for (int k = 0; k < 3; k++) {
        const dry_vec3 along = vec3_sub(t->corner[(k + 1) % 3], t->corner[k]);
        const dry_vec3 outward = vec3_normalize_or(vec3_cross(along, t->normal), t->normal);
        const float edge = vec3_dot(outward, t->corner[k]); /* the piece's center is at 0 */
        const float beyond = edge < 0.0f ? -dry_reach_along(&c->reach, vec3_neg(outward)) - edge : -edge;
        if (beyond > margin)
            return false;
        int steps;
        const dry_mesh_edge kind = dry_triangles_edge(&c->pair->surface, t->slot, back ? 2 - k : k, &steps);
        const bool falls = kind == (back ? DRY_MESH_EDGE_CONCAVE : DRY_MESH_EDGE_CONVEX);
        const bool ends = kind == DRY_MESH_EDGE_OPEN;
        if (beyond > 0.0f && !ends && !(falls && steps > STEPS_STEEP))
            return false;
        if ((falls || ends) && (edge < 0.0f || dry_reach_along(&c->reach, outward) > edge - margin))
            t->ridges |= (uint8_t)(1 << k);
    }
    return true;
}

static bool collect_one(void *context, uint32_t slot)
{
    collection *c = context;
    dry_near_triangle *t = &c->list[c->count];
    if (!place(c->pair, slot, t))
        return true;
    bool back = false;
    if (t->offset > 0.0f && t->offset > BEHIND * dry_reach_along(&c->reach, t->normal)) {
        if (!c->has_backs)
            return true;
        turn_over(t);
        back = true;
    }
    const float lowest = -t->offset - dry_reach_along(&c->reach, vec3_neg(t->normal));
    c->count += lowest <= c->pair->margin && judge_edges(c, t, back);
    return true;
}

int dry_near_triangles_collect(const dry_patch_pair *pair, dry_near_triangle *list)
{
    collection c = {.pair = pair, .has_backs = dry_triangles_have_backs(&pair->surface), .list = list};
    dry_reach_begin(&c.reach, &pair->piece, pair->orientation);
    visit(pair, collect_one, &c);
    return c.count;
}
