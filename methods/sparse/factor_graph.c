/* The nodes of each body. */
#include "methods/sparse/factor_graph.h"

void dry_factor_list_nodes(const dry_factor_graph *graph, int32_t *first, int32_t *list)
{
    for (int i = 0; i <= graph->bodies; i++)
        first[i] = 0;
    for (int i = 0; i < graph->nodes; i++)
        for (int side = 0; side < 2; side++)
            if (dry_factor_listed(graph, i, side))
                first[graph->body[i][side]]++;
    int end = 0;
    for (int i = 0; i <= graph->bodies; i++)
        first[i] = end += first[i];
    /* Each first place now is the end; it moves down to the start. */
    for (int i = graph->nodes - 1; i >= 0; i--)
        for (int side = 1; side >= 0; side--)
            if (dry_factor_listed(graph, i, side))
                list[--first[graph->body[i][side]]] = i;
}
