/* Counts how the factors of scenes' articulations grow with their size, and times them. A line is one form of
 * the equation of a scene's joints:
 *
 *   ours        A = G M^-1 G^T with bodies split as a world splits them: its own factor
 *   whole       A without split bodies
 *   indefinite  [[M, G^T], [G, 0]] in the order of [Bar96], from the leaves of the graph of bodies and joints
 * to its root: only where that graph is a tree. It is counted, not solved: blocks of G and A are full, M is
 * diagonal but for the 3 x 3 blocks of inertia
 *
 *   factor_growth [SCENE SIZE...]      without arguments: all sizes of all scenes, about two minutes
 *
 * Nonzeros are those of L with the diagonal; a column with n entries below the diagonal takes n (n + 1) / 2
 * multiply-adds. All are divided by the rows of the scene's joints. Times are processor times, the least of
 * several runs, of values that are random. */
#define _POSIX_C_SOURCE 200809L

#include "methods/direct/articulations.h"
#include "methods/sparse/factor.h"
#include "perf/factor_fill.h"
#include "solver/constraint/joints/joint_type.h"
#include "tests/factor_graphs.h"
#include "tools/scenes/scenes.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SIZES = 8 };

typedef struct series {
    const char *scene;
    int size[SIZES]; /* 0 ends them */
} series;

static const series all[] = {
    {"spider", {10, 30, 100, 300, 1000}},     {"tree", {2, 4, 6, 8, 10}},
    {"chain", {100, 300, 1000, 3000, 10000}}, {"scissor", {10, 20, 50, 100, 220}},
    {"strandbeest", {2, 10, 20, 50, 100}},    {"tube", {8, 20, 50, 100, 150}},
    {"lattice", {3, 4, 5, 6, 8, 10, 12}},
};

/* The cost of a form of an equation. */
typedef struct cost {
    int64_t equations, nonzeros, multiply_adds, path_rows;
    double factor_ms, solve_ms; /* not finite: not measured */
} cost;

static void fail(const char *what)
{
    fprintf(stderr, "factor_growth: %s\n", what);
    exit(2);
}

static void *room_for(int64_t count, size_t bytes)
{
    void *room = calloc((size_t)count + 1, bytes);
    if (!room)
        fail("no memory");
    return room;
}

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Adds the cost of a factor, whose values are lost. */
static void add_factor(cost *sum, dry_factor *f)
{
    const int rows = f->first_row[f->nodes];
    double *x = room_for(rows, sizeof *x);
    double factor = INFINITY, solve = INFINITY, spent = 0.0;
    for (int i = 0; i < 3 || (spent < 300.0 && i < 50); i++) {
        factor_fill(f);
        const double start = processor_ms();
        dry_factor_compute(f, NULL, NULL);
        const double middle = processor_ms();
        uint64_t seed = 2;
        for (int k = 0; k < rows; k++)
            x[k] = random_value(&seed);
        const double before = processor_ms();
        dry_factor_solve(f, x, NULL);
        solve = fmin(solve, processor_ms() - before);
        factor = fmin(factor, middle - start);
        spent += processor_ms() - start;
        if (spent > 3000.0)
            break;
    }
    free(x);
    sum->equations += rows;
    sum->nonzeros += f->counts.l_nonzeros;
    sum->multiply_adds += f->counts.multiply_adds;
    sum->path_rows = f->counts.path_rows > sum->path_rows ? f->counts.path_rows : sum->path_rows;
    sum->factor_ms += factor;
    sum->solve_ms += solve;
}

/* Returns the cost of the factors that a world makes. A short step makes them. */
static cost cost_of_world(const dry_scene *scene)
{
    dry_world_def def = dry_default_world_def();
    def.settings.gravity = scene->gravity;
    def.settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    def.threads = 1;
    dry_world *world;
    dry_body_id *ids = room_for(scene->body_count, sizeof *ids);
    if (dry_world_create(&def, &world) != DRY_OK || dry_scene_build(scene, world, ids) != DRY_OK ||
        dry_world_step(world, 1e-4f) != DRY_OK)
        fail("the world cannot be stepped");
    cost sum = {0};
    dry_articulations *a = &world->solver.articulations;
    for (int i = 0; i < a->count; i++)
        add_factor(&sum, &a->factors[a->articulation[i].factor].factor);
    dry_world_destroy(world);
    free(ids);
    return sum;
}

/* Returns the graph of a scene's joints; bodies that do not move are none. */
static joint_graph graph_of(const dry_scene *scene)
{
    joint_graph graph = {0};
    for (int j = 0; j < scene->joint_count; j++) {
        const dry_scene_joint *joint = &scene->joints[j];
        const int rows = dry_joint_count(&joint->def).locked;
        int body[2] = {joint->body_a, joint->body_b};
        for (int side = 0; side < 2; side++)
            if (body[side] >= 0 && scene->bodies[body[side]].def.type != DRY_BODY_DYNAMIC)
                body[side] = -1;
        if (rows > 0 && (body[0] >= 0 || body[1] >= 0))
            graph_add(&graph, body[0], body[1], rows);
    }
    return graph;
}

static cost cost_of_whole(const joint_graph *graph)
{
    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_factor f = {0};
    const dry_factor_graph view = graph_view(graph);
    if (!dry_factor_analyze(&f, &memory, &view))
        fail("no memory");
    cost sum = {0};
    add_factor(&sum, &f);
    dry_memory_release_all(&memory);
    return sum;
}

/* The graph of the indefinite matrix: joints 0 to nodes - 1, then bodies. */
typedef struct tree {
    const joint_graph *graph;
    int32_t *first, *list; /* joints of each body */
    int32_t *order, *parent;
    bool *seen;
    int ordered;
} tree;

/* Puts a joint's or body's part of the tree into the order, what is below it first. Returns false if the
 * graph has a loop. */
static bool order_from(tree *t, int root)
{
    const int nodes = t->graph->nodes, count = nodes + t->graph->bodies;
    int32_t *stack = room_for(count, sizeof *stack);
    int depth = 0, begin = t->ordered;
    bool is_tree = true;
    stack[depth++] = root;
    t->seen[root] = true;
    while (depth > 0 && is_tree) {
        const int at = stack[--depth];
        t->order[t->ordered++] = at; /* parents first: reversed below */
        const int degree = at < nodes ? 2 : t->first[at - nodes + 1] - t->first[at - nodes];
        for (int k = 0; k < degree; k++) {
            const int body = at < nodes ? t->graph->body[at][k] : 0;
            const int next = at < nodes ? nodes + body : t->list[t->first[at - nodes] + k];
            if (body < 0 || next == t->parent[at])
                continue;
            is_tree = is_tree && !t->seen[next];
            if (t->seen[next])
                continue;
            t->seen[next] = true;
            t->parent[next] = at;
            stack[depth++] = next;
        }
    }
    for (int i = begin, j = t->ordered - 1; i < j; i++, j--) {
        const int32_t swapped = t->order[i];
        t->order[i] = t->order[j];
        t->order[j] = swapped;
    }
    free(stack);
    return is_tree;
}

/* Counts the elimination of the unknowns of a tree node. Those of its children are gone: their update is full
 * among the rows of this node if `full`; else a body's block is M. The only later neighbor is the parent. */
static void eliminate_node(cost *sum, int rows, bool full, int parent_rows)
{
    for (int i = 0; i < rows; i++) {
        const bool mass_alone = !full && i < 3;
        const int64_t below = parent_rows + (mass_alone ? 0 : rows - 1 - i);
        sum->nonzeros += 1 + below;
        sum->multiply_adds += below * (below + 1) / 2;
    }
    sum->equations += rows;
}

/* Returns whether the graph is a forest, in which the world is a leaf; then its cost. The root is a joint to
 * the world, else the body with most joints. */
static bool cost_of_indefinite(const joint_graph *graph, cost *sum)
{
    const int nodes = graph->nodes, count = nodes + graph->bodies;
    tree t = {.graph = graph};
    t.first = room_for(graph->bodies + 1, sizeof *t.first);
    t.list = room_for(2 * (int64_t)nodes, sizeof *t.list);
    t.order = room_for(count, sizeof *t.order);
    t.parent = room_for(count, sizeof *t.parent);
    t.seen = room_for(count, sizeof *t.seen);
    bool *has_child = room_for(count, sizeof *has_child);
    const dry_factor_graph view = graph_view(graph);
    dry_factor_list_nodes(&view, t.first, t.list);
    bool is_tree = true;
    memset(t.parent, -1, (size_t)count * sizeof *t.parent);
    int hub = 0;
    for (int b = 0; b < graph->bodies; b++)
        if (t.first[b + 1] - t.first[b] > t.first[hub + 1] - t.first[hub])
            hub = b;
    /* A joint to the world has a zero block: it comes after its body, so it is a root. */
    for (int j = 0; j < nodes && is_tree; j++)
        if (graph->body[j][0] < 0 || graph->body[j][1] < 0)
            is_tree = !t.seen[j] && order_from(&t, j);
    if (graph->bodies > 0 && is_tree && !t.seen[nodes + hub])
        is_tree = order_from(&t, nodes + hub);
    for (int b = 0; b < graph->bodies && is_tree; b++)
        if (!t.seen[nodes + b] && t.first[b + 1] > t.first[b])
            is_tree = order_from(&t, nodes + b);
    *sum = (cost){.factor_ms = NAN, .solve_ms = NAN, .path_rows = -1};
    for (int i = 0; i < t.ordered && is_tree; i++) {
        const int at = t.order[i], parent = t.parent[at];
        const int rows = at < nodes ? graph->rows[at] : 6;
        eliminate_node(sum, rows, at < nodes || has_child[at],
                       parent < 0       ? 0
                       : parent < nodes ? graph->rows[parent]
                                        : 6);
        if (parent >= 0)
            has_child[parent] = true;
    }
    free(t.first);
    free(t.list);
    free(t.order);
    free(t.parent);
    free(t.seen);
    free(has_child);
    return is_tree;
}

static void print(const char *scene, int size, const char *form, int rows, const cost *c)
{
    printf("| %s | %d | %s | %d | %lld | %.1f | %.0f |", scene, size, form, rows, (long long)c->equations,
           (double)c->nonzeros / rows, (double)c->multiply_adds / rows);
    if (isfinite(c->factor_ms))
        printf(" %lld | %.3g | %.3g |\n", (long long)c->path_rows, c->factor_ms, c->solve_ms);
    else
        printf(" | | |\n");
    fflush(stdout);
}

static void measure(const char *name, int size)
{
    dry_scene scene = {0};
    char error[300];
    if (!dry_scene_make(name, size, &scene, error, sizeof error))
        fail(error);
    joint_graph graph = graph_of(&scene);
    int rows = 0;
    for (int i = 0; i < graph.nodes; i++)
        rows += graph.rows[i];
    const cost ours = cost_of_world(&scene);
    print(name, size, "ours", rows, &ours);
    if (ours.equations != rows) {
        const cost whole = cost_of_whole(&graph);
        print(name, size, "whole", rows, &whole);
    }
    cost indefinite;
    if (cost_of_indefinite(&graph, &indefinite))
        print(name, size, "indefinite", rows, &indefinite);
    graph_free(&graph);
    dry_scene_free(&scene);
}

int main(int argc, char **argv)
{
    printf("| scene | size | form | rows | equations | nonzeros a row | multiply-adds a row | path, rows "
           "| factor, ms | solve, ms |\n|---|--:|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 2; i < argc; i++)
        measure(argv[1], atoi(argv[i]));
    for (size_t s = 0; argc < 3 && s < sizeof all / sizeof *all; s++)
        for (int i = 0; i < SIZES && all[s].size[i] > 0; i++)
            measure(all[s].scene, all[s].size[i]);
    return 0;
}
