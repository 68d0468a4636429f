/* Rays against a mesh. Boxes are tested in float, widened by its rounding, and triangles in double.
 *
 * Reads: a block. Next: ray_triangle.h. */
#include "geometry/mesh_node.h"
#include "geometry/ray_triangle.h"

/* A ray against boxes. Distances are along the longest component of the translation, from where the ray
 * enters the bounds. */
typedef struct lane_ray {
    float from[3], inverse[3]; /* m, 1 */
    float room[3];             /* of each component: rounding, as a distance */
    bool backward[3];
    double begin, scale; /* distance = (fraction - begin) scale */
} lane_ray;

typedef struct cast {
    const dry_mesh_tree *tree;
    lane_ray lanes;
    dry_sheared_ray sheared;
    int sides;
    bool is_found;
    float limit; /* distance for boxes, rounded up */
    dry_mesh_hit best;
    dry_mesh_visit_hit *visit; /* null: the nearest is wanted */
    void *context;
} cast;

typedef struct far_child {
    uint32_t child;
    float distance;
} far_child;

static float bounds_magnitude(const dry_box *bounds)
{
    float most = 0.0f;
    for (int k = 0; k < 3; k++)
        most = dry_max(most, dry_max(dry_abs(bounds->min[k]), dry_abs(bounds->max[k])));
    return most;
}

/* Finds the fractions at which a ray is within the bounds, widened by `room`. */
static bool clip(const dry_mesh_ray *ray, const dry_box *bounds, double room, double *begin, double *end)
{
    *begin = 0.0;
    *end = 1.0;
    for (int k = 0; k < 3; k++) {
        const double low = (double)bounds->min[k] - room - ray->origin[k];
        const double high = (double)bounds->max[k] + room - ray->origin[k];
        const double way = ray->translation[k];
        if (way == 0.0) {
            if (low > 0.0 || high < 0.0)
                return false;
            continue;
        }
        const double enter = (way > 0.0 ? low : high) / way, leave = (way > 0.0 ? high : low) / way;
        *begin = enter > *begin ? enter : *begin;
        *end = leave < *end ? leave : *end;
    }
    return *begin <= *end;
}

/* A component that is almost zero counts as 1e-20 of the longest: that moves the ray less than rounding. */
static bool prepare(cast *c, const dry_mesh_tree *tree, const dry_mesh_ray *ray)
{
    const double longest = fabs(ray->translation[dry_longest_axis(ray->translation)]);
    const float most = bounds_magnitude(&tree->bounds);
    const double room = 4.0 * (double)FLT_EPSILON * (double)most + 1e-30;
    double end;
    lane_ray *l = &c->lanes;
    if (!(longest > 0.0) || !clip(ray, &tree->bounds, room, &l->begin, &end))
        return false;
    l->scale = longest;
    for (int k = 0; k < 3; k++) {
        double way = ray->translation[k] / longest;
        l->backward[k] = way < 0.0;
        if (fabs(way) < 1e-20)
            way = l->backward[k] ? -1e-20 : 1e-20;
        l->from[k] = (float)(ray->origin[k] + l->begin * ray->translation[k]);
        l->inverse[k] = (float)(1.0 / way);
        l->room[k] = 8.0f * FLT_EPSILON * most * dry_abs(l->inverse[k]);
    }
    c->limit = (float)((end - l->begin) * longest) * (1.0f + 2.0f * FLT_EPSILON);
    c->sheared = dry_sheared_ray_of(ray->origin, ray->translation);
    c->tree = tree;
    c->sides = ray->sides;
    return true;
}

/* Returns a bit for each child that the ray meets, and the distances there. */
static int meets(const cast *c, const dry_mesh_node *node, float distance[DRY_MESH_WIDTH])
{
    const lane_ray *l = &c->lanes;
    simde__m128 enter = simde_mm_setzero_ps(), leave = simde_mm_set1_ps(c->limit);
    for (int k = 0; k < 3; k++) {
        const uint8_t *first = l->backward[k] ? node->high[k] : node->low[k];
        const uint8_t *last = l->backward[k] ? node->low[k] : node->high[k];
        const float base = (node->origin[k] - l->from[k]) * l->inverse[k];
        const simde__m128 s = simde_mm_set1_ps(node->step[k] * l->inverse[k]);
        enter = simde_mm_max_ps(enter, simde_mm_add_ps(simde_mm_mul_ps(dry_mesh_bytes4(first), s),
                                                       simde_mm_set1_ps(base - l->room[k])));
        leave = simde_mm_min_ps(leave, simde_mm_add_ps(simde_mm_mul_ps(dry_mesh_bytes4(last), s),
                                                       simde_mm_set1_ps(base + l->room[k])));
    }
    simde_mm_storeu_ps(distance, enter);
    return simde_mm_movemask_ps(simde_mm_cmple_ps(enter, leave)) & dry_mesh_node_children(node);
}

/* Tests one triangle. Farther ones than the nearest so far are no hits. */
static bool hit_slot(const cast *c, uint32_t slot, dry_mesh_hit *hit)
{
    double corner[3][3];
    dry_mesh_tree_corner_points(c->tree, slot, corner);
    if (!dry_ray_crosses(&c->sheared, corner, &hit->fraction, hit->barycentric, &hit->back))
        return false;
    if (!(hit->fraction >= 0.0 && hit->fraction <= 1.0))
        return false;
    if (!(c->sides & (hit->back ? DRY_MESH_BACKS : DRY_MESH_FRONTS)))
        return false;
    if (!c->visit && c->is_found && hit->fraction > c->best.fraction)
        return false;
    hit->slot = slot;
    hit->triangle = dry_mesh_tree_triangle(c->tree, slot);
    return true;
}

/* Takes up the triangles of a leaf. Returns false if the cast has ended. */
static bool take_leaf(cast *c, uint32_t leaf)
{
    for (uint32_t slot = dry_mesh_leaf_first(leaf); slot < dry_mesh_leaf_end(leaf); slot++) {
        dry_mesh_hit hit;
        if (!hit_slot(c, slot, &hit))
            continue;
        if (c->visit) {
            c->is_found = true;
            if (!c->visit(c->context, &hit))
                return false;
            continue;
        }
        if (c->is_found && hit.fraction == c->best.fraction && hit.triangle > c->best.triangle)
            continue;
        c->is_found = true;
        c->best = hit;
        const float distance = (float)((hit.fraction - c->lanes.begin) * c->lanes.scale);
        c->limit = dry_max(distance, 0.0f) * (1.0f + 2.0f * FLT_EPSILON);
    }
    return true;
}

static void prefetch_child(const dry_mesh_tree *tree, uint32_t child)
{
    if (child & DRY_MESH_LEAF)
        __builtin_prefetch(&dry_mesh_tree_corners(tree)[3 * (size_t)dry_mesh_leaf_first(child)]);
    else
        __builtin_prefetch(&dry_mesh_tree_nodes(tree)[child]);
}

static void prefetch_vertices(const dry_mesh_tree *tree, uint32_t leaf)
{
    const uint32_t *corners = dry_mesh_tree_corners(tree);
    const size_t end = 3 * (size_t)dry_mesh_leaf_end(leaf);
    for (size_t i = 3 * (size_t)dry_mesh_leaf_first(leaf); i < end; i++)
        __builtin_prefetch(&dry_mesh_tree_vertices(tree)[corners[i] & DRY_MESH_VERTEX_MASK]);
}

/* Puts the children that a ray meets on the stack, the nearest on top. Returns their number. */
static int push_far(const cast *c, const dry_mesh_node *node, far_child *stack)
{
    float distance[DRY_MESH_WIDTH];
    int count = 0;
    for (int hits = meets(c, node, distance); hits; hits &= hits - 1) {
        const int i = __builtin_ctz((unsigned)hits);
        prefetch_child(c->tree, node->child[i]);
        int j = count++;
        for (; j > 0 && stack[j - 1].distance < distance[i]; j--)
            stack[j] = stack[j - 1];
        stack[j] = (far_child){node->child[i], distance[i]};
    }
    return count;
}

/* Returns false if the visitor ended the cast. */
static bool run(cast *c)
{
    const dry_mesh_node *nodes = dry_mesh_tree_nodes(c->tree);
    far_child stack[DRY_MESH_STACK];
    int top = 0;
    stack[top++] = (far_child){0, 0.0f};
    while (top > 0) {
        const far_child next = stack[--top];
        if (next.distance > c->limit)
            continue;
        if (!(next.child & DRY_MESH_LEAF))
            top += push_far(c, &nodes[next.child], stack + top);
        else if (!take_leaf(c, next.child))
            return false;
    }
    return true;
}

bool dry_mesh_tree_cast_ray(const dry_mesh_tree *tree, const dry_mesh_ray *ray, dry_mesh_hit *hit)
{
    cast c = {.visit = NULL};
    if (!prepare(&c, tree, ray))
        return false;
    run(&c);
    if (c.is_found)
        *hit = c.best;
    return c.is_found;
}

bool dry_mesh_tree_visit_ray(const dry_mesh_tree *tree, const dry_mesh_ray *ray, dry_mesh_visit_hit *visit,
                             void *context)
{
    cast c = {.visit = visit, .context = context};
    return !prepare(&c, tree, ray) || run(&c);
}

static bool stop(void *context, const dry_mesh_hit *hit)
{
    (void)context;
    (void)hit;
    return false;
}

bool dry_mesh_tree_hits_any(const dry_mesh_tree *tree, const dry_mesh_ray *ray)
{
    return !dry_mesh_tree_visit_ray(tree, ray, stop, NULL);
}

/* Batches. Most of a ray's time is spent waiting for memory. Some rays take turns: each asks for the lines
 * that it will need next, and then lets the others go on. */

enum { TURNS = 8 };

typedef struct turn {
    cast cast;
    far_child stack[DRY_MESH_STACK];
    int top, ray;
    bool is_ready; /* the vertices of the leaf on top have been asked for */
} turn;

/* Lets a ray go on by one node or leaf. Returns false if it has ended. */
static bool go_on(turn *t)
{
    cast *c = &t->cast;
    while (t->top > 0 && t->stack[t->top - 1].distance > c->limit)
        t->top--;
    if (t->top == 0)
        return false;
    const uint32_t child = t->stack[t->top - 1].child;
    if (!(child & DRY_MESH_LEAF)) {
        t->top--;
        t->top += push_far(c, &dry_mesh_tree_nodes(c->tree)[child], t->stack + t->top);
    } else if (!t->is_ready) {
        prefetch_vertices(c->tree, child);
        t->is_ready = true;
    } else {
        t->top--;
        t->is_ready = false;
        take_leaf(c, child);
    }
    return true;
}

/* Takes up the next ray that meets the bounds. Returns false if none is left. */
static bool take_ray(turn *t, const dry_mesh_tree *tree, const dry_mesh_ray *rays, int count, int *next)
{
    while (*next < count) {
        const int ray = (*next)++;
        t->cast = (cast){.visit = NULL};
        if (!prepare(&t->cast, tree, &rays[ray]))
            continue;
        t->stack[0] = (far_child){0, 0.0f};
        t->top = 1;
        t->ray = ray;
        t->is_ready = false;
        return true;
    }
    return false;
}

void dry_mesh_tree_cast_rays(const dry_mesh_tree *tree, const dry_mesh_ray *rays, int count,
                             dry_mesh_hit *hits)
{
    turn turns[TURNS];
    int next = 0, running = 0;
    for (int i = 0; i < count; i++)
        hits[i] = (dry_mesh_hit){.fraction = 2.0};
    while (running < TURNS && take_ray(&turns[running], tree, rays, count, &next))
        running++;
    while (running > 0)
        for (int i = 0; i < running; i++) {
            turn *t = &turns[i];
            if (go_on(t))
                continue;
            if (t->cast.is_found)
                hits[t->ray] = t->cast.best;
            if (!take_ray(t, tree, rays, count, &next) && i != --running)
                *t = turns[running];
        }
}
