/* From an order of elimination to panels.
 *
 * Groups of alike columns form a tree: the parent of a group holds the first node below it. A group is merged
 * with its parent where that adds few zeros: a wider panel costs less than the overhead of two. The
 * supernodes that result are numbered so that each follows its subtree (postorder).
 */
#include "core/assert.h"
#include "methods/sparse/cuts.h"
#include "methods/sparse/elimination.h"
#include "methods/sparse/factor.h"
#include "methods/sparse/panel.h"

#include <string.h>

/* A merge may leave a supernode of up to NARROW_COLUMNS a third of zeros, or a wider one an eighth. The rows
 * of a merged child lengthen the paths from its siblings. */
enum { NARROW_COLUMNS = 16, NARROW_SHARE = 3, WIDE_SHARE = 8 };

typedef struct analysis {
    dry_factor *f;
    dry_memory *memory;
    const dry_factor_graph *graph;
    dry_elimination e;
    int32_t *part;
    int32_t *group_of;                      /* of each node */
    int32_t *parent, *columns, *rows_below; /* of each group, as all below */
    int32_t *merged;                        /* the group that it was merged into, at last; itself: none */
    int32_t *head, *next;                   /* lists of children, or of groups merged */
    int32_t *number;                        /* supernode */
    int64_t *zeros;
    int32_t *node_first, *node_list, *mark;
    void *room;
    size_t room_bytes;
} analysis;

static bool make_room(analysis *a)
{
    const size_t n = (size_t)a->graph->nodes, bodies = (size_t)a->graph->bodies;
    a->room_bytes = n * sizeof(int64_t) + (12 * n + bodies + 1) * sizeof(int32_t);
    a->room = dry_memory_allocate(a->memory, a->room_bytes, DRY_CACHE_LINE);
    if (!a->room)
        return false;
    a->zeros = a->room;
    int32_t *at = (int32_t *)(a->zeros + n);
    int32_t **arrays[] = {&a->part,   &a->group_of, &a->parent, &a->columns, &a->rows_below,
                          &a->merged, &a->head,     &a->next,   &a->number,  &a->mark};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, at += n)
        *arrays[i] = at;
    a->node_list = at;
    a->node_first = at + 2 * n;
    return true;
}

/* Finds the tree of groups and counts the entries of L and the operations, without any zeros. */
static void find_groups(analysis *a)
{
    const dry_elimination *e = &a->e;
    dry_factor_counts *counts = &a->f->counts;
    for (int g = 0; g < e->groups; g++) {
        a->columns[g] = a->rows_below[g] = 0;
        DRY_ASSERT(e->group_first[g] < e->group_first[g + 1]);
        for (int i = e->group_first[g]; i < e->group_first[g + 1]; i++) {
            a->group_of[e->order[i]] = g;
            a->columns[g] += a->graph->rows[e->order[i]];
        }
    }
    for (int g = 0; g < e->groups; g++) {
        a->parent[g] = -1;
        for (int i = e->below_first[g]; i < e->below_first[g + 1]; i++) {
            const int later = a->group_of[e->below[i]];
            DRY_ASSERT(later > g);
            a->rows_below[g] += a->graph->rows[e->below[i]];
            if (a->parent[g] < 0 || later < a->parent[g])
                a->parent[g] = later;
        }
        const int64_t w = a->columns[g], below = a->rows_below[g];
        counts->rows += w;
        counts->l_nonzeros += dry_factor_triangle(w) + w * below;
        counts->multiply_adds += dry_factor_operations(w, below);
    }
}

static void merge(analysis *a, int child, int parent)
{
    const int64_t height = a->columns[parent] + a->rows_below[parent];
    DRY_ASSERT(child < parent && a->merged[child] == child && a->rows_below[child] <= height);
    a->zeros[parent] += a->zeros[child] + a->columns[child] * (height - a->rows_below[child]);
    a->columns[parent] += a->columns[child];
    a->merged[child] = parent;
}

/* Decides which groups merge: first without zeros, then with few. */
static void merge_groups(analysis *a)
{
    for (int g = 0; g < a->e.groups; g++) {
        a->head[g] = -1;
        a->merged[g] = g;
        a->zeros[g] = 0;
    }
    for (int g = a->e.groups - 1; g >= 0; g--)
        if (a->parent[g] >= 0) {
            a->next[g] = a->head[a->parent[g]];
            a->head[a->parent[g]] = g;
        }
    for (int p = 0; p < a->e.groups; p++) {
        for (int child = a->head[p]; child >= 0; child = a->next[child])
            if (a->rows_below[child] == a->columns[p] + a->rows_below[p])
                merge(a, child, p);
        for (int child = a->head[p]; child >= 0; child = a->next[child]) {
            if (a->merged[child] != child)
                continue;
            const int64_t height = a->columns[p] + a->rows_below[p];
            const int64_t zeros =
                a->zeros[p] + a->zeros[child] + a->columns[child] * (height - a->rows_below[child]);
            const int64_t columns = a->columns[p] + a->columns[child];
            const int64_t entries = dry_factor_triangle(columns) + columns * a->rows_below[p];
            if (zeros * (columns <= NARROW_COLUMNS ? NARROW_SHARE : WIDE_SHARE) <= entries)
                merge(a, child, p);
        }
    }
    /* A parent is later than its child, so its own merger is known first. */
    for (int g = a->e.groups - 1; g >= 0; g--)
        a->merged[g] = a->merged[a->merged[g]];
}

/* Numbers the supernodes, children before parents, and lists their nodes. */
static bool number_supernodes(analysis *a)
{
    dry_factor *f = a->f;
    int count = 0;
    for (int g = 0; g < a->e.groups; g++) {
        a->head[g] = -1;
        count += a->merged[g] == g;
    }
    f->supernodes = count;
    if (!DRY_RESERVE(a->memory, f->supernode, f->supernode_capacity, count))
        return false;
    int32_t root = -1;
    for (int g = a->e.groups - 1; g >= 0; g--) {
        if (a->merged[g] != g)
            continue;
        const int parent = a->parent[g] < 0 ? -1 : a->merged[a->parent[g]];
        int32_t *head = parent < 0 ? &root : &a->head[parent];
        a->next[g] = *head;
        *head = g;
    }
    /* The numbers fall: a parent's comes before those of its last child's subtree. */
    int32_t *stack = a->mark;
    int depth = 0;
    for (int g = root; g >= 0; g = a->next[g])
        stack[depth++] = g;
    while (depth) {
        const int g = stack[--depth];
        a->number[g] = --count;
        for (int child = a->head[g]; child >= 0; child = a->next[child])
            stack[depth++] = child;
        DRY_ASSERT(depth <= a->e.groups);
    }
    DRY_ASSERT(count == 0);
    for (int g = 0; g < a->e.groups; g++)
        a->number[g] = a->number[a->merged[g]];
    return true;
}

/* Gives supernodes, which hold how many nodes they have and how many lie below, their places. Returns how
 * many nodes lie below all of them; -1 if they are too many. */
static int place_supernodes(dry_factor *f)
{
    int nodes = 0, below = 0, columns = 0;
    for (int i = 0; i < f->supernodes; i++) {
        dry_supernode *s = &f->supernode[i];
        s->first_column = columns;
        columns += s->columns;
        s->node_first = nodes;
        nodes += s->node_end;
        s->node_end = s->node_first;
        s->below_first = below;
        if (s->below_end > INT32_MAX - below)
            return -1;
        below += s->below_end;
        s->below_end = s->below_first;
        s->child = s->sibling = -1;
    }
    DRY_ASSERT(nodes == f->nodes && columns == f->first_row[f->nodes]);
    return below;
}

/* Fills in what supernodes hold, without the rows below. */
static bool fill_supernodes(analysis *a)
{
    dry_factor *f = a->f;
    const int n = a->graph->nodes;
    if (!DRY_RESERVE(a->memory, f->first_row, f->first_row_capacity, n + 1) ||
        !DRY_RESERVE(a->memory, f->order, f->order_capacity, n) ||
        !DRY_RESERVE(a->memory, f->position, f->position_capacity, n) ||
        !DRY_RESERVE(a->memory, f->supernode_of, f->supernode_of_capacity, n) ||
        !DRY_RESERVE(a->memory, f->panel_row, f->panel_row_capacity, n))
        return false;
    f->first_row[0] = 0;
    for (int i = 0; i < n; i++)
        f->first_row[i + 1] = f->first_row[i] + a->graph->rows[i];
    memset(f->supernode, 0, (size_t)f->supernodes * sizeof *f->supernode);
    for (int g = 0; g < a->e.groups; g++) {
        dry_supernode *s = &f->supernode[a->number[g]];
        s->node_end += a->e.group_first[g + 1] - a->e.group_first[g];
        if (a->merged[g] == g) {
            s->columns = a->columns[g];
            s->rows_below = a->rows_below[g];
            s->parent = a->parent[g] < 0 ? -1 : a->number[a->parent[g]];
            s->below_end = a->e.below_first[g + 1] - a->e.below_first[g];
        }
    }
    const int below = place_supernodes(f);
    if (below < 0)
        return false;
    for (int i = f->supernodes - 1; i >= 0; i--)
        if (f->supernode[i].parent >= 0) {
            dry_supernode *parent = &f->supernode[f->supernode[i].parent];
            DRY_ASSERT(f->supernode[i].parent > i);
            f->supernode[i].sibling = parent->child;
            parent->child = i;
        }
    for (int i = 0; i < n; i++) {
        const int node = a->e.order[i], number = a->number[a->group_of[node]];
        f->supernode_of[node] = number;
        f->position[node] = f->supernode[number].node_end++;
        f->order[f->position[node]] = node;
    }
    int row = 0;
    for (int i = 0; i < n; i++) {
        const int node = f->order[i];
        if (i == f->supernode[f->supernode_of[node]].node_first)
            row = 0;
        f->panel_row[node] = row;
        row += a->graph->rows[node];
    }
    DRY_ASSERT(row == 0 || row == f->supernode[f->supernodes - 1].columns);
    return DRY_RESERVE(a->memory, f->below, f->below_capacity, below) &&
           DRY_RESERVE(a->memory, f->below_row, f->below_row_capacity, below);
}

/* Lists the nodes below each supernode in their order. */
static void list_below(analysis *a)
{
    dry_factor *f = a->f;
    const dry_elimination *e = &a->e;
    for (int g = 0; g < e->groups; g++) {
        dry_supernode *s = &f->supernode[a->number[g]];
        for (int i = e->below_first[g]; a->merged[g] == g && i < e->below_first[g + 1]; i++) {
            const int position = f->position[e->below[i]];
            DRY_ASSERT(position >= s->node_end);
            int at = s->below_end++;
            for (; at > s->below_first && f->position[f->below[at - 1]] > position; at--)
                f->below[at] = f->below[at - 1];
            f->below[at] = e->below[i];
        }
    }
}

/* Places the rows below each supernode in its panel, and gathers them to runs. Parents, whose panels take the
 * runs over, come first. */
static bool find_runs(analysis *a)
{
    dry_factor *f = a->f;
    const int below = f->supernodes ? f->supernode[f->supernodes - 1].below_end : 0;
    if (!DRY_RESERVE(a->memory, f->run, f->run_capacity, below))
        return false;
    f->runs = 0;
    for (int i = f->supernodes - 1; i >= 0; i--) {
        dry_supernode *s = &f->supernode[i];
        int row = dry_panel_round(s->columns);
        int in_parent = s->parent < 0 ? 0 : f->supernode[s->parent].below_first;
        s->run_first = f->runs;
        for (int k = s->below_first; k < s->below_end; k++) {
            const int node = f->below[k], rows = a->graph->rows[node];
            int target = f->panel_row[node];
            if (f->supernode_of[node] != s->parent) {
                while (f->below[in_parent] != node)
                    in_parent++;
                DRY_ASSERT(in_parent < f->supernode[s->parent].below_end);
                target = f->below_row[in_parent];
            }
            dry_factor_run *last = f->runs > s->run_first ? &f->run[f->runs - 1] : NULL;
            DRY_ASSERT(!last || last->target + last->rows <= target);
            if (last && last->target + last->rows == target)
                last->rows += rows;
            else
                f->run[f->runs++] = (dry_factor_run){row, target, rows};
            f->below_row[k] = row;
            row += rows;
        }
        DRY_ASSERT(row == dry_panel_round(s->columns) + s->rows_below);
        s->run_end = f->runs;
    }
    return true;
}

/* Subtrees with fewer values and operations than this are no task: waking a worker takes as long. A factor
 * has about TASKS tasks, and more where the tree is broad: with fewer the top is small, with more they are
 * even. */
enum { TASK_COST_MIN = 100000, TASKS = 8 };

/* Returns about what a supernode costs in a factorization and the solves that follow it. */
static int64_t cost_of(const dry_supernode *s)
{
    const int64_t columns = s->columns, below = s->update_side, values = columns * s->height;
    return 16 * values + columns * (columns * columns / 6 + columns * below / 2 + below * below / 2);
}

/* Cuts the tree of supernodes into tasks and the top. A subtree is a range of supernodes that ends with its
 * root; neighbors share a task while they are small. The cut does not depend on the number of workers. */
static bool cut_tasks(analysis *a)
{
    dry_factor *f = a->f;
    if (!DRY_RESERVE(a->memory, f->schedule, f->schedule_capacity, f->supernodes) ||
        !DRY_RESERVE(a->memory, f->task_first, f->task_first_capacity, f->supernodes + 1))
        return false;
    int64_t *cost = a->zeros, total = 0;
    int32_t *size = a->head, *task = a->number; /* of subtrees; of supernodes, -1: the top */
    for (int i = 0; i < f->supernodes; i++) {
        cost[i] = cost_of(&f->supernode[i]);
        size[i] = 1;
        total += cost[i];
        for (int child = f->supernode[i].child; child >= 0; child = f->supernode[child].sibling) {
            cost[i] += cost[child];
            size[i] += size[child];
        }
    }
    int64_t largest = total / TASKS, filled = INT64_MAX;
    if (largest < TASK_COST_MIN)
        largest = TASK_COST_MIN;
    f->tasks = 0;
    int scheduled = 0;
    for (int i = 0; i < f->supernodes; i++) {
        const int parent = f->supernode[i].parent;
        task[i] = -1;
        const bool is_root = cost[i] <= largest && (parent < 0 || cost[parent] > largest);
        if (!is_root || total < 2 * TASK_COST_MIN)
            continue;
        if (filled >= TASK_COST_MIN) {
            f->task_first[f->tasks++] = scheduled;
            filled = 0;
        }
        DRY_ASSERT(f->tasks > 0 && size[i] <= i + 1);
        filled += cost[i];
        for (int k = i + 1 - size[i]; k <= i; k++) {
            task[k] = f->tasks - 1;
            f->schedule[scheduled++] = k;
        }
    }
    f->task_first[f->tasks] = scheduled;
    for (int i = 0; i < f->supernodes; i++)
        if (task[i] < 0)
            f->schedule[scheduled++] = i;
    DRY_ASSERT(scheduled == f->supernodes);
    return true;
}

/* Places updates on two stacks: one for supernodes of odd depth, one for even depth. So the updates of a
 * supernode's children are on top of one stack while its own goes onto the other. Each task has two stacks
 * of its own, and so has the top. Returns the size of all. */
static int64_t place_updates(const analysis *a, const int32_t *depth)
{
    dry_factor *f = a->f;
    const int32_t *task = a->number;
    int64_t begin = 0;
    for (int t = 0; t <= f->tasks; t++) {
        const int first = f->task_first[t], end = t < f->tasks ? f->task_first[t + 1] : f->supernodes;
        int64_t used[2] = {0}, most[2] = {0};
        for (int i = first; i < end; i++) {
            dry_supernode *s = &f->supernode[f->schedule[i]];
            const int even = depth[f->schedule[i]] % 2 == 0;
            s->update = begin + used[even];
            used[even] += (int64_t)s->update_side * s->update_side;
            most[even] = used[even] > most[even] ? used[even] : most[even];
            for (int child = s->child; child >= 0; child = f->supernode[child].sibling) {
                const int64_t side = f->supernode[child].update_side;
                used[!even] -= task[child] == task[f->schedule[i]] ? side * side : 0;
                DRY_ASSERT(used[!even] >= 0);
            }
        }
        for (int i = first; i < end; i++)
            f->supernode[f->schedule[i]].update += depth[f->schedule[i]] % 2 == 0 ? most[0] : 0;
        begin += most[0] + most[1];
    }
    return begin;
}

/* Makes room for values, which may be over 2^31. What was there is lost. */
static bool reserve_values(dry_memory *memory, double **values, int64_t *capacity, int64_t needed)
{
    if (needed <= *capacity)
        return true;
    dry_memory_release(memory, *values, (size_t)*capacity * sizeof **values);
    *values = NULL;
    *capacity = 0;
    const int64_t room = needed + needed / 8;
    if ((uint64_t)room > SIZE_MAX / sizeof **values)
        return false;
    *values = dry_memory_allocate(memory, (size_t)room * sizeof **values, DRY_CACHE_LINE);
    *capacity = *values ? room : 0;
    return *values != NULL;
}

static bool place_values(analysis *a)
{
    dry_factor *f = a->f;
    int64_t values = 0, vectors = 0;
    int32_t *depth = a->mark, *path = a->next;
    for (int i = f->supernodes - 1; i >= 0; i--) {
        const dry_supernode *s = &f->supernode[i];
        depth[i] = s->parent < 0 ? 0 : depth[s->parent] + 1;
        path[i] = s->columns + (s->parent < 0 ? 0 : path[s->parent]);
        if (path[i] > f->counts.path_rows)
            f->counts.path_rows = path[i];
    }
    for (int i = 0; i < f->supernodes; i++) {
        dry_supernode *s = &f->supernode[i];
        s->update_side = dry_panel_round(s->rows_below);
        s->height = dry_panel_round(s->columns) + s->update_side;
        s->panel = values;
        s->vector = vectors;
        values += (int64_t)s->height * s->columns;
        vectors += s->height;
    }
    if (!cut_tasks(a))
        return false;
    f->counts.l_values = values;
    const int64_t updates = place_updates(a, depth);
    const int rows = f->first_row[f->nodes];
    return vectors <= INT32_MAX && reserve_values(a->memory, &f->values, &f->values_capacity, values) &&
           reserve_values(a->memory, &f->updates, &f->updates_capacity, updates) &&
           DRY_RESERVE(a->memory, f->vectors, f->vectors_capacity, (int)vectors) &&
           DRY_RESERVE(a->memory, f->alpha, f->alpha_capacity, rows) &&
           DRY_RESERVE(a->memory, f->pivot, f->pivot_capacity, rows) &&
           DRY_RESERVE(a->memory, f->inverse_root, f->inverse_root_capacity, rows);
}

/* Returns the place of the block of two nodes, of which `row` is not eliminated before `column`. */
static int64_t find_block(const dry_factor *f, int row, int column)
{
    const dry_supernode *s = &f->supernode[f->supernode_of[column]];
    const int64_t at = s->panel + (int64_t)f->panel_row[column] * s->height;
    if (f->supernode_of[row] == f->supernode_of[column])
        return at + f->panel_row[row];
    int low = s->below_first, high = s->below_end;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (f->position[f->below[middle]] <= f->position[row])
            low = middle;
        else
            high = middle;
    }
    DRY_ASSERT(low < high && f->below[low] == row);
    return at + f->below_row[low];
}

static void add_pair(const analysis *a, int row, int column)
{
    dry_factor *f = a->f;
    const int32_t *r = a->graph->body[row], *c = a->graph->body[column];
    const int64_t rows = a->graph->rows[row], columns = a->graph->rows[column];
    uint32_t shared = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (r[i] >= 0 && r[i] == c[j])
                shared |= 1u << (2 * i + j);
    DRY_ASSERT(f->pairs < f->pair_capacity && (shared || row == column));
    f->pair[f->pairs++] = (dry_factor_pair){find_block(f, row, column), row, column,
                                            f->supernode[f->supernode_of[column]].height, shared};
    f->counts.a_nonzeros += row == column ? dry_factor_triangle(rows) : rows * columns;
}

/* Lists the pairs of a row's node, from the merged lists of its two bodies. */
static bool list_row(analysis *a, int row)
{
    dry_factor *f = a->f;
    int at[2] = {0}, end[2] = {0};
    for (int side = 0; side < 2; side++)
        if (dry_factor_listed(a->graph, row, side)) {
            at[side] = a->node_first[a->graph->body[row][side]];
            end[side] = a->node_first[a->graph->body[row][side] + 1];
        }
    const int64_t most = (int64_t)f->pairs + 1 + (end[0] - at[0]) + (end[1] - at[1]);
    if (most > INT32_MAX || !DRY_RESERVE(a->memory, f->pair, f->pair_capacity, (int)most))
        return false;
    if (at[0] == end[0] && at[1] == end[1])
        add_pair(a, row, row);
    while (at[0] < end[0] || at[1] < end[1]) {
        const int first = at[0] < end[0] ? a->node_list[at[0]] : INT32_MAX;
        const int second = at[1] < end[1] ? a->node_list[at[1]] : INT32_MAX;
        const int node = first < second ? first : second;
        at[0] += first == node;
        at[1] += second == node;
        if (f->position[node] <= f->position[row])
            add_pair(a, row, node);
    }
    return true;
}

static bool list_pairs(analysis *a)
{
    dry_factor *f = a->f;
    dry_factor_list_nodes(a->graph, a->node_first, a->node_list);
    if (!DRY_RESERVE(a->memory, f->pair_first, f->pair_first_capacity, f->nodes + 1))
        return false;
    for (int i = 0; i < f->nodes; i++) {
        f->pair_first[i] = f->pairs;
        if (!list_row(a, i))
            return false;
    }
    f->pair_first[f->nodes] = f->pairs;
    return true;
}

static bool analyze(analysis *a)
{
    const int parts = dry_dissect(a->graph, a->memory, a->part);
    if (parts < 0 || !dry_eliminate(&a->e, a->memory, a->graph, a->part, parts))
        return false;
    find_groups(a);
    merge_groups(a);
    if (!number_supernodes(a) || !fill_supernodes(a))
        return false;
    list_below(a);
    return find_runs(a) && place_values(a) && list_pairs(a);
}

bool dry_factor_analyze(dry_factor *factor, dry_memory *memory, const dry_factor_graph *graph)
{
    analysis a = {.f = factor, .memory = memory, .graph = graph};
    factor->nodes = graph->nodes;
    factor->supernodes = factor->pairs = factor->runs = factor->tasks = 0;
    factor->counts = (dry_factor_counts){0};
    const bool done = graph->nodes == 0 || (make_room(&a) && analyze(&a));
    dry_elimination_free(&a.e, memory);
    dry_memory_release(memory, a.room, a.room_bytes);
    if (!done)
        factor->nodes = factor->supernodes = factor->pairs = factor->runs = factor->tasks = 0;
    return done;
}
