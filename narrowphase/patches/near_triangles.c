/* Triangles near a convex piece. Next: patches.c. */
#include "narrowphase/patches/near_triangles.h"

#include "geometry/triangles.h"

/* A piece is on a triangle's front until this share of its extent is behind, beyond its center: one that has
 * sunk in is still pushed out to the front, and one that touches the back is far from it. */
#define BEHIND 0.5f

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

/* A list that grows. */
typedef struct collection {
    const dry_patch_pair *pair;
    bool has_backs;
    dry_near_triangle *list;
    int count;
} collection;

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

/* Returns how far the piece reaches from its center along a direction, m. */
static float reach_along(const dry_patch_pair *pair, dry_vec3 n)
{
    const dry_quat up = dry_halfspace_frame(n, 0.0f).orientation;
    return dry_geometry_bounds(&pair->piece, quat_mul(quat_conjugate(up), pair->orientation)).high.y;
}

static void turn_over(dry_near_triangle *t)
{
    const dry_vec3 second = t->corner[1];
    t->corner[1] = t->corner[2];
    t->corner[2] = second;
    t->normal = vec3_neg(t->normal);
    t->offset = -t->offset;
}

static bool collect_one(void *context, uint32_t slot)
{
    collection *c = context;
    dry_near_triangle *t = &c->list[c->count];
    if (!place(c->pair, slot, t))
        return true;
    if (t->offset > 0.0f && t->offset > BEHIND * reach_along(c->pair, t->normal)) {
        if (!c->has_backs)
            return true;
        turn_over(t);
    }
    c->count += -t->offset - c->pair->radius <= c->pair->margin;
    return true;
}

int dry_near_triangles_collect(const dry_patch_pair *pair, dry_near_triangle *list)
{
    collection c = {pair, dry_triangles_have_backs(&pair->surface), list, 0};
    visit(pair, collect_one, &c);
    return c.count;
}
