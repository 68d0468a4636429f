/* Nested dissection: cuts the graph of an articulation into parts, so that its elimination tree is low, and
 * keeps the cuts that pay. */
#ifndef METHODS_SPARSE_CUTS_H
#define METHODS_SPARSE_CUTS_H

#include "core/memory.h"
#include "methods/sparse/factor_graph.h"

/* Writes the part of each node: those of a higher part are eliminated earlier. A part is either a small
 * connected piece or the separator between two sets of parts with higher numbers. Returns the number of
 * parts; -1 if memory fails. (dissection.c) */
int dry_dissect(const dry_factor_graph *graph, dry_memory *memory, int32_t *part);

/* A connected piece of a dissection: a set of bodies with the nodes among them. It was cut in two, or makes
 * one part. */
typedef struct dry_cut {
    int32_t first, end; /* in the list of bodies; those of its pieces are a range within */
    int32_t parent;     /* the piece that it was cut from, which comes before it; -1: none */
    int32_t part;       /* of the nodes between its sides, or of all its nodes */
    int32_t rows;       /* of its nodes */
    int32_t cut_rows;   /* of those between its sides; -1: it was not cut */
} dry_cut;

/* A dissection: its pieces, its list of bodies, and the nodes of each body as dry_factor_list_nodes lists
 * them. */
typedef struct dry_cut_tree {
    const dry_factor_graph *graph;
    const dry_cut *cut;
    int cuts;
    const int32_t *bodies, *node_first, *node_list;
} dry_cut_tree;

/* Makes one part of each small piece that costs less in one than cut. Returns false if memory fails. */
bool dry_keep_cuts(const dry_cut_tree *tree, dry_memory *memory, int32_t *part);

#endif
