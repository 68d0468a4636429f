/* Queries between steps: the shapes that overlap a box, that a segment or a moving box hits, that are near.
 *
 * Proxies whose boxes changed since the trees were brought up to date are skipped in the trees and tested one
 * by one.
 *
 * Reads: fat boxes, flags, trees. Writes nothing. */
#include "broadphase/fat_box.h"
#include "broadphase/internal.h"

/* Returns the first proxy above `proxy` that is stale. */
static int next_stale(const dry_broadphase *broadphase, int proxy)
{
    return dry_next_flagged(broadphase, broadphase->stale_blocks, DRY_PROXY_STALE, proxy);
}

/* Returns the first stale proxy. */
static int first_stale(const dry_broadphase *broadphase)
{
    const bool any = dry_proxy_flag_is_up(&broadphase->any_stale);
    return any ? next_stale(broadphase, -1) : broadphase->proxies.used;
}

/* Boxes. */

/* Limits a query's bounds, which may be infinite: differences of infinite numbers are none. */
static dry_position cut(dry_position p)
{
    static const double far = 1e30;
    return (dry_position){dry_clamp_double(p.x, -far, far), dry_clamp_double(p.y, -far, far),
                          dry_clamp_double(p.z, -far, far)};
}

void dry_broadphase_query(const dry_broadphase *broadphase, const dry_bounds *bounds,
                          void (*visit)(void *context, uint32_t user), void *context)
{
    dry_bounds finite = {cut(bounds->min), cut(bounds->max)};
    const dry_box queried = dry_box_from_bounds(broadphase->proxies.origin, &finite);
    dry_box4 box = dry_box4_splat(&queried);
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++) {
        int32_t stack[DRY_TREE_STACK];
        int top = 0;
        if (broadphase->trees.tree[kind].root != DRY_TREE_NONE)
            stack[top++] = broadphase->trees.tree[kind].root;
        while (top > 0) {
            const dry_tree_node *node = &broadphase->trees.nodes[stack[--top]];
            for (int hits = dry_node_overlaps(node, &box); hits; hits &= hits - 1) {
                int32_t child = node->child[dry_lowest_bit((unsigned)hits)];
                if (child >= 0)
                    stack[top++] = child;
                else if (!(broadphase->proxies.flags[~child] & DRY_PROXY_STALE))
                    visit(context, broadphase->proxies.user[~child]);
            }
        }
    }
    for (int p = first_stale(broadphase); p < broadphase->proxies.used; p = next_stale(broadphase, p))
        if (dry_box_overlaps(&broadphase->proxies.box[p], &queried))
            visit(context, broadphase->proxies.user[p]);
    for (int u = dry_unbounded_first(broadphase); u >= 0; u = dry_unbounded_next(broadphase, u))
        if (broadphase->reaches(broadphase->reaches_context, broadphase->proxies.user[u], bounds))
            visit(context, broadphase->proxies.user[u]);
}

/* From near to far. */

/* Segments and distances are tested against four boxes at a time in floats, which leave out no box that exact
 * numbers would hit. A coordinate of the query moves outward by what its conversion may lose, PAD of it. What
 * follows is a difference, products and a sum of numbers of one sign, each off by 2^-24 of itself at most;
 * FEWER and MORE outweigh eight of these. */
static const double PAD = 0x1p-22, FEWER = 1.0 - 0x1p-21, MORE = 1.0 + 0x1p-21;

/* Returns coordinates, in all lanes, that are surely not within (low, high). */
static void round_outward(double low, double high, float4 *low_lanes, float4 *high_lanes)
{
    *low_lanes = float4_set((float)(low - PAD * fabs(low)));
    *high_lanes = float4_set((float)(high + PAD * fabs(high)));
}

/* A child that is still to be visited. The key has the bits of a float of at least 0, a lower bound of what
 * is to be found there, but for the last two, which name the child's slot. */
typedef struct entry {
    int32_t key, child;
} entry;

static float entry_key(entry e)
{
    const int32_t bits = e.key & ~3;
    float key;
    memcpy(&key, &bits, sizeof key);
    return key;
}

static inline void order(int32_t *high, int32_t *low)
{
    const int32_t a = *high, b = *low;
    *high = a > b ? a : b;
    *low = a > b ? b : a;
}

/* Pushes the children of a node but those in lanes of `misses`, the one with the lowest key on top. Returns
 * the new height of the stack. No branch depends on the keys, which no processor could predict: a network
 * sorts all four, and children that are left out come last and above the top. */
static inline int push_children(entry *stack, int top, const dry_tree_node *node, float4 keys, float4 misses)
{
    static const uint8_t counts[1 << DRY_TREE_WIDTH] = {4, 3, 3, 2, 3, 2, 2, 1, 3, 2, 2, 1, 2, 1, 1, 0};
    int32_t key[DRY_TREE_WIDTH];
    float4_store(key, float4_or(float4_number_lanes(keys), misses));
    order(&key[0], &key[1]);
    order(&key[2], &key[3]);
    order(&key[0], &key[2]);
    order(&key[1], &key[3]);
    order(&key[1], &key[2]);
    for (int i = 0; i < DRY_TREE_WIDTH; i++)
        stack[top + i] = (entry){key[i], node->child[key[i] & 3]};
    return top + counts[float4_true(misses)];
}

/* A search that goes from near to far, until `limit`. */
typedef struct walk {
    const dry_broadphase *broadphase;
    float limit;
    float4 limits; /* in all lanes */
    /* Visits a user. Returns the limit from now on. */
    float (*visit)(const struct walk *w, uint32_t user);
} walk;

/* Finds the keys of a node's children. Returns true in the lanes of those beyond the limit. */
typedef float4 node_test(const walk *w, const dry_tree_node *node, float4 *keys);

static void visit_proxy(walk *w, int proxy)
{
    w->limit = w->visit(w, w->broadphase->proxies.user[proxy]);
    w->limits = float4_set(w->limit);
}

/* Visits the proxies within the limit, those of all trees with the nearest one first. */
static inline void walk_trees(walk *w, node_test *test)
{
    const dry_broadphase *b = w->broadphase;
    entry stack[DRY_TREE_STACK];
    float4 keys;
    int top = 0;
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        if (b->trees.tree[kind].root != DRY_TREE_NONE) {
            const dry_tree_node *root = &b->trees.nodes[b->trees.tree[kind].root];
            const float4 misses = test(w, root, &keys);
            top = push_children(stack, top, root, keys, misses);
        }
    for (int i = 1; i < top; i++)
        for (int k = i; k > 0 && stack[k - 1].key < stack[k].key; k--) {
            const entry farther = stack[k];
            stack[k] = stack[k - 1];
            stack[k - 1] = farther;
        }
    while (top > 0) {
        const entry e = stack[--top];
        if (entry_key(e) > w->limit)
            continue;
        if (e.child >= 0) {
            const dry_tree_node *node = &b->trees.nodes[e.child];
            const float4 misses = test(w, node, &keys);
            top = push_children(stack, top, node, keys, misses);
        } else if (!(b->proxies.flags[~e.child] & DRY_PROXY_STALE)) {
            visit_proxy(w, ~e.child);
        }
    }
    for (int p = first_stale(b); p < b->proxies.used; p = next_stale(b, p)) {
        dry_tree_node node = {.count = 1};
        dry_node_set_box(&node, 0, &b->proxies.box[p]);
        if (!(float4_true(test(w, &node, &keys)) & 1))
            visit_proxy(w, p);
    }
    for (int u = dry_unbounded_first(b); u >= 0 && w->limit >= 0.0f; u = dry_unbounded_next(b, u))
        visit_proxy(w, u);
}

/* Segments. */

typedef struct ray_query {
    walk walk;
    float4 in[3], out[3];       /* corners of the box that moves: those that enter and leave a box; of a ray
                                        its origin */
    float4 fewer[3], more[3];   /* inverse of the way, and a little less and more */
    size_t in_at[3], out_at[3]; /* where nodes have the faces at which the way enters and leaves boxes */
    float (*visit)(void *context, uint32_t user);
    void *context;
} ray_query;

/* Finds the fraction at which the segment enters each child's box, by the slabs of [Kay, Kajiya 86]. */
static inline float4 enter(const walk *w, const dry_tree_node *node, float4 *fractions)
{
    const ray_query *ray = (const ray_query *)w;
    float4 near = float4_set(0.0f), far = w->limits;
    for (int k = 0; k < 3; k++) {
        const float4 in = float4_load_aligned((const float *)node + ray->in_at[k]),
                     out = float4_load_aligned((const float *)node + ray->out_at[k]);
        /* The maximum of two zeros is the second, which is positive: keys are of at least 0. */
        near = float4_max((in - ray->in[k]) * ray->fewer[k], near);
        far = float4_min((out - ray->out[k]) * ray->more[k], far);
    }
    *fractions = near;
    return float4_greater(near, far);
}

static float hit(const walk *w, uint32_t user)
{
    const ray_query *ray = (const ray_query *)w;
    return ray->visit(ray->context, user);
}

void dry_broadphase_cast_box(const dry_broadphase *broadphase, dry_position center, dry_vec3 half,
                             dry_vec3 translation, float (*visit)(void *context, uint32_t user),
                             void *context)
{
    const dry_position o = broadphase->proxies.origin;
    const double at[3] = {center.x - o.x, center.y - o.y, center.z - o.z};
    ray_query ray = {.walk = {broadphase, 1.0f, float4_set(1.0f), hit}, .visit = visit, .context = context};
    for (int k = 0; k < 3; k++) {
        const double h = (double)vec3_get(half, k), d = (double)vec3_get(translation, k);
        /* A way this short leaves or enters no box, and its inverse would overflow. */
        const bool back = d <= -1e-30, flat = !back && d < 1e-30;
        round_outward(at[k] - h, at[k] + h, back ? &ray.in[k] : &ray.out[k], back ? &ray.out[k] : &ray.in[k]);
        const double inverse = flat ? 1e30 : 1.0 / d;
        ray.fewer[k] = float4_set((float)(FEWER * inverse));
        ray.more[k] = float4_set((float)(MORE * inverse));
        ray.in_at[k] = DRY_TREE_WIDTH * (size_t)(back ? k + 3 : k);
        ray.out_at[k] = DRY_TREE_WIDTH * (size_t)(back ? k : k + 3);
    }
    walk_trees(&ray.walk, enter);
}

/* Nearest boxes. */

typedef struct near_query {
    walk walk;
    float4 low[3], high[3];
    double (*visit)(void *context, uint32_t user);
    void *context;
} near_query;

/* Finds the distance of each child's box from the query's, m, or less; 0 if they overlap. */
static inline float4 find_distances(const walk *w, const dry_tree_node *node, float4 *distances)
{
    const near_query *query = (const near_query *)w;
    float4 sum = float4_set(0.0f);
    for (int k = 0; k < 3; k++) {
        const float4 over = float4_load_aligned(node->min[k]) - query->high[k],
                     under = query->low[k] - float4_load_aligned(node->max[k]),
                     gap = float4_max(float4_max(over, under), float4_set(0.0f));
        sum += gap * gap;
    }
    *distances = float4_sqrt(sum) * float4_set((float)FEWER);
    return float4_greater(*distances, w->limits);
}

/* Returns a float that is not below a distance. */
static float limit_of(double limit)
{
    return (float)(limit + PAD * fabs(limit));
}

static float approach(const walk *w, uint32_t user)
{
    const near_query *query = (const near_query *)w;
    return limit_of(query->visit(query->context, user));
}

void dry_broadphase_query_near(const dry_broadphase *broadphase, const dry_bounds *bounds, double limit,
                               double (*visit)(void *context, uint32_t user), void *context)
{
    const dry_position o = broadphase->proxies.origin;
    near_query query = {.walk = {broadphase, limit_of(limit), float4_set(limit_of(limit)), approach},
                        .visit = visit,
                        .context = context};
    round_outward(bounds->min.x - o.x, bounds->max.x - o.x, &query.low[0], &query.high[0]);
    round_outward(bounds->min.y - o.y, bounds->max.y - o.y, &query.low[1], &query.high[1]);
    round_outward(bounds->min.z - o.z, bounds->max.z - o.z, &query.low[2], &query.high[2]);
    walk_trees(&query.walk, find_distances);
}
