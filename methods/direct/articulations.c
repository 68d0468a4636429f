/* Stage "prepare", with the layout: the list of articulations and their factors' structure. Reads active
 * joints and islands. Next: linkage.c. */
#include "methods/direct/articulations.h"

#include "core/assert.h"
#include "core/disjoint_sets.h"
#include "methods/direct/coupling.h"
#include "methods/direct/slender.h"
#include "methods/sparse/factor.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"

#include <string.h>

/* Marks the slots of the active joints that are solved directly. Walks then go by rising slot, whatever the
 * order of the active ones, and pass those that sleep 64 at a time. Returns the number of joints; -1 if
 * memory fails. */
static int mark_direct(const dry_solver_step *step, dry_articulations *a, dry_memory *memory)
{
    const dry_joints *joints = step->joints;
    const int words = (joints->slots.used + 63) / 64;
    int count = 0;
    for (int i = 0; i < joints->active_count; i++) {
        const int joint = joints->active[i];
        if (!dry_joint_is_direct(step->settings, joints, joint))
            continue;
        if (count++ == 0) {
            if (!DRY_RESERVE(memory, a->direct, a->direct_capacity, words))
                return -1;
            memset(a->direct, 0, (size_t)words * sizeof *a->direct);
        }
        a->direct[joint / 64] |= (uint64_t)1 << joint % 64;
    }
    a->direct_words = words;
    return count;
}

/* Goes through the marked joints that move a body of an island, by rising slot. */
typedef struct direct_walk {
    const dry_solver_step *step;
    uint64_t left; /* bits of the word at hand */
    int word;
    int joint;   /* slot */
    int rows[2]; /* of the sides that are in an island; -1: none */
} direct_walk;

static direct_walk walk_direct(const dry_solver_step *step)
{
    return (direct_walk){.step = step, .word = -1};
}

static bool next_direct(direct_walk *walk)
{
    const dry_articulations *a = &walk->step->state->articulations;
    for (;;) {
        while (!walk->left) {
            if (++walk->word == a->direct_words)
                return false;
            walk->left = a->direct[walk->word];
        }
        walk->joint = 64 * walk->word + dry_lowest_bit(walk->left);
        walk->left &= walk->left - 1;
        const dry_joint *joint = &walk->step->joints->joint[walk->joint];
        walk->rows[0] = dry_island_row(walk->step, joint->body_a);
        walk->rows[1] = dry_island_row(walk->step, joint->body_b);
        if (walk->rows[0] >= 0 || walk->rows[1] >= 0)
            return true;
    }
}

/* Unites the bodies of joints. */
static void unite(const dry_solver_step *step, dry_articulations *a)
{
    dry_sets_begin(a->root, step->bodies->awake_count);
    for (direct_walk walk = walk_direct(step); next_direct(&walk);)
        if (walk.rows[0] >= 0 && walk.rows[1] >= 0)
            dry_sets_unite(a->root, walk.rows[0], walk.rows[1]);
}

/* Numbers articulations by their first joint, and finds where the links of each begin. */
static void number(const dry_solver_step *step, dry_articulations *a)
{
    for (int row = 0; row < step->bodies->awake_count; row++)
        a->body_of_row[row] = -1; /* for roots: their articulation, until bodies are listed */
    a->count = 0;
    for (direct_walk walk = walk_direct(step); next_direct(&walk);) {
        const int row = walk.rows[0] >= 0 ? walk.rows[0] : walk.rows[1];
        int32_t *index = &a->body_of_row[dry_sets_root(a->root, row)];
        if (*index < 0) {
            *index = a->count;
            a->articulation[a->count++] =
                (dry_articulation){.island = step->bodies->sleep[row].island, .factor = -1};
        }
        a->articulation[*index].link_end++;
    }
    for (int row = 0; row < step->bodies->awake_count; row++) {
        const int index = a->body_of_row[dry_sets_root(a->root, row)];
        if (index >= 0 && dry_locked_axes(step->bodies, row))
            a->articulation[index].link_end++;
    }
    int next = 0;
    for (int i = 0; i < a->count; i++) {
        dry_articulation *articulation = &a->articulation[i];
        const int links = articulation->link_end;
        articulation->link_begin = articulation->link_end = next;
        next += links;
    }
    a->link_count = next;
}

/* Lists links by articulation: joints by rising slot, then locked axes. */
static void list_links(const dry_solver_step *step, dry_articulations *a)
{
    for (direct_walk walk = walk_direct(step); next_direct(&walk);) {
        const int row = walk.rows[0] >= 0 ? walk.rows[0] : walk.rows[1];
        dry_articulation *articulation = &a->articulation[a->body_of_row[dry_sets_root(a->root, row)]];
        a->link[articulation->link_end++] = (dry_articulated_link){walk.joint, {walk.rows[0], walk.rows[1]}};
    }
    for (int row = 0; row < step->bodies->awake_count; row++) {
        const int index = a->body_of_row[dry_sets_root(a->root, row)];
        if (index >= 0 && dry_locked_axes(step->bodies, row))
            a->link[a->articulation[index].link_end++] = (dry_articulated_link){DRY_LINK_LOCKS, {-1, row}};
    }
    DRY_ASSERT(a->count == 0 || a->articulation[a->count - 1].link_end == a->link_count);
    for (int row = 0; row < step->bodies->awake_count; row++)
        a->body_of_row[row] = -1;
    a->rows_listed = step->bodies->awake_count;
}

/* Counts the links of each body of an articulation, in place of its root. Returns the largest number. */
static int count_links(dry_articulations *a, const dry_articulation *articulation)
{
    int most = 0;
    for (int k = articulation->link_begin; k < articulation->link_end; k++)
        for (int side = 0; side < 2; side++)
            if (a->link[k].row[side] >= 0)
                a->root[a->link[k].row[side]] = 0;
    for (int k = articulation->link_begin; k < articulation->link_end; k++)
        for (int side = 0; side < 2; side++)
            if (a->link[k].row[side] >= 0)
                most = dry_max_int(most, ++a->root[a->link[k].row[side]]);
    return most;
}

/* A split body has parts of at least so many links. */
enum { SMALLEST_PART = 2 };

/* Adds a body in as many parts as it takes for each to have at most `per_part` links; 0: in one. */
static void add_parts(dry_articulations *a, int row, int per_part)
{
    const int links = a->root[row];
    DRY_ASSERT(links > 0 && a->body_of_row[row] < 0);
    const int parts = per_part > 0 ? (links + per_part - 1) / per_part : 1;
    a->body_of_row[row] = a->body_count;
    for (int i = 0; i < parts; i++)
        a->body[a->body_count++] = (dry_articulated_body){.row = row, .moves = true, .parts = parts};
    a->root[row] = 0; /* from now on: the links that have their part */
}

/* Returns the body for a side of a link. Sides that nothing moves have one each. */
static int body_for(dry_articulations *a, int row, int per_part)
{
    if (row < 0) {
        a->body[a->body_count] = (dry_articulated_body){.row = -1, .parts = 1};
        return a->body_count++;
    }
    if (a->body_of_row[row] < 0)
        add_parts(a, row, per_part);
    const int link = a->root[row]++;
    DRY_ASSERT(per_part == 0 || link / per_part < a->body[a->body_of_row[row]].parts);
    return a->body_of_row[row] + (per_part > 0 ? link / per_part : 0);
}

static void add_joint(dry_articulations *a, int joint, int body_a, int body_b, int locked, int springs)
{
    DRY_ASSERT(locked + springs <= DRY_FACTOR_ROWS_MAX);
    a->joint[a->joint_count++] = (dry_articulated_joint){.joint = joint,
                                                         .body = {body_a, body_b},
                                                         .row = a->row_count,
                                                         .rows = locked + springs,
                                                         .spring = a->spring_count,
                                                         .springs = springs,
                                                         .item = -1};
    a->row_count += locked + springs;
    a->spring_count += springs;
}

static int locked_rows_of(const dry_solver_step *step, const dry_articulated_link *link)
{
    if (link->joint == DRY_LINK_LOCKS)
        return dry_count_bits(dry_locked_axes(step->bodies, link->row[1]));
    return dry_joint_count(&step->joints->def[link->joint]).locked;
}

static int springs_of(const dry_solver_step *step, const dry_articulated_link *link)
{
    return link->joint < 0 ? 0 : dry_joint_count(&step->joints->def[link->joint]).springs;
}

/* Finds which bodies have no later joint than each. */
static void settle_bodies(dry_articulations *a, const dry_articulation *articulation)
{
    int32_t first = articulation->body_end;
    for (int j = articulation->joint_end - 1; j >= articulation->joint_begin; j--) {
        dry_articulated_joint *joint = &a->joint[j];
        joint->settled = first;
        first = dry_min_int(first, dry_min_int(joint->body[0], joint->body[1]));
    }
}

/* Lists the joints and bodies of an articulation at the end of the lists. Bodies with more than `per_part`
 * links are split into parts that fixations hold together as a chain [Tomcin 5]; 0: none is split. */
static void expand(const dry_solver_step *step, dry_articulations *a, dry_articulation *articulation,
                   int per_part)
{
    count_links(a, articulation);
    articulation->body_begin = a->body_count;
    articulation->joint_begin = a->joint_count;
    articulation->row_begin = a->row_count;
    articulation->spring_begin = a->spring_count;
    for (int k = articulation->link_begin; k < articulation->link_end; k++) {
        const dry_articulated_link *link = &a->link[k];
        const int body_a = body_for(a, link->row[0], per_part), body_b = body_for(a, link->row[1], per_part);
        add_joint(a, link->joint, body_a, body_b, locked_rows_of(step, link), springs_of(step, link));
        if (link->joint >= 0)
            a->joint[a->joint_count - 1].type = (int32_t)step->joints->def[link->joint].type;
    }
    for (int b = articulation->body_begin; b < a->body_count; b += a->body[b].parts)
        for (int i = 1; i < a->body[b].parts; i++)
            add_joint(a, DRY_LINK_FIXATION, b + i - 1, b + i, DRY_FACTOR_ROWS_MAX, 0);
    articulation->body_end = a->body_count;
    articulation->joint_end = a->joint_count;
    articulation->row_end = a->row_count;
    articulation->spring_end = a->spring_count;
    settle_bodies(a, articulation);
}

/* Takes the joints and bodies of the last articulation out again. */
static void fold(dry_articulations *a, const dry_articulation *articulation)
{
    DRY_ASSERT(articulation->body_end == a->body_count && articulation->joint_end == a->joint_count);
    for (int b = articulation->body_begin; b < articulation->body_end; b++)
        if (a->body[b].row >= 0)
            a->body_of_row[a->body[b].row] = -1;
    a->body_count = articulation->body_begin;
    a->joint_count = articulation->joint_begin;
    a->row_count = articulation->row_begin;
    a->spring_count = articulation->spring_begin;
}

/* Tells whether a factor was made for the graph of these joints. */
static bool has_graph(const dry_articulations *a, const dry_articulation *articulation,
                      const dry_articulation_factor *f)
{
    bool same = f->nodes == articulation->joint_end - articulation->joint_begin &&
                f->links == articulation->link_end - articulation->link_begin;
    for (int n = 0; n < f->nodes && same; n++) {
        const dry_articulated_joint *joint = &a->joint[articulation->joint_begin + n];
        same = f->rows[n] == joint->rows;
        for (int side = 0; side < 2; side++) {
            const dry_articulated_body *body = &a->body[joint->body[side]];
            same =
                same && f->body[n][side] == (body->moves ? joint->body[side] - articulation->body_begin : -1);
        }
    }
    return same;
}

static dry_factor_graph graph_of(const dry_articulation *articulation, const dry_articulation_factor *f,
                                 int nodes)
{
    return (dry_factor_graph){nodes, articulation->body_end - articulation->body_begin, f->rows,
                              (const int32_t(*)[2])f->body};
}

/* Writes the graph of an articulation, and finds its ordering and structure. */
static bool analyze(const dry_articulations *a, const dry_articulation *articulation,
                    dry_articulation_factor *f, dry_memory *memory)
{
    f->nodes = 0;
    f->made_of = 0;
    f->raised = f->redundant = 0;
    const int nodes = articulation->joint_end - articulation->joint_begin;
    if (!DRY_RESERVE(memory, f->body, f->body_capacity, nodes) ||
        !DRY_RESERVE(memory, f->rows, f->rows_capacity, nodes))
        return false;
    for (int n = 0; n < nodes; n++) {
        const dry_articulated_joint *joint = &a->joint[articulation->joint_begin + n];
        f->rows[n] = (uint8_t)joint->rows;
        for (int side = 0; side < 2; side++)
            f->body[n][side] =
                a->body[joint->body[side]].moves ? joint->body[side] - articulation->body_begin : -1;
    }
    f->links = articulation->link_end - articulation->link_begin;
    const dry_factor_graph graph = graph_of(articulation, f, nodes);
    if (!dry_factor_analyze(&f->factor, memory, &graph))
        return false;
    f->nodes = nodes;
    return true;
}

static int first_joint(const dry_articulations *a, const dry_articulation *articulation)
{
    return a->link[articulation->link_begin].joint;
}

/* Gives an articulation the factor that it had, if its graph is still the same. `from` is where the search
 * begins, and where the next one shall: articulations come in the order in which they came before. */
static bool find_factor(const dry_solver_step *step, dry_articulations *a, dry_articulation *articulation,
                        int *from)
{
    for (int i = 0; i < a->factor_count; i++) {
        const int f = (*from + i) % a->factor_count;
        if (a->factors[f].used || a->factors[f].first != first_joint(a, articulation))
            continue;
        expand(step, a, articulation, a->factors[f].per_part);
        if (has_graph(a, articulation, &a->factors[f])) {
            articulation->factor = f;
            a->factors[f].used = true;
            *from = f + 1;
            return true;
        }
        fold(a, articulation);
    }
    return false;
}

/* Bodies with no more links than this are not split. Those with more than MANY are split without trying
 * whether that pays: as one, they would fill the factor. */
enum { FEW_LINKS = 6, MANY_LINKS = 32 };

/* Analyzes an articulation in the splitting that takes the fewest operations. */
static bool analyze_parts(const dry_solver_step *step, dry_articulations *a, dry_articulation *articulation,
                          dry_articulation_factor *f, dry_memory *memory)
{
    static const int per_part[] = {0, SMALLEST_PART, 4, 8};
    const int most = count_links(a, articulation), count = (int)(sizeof per_part / sizeof *per_part);
    int64_t least = INT64_MAX;
    f->per_part = 0;
    for (int i = most > MANY_LINKS; i < count && most > FEW_LINKS; i++) {
        expand(step, a, articulation, per_part[i]);
        const bool done = analyze(a, articulation, f, memory);
        fold(a, articulation);
        if (!done)
            return false;
        if (f->factor.counts.multiply_adds < least) {
            least = f->factor.counts.multiply_adds;
            f->per_part = per_part[i];
        }
    }
    expand(step, a, articulation, f->per_part);
    if (!analyze(a, articulation, f, memory))
        return false;
    const dry_factor_graph graph = graph_of(articulation, f, f->nodes);
    const bool found = dry_graph_regularization(&graph, f->links, memory, &f->regularization);
    f->nodes = found ? f->nodes : 0;
    return found;
}

/* Lists the joints and bodies of all articulations, each with its factor: the one it had, else one that
 * nothing uses. */
static bool list_articulations(const dry_solver_step *step, dry_articulations *a, dry_memory *memory)
{
    if (!DRY_RESERVE(memory, a->factors, a->factors_capacity, a->factor_count + a->count))
        return false;
    a->body_count = a->joint_count = a->row_count = a->spring_count = 0;
    for (int f = 0; f < a->factor_count; f++)
        a->factors[f].used = false;
    int found = 0, spare = 0, from = 0;
    for (int i = 0; i < a->count; i++)
        found += find_factor(step, a, &a->articulation[i], &from);
    for (int i = 0; i < a->count && found < a->count; i++) {
        if (a->articulation[i].factor >= 0)
            continue;
        while (spare < a->factor_count && a->factors[spare].used)
            spare++;
        if (spare == a->factor_count)
            a->factors[a->factor_count++] = (dry_articulation_factor){.first = -1};
        dry_articulation_factor *f = &a->factors[spare];
        if (!analyze_parts(step, a, &a->articulation[i], f, memory))
            return false;
        f->first = first_joint(a, &a->articulation[i]);
        f->used = true;
        a->articulation[i].factor = spare;
    }
    return true;
}

/* The room that the lists of joints, bodies, rows and springs need at most. */
typedef struct list_room {
    int joints, bodies, rows, springs;
} list_room;

/* Counts all links, and for each body the fixations of its most parts: of SMALLEST_PART links each. */
static list_room count_room(const dry_solver_step *step, dry_articulations *a)
{
    const dry_articulation all = {.link_end = a->link_count};
    list_room room = {.joints = a->link_count};
    count_links(a, &all);
    int fixations = 0;
    for (int k = 0; k < a->link_count; k++) {
        const int springs = springs_of(step, &a->link[k]);
        room.rows += locked_rows_of(step, &a->link[k]) + springs;
        room.springs += springs;
        for (int side = 0; side < 2; side++) {
            const int row = a->link[k].row[side];
            room.bodies += row < 0 || a->root[row] > 0;
            if (row < 0 || a->root[row] == 0)
                continue;
            fixations += (a->root[row] + SMALLEST_PART - 1) / SMALLEST_PART - 1;
            a->root[row] = 0;
        }
    }
    room.joints += fixations;
    room.bodies += fixations;
    room.rows += DRY_FACTOR_ROWS_MAX * fixations;
    return room;
}

static bool list(dry_solver_step *step, dry_articulations *a, int joints, dry_memory *memory)
{
    const int awake = step->bodies->awake_count;
    if (!DRY_RESERVE(memory, a->root, a->root_capacity, awake) ||
        !DRY_RESERVE(memory, a->body_of_row, a->body_of_row_capacity, awake) ||
        !DRY_RESERVE(memory, a->articulation, a->articulation_capacity, joints))
        return false;
    unite(step, a);
    number(step, a);
    if (!DRY_RESERVE(memory, a->link, a->link_capacity, a->link_count))
        return false;
    list_links(step, a);
    const list_room room = count_room(step, a);
    return DRY_RESERVE(memory, a->joint, a->joint_capacity, room.joints) &&
           DRY_RESERVE(memory, a->body, a->body_capacity, room.bodies) &&
           DRY_RESERVE(memory, a->row, a->row_capacity, room.rows) &&
           DRY_RESERVE(memory, a->swings, a->swings_capacity, room.rows) &&
           DRY_RESERVE(memory, a->spring, a->spring_capacity, room.springs) &&
           DRY_RESERVE(memory, a->vibrating, a->vibrating_capacity, room.bodies) &&
           DRY_RESERVE(memory, a->values, a->values_capacity, DRY_ROW_VALUES * room.rows) &&
           DRY_RESERVE(memory, a->hash, a->hash_capacity, room.joints) &&
           list_articulations(step, a, memory) && dry_bodies_need_precise(step->bodies, memory);
}

bool dry_articulations_update(dry_solver_step *step, dry_memory *memory)
{
    dry_articulations *a = &step->state->articulations;
    a->count = a->body_count = a->joint_count = a->row_count = a->spring_count = a->rows_listed = 0;
    const int direct = mark_direct(step, a, memory);
    if (direct == 0 || (direct > 0 && list(step, a, direct, memory)))
        return true;
    a->count = a->rows_listed = 0;
    return false;
}
