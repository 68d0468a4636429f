/* Random graphs of joints to factor. */
#ifndef TESTS_METHODS_FACTOR_RANDOM_GRAPHS_H
#define TESTS_METHODS_FACTOR_RANDOM_GRAPHS_H

#include "tests/factor_graphs.h"
#include "tests/test_world.h"

static inline joint_graph random_graph(int bodies, int nodes, uint64_t seed)
{
    joint_graph graph = {0};
    for (int i = 0; i < nodes; i++) {
        const int a = random_below(&seed, bodies + 1) - 1, b = random_below(&seed, bodies + 1) - 1;
        graph_add(&graph, a, b, 1 + random_below(&seed, 6));
    }
    return graph;
}

/* Varies the rows of a graph's nodes. */
static inline joint_graph with_rows(joint_graph graph, uint64_t seed)
{
    for (int i = 0; i < graph.nodes; i++)
        graph.rows[i] = (uint8_t)(1 + random_below(&seed, 6));
    return graph;
}

#endif
