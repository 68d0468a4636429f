/* The numeric factorization and its solves. */
#include "solver/articulations/factor.h"
#include "solver/articulations/panel.h"

#include <math.h>
#include <string.h>

void dry_factor_free(dry_factor *f, dry_memory *memory)
{
    DRY_RELEASE(memory, f->first_row, f->first_row_capacity);
    DRY_RELEASE(memory, f->order, f->order_capacity);
    DRY_RELEASE(memory, f->position, f->position_capacity);
    DRY_RELEASE(memory, f->supernode_of, f->supernode_of_capacity);
    DRY_RELEASE(memory, f->panel_row, f->panel_row_capacity);
    DRY_RELEASE(memory, f->supernode, f->supernode_capacity);
    DRY_RELEASE(memory, f->below, f->below_capacity);
    DRY_RELEASE(memory, f->below_row, f->below_row_capacity);
    DRY_RELEASE(memory, f->below_target, f->below_target_capacity);
    DRY_RELEASE(memory, f->pair, f->pair_capacity);
    DRY_RELEASE(memory, f->pair_first, f->pair_first_capacity);
    DRY_RELEASE(memory, f->values, f->values_capacity);
    DRY_RELEASE(memory, f->pivot, f->pivot_capacity);
    DRY_RELEASE(memory, f->inverse_root, f->inverse_root_capacity);
    DRY_RELEASE(memory, f->updates, f->updates_capacity);
    DRY_RELEASE(memory, f->work, f->work_capacity);
    *f = (dry_factor){0};
}

void dry_factor_begin(dry_factor *f)
{
    if (f->counts.l_values)
        memset(f->values, 0, (size_t)f->counts.l_values * sizeof *f->values);
}

dry_factor_block dry_factor_find(dry_factor *f, int i, int j)
{
    const bool swapped = f->position[j] > f->position[i];
    const int row = swapped ? j : i, column = swapped ? i : j;
    int low = f->pair_first[row], high = f->pair_first[row + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (f->pair[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == f->pair_first[row + 1] || f->pair[low].column != column)
        return (dry_factor_block){0};
    const dry_factor_block block = dry_factor_pair_block(f, &f->pair[low]);
    return swapped ? (dry_factor_block){block.at, block.column_step, block.row_step} : block;
}

static int rows_of(const dry_factor *f, int node)
{
    return f->first_row[node + 1] - f->first_row[node];
}

double dry_factor_norm(dry_factor *f)
{
    const int rows = f->nodes ? f->first_row[f->nodes] : 0;
    for (int i = 0; i < rows; i++)
        f->work[i] = 0.0;
    for (int p = 0; p < f->pairs; p++) {
        const dry_factor_pair *pair = &f->pair[p];
        const int height = rows_of(f, pair->row), width = rows_of(f, pair->column);
        double *row_sum = f->work + f->first_row[pair->row];
        double *column_sum = f->work + f->first_row[pair->column];
        const bool diagonal = pair->row == pair->column;
        for (int c = 0; c < width; c++) {
            const double *value = f->values + pair->at + (int64_t)c * pair->stride;
            for (int r = diagonal ? c : 0; r < height; r++) {
                column_sum[c] += fabs(value[r]);
                if (!diagonal || r > c)
                    row_sum[r] += fabs(value[r]);
            }
        }
    }
    double most = 0.0;
    for (int i = 0; i < rows; i++)
        most = f->work[i] > most ? f->work[i] : most;
    return most;
}

/* Adds the update of a child to its parent's panel and update. */
static void add_update(dry_factor *f, const dry_supernode *child, const dry_supernode *s)
{
    const double *from = f->updates + child->update;
    const int base = dry_panel_round(s->columns), child_base = dry_panel_round(child->columns);
    for (int i = child->below_first; i < child->below_end; i++) {
        const int width = rows_of(f, f->below[i]);
        for (int c = 0; c < width; c++) {
            const double *column = from + (int64_t)(f->below_row[i] - child_base + c) * child->update_side;
            const int target = f->below_target[i] + c;
            double *to = target < s->columns
                             ? f->values + s->panel + (int64_t)target * s->height
                             : f->updates + s->update + (int64_t)(target - base) * s->update_side - base;
            for (int j = i; j < child->below_end; j++) {
                const int row = f->below_row[j] - child_base, to_row = f->below_target[j];
                const int rows = rows_of(f, f->below[j]);
                for (int r = 0; r < rows; r++)
                    to[to_row + r] += column[row + r];
            }
        }
    }
}

static int factor_supernode(dry_factor *f, int number, double alpha)
{
    const dry_supernode *s = &f->supernode[number];
    double *panel = f->values + s->panel, *update = s->update_side ? f->updates + s->update : NULL;
    if (s->update_side)
        memset(update, 0, (size_t)s->update_side * (size_t)s->update_side * sizeof *update);
    for (int k = 0; k < s->columns; k++)
        panel[(int64_t)k * s->height + k] += alpha;
    for (int child = s->child; child >= 0; child = f->supernode[child].sibling)
        add_update(f, &f->supernode[child], s);
    const int raised = dry_panel_factor(panel, s->height, s->columns, update, s->update_side, alpha, f->work);
    int k = 0;
    for (int i = s->node_first; i < s->node_end; i++)
        for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++) {
            f->pivot[row] = f->work[k++];
            f->inverse_root[row] = 1.0 / sqrt(f->pivot[row]);
        }
    return raised;
}

int dry_factor_compute(dry_factor *f, double alpha)
{
    int raised = 0;
    for (int i = 0; i < f->supernodes; i++)
        raised += factor_supernode(f, i, alpha);
    return raised;
}

/* Copies the entries of x for a panel's rows. */
static void gather(dry_factor *f, const dry_supernode *s, const double *x)
{
    double *work = f->work;
    for (int i = s->node_first; i < s->node_end; i++)
        for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++)
            *work++ = x[row];
    for (const double *end = f->work + dry_panel_round(s->columns); work < end;)
        *work++ = 0.0;
    for (int i = s->below_first; i < s->below_end; i++)
        for (int row = f->first_row[f->below[i]]; row < f->first_row[f->below[i] + 1]; row++)
            *work++ = x[row];
    for (const double *end = f->work + s->height; work < end;)
        *work++ = 0.0;
}

void dry_factor_forward(dry_factor *f, double *x)
{
    for (int n = 0; n < f->supernodes; n++) {
        const dry_supernode *s = &f->supernode[n];
        gather(f, s, x);
        dry_panel_forward(f->values + s->panel, s->height, s->columns, f->work);
        const double *work = f->work;
        for (int i = s->node_first; i < s->node_end; i++)
            for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++)
                x[row] = *work++ * f->inverse_root[row];
        work = f->work + dry_panel_round(s->columns);
        for (int i = s->below_first; i < s->below_end; i++)
            for (int row = f->first_row[f->below[i]]; row < f->first_row[f->below[i] + 1]; row++)
                x[row] = *work++;
    }
}

void dry_factor_backward(dry_factor *f, double *x)
{
    for (int n = f->supernodes - 1; n >= 0; n--) {
        const dry_supernode *s = &f->supernode[n];
        for (int i = s->node_first; i < s->node_end; i++)
            for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++)
                x[row] *= f->inverse_root[row];
        gather(f, s, x);
        dry_panel_backward(f->values + s->panel, s->height, s->columns, f->work);
        const double *work = f->work;
        for (int i = s->node_first; i < s->node_end; i++)
            for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++)
                x[row] = *work++;
    }
}

void dry_factor_solve(dry_factor *f, double *x)
{
    dry_factor_forward(f, x);
    dry_factor_backward(f, x);
}
