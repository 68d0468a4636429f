/* How slender an articulation is, which bounds its regularization. */
#include "methods/direct/slender.h"

#include <math.h>
#include <string.h>

typedef struct search {
    const dry_factor_graph *graph;
    int32_t *first, *list; /* the nodes of each body */
    int32_t *queue, *distance;
} search;

/* Searches breadth first from a body. Returns how many bodies are reached. */
static int find_all(const search *s, int start)
{
    int end = 1;
    memset(s->distance, -1, (size_t)s->graph->bodies * sizeof *s->distance);
    s->queue[0] = start;
    s->distance[start] = 0;
    for (int i = 0; i < end; i++) {
        const int body = s->queue[i];
        for (int k = s->first[body]; k < s->first[body + 1]; k++) {
            const int32_t *ends = s->graph->body[s->list[k]];
            const int other = ends[0] == body ? ends[1] : ends[0];
            if (other < 0 || s->distance[other] >= 0)
                continue;
            s->distance[other] = s->distance[body] + 1;
            s->queue[end++] = other;
        }
    }
    return end;
}

/* Tells whether one joint takes all freedom between two bodies. */
static bool is_welded(const search *s, int body, int other)
{
    for (int k = s->first[body]; k < s->first[body + 1]; k++) {
        const int32_t *ends = s->graph->body[s->list[k]];
        if (s->graph->rows[s->list[k]] == DRY_FACTOR_ROWS_MAX && (ends[0] == other || ends[1] == other))
            return true;
    }
    return false;
}

/* Returns the least ratio of the bodies that are reached at some distances in a row to the cube of the number
 * of these. A hinge ends a row: a joint between two bodies that alone have their distances. A chain bends
 * there of itself. */
static double find_slenderest(const search *s, int count)
{
    int run = 0, first = 0;
    double least = INFINITY;
    for (int i = 1; i < count; i++) {
        const int32_t *body = &s->queue[i];
        const int distance = s->distance[body[0]];
        const bool level_ends = i + 1 == count || s->distance[body[1]] > distance;
        const bool level_begins = distance > s->distance[body[-1]];
        const bool alone = level_begins && level_ends && (i == 1 || s->distance[body[-2]] < distance - 1);
        run += level_begins;
        if (alone && !is_welded(s, body[-1], body[0])) {
            run = 0;
            first = i;
        }
        if (level_ends && run > 0)
            least = fmin(least, (double)(i + 1 - first) / ((double)run * (double)run * (double)run));
    }
    return least;
}

/* Fills in the ends of the links, with the first part of a body for each of its parts. */
static void join_parts(const dry_factor_graph *graph, int links, int32_t *whole, int32_t (*ends)[2])
{
    for (int b = 0; b < graph->bodies; b++)
        whole[b] = b;
    for (int n = links; n < graph->nodes; n++) /* parts of a body form a chain */
        whole[graph->body[n][1]] = whole[graph->body[n][0]];
    for (int n = 0; n < links; n++)
        for (int side = 0; side < 2; side++)
            ends[n][side] = graph->body[n][side] < 0 ? -1 : whole[graph->body[n][side]];
}

/* A slender structure bends easily, as a beam does. The least mobility that its joints leave against a motion
 * falls with the fourth power of its length over the square of its depth. In bodies that is (bodies /
 * length^3)^2. Alpha is to be nothing beside it, but more than rounding. */
#define OF_SLENDER 2.5e-6

bool dry_graph_regularization(const dry_factor_graph *graph, int links, dry_memory *memory, double *share)
{
    const size_t bodies = (size_t)graph->bodies + 1, nodes = (size_t)links;
    const size_t bytes = (3 * bodies + 4 * nodes) * sizeof(int32_t);
    int32_t *room = dry_memory_allocate(memory, bytes, DRY_CACHE_LINE);
    if (!room)
        return false;
    int32_t(*ends)[2] = (int32_t(*)[2])room, *whole = room + 2 * nodes;
    const dry_factor_graph wholes = {links, graph->bodies, graph->rows, (const int32_t(*)[2])ends};
    search s = {.graph = &wholes, .list = whole + bodies, .first = whole + bodies + 2 * nodes};
    s.queue = s.first + bodies;
    s.distance = whole; /* needed no longer */
    join_parts(graph, links, whole, ends);
    dry_factor_list_nodes(&wholes, s.first, s.list);
    double least = INFINITY;
    if (s.first[graph->bodies] > 0) {
        const int32_t *node = ends[s.list[0]];
        const int count = find_all(&s, node[0] >= 0 ? node[0] : node[1]);
        find_all(&s, s.queue[count - 1]);
        least = find_slenderest(&s, count);
    }
    *share = fmax(OF_SLENDER * least * least, DRY_LEAST_REGULARIZATION);
    dry_memory_release(memory, room, bytes);
    return true;
}
