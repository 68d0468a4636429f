/* The sparse factor of articulations, against a dense one and against what elimination trees are. */
#include "tests/counting_allocator.h"
#include "tests/factor_graphs.h"

#include "solver/articulations/analysis.h"

static counting_allocator counter;
static dry_memory memory;

static int begin(void **state)
{
    (void)state;
    counter = (counting_allocator){.fail_at = -1};
    dry_memory_init(&memory, counting_hooks(&counter));
    return 0;
}

static int end(void **state)
{
    (void)state;
    assert_int_equal(memory.bytes, 0);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
    return 0;
}

static double random_unit(uint64_t *seed)
{
    return random_below(seed, 2000001) / 1e6 - 1.0;
}

/* A = G G^T: each node has a row of G of 6 columns at each of its bodies, and `own` columns of its own. */
typedef struct dense {
    int n, columns;
    double *g, *a, *l, *d;
    int *first;
} dense;

static dense make_dense(const joint_graph *graph, double own, int repeat, uint64_t seed)
{
    dense m = {0};
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
static void dense_solve(dense *m, double alpha, double *x)
{
    const int n = m->n;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = m->a[i * n + j] + (i == j ? alpha : 0.0);
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

static bool adjacent(const joint_graph *graph, int i, int j)
{
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++)
            if (graph->body[i][s] >= 0 && graph->body[i][s] == graph->body[j][t])
                return true;
    return i == j;
}

/* Fills in A through dry_factor_find, each block once; half of them by their upper side. */
static void assemble(dry_factor *f, const joint_graph *graph, const dense *m)
{
    dry_factor_begin(f);
    for (int i = 0; i < graph->nodes; i++)
        for (int j = 0; j <= i; j++) {
            const bool turned = (i + j) % 2;
            const int a = turned ? j : i, b = turned ? i : j;
            const dry_factor_block block = dry_factor_find(f, a, b);
            assert_int_equal(block.at != NULL, adjacent(graph, i, j));
            for (int r = 0; block.at && r < graph->rows[a]; r++)
                for (int c = 0; c < graph->rows[b]; c++)
                    block.at[r * block.row_step + c * block.column_step] +=
                        m->a[(m->first[a] + r) * m->n + m->first[b] + c];
        }
}

/* Ancestors have higher numbers, the rows below a supernode are on its path, and blocks of A have their
 * places. */
static void check_structure(const dry_factor *f, const joint_graph *graph)
{
    int nodes = 0;
    for (int i = 0; i < f->supernodes; i++) {
        const dry_supernode *s = &f->supernode[i];
        assert_true(s->parent == -1 || s->parent > i);
        assert_true(s->parent < f->supernodes);
        assert_true(s->node_end > s->node_first);
        assert_int_equal(s->node_first, nodes);
        nodes = s->node_end;
        int up = s->parent, last = nodes - 1;
        for (int k = s->below_first; k < s->below_end; k++) {
            const int owner = f->supernode_of[f->below[k]];
            assert_true(f->position[f->below[k]] > last);
            last = f->position[f->below[k]];
            while (up >= 0 && up != owner)
                up = f->supernode[up].parent;
            assert_int_equal(up, owner);
        }
        if (s->parent >= 0)
            assert_int_equal(f->supernode_of[f->below[s->below_first]], s->parent);
    }
    assert_int_equal(nodes, graph->nodes);
    for (int i = 0; i < graph->nodes; i++)
        assert_int_equal(f->order[f->position[i]], i);
    for (int i = 0; i < graph->nodes; i++)
        for (int p = f->pair_first[i]; p < f->pair_first[i + 1]; p++) {
            const dry_factor_pair *pair = &f->pair[p];
            assert_int_equal(pair->row, i);
            assert_true(p == f->pair_first[i] || pair[-1].column < pair->column);
            assert_true(f->position[pair->column] <= f->position[i]);
            for (int s = 0; s < 4; s++) {
                const int a = graph->body[i][s / 2], b = graph->body[pair->column][s % 2];
                assert_int_equal(pair->shared >> s & 1, a >= 0 && a == b);
            }
        }
}

/* Counts entries of A, and of L as elimination by the definition fills them in. */
static void check_counts(const dry_factor *f, const joint_graph *graph)
{
    const int n = graph->nodes;
    uint8_t *full = calloc((size_t)n * (size_t)n, 1);
    int64_t a = 0, l = 0, operations = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (adjacent(graph, f->order[i], f->order[j])) {
                full[i * n + j] = 1;
                a += graph->rows[f->order[i]] * graph->rows[f->order[j]];
            }
    for (int k = 0; k < n; k++) {
        int64_t below = 0;
        const int rows = graph->rows[f->order[k]];
        a += rows * (rows + 1) / 2;
        for (int i = k + 1; i < n; i++) {
            below += full[i * n + k] ? graph->rows[f->order[i]] : 0;
            for (int j = k + 1; full[i * n + k] && j < i; j++)
                full[i * n + j] |= full[j * n + k];
        }
        for (int64_t c = below; c < below + rows; c++) {
            l += c + 1;
            operations += c * (c + 1) / 2;
        }
    }
    free(full);
    assert_int_equal(f->counts.a_nonzeros, a);
    assert_int_equal(f->counts.l_nonzeros, l);
    assert_int_equal(f->counts.multiply_adds, operations);
    assert_true(f->counts.l_values >= l);
}

static void check_graph(dry_factor *f, joint_graph graph, uint64_t seed)
{
    const dry_factor_graph view = graph_view(&graph);
    assert_true(dry_factor_analyze(f, &memory, &view));
    check_structure(f, &graph);
    check_counts(f, &graph);
    dense m = make_dense(&graph, 1.0, 0, seed);
    assemble(f, &graph, &m);

    double norm = 0.0;
    for (int i = 0; i < m.n; i++) {
        double sum = 0.0;
        for (int j = 0; j < m.n; j++)
            sum += fabs(m.a[i * m.n + j]);
        norm = sum > norm ? sum : norm;
    }
    assert_near(dry_factor_norm(f), norm, 1e-13 * norm);

    const double alpha = 1e-10 * norm;
    const uint64_t allocations = counter.calls;
    assert_int_equal(dry_factor_compute(f, alpha), 0);
    double *b = calloc((size_t)m.n + 1, sizeof *b), *x = calloc((size_t)m.n + 1, sizeof *x),
           *y = calloc((size_t)m.n + 1, sizeof *y);
    for (int i = 0; i < m.n; i++)
        b[i] = x[i] = y[i] = random_unit(&seed);
    dry_factor_solve(f, x);
    assert_int_equal(counter.calls, allocations);
    dense_solve(&m, alpha, y);
    double most = 0.0, size = 0.0, residual = 0.0;
    for (int i = 0; i < m.n; i++) {
        double sum = alpha * x[i] - b[i];
        for (int j = 0; j < m.n; j++)
            sum += m.a[i * m.n + j] * x[j];
        residual = fmax(residual, fabs(sum));
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    assert_at_most(most, 1e-12 * size);
    assert_at_most(residual, 1e-14 * norm * size);
    /* The halves: with y = D^-1/2 L^-1 b, y.y = b.x. */
    memcpy(y, b, (size_t)m.n * sizeof *y);
    dry_factor_forward(f, y);
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

static joint_graph random_graph(int bodies, int nodes, uint64_t seed)
{
    joint_graph graph = {0};
    for (int i = 0; i < nodes; i++) {
        const int a = random_below(&seed, bodies + 1) - 1, b = random_below(&seed, bodies + 1) - 1;
        graph_add(&graph, a, b, 1 + random_below(&seed, 6));
    }
    return graph;
}

/* Varies the rows of a graph's nodes. */
static joint_graph with_rows(joint_graph graph, uint64_t seed)
{
    for (int i = 0; i < graph.nodes; i++)
        graph.rows[i] = (uint8_t)(1 + random_below(&seed, 6));
    return graph;
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
    dry_factor_free(&f, &memory);
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
        const double norm = dry_factor_norm(&f), alpha = 1e-9 * norm;
        const int raised = dry_factor_compute(&f, alpha);
        /* Cancellation leaves alpha and some error of either sign, so about half of them come to lie below.
         */
        assert_true(raised <= repeated);

        double *y = calloc((size_t)m.n, sizeof *y), *x = calloc((size_t)m.n, sizeof *x);
        for (int i = 0; i < m.n; i++)
            y[i] = random_unit(&seed);
        for (int i = 0; i < m.n; i++)
            for (int j = 0; j < m.n; j++)
                x[i] += m.a[i * m.n + j] * y[j];
        dry_factor_solve(&f, x);
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
    dry_factor_free(&f, &memory);
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
            const dry_factor_block block = dry_factor_find(&f, i, i);
            block.at[r * (block.row_step + block.column_step)] = r == 2 ? -1.0 : 3.0;
            x[6 * i + r] = 1.0;
        }
    assert_int_equal(dry_factor_compute(&f, 0.5), 20);
    dry_factor_solve(&f, x);
    for (int i = 0; i < 120; i++)
        assert_near(x[i], i % 6 == 2 ? 1.0 / 0.5 : 1.0 / 3.5, 1e-15);
    dry_factor_free(&f, &memory);
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
    *dry_factor_find(&f, 0, 0).at = NAN;
    assert_int_equal(dry_factor_compute(&f, 1.0), 0);
    double x = 1.0;
    dry_factor_solve(&f, &x);
    assert_true(isnan(x));
    dry_factor_free(&f, &memory);
    graph_free(&graph);
}

static dry_factor_counts counts_of(joint_graph graph)
{
    dry_factor f = {0};
    const dry_factor_graph view = graph_view(&graph);
    assert_true(dry_factor_analyze(&f, &memory, &view));
    const dry_factor_counts counts = f.counts;
    dry_factor_free(&f, &memory);
    graph_free(&graph);
    return counts;
}

/* Chains have short paths; what long graphs cost a row does not depend on their length. */
static void test_long_graphs(void **state)
{
    (void)state;
    assert_at_most((double)counts_of(chain_graph(1000, 3)).path_rows, 200);
    assert_at_most((double)counts_of(chain_graph(10000, 3)).path_rows, 200);
    assert_at_most((double)counts_of(tree_graph(10000, 3, INT32_MAX, 1)).path_rows, 400);
    const struct {
        joint_graph small, large;
    } pairs[] = {
        {chain_graph(100, 5), chain_graph(10000, 5)},
        {ring_graph(100, 3), ring_graph(5000, 3)},
        {ladder_graph(20, 5), ladder_graph(220, 5)},
        {ladder_graph(220, 5), ladder_graph(2000, 5)},
        {split_walker_graph(20, 5), split_walker_graph(200, 5)},
        {tube_graph(20, 8, 3), tube_graph(150, 8, 3)},
    };
    for (int i = 0; i < COUNT_OF(pairs); i++) {
        const dry_factor_counts small = counts_of(pairs[i].small), large = counts_of(pairs[i].large);
        const double per_row = (double)small.l_nonzeros / (double)small.rows;
        assert_at_most((double)large.l_nonzeros / (double)large.rows, 1.2 * per_row);
    }
    /* All nodes of one body are a clique. */
    const dry_factor_counts star = counts_of(star_graph(100, 3));
    assert_int_equal(star.l_nonzeros, 300 * 301 / 2);
    assert_int_equal(star.a_nonzeros, 300 * 301 / 2);
    assert_int_equal(star.path_rows, 300);
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
            dry_factor_compute(f, 1e-9);
        }
        dry_factor_solve(f, x[i]);
    }
    assert_memory_equal(x[0], x[1], (size_t)m.n * sizeof(double));
    free_dense(&m);
    graph_free(&graph);
    graph_free(&other);
    dry_factor_free(&fresh, &memory);
    dry_factor_free(&used, &memory);
}

/* A factor is empty after memory failed, nothing leaks, and the next try succeeds. */
static void test_failing_memory(void **state)
{
    (void)state;
    joint_graph graph = with_rows(ladder_graph(30, 1), 5), other = chain_graph(5, 3);
    const dry_factor_graph view = graph_view(&graph), other_view = graph_view(&other);
    for (int again = 0; again < 2; again++) {
        bool done = false;
        int failures = 0;
        for (; !done; failures++) {
            dry_factor f = {0};
            if (again)
                assert_true(dry_factor_analyze(&f, &memory, &other_view));
            counter.fail_at = (int64_t)counter.calls + failures;
            done = dry_factor_analyze(&f, &memory, &view);
            counter.fail_at = -1;
            if (!done) {
                assert_int_equal(memory.bytes, 0);
                assert_int_equal(f.nodes, 0);
                assert_int_equal(f.supernodes, 0);
                assert_true(dry_factor_analyze(&f, &memory, &view));
            }
            check_structure(&f, &graph);
            dry_factor_free(&f, &memory);
        }
        assert_true(failures > 20);
    }
    graph_free(&graph);
    graph_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_against_dense, begin, end),
        cmocka_unit_test_setup_teardown(test_redundant_rows, begin, end),
        cmocka_unit_test_setup_teardown(test_raised_pivots, begin, end),
        cmocka_unit_test_setup_teardown(test_not_a_number, begin, end),
        cmocka_unit_test_setup_teardown(test_long_graphs, begin, end),
        cmocka_unit_test_setup_teardown(test_again, begin, end),
        cmocka_unit_test_setup_teardown(test_failing_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
