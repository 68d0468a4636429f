/* How slender an articulation is. */
#ifndef METHODS_DIRECT_SLENDER_H
#define METHODS_DIRECT_SLENDER_H

#include "core/memory.h"
#include "methods/sparse/factor_graph.h"

#include <float.h>

/* Regularization that is less is lost in rounding. */
#define DRY_LEAST_REGULARIZATION (4 * DBL_EPSILON)

/* Finds the largest share of regularization for a graph; infinity if hinges break it everywhere. From node
 * `links` on, nodes are fixations: they join parts of one body, and add no length. Returns false if memory
 * fails. */
bool dry_graph_regularization(const dry_factor_graph *graph, int links, dry_memory *memory, double *share);

#endif
