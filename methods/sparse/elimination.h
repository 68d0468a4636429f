/* The order in which the nodes of an articulation are eliminated, and the fill that follows from it. */
#ifndef METHODS_SPARSE_ELIMINATION_H
#define METHODS_SPARSE_ELIMINATION_H

#include "core/memory.h"
#include "methods/sparse/factor_graph.h"

/* Nodes are eliminated in groups: the nodes of a group have the same neighbors. */
typedef struct dry_elimination {
    int32_t *order;       /* nodes, first eliminated first */
    int32_t *group_first; /* of each group: its first place in `order`; one more at the end */
    int32_t *below_first; /* of each group: its first place in `below`; one more at the end */
    int32_t *below;       /* for each group, the later nodes that are adjacent to it when it is eliminated */
    int groups;
    int order_capacity, group_capacity, below_first_capacity, below_capacity;
} dry_elimination;

/* Eliminates the nodes of each part by minimum degree, the last part first. Returns false if memory fails. */
bool dry_eliminate(dry_elimination *elimination, dry_memory *memory, const dry_factor_graph *graph,
                   const int32_t *part, int parts);
void dry_elimination_free(dry_elimination *elimination, dry_memory *memory);

#endif
