/* The structure of a factor: its supernodes, panels and blocks. */
#ifndef SPARSE_ANALYSIS_H
#define SPARSE_ANALYSIS_H

#include "sparse/factor.h"

/* Orders a graph and makes room for its factor; may be called again. If memory fails, or the
 * lists of its structure would have over 2^31 entries, returns false, and the factor is empty. */
bool dry_factor_analyze(dry_factor *factor, dry_memory *memory, const dry_factor_graph *graph);

#endif
