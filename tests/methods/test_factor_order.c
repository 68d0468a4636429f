/* The order of elimination and the structure of factors: what elimination trees are, fill by the definition,
 * and how both grow with the size of linkages. */
#include "tests/counted_memory.h"
#include "tests/methods/factor_random_graphs.h"

#include "methods/direct/slender.h"
#include "methods/sparse/factor.h"

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

static dry_factor_counts counts_of(joint_graph graph)
{
    dry_factor f = {0};
    const dry_factor_graph view = graph_view(&graph);
    assert_true(dry_factor_analyze(&f, &memory, &view));
    const dry_factor_counts counts = f.counts;
    dry_memory_release_all(&memory);
    graph_free(&graph);
    return counts;
}

static void check_order(dry_factor *f, joint_graph graph)
{
    const dry_factor_graph view = graph_view(&graph);
    assert_true(dry_factor_analyze(f, &memory, &view));
    check_structure(f, &graph);
    check_counts(f, &graph);
    graph_free(&graph);
}

static void test_structure(void **state)
{
    (void)state;
    dry_factor f = {0};
    check_order(&f, (joint_graph){0});
    check_order(&f, chain_graph(1, 6));
    check_order(&f, chain_graph(200, 3));
    check_order(&f, ring_graph(50, 5));
    check_order(&f, ladder_graph(60, 5));
    check_order(&f, lift_graph(20));
    check_order(&f, tree_graph(60, 3, 60, 4));
    check_order(&f, grid_graph(9, 9, 1, 2));
    check_order(&f, grid_graph(5, 5, 5, 1));
    check_order(&f, bar_tube_graph(6));
    check_order(&f, star_graph(50, 3));
    check_order(&f, walker_graph(5, 5));
    check_order(&f, split_walker_graph(10, 5));
    for (uint64_t seed = 0; seed < (uint64_t)test_pick(12, 3); seed++) {
        check_order(&f, with_rows(chain_graph(40, 1), seed));
        check_order(&f, with_rows(ladder_graph(30, 1), seed));
        check_order(&f, with_rows(tree_graph(50, 1, 5, seed), seed));
        check_order(&f, with_rows(grid_graph(4, 3, 3, 1), seed));
        check_order(&f, random_graph(5, 40, seed));
        check_order(&f, random_graph(20, 30, seed));
        check_order(&f, random_graph(60, 60, seed));
        check_order(&f, random_graph(100, 40, seed));
    }
    dry_memory_release_all(&memory);
}

/* Chains have short paths. All nodes of one body are a clique. */
static void test_paths_and_cliques(void **state)
{
    (void)state;
    assert_at_most((double)counts_of(chain_graph(1000, 3)).path_rows, 130);
    assert_at_most((double)counts_of(chain_graph(10000, 3)).path_rows, 130);
    assert_at_most((double)counts_of(tree_graph(10000, 3, INT32_MAX, 1)).path_rows, 400);
    const dry_factor_counts star = counts_of(star_graph(100, 3));
    assert_int_equal(star.l_nonzeros, 300 * 301 / 2);
    assert_int_equal(star.a_nonzeros, 300 * 301 / 2);
    assert_int_equal(star.path_rows, 300);
}

static double nonzeros_a_row(const dry_factor_counts *counts)
{
    return (double)counts->l_nonzeros / (double)counts->rows;
}

static double operations_a_row(const dry_factor_counts *counts)
{
    return (double)counts->multiply_adds / (double)counts->rows;
}

/* The cost of a row of a long graph does not depend on its length. */
static void test_growth(void **state)
{
    (void)state;
    const struct {
        joint_graph small, large;
    } pairs[] = {
        {chain_graph(100, 5), chain_graph(10000, 5)},
        {ring_graph(100, 3), ring_graph(5000, 3)},
        {ladder_graph(20, 5), ladder_graph(220, 5)},
        {ladder_graph(220, 5), ladder_graph(2000, 5)},
        {split_walker_graph(20, 5), split_walker_graph(200, 5)},
        {tube_graph(20, 8, 3), tube_graph(150, 8, 3)},
        {bar_tube_graph(20), bar_tube_graph(150)},
    };
    for (int i = 0; i < COUNT_OF(pairs); i++) {
        const dry_factor_counts small = counts_of(pairs[i].small), large = counts_of(pairs[i].large);
        assert_at_most(nonzeros_a_row(&large), 1.2 * nonzeros_a_row(&small));
    }
}

/* A lift of 50 rows a segment: operations and nonzeros a row stay within 20 % from 20 to 220 segments, at all
 * lengths between [Tomcin Fig. 6], and paths short. */
static void test_lift(void **state)
{
    (void)state;
    const dry_factor_counts first = counts_of(lift_graph(20));
    assert_int_equal(first.rows, 1005);
    for (int size = 20; size <= 220; size += test_pick(1, 10)) {
        const dry_factor_counts counts = counts_of(lift_graph(size));
        assert_at_most(nonzeros_a_row(&counts), 1.2 * nonzeros_a_row(&first));
        assert_at_most(operations_a_row(&counts), 1.2 * operations_a_row(&first));
        assert_at_most((double)counts.path_rows, 400);
    }
}

/* Returns the share of regularization of a graph whose nodes from `links` on are fixations. */
static double share_of(joint_graph graph, int links)
{
    double share = -1;
    const dry_factor_graph view = graph_view(&graph);
    assert_true(dry_graph_regularization(&view, links < 0 ? graph.nodes : links, &memory, &share));
    assert_int_equal(memory.bytes, 0);
    graph_free(&graph);
    return share;
}

/* The formula for a row of distances that reaches so many bodies. */
static double share_for(int bodies, int length)
{
    return fmax(2.5e-6 * pow(bodies / pow(length, 3), 2), 1e-15);
}

/* Shares follow the slenderest part of a graph. Chains of hinges bend of themselves, welded ones do not; nets
 * are not slender; parts of a body add nothing, whatever their number. */
static void test_slender(void **state)
{
    (void)state;
    assert_true(share_of((joint_graph){0}, -1) > 1);
    assert_at_most(1e-10, share_of(grid_graph(9, 4, 5, 3), -1));
    assert_at_most(1e-10, share_of(grid_graph(18, 18, 1, 3), -1));
    assert_at_most(1e-10, share_of(tree_graph(2000, 5, INT32_MAX, 1), -1));
    const double walker = share_of(walker_graph(40, 5), -1);
    assert_at_most(1e-10, walker);
    for (int size = 2; size <= 200; size += 33) {
        assert_true(share_of(chain_graph(size, 5), -1) > 1);
        assert_near(share_of(chain_graph(size, 6), -1) / share_for(size, size - 1), 1, 1e-12);
        joint_graph twice = chain_graph(size, 3); /* hinges of two ball joints */
        for (int i = 0; i < size; i++)
            graph_add(&twice, i - 1, i, 3);
        assert_true(share_of(twice, -1) > 1);
        const double lift = share_of(lift_graph(size), -1);
        assert_at_most(lift, share_for(6 * size + 1, 2 * size + 1));
        assert_at_most(0.8 * share_for(6 * size + 1, 2 * size + 1), lift);
        joint_graph parts = split_walker_graph(40, 5);
        assert_true(share_of(parts, parts.nodes - 39) == walker);
    }
}

/* A factor is empty after memory failed, and the next try succeeds. */
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
                assert_int_equal(f.nodes, 0);
                assert_int_equal(f.supernodes, 0);
                assert_true(dry_factor_analyze(&f, &memory, &view));
            }
            check_structure(&f, &graph);
            dry_memory_release_all(&memory);
        }
        assert_true(failures > 20);
    }
    graph_free(&graph);
    graph_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_structure, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_paths_and_cliques, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_growth, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_lift, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_slender, begin_counted, end_counted),
        cmocka_unit_test_setup_teardown(test_failing_memory, begin_counted, end_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
