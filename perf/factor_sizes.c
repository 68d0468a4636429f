/* Prints the size and the cost of the factors of some articulations: nonzeros, operations, the longest path
 * of the elimination tree, and times. Beside them, where they are installed, the fill of AMD's order, and
 * CHOLMOD's time and the difference of its solution. Argument: the sizes as a share of the usual ones, in
 * percent (100).
 *
 * Exits with 1 if a solution differs from CHOLMOD's by more than 1e-12. */
#include "core/clock.h"
#include "methods/sparse/factor.h"
#include "perf/factor_fill.h"
#include "tests/factor_graphs.h"

#ifdef HAVE_AMD
#include <suitesparse/amd.h>
#endif
#ifdef HAVE_CHOLMOD
#include <suitesparse/cholmod.h>
#endif

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The lower triangle of A by columns, as AMD and CHOLMOD want it. */
typedef struct sparse {
    int n, *first, *row;
    double *value;
} sparse;

static sparse lower_of(dry_factor *f)
{
    sparse a = {.n = f->first_row[f->nodes]};
    a.first = calloc((size_t)a.n + 2, sizeof *a.first);
    a.row = malloc((size_t)f->counts.a_nonzeros * sizeof *a.row);
    a.value = malloc((size_t)f->counts.a_nonzeros * sizeof *a.value);
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < f->pairs; p++) {
            const dry_factor_pair *pair = &f->pair[p];
            const double *values = dry_factor_pair_values(f, pair);
            for (int row = f->first_row[pair->row]; row < f->first_row[pair->row + 1]; row++)
                for (int column = f->first_row[pair->column]; column < f->first_row[pair->column + 1];
                     column++) {
                    if (pair->row == pair->column && column > row)
                        continue;
                    const int low = row > column ? row : column, left = row > column ? column : row;
                    if (pass == 0) {
                        a.first[left + 2]++;
                        continue;
                    }
                    a.value[a.first[left + 1]] = values[row - f->first_row[pair->row] +
                                                        (column - f->first_row[pair->column]) * pair->stride];
                    a.row[a.first[left + 1]++] = low;
                }
        }
        for (int i = 0; pass == 0 && i < a.n; i++)
            a.first[i + 2] += a.first[i + 1];
    }
    return a;
}

static void free_sparse(sparse *a)
{
    free(a->first);
    free(a->row);
    free(a->value);
}

#ifdef HAVE_AMD
/* Prints the nonzeros of L and the operations that AMD's order would need, as shares of ours. */
static void compare_amd(const sparse *a, const dry_factor *f)
{
    double info[AMD_INFO];
    int *order = malloc((size_t)a->n * sizeof *order);
    const double start = dry_clock_ms();
    const int status = amd_order(a->n, a->first, a->row, order, NULL, info);
    const double time = dry_clock_ms() - start;
    free(order);
    if (status < 0)
        exit(1);
    printf("  AMD: nonzeros %.2f operations %.2f of ours, %.2f ms\n",
           (info[AMD_LNZ] + a->n) / (double)f->counts.l_nonzeros,
           info[AMD_NMULTSUBS_LDL] / (double)(f->counts.multiply_adds + f->counts.l_nonzeros), time);
}
#endif

#ifdef HAVE_CHOLMOD
static double compare_cholmod(sparse *a, const dry_factor *f, const double *b, const double *x)
{
    cholmod_common common;
    cholmod_start(&common);
    cholmod_sparse matrix = {.nrow = (size_t)a->n,
                             .ncol = (size_t)a->n,
                             .nzmax = (size_t)a->first[a->n],
                             .p = a->first,
                             .i = a->row,
                             .x = a->value,
                             .stype = -1,
                             .itype = CHOLMOD_INT,
                             .xtype = CHOLMOD_REAL,
                             .dtype = CHOLMOD_DOUBLE,
                             .sorted = 0,
                             .packed = 1};
    double start = dry_clock_ms();
    cholmod_factor *factor = cholmod_analyze(&matrix, &common);
    const double analyze = dry_clock_ms() - start;
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        start = dry_clock_ms();
        cholmod_factorize(&matrix, factor, &common);
        best = fmin(best, dry_clock_ms() - start);
    }
    cholmod_dense *right = cholmod_zeros((size_t)a->n, 1, CHOLMOD_REAL, &common);
    memcpy(right->x, b, (size_t)a->n * sizeof *b);
    cholmod_dense *solution = cholmod_solve(CHOLMOD_A, factor, right, &common);
    double most = 0.0, size = 0.0;
    for (int i = 0; i < a->n; i++) {
        most = fmax(most, fabs(((double *)solution->x)[i] - x[i]));
        size = fmax(size, fabs(x[i]));
    }
    printf("  CHOLMOD: analyze %.2f ms, factor %.3f ms, nonzeros %.2f of ours, difference %.2g\n", analyze,
           best, common.lnz / (double)f->counts.l_nonzeros, most / size);
    cholmod_free_dense(&right, &common);
    cholmod_free_dense(&solution, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
    return most / size;
}
#endif

/* Returns a hash of the bits of a solution: the same from every compiler. */
static uint64_t hash_of(const double *x, int count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < (size_t)count * sizeof *x; i++)
        hash = (hash ^ ((const unsigned char *)x)[i]) * 1099511628211u;
    return hash;
}

static bool report(const char *name, int size, joint_graph graph)
{
    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_factor f = {0};
    const dry_factor_graph view = graph_view(&graph);
    double start = dry_clock_ms();
    if (!dry_level_find(DRY_ISA_AUTO, &f.level) || !dry_factor_analyze(&f, &memory, &view))
        return false;
    const double analyze = dry_clock_ms() - start;
    const int rows = f.first_row[f.nodes];
    double *b = malloc((size_t)rows * sizeof *b), *x = malloc((size_t)rows * sizeof *x);
    double factor = INFINITY, solve = INFINITY, spent = 0.0;
    uint64_t seed = 2;
    for (int i = 0; i < rows; i++)
        b[i] = random_value(&seed);
    for (int i = 0; i < 3 || (spent < 200.0 && i < 50); i++) {
        factor_fill(&f);
        start = dry_clock_ms();
        dry_factor_compute(&f, NULL, NULL);
        const double middle = dry_clock_ms();
        memcpy(x, b, (size_t)rows * sizeof *x);
        const double before = dry_clock_ms();
        dry_factor_solve(&f, x, NULL);
        solve = fmin(solve, dry_clock_ms() - before);
        factor = fmin(factor, middle - start);
        spent += dry_clock_ms() - start;
    }
    const dry_factor_counts *c = &f.counts;
    printf("%-8s %6d %7d %6d %7.1f %7.1f %7.1f %9.0f %6d %8.2f %8.3f %8.3f %8.2f %016llx\n", name, size, rows,
           f.supernodes, (double)c->a_nonzeros / rows, (double)c->l_nonzeros / rows,
           (double)c->l_values / rows, (double)c->multiply_adds / rows, (int)c->path_rows, analyze, factor,
           solve, 2e-6 * (double)c->multiply_adds / factor, (unsigned long long)hash_of(x, rows));
    factor_fill(&f);
    sparse a = lower_of(&f);
    bool same = true;
#ifdef HAVE_AMD
    compare_amd(&a, &f);
#endif
#ifdef HAVE_CHOLMOD
    same = compare_cholmod(&a, &f, b, x) <= 1e-12;
#else
    printf("  CHOLMOD: not installed, not compared\n");
#endif
    free_sparse(&a);
    free(b);
    free(x);
    dry_memory_release_all(&memory);
    graph_free(&graph);
    return same;
}

int main(int argc, char **argv)
{
    const int percent = argc > 1 ? atoi(argv[1]) : 100;
    const int k = percent < 20 ? 4 : 10;
#define SIZED(n) ((n)*percent / 100)
    printf("%-8s %6s %7s %6s %7s %7s %7s %9s %6s %8s %8s %8s %8s %s\n", "graph", "size", "rows", "supern",
           "A/row", "L/row", "kept/row", "ops/row", "path", "analyze", "factor", "solve", "GFLOP/s", "hash");
    bool same = true;
    same &= report("chain", SIZED(1000), chain_graph(SIZED(1000), 3));
    same &= report("chain", SIZED(10000), chain_graph(SIZED(10000), 5));
    same &= report("ring", SIZED(1000), ring_graph(SIZED(1000), 5));
    same &= report("tree", SIZED(10000), tree_graph(SIZED(10000), 5, 1 << 30, 1));
    same &= report("tree", SIZED(1000), tree_graph(SIZED(1000), 3, 20, 1));
    same &= report("ladder", SIZED(200), ladder_graph(SIZED(200), 5));
    same &= report("ladder", SIZED(2000), ladder_graph(SIZED(2000), 5));
    same &= report("walker", SIZED(100), walker_graph(SIZED(100), 5));
    same &= report("split", SIZED(100), split_walker_graph(SIZED(100), 5));
    same &= report("star", SIZED(300), star_graph(SIZED(300), 3));
    same &= report("tube", SIZED(100), tube_graph(SIZED(100), 12, 3));
    same &= report("tube", SIZED(400), tube_graph(SIZED(400), 12, 3));
    same &= report("square", SIZED(50), grid_graph(SIZED(50), SIZED(50), 1, 3));
    same &= report("cube", k / 2, grid_graph(k / 2, k / 2, k / 2, 3));
    same &= report("cube", k, grid_graph(k, k, k, 3));
    return !same;
}
