/* Minimum degree by contraction.
 *
 * A node joins two bodies. Eliminating it makes all other nodes of both bodies neighbors of each other, just
 * as if the two bodies were one. So the bodies are the elements of a quotient graph in which every node keeps
 * at most two elements, and the degree of a node is exact: rows(a) + rows(b) - 2 rows(shared by a and b). A
 * walk over the nodes of the contracted body finds the structure of the eliminated column, so the whole takes
 * as many steps as L has blocks, with each group of alike columns counted once.
 */
#include "methods/sparse/elimination.h"

#include "core/assert.h"
#include "core/disjoint_sets.h"

typedef struct contraction {
    const dry_factor_graph *graph;
    const int32_t *part;
    /* Bodies: a forest of contracted bodies, and the list of nodes at each root. A place in a list is 2 *
     * node + side.
     */
    int32_t *parent, *head, *tail, *rows;
    int32_t *shared; /* rows that a body shares with the body at hand; else 0 */
    /* Nodes. */
    int32_t *next; /* [2 * nodes], the next place in a body's list, or -1 */
    int32_t *degree, *mark;
    uint8_t *gone;
    int32_t *front, *front_end; /* the neighbors at hand, and the bodies at their other ends */
    int walks, eliminated;
} contraction;

static int find_body(contraction *c, int body)
{
    return body < 0 ? -1 : dry_sets_root(c->parent, body);
}

/* Returns the body at a node's other end; `body` itself where both ends are at it, -1 for the world. */
static int other_body(contraction *c, int node, int body)
{
    const int a = find_body(c, c->graph->body[node][0]);
    return a != body ? a : find_body(c, c->graph->body[node][1]);
}

static int join_bodies(contraction *c, int a, int b)
{
    if (a < 0 || b < 0 || a == b)
        return a < 0 ? b : a;
    DRY_ASSERT(c->parent[a] == a && c->parent[b] == b);
    if (c->rows[a] < c->rows[b]) {
        const int swap = a;
        a = b;
        b = swap;
    }
    c->parent[b] = a;
    if (c->head[b] >= 0) {
        if (c->head[a] < 0)
            c->head[a] = c->head[b];
        else
            c->next[c->tail[a]] = c->head[b];
        c->tail[a] = c->tail[b];
    }
    return a;
}

/* Writes the remaining nodes of a body to `front` and drops the others from its list. Returns their number.
 */
static int walk_body(contraction *c, int body)
{
    int count = 0, previous = -1;
    c->walks++;
    for (int place = c->head[body]; place >= 0; place = c->next[place]) {
        const int node = place / 2;
        DRY_ASSERT(node < c->graph->nodes);
        const bool drop = c->gone[node] || c->mark[node] == c->walks;
        if (!drop) {
            c->mark[node] = c->walks;
            c->front[count++] = node;
            if (previous < 0)
                c->head[body] = place;
            else
                c->next[previous] = place;
            previous = place;
        }
    }
    if (previous < 0)
        c->head[body] = -1;
    else
        c->next[previous] = -1;
    c->tail[body] = previous;
    return count;
}

/* Adds up which rows the nodes in `front` share with other bodies, and writes their other ends. */
static int share_rows(contraction *c, int body, int count)
{
    int world = 0;
    for (int i = 0; i < count; i++) {
        const int node = c->front[i];
        const int other = c->front_end[i] = other_body(c, node, body);
        *(other < 0 ? &world : &c->shared[other]) += c->graph->rows[node];
    }
    return world;
}

static void clear_shared(contraction *c, int count)
{
    for (int i = 0; i < count; i++)
        if (c->front_end[i] >= 0)
            c->shared[c->front_end[i]] = 0;
}

/* Sets the degrees of the nodes of a body: those in `front`. */
static void set_degrees(contraction *c, int body, int count)
{
    const int world = share_rows(c, body, count);
    for (int i = 0; i < count; i++) {
        const int node = c->front[i], other = c->front_end[i];
        if (other < 0 || other == body)
            c->degree[node] = c->rows[body] - (other < 0 ? world : c->shared[other]);
        else
            c->degree[node] = c->rows[body] + c->rows[other] - 2 * c->shared[other];
        DRY_ASSERT(c->degree[node] >= 0);
    }
    clear_shared(c, count);
}

static void eliminate(contraction *c, dry_elimination *out, int node)
{
    DRY_ASSERT(!c->gone[node] && c->eliminated < c->graph->nodes);
    c->gone[node] = 1;
    out->order[c->eliminated++] = node;
}

/* Eliminates from `front` the nodes of a part whose neighbors are all in `front`: those to the world, those
 * between ends that have become one body, those to a body without another node. Returns the number that
 * remains. */
static int eliminate_alike(contraction *c, dry_elimination *out, int body, int count, int part)
{
    share_rows(c, body, count);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const int node = c->front[i], other = c->front_end[i];
        const bool alike = other < 0 || other == body || c->rows[other] == c->shared[other];
        if (alike && c->part[node] == part)
            eliminate(c, out, node);
        else
            c->front[kept++] = node;
    }
    /* A body whose nodes are all at this one is contracted, too; its list would hold nothing new. */
    for (int i = 0; i < count; i++) {
        const int other = c->front_end[i];
        if (other >= 0 && other != body && c->shared[other] && c->rows[other] == c->shared[other]) {
            c->parent[other] = body;
            c->shared[other] = 0;
        }
    }
    clear_shared(c, count);
    return kept;
}

/* Eliminates a node and those of its part that are alike. Returns false if memory fails. */
static bool eliminate_group(contraction *c, dry_memory *memory, dry_elimination *out, int node)
{
    const int group = out->groups++;
    out->group_first[group] = c->eliminated;
    eliminate(c, out, node);
    const int32_t *ends = c->graph->body[node];
    const int body = join_bodies(c, find_body(c, ends[0]), find_body(c, ends[1]));
    int count = 0;
    if (body >= 0) {
        count = eliminate_alike(c, out, body, walk_body(c, body), c->part[node]);
        c->rows[body] = 0;
        for (int i = 0; i < count; i++)
            c->rows[body] += c->graph->rows[c->front[i]];
        set_degrees(c, body, count);
    }
    const int first = out->below_first[group];
    if (count > INT32_MAX - first || !DRY_RESERVE(memory, out->below, out->below_capacity, first + count))
        return false;
    for (int i = 0; i < count; i++)
        out->below[first + i] = c->front[i];
    out->below_first[group + 1] = first + count;
    out->group_first[group + 1] = c->eliminated;
    return true;
}

/* Lists the nodes of each body and sets all degrees. */
static void begin(contraction *c)
{
    const dry_factor_graph *graph = c->graph;
    for (int i = 0; i < graph->bodies; i++) {
        c->parent[i] = i;
        c->head[i] = c->tail[i] = -1;
        c->rows[i] = c->shared[i] = 0;
    }
    for (int i = graph->nodes - 1; i >= 0; i--) {
        c->gone[i] = 0;
        c->mark[i] = c->degree[i] = 0;
        const int sides = graph->body[i][1] == graph->body[i][0] ? 1 : 2;
        for (int side = 0; side < sides; side++) {
            const int body = graph->body[i][side];
            if (body < 0)
                continue;
            c->next[2 * i + side] = c->head[body];
            c->head[body] = 2 * i + side;
            if (c->tail[body] < 0)
                c->tail[body] = 2 * i + side;
            c->rows[body] += graph->rows[i];
        }
    }
    for (int i = 0; i < graph->bodies; i++)
        set_degrees(c, i, walk_body(c, i));
}

/* Returns the node with the least degree, the first one of several; -1: none is left. Drops those that are
 * gone. A part is a small piece or a separator, and nodes alike go at once: a scan does. */
static int next_node(const contraction *c, int32_t *nodes, int *count)
{
    int kept = 0, least = -1;
    for (int i = 0; i < *count; i++) {
        const int node = nodes[i];
        if (c->gone[node])
            continue;
        nodes[kept++] = node;
        if (least < 0 || c->degree[node] < c->degree[least])
            least = node;
    }
    *count = kept;
    return least;
}

static bool eliminate_parts(contraction *c, dry_memory *memory, dry_elimination *out, int32_t *part_first,
                            int32_t *sorted, int parts)
{
    /* Nodes by part, in the order of their indices. */
    const int nodes = c->graph->nodes;
    for (int i = 0; i <= parts; i++)
        part_first[i] = 0;
    for (int i = 0; i < nodes; i++) {
        DRY_ASSERT(c->part[i] >= 0 && c->part[i] < parts);
        part_first[c->part[i] + 1]++;
    }
    for (int i = 0; i < parts; i++)
        part_first[i + 1] += part_first[i];
    for (int i = nodes - 1; i >= 0; i--)
        sorted[--part_first[c->part[i] + 1]] = i;
    /* part_first[p + 1] now holds the first place of part p. */
    for (int p = parts - 1; p >= 0; p--) {
        const int first = part_first[p + 1], end = p + 2 <= parts ? part_first[p + 2] : nodes;
        int count = end - first;
        for (int node; (node = next_node(c, sorted + first, &count)) >= 0;)
            if (!eliminate_group(c, memory, out, node))
                return false;
    }
    DRY_ASSERT(c->eliminated == nodes);
    return true;
}

bool dry_eliminate(dry_elimination *out, dry_memory *memory, const dry_factor_graph *graph,
                   const int32_t *part, int parts)
{
    const size_t n = (size_t)graph->nodes, bodies = (size_t)graph->bodies;
    out->groups = 0;
    if (!DRY_RESERVE(memory, out->order, out->order_capacity, graph->nodes) ||
        !DRY_RESERVE(memory, out->group_first, out->group_capacity, graph->nodes + 1) ||
        !DRY_RESERVE(memory, out->below_first, out->below_first_capacity, graph->nodes + 1))
        return false;
    out->group_first[0] = out->below_first[0] = 0;
    const size_t bytes = (5 * bodies + 7 * n + (size_t)parts + 1) * sizeof(int32_t) + n;
    int32_t *room = dry_memory_allocate(memory, bytes, DRY_CACHE_LINE);
    if (!room)
        return false;
    int32_t *at = room;
    contraction c = {.graph = graph, .part = part};
    c.parent = at, at += bodies;
    c.head = at, at += bodies;
    c.tail = at, at += bodies;
    c.rows = at, at += bodies;
    c.shared = at, at += bodies;
    c.next = at, at += 2 * n;
    c.degree = at, at += n;
    c.mark = at, at += n;
    c.front = at, at += n;
    c.front_end = at, at += n;
    int32_t *sorted = at;
    at += n;
    int32_t *part_first = at;
    at += parts + 1;
    c.gone = (uint8_t *)at;
    begin(&c);
    const bool done = eliminate_parts(&c, memory, out, part_first, sorted, parts);
    dry_memory_release(memory, room, bytes);
    return done;
}

void dry_elimination_free(dry_elimination *elimination, dry_memory *memory)
{
    DRY_RELEASE(memory, elimination->order, elimination->order_capacity);
    DRY_RELEASE(memory, elimination->group_first, elimination->group_capacity);
    DRY_RELEASE(memory, elimination->below_first, elimination->below_first_capacity);
    DRY_RELEASE(memory, elimination->below, elimination->below_capacity);
    elimination->groups = 0;
}
