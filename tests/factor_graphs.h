/* Graphs of joints to factor: chains, trees, ladders, rings, grids, stars, tubes, random ones. */
#ifndef TESTS_FACTOR_GRAPHS_H
#define TESTS_FACTOR_GRAPHS_H

#include "methods/sparse/factor_graph.h"

#include <stdlib.h>

typedef struct joint_graph {
    int nodes, bodies, room;
    uint8_t *rows;
    int32_t (*body)[2];
} joint_graph;

static inline void graph_add(joint_graph *graph, int a, int b, int rows)
{
    if (graph->nodes == graph->room) {
        graph->room = 2 * graph->room + 64;
        graph->rows = realloc(graph->rows, (size_t)graph->room);
        graph->body = realloc(graph->body, (size_t)graph->room * sizeof *graph->body);
        if (!graph->rows || !graph->body)
            abort();
    }
    graph->rows[graph->nodes] = (uint8_t)rows;
    graph->body[graph->nodes][0] = a;
    graph->body[graph->nodes++][1] = b;
    graph->bodies = a >= graph->bodies ? a + 1 : graph->bodies;
    graph->bodies = b >= graph->bodies ? b + 1 : graph->bodies;
}

static inline void graph_free(joint_graph *graph)
{
    free(graph->rows);
    free(graph->body);
    *graph = (joint_graph){0};
}

static inline dry_factor_graph graph_view(const joint_graph *graph)
{
    return (dry_factor_graph){graph->nodes, graph->bodies, graph->rows, (const int32_t(*)[2])graph->body};
}

/* `size` joints in a row, the first to the world. */
static inline joint_graph chain_graph(int size, int rows)
{
    joint_graph graph = {0};
    for (int i = 0; i < size; i++)
        graph_add(&graph, i - 1, i, rows);
    return graph;
}

static inline joint_graph ring_graph(int size, int rows)
{
    joint_graph graph = {0};
    for (int i = 0; i < size; i++)
        graph_add(&graph, i, (i + 1) % size, rows);
    return graph;
}

/* Each body hangs at a random earlier one, among the last `reach`. */
static inline joint_graph tree_graph(int size, int rows, int reach, uint64_t seed)
{
    joint_graph graph = {0};
    for (int i = 1; i <= size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int back = (int)((seed >> 33) % (uint64_t)(i < reach ? i : reach));
        graph_add(&graph, i, i - 1 - back, rows);
    }
    return graph;
}

/* A scissor lift: two bars a segment, crossed by a hinge in the middle and hinged to those of the next. */
static inline joint_graph ladder_graph(int size, int rows)
{
    joint_graph graph = {0};
    for (int i = 0; i < size; i++) {
        graph_add(&graph, 2 * i, 2 * i + 1, rows);
        for (int side = 0; i + 1 < size && side < 2; side++)
            graph_add(&graph, 2 * i + side, 2 * i + 3 - side, rows);
    }
    return graph;
}

static inline joint_graph grid_graph(int nx, int ny, int nz, int rows)
{
    joint_graph graph = {0};
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                const int at = (z * ny + y) * nx + x;
                if (x + 1 < nx)
                    graph_add(&graph, at, at + 1, rows);
                if (y + 1 < ny)
                    graph_add(&graph, at, at + nx, rows);
                if (z + 1 < nz)
                    graph_add(&graph, at, at + nx * ny, rows);
            }
    return graph;
}

/* Rings of `around` bodies, each joined to the next ring. */
static inline joint_graph tube_graph(int rings, int around, int rows)
{
    joint_graph graph = {0};
    for (int i = 0; i < rings; i++)
        for (int k = 0; k < around; k++) {
            graph_add(&graph, i * around + k, i * around + (k + 1) % around, rows);
            if (i + 1 < rings)
                graph_add(&graph, i * around + k, (i + 1) * around + k, rows);
        }
    return graph;
}

static inline joint_graph star_graph(int size, int rows)
{
    joint_graph graph = {0};
    for (int i = 1; i <= size; i++)
        graph_add(&graph, 0, i, rows);
    return graph;
}

/* Legs of 6 bodies and 9 hinges, as Jansen's, each at the frame (twice) and at its own part of a shaft that a
 * joint holds to the next part. */
static inline joint_graph walker_graph(int legs, int rows)
{
    joint_graph graph = {0};
    for (int i = 0; i < legs; i++) {
        const int shaft = 1 + i, bar = 1 + legs + 6 * i;
        graph_add(&graph, shaft, i ? shaft - 1 : 0, rows);
        graph_add(&graph, shaft, bar, rows);
        graph_add(&graph, shaft, bar + 1, rows);
        graph_add(&graph, 0, bar + 2, rows);
        graph_add(&graph, 0, bar + 3, rows);
        graph_add(&graph, bar, bar + 2, rows);
        graph_add(&graph, bar + 1, bar + 3, rows);
        graph_add(&graph, bar + 2, bar + 4, rows);
        graph_add(&graph, bar + 3, bar + 5, rows);
        graph_add(&graph, bar + 4, bar + 5, rows);
    }
    return graph;
}

/* The same, with the frame split into one part for each leg, joined in a row by 6 rows. */
static inline joint_graph split_walker_graph(int legs, int rows)
{
    joint_graph graph = walker_graph(legs, rows);
    const int frame = graph.bodies;
    for (int i = 0; i < graph.nodes; i++)
        for (int side = 0; side < 2; side++)
            if (graph.body[i][side] == 0)
                graph.body[i][side] = frame + i / 10;
    for (int i = 0; i + 1 < legs; i++)
        graph_add(&graph, frame + i, frame + i + 1, 6);
    return graph;
}

/* A scissor lift as the scene has it: a segment has two pairs of crossed bars on hinges and two axles, the
 * lowest bars stand on the world and on a carriage. */
static inline joint_graph lift_graph(int segments)
{
    joint_graph graph = {0};
    int left = -1, right = 0;
    graph_add(&graph, -1, right, 5);
    for (int i = 0; i < segments; i++) {
        const int first = 1 + 6 * i; /* two axles, then four bars */
        for (int bar = 0; bar < 4; bar++) {
            graph_add(&graph, bar % 2 ? right : left, first + 2 + bar, 5);
            graph_add(&graph, first + 1 - bar % 2, first + 2 + bar, 5);
            if (bar % 2)
                graph_add(&graph, first + 1 + bar, first + 2 + bar, 5);
        }
        left = first;
        right = first + 1;
    }
    return graph;
}

/* A tube as the scene has it: a ring has 6 nodes and 18 bars, of which 12 lead to the ring before. */
static inline joint_graph bar_tube_graph(int rings)
{
    joint_graph graph = {0};
    for (int i = 0; i < rings; i++)
        for (int k = 0; k < 6; k++) {
            const int nodes = 24 * i, bar = nodes + 6 + 3 * k, before = i ? nodes - 24 + k : -1;
            const int ends[3][2] = {
                {nodes + k, nodes + (k + 1) % 6}, {before, nodes + k}, {before, nodes + (k + 1) % 6}};
            for (int e = 0; e < 3; e++)
                for (int side = 0; side < 2; side++)
                    graph_add(&graph, ends[e][side], bar + e, 3);
        }
    return graph;
}

/* Tells whether two nodes share a body, or are the same. */
static inline bool adjacent(const joint_graph *graph, int i, int j)
{
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++)
            if (graph->body[i][s] >= 0 && graph->body[i][s] == graph->body[j][t])
                return true;
    return i == j;
}

#endif
