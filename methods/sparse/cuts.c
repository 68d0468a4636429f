/* Chooses between cut and whole by counting.
 *
 * A piece's columns have rows in the piece and at its rim: the nodes that it shares bodies with. So what a
 * piece costs does not depend on how the others are ordered. Its cost in one part is counted by eliminating
 * it; its cost when cut is the sum of its pieces' costs and of the separator's, whose columns are full and
 * have all of the rim below. From the smallest pieces upward the cheaper choice is kept.
 *
 * Costs are multiply-adds: of a factorization, and of visits, which go along a path of the tree from a body's
 * first row up to the root. A path's rows within the piece count, and those of the separator.
 */
#include "methods/sparse/cuts.h"

#include "core/assert.h"
#include "methods/sparse/elimination.h"

/* Pieces of more rows stay cut. */
enum { COUNTED_ROWS = 96 };
/* Multiply-adds for each row of each body's path: a visit takes some 300 a row, and one body in five has one.
 */
enum { PATH_PRICE = 60 };

typedef struct choice {
    const dry_cut_tree *tree;
    dry_elimination e;
    int64_t *cost;    /* of each piece by the better choice, so far: its pieces' costs */
    uint8_t *counted; /* of each piece: 1 if all its pieces were counted */
    int32_t *place;   /* of each body: its place in the list */
    /* The piece at hand as a graph: its own nodes, then those at its rim, which all have a body of their own
     * beyond it. */
    int32_t (*body)[2];
    uint8_t *rows;
    int32_t *part;  /* 1: its own, 0: at its rim */
    int32_t *group; /* of each of its nodes */
    int32_t *path;  /* rows from each group to the last one of the piece */
} choice;

/* Makes a graph of a piece. Returns its own nodes' number; sets the rim's nodes and rows. */
static int make_graph(choice *c, const dry_cut *cut, dry_factor_graph *graph, int *rim_rows)
{
    const dry_cut_tree *t = c->tree;
    int own = 0, nodes = 0, bodies = cut->end - cut->first;
    *rim_rows = 0;
    for (int rim = 0; rim < 2; rim++) {
        for (int i = cut->first; i < cut->end; i++)
            for (int k = t->node_first[t->bodies[i]]; k < t->node_first[t->bodies[i] + 1]; k++) {
                const int node = t->node_list[k];
                const int32_t *ends = t->graph->body[node];
                const int side = ends[0] == t->bodies[i] ? 0 : 1;
                DRY_ASSERT(ends[side] == t->bodies[i]);
                const int other = ends[1 - side] < 0 ? -1 : c->place[ends[1 - side]];
                const bool inside = other < 0 || (other >= cut->first && other < cut->end);
                if (inside == (rim == 1) || (inside && other > i))
                    continue;
                DRY_ASSERT(nodes < t->graph->nodes);
                c->rows[nodes] = t->graph->rows[node];
                c->part[nodes] = !rim;
                c->body[nodes][0] = i - cut->first;
                c->body[nodes][1] = rim ? bodies++ : other < 0 ? -1 : other - cut->first;
                *rim_rows += rim ? t->graph->rows[node] : 0;
                nodes++;
            }
        own = rim ? own : nodes;
    }
    *graph = (dry_factor_graph){nodes, bodies, c->rows, (const int32_t(*)[2])c->body};
    return own;
}

/* Returns the cost of the piece at hand in one part: groups come first that hold its own nodes. */
static int64_t count_whole(choice *c, const dry_factor_graph *graph, int bodies, int own)
{
    const dry_elimination *e = &c->e;
    int64_t cost = 0, path_rows = 0;
    int groups = 0;
    while (groups < e->groups && c->part[e->order[e->group_first[groups]]] == 1)
        groups++;
    for (int g = 0; g < e->groups; g++)
        for (int i = e->group_first[g]; i < e->group_first[g + 1]; i++)
            c->group[e->order[i]] = g;
    for (int g = groups - 1; g >= 0; g--) {
        int64_t columns = 0, below = 0;
        int parent = e->groups;
        for (int i = e->group_first[g]; i < e->group_first[g + 1]; i++)
            columns += graph->rows[e->order[i]];
        for (int i = e->below_first[g]; i < e->below_first[g + 1]; i++) {
            below += graph->rows[e->below[i]];
            parent = c->group[e->below[i]] < parent ? c->group[e->below[i]] : parent;
        }
        DRY_ASSERT(parent > g);
        c->path[g] = (int32_t)columns + (parent < groups ? c->path[parent] : 0);
        cost += dry_factor_operations(columns, below);
    }
    /* Each body begins with the first of its groups. */
    int32_t *first = c->part;
    for (int i = 0; i < bodies; i++)
        first[i] = groups;
    for (int n = 0; n < own; n++)
        for (int side = 0; side < 2; side++) {
            const int body = graph->body[n][side];
            if (body >= 0 && c->group[n] < first[body])
                first[body] = c->group[n];
        }
    for (int i = 0; i < bodies; i++)
        path_rows += first[i] < groups ? c->path[first[i]] : 0;
    return cost + PATH_PRICE * path_rows;
}

/* Makes one part of a piece's own nodes. */
static void make_whole(const choice *c, const dry_cut *cut, int32_t *part)
{
    const dry_cut_tree *t = c->tree;
    for (int i = cut->first; i < cut->end; i++)
        for (int k = t->node_first[t->bodies[i]]; k < t->node_first[t->bodies[i] + 1]; k++) {
            const int node = t->node_list[k];
            const int32_t *ends = t->graph->body[node];
            const int other = ends[ends[0] == t->bodies[i]];
            const int place = other < 0 ? i : c->place[other];
            if (place >= cut->first && place < cut->end)
                part[node] = cut->part;
        }
}

/* Chooses for all pieces, each after those that it was cut into. */
static bool choose(choice *c, dry_memory *memory, int32_t *part)
{
    const dry_cut_tree *t = c->tree;
    for (int i = t->cuts - 1; i >= 0; i--) {
        const dry_cut *cut = &t->cut[i];
        DRY_ASSERT(cut->parent < i && cut->first < cut->end);
        if (cut->rows > COUNTED_ROWS || !c->counted[i]) {
            if (cut->parent >= 0)
                c->counted[cut->parent] = 0;
            continue;
        }
        dry_factor_graph graph;
        int rim_rows;
        const int bodies = cut->end - cut->first, own = make_graph(c, cut, &graph, &rim_rows);
        if (own > 0 && !dry_eliminate(&c->e, memory, &graph, c->part, 2))
            return false;
        const int64_t whole = own > 0 ? count_whole(c, &graph, bodies, own) : 0;
        const int64_t parted = c->cost[i] + dry_factor_operations(cut->cut_rows, rim_rows) +
                               PATH_PRICE * (int64_t)bodies * cut->cut_rows;
        if (cut->cut_rows < 0 || whole <= parted)
            make_whole(c, cut, part);
        const int64_t cost = cut->cut_rows < 0 || whole <= parted ? whole : parted;
        if (cut->parent >= 0)
            c->cost[cut->parent] += cost;
    }
    return true;
}

bool dry_keep_cuts(const dry_cut_tree *tree, dry_memory *memory, int32_t *part)
{
    /* A node is listed once at each of its two bodies; a body's first group stands in the place of a part. */
    const size_t cuts = (size_t)tree->cuts, bodies = (size_t)tree->graph->bodies;
    const size_t nodes = (size_t)tree->graph->nodes, most = nodes + bodies;
    const size_t bytes = cuts * (sizeof(int64_t) + 1) + (bodies + 5 * most) * sizeof(int32_t) + nodes;
    char *room = dry_memory_allocate(memory, bytes, DRY_CACHE_LINE);
    if (!room)
        return false;
    choice c = {.tree = tree, .cost = (int64_t *)(void *)room};
    int32_t *at = (int32_t *)(void *)(c.cost + cuts);
    c.place = at, at += bodies;
    c.body = (int32_t(*)[2])(void *)at, at += 2 * most;
    c.part = at, at += most;
    c.group = at, at += most;
    c.path = at, at += most;
    c.counted = (uint8_t *)at;
    c.rows = c.counted + cuts;
    for (size_t i = 0; i < cuts; i++) {
        c.cost[i] = 0;
        c.counted[i] = 1;
    }
    for (size_t i = 0; i < bodies; i++)
        c.place[tree->bodies[i]] = (int32_t)i;
    const bool done = choose(&c, memory, part);
    dry_elimination_free(&c.e, memory);
    dry_memory_release(memory, room, bytes);
    return done;
}
