/* Rays against a mesh. Boxes are tested in float, widened by its rounding, and triangles in double.
 *
 * Reads: a block. Next: ray_triangle.h. */
#include "geometry/mesh_node.h"
#include "geometry/ray_triangle.h"

/* A ray against boxes. Distances are along the longest component of the translation, from where the ray
 * enters the bounds. */
typedef struct lane_ray {
    float from[4], inverse[4]; /* m, 1 */
    float room[4];             /* of each component: rounding, as a distance */
    int first[3], last[3]; /* the side of a node's boxes that the ray comes to first: its place in a node */
    double begin, scale;   /* distance = (fraction - begin) scale */
} lane_ray;

typedef struct cast {
    const dry_mesh_tree *tree;
    lane_ray lanes;
    dry_sheared_ray sheared;
    int sides;
    bool is_found;
    float limit; /* distance for boxes, rounded up */
    dry_mesh_hit best;
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

/* Finds the fractions up to `bound` at which a ray is within the bounds, widened by `room`. */
static bool clip(const dry_mesh_ray *ray, const double inverse[3], const dry_box *bounds, double room,
                 double bound, double *begin, double *end)
{
    *begin = 0.0;
    *end = bound;
    for (int k = 0; k < 3; k++) {
        const double low = (double)bounds->min[k] - room - ray->origin[k];
        const double high = (double)bounds->max[k] + room - ray->origin[k];
        const double way = ray->translation[k];
        if (way == 0.0) {
            if (low > 0.0 || high < 0.0)
                return false;
            continue;
        }
        const double enter = (way > 0.0 ? low : high) * inverse[k],
                     leave = (way > 0.0 ? high : low) * inverse[k];
        *begin = enter > *begin ? enter : *begin;
        *end = leave < *end ? leave : *end;
    }
    return *begin <= *end;
}

/* A component that is almost zero counts as 1e-20 of the longest: that moves the ray less than rounding. */
static bool prepare(cast *c, const dry_mesh_tree *tree, const dry_mesh_ray *ray, double bound)
{
    const double longest = fabs(ray->translation[dry_longest_axis(ray->translation)]);
    const float most = bounds_magnitude(&tree->bounds);
    const double room = 4.0 * (double)FLT_EPSILON * (double)most + 1e-30;
    double end, inverse[3];
    lane_ray *l = &c->lanes;
    if (!(longest > 0.0))
        return false;
    for (int k = 0; k < 3; k++) {
        const double way = ray->translation[k], least = 1e-20 * longest;
        inverse[k] = 1.0 / (fabs(way) < least ? (way < 0.0 ? -least : least) : way);
    }
    if (!clip(ray, inverse, &tree->bounds, room, bound, &l->begin, &end))
        return false;
    l->scale = longest;
    for (int k = 0; k < 3; k++) {
        const bool backward = inverse[k] < 0.0;
        const int low = (int)(offsetof(dry_mesh_node, low) + sizeof(uint8_t[DRY_MESH_WIDTH]) * (size_t)k);
        const int high = (int)(offsetof(dry_mesh_node, high) + sizeof(uint8_t[DRY_MESH_WIDTH]) * (size_t)k);
        l->first[k] = backward ? high : low;
        l->last[k] = backward ? low : high;
        l->from[k] = (float)(ray->origin[k] + l->begin * ray->translation[k]);
        l->inverse[k] = (float)(longest * inverse[k]);
        l->room[k] = 8.0f * FLT_EPSILON * most * dry_abs(l->inverse[k]);
    }
    l->from[3] = l->inverse[3] = l->room[3] = 0.0f;
    c->limit = (float)((end - l->begin) * longest) * (1.0f + 2.0f * FLT_EPSILON);
    c->sheared = dry_sheared_ray_of(ray->origin, ray->translation);
    c->tree = tree;
    c->sides = ray->sides;
    return true;
}

/* Takes up the sides of four boxes along one axis. */
static inline void cut(const uint8_t *first, const uint8_t *last, float4 step, float4 near, float4 far,
                       float4 *enter, float4 *leave)
{
    *enter = float4_max(*enter, float4_of_bytes(first) * step + near);
    *leave = float4_min(*leave, float4_of_bytes(last) * step + far);
}

/* Returns a bit for each child that the ray meets, and the distances there. */
static int meets(const cast *c, const dry_mesh_node *node, float distance[DRY_MESH_WIDTH])
{
    const lane_ray *l = &c->lanes;
    const void *begin = node;
    const uint8_t *bytes = begin;
    const float *floats = begin;
    const float4 inverse = float4_load(l->inverse), room = float4_load(l->room);
    /* The steps follow the origin: the first four floats, and the last four. */
    const float4 base = (float4_load(floats) - float4_load(l->from)) * inverse,
                 step = float4_rotate(float4_load(floats + 2)) * inverse;
    const float4 near = base - room, far = base + room;
    float4 enter = float4_set(0.0f), leave = float4_set(c->limit);
#define CUT(k)                                                                                               \
    cut(bytes + l->first[k], bytes + l->last[k], FLOAT4_EACH(step, k), FLOAT4_EACH(near, k),                 \
        FLOAT4_EACH(far, k), &enter, &leave)
    CUT(0);
    CUT(1);
    CUT(2);
#undef CUT
    float4_store(distance, enter);
    return float4_true(float4_less_equal(enter, leave)) & dry_mesh_node_children(node);
}

/* Tests one triangle. Farther ones than the nearest so far are no hits. */
static bool hit_slot(const cast *c, uint32_t slot, dry_mesh_hit *hit)
{
    dry_double3 corner[3];
    dry_mesh_tree_corner_points(c->tree, slot, corner);
    if (!dry_ray_crosses(&c->sheared, corner, &hit->fraction, hit->barycentric, &hit->back))
        return false;
    if (!(hit->fraction >= 0.0 && hit->fraction <= 1.0))
        return false;
    if (!(c->sides & (hit->back ? DRY_MESH_BACKS : DRY_MESH_FRONTS)))
        return false;
    if (c->is_found && hit->fraction > c->best.fraction)
        return false;
    hit->slot = slot;
    hit->triangle = dry_mesh_tree_triangle(c->tree, slot);
    return true;
}

static float4 load_vertex(const dry_mesh_tree *tree, uint32_t corner)
{
    /* Four bytes behind the last vertex are those of a corner. */
    const size_t at = (corner & DRY_MESH_VERTEX_MASK) * sizeof(dry_vec3);
    return float4_load(dry_mesh_tree_at(tree, tree->vertices + at));
}

/* Returns a bit for each of two slots that dry_ray_crosses lets pass: the same numbers in two lanes, without
 * branches, which a processor would guess wrongly for half of the triangles. */
static int crosses_two(const cast *c, const uint32_t first[3], const uint32_t second[3])
{
    const dry_sheared_ray *s = &c->sheared;
    double2 x[3], y[3];
    for (int i = 0; i < 3; i++) {
        double2 at[3];
        double2_of_floats(load_vertex(c->tree, first[i]), load_vertex(c->tree, second[i]), at);
        const double2 z = at[s->z] - s->from[s->z];
        x[i] = (at[s->x] - s->from[s->x]) - s->shear_x * z;
        y[i] = (at[s->y] - s->from[s->y]) - s->shear_y * z;
    }
    double2 least = {0}, most = least;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const double2 w = x[j] * y[i] - y[j] * x[i];
        least = double2_min(least, w);
        most = double2_max(most, w);
    }
    return double2_any_zero(least, most);
}

/* Takes up a triangle that the ray crosses. */
static void take_slot(cast *c, uint32_t slot)
{
    dry_mesh_hit hit;
    if (!hit_slot(c, slot, &hit))
        return;
    if (c->is_found && hit.fraction == c->best.fraction && hit.triangle > c->best.triangle)
        return;
    c->is_found = true;
    c->best = hit;
    const float distance = (float)((hit.fraction - c->lanes.begin) * c->lanes.scale);
    c->limit = dry_max(distance, 0.0f) * (1.0f + 2.0f * FLT_EPSILON);
}

/* Takes up the triangles of a leaf, two at a time. */
static void take_leaf(cast *c, uint32_t leaf)
{
    const uint32_t end = dry_mesh_leaf_end(leaf), *corners = dry_mesh_tree_corners(c->tree);
    DRY_PREFETCH(&dry_mesh_tree_tags(c->tree)[dry_mesh_leaf_first(leaf)]);
    for (uint32_t slot = dry_mesh_leaf_first(leaf); slot < end; slot += 2) {
        const size_t next = slot + 1 < end ? slot + 1 : slot;
        int crossed = crosses_two(c, &corners[3 * (size_t)slot], &corners[3 * next]);
        if (next == slot)
            crossed &= 1;
        if (crossed & 1)
            take_slot(c, slot);
        if (crossed & 2)
            take_slot(c, slot + 1);
    }
}

static void prefetch_vertices(const dry_mesh_tree *tree, uint32_t leaf)
{
    const uint32_t *corners = dry_mesh_tree_corners(tree);
    const size_t end = 3 * (size_t)dry_mesh_leaf_end(leaf);
    for (size_t i = 3 * (size_t)dry_mesh_leaf_first(leaf); i < end; i++)
        DRY_PREFETCH(&dry_mesh_tree_vertices(tree)[corners[i] & DRY_MESH_VERTEX_MASK]);
    DRY_PREFETCH(&dry_mesh_tree_tags(tree)[dry_mesh_leaf_first(leaf)]);
}

/* Puts the children that a ray meets on the stack, the nearest on top. Returns their number. */
static int push_far(const cast *c, const dry_mesh_node *node, far_child *stack)
{
    float distance[DRY_MESH_WIDTH];
    int count = 0;
    for (int hits = meets(c, node, distance); hits; hits &= hits - 1) {
        const int i = dry_lowest_bit((unsigned)hits);
        dry_mesh_prefetch_child(c->tree, node->child[i]);
        int j = count++;
        for (; j > 0 && stack[j - 1].distance < distance[i]; j--)
            stack[j] = stack[j - 1];
        stack[j] = (far_child){node->child[i], distance[i]};
    }
    return count;
}

/* Batches. Most of a ray's time is spent waiting for memory. Some rays take turns: each asks for the lines
 * that it will need next, and then lets the others go on. */

enum { TURNS = 8 };

typedef struct turn {
    cast cast;
    far_child stack[DRY_MESH_STACK];
    int top;
    bool is_ready; /* the vertices of the leaf on top have been asked for */
    dry_mesh_cast *from;
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
static bool take_ray(turn *t, dry_mesh_cast **next, const dry_mesh_cast *end)
{
    while (*next < end) {
        dry_mesh_cast *from = (*next)++;
        from->is_found = false;
        t->cast = (cast){.is_found = false};
        if (!prepare(&t->cast, from->tree, &from->ray, from->bound))
            continue;
        t->stack[0] = (far_child){0, 0.0f};
        t->top = 1;
        t->is_ready = false;
        t->from = from;
        return true;
    }
    return false;
}

static void end_ray(const turn *t)
{
    t->from->is_found = t->cast.is_found;
    if (t->cast.is_found)
        t->from->hit = t->cast.best;
}

void dry_mesh_tree_cast_rays(dry_mesh_cast *casts, int count)
{
    turn turns[TURNS];
    dry_mesh_cast *next = casts;
    const dry_mesh_cast *end = casts + count;
    int running = 0;
    while (running < TURNS && take_ray(&turns[running], &next, end))
        running++;
    while (running > 0)
        for (int i = 0; i < running; i++) {
            turn *t = &turns[i];
            if (go_on(t))
                continue;
            end_ray(t);
            if (!take_ray(t, &next, end) && i != --running)
                *t = turns[running];
        }
}

bool dry_mesh_tree_cast_ray(const dry_mesh_tree *tree, const dry_mesh_ray *ray, dry_mesh_hit *hit)
{
    turn t;
    dry_mesh_cast one = {.tree = tree, .ray = *ray, .bound = 1.0}, *next = &one;
    if (!take_ray(&t, &next, &one + 1))
        return false;
    while (go_on(&t))
        continue;
    if (t.cast.is_found)
        *hit = t.cast.best;
    return t.cast.is_found;
}
