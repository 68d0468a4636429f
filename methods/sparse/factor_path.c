/* The forward half along one path of the elimination tree. Reads a factor. */
#include "methods/sparse/factor_path.h"

#include "core/assert.h"
#include "methods/sparse/kernel_list.h"

#include <string.h>

int dry_factor_path_parts(const dry_factor *f, int supernode, dry_path_part *parts)
{
    int count = 0;
    for (int n = supernode; n >= 0; n = f->supernode[n].parent, count++)
        if (parts)
            parts[count] =
                (dry_path_part){dry_factor_padded_first(f, n), dry_panel_round(f->supernode[n].columns)};
    return count;
}

int dry_path_rows(const dry_path_part *parts, int count)
{
    int rows = 0;
    for (int i = 0; i < count; i++)
        rows += parts[i].rows;
    return rows;
}

/* A panel of all rows. */
static int64_t largest_panel(const dry_factor *f)
{
    return DRY_PATH_COLUMNS * (f->counts.rows + 2 * DRY_PANEL_TILE);
}

int64_t dry_factor_path_work(const dry_factor *f)
{
    return 2 * largest_panel(f);
}

/* Adds the sides of nodes that belong to a supernode to the vectors of its panel. */
static void add_sides(const dry_factor *f, int supernode, const dry_path_sides *sides, double *x)
{
    const int height = f->supernode[supernode].height;
    const double *value = sides->value;
    for (int i = 0; i < sides->nodes; i++) {
        const int node = sides->node[i], rows = f->first_row[node + 1] - f->first_row[node];
        if (f->supernode_of[node] != supernode) {
            value += DRY_PATH_COLUMNS * rows;
            continue;
        }
        double *at = x + f->panel_row[node];
        DRY_ASSERT(f->panel_row[node] + rows <= f->supernode[supernode].columns);
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < DRY_PATH_COLUMNS; k++)
                at[k * height + r] += *value++;
    }
}

/* Adds what a child leaves for the rows of a supernode. */
static void add_child(const dry_factor *f, const dry_supernode *child, int height, const double *from,
                      double *x)
{
    for (int i = child->run_first; i < child->run_end; i++) {
        const dry_factor_run *run = &f->run[i];
        DRY_ASSERT(run->target + run->rows <= height && run->row + run->rows <= child->height);
        for (int k = 0; k < DRY_PATH_COLUMNS; k++)
            for (int r = 0; r < run->rows; r++)
                x[k * height + run->target + r] += from[k * child->height + run->row + r];
    }
}

/* Writes the solution of a supernode's columns. */
static double *write_part(const dry_factor *f, const dry_supernode *s, const double *x, double *path)
{
    const int stride = dry_panel_round(s->columns);
    int column = 0;
    for (int i = s->node_first; i < s->node_end; i++)
        for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++, column++)
            for (int k = 0; k < DRY_PATH_COLUMNS; k++)
                path[k * stride + column] = x[k * s->height + column] * f->inverse_root[row];
    DRY_ASSERT(column == s->columns && column <= stride);
    for (; column < stride; column++)
        for (int k = 0; k < DRY_PATH_COLUMNS; k++)
            path[k * stride + column] = 0.0;
    return path + DRY_PATH_COLUMNS * stride;
}

void dry_factor_path_forward(const dry_factor *f, int supernode, const dry_path_sides *sides, double *work,
                             double *path)
{
    double *x = work, *before = work + largest_panel(f);
    const dry_supernode *child = NULL;
    for (int n = supernode; n >= 0; n = f->supernode[n].parent) {
        const dry_supernode *s = &f->supernode[n];
        DRY_ASSERT((!child || child->parent == n) && DRY_PATH_COLUMNS * s->height <= largest_panel(f));
        memset(x, 0, (size_t)(DRY_PATH_COLUMNS * s->height) * sizeof *x);
        add_sides(f, n, sides, x);
        if (child)
            add_child(f, child, s->height, before, x);
        dry_panel_kernels_at(f->level)->panel_forward_path(f->values + s->panel, s->height, s->columns, x);
        path = write_part(f, s, x, path);
        double *const next = before;
        before = x;
        x = next;
        child = s;
    }
}

void dry_factor_from_padded(const dry_factor *f, const double *padded, double *x)
{
    for (int n = 0; n < f->supernodes; n++) {
        const double *at = padded + dry_factor_padded_first(f, n);
        for (int i = f->supernode[n].node_first; i < f->supernode[n].node_end; i++)
            for (int row = f->first_row[f->order[i]]; row < f->first_row[f->order[i] + 1]; row++)
                x[row] = *at++;
    }
}
