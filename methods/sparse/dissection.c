/* Nested dissection by level sets.
 *
 * Two nodes are adjacent if they share a body. So a set of nodes separates the others if and only if, without
 * it, the bodies fall apart: separators are cuts between two sets of bodies. Each cut lies between two levels
 * of a breadth-first search from a body at the rim, or around a subtree of that search.
 */
#include "core/assert.h"
#include "methods/sparse/cuts.h"

/* Rows of a piece that is not cut further. Larger ones may become whole again: cuts.c. */
enum { PIECE_ROWS = 24 };
/* The smaller side of a cut holds at least this share of its rows. */
enum { SIDE_PERCENT = 20 };
/* A cut of at most so many rows is not bettered. */
enum { NARROW_ROWS = 24 };
/* Steps that are walked up the search's tree to find where a cycle closes; beyond them the root stands for
 * it. */
enum { CYCLE_STEPS = 64 };

typedef struct piece {
    int32_t first, end; /* in `bodies` */
    int32_t parent;     /* the cut that it comes from; -1: none */
    bool connected;
} piece;

typedef struct dissection {
    const dry_factor_graph *graph;
    int32_t *part; /* of each node, -1: none yet */
    int parts, pieces;
    int32_t *node_first, *node_list; /* the nodes of each body */
    int32_t *bodies;                 /* by piece */
    int32_t *piece_of;               /* of each body: the number of its piece */
    int32_t *queue, *level, *up;     /* a search: its order, and each body's distance and predecessor */
    int32_t *distance[4], *key;      /* from bodies at the rim; `level` is one of these */
    int32_t *cut, *inside;           /* rows by key or by subtree */
    uint8_t *side;
    piece *stack;
    dry_cut *cuts;
    int stacked, cut_count;
} dissection;

/* The best cut so far: bodies whose key is at most `level`, or those below `root`. */
typedef struct best_cut {
    int64_t rows, smaller;
    int level, root;
} best_cut;

static int other_end(const dissection *d, int node, int body)
{
    const int32_t *ends = d->graph->body[node];
    return ends[0] == body ? ends[1] : ends[0];
}

/* Returns the body at the other end of a node of the piece, -1 if there is none, or the node is not the
 * piece's. */
static int neighbor(const dissection *d, int node, int body)
{
    return d->part[node] < 0 ? other_end(d, node, body) : -1;
}

/* Searches the piece from a body. Writes what is found from `queue[from]` on; returns its end. */
static int search(dissection *d, int start, int from, int new_piece)
{
    int end = from;
    d->queue[end++] = start;
    d->piece_of[start] = new_piece;
    d->level[start] = 0;
    d->up[start] = -1;
    for (int i = from; i < end; i++) {
        const int body = d->queue[i];
        for (int k = d->node_first[body]; k < d->node_first[body + 1]; k++) {
            const int other = neighbor(d, d->node_list[k], body);
            if (other < 0 || d->piece_of[other] == new_piece)
                continue;
            DRY_ASSERT(end < d->graph->bodies);
            d->piece_of[other] = new_piece;
            d->level[other] = d->level[body] + 1;
            d->up[other] = body;
            d->queue[end++] = other;
        }
    }
    return end;
}

static void push(dissection *d, int first, int end, int parent, bool connected)
{
    DRY_ASSERT(d->stacked <= d->graph->bodies);
    if (end > first)
        d->stack[d->stacked++] = (piece){first, end, parent, connected};
}

/* Parts a set of bodies into its connected components. */
static void push_components(dissection *d, piece set)
{
    const int old = d->pieces;
    int end = set.first;
    for (int i = set.first; i < set.end; i++)
        d->piece_of[d->bodies[i]] = old;
    for (int i = set.first; i < set.end; i++) {
        const int first = end;
        if (d->piece_of[d->bodies[i]] != old)
            continue;
        end = search(d, d->bodies[i], first, ++d->pieces);
        push(d, first, end, set.parent, true);
    }
    DRY_ASSERT(end == set.end);
    d->pieces++;
    for (int i = set.first; i < set.end; i++)
        d->bodies[i] = d->queue[i];
}

static void keep_better(best_cut *best, best_cut cut, int64_t total)
{
    const int64_t other = total - cut.rows - cut.smaller;
    if (other < cut.smaller)
        cut.smaller = other;
    if (100 * cut.smaller < SIDE_PERCENT * (total - cut.rows))
        return;
    if (best->rows < 0 || cut.rows * best->smaller < best->rows * cut.smaller)
        *best = cut;
}

/* Judges the cut behind each value of a key of bodies, from 0 to keys - 1. */
static void judge_keys(dissection *d, piece p, const int32_t *key, int keys, int64_t total, best_cut *best)
{
    DRY_ASSERT(keys > 0 && keys <= 2 * (d->graph->bodies + 1));
    for (int i = 0; i < keys; i++)
        d->cut[i] = d->inside[i] = 0;
    for (int i = p.first; i < p.end; i++) {
        const int body = d->bodies[i];
        for (int k = d->node_first[body]; k < d->node_first[body + 1]; k++) {
            const int node = d->node_list[k], other = neighbor(d, node, body);
            if (d->part[node] >= 0 || other > body)
                continue;
            const int low = other < 0 || key[body] < key[other] ? key[body] : key[other];
            const int high = other < 0 || key[body] > key[other] ? key[body] : key[other];
            DRY_ASSERT(low >= 0 && high < keys);
            d->cut[low] += d->graph->rows[node];
            d->cut[high] -= d->graph->rows[node];
            d->inside[high] += d->graph->rows[node];
        }
    }
    int64_t before = 0, cut = 0;
    for (int i = 0; i + 1 < keys; i++) {
        before += d->inside[i];
        cut += d->cut[i];
        keep_better(best, (best_cut){cut, before, i, -1}, total);
    }
}

/* Returns the body at which the paths up from two bodies meet, or `root` where it is far. */
static int meeting(const dissection *d, int a, int b, int root)
{
    for (int i = 0; a != b; i++) {
        DRY_ASSERT(a >= 0 && b >= 0);
        if (i == CYCLE_STEPS)
            return root;
        if (d->level[a] >= d->level[b])
            a = d->up[a];
        else
            b = d->up[b];
    }
    return a;
}

/* Judges the cut around each subtree of the search: its rows are those at its bodies less, twice, those
 * within. */
static void judge_subtrees(dissection *d, piece p, int64_t total, best_cut *best)
{
    const int root = d->queue[p.first];
    for (int i = p.first; i < p.end; i++)
        d->cut[d->queue[i]] = d->inside[d->queue[i]] = 0;
    for (int i = p.first; i < p.end; i++) {
        const int body = d->queue[i];
        for (int k = d->node_first[body]; k < d->node_first[body + 1]; k++) {
            const int node = d->node_list[k], other = neighbor(d, node, body);
            const int rows = d->graph->rows[node];
            if (d->part[node] >= 0)
                continue;
            if (other >= 0 && other != body)
                d->cut[body] += rows;
            if (other > body) {
                const int top = meeting(d, body, other, root);
                d->inside[top] += rows;
                d->cut[top] -= 2 * rows;
            } else if (other < 0 || other == body) {
                d->inside[body] += rows;
            }
        }
    }
    for (int i = p.end - 1; i > p.first; i--) {
        const int body = d->queue[i], up = d->up[body];
        keep_better(best, (best_cut){d->cut[body], d->inside[body], -1, body}, total);
        d->cut[up] += d->cut[body];
        d->inside[up] += d->inside[body];
    }
}

static void set_sides(dissection *d, piece p, const int32_t *key, const best_cut *best)
{
    for (int i = p.first; i < p.end; i++) {
        /* In the order of the search, in which a body follows the one above it. */
        const int body = best->root >= 0 ? d->queue[i] : d->bodies[i];
        if (best->root >= 0)
            d->side[body] = body == best->root || (d->up[body] >= 0 && d->side[d->up[body]]);
        else
            d->side[body] = key[body] <= best->level;
    }
}

static int64_t piece_rows(const dissection *d, piece p)
{
    int64_t rows = 0;
    for (int i = p.first; i < p.end; i++) {
        const int body = d->bodies[i];
        for (int k = d->node_first[body]; k < d->node_first[body + 1]; k++) {
            const int node = d->node_list[k];
            if (d->part[node] < 0 && other_end(d, node, body) <= body)
                rows += d->graph->rows[node];
        }
    }
    return rows;
}

/* Makes a part of the nodes of a piece: all of them, or those between its sides. */
static void make_part(dissection *d, piece p, bool all)
{
    const int part = d->parts;
    bool any = false;
    for (int i = p.first; i < p.end; i++) {
        const int body = d->bodies[i];
        for (int k = d->node_first[body]; k < d->node_first[body + 1]; k++) {
            const int node = d->node_list[k], other = neighbor(d, node, body);
            if (d->part[node] < 0 && (all || (other >= 0 && d->side[other] != d->side[body]))) {
                d->part[node] = part;
                any = true;
            }
        }
    }
    d->parts += any;
}

/* Searches from a body at the rim of the piece. Returns the last body found. */
static int search_from_rim(dissection *d, piece p)
{
    int start = d->bodies[p.first], depth = -1;
    for (int i = 0;; i++) {
        const int end = search(d, start, p.first, ++d->pieces);
        const int last = d->queue[p.end - 1];
        DRY_ASSERT(end == p.end);
        if (i == 3 || d->level[last] <= depth)
            return last;
        depth = d->level[last];
        start = last;
    }
}

/* Judges cuts by differences of distances from four bodies at the rim. In a grid, where the levels of one
 * search from a corner are diagonals, the difference of those from two neighboring corners gives straight
 * cuts. */
static void judge_differences(dissection *d, piece p, int last, int64_t total, best_cut *best)
{
    /* One end of the middle level, and what is farthest from it. */
    const int half = d->level[last] / 2;
    int middle = last;
    for (int i = p.first; i < p.end && d->level[d->queue[i]] <= half; i++)
        middle = d->queue[i];
    int32_t *first = d->level;
    int start[4] = {-1, last, middle, -1};
    for (int i = 1; i < 4; i++) {
        d->level = d->distance[i];
        search(d, start[i], p.first, ++d->pieces);
        start[3] = d->queue[p.end - 1];
    }
    d->level = first;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            int low = 0, high = 0;
            for (int k = p.first; k < p.end; k++) {
                const int body = d->bodies[k];
                const int key = d->key[body] = d->distance[i][body] - d->distance[j][body];
                low = key < low ? key : low;
                high = key > high ? key : high;
            }
            for (int k = p.first; k < p.end; k++)
                d->key[d->bodies[k]] -= low;
            const best_cut before = *best;
            judge_keys(d, p, d->key, high - low + 1, total, best);
            if (best->rows != before.rows || best->smaller != before.smaller)
                set_sides(d, p, d->key, best);
        }
}

/* Cuts a connected piece in two, or makes a part of it. */
static void cut_piece(dissection *d, piece p)
{
    const int64_t total = piece_rows(d, p);
    DRY_ASSERT(d->cut_count < 2 * (d->graph->bodies + 1));
    best_cut best = {-1, 0, -1, -1};
    if (total > PIECE_ROWS) {
        const int last = search_from_rim(d, p);
        judge_keys(d, p, d->level, d->level[last] + 1, total, &best);
        judge_subtrees(d, p, total, &best);
        if (best.rows >= 0)
            set_sides(d, p, d->level, &best);
        if (best.rows < 0 || best.rows > NARROW_ROWS)
            judge_differences(d, p, last, total, &best);
    }
    /* A separator far larger than that of a regular grid does not pay. */
    if (best.rows < 0 || best.rows * best.rows * best.rows > 4 * total * total) {
        d->cuts[d->cut_count++] = (dry_cut){p.first, p.end, p.parent, d->parts, (int32_t)total, -1};
        make_part(d, p, true);
        return;
    }
    const int own = d->cut_count++;
    d->cuts[own] = (dry_cut){p.first, p.end, p.parent, d->parts, (int32_t)total, (int32_t)best.rows};
    make_part(d, p, false);
    int middle = p.first, end = p.first;
    for (int i = p.first; i < p.end; i++) {
        const int body = d->bodies[i];
        if (d->side[body])
            d->bodies[middle++] = body;
        else
            d->queue[end++] = body;
    }
    DRY_ASSERT(p.first < middle && middle < p.end && middle - p.first + end == p.end);
    for (int i = p.first; i < end; i++)
        d->bodies[middle + i - p.first] = d->queue[i];
    push(d, p.first, middle, own, false);
    push(d, middle, p.end, own, false);
}

int dry_dissect(const dry_factor_graph *graph, dry_memory *memory, int32_t *part)
{
    const size_t nodes = (size_t)graph->nodes, n = (size_t)graph->bodies + 1;
    /* Pieces on the stack have no body in common. */
    const size_t bytes =
        (14 * n + 2 * nodes) * sizeof(int32_t) + n * sizeof(piece) + 2 * n * sizeof(dry_cut) + n;
    char *room = dry_memory_allocate(memory, bytes, DRY_CACHE_LINE);
    if (!room)
        return -1;
    dissection d = {.graph = graph, .part = part, .stack = (piece *)(void *)room};
    d.cuts = (dry_cut *)(void *)(d.stack + n);
    int32_t *at = (int32_t *)(void *)(d.cuts + 2 * n);
    d.node_first = at, at += n;
    d.bodies = at, at += n;
    d.piece_of = at, at += n;
    d.queue = at, at += n;
    for (int i = 0; i < 4; i++, at += n)
        d.distance[i] = at;
    d.level = d.distance[0];
    d.key = at, at += n;
    d.up = at, at += n;
    d.cut = at, at += 2 * n;
    d.inside = at, at += 2 * n;
    d.node_list = at, at += 2 * nodes;
    d.side = (uint8_t *)at;
    dry_factor_list_nodes(graph, d.node_first, d.node_list);
    for (int i = 0; i < graph->nodes; i++) {
        part[i] = graph->body[i][0] < 0 && graph->body[i][1] < 0 ? 0 : -1;
        d.parts |= part[i] == 0;
    }
    for (int i = 0; i < graph->bodies; i++)
        d.bodies[i] = i;
    push(&d, 0, graph->bodies, -1, false);
    while (d.stacked) {
        const piece p = d.stack[--d.stacked];
        if (p.connected)
            cut_piece(&d, p);
        else
            push_components(&d, p);
    }
    const dry_cut_tree tree = {graph, d.cuts, d.cut_count, d.bodies, d.node_first, d.node_list};
    const bool done = dry_keep_cuts(&tree, memory, part);
    dry_memory_release(memory, room, bytes);
    return done ? d.parts : -1;
}
