/* The values of the sparse factor of articulations, against a dense one. */
#include "tests/counted_memory.h"
#include "tests/methods/factor_random_graphs.h"

#include "jobs/jobs.h"
#include "methods/sparse/factor.h"
#include "methods/sparse/factor_path.h"
#include "methods/sparse/kernel_list.h"
#include "methods/sparse/panel.h"

static double random_unit(uint64_t *seed)
{
    return random_below(seed, 2000001) / 1e6 - 1.0;
}

/* A = G G^T: each node has a row of G of 6 columns at each of its bodies, and `own` columns of its own. */
typedef struct dense {
    int n, columns;
    double own;
    double *g, *a, *l, *d;
    int *first;
} dense;

static dense make_dense(const joint_graph *graph, double own, int repeat, uint64_t seed)
{
    dense m = {.own = own};
    m.first = calloc((size_t)graph->nodes + 1, sizeof *m.first);
    for (int i = 0; i < graph->nodes; i++)
        m.first[i + 1] = m.first[i] + graph->rows[i];
    m.n = m.first[graph->nodes];
    const size_t n = (size_t)m.n;
    m.columns = 6 * graph->bodies;
    m.g = calloc(n * (size_t)m.columns, sizeof(double));
    m.a = calloc(n * n, sizeof(double));
    m.l = calloc(n * n, sizeof(double));
    m.d = calloc(n, sizeof(double));
    for (int i = 0; i < graph->nodes; i++)
        for (int r = 0; r < graph->rows[i]; r++)
            for (int side = 0; side < 2; side++)
                for (int c = 0; graph->body[i][side] >= 0 && c < 6; c++)
                    m.g[(size_t)(m.first[i] + r) * (size_t)m.columns +
                        (size_t)(6 * graph->body[i][side] + c)] = random_unit(&seed);
    /* Every `repeat`-th node repeats its predecessor's rows. */
    for (int i = 1; repeat && i < graph->nodes; i += repeat)
        for (int r = 0; r < graph->rows[i]; r++)
            memcpy(m.g + (size_t)(m.first[i] + r) * (size_t)m.columns,
                   m.g + (size_t)(m.first[i - 1] + r) * (size_t)m.columns,
                   (size_t)m.columns * sizeof(double));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j ? own : 0.0;
            for (size_t k = 0; k < (size_t)m.columns; k++)
                sum += m.g[i * (size_t)m.columns + k] * m.g[j * (size_t)m.columns + k];
            m.a[i * n + j] = m.a[j * n + i] = sum;
        }
    return m;
}

static void free_dense(dense *m)
{
    free(m->first);
    free(m->g);
    free(m->a);
    free(m->l);
    free(m->d);
}

/* Factors and solves by the textbook. */
static void dense_solve(dense *m, const double *alpha, double *x)
{
    const int n = m->n;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = m->a[i * n + j] + (i == j ? alpha[i] : 0.0);
            for (int k = 0; k < j; k++)
                sum -= m->l[i * n + k] * m->d[k] * m->l[j * n + k];
            if (i == j)
                m->d[j] = sum;
            else
                m->l[i * n + j] = sum / m->d[j];
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            x[i] -= m->l[i * n + k] * x[k];
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= m->d[i];
        for (int k = i + 1; k < n; k++)
            x[i] -= m->l[k * n + i] * x[k];
    }
}

/* Returns a node's row of G at the body of a side; null if the node has it at the other side. */
static const double *side_of(const joint_graph *graph, const dense *m, int node, int row, int side)
{
    const int body = graph->body[node][side];
    if (body < 0 || (side == 1 && graph->body[node][0] == body))
        return NULL;
    return m->g + (size_t)(m->first[node] + row) * (size_t)m->columns + (size_t)(6 * body);
}

/* Fills in A by the products of all pairs, and reads it. */
static void assemble(dry_factor *f, const joint_graph *graph, const dense *m)
{
    dry_factor_begin(f);
    for (int k = 0; k < f->pairs; k++) {
        const dry_factor_pair *pair = &f->pair[k];
        double p[4][6][DRY_BLOCK_LANES] = {0}, q[4][6][6] = {0};
        dry_block_factor products[4];
        int count = 0;
        for (int shared = 0; shared < 4; shared++) {
            if (!(pair->shared >> shared & 1))
                continue;
            for (int r = 0; r < graph->rows[pair->row]; r++) {
                const double *row = side_of(graph, m, pair->row, r, shared / 2);
                for (int i = 0; row && i < 6; i++)
                    p[count][i][r] = row[i];
            }
            for (int c = 0; c < graph->rows[pair->column]; c++) {
                const double *column = side_of(graph, m, pair->column, c, shared % 2);
                if (column)
                    memcpy(q[count][c], column, sizeof q[count][c]);
            }
            products[count] = (dry_block_factor){p[count][0], q[count][0]};
            count++;
        }
        dry_factor_set_product(f, pair, products, count);
    }
    int adjacent_pairs = 0;
    for (int i = 0; i < graph->nodes; i++)
        for (int j = 0; j <= i; j++)
            adjacent_pairs += adjacent(graph, i, j);
    assert_int_equal(f->pairs, adjacent_pairs);
    for (int k = 0; k < f->pairs; k++) {
        const dry_factor_pair *pair = &f->pair[k];
        const int i = pair->row, j = pair->column;
        double *values = dry_factor_pair_values(f, pair);
        assert_true(adjacent(graph, i, j));
        assert_true(k == 0 || pair[-1].row < i || (pair[-1].row == i && pair[-1].column < j));
        for (int r = 0; i == j && r < graph->rows[i]; r++)
            values[r + r * pair->stride] += m->own;
        for (int r = 0; r < graph->rows[i]; r++)
            for (int c = 0; c < graph->rows[j]; c++)
                assert_near(values[r + c * pair->stride], m->a[(m->first[i] + r) * m->n + m->first[j] + c],
                            1e-14 * 12.0);
    }
}

static void check_graph(dry_factor *f, joint_graph graph, uint64_t seed)
{
    const dry_factor_graph view = graph_view(&graph);
    assert_true(dry_factor_analyze(f, &memory, &view));
    dense m = make_dense(&graph, 1.0, 0, seed);
    assemble(f, &graph, &m);

    const double alpha = dry_factor_regularize(f, 1e-10);
    for (int i = 0; i < graph.nodes; i += 2)
        dry_factor_regularize_less(f, i, 1e-10);
    double norm = 0.0;
    for (int i = 0; i < graph.nodes; i++)
        for (int r = m.first[i]; r < m.first[i] + graph.rows[i]; r++) {
            double sum = 0.0;
            for (int k = 0; k < m.n; k++)
                sum += fabs(m.a[r * m.n + k] - (r == k ? m.own : 0.0));
            const double least = i % 2 == 0 && sum > 0.0 ? fmin(alpha, 1e-9 * sum) : alpha;
            assert_near(f->alpha[r], least, 1e-22 * (sum + m.own));
            norm = sum > norm ? sum : norm;
        }
    assert_near(alpha, norm > 0.0 ? 1e-10 * norm : 1.0, 1e-23 * norm);
    const uint64_t allocations = counter.calls;
    assert_int_equal(dry_factor_compute(f, NULL, NULL), 0);
    double *b = calloc((size_t)m.n + 1, sizeof *b), *x = calloc((size_t)m.n + 1, sizeof *x),
           *y = calloc((size_t)m.n + 1, sizeof *y);
    for (int i = 0; i < m.n; i++)
        b[i] = x[i] = y[i] = random_unit(&seed);
    dry_factor_solve(f, x, NULL);
    assert_int_equal(counter.calls, allocations);
    dense_solve(&m, f->alpha, y);
    double most = 0.0, size = 0.0, residual = 0.0;
    for (int i = 0; i < m.n; i++) {
        double sum = f->alpha[i] * x[i] - b[i];
        for (int j = 0; j < m.n; j++)
            sum += m.a[i * m.n + j] * x[j];
        residual = fmax(residual, fabs(sum));
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    assert_at_most(most, 1e-12 * size);
    assert_at_most(residual, 1e-14 * (norm + alpha) * size);
    /* The halves: with y = D^-1/2 L^-1 b, y.y = b.x. */
    memcpy(y, b, (size_t)m.n * sizeof *y);
    dry_factor_forward(f, y, NULL);
    double product = 0.0, square = 0.0;
    for (int i = 0; i < m.n; i++) {
        square += y[i] * y[i];
        product += b[i] * x[i];
    }
    assert_near(square, product, 1e-12 * square);
    free(b);
    free(x);
    free(y);
    free_dense(&m);
    graph_free(&graph);
}

/* The kernels of paths: sums, products and differences against plain loops, with the same bits at all levels.
 * `vector` is the column `column` of the path in a padded vector. */
static void check_path_products(const dry_path_part *part, int parts, const double *path,
                                const double *vector, int column, int padded)
{
    enum { COLUMNS = DRY_PATH_COLUMNS };
    double plain[COLUMNS] = {0}, largest = 0.0;
    for (int p = 0, first = 0; p < parts; first += COLUMNS * part[p++].rows)
        for (int k = 0; k < COLUMNS; k++)
            for (int i = 0; i < part[p].rows; i++) {
                const double value = path[first + k * part[p].rows + i];
                plain[k] += value * vector[part[p].first + i];
                largest = fmax(largest, value * value * dry_path_rows(part, parts));
            }
    double sums[COLUMNS], products[COLUMNS][COLUMNS], scalar[COLUMNS][COLUMNS];
    double *y = calloc((size_t)padded, sizeof *y), *scalar_y = calloc((size_t)padded, sizeof *scalar_y);
    const double factor[COLUMNS] = {0.5, -1.0, 0.25, 3.0, -2.0, 1.0 / 3.0};
    for (int level = 0; level < DRY_LEVEL_COUNT; level++) {
        dry_level found;
        if (!dry_level_find(dry_level_isa((dry_level)level), &found) || found != (dry_level)level)
            continue;
        const dry_panel_kernels *kernels = dry_panel_kernels_at(found);
        kernels->path_sums(part, parts, path, vector, sums);
        kernels->path_products(part, parts, path, path, products);
        memcpy(y, vector, (size_t)padded * sizeof *y);
        kernels->path_subtract(part, parts, path, factor, y);
        if (level == DRY_LEVEL_SCALAR) {
            memcpy(scalar, products, sizeof scalar);
            memcpy(scalar_y, y, (size_t)padded * sizeof *y);
        }
        assert_memory_equal(scalar, products, sizeof scalar);
        assert_memory_equal(scalar_y, y, (size_t)padded * sizeof *y);
        for (int k = 0; k < COLUMNS; k++) {
            assert_near(sums[k], plain[k], 1e-13 * largest);
            assert_true(sums[k] == products[k][column]);
        }
    }
    for (int p = 0, first = 0; p < parts; first += COLUMNS * part[p++].rows)
        for (int i = 0; i < part[p].rows; i++) {
            double left = vector[part[p].first + i];
            for (int k = 0; k < COLUMNS; k++)
                left -= factor[k] * path[first + k * part[p].rows + i];
            assert_near(left, y[part[p].first + i], 1e-13 * (1.0 + sqrt(largest)));
        }
    free(y);
    free(scalar_y);
}

/* Finds a path's columns at all levels: all have the same bits. */
static void check_path_levels(dry_factor *f, int first, const dry_path_sides *x, double *work, double *path)
{
    const size_t values = (size_t)dry_factor_padded_rows(f) * DRY_PATH_COLUMNS;
    double *other = calloc(values, sizeof *other);
    memset(path, 0, values * sizeof *path);
    f->level = DRY_LEVEL_SCALAR;
    dry_factor_path_forward(f, first, x, work, path);
    for (int level = 0; level < DRY_LEVEL_COUNT; level++) {
        if (!dry_level_find(dry_level_isa((dry_level)level), &f->level))
            continue;
        memset(other, 0, values * sizeof *other);
        dry_factor_path_forward(f, first, x, work, other);
        assert_memory_equal(path, other, values * sizeof *path);
    }
    f->level = DRY_LEVEL_SCALAR;
    free(other);
}

/* Columns that are nonzero at one body's nodes alone: along the path from the first of these their forward
 * halves are those of whole vectors, and no other row of the whole one is nonzero. */
static void check_paths(const joint_graph *graph, uint64_t seed)
{
    dry_factor f = {0};
    const dry_factor_graph view = graph_view(graph);
    assert_true(dry_factor_analyze(&f, &memory, &view));
    dense m = make_dense(graph, 1.0, 0, seed);
    assemble(&f, graph, &m);
    dry_factor_regularize(&f, 1e-10);
    dry_factor_compute(&f, NULL, NULL);
    enum { COLUMNS = DRY_PATH_COLUMNS };
    const int padded = dry_factor_padded_rows(&f);
    double *whole = calloc((size_t)m.n, sizeof *whole), *expected = calloc((size_t)m.n, sizeof *expected);
    double *ordered = calloc((size_t)padded, sizeof *ordered);
    double *sides = calloc((size_t)m.n * COLUMNS, sizeof *sides);
    double *path = calloc((size_t)padded * COLUMNS, sizeof *path);
    double *work = calloc((size_t)dry_factor_path_work(&f), sizeof *work);
    dry_path_part *part = calloc((size_t)f.supernodes, sizeof *part);
    int32_t *nodes = calloc((size_t)graph->nodes, sizeof *nodes);
    for (int body = 0; body < graph->bodies; body++) {
        int first = -1, count = 0, rows = 0;
        for (int column = 0; column < COLUMNS; column++) {
            memset(whole, 0, (size_t)m.n * sizeof *whole);
            count = rows = 0;
            for (int node = 0; node < graph->nodes; node++) {
                if (graph->body[node][0] != body && graph->body[node][1] != body)
                    continue;
                first = count == 0 || f.supernode_of[node] < first ? f.supernode_of[node] : first;
                nodes[count++] = node;
                for (int row = f.first_row[node]; row < f.first_row[node + 1]; row++, rows++) {
                    for (int c = 0; c < COLUMNS && column == 0; c++)
                        sides[rows * COLUMNS + c] = random_unit(&seed);
                    whole[row] = sides[rows * COLUMNS + column];
                }
            }
            if (count == 0)
                break;
            const dry_path_sides x = {nodes, count, sides};
            const int parts = dry_factor_path_parts(&f, first, part);
            check_path_levels(&f, first, &x, work, path);
            dry_factor_forward(&f, whole, NULL);
            double largest = 0.0;
            for (int i = 0; i < m.n; i++)
                largest = fmax(largest, fabs(whole[i]));
            memset(ordered, 0, (size_t)padded * sizeof *ordered);
            const double *at = path;
            for (int p = 0; p < parts; p++, at += COLUMNS * part[p - 1].rows)
                memcpy(ordered + part[p].first, at + column * part[p].rows,
                       (size_t)part[p].rows * sizeof *ordered);
            assert_int_equal((int)((at - path) / COLUMNS), dry_path_rows(part, parts));
            dry_factor_from_padded(&f, ordered, expected);
            for (int i = 0; i < m.n; i++)
                assert_near(whole[i], expected[i], 1e-12 * largest);
            check_path_products(part, parts, path, ordered, column, padded);
        }
    }
    free(whole);
    free(expected);
    free(ordered);
    free(sides);
    free(path);
    free(work);
    free(part);
    free(nodes);
    free_dense(&m);
    dry_memory_release_all(&memory);
}

static void test_paths(void **state)
{
    (void)state;
    joint_graph graphs[] = {chain_graph(60, 5), ladder_graph(20, 5), tree_graph(60, 3, 60, 4),
                            grid_graph(4, 4, 4, 1), split_walker_graph(5, 5)};
    for (int i = 0; i < COUNT_OF(graphs); i++) {
        check_paths(&graphs[i], (uint64_t)i);
        graph_free(&graphs[i]);
    }
}

static void test_against_dense(void **state)
{
    (void)state;
    dry_factor f = {0};
    check_graph(&f, (joint_graph){0}, 1);
    check_graph(&f, chain_graph(1, 6), 1);
    check_graph(&f, chain_graph(60, 3), 1);
    check_graph(&f, chain_graph(60, 5), 1);
    check_graph(&f, ring_graph(50, 5), 2);
    check_graph(&f, ladder_graph(20, 5), 3);
    check_graph(&f, tree_graph(60, 3, 60, 4), 4);
    check_graph(&f, grid_graph(6, 6, 1, 2), 5);
    check_graph(&f, grid_graph(4, 4, 4, 1), 6);
    check_graph(&f, tube_graph(6, 6, 3), 7);
    check_graph(&f, star_graph(50, 3), 8);
    check_graph(&f, walker_graph(5, 5), 9);
    check_graph(&f, split_walker_graph(5, 5), 10);
    for (uint64_t seed = 0; seed < (uint64_t)test_pick(12, 3); seed++) {
        check_graph(&f, with_rows(chain_graph(40, 1), seed), seed);
        check_graph(&f, with_rows(ladder_graph(15, 1), seed), seed);
        check_graph(&f, with_rows(tree_graph(50, 1, 5, seed), seed), seed);
        check_graph(&f, with_rows(grid_graph(4, 3, 3, 1), seed), seed);
        check_graph(&f, random_graph(5, 40, seed), seed);
        check_graph(&f, random_graph(20, 30, seed), seed);
        check_graph(&f, random_graph(60, 60, seed), seed);
        check_graph(&f, random_graph(100, 40, seed), seed);
    }
    dry_memory_release_all(&memory);
}

/* Rows that repeat others: each repeated row raises one pivot, A x is A y for a random y, and x is the least
 * of the vectors for which that holds: it is a combination of A's rows. */
static void test_redundant_rows(void **state)
{
    (void)state;
    dry_factor f = {0};
    for (uint64_t seed = 0; seed < 6; seed++) {
        /* Pairs of nodes between the same bodies, with the same rows. */
        joint_graph graph = {0};
        const int nodes = 30;
        int repeated = 0;
        for (int i = 0; i < nodes; i++) {
            const int rows = 1 + (int)(seed + (uint64_t)i) % 3;
            graph_add(&graph, i, i + 1, rows);
            graph_add(&graph, i, i + 1, rows);
            repeated += rows;
        }
        const dry_factor_graph view = graph_view(&graph);
        assert_true(dry_factor_analyze(&f, &memory, &view));
        dense m = make_dense(&graph, 0.0, 2, seed);
        assemble(&f, &graph, &m);
        dry_factor_regularize(&f, 1e-9);
        const int raised = dry_factor_compute(&f, NULL, NULL);
        /* Cancellation leaves alpha and some error of either sign, so about half of them come to lie below.
         */
        assert_true(raised <= repeated);

        double *y = calloc((size_t)m.n, sizeof *y), *x = calloc((size_t)m.n, sizeof *x);
        for (int i = 0; i < m.n; i++)
            y[i] = random_unit(&seed);
        for (int i = 0; i < m.n; i++)
            for (int j = 0; j < m.n; j++)
                x[i] += m.a[i * m.n + j] * y[j];
        dry_factor_solve(&f, x, NULL);
        for (int i = 0; i < graph.nodes; i += 2)
            for (int r = 0; r < graph.rows[i]; r++) {
                const int first = m.first[i] + r, second = m.first[i + 1] + r;
                /* The sum acts; the least norm halves it. */
                assert_near(x[first], 0.5 * (y[first] + y[second]), 1e-5);
                assert_near(x[second], 0.5 * (y[first] + y[second]), 1e-5);
            }
        free(x);
        free(y);
        free_dense(&m);
        graph_free(&graph);
    }
    dry_memory_release_all(&memory);
}

/* A pivot that is far below alpha is raised and counted. */
static void test_raised_pivots(void **state)
{
    (void)state;
    dry_factor f = {0};
    joint_graph graph = chain_graph(20, 6);
    const dry_factor_graph view = graph_view(&graph);
    assert_true(dry_factor_analyze(&f, &memory, &view));
    dry_factor_begin(&f);
    double x[120];
    for (int i = 0; i < 20; i++)
        for (int r = 0; r < 6; r++) {
            const dry_factor_pair *own = &f.pair[f.pair_first[i]];
            while (own->column != i)
                own++;
            dry_factor_pair_values(&f, own)[r + r * own->stride] = r == 2 ? -1.0 : 3.0;
            x[6 * i + r] = 1.0;
        }
    dry_factor_set_alpha(&f, 0.5);
    assert_int_equal(dry_factor_compute(&f, NULL, NULL), 20);
    dry_factor_solve(&f, x, NULL);
    for (int i = 0; i < 120; i++)
        assert_near(x[i], i % 6 == 2 ? 1.0 / 0.5 : 1.0 / 3.5, 1e-15);
    dry_memory_release_all(&memory);
    graph_free(&graph);
}

/* A value that is not a number stays one: it must not become a pivot of alpha. */
static void test_not_a_number(void **state)
{
    (void)state;
    dry_factor f = {0};
    joint_graph graph = chain_graph(1, 1);
    const dry_factor_graph view = graph_view(&graph);
    assert_true(dry_factor_analyze(&f, &memory, &view));
    dry_factor_begin(&f);
    *dry_factor_pair_values(&f, &f.pair[0]) = NAN;
    dry_factor_set_alpha(&f, 1.0);
    assert_int_equal(dry_factor_compute(&f, NULL, NULL), 0);
    double x = 1.0;
    dry_factor_solve(&f, &x, NULL);
    assert_true(isnan(x));
    dry_memory_release_all(&memory);
    graph_free(&graph);
}

/* The same graph gives the same bits, whatever the factor held before. */
static void test_again(void **state)
{
    (void)state;
    dry_factor fresh = {0}, used = {0};
    joint_graph graph = with_rows(grid_graph(4, 4, 3, 1), 5), other = with_rows(ladder_graph(40, 1), 6);
    const dry_factor_graph view = graph_view(&graph), other_view = graph_view(&other);
    assert_true(dry_factor_analyze(&fresh, &memory, &view));
    assert_true(dry_factor_analyze(&used, &memory, &other_view));
    memset(used.values, 0x77, (size_t)used.values_capacity * sizeof *used.values);
    memset(used.updates, 0x77, (size_t)used.updates_capacity * sizeof *used.updates);
    assert_true(dry_factor_analyze(&used, &memory, &view));
    dense m = make_dense(&graph, 1.0, 0, 7);
    double x[2][1000];
    for (int i = 0; i < 2; i++) {
        dry_factor *f = i ? &used : &fresh;
        for (int k = 0; k < m.n; k++)
            x[i][k] = sin(k);
        for (int repeat = 0; repeat <= i; repeat++) {
            assemble(f, &graph, &m);
            dry_factor_set_alpha(f, 1e-9);
            dry_factor_compute(f, NULL, NULL);
        }
        dry_factor_solve(f, x[i], NULL);
    }
    assert_memory_equal(x[0], x[1], (size_t)m.n * sizeof(double));
    free_dense(&m);
    graph_free(&graph);
    graph_free(&other);
    dry_memory_release_all(&memory);
}

typedef struct solution {
    dry_factor *f;
    dry_jobs *jobs;
    const joint_graph *graph;
    const dense *m;
    double *x;
    bool on_the_way; /* the forward half comes with the factorization */
} solution;

static void find_solution(void *context)
{
    const solution *s = context;
    dry_factor_set_alpha(s->f, 1e-9);
    if (s->on_the_way) {
        dry_factor_compute(s->f, s->x, s->jobs);
        dry_factor_backward(s->f, s->x, s->jobs);
        return;
    }
    dry_factor_compute(s->f, NULL, s->jobs);
    dry_factor_solve(s->f, s->x, s->jobs);
}

/* Returns the height of the highest panel above the tasks. */
static int highest_of_top(const dry_factor *f)
{
    int height = 0;
    for (int i = f->task_first[f->tasks]; i < f->supernodes; i++)
        height = f->supernode[f->schedule[i]].height > height ? f->supernode[f->schedule[i]].height : height;
    return height;
}

/* The bits are the same for all numbers of workers that share the tasks and the panels above them, for all
 * levels, and if the forward half comes with the factorization. */
static void test_workers(void **state)
{
    (void)state;
    joint_graph graph = with_rows(grid_graph(6, 6, 6, 1), 3);
    const dry_factor_graph view = graph_view(&graph);
    dense m = make_dense(&graph, 1.0, 0, 5);
    static double x[2][2000];
    assert_true(m.n <= 2000);
    for (int threads = 1; threads <= 4; threads++)
        for (int level = 0; level < DRY_LEVEL_COUNT; level++) {
            dry_level found;
            if (!dry_level_find(dry_level_isa((dry_level)level), &found) || found != (dry_level)level)
                continue;
            dry_factor f = {.level = found};
            assert_true(dry_factor_analyze(&f, &memory, &view));
            assert_true(f.tasks >= 4);
            assert_true(highest_of_top(&f) >= 4 * DRY_PANEL_BLOCK); /* workers share it */
            assemble(&f, &graph, &m);
            const bool first = threads == 1 && level == 0;
            double *at = x[!first];
            for (int k = 0; k < m.n; k++)
                at[k] = sin(k);
            const dry_jobs_def def = {.threads = threads, .keep_all = true};
            dry_jobs *jobs = dry_jobs_create(&memory, &def);
            assert_non_null(jobs);
            solution s = {&f, jobs, &graph, &m, at, threads % 2 == 0};
            dry_jobs_begin_parallel(jobs, find_solution, &s);
            dry_jobs_destroy(&memory, jobs);
            if (!first)
                assert_memory_equal(x[0], x[1], (size_t)m.n * sizeof(double));
            dry_memory_release_all(&memory);
        }
    free_dense(&m);
    graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_against_dense, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_paths, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_redundant_rows, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_raised_pivots, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_not_a_number, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_again, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_workers, begin_counted, end_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
