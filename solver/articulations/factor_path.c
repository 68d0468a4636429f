/* The forward half along one path of the elimination tree. Reads a factor. */
#include "solver/articulations/factor_path.h"
#include "solver/articulations/panel.h"

#include <string.h>

int dry_factor_path_rows(const dry_factor *f, int supernode)
{
    int rows = 0;
    for (int n = supernode; n >= 0; n = f->supernode[n].parent)
        rows += f->supernode[n].columns;
    return rows;
}

void dry_factor_path_clear(const dry_factor *f, int supernode, int count, double *x)
{
    for (int n = supernode; n >= 0; n = f->supernode[n].parent)
        for (int i = f->supernode[n].node_first; i < f->supernode[n].node_end; i++) {
            const int first = f->first_row[f->order[i]], end = f->first_row[f->order[i] + 1];
            memset(x + (int64_t)first * count, 0, (size_t)((end - first) * count) * sizeof *x);
        }
}

/* Copies the values of a panel's rows to `work`, or back. */
static void copy_panel(const dry_factor *f, const dry_supernode *s, int count, double *x, double *work,
                       bool back)
{
    const int end = s->node_end - s->node_first, below = s->below_end - s->below_first;
    double *at = work;
    for (int i = 0; i < end + below; i++) {
        if (i == end)
            at = work + (int64_t)dry_panel_round(s->columns) * count;
        const int node = i < end ? f->order[s->node_first + i] : f->below[s->below_first + i - end];
        const int first = f->first_row[node], rows = f->first_row[node + 1] - first;
        const size_t bytes = (size_t)(rows * count) * sizeof *x;
        if (back)
            memcpy(x + (int64_t)first * count, at, bytes);
        else
            memcpy(at, x + (int64_t)first * count, bytes);
        at += rows * count;
    }
}

/* One panel of L^-1 x, for a number of right-hand sides that the compiler knows. */
static inline void panel_forward(const dry_factor *f, const dry_supernode *s, double *restrict x, int count)
{
    for (int k = 0; k < s->columns; k++) {
        const double *column = f->values + s->panel + (int64_t)k * s->height;
        double value[DRY_PATH_COLUMNS];
        for (int c = 0; c < count; c++)
            value[c] = x[k * count + c];
        for (int j = k + 1; j < s->columns; j++)
            for (int c = 0; c < count; c++)
                x[j * count + c] -= column[j] * value[c];
        const int first = dry_panel_round(s->columns);
        for (int j = first; j < first + s->rows_below; j++)
            for (int c = 0; c < count; c++)
                x[j * count + c] -= column[j] * value[c];
    }
}

void dry_factor_path_forward(const dry_factor *f, int supernode, int count, double *x, double *work,
                             double *path)
{
    for (int n = supernode; n >= 0; n = f->supernode[n].parent) {
        const dry_supernode *s = &f->supernode[n];
        copy_panel(f, s, count, x, work, false);
        if (count == DRY_PATH_COLUMNS)
            panel_forward(f, s, work, DRY_PATH_COLUMNS);
        else if (count == 1)
            panel_forward(f, s, work, 1);
        else
            panel_forward(f, s, work, count);
        copy_panel(f, s, count, x, work, true);
        for (int i = s->node_first; i < s->node_end; i++)
            for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++)
                for (int c = 0; c < count; c++)
                    *path++ = x[(int64_t)row * count + c] * f->inverse_root[row];
    }
}

void dry_factor_from_elimination(const dry_factor *f, const double *y, double *x)
{
    for (int i = 0; i < f->nodes; i++)
        for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++)
            x[row] = *y++;
}
