/* Finds the shapes that may touch, by grids of cubic cells, one grid for each power of two of size, in one
 * hash table.
 *
 * A shape lies in the cell of its center, on the level whose cells are at least as wide as the shape. The
 * shape then extends at most half a cell beyond that cell. A search on that level visits the cells within
 * half a cell of the searching shape's bounds: at most 27 cells for a shape that is no larger than a cell.
 * Each shape searches its own level and the coarser ones. Half-spaces pair with every shape. Reads the
 * solids. */
#include "tools/scenes/measure/parts.h"

#include <math.h>
#include <stdlib.h>

/* Cells are 2^(level - LEVEL_ZERO) m wide. Shapes beyond 2^40 m have no neighbors. */
enum { LEVEL_ZERO = 20, LEVELS = 64 };
#define COORDINATE_MAX 0x1p40

typedef struct cell {
    int64_t x[3];
    int level;
} cell;

typedef struct grid {
    const dry_solid *solids;
    cell *cells; /* of each solid; a level of -1 means no cell */
    int *next;   /* next solid of the same bucket, or -1 */
    int *heads;
    size_t mask;
    bool used[LEVELS];
} grid;

static double level_width(int level)
{
    return ldexp(1.0, level - LEVEL_ZERO);
}

static size_t bucket_of(const grid *g, const cell *c)
{
    uint64_t hash = (uint64_t)c->level;
    for (int k = 0; k < 3; k++)
        hash = (hash ^ (uint64_t)c->x[k]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return (size_t)hash & g->mask;
}

static cell cell_of(const dry_solid *solid)
{
    cell c = {.level = -1};
    double size = 0.0;
    if (solid->type == DRY_SHAPE_HALFSPACE)
        return c;
    for (int k = 0; k < 3; k++) {
        if (!(fabs(solid->low[k]) < COORDINATE_MAX && fabs(solid->high[k]) < COORDINATE_MAX))
            return c;
        size = fmax(size, solid->high[k] - solid->low[k]);
    }
    c.level = 0;
    while (c.level + 1 < LEVELS && level_width(c.level) < size)
        c.level++;
    for (int k = 0; k < 3; k++)
        c.x[k] = (int64_t)floor(0.5 * (solid->low[k] + solid->high[k]) / level_width(c.level));
    return c;
}

static bool bounds_meet(const dry_solid *a, const dry_solid *b)
{
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k])
            return false;
    return true;
}

static bool may_pair(const dry_solid *a, const dry_solid *b)
{
    return a->body != b->body && (a->dynamic || b->dynamic);
}

/* Visits the pairs of solid i with the solids of one cell; on its own level only with later solids. */
static void pairs_in_cell(const grid *g, int i, cell at, dry_solid_pair pair, void *user)
{
    for (int j = g->heads[bucket_of(g, &at)]; j >= 0; j = g->next[j]) {
        const cell *c = &g->cells[j];
        if (c->level != at.level || c->x[0] != at.x[0] || c->x[1] != at.x[1] || c->x[2] != at.x[2])
            continue;
        if (at.level == g->cells[i].level && j <= i)
            continue;
        if (may_pair(&g->solids[i], &g->solids[j]) && bounds_meet(&g->solids[i], &g->solids[j]))
            pair(&g->solids[i], &g->solids[j], user);
    }
}

static void pairs_on_level(const grid *g, int i, int level, dry_solid_pair pair, void *user)
{
    int64_t low[3], high[3];
    double width = level_width(level);
    for (int k = 0; k < 3; k++) {
        low[k] = (int64_t)floor(g->solids[i].low[k] / width - 0.5);
        high[k] = (int64_t)floor(g->solids[i].high[k] / width + 0.5);
    }
    for (int64_t x = low[0]; x <= high[0]; x++)
        for (int64_t y = low[1]; y <= high[1]; y++)
            for (int64_t z = low[2]; z <= high[2]; z++)
                pairs_in_cell(g, i, (cell){{x, y, z}, level}, pair, user);
}

static void pairs_of_halfspace(const grid *g, int count, int i, dry_solid_pair pair, void *user)
{
    for (int j = 0; j < count; j++)
        if (g->solids[j].type != DRY_SHAPE_HALFSPACE && may_pair(&g->solids[i], &g->solids[j]))
            pair(&g->solids[i], &g->solids[j], user);
}

bool dry_solid_pairs(const dry_solid *solids, int count, dry_solid_pair pair, void *user)
{
    size_t buckets = 16, room = count > 0 ? (size_t)count : 1;
    while (buckets < 2 * room)
        buckets *= 2;
    grid g = {.solids = solids, .mask = buckets - 1};
    g.cells = malloc(room * sizeof *g.cells);
    g.next = malloc(room * sizeof *g.next);
    g.heads = malloc(buckets * sizeof *g.heads);
    bool ok = g.cells && g.next && g.heads;
    if (ok) {
        for (size_t i = 0; i < buckets; i++)
            g.heads[i] = -1;
        for (int i = 0; i < count; i++) {
            g.cells[i] = cell_of(&solids[i]);
            if (g.cells[i].level < 0)
                continue;
            size_t bucket = bucket_of(&g, &g.cells[i]);
            g.next[i] = g.heads[bucket];
            g.heads[bucket] = i;
            g.used[g.cells[i].level] = true;
        }
        for (int i = 0; i < count; i++) {
            if (solids[i].type == DRY_SHAPE_HALFSPACE)
                pairs_of_halfspace(&g, count, i, pair, user);
            else if (g.cells[i].level >= 0)
                for (int level = g.cells[i].level; level < LEVELS; level++)
                    if (g.used[level])
                        pairs_on_level(&g, i, level, pair, user);
        }
    }
    free(g.cells);
    free(g.next);
    free(g.heads);
    return ok;
}
