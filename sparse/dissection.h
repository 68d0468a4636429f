/* Nested dissection: cuts the graph of an articulation into parts, so that its elimination tree is low. */
#ifndef SPARSE_DISSECTION_H
#define SPARSE_DISSECTION_H

#include "core/memory.h"
#include "sparse/factor_graph.h"

/* Writes the part of each node: those of a higher part are eliminated earlier. A part is either a small
 * connected piece or the separator between two sets of parts with higher numbers. Returns the number of
 * parts; -1 if memory fails. */
int dry_dissect(const dry_factor_graph *graph, dry_memory *memory, int32_t *part);

#endif
