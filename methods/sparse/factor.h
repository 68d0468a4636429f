/* Direct solution of the joints of an articulation: the sparse block factorization A + alpha I = L D L^T.
 *
 * Analysis orders the nodes so that paths of the elimination tree are short and the fill is small, then
 * gathers columns of like structure to supernodes. The factorization is multifrontal: a supernode's columns
 * are a dense panel, and the product of its rows below the diagonal is an update that its parent takes over.
 * Each sum has a fixed order, so subtrees may be computed in any order, or side by side, and give the same
 * bits: *tasks* are sets of subtrees, which workers share; what is above all of them, the top, comes last.
 * Workers share the columns of each panel of the top.
 *
 *      panel of supernode s            w: its columns
 *      +-----+                         round(w): w rounded up to DRY_PANEL_TILE
 *      | D,L |  rows of its nodes      height: round(w) + round(rows below)
 *      +-----+
 *      |  L  |  rows below             Panels lie column by column. Padding stays 0.
 *      +-----+
 */
#ifndef METHODS_SPARSE_FACTOR_H
#define METHODS_SPARSE_FACTOR_H

#include "core/memory.h"
#include "methods/sparse/factor_graph.h"
#include "simd/processor.h"

struct dry_block_factor;
struct dry_jobs;

/* A block of A: nodes that share a body, or the same node twice. `row` is not eliminated before `column`. */
typedef struct dry_factor_pair {
    int64_t at;          /* its first value; down a column values are adjacent */
    int32_t row, column; /* nodes */
    int32_t stride;      /* from one column to the next */
    uint32_t shared;     /* bit 2 * i + j: body i of `row` is body j of `column` */
} dry_factor_pair;

typedef struct dry_supernode {
    int32_t node_first, node_end;   /* its nodes, in `order` */
    int32_t below_first, below_end; /* later nodes with rows in its panel, in `below`, in their order */
    int32_t first_column;           /* columns of all supernodes before it */
    int32_t columns, rows_below;
    int32_t height;             /* of the panel */
    int32_t update_side;        /* height and width of the update */
    int32_t parent;             /* -1: a root. Higher than the supernode's own number */
    int32_t child, sibling;     /* its first child, its parent's next child; -1: none */
    int32_t run_first, run_end; /* its rows below, in `run` */
    int32_t raised;             /* pivots of the last factorization */
    int64_t panel;              /* in `values` */
    int64_t update;             /* in `updates` */
    int64_t vector;             /* in `vectors`: one value for each row of the panel */
} dry_supernode;

/* Adjacent rows below a supernode whose rows in the parent's panel are adjacent, too. */
typedef struct dry_factor_run {
    int32_t row, target, rows; /* first row in the panel, and in that of the parent; their number */
} dry_factor_run;

typedef struct dry_factor_counts {
    int64_t rows;
    int64_t a_nonzeros, l_nonzeros; /* of the lower triangle with the diagonal */
    int64_t l_values;               /* values kept for L: with the zeros and padding of panels */
    int64_t multiply_adds;          /* of one factorization, without those zeros */
    int64_t path_rows;              /* rows on the longest path of the tree of supernodes */
} dry_factor_counts;

typedef struct dry_factor {
    dry_level level; /* whose kernels it runs: scalar, unless its owner sets another */
    int nodes, supernodes, pairs, runs, tasks;
    dry_factor_counts counts;
    int32_t *first_row;    /* of each node, in vectors; one more at the end */
    int32_t *order;        /* nodes by elimination */
    int32_t *position;     /* of each node in `order` */
    int32_t *supernode_of; /* of each node */
    int32_t *panel_row;    /* of each node: its first row, and column, in its supernode's panel */
    dry_supernode *supernode;
    int32_t *below;     /* nodes */
    int32_t *below_row; /* of each entry of `below`: its first row in the panel of the supernode */
    dry_factor_run *run;
    int32_t *schedule;     /* supernodes, children before parents: those of each task, then the top */
    int32_t *task_first;   /* of each task: its first place in `schedule`; then that of the top */
    dry_factor_pair *pair; /* by row, then by column, both by index; pair_first: the first pair of each row */
    int32_t *pair_first;
    double *values;       /* all panels */
    double *alpha;        /* of each row, in vectors' order */
    double *pivot;        /* D, likewise */
    double *inverse_root; /* D^-1/2 */
    double *updates;
    double *vectors;
    int first_row_capacity, order_capacity, position_capacity, supernode_of_capacity, panel_row_capacity;
    int supernode_capacity, below_capacity, below_row_capacity;
    int pair_capacity, pair_first_capacity, alpha_capacity, pivot_capacity, inverse_root_capacity;
    int64_t values_capacity, updates_capacity;
    int vectors_capacity, run_capacity, schedule_capacity, task_first_capacity;
} dry_factor;

/* Orders a graph and makes room for its factor; may be called again. If memory fails, or the
 * lists of its structure would have over 2^31 entries, returns false, and the factor is empty. (analysis.c)
 */
bool dry_factor_analyze(dry_factor *factor, dry_memory *memory, const dry_factor_graph *graph);

/* Clears the values and the norm. */
void dry_factor_begin(dry_factor *factor);
/* Fills a pair's block with the sum of `count` products of packed sides, and adds it to the norm. */
void dry_factor_set_product(dry_factor *factor, const dry_factor_pair *pair,
                            const struct dry_block_factor *products, int count);
/* Returns the values of a pair's block, to add A's to: entry (r, c) is at [r + c * pair->stride]; rows are
 * those of pair->row. Only the lower triangle of a node's own block is read. */
static inline double *dry_factor_pair_values(dry_factor *factor, const dry_factor_pair *pair)
{
    return factor->values + pair->at;
}
/* Sets the alpha of all rows to `share` of the largest sum of absolute values of a column of A, of the blocks
 * that are products, before A is factored; to 1 if A is 0. Returns it. */
double dry_factor_regularize(dry_factor *factor, double share);
/* Then sets that of the rows of a node to `share` of ten times the sum of their own column, if that is less
 * and not 0. */
void dry_factor_regularize_less(dry_factor *factor, int node, double share);
/* Sets the alpha of all rows. */
void dry_factor_set_alpha(dry_factor *factor, double alpha);

/* Replaces A by L and D of A + alpha, with alpha on the diagonal. A pivot below its row's alpha becomes that
 * alpha; returns the number of those. Does dry_factor_forward of x on the way, if x is not null: values are
 * read once. Allocates nothing. Workers share the tasks; null: the calling thread alone. */
int dry_factor_compute(dry_factor *factor, double *x, struct dry_jobs *jobs);

/* Solves A x = b in place. Vectors hold the rows of node 0, then those of node 1, and so on. */
void dry_factor_solve(dry_factor *factor, double *x, struct dry_jobs *jobs);
/* The halves: x = D^-1/2 L^-1 x and x = L^-T D^-1/2 x, with L's rows and columns in the order of vectors. */
void dry_factor_forward(dry_factor *factor, double *x, struct dry_jobs *jobs);
void dry_factor_backward(dry_factor *factor, double *x, struct dry_jobs *jobs);

#endif
