/* The trees by themselves. The tests check every node and box after insertions, moves, removals, prunes and
 * builds of every size. They check that the pool does not run out of nodes, that leaves which move do not
 * spoil a tree, that sleeping proxies have a tree of their own, and that a build finds the best tree of a
 * row. */
#include "tests/broadphase/broadphase_model.h"

typedef struct tree_count {
    int leaves, nodes;
    double area;
} tree_count;

static dry_box check_node(const dry_trees *trees, const dry_tree *tree, int32_t index, int depth,
                          tree_count *count)
{
    const dry_tree_node *node = &trees->nodes[index];
    count->nodes++;
    assert_true(depth <= tree->height && tree->height <= DRY_TREE_HEIGHT_MAX);
    assert_in_range(node->count, index == tree->root ? 1 : 2, DRY_TREE_WIDTH);
    assert_int_equal(node->moved, 0);
    for (int slot = 0; slot < DRY_TREE_WIDTH; slot++) {
        int32_t child = node->child[slot], place = DRY_TREE_WIDTH * index + slot;
        dry_box box = dry_node_box(node, slot), tight;
        if (slot >= node->count) {
            assert_int_equal(child, DRY_TREE_EMPTY);
            assert_true(box.min[0] > box.max[0]);
            continue;
        }
        if (child < 0) {
            count->leaves++;
            assert_int_equal(trees->places[~child], place);
            tight = trees->proxies->box[~child];
        } else {
            assert_int_equal(trees->nodes[child].parent, place);
            tight = check_node(trees, tree, child, depth + 1, count);
            count->area += (double)dry_box_area(&tight);
        }
        assert_memory_equal(&box, &tight, sizeof box);
    }
    return dry_node_bounds(node);
}

static void check_trees(const dry_trees *trees)
{
    int nodes = 0;
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++) {
        const dry_tree *tree = &trees->tree[kind];
        tree_count count = {0};
        if (tree->root != DRY_TREE_NONE) {
            assert_int_equal(trees->nodes[tree->root].parent, DRY_TREE_NONE);
            check_node(trees, tree, tree->root, 1, &count);
        }
        assert_int_equal(count.leaves, tree->leaves);
        /* Kept up to date change by change, so that the largest ones leave their rounding. */
        static double most;
        most = fmax(most, count.area);
        assert_true(fabs(tree->area - count.area) <= 1e-9 * most);
        nodes += count.nodes;
    }
    assert_int_equal(nodes, trees->nodes_used - trees->free_count);
    assert_true(trees->nodes_used <= trees->node_capacity);
}

/* Trees without a broadphase. */
typedef struct grove {
    dry_memory memory;
    dry_proxies proxies;
    dry_scratch scratch;
    dry_trees trees;
} grove;

static void begin_grove(grove *g, int leaves)
{
    *g = (grove){.proxies = {.free_proxy = -1, .used = leaves}};
    dry_memory_init(&g->memory, (dry_allocator){0});
    dry_trees_init(&g->trees, &g->proxies, &g->scratch);
    assert_true(dry_proxies_reserve(&g->proxies, &g->memory, leaves) &&
                dry_trees_reserve(&g->trees, &g->memory, leaves, leaves));
    memset(g->proxies.flags, DRY_PROXY_USED, (size_t)leaves * sizeof *g->proxies.flags);
}

static dry_box tree_box(int i, int pattern)
{
    float f = (float)i;
    if (pattern == 0) /* a sorted row */
        return (dry_box){{f, 0.0f, 0.0f}, {f + 0.9f, 1.0f, 1.0f}};
    if (pattern == 1) /* all in one place */
        return (dry_box){{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    if (pattern == 2) /* nested */
        return (dry_box){{-f, -f, -f}, {f, f, f}};
    f = (float)random_double(-1e3, 1e3);
    float g = (float)random_double(-1e3, 1e3);
    return (dry_box){{f, g, f - g}, {f + 1.0f, g + 1.0f, f - g + 1.0f}};
}

static void test_trees_stay_sound(void **state)
{
    (void)state;
    enum { LEAVES = 5000 };
    for (int pattern = 0; pattern < 4; pattern++) {
        grove g;
        random_state = 20;
        begin_grove(&g, LEAVES);
        for (int i = 0; i < LEAVES; i++) {
            g.proxies.box[i] = tree_box(i, pattern);
            dry_tree_insert(&g.trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
        }
        check_trees(&g.trees);
        for (int i = 0; i < LEAVES; i++) {
            g.proxies.box[i] = tree_box(i + i % 3, pattern);
            dry_tree_move(&g.trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
        }
        check_trees(&g.trees);
        /* Emptied from one end, and filled at the other. */
        for (int i = 0; i < LEAVES - 1; i++) {
            dry_tree_remove(&g.trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
            if (i % 2) {
                g.proxies.box[i] = tree_box(LEAVES + i, pattern);
                dry_tree_insert(&g.trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
            }
            if (i % 500 == 0)
                check_trees(&g.trees);
        }
        for (int i = 1; i < LEAVES - 1; i += 2)
            dry_tree_remove(&g.trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
        dry_tree_remove(&g.trees, (LEAVES - 1) % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, LEAVES - 1);
        check_trees(&g.trees);
        assert_int_equal(g.trees.tree[0].leaves + g.trees.tree[1].leaves, 0);
        dry_memory_release_all(&g.memory);
    }
}

/* Prunes trees that grew leaf by leaf and trees that were built, in several passes down to nothing. */
static void test_pruned_trees_stay_sound(void **state)
{
    (void)state;
    enum { LEAVES = 3000 };
    for (int run = 0; run < 24; run++) {
        int pattern = run % 4, one_in = 1 + run / 4;
        grove g;
        random_state = 30 + (uint64_t)run;
        begin_grove(&g, LEAVES);
        for (int i = 0; i < LEAVES; i++) {
            g.proxies.box[i] = tree_box(i, pattern);
            dry_tree_insert(&g.trees, i % 7 ? DRY_TREE_MOVABLE : DRY_TREE_FIXED, i);
        }
        if (run % 3 == 0)
            dry_tree_build(&g.trees, DRY_TREE_MOVABLE, NULL);
        int left = g.trees.tree[DRY_TREE_MOVABLE].leaves, fixed = g.trees.tree[DRY_TREE_FIXED].leaves;
        while (left > 0) {
            for (int i = 0; i < LEAVES; i++)
                if (i % 7 && g.proxies.flags[i] && random_below(one_in) == 0) {
                    g.proxies.flags[i] = 0;
                    left--;
                }
            dry_tree_build(&g.trees, DRY_TREE_MOVABLE, NULL);
            check_trees(&g.trees);
            assert_int_equal(g.trees.tree[DRY_TREE_MOVABLE].leaves, left);
            assert_int_equal(g.trees.tree[DRY_TREE_FIXED].leaves, fixed);
        }
        dry_tree_build(&g.trees, DRY_TREE_MOVABLE, NULL);
        dry_tree_insert(&g.trees, DRY_TREE_MOVABLE, 1);
        check_trees(&g.trees);
        dry_memory_release_all(&g.memory);
    }
}

/* Leaves that fly through a tree of full nodes leave these as full as before. */
static void test_movers_leave_no_trail(void **state)
{
    (void)state;
    enum { STANDING = 4096, FLYING = 40, LEAVES = STANDING + FLYING };
    grove g;
    random_state = 22;
    begin_grove(&g, LEAVES);
    for (int i = 0; i < STANDING; i++) {
        float x = 2.0f * (float)(i % 64), z = 2.0f * (float)(i / 64);
        g.proxies.box[i] = (dry_box){{x, 0.0f, z}, {x + 1.0f, 1.0f, z + 1.0f}};
        dry_tree_insert(&g.trees, DRY_TREE_MOVABLE, i);
    }
    dry_tree_build(&g.trees, DRY_TREE_MOVABLE, NULL);
    int built = g.trees.nodes_used - g.trees.free_count, most = 0;
    for (int step = 0; step < 500; step++) {
        for (int i = STANDING; i < LEAVES; i++) {
            float x = (float)random_double(0.0, 128.0), z = (float)random_double(0.0, 128.0);
            g.proxies.box[i] = (dry_box){{x, 0.0f, z}, {x + 1.0f, 1.0f, z + 1.0f}};
            if (step == 0)
                dry_tree_insert(&g.trees, DRY_TREE_MOVABLE, i);
            else
                dry_tree_move(&g.trees, DRY_TREE_MOVABLE, i);
        }
        int used = g.trees.nodes_used - g.trees.free_count;
        most = used > most ? used : most;
    }
    check_trees(&g.trees);
    assert_true(g.trees.tree[DRY_TREE_MOVABLE].added == FLYING); /* it was not built again */
    assert_true(most < built * 3 / 2);
    dry_memory_release_all(&g.memory);
}

static void move_by(dry_trees *trees, int i, float x, float z)
{
    dry_box *box = &trees->proxies->box[i];
    box->min[0] += x, box->max[0] += x;
    box->min[2] += z, box->max[2] += z;
    dry_tree_move(trees, DRY_TREE_MOVABLE, i);
}

/* Leaves that creep with or against their neighbors keep their places, also when they leave what their node
 * spanned. A few that wander off do not take their nodes along: the tree stays as good as one built anew. */
static void test_creepers_stay_and_wanderers_do_not(void **state)
{
    (void)state;
    enum { SIDE = 32, LEAVES = SIDE * SIDE, WANDERERS = LEAVES / 16 };
    static int32_t places[LEAVES];
    grove g;
    begin_grove(&g, LEAVES);
    for (int i = 0; i < LEAVES; i++) {
        float x = 1.5f * (float)(i % SIDE), z = 1.5f * (float)(i / SIDE);
        g.proxies.box[i] = (dry_box){{x, 0.0f, z}, {x + 1.0f, 1.0f, z + 1.0f}};
        dry_tree_insert(&g.trees, DRY_TREE_MOVABLE, i);
    }
    dry_tree_build(&g.trees, DRY_TREE_MOVABLE, NULL);
    const dry_tree *tree = &g.trees.tree[DRY_TREE_MOVABLE];
    memcpy(places, g.trees.places, sizeof places);
    for (int step = 0; step < 4; step++)
        for (int i = 0; i < LEAVES; i++)
            move_by(&g.trees, i, i % 2 ? 0.05f : -0.05f, 0.1f);
    check_trees(&g.trees);
    assert_memory_equal(places, g.trees.places, sizeof places);
    assert_int_equal(tree->reinserted, 0);

    random_state = 24;
    float way[WANDERERS][2];
    for (int w = 0; w < WANDERERS; w++)
        for (int k = 0; k < 2; k++)
            way[w][k] = (float)random_double(-0.1, 0.1);
    for (int step = 0; step < 400; step++)
        for (int w = 0; w < WANDERERS; w++)
            move_by(&g.trees, w * (LEAVES / WANDERERS) + 5, way[w][0], way[w][1]);
    check_trees(&g.trees);
    const double area = tree->area;
    dry_tree_build(&g.trees, DRY_TREE_MOVABLE, NULL);
    assert_true(area < 1.5 * tree->area);
    dry_memory_release_all(&g.memory);
}

/* The area of inner boxes that are no larger than `most`: one that lies far away is not in it. */
static double area_near(const dry_trees *trees, int32_t index, double most)
{
    const dry_tree_node *node = &trees->nodes[index];
    double area = 0.0;
    for (int slot = 0; slot < node->count; slot++) {
        if (node->child[slot] < 0)
            continue;
        dry_box box = dry_node_box(node, slot);
        area += (double)dry_box_area(&box) < most ? (double)dry_box_area(&box) : 0.0;
        area += area_near(trees, node->child[slot], most);
    }
    return area;
}

static bool was_built(const dry_tree *tree)
{
    return tree->added == 0 && tree->reinserted == 0 && tree->stretched == 0 && tree->refits == 0;
}

/* Blocks of two by two that travel among standing boxes: four that are a node, and vouch for each other. The
 * tree is built anew before they spoil it, and not in every step; also beside one so far away that its
 * ancestors have more area than all others. */
static void test_travelling_groups_do_not_spoil_the_tree(void **state)
{
    (void)state;
    enum { SIDE = 64, BLOCKS = SIDE * SIDE / 80 };
    static const double outliers[] = {0.0, 1e3, 1e6};
    for (int run = 0; run < 18; run++) {
        const int offset = run % 2, steps = 100 * (1 + run / 3);
        const double outlier = outliers[run % 3];
        model m;
        model_create(&m, SIDE * SIDE + 1, (dry_allocator){0});
        assert_true(dry_broadphase_reserve(m.broadphase, SIDE * SIDE + 1));
        dry_broadphase_begin_batch(m.broadphase);
        random_state = 25;
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_true(
                model_add(&m, i, box_at(1.5 * (i % SIDE), 0.0, 1.5 * (i / SIDE), 0.5, 0.5, 0.5), true));
        assert_true(model_add(&m, SIDE * SIDE, box_at(outlier, 0.0, outlier, 0.5, 0.5, 0.5), true));
        dry_broadphase_end_batch(m.broadphase);
        for (int block = 0; block < BLOCKS; block++) {
            int x = 2 * random_below(SIDE / 2 - 1) + offset, z = 2 * random_below(SIDE / 2 - 1) + offset;
            int at = x + SIDE * z;
            double turn = random_double(0.0, 6.28);
            for (int k = 0; k < 4; k++)
                m.items[at + k % 2 + SIDE * (k / 2)].velocity =
                    vec3(0.15f * (float)cos(turn), 0.0f, 0.15f * (float)sin(turn));
        }
        dry_trees *trees = &m.broadphase->trees;
        const dry_tree *tree = &trees->tree[DRY_TREE_MOVABLE];
        int builds = 0;
        for (int step = 0; step < steps; step++) {
            for (int i = 0; i < m.size; i++) {
                shift(&m.items[i].tight, m.items[i].velocity);
                model_update(&m, i);
            }
            dry_broadphase_refresh(m.broadphase, NULL);
            builds += was_built(tree); /* else some have left their places in it */
        }
        check_trees(trees);
        const double near = 4e4, area = area_near(trees, tree->root, near);
        dry_tree_build(trees, DRY_TREE_MOVABLE, NULL);
        assert_true(area < (outlier == 0.0 ? 1.3 : 2.0) * area_near(trees, tree->root, near));
        assert_in_range(builds, 0, steps / 10);
        model_destroy(&m);
    }
}

/* One that goes far away and comes back every other step does not have the tree built each time. */
static void test_a_commuter_has_no_tree_built(void **state)
{
    (void)state;
    enum { LEAVES = 4000, STEPS = 400 };
    model m;
    model_create(&m, LEAVES, (dry_allocator){0});
    assert_true(dry_broadphase_reserve(m.broadphase, LEAVES));
    dry_broadphase_begin_batch(m.broadphase);
    for (int i = 0; i < LEAVES; i++)
        assert_true(model_add(&m, i, box_at(1.5 * (i % 64), 0.0, 1.5 * (i / 64), 0.5, 0.5, 0.5), true));
    dry_broadphase_end_batch(m.broadphase);
    dry_trees *trees = &m.broadphase->trees;
    int builds = 0;
    for (int step = 0; step < STEPS; step++) {
        double before = trees->tree[DRY_TREE_MOVABLE].area_built;
        shift(&m.items[7].tight, vec3(step % 2 ? -1e4f : 1e4f, 0.0f, 0.0f));
        model_update(&m, 7);
        dry_broadphase_refresh(m.broadphase, NULL);
        builds += trees->tree[DRY_TREE_MOVABLE].area_built != before;
    }
    check_trees(trees);
    assert_in_range(builds, 0, STEPS / 100);
    model_destroy(&m);
}

/* A small tree built again and again beside a large one: in nodes that were its own, the large one untouched.
 */
static void test_few_are_built_beside_many(void **state)
{
    (void)state;
    enum { ASLEEP = 4096, AWAKE = 40, LEAVES = ASLEEP + AWAKE };
    grove g;
    random_state = 23;
    begin_grove(&g, LEAVES);
    for (int i = 0; i < LEAVES; i++) {
        g.proxies.box[i] = tree_box(i, 3);
        dry_tree_insert(&g.trees, i < ASLEEP ? DRY_TREE_SLEEPING : DRY_TREE_MOVABLE, i);
    }
    dry_tree_build(&g.trees, DRY_TREE_SLEEPING, NULL);
    dry_tree_build(&g.trees, DRY_TREE_MOVABLE, NULL);
    int nodes = g.trees.nodes_used - g.trees.free_count, used = g.trees.nodes_used;
    int32_t root = g.trees.tree[DRY_TREE_SLEEPING].root;
    for (int round = 0; round < 100; round++) {
        for (int i = ASLEEP; i < LEAVES; i++)
            g.proxies.box[i] = tree_box(i, 3);
        dry_tree_build(&g.trees, DRY_TREE_MOVABLE, NULL);
        assert_int_equal(g.trees.nodes_used - g.trees.free_count, nodes);
        assert_int_equal(g.trees.nodes_used, used);
        assert_int_equal(g.trees.tree[DRY_TREE_SLEEPING].root, root);
    }
    check_trees(&g.trees);
    dry_memory_release_all(&g.memory);
}

/* Sleeping proxies are in their own tree, however few or many fell asleep or woke together. */
static void test_sleepers_have_a_tree(void **state)
{
    (void)state;
    enum { PROXIES = 2000 };
    model m;
    model_create(&m, PROXIES, (dry_allocator){0});
    for (int i = 0; i < PROXIES; i++)
        assert_true(model_add(&m, i, box_at(2.0 * (i % 50), 0.0, 2.0 * (i / 50), 0.5, 0.5, 0.5), i % 10 > 0));
    const dry_tree *tree = m.broadphase->trees.tree;
    static const int asleep[] = {0, 3, 1700, 1695, 900, 0};
    for (size_t round = 0; round < sizeof asleep / sizeof *asleep; round++) {
        int left = asleep[round];
        for (int i = 0; i < PROXIES; i++)
            dry_broadphase_set_sleeping(m.broadphase, m.items[i].proxy, i % 10 > 0 && left-- > 0);
        dry_broadphase_refresh(m.broadphase, NULL);
        check_trees(&m.broadphase->trees);
        assert_int_equal(tree[DRY_TREE_FIXED].leaves, PROXIES / 10);
        assert_int_equal(tree[DRY_TREE_SLEEPING].leaves, asleep[round]);
        assert_int_equal(tree[DRY_TREE_MOVABLE].leaves, PROXIES - PROXIES / 10 - asleep[round]);
    }
    /* All are removed, whichever tree they are in. */
    for (int i = 0; i < PROXIES; i++) {
        dry_broadphase_set_sleeping(m.broadphase, m.items[i].proxy, i % 2 == 0);
        model_remove(&m, i);
    }
    assert_int_equal(tree[0].leaves + tree[1].leaves + tree[2].leaves, 0);
    model_destroy(&m);
}

static void test_builds_of_every_size(void **state)
{
    (void)state;
    enum { LEAVES = 300 };
    grove g;
    random_state = 21;
    begin_grove(&g, 3 * LEAVES);
    for (int i = 0; i < LEAVES; i++) {
        g.proxies.box[i] = tree_box(i, 3);
        g.proxies.box[LEAVES + i] = tree_box(i, 3);
        dry_tree_insert(&g.trees, DRY_TREE_MOVABLE, i);
        dry_tree_insert(&g.trees, DRY_TREE_FIXED, LEAVES + i);
        dry_tree_build(&g.trees, DRY_TREE_MOVABLE, NULL);
        check_trees(&g.trees);
        g.proxies.box[i / 2] = tree_box(i, 3);
        dry_tree_refit(&g.trees, DRY_TREE_MOVABLE, NULL);
        check_trees(&g.trees);
        /* The promise that the room for nodes rests on. */
        dry_tree_build(&g.trees, DRY_TREE_FIXED, NULL);
        assert_true(g.trees.nodes_used - g.trees.free_count <= 2 * ((i + 1) / 2 + 1));
    }
    dry_memory_release_all(&g.memory);
}

/* A row of 256 unit cubes, put in out of order, has one best tree: quarters of quarters. The boxes of
 * L cubes have half a surface of 2 L + 1, so the three levels sum up to 3 * 2 * 256 + 4 + 16 + 64. */
static void test_build_of_a_row_is_the_best(void **state)
{
    (void)state;
    grove g;
    begin_grove(&g, 256);
    for (int i = 0; i < 256; i++) {
        float x = (float)(i * 77 % 256);
        g.proxies.box[i] = (dry_box){{x, 0.0f, 0.0f}, {x + 1.0f, 1.0f, 1.0f}};
        dry_tree_insert(&g.trees, DRY_TREE_MOVABLE, i);
    }
    dry_tree_build(&g.trees, DRY_TREE_MOVABLE, NULL);
    check_trees(&g.trees);
    assert_true(g.trees.tree[DRY_TREE_MOVABLE].area_built == 1620.0);
    assert_int_equal(g.trees.tree[DRY_TREE_MOVABLE].height, 4);
    dry_memory_release_all(&g.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_stay_sound),
        cmocka_unit_test(test_pruned_trees_stay_sound),
        cmocka_unit_test(test_movers_leave_no_trail),
        cmocka_unit_test(test_few_are_built_beside_many),
        cmocka_unit_test(test_sleepers_have_a_tree),
        cmocka_unit_test(test_builds_of_every_size),
        cmocka_unit_test(test_build_of_a_row_is_the_best),
        cmocka_unit_test(test_creepers_stay_and_wanderers_do_not),
        cmocka_unit_test(test_travelling_groups_do_not_spoil_the_tree),
        cmocka_unit_test(test_a_commuter_has_no_tree_built),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
