/* The numeric factorization and its solves. */
#include "methods/sparse/factor.h"

#include "core/assert.h"
#include "methods/sparse/kernel_list.h"
#include "methods/sparse/panel.h"

#include <math.h>
#include <string.h>

void dry_factor_begin(dry_factor *f)
{
    if (f->counts.l_values)
        memset(f->values, 0, (size_t)f->counts.l_values * sizeof *f->values);
    const int rows = f->nodes ? f->first_row[f->nodes] : 0;
    for (int i = 0; i < rows; i++)
        f->vectors[i] = 0.0;
}

static int rows_of(const dry_factor *f, int node)
{
    return f->first_row[node + 1] - f->first_row[node];
}

void dry_factor_set_product(dry_factor *f, const dry_factor_pair *pair, const dry_block_factor *products,
                            int count)
{
    double block[DRY_FACTOR_ROWS_MAX * DRY_BLOCK_LANES], row_sum[DRY_BLOCK_LANES],
        column_sum[DRY_FACTOR_ROWS_MAX];
    const int rows = rows_of(f, pair->row), columns = rows_of(f, pair->column);
    DRY_ASSERT(rows <= DRY_BLOCK_LANES && columns <= DRY_FACTOR_ROWS_MAX && rows <= pair->stride);
    DRY_ASSERT(pair->at + (columns - 1) * (int64_t)pair->stride + rows <= f->counts.l_values);
    dry_panel_kernels_at(f->level)->block_product(products, count, columns, block, row_sum, column_sum);
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++)
            dry_factor_pair_values(f, pair)[(int64_t)c * pair->stride + r] = block[c * DRY_BLOCK_LANES + r];
    for (int c = 0; c < columns; c++)
        f->vectors[f->first_row[pair->column] + c] += column_sum[c];
    for (int r = 0; r < rows && pair->row != pair->column; r++)
        f->vectors[f->first_row[pair->row] + r] += row_sum[r];
}

/* How many of its own column's sums a row of a node counts that has less of alpha. */
#define OWN 10.0

double dry_factor_regularize(dry_factor *f, double share)
{
    const int rows = f->nodes ? f->first_row[f->nodes] : 0;
    double norm = 0.0;
    for (int i = 0; i < rows; i++)
        norm = f->vectors[i] > norm ? f->vectors[i] : norm;
    const double alpha = norm > 0.0 ? share * norm : 1.0;
    dry_factor_set_alpha(f, alpha);
    return alpha;
}

void dry_factor_regularize_less(dry_factor *f, int node, double share)
{
    DRY_ASSERT(node >= 0 && node < f->nodes);
    for (int i = f->first_row[node]; i < f->first_row[node + 1]; i++) {
        const double own = OWN * share * f->vectors[i];
        if (own > 0.0 && own < f->alpha[i])
            f->alpha[i] = own;
    }
}

void dry_factor_set_alpha(dry_factor *f, double alpha)
{
    for (int i = 0; i < (f->nodes ? f->first_row[f->nodes] : 0); i++)
        f->alpha[i] = alpha;
}

/* A visit of all supernodes: children before parents, or `down` from the roots. */
typedef struct tree_walk {
    dry_factor *f;
    double *x;
    void (*visit)(const struct tree_walk *walk, int number);
    dry_jobs *jobs; /* whose workers share a panel's columns; null: the calling thread alone */
    bool down;
} tree_walk;

/* Calls `run` for all items: workers share them, or the calling thread is alone if there are no jobs. */
static void share(dry_jobs *jobs, int count, int grain, dry_jobs_run *run, void *context)
{
    if (jobs)
        dry_jobs_for(jobs, count, grain, run, context);
    else if (count > 0)
        run(context, (dry_items){.end = count});
}

/* Adds the update of a child to columns of its parent: to those of the panel, or to those of the update. */
static void add_update(const dry_factor *f, const dry_supernode *child, const dry_supernode *s, bool to_panel)
{
    const double *from = f->updates + child->update;
    const int base = dry_panel_round(s->columns), child_base = dry_panel_round(child->columns);
    DRY_ASSERT(child->parent >= 0 && &f->supernode[child->parent] == s);
    for (int i = child->run_first; i < child->run_end; i++) {
        const dry_factor_run *across = &f->run[i];
        DRY_ASSERT(across->target >= 0 && across->target + across->rows <= s->height);
        DRY_ASSERT(across->row >= child_base && across->row + across->rows <= child->height);
        for (int c = 0; c < across->rows; c++) {
            const double *column = from + (int64_t)(across->row - child_base + c) * child->update_side;
            const int target = across->target + c;
            if ((target < s->columns) != to_panel)
                continue;
            double *to = to_panel ? f->values + s->panel + (int64_t)target * s->height
                                  : f->updates + s->update + (int64_t)(target - base) * s->update_side - base;
            for (int j = i, done = c; j < child->run_end; j++, done = 0) {
                const dry_factor_run *down = &f->run[j];
                const double *restrict add = column + down->row - child_base;
                double *restrict sum = to + down->target;
                for (int r = done; r < down->rows; r++)
                    sum[r] += add[r];
            }
        }
    }
}

static void factor_supernode(const tree_walk *walk, int number)
{
    dry_factor *f = walk->f;
    dry_supernode *s = &f->supernode[number];
    double *panel = f->values + s->panel, *pivot = f->vectors + s->vector;
    for (int i = s->node_first, k = 0; i < s->node_end; i++)
        for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++, k++) {
            panel[(int64_t)k * s->height + k] += f->alpha[row];
            pivot[k] = f->alpha[row]; /* the smallest one */
        }
    for (int child = s->child; child >= 0; child = f->supernode[child].sibling)
        add_update(f, &f->supernode[child], s, true);
    double *update = s->update_side ? f->updates + s->update : NULL;
    dry_panel p = {panel, update, pivot, s->height, s->columns, s->update_side, 0};
    const dry_panel_kernels *kernels = dry_panel_kernels_at(f->level);
    for (s->raised = 0; p.first < s->columns; p.first += DRY_PANEL_BLOCK) {
        s->raised += kernels->panel_factor(&p);
        const int tiles = (s->height - dry_panel_round(dry_panel_block_end(&p))) / DRY_PANEL_TILE;
        share(walk->jobs, tiles, DRY_PANEL_BLOCK / DRY_PANEL_TILE, kernels->panel_subtract, &p);
    }
    DRY_ASSERT(s->raised >= 0 && s->raised <= s->columns);
    for (int child = s->child; child >= 0; child = f->supernode[child].sibling)
        add_update(f, &f->supernode[child], s, false);
    for (int i = s->node_first; i < s->node_end; i++)
        for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++) {
            f->pivot[row] = *pivot++;
            DRY_ASSERT(!(f->pivot[row] < f->alpha[row]));
            f->inverse_root[row] = 1.0 / sqrt(f->pivot[row]);
        }
}

/* Copies the rows of a supernode's nodes to its vector, each times D^-1/2 if asked to, and clears the rest.
 * Returns the vector. */
static double *load_rows(const tree_walk *walk, const dry_supernode *s, bool scaled)
{
    const dry_factor *f = walk->f;
    double *vector = f->vectors + s->vector, *at = vector;
    for (int i = s->node_first; i < s->node_end; i++)
        for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++)
            *at++ = scaled ? walk->x[row] * f->inverse_root[row] : walk->x[row];
    DRY_ASSERT(at - vector == s->columns && s->columns <= s->height);
    memset(at, 0, (size_t)(vector + s->height - at) * sizeof *at);
    return vector;
}

/* Copies them back, each times D^-1/2 if asked to. */
static void store_rows(const tree_walk *walk, const dry_supernode *s, bool scaled)
{
    const dry_factor *f = walk->f;
    const double *at = f->vectors + s->vector;
    for (int i = s->node_first; i < s->node_end; i++)
        for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++, at++)
            walk->x[row] = scaled ? *at * f->inverse_root[row] : *at;
}

/* Solves the columns of a supernode. What they leave for later rows stays in its vector, from which its
 * parent takes it: subtrees share no row of x. */
static void forward_supernode(const tree_walk *walk, int number)
{
    dry_factor *f = walk->f;
    const dry_supernode *s = &f->supernode[number];
    double *vector = load_rows(walk, s, false);
    for (int child = s->child; child >= 0; child = f->supernode[child].sibling) {
        const double *from = f->vectors + f->supernode[child].vector;
        DRY_ASSERT(child < number);
        for (int i = f->supernode[child].run_first; i < f->supernode[child].run_end; i++)
            for (int r = 0; r < f->run[i].rows; r++)
                vector[f->run[i].target + r] += from[f->run[i].row + r];
    }
    dry_panel_kernels_at(f->level)->panel_forward(f->values + s->panel, s->height, s->columns, vector);
    store_rows(walk, s, true);
}

/* Solves the columns of a supernode after its parent, whose vector holds all rows below. */
static void backward_supernode(const tree_walk *walk, int number)
{
    dry_factor *f = walk->f;
    const dry_supernode *s = &f->supernode[number];
    double *vector = load_rows(walk, s, true);
    if (s->parent >= 0) {
        const double *from = f->vectors + f->supernode[s->parent].vector;
        DRY_ASSERT(s->parent > number);
        for (int i = s->run_first; i < s->run_end; i++)
            for (int r = 0; r < f->run[i].rows; r++)
                vector[f->run[i].row + r] = from[f->run[i].target + r];
    }
    dry_panel_kernels_at(f->level)->panel_backward(f->values + s->panel, s->height, s->columns, vector);
    store_rows(walk, s, false);
}

/* Factors a supernode and solves its columns, while they are at hand. */
static void factor_and_forward(const tree_walk *walk, int number)
{
    factor_supernode(walk, number);
    forward_supernode(walk, number);
}

/* Visits the supernodes of a part of the schedule. */
static void visit_part(const tree_walk *walk, int begin, int end)
{
    DRY_ASSERT(begin <= end && end <= walk->f->supernodes);
    for (int i = begin; i < end; i++)
        walk->visit(walk, walk->f->schedule[walk->down ? begin + end - 1 - i : i]);
}

static void visit_tasks(void *context, dry_items items)
{
    const tree_walk *walk = context;
    visit_part(walk, walk->f->task_first[items.begin], walk->f->task_first[items.end]);
}

static void visit_all(tree_walk walk, dry_jobs *jobs)
{
    const dry_factor *f = walk.f;
    const int top = f->nodes ? f->task_first[f->tasks] : 0;
    DRY_ASSERT(top <= f->supernodes);
    if (walk.down)
        visit_part(&walk, top, f->supernodes);
    share(jobs, f->tasks, 1, visit_tasks, &walk);
    walk.jobs = jobs;
    if (!walk.down)
        visit_part(&walk, top, f->supernodes);
}

int dry_factor_compute(dry_factor *f, double *x, dry_jobs *jobs)
{
    visit_all((tree_walk){.f = f, .x = x, .visit = x ? factor_and_forward : factor_supernode}, jobs);
    int raised = 0;
    for (int i = 0; i < f->supernodes; i++)
        raised += f->supernode[i].raised;
    return raised;
}

void dry_factor_forward(dry_factor *f, double *x, dry_jobs *jobs)
{
    visit_all((tree_walk){.f = f, .x = x, .visit = forward_supernode}, jobs);
}

void dry_factor_backward(dry_factor *f, double *x, dry_jobs *jobs)
{
    visit_all((tree_walk){.f = f, .x = x, .visit = backward_supernode, .down = true}, jobs);
}

void dry_factor_solve(dry_factor *f, double *x, dry_jobs *jobs)
{
    dry_factor_forward(f, x, jobs);
    dry_factor_backward(f, x, jobs);
}
