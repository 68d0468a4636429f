/* Divides triangles by the surface area heuristic over bins [Wald 2007], two ways at a time; a node takes up
 * to four parts, of which the one of the largest surface is divided next. Ties go to the lower axis and bin.
 *
 * Reads: items. Writes: their order, nodes. */
#include "geometry/mesh_split.h"
#include "core/assert.h"

enum {
    BINS = 16,
    FEW_BINS = 8,
    FEW = 32,          /* items that FEW_BINS are enough for */
    HALVES_DEPTH = 40, /* the level from which on parts are halved by count: 24 levels hold all triangles */
};

/* A box as two lanes of four; the last lane is not used. */
typedef struct box4 {
    float4 min, max;
} box4;

/* Items [begin, end), their box, and the box of twice their centers. */
typedef struct part {
    uint32_t begin, end;
    box4 box, centers;
} part;

typedef struct bins {
    box4 box[3][BINS];
    uint32_t count[3][BINS];
} bins;

typedef struct split {
    int axis, bin; /* items of bins up to this one go first; axis -1: none */
    float cost;
} split;

typedef struct splitter {
    dry_mesh_item *items;
    dry_mesh_node *nodes;
    uint32_t node_count, depth;
    bins bins;
} splitter;

static box4 box4_empty(void)
{
    return (box4){float4_set(INFINITY), float4_set(-INFINITY)};
}

static void box4_add(box4 *box, box4 other)
{
    box->min = float4_min(box->min, other.min);
    box->max = float4_max(box->max, other.max);
}

static box4 box_of(const dry_mesh_item *item)
{
    return (box4){float4_load_aligned(item->min), float4_load_aligned(item->max)};
}

static float half_area(box4 box)
{
    float d[4];
    float4_store(d, box.max - box.min);
    return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

static void part_clear(part *p, uint32_t at)
{
    *p = (part){at, at, box4_empty(), box4_empty()};
}

static void part_add(part *p, const dry_mesh_item *item)
{
    const box4 box = box_of(item);
    const float4 center = box.min + box.max;
    box4_add(&p->box, box);
    p->centers.min = float4_min(p->centers.min, center);
    p->centers.max = float4_max(p->centers.max, center);
    p->end++;
}

/* How centers map to bins: bin = (center - base) scale, cut off at the last one. */
typedef struct grid {
    float4 base, scale;
    int count;
    bool axis[3]; /* divides at all */
} grid;

static grid grid_of(const part *p)
{
    grid g = {.count = p->end - p->begin > FEW ? BINS : FEW_BINS};
    float low[4], high[4], scale[4] = {0};
    float4_store(low, p->centers.min);
    float4_store(high, p->centers.max);
    for (int k = 0; k < 3; k++) {
        const float extent = high[k] - low[k];
        scale[k] = extent > 1e-30f ? (float)g.count * 0.999999f / extent : 0.0f;
        g.axis[k] = extent > 1e-30f;
    }
    g.base = p->centers.min;
    g.scale = float4_load(scale);
    return g;
}

static void bins_of(const grid *g, const dry_mesh_item *item, box4 *box, int32_t bin[4])
{
    *box = box_of(item);
    const float4 center = box->min + box->max;
    const float4 place = (center - g->base) * g->scale;
    float4_store_whole(bin, place);
}

static void fill_bins(splitter *s, const part *p, const grid *g)
{
    bins *b = &s->bins;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < g->count; i++) {
            b->box[k][i] = box4_empty();
            b->count[k][i] = 0;
        }
    for (uint32_t i = p->begin; i < p->end; i++) {
        box4 box;
        int32_t bin[4];
        bins_of(g, &s->items[i], &box, bin);
        for (int k = 0; k < 3; k++) {
            DRY_ASSERT(bin[k] >= 0 && bin[k] < g->count);
            box4_add(&b->box[k][bin[k]], box);
            b->count[k][bin[k]]++;
        }
    }
}

/* Finds the best split of one axis, of which `best` takes note. */
static void judge_axis(const bins *b, const grid *g, int axis, split *best)
{
    float cost_below[BINS];
    box4 box = box4_empty();
    uint32_t count = 0;
    for (int i = 0; i < g->count - 1; i++) {
        if (b->count[axis][i])
            box4_add(&box, b->box[axis][i]);
        count += b->count[axis][i];
        cost_below[i] = count ? half_area(box) * (float)count : INFINITY;
    }
    box = box4_empty();
    count = 0;
    for (int i = g->count - 2; i >= 0; i--) {
        if (b->count[axis][i + 1])
            box4_add(&box, b->box[axis][i + 1]);
        count += b->count[axis][i + 1];
        if (!count)
            continue;
        const float cost = cost_below[i] + half_area(box) * (float)count;
        if (cost < best->cost)
            *best = (split){axis, i, cost};
    }
}

/* Divides by a split. Items change places, in an order that follows from theirs alone. */
static uint32_t divide_items(splitter *s, const part *p, const grid *g, const split *at, part half[2])
{
    uint32_t low = p->begin, high = p->end;
    part_clear(&half[0], p->begin);
    part_clear(&half[1], p->begin);
    while (low < high) {
        dry_mesh_item *item = &s->items[low];
        box4 box;
        int32_t bin[4];
        bins_of(g, item, &box, bin);
        if (bin[at->axis] <= at->bin) {
            part_add(&half[0], item);
            low++;
            continue;
        }
        part_add(&half[1], item);
        const dry_mesh_item other = s->items[--high];
        s->items[high] = *item;
        *item = other;
    }
    DRY_ASSERT(low > p->begin && low < p->end);
    half[1].begin = low;
    half[1].end = p->end;
    return low;
}

/* Divides by count, in the order of the items. */
static void halve(splitter *s, const part *p, part half[2])
{
    const uint32_t middle = p->begin + (p->end - p->begin) / 2;
    part_clear(&half[0], p->begin);
    part_clear(&half[1], middle);
    for (uint32_t i = p->begin; i < p->end; i++)
        part_add(&half[i >= middle], &s->items[i]);
}

static void divide(splitter *s, const part *p, uint32_t level, part half[2])
{
    split best = {-1, 0, INFINITY};
    if (level < HALVES_DEPTH) {
        const grid g = grid_of(p);
        fill_bins(s, p, &g);
        for (int k = 0; k < 3; k++)
            if (g.axis[k])
                judge_axis(&s->bins, &g, k, &best);
        if (best.axis >= 0) {
            divide_items(s, p, &g, &best, half);
            return;
        }
    }
    halve(s, p, half);
}

/* Divides a part into up to four, in the order of their items. Returns their number. */
static int divide_node(splitter *s, const part *whole, uint32_t level, part parts[DRY_MESH_WIDTH])
{
    int count = 1;
    parts[0] = *whole;
    while (count < DRY_MESH_WIDTH) {
        int largest = -1;
        float area = -1.0f;
        for (int i = 0; i < count; i++) {
            const float a = half_area(parts[i].box);
            if (parts[i].end - parts[i].begin > DRY_MESH_LEAF_FILL && a > area) {
                area = a;
                largest = i;
            }
        }
        if (largest < 0)
            break;
        part half[2];
        divide(s, &parts[largest], level, half);
        for (int i = count; i > largest + 1; i--)
            parts[i] = parts[i - 1];
        parts[largest] = half[0];
        parts[largest + 1] = half[1];
        count++;
    }
    return count;
}

/* Writes the sides of a node's boxes along one axis, rounded outward. */
static void write_sides(dry_mesh_node *node, int axis, int count, float low[][4], float high[][4])
{
    float origin = low[0][axis], end = high[0][axis];
    for (int i = 1; i < count; i++) {
        origin = dry_min(origin, low[i][axis]);
        end = dry_max(end, high[i][axis]);
    }
    float step = (end - origin) / 255.0f;
    while (dry_mesh_grid_side(origin, step, 255) < end)
        step = step * (1.0f + 2.0f * FLT_EPSILON) + FLT_TRUE_MIN;
    node->origin[axis] = origin;
    node->step[axis] = step;
    for (int i = 0; i < count; i++) {
        int below = 0, above = 0;
        if (step > 0.0f) {
            below = dry_min_int((int)((low[i][axis] - origin) / step), 255);
            above = dry_min_int((int)((high[i][axis] - origin) / step), 255);
        }
        while (below > 0 && dry_mesh_grid_side(origin, step, below) > low[i][axis])
            below--;
        while (above < 255 && dry_mesh_grid_side(origin, step, above) < high[i][axis])
            above++;
        node->low[axis][i] = (uint8_t)below;
        node->high[axis][i] = (uint8_t)above;
    }
}

static void write_boxes(dry_mesh_node *node, int count, const part *parts)
{
    float low[DRY_MESH_WIDTH][4], high[DRY_MESH_WIDTH][4];
    for (int i = 0; i < count; i++) {
        float4_store(low[i], parts[i].box.min);
        float4_store(high[i], parts[i].box.max);
    }
    memset(node, 0, sizeof *node);
    for (int k = 0; k < 3; k++)
        write_sides(node, k, count, low, high);
}

static uint32_t write_node(splitter *s, const part *whole, uint32_t level)
{
    const uint32_t index = s->node_count++;
    part parts[DRY_MESH_WIDTH];
    const int count = divide_node(s, whole, level, parts);
    if (level + 1 > s->depth)
        s->depth = level + 1;
    DRY_ASSERT(level < DRY_MESH_DEPTH_MAX && parts[count - 1].end == whole->end);
    write_boxes(&s->nodes[index], count, parts);
    for (int i = 0; i < count; i++) {
        const uint32_t items = parts[i].end - parts[i].begin;
        uint32_t child;
        if (items <= DRY_MESH_LEAF_FILL)
            child = DRY_MESH_LEAF | (items - 1) << DRY_MESH_COUNT_SHIFT | parts[i].begin;
        else
            child = write_node(s, &parts[i], level + 1);
        s->nodes[index].child[i] = child;
    }
    return index;
}

uint32_t dry_mesh_split(dry_mesh_item *items, uint32_t count, dry_mesh_node *nodes, uint32_t *depth)
{
    splitter s = {.items = items, .nodes = nodes};
    part whole;
    part_clear(&whole, 0);
    for (uint32_t i = 0; i < count; i++)
        part_add(&whole, &items[i]);
    write_node(&s, &whole, 0);
    DRY_ASSERT(s.node_count <= dry_mesh_nodes_max(count));
    *depth = s.depth;
    return s.node_count;
}
