/* Stage "prepare", with the layout: the list of what acts on articulations, of their bodies that it acts on,
 * and of groups. Reads coupled bundles, articulations. Next: coupling.c. */
#include "core/assert.h"
#include "methods/direct/articulations.h"
#include "methods/direct/coupling.h"

#include "core/disjoint_sets.h"
#include "methods/direct/complementarity.h"
#include "methods/sparse/factor_path.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/plan/islands.h"

/* Lists the lanes of coupled bundles; null: counts them alone. */
static int list_lanes(const dry_solver_step *step, dry_coupled_item *item)
{
    const dry_solver_state *s = step->state;
    int count = 0;
    for (int t = 0; t < s->plan.range_count; t++)
        for (int k = 0; k < DRY_KIND_COUNT; k++) {
            const dry_bundle_range coupled = dry_coupled_bundles(s, &s->plan.ranges[t], k);
            for (int b = coupled.begin; b < coupled.end; b++)
                for (int lane = 0; lane < DRY_BUNDLE; lane++) {
                    if (s->sweeps.bundles[k].members[b].index[lane] < 0)
                        continue;
                    if (item)
                        item[count] = (dry_coupled_item){.kind = (dry_kind)k, .bundle = b, .lane = lane};
                    count++;
                }
        }
    return count;
}

/* Finds the rows of an item's bodies in islands; -1: none. */
static void find_rows(const dry_solver_step *step, const dry_coupled_item *item, int row[2])
{
    int body[DRY_CONSTRAINT_BODIES];
    const int member = step->state->sweeps.bundles[item->kind].members[item->bundle].index[item->lane];
    step->kinds[item->kind]->bodies(step, member, body);
    for (int side = 0; side < 2; side++)
        row[side] = dry_island_row(step, body[side]);
}

/* Unites the bodies of each articulation, and those of each item, by rows: their roots are groups. */
static void unite_rows(const dry_solver_step *step, dry_articulations *a)
{
    dry_sets_begin(a->root, a->rows_listed);
    for (int i = 0; i < a->count; i++) {
        int first = -1;
        for (int b = a->articulation[i].body_begin; b < a->articulation[i].body_end; b++) {
            if (a->body[b].row < 0)
                continue;
            if (first >= 0)
                dry_sets_unite(a->root, first, a->body[b].row);
            first = a->body[b].row;
        }
    }
    for (int i = 0; i < a->coupling.items; i++) {
        int row[2];
        find_rows(step, &a->coupling.item[i], row);
        if (row[0] >= 0 && row[1] >= 0)
            dry_sets_unite(a->root, row[0], row[1]);
    }
}

/* Orders items by group; groups come in the order of their first items. */
static bool group_items(const dry_solver_step *step, dry_articulations *a, dry_memory *memory)
{
    dry_coupling *c = &a->coupling;
    unite_rows(step, a);
    /* A root's group is kept in place of the root: -2 - group. */
    c->groups = 0;
    for (int i = 0; i < c->items; i++) {
        int row[2];
        find_rows(step, &c->item[i], row);
        DRY_ASSERT(row[0] >= 0 || row[1] >= 0);
        c->item[i].group = dry_sets_root(a->root, row[0] >= 0 ? row[0] : row[1]);
    }
    if (!DRY_RESERVE(memory, c->group, c->group_capacity, c->items))
        return false;
    int32_t *group_of = a->root; /* by root row, from now on: no root is searched for any more */
    for (int row = 0; row < a->rows_listed; row++)
        group_of[row] = -1;
    for (int i = 0; i < c->items; i++) {
        int32_t *group = &group_of[c->item[i].group];
        if (*group < 0) {
            const int row = c->item[i].group;
            *group = c->groups;
            c->group[c->groups++] = (dry_coupled_group){
                .tier = dry_island_range(&step->islands->island[step->bodies->sleep[row].island])};
        }
        c->item[i].group = *group;
        c->group[*group].item_end++;
    }
    int next = 0;
    for (int g = 0; g < c->groups; g++) {
        const int count = c->group[g].item_end;
        c->group[g].item_begin = c->group[g].item_end = next;
        next += count;
    }
    DRY_ASSERT(next == c->items);
    return true;
}

/* Moves items to their groups' places, in place: each cycle of the permutation in turn. Items of a group keep
 * their order. `group` then is the place of the item. */
static void sort_items(dry_coupling *c)
{
    for (int i = 0; i < c->items; i++)
        c->item[i].group = c->group[c->item[i].group].item_end++;
    for (int i = 0; i < c->items; i++)
        while (c->item[i].group != i) {
            const int to = c->item[i].group;
            const dry_coupled_item other = c->item[to];
            c->item[to] = c->item[i];
            c->item[i] = other;
        }
}

/* Lists the joints of coupled bodies, of which each knows how many it has. */
static bool list_joints(dry_articulations *a, dry_memory *memory, int nodes)
{
    dry_coupling *c = &a->coupling;
    if (!DRY_RESERVE(memory, c->node, c->node_capacity, nodes) ||
        !DRY_RESERVE(memory, c->side, c->side_capacity, nodes))
        return false;
    int next = 0;
    for (int b = 0; b < c->bodies; b++) {
        const int count = c->body[b].node_end;
        c->body[b].node_begin = c->body[b].node_end = next;
        next += count;
    }
    DRY_ASSERT(next == nodes);
    for (int j = 0; j < a->joint_count; j++)
        for (int side = 0; side < 2; side++) {
            const int index = c->body_of[a->joint[j].body[side]];
            if (index < 0)
                continue;
            dry_coupled_body *body = &c->body[index];
            c->node[body->node_end] = j - a->articulation[body->articulation].joint_begin;
            c->side[body->node_end++] = (uint8_t)side;
        }
    return true;
}

/* Lists the bodies that items act on, by articulation, with their joints. */
static bool list_bodies(const dry_solver_step *step, dry_articulations *a, dry_memory *memory)
{
    dry_coupling *c = &a->coupling;
    if (!DRY_RESERVE(memory, c->body_of, c->body_of_capacity, a->body_count) ||
        !DRY_RESERVE(memory, c->first, c->first_capacity, a->count + 1) ||
        !DRY_RESERVE(memory, c->body, c->body_capacity, 2 * c->items))
        return false;
    for (int b = 0; b < a->body_count; b++)
        c->body_of[b] = -1;
    for (int i = 0; i < c->items; i++) {
        int row[2];
        find_rows(step, &c->item[i], row);
        for (int side = 0; side < 2; side++) {
            const int body = row[side] >= 0 ? a->body_of_row[row[side]] : -1;
            c->item[i].body[side] = body;
            if (body >= 0)
                c->body_of[body] = 0;
        }
    }
    c->bodies = 0;
    int nodes = 0;
    for (int i = 0; i < a->count; i++) {
        const dry_articulation *articulation = &a->articulation[i];
        c->first[i] = c->bodies;
        for (int b = articulation->body_begin; b < articulation->body_end; b++)
            if (c->body_of[b] == 0) {
                DRY_ASSERT(c->bodies < c->body_capacity);
                c->body_of[b] = c->bodies;
                c->body[c->bodies++] = (dry_coupled_body){.body = b, .articulation = i};
            }
        for (int j = articulation->joint_begin; j < articulation->joint_end; j++)
            for (int side = 0; side < 2; side++) {
                const int body = c->body_of[a->joint[j].body[side]];
                if (body >= 0)
                    c->body[body].node_end++, nodes++;
            }
    }
    c->first[a->count] = c->bodies;
    for (int i = 0; i < c->items; i++)
        for (int side = 0; side < 2; side++) {
            if (c->item[i].body[side] < 0)
                continue;
            const int body = c->item[i].body[side] = c->body_of[c->item[i].body[side]];
            if (c->item[i].kind != DRY_KIND_CONTACT)
                a->articulation[c->body[body].articulation].driven = true;
        }
    return list_joints(a, memory, nodes);
}

static const dry_factor *factor_of(const dry_articulations *a, int articulation)
{
    return &a->factors[a->articulation[articulation].factor].factor;
}

/* Makes room for y and for the work on columns. */
static bool place_vectors(dry_articulations *a, dry_memory *memory)
{
    dry_coupling *c = &a->coupling;
    int64_t rows = 0;
    if (!DRY_RESERVE(memory, c->y_first, c->y_first_capacity, a->count + 1))
        return false;
    for (int i = 0; i < a->count; i++) {
        c->y_first[i] = (int32_t)rows;
        rows += dry_factor_padded_rows(factor_of(a, i));
        if (rows > INT32_MAX / DRY_COUPLING_WORK)
            return false;
    }
    c->y_first[a->count] = (int32_t)rows;
    return DRY_RESERVE(memory, c->y, c->y_capacity, (int)rows) &&
           DRY_RESERVE(memory, c->work, c->work_capacity, (int)rows * DRY_COUPLING_WORK);
}

/* Finds each body's path, and makes room for its columns. */
static bool place_columns(dry_articulations *a, dry_memory *memory)
{
    dry_coupling *c = &a->coupling;
    int64_t parts = 0, values = 0;
    for (int b = 0; b < c->bodies; b++) {
        dry_coupled_body *body = &c->body[b];
        const dry_factor *factor = factor_of(a, body->articulation);
        body->supernode = INT32_MAX;
        for (int k = body->node_begin; k < body->node_end; k++)
            body->supernode = dry_min_int(body->supernode, factor->supernode_of[c->node[k]]);
        DRY_ASSERT(body->supernode < factor->supernodes);
        body->part_begin = (int32_t)parts;
        body->parts = dry_factor_path_parts(factor, body->supernode, NULL);
        parts += body->parts;
        if (parts > INT32_MAX)
            return false;
    }
    if (!DRY_RESERVE(memory, c->part, c->part_capacity, (int)parts))
        return false;
    for (int b = 0; b < c->bodies; b++) {
        dry_coupled_body *body = &c->body[b];
        dry_path_part *part = c->part + body->part_begin;
        dry_factor_path_parts(factor_of(a, body->articulation), body->supernode, part);
        body->columns = values;
        values += (int64_t)DRY_PATH_COLUMNS * dry_path_rows(part, body->parts);
    }
    return values <= INT32_MAX && DRY_RESERVE(memory, c->values, c->values_capacity, (int)values) &&
           place_vectors(a, memory);
}

/* Returns the joint of an articulation that alone has a motor without a largest force, -1 if none has, and -2
 * if several have. */
static int find_unbounded_motor(const dry_solver_step *step, const dry_articulations *a,
                                const dry_articulation *articulation)
{
    int found = -1;
    for (int j = articulation->joint_begin; j < articulation->joint_end; j++) {
        const int joint = a->joint[j].joint;
        if (joint >= 0 && dry_joint_count(&step->joints->def[joint]).unbounded_motor)
            found = found == -1 ? joint : -2;
    }
    return found;
}

/* Makes room for the hard stops that articulations hold. A motor that no force bounds would tear joints on
 * its way against another joint's stop: such a stop gives way, as it does in sweeps. */
static bool place_stops(const dry_solver_step *step, dry_articulations *a, dry_memory *memory)
{
    int count = 0, most = 0;
    if (!DRY_RESERVE(memory, a->held, a->held_capacity, a->direct_words))
        return false;
    memset(a->held, 0, (size_t)a->direct_words * sizeof *a->held);
    for (int i = 0; i < a->count; i++) {
        dry_articulation *articulation = &a->articulation[i];
        const int driven = find_unbounded_motor(step, a, articulation);
        articulation->stop_begin = count;
        for (int j = articulation->joint_begin; j < articulation->joint_end; j++) {
            const int joint = a->joint[j].joint;
            if (joint < 0)
                continue;
            const dry_joint_def *def = &step->joints->def[joint];
            const dry_joint_counts of = dry_joint_count(def);
            const int stops = driven == -1 || driven == joint ? of.stops : 0;
            if (stops > 0)
                a->held[joint / 64] |= (uint64_t)1 << joint % 64;
            count += of.bounded ? dry_max_int(stops, of.coordinates) : stops;
        }
        articulation->stop_end = count;
        most = dry_max_int(most, count - articulation->stop_begin);
    }
    dry_coupling *c = &a->coupling;
    most = dry_min_int(most, DRY_COMPLEMENTARITY_MAX);
    c->stop_elements = 2 * most * most;
    return DRY_RESERVE(memory, c->stop, c->stop_capacity, count) &&
           DRY_RESERVE(memory, c->stop_matrix, c->stop_matrix_capacity,
                       dry_jobs_workers(step->jobs) * c->stop_elements);
}

/* Returns the side of an item that is on an articulation, of two the one with fewer joints: a hub has all. */
static const dry_coupled_body *body_with_fewer_joints(const dry_coupling *c, const dry_coupled_item *item)
{
    const dry_coupled_body *a = item->body[0] >= 0 ? &c->body[item->body[0]] : NULL,
                           *b = item->body[1] >= 0 ? &c->body[item->body[1]] : NULL;
    if (!a || !b)
        return a ? a : b;
    return b->node_end - b->node_begin < a->node_end - a->node_begin ? b : a;
}

/* Finds the items of joints' axes. Items have their places. */
static void find_axes(const dry_solver_step *step, dry_articulations *a)
{
    const dry_coupling *c = &a->coupling;
    for (int j = 0; j < a->joint_count; j++)
        a->joint[j].item = -1;
    for (int i = 0; i < c->items; i++) {
        const dry_coupled_item *item = &c->item[i];
        if (item->kind != DRY_KIND_AXES)
            continue;
        const int slot = step->state->sweeps.bundles[DRY_KIND_AXES].members[item->bundle].index[item->lane];
        const dry_coupled_body *body = body_with_fewer_joints(c, item);
        DRY_ASSERT(body && slot >= 0);
        const int first = a->articulation[body->articulation].joint_begin;
        for (int k = body->node_begin; k < body->node_end; k++)
            if (a->joint[first + c->node[k]].joint == slot)
                a->joint[first + c->node[k]].item = i;
    }
}

bool dry_coupling_update(dry_solver_step *step, dry_memory *memory)
{
    dry_articulations *a = &step->state->articulations;
    dry_coupling *c = &a->coupling;
    c->items = c->bodies = c->groups = c->stop_elements = 0;
    const int items = list_lanes(step, NULL);
    if (items == 0)
        return true;
    if (!DRY_RESERVE(memory, c->item, c->item_capacity, items))
        return false;
    c->items = list_lanes(step, c->item);
    DRY_ASSERT(c->items == items);
    if (!list_bodies(step, a, memory) || !group_items(step, a, memory) || !place_columns(a, memory) ||
        !place_stops(step, a, memory)) {
        c->items = c->bodies = c->groups = c->stop_elements = 0;
        return false;
    }
    sort_items(c);
    find_axes(step, a);
    return true;
}
