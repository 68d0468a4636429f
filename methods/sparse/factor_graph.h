/* The graph of an articulation as its factorization sees it.
 *
 * A node is a joint, with 1 to 6 rows. Two nodes that share a body have a block in A = G G^T. So the nodes of
 * a body form a clique. */
#ifndef METHODS_SPARSE_FACTOR_GRAPH_H
#define METHODS_SPARSE_FACTOR_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

enum { DRY_FACTOR_ROWS_MAX = 6 };

typedef struct dry_factor_graph {
    int nodes, bodies;
    const uint8_t *rows;      /* of each node, 1 to 6 */
    const int32_t (*body)[2]; /* of each node; -1: none (the world, a fixed body) */
} dry_factor_graph;

/* Returns the number of elements of a triangle with its diagonal. */
static inline int64_t dry_factor_triangle(int64_t n)
{
    return n * (n + 1) / 2;
}

/* Returns the multiply-adds for columns that have the rows `below` all of them. */
static inline int64_t dry_factor_operations(int64_t columns, int64_t below)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < columns; k++)
        sum += dry_factor_triangle(below + k);
    return sum;
}

/* Returns whether a node is listed at the body of a side: a node with the same body twice is listed once. */
static inline bool dry_factor_listed(const dry_factor_graph *graph, int node, int side)
{
    const int32_t *body = graph->body[node];
    return body[side] >= 0 && (side == 0 || body[1] != body[0]);
}

/* Lists the nodes of each body in rising order: those of body i are list[first[i]] up to list[first[i + 1]].
 * `first` has room for bodies + 1 entries, `list` for 2 * nodes. */
void dry_factor_list_nodes(const dry_factor_graph *graph, int32_t *first, int32_t *list);

#endif
