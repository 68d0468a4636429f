/* Stage "prepare", first part: who is solved where. Islands fall into classes, bodies are listed by class,
 * constraints are dealt into bundles by class and colour.
 *
 * Reads islands with their edges, active joints. Writes order, ranges, and which constraint each
 * lane of each bundle holds. Next: bodies.c, then prepare_contacts.c. */
#include "solver/solver.h"

#include <string.h>

void dry_solver_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->rows, state->rows_capacity);
    DRY_RELEASE(memory, state->sums, state->sums_capacity);
    DRY_RELEASE(memory, state->start, state->start_capacity);
    DRY_RELEASE(memory, state->unsound, state->unsound_capacity);
    DRY_RELEASE(memory, state->order, state->order_capacity);
    DRY_RELEASE(memory, state->contact, state->contact_capacity);
    DRY_RELEASE(memory, state->lanes, state->lanes_capacity);
    DRY_RELEASE(memory, state->notes, state->notes_capacity);
    DRY_RELEASE(memory, state->rare, state->rare_capacity);
    DRY_RELEASE(memory, state->ball, state->ball_capacity);
    DRY_RELEASE(memory, state->distance, state->distance_capacity);
    dry_momentum_free(state, memory);
}

typedef enum kind { KIND_CONTACT, KIND_BALL, KIND_DISTANCE, KIND_COUNT } kind;

/* Constraints per kind, class and colour; then the next free lane of each, as bundle * 16 + lane. */
typedef struct deal {
    int count[KIND_COUNT][DRY_CLASS_COUNT][DRY_COLOR_COUNT];
} deal;

static int class_of_row(const dry_solver_step *step, int row)
{
    return step->islands->island[step->bodies->rest[row].island].island_class;
}

static int class_of_edge(const dry_solver_step *step, const dry_edge *edge)
{
    return class_of_row(step, edge->row_a >= 0 ? edge->row_a : edge->row_b);
}

/* The class of a joint; -1 if neither body is awake and dynamic. */
static int class_of_joint(const dry_solver_step *step, const dry_joint *joint)
{
    const int bodies[2] = {joint->body_a, joint->body_b};
    for (int side = 0; side < 2; side++) {
        int row = dry_bodies_row(step->bodies, bodies[side]);
        if (row < step->bodies->awake_count && step->bodies->rest[row].island >= 0)
            return class_of_row(step, row);
    }
    return -1;
}

static bool reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    int rows = step->bodies->awake_count;
    return DRY_RESERVE(memory, s->rows, s->rows_capacity, rows + 1) &&
           (step->settings->solver != DRY_SOLVER_JACOBI ||
            DRY_RESERVE(memory, s->sums, s->sums_capacity, rows + 1)) &&
           DRY_RESERVE(memory, s->start, s->start_capacity, rows) &&
           DRY_RESERVE(memory, s->unsound, s->unsound_capacity, rows) &&
           DRY_RESERVE(memory, s->order, s->order_capacity, rows);
}

static void order_bodies(dry_solver_step *step)
{
    dry_solver_state *s = step->state;
    const dry_bodies *bodies = step->bodies;
    int next[DRY_CLASS_COUNT] = {0};
    for (int row = 0; row < bodies->awake_count; row++)
        if (bodies->rest[row].island >= 0)
            next[step->islands->island[bodies->rest[row].island].island_class]++;
    for (int c = 0, begin = 0; c < DRY_CLASS_COUNT; c++) {
        s->ranges[c].body_begin = begin;
        begin += next[c];
        s->ranges[c].body_end = begin;
        next[c] = s->ranges[c].body_begin;
    }
    for (int row = 0; row < bodies->awake_count; row++)
        if (bodies->rest[row].island >= 0)
            s->order[next[step->islands->island[bodies->rest[row].island].island_class]++] = row;
}

/* An overflow constraint must not share a body with an earlier one of its bundle. */
static bool shares_body(const dry_solver_step *step, const int32_t *members, int count, bool is_contact,
                        int body_a, int body_b)
{
    for (int i = 0; i < count; i++) {
        int a = is_contact ? step->contacts->link[members[i]].body_a : step->joints->joint[members[i]].body_a;
        int b = is_contact ? step->contacts->link[members[i]].body_b : step->joints->joint[members[i]].body_b;
        if (a == body_a || a == body_b || b == body_a || b == body_b)
            return true;
    }
    return false;
}

/* Turns counts into ranges of bundles; counts become next lanes. `overflow` counts whole bundles. No colour
 * from `colors` to OVERFLOW is in use. */
static int set_ranges(dry_solver_state *s, deal *d, int k, int colors)
{
    int bundle = 0;
    for (int c = 0; c < DRY_CLASS_COUNT; c++) {
        dry_class_range *range = &s->ranges[c];
        int *begin = k == KIND_CONTACT ? range->contact_begin
                     : k == KIND_BALL  ? range->ball_begin
                                       : range->distance_begin;
        begin[0] = begin[DRY_COLOR_COUNT] = bundle;
        if (range->body_begin == range->body_end)
            continue;
        int *count = d->count[k][c];
        for (int color = 0; color < colors; color++) {
            begin[color] = bundle;
            int bundles = (count[color] + DRY_BUNDLE - 1) / DRY_BUNDLE;
            count[color] = bundle * DRY_BUNDLE;
            bundle += bundles;
        }
        for (int color = colors; color <= DRY_COLOR_OVERFLOW; color++)
            begin[color] = bundle;
        int overflow = count[DRY_COLOR_OVERFLOW];
        count[DRY_COLOR_OVERFLOW] = bundle * DRY_BUNDLE;
        bundle += overflow;
        begin[DRY_COLOR_COUNT] = bundle;
    }
    return bundle;
}

static bool has_bundles(const dry_class_range *range, int color)
{
    return range->contact_begin[color] < range->contact_begin[color + 1] ||
           range->ball_begin[color] < range->ball_begin[color + 1] ||
           range->distance_begin[color] < range->distance_begin[color + 1];
}

static void list_colors(dry_class_range *range, int colors)
{
    range->color_count = 0;
    if (range->body_begin == range->body_end)
        return;
    for (int color = 0; color < colors; color++)
        if (has_bundles(range, color))
            range->colors[range->color_count++] = color;
    if (has_bundles(range, DRY_COLOR_OVERFLOW))
        range->colors[range->color_count++] = DRY_COLOR_OVERFLOW;
}

/* Marks lanes that hold nothing: those of overflow before they are dealt, what is left of each colour's last
 * bundle afterwards. */
static void clear_overflow(dry_solver_state *s)
{
    for (int c = 0; c < DRY_CLASS_COUNT && s->overflow > 0; c++) {
        const dry_class_range *range = &s->ranges[c];
        if (range->body_begin == range->body_end)
            continue;
        for (int b = range->contact_begin[DRY_COLOR_OVERFLOW]; b < range->contact_begin[DRY_COLOR_COUNT]; b++)
            memset(s->lanes[b].contact, -1, sizeof s->lanes[b].contact);
    }
}

static void clear_rests(dry_solver_state *s, const deal *d, int colors)
{
    for (int c = 0; c < DRY_CLASS_COUNT; c++) {
        if (s->ranges[c].body_begin == s->ranges[c].body_end)
            continue;
        for (int color = 0; color < colors; color++)
            for (int at = d->count[KIND_CONTACT][c][color]; at % DRY_BUNDLE != 0; at++)
                s->lanes[at / DRY_BUNDLE].contact[at % DRY_BUNDLE] = -1;
    }
}

static int joint_kind(const dry_joint *joint)
{
    return joint->def.type == DRY_JOINT_BALL ? KIND_BALL : KIND_DISTANCE;
}

static int32_t *joint_lanes(dry_solver_state *s, int k, int bundle)
{
    return k == KIND_BALL ? s->ball[bundle].joint : s->distance[bundle].joint;
}

/* Overflow: the constraint goes into the class's last begun overflow bundle, or begins the next one. */
static void place_overflow(const dry_solver_step *step, deal *d, int k, int c, int index, int body_a,
                           int body_b)
{
    dry_solver_state *s = step->state;
    int at = d->count[k][c][DRY_COLOR_OVERFLOW];
    int bundle = at / DRY_BUNDLE, lane = at % DRY_BUNDLE;
    int32_t *lanes = k == KIND_CONTACT ? s->lanes[bundle].contact : joint_lanes(s, k, bundle);
    if (lane > 0 && shares_body(step, lanes, lane, k == KIND_CONTACT, body_a, body_b)) {
        at = (bundle + 1) * DRY_BUNDLE;
        bundle++, lane = 0;
        lanes = k == KIND_CONTACT ? s->lanes[bundle].contact : joint_lanes(s, k, bundle);
    }
    lanes[lane] = index;
    d->count[k][c][DRY_COLOR_OVERFLOW] = at + 1;
}

static void deal_contacts(const dry_solver_step *step, deal *d)
{
    dry_solver_state *s = step->state;
    for (int i = 0; i < step->islands->edge_count; i++) {
        const dry_edge *edge = &step->islands->edge[i];
        if (edge->color == DRY_EDGE_UNCOLORED)
            continue;
        int c = class_of_edge(step, edge);
        if (edge->color == DRY_COLOR_OVERFLOW) {
            const dry_contact_link *link = &step->contacts->link[edge->contact];
            place_overflow(step, d, KIND_CONTACT, c, edge->contact, link->body_a, link->body_b);
            continue;
        }
        int at = d->count[KIND_CONTACT][c][edge->color]++;
        s->lanes[at / DRY_BUNDLE].contact[at % DRY_BUNDLE] = edge->contact;
    }
}

static void deal_joints(const dry_solver_step *step, deal *d)
{
    dry_solver_state *s = step->state;
    for (int i = 0; i < step->joints->active_count; i++) {
        int index = step->joints->active[i];
        const dry_joint *joint = &step->joints->joint[index];
        int c = class_of_joint(step, joint);
        if (c < 0 || joint->color == DRY_COLOR_NONE)
            continue;
        int k = joint_kind(joint);
        if (joint->color == DRY_COLOR_OVERFLOW) {
            place_overflow(step, d, k, c, index, joint->body_a, joint->body_b);
            continue;
        }
        int at = d->count[k][c][joint->color]++;
        joint_lanes(s, k, at / DRY_BUNDLE)[at % DRY_BUNDLE] = index;
    }
}

/* Returns how many colours there are, from 0 to the highest in use. */
static int count_constraints(const dry_solver_step *step, deal *d)
{
    dry_solver_state *s = step->state;
    uint64_t used = 0;
    s->overflow = 0;
    for (int i = 0; i < step->islands->edge_count; i++) {
        const dry_edge *edge = &step->islands->edge[i];
        if (edge->color == DRY_EDGE_UNCOLORED)
            continue;
        d->count[KIND_CONTACT][class_of_edge(step, edge)][edge->color]++;
        if (edge->color == DRY_COLOR_OVERFLOW)
            s->overflow++;
        else
            used |= 1ull << edge->color;
    }
    for (int i = 0; i < step->joints->active_count; i++) {
        const dry_joint *joint = &step->joints->joint[step->joints->active[i]];
        int c = joint->color == DRY_COLOR_NONE ? -1 : class_of_joint(step, joint);
        if (c < 0)
            continue;
        d->count[joint_kind(joint)][c][joint->color]++;
        if (joint->color == DRY_COLOR_OVERFLOW)
            s->overflow++;
        else
            used |= 1ull << joint->color;
    }
    s->colors = __builtin_popcountll(used);
    return used ? 64 - __builtin_clzll(used) : 0;
}

bool dry_solver_layout(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    if (!reserve(step, memory))
        return false;
    for (int c = 0; c < DRY_CLASS_COUNT; c++) {
        s->ranges[c].substeps = dry_island_substeps(step->settings, c);
        s->ranges[c].sweeps = dry_island_sweeps(step->settings, c);
    }
    /* Most steps of what stands change nothing about the graph: bundles hold what they held. */
    if (step->islands->dealt)
        return dry_momentum_reserve(step, memory);
    order_bodies(step);

    deal d; /* cleared where there are bodies: most classes have none, and a small world steps in microseconds
             */
    for (int c = 0; c < DRY_CLASS_COUNT; c++)
        for (int k = 0; k < KIND_COUNT && s->ranges[c].body_begin < s->ranges[c].body_end; k++)
            memset(d.count[k][c], 0, sizeof d.count[k][c]);
    int colors = count_constraints(step, &d);
    s->contact_count = set_ranges(s, &d, KIND_CONTACT, colors);
    s->ball_count = set_ranges(s, &d, KIND_BALL, colors);
    s->distance_count = set_ranges(s, &d, KIND_DISTANCE, colors);
    for (int c = 0; c < DRY_CLASS_COUNT; c++)
        list_colors(&s->ranges[c], colors);
    if (!DRY_RESERVE(memory, s->contact, s->contact_capacity, s->contact_count) ||
        !DRY_RESERVE(memory, s->lanes, s->lanes_capacity, s->contact_count) ||
        !DRY_RESERVE(memory, s->notes, s->notes_capacity, s->contact_count) ||
        !DRY_RESERVE(memory, s->ball, s->ball_capacity, s->ball_count) ||
        !DRY_RESERVE(memory, s->distance, s->distance_capacity, s->distance_count))
        return false;
    if (!dry_momentum_reserve(step, memory))
        return false;
    clear_overflow(s);
    for (int b = 0; b < s->ball_count; b++)
        memset(s->ball[b].joint, -1, sizeof s->ball[b].joint);
    for (int b = 0; b < s->distance_count; b++)
        memset(s->distance[b].joint, -1, sizeof s->distance[b].joint);
    deal_contacts(step, &d);
    clear_rests(s, &d, colors);
    deal_joints(step, &d);
    step->islands->dealt = true;
    return true;
}
