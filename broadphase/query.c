/* Queries between steps: the shapes that overlap a box, that a segment or a moving box hits, that are near.
 *
 * Proxies whose boxes changed since the trees were brought up to date are skipped in the trees and tested one
 * by one.
 *
 * Reads: fat boxes, flags, trees. Writes nothing. */
#include "broadphase/fat_box.h"
#include "broadphase/internal.h"
#include "broadphase/unbounded.h"

/* Called for every stale proxy. (refresh.c has a walk that may change them.) */
typedef void stale_visit(const dry_broadphase *broadphase, int proxy, void *context);

static void visit_stale(const dry_broadphase *broadphase, stale_visit *visit, void *context)
{
    const dry_proxy_flag *flags = broadphase->stale_blocks;
    int blocks = dry_proxy_blocks(broadphase);
    for (int block = -1; (block = dry_proxy_flag_next(flags, block + 1, blocks)) < blocks;) {
        int begin = block * DRY_PROXY_BLOCK,
            end = dry_min_int(begin + DRY_PROXY_BLOCK, broadphase->proxies.used);
        for (int proxy = begin; proxy < end; proxy++) {
            if (broadphase->proxies.flags[proxy] & DRY_PROXY_STALE)
                visit(broadphase, proxy, context);
        }
    }
}

/* Boxes. */

typedef struct box_query {
    dry_box box;
    void (*visit)(void *context, uint32_t user);
    void *context;
} box_query;

static void query_stale(const dry_broadphase *broadphase, int proxy, void *context)
{
    const box_query *query = context;
    if (dry_box_overlaps(&broadphase->proxies.box[proxy], &query->box))
        query->visit(query->context, broadphase->proxies.user[proxy]);
}

/* Limits a query's bounds, which may be infinite: differences of infinite numbers are none. */
static dry_position cut(dry_position p)
{
    static const double far = 1e30;
    return (dry_position){p.x < -far  ? -far
                          : p.x > far ? far
                                      : p.x,
                          p.y < -far  ? -far
                          : p.y > far ? far
                                      : p.y,
                          p.z < -far  ? -far
                          : p.z > far ? far
                                      : p.z};
}

void dry_broadphase_query(const dry_broadphase *broadphase, const dry_bounds *bounds,
                          void (*visit)(void *context, uint32_t user), void *context)
{
    dry_bounds finite = {cut(bounds->min), cut(bounds->max)};
    box_query query = {dry_box_from_bounds(broadphase->proxies.origin, &finite), visit, context};
    dry_box4 box = dry_box4_splat(&query.box);
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++) {
        int32_t stack[DRY_TREE_STACK];
        int top = 0;
        if (broadphase->trees.tree[kind].root != DRY_TREE_NONE)
            stack[top++] = broadphase->trees.tree[kind].root;
        while (top > 0) {
            const dry_tree_node *node = &broadphase->trees.nodes[stack[--top]];
            for (int hits = dry_node_overlaps(node, &box); hits; hits &= hits - 1) {
                int32_t child = node->child[__builtin_ctz((unsigned)hits)];
                if (child >= 0)
                    stack[top++] = child;
                else if (!(broadphase->proxies.flags[~child] & DRY_PROXY_STALE))
                    visit(context, broadphase->proxies.user[~child]);
            }
        }
    }
    if (dry_proxy_flag_is_up(&broadphase->any_stale))
        visit_stale(broadphase, query_stale, &query);
    for (int u = dry_unbounded_first(broadphase); u >= 0; u = dry_unbounded_next(broadphase, u))
        if (broadphase->reaches(broadphase->reaches_context, broadphase->proxies.user[u], bounds))
            visit(context, broadphase->proxies.user[u]);
}

/* Returns two floats as doubles. */
static inline simde__m128d two_of(const float *at)
{
    return simde_mm_cvtps_pd(
        simde_mm_castsi128_ps(simde_mm_loadl_epi64((const simde__m128i *)(const void *)at)));
}

static inline simde__m128d either(simde__m128d mask, simde__m128d yes, simde__m128d no)
{
    return simde_mm_or_pd(simde_mm_and_pd(mask, yes), simde_mm_andnot_pd(mask, no));
}

/* Returns a node whose first child's box is a proxy's. */
static dry_tree_node node_of(const dry_broadphase *broadphase, int proxy)
{
    dry_tree_node node = {.count = 1};
    dry_node_set_box(&node, 0, &broadphase->proxies.box[proxy]);
    return node;
}

/* Segments, in doubles: a float would be off by many meters far from the origin, and boxes are rounded
 * outward while a segment cannot be. */

typedef struct ray_query {
    double origin[3], translation[3], inverse[3]; /* inverse 0: runs along the slab */
    double half[3];                               /* of a box about the moving point, m; 0: a ray */
    double fraction;
    float (*visit)(void *context, uint32_t user);
    void *context;
} ray_query;

/* Finds the fraction at which the segment enters each child's box, by the slabs of [Kay, Kajiya 86]; a
 * negative number where it misses the box or enters it only beyond the query's fraction. */
static void enter(const ray_query *ray, const dry_tree_node *node, double fraction[DRY_TREE_WIDTH])
{
    const simde__m128d zero = simde_mm_setzero_pd(), none = simde_mm_set1_pd(-1.0);
    for (int slot = 0; slot < DRY_TREE_WIDTH; slot += 2) {
        simde__m128d near = zero, far = simde_mm_set1_pd(ray->fraction);
        for (int k = 0; k < 3; k++) {
            const simde__m128d origin = simde_mm_set1_pd(ray->origin[k]),
                               half = simde_mm_set1_pd(ray->half[k]),
                               inverse = simde_mm_set1_pd(ray->inverse[k]);
            simde__m128d low = simde_mm_sub_pd(simde_mm_sub_pd(two_of(&node->min[k][slot]), origin), half);
            simde__m128d high = simde_mm_add_pd(simde_mm_sub_pd(two_of(&node->max[k][slot]), origin), half);
            if (ray->inverse[k] == 0.0) {
                const simde__m128d in =
                    simde_mm_and_pd(simde_mm_cmple_pd(low, zero), simde_mm_cmpge_pd(high, zero));
                far = either(in, far, none);
                continue;
            }
            low = simde_mm_mul_pd(low, inverse);
            high = simde_mm_mul_pd(high, inverse);
            near = simde_mm_max_pd(simde_mm_min_pd(low, high), near);
            far = simde_mm_min_pd(simde_mm_max_pd(high, low), far);
        }
        simde_mm_storeu_pd(&fraction[slot], either(simde_mm_cmple_pd(near, far), near, none));
    }
}

static void hit_proxy(const dry_broadphase *broadphase, ray_query *ray, int proxy)
{
    ray->fraction = (double)ray->visit(ray->context, broadphase->proxies.user[proxy]);
}

static void cast_stale(const dry_broadphase *broadphase, int proxy, void *context)
{
    ray_query *ray = context;
    const dry_tree_node node = node_of(broadphase, proxy);
    double fraction[DRY_TREE_WIDTH];
    enter(ray, &node, fraction);
    if (fraction[0] >= 0.0)
        hit_proxy(broadphase, ray, proxy);
}

typedef struct ray_entry {
    double enter;
    int32_t child;
} ray_entry;

static void cast_tree(const dry_broadphase *broadphase, ray_query *ray, dry_tree_kind kind)
{
    ray_entry stack[DRY_TREE_STACK];
    int top = 0;
    if (broadphase->trees.tree[kind].root != DRY_TREE_NONE)
        stack[top++] = (ray_entry){0.0, broadphase->trees.tree[kind].root};
    while (top > 0) {
        ray_entry entry = stack[--top];
        if (entry.enter > ray->fraction)
            continue;
        if (entry.child < 0) {
            if (!(broadphase->proxies.flags[~entry.child] & DRY_PROXY_STALE))
                hit_proxy(broadphase, ray, ~entry.child);
            continue;
        }
        /* Farther children are pushed first, so that nearer ones are taken first. */
        const dry_tree_node *node = &broadphase->trees.nodes[entry.child];
        int bottom = top;
        double fraction[DRY_TREE_WIDTH];
        enter(ray, node, fraction);
        for (int slot = 0; slot < node->count; slot++) {
            ray_entry child = {fraction[slot], node->child[slot]};
            if (child.enter < 0.0)
                continue;
            int i = top++;
            for (; i > bottom && stack[i - 1].enter < child.enter; i--)
                stack[i] = stack[i - 1];
            stack[i] = child;
        }
    }
}

void dry_broadphase_cast_box(const dry_broadphase *broadphase, dry_position center, dry_vec3 half,
                             dry_vec3 translation, float (*visit)(void *context, uint32_t user),
                             void *context)
{
    dry_position o = broadphase->proxies.origin;
    ray_query ray = {.origin = {center.x - o.x, center.y - o.y, center.z - o.z},
                     .half = {(double)half.x, (double)half.y, (double)half.z},
                     .translation = {(double)translation.x, (double)translation.y, (double)translation.z},
                     .fraction = 1.0,
                     .visit = visit,
                     .context = context};
    for (int k = 0; k < 3; k++) {
        double d = ray.translation[k];
        /* A way this short leaves or enters no box, and its inverse would overflow. */
        ray.inverse[k] = d > -1e-30 && d < 1e-30 ? 0.0 : 1.0 / d;
    }
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        cast_tree(broadphase, &ray, (dry_tree_kind)kind);
    if (dry_proxy_flag_is_up(&broadphase->any_stale))
        visit_stale(broadphase, cast_stale, &ray);
    for (int u = dry_unbounded_first(broadphase); u >= 0 && ray.fraction >= 0.0;
         u = dry_unbounded_next(broadphase, u))
        hit_proxy(broadphase, &ray, u);
}

void dry_broadphase_cast_ray(const dry_broadphase *broadphase, dry_position origin, dry_vec3 translation,
                             float (*visit)(void *context, uint32_t user), void *context)
{
    dry_broadphase_cast_box(broadphase, origin, (dry_vec3){0.0f, 0.0f, 0.0f}, translation, visit, context);
}

/* Nearest boxes, in doubles as segments. */

typedef struct near_query {
    double min[3], max[3];
    double limit; /* m */
    double (*visit)(void *context, uint32_t user);
    void *context;
} near_query;

/* Finds the distance of each child's box from the query's, m; 0 if they overlap. */
static void find_distances(const near_query *query, const dry_tree_node *node,
                           double distance[DRY_TREE_WIDTH])
{
    for (int slot = 0; slot < DRY_TREE_WIDTH; slot += 2) {
        simde__m128d sum = simde_mm_setzero_pd();
        for (int k = 0; k < 3; k++) {
            const simde__m128d over =
                simde_mm_sub_pd(two_of(&node->min[k][slot]), simde_mm_set1_pd(query->max[k]));
            const simde__m128d under =
                simde_mm_sub_pd(simde_mm_set1_pd(query->min[k]), two_of(&node->max[k][slot]));
            const simde__m128d gap = simde_mm_max_pd(simde_mm_max_pd(over, under), simde_mm_setzero_pd());
            sum = simde_mm_add_pd(sum, simde_mm_mul_pd(gap, gap));
        }
        simde_mm_storeu_pd(&distance[slot], simde_mm_sqrt_pd(sum));
    }
}

static void near_proxy(const dry_broadphase *broadphase, near_query *query, int proxy)
{
    query->limit = query->visit(query->context, broadphase->proxies.user[proxy]);
}

static void near_stale(const dry_broadphase *broadphase, int proxy, void *context)
{
    near_query *query = context;
    const dry_tree_node node = node_of(broadphase, proxy);
    double distance[DRY_TREE_WIDTH];
    find_distances(query, &node, distance);
    if (distance[0] <= query->limit)
        near_proxy(broadphase, query, proxy);
}

typedef struct near_entry {
    double distance;
    int32_t child;
} near_entry;

/* Takes nearer children first. */
static void near_tree(const dry_broadphase *broadphase, near_query *query, dry_tree_kind kind)
{
    near_entry stack[DRY_TREE_STACK];
    int top = 0;
    if (broadphase->trees.tree[kind].root != DRY_TREE_NONE)
        stack[top++] = (near_entry){0.0, broadphase->trees.tree[kind].root};
    while (top > 0) {
        const near_entry entry = stack[--top];
        if (entry.distance > query->limit)
            continue;
        if (entry.child < 0) {
            if (!(broadphase->proxies.flags[~entry.child] & DRY_PROXY_STALE))
                near_proxy(broadphase, query, ~entry.child);
            continue;
        }
        const dry_tree_node *node = &broadphase->trees.nodes[entry.child];
        const int bottom = top;
        double distance[DRY_TREE_WIDTH];
        find_distances(query, node, distance);
        for (int slot = 0; slot < node->count; slot++) {
            const near_entry child = {distance[slot], node->child[slot]};
            if (child.distance > query->limit)
                continue;
            int i = top++;
            for (; i > bottom && stack[i - 1].distance < child.distance; i--)
                stack[i] = stack[i - 1];
            stack[i] = child;
        }
    }
}

void dry_broadphase_query_near(const dry_broadphase *broadphase, const dry_bounds *bounds, double limit,
                               double (*visit)(void *context, uint32_t user), void *context)
{
    const dry_position o = broadphase->proxies.origin;
    near_query query = {{bounds->min.x - o.x, bounds->min.y - o.y, bounds->min.z - o.z},
                        {bounds->max.x - o.x, bounds->max.y - o.y, bounds->max.z - o.z},
                        limit,
                        visit,
                        context};
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        near_tree(broadphase, &query, (dry_tree_kind)kind);
    if (dry_proxy_flag_is_up(&broadphase->any_stale))
        visit_stale(broadphase, near_stale, &query);
    for (int u = dry_unbounded_first(broadphase); u >= 0; u = dry_unbounded_next(broadphase, u))
        near_proxy(broadphase, &query, u);
}
