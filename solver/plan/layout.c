/* Stage "prepare", first part: the layout. Bodies are listed by tier and partition; constraints are assigned
 * to lanes of bundles by tier, partition and color.
 *
 * Reads islands with their edges, active joints. Writes order, ranges, phases, and the constraint of each
 * lane of each bundle. Next: bodies/begin.c, then prepare.c. */
#include "solver/plan/layout.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/articulations.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"

#include <string.h>

/* The assignment of one partition of one tier: first how many constraints each color has, then the next free
 * lane of each color, as 16 * bundle + lane. */
typedef struct dry_assignment {
    int bodies; /* first their number, then the place of the next one in the order */
    int count[DRY_KIND_COUNT][DRY_COLOR_COUNT + 1];
} dry_assignment;

/* Stands for a color: what acts on an articulation is solved with its joints. */
enum { COUPLED = DRY_COLOR_COUNT };

/* A layout that is being made. The assignments of tier t are [begin[t], begin[t + 1]). */
typedef struct layout {
    dry_assignment *assignments; /* one for each partition of each tier, in scratch memory */
    int begin[DRY_RANGE_COUNT + 1];
    int room; /* for assignments, with one for each tier without bodies, and for each range that a joint might
                 have; 0 while no body is awake */
    int colors, overflow;             /* the highest color in use + 1; constraints without a color */
    uint64_t used;                    /* colors */
    int32_t *edges, *places, *of_row; /* contacts by row, or null; of rows: next places there, assignments */
} layout;

static bool reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    int rows = step->bodies->awake_count;
    return DRY_RESERVE(memory, s->bodies.rows, s->bodies.rows_capacity, rows + 1) &&
           DRY_RESERVE(memory, s->bodies.invalid, s->bodies.invalid_capacity, rows) &&
           DRY_RESERVE(memory, s->bodies.rested, s->bodies.rested_capacity, rows) &&
           DRY_RESERVE(memory, s->bodies.load, s->bodies.load_capacity, rows) &&
           (step->joints->active_count == 0 ||
            DRY_RESERVE(memory, s->bodies.turned_angle, s->bodies.turned_angle_capacity, rows)) &&
           DRY_RESERVE(memory, s->plan.order, s->plan.order_capacity, rows);
}

/* Returns the index of the assignment of a body that belongs to an island. */
static int find_assignment(const dry_solver_step *step, const layout *l, int row)
{
    const dry_island *island = dry_row_island(step, row);
    const dry_tier_range *range = &step->state->plan.ranges[dry_island_range(island)];
    return l->begin[range->index] + (range->layered            ? step->order->layer_of_row(step, row)
                                     : range->partitions_apart ? island->partition
                                                               : step->state->plan.slabs.slab[row]);
}

/* Returns the assignment of a constraint of two rows, of which one may be negative: the lower of theirs. */
static inline dry_assignment *assignment_of(const layout *l, int row_a, int row_b)
{
    const int a = l->of_row[row_a >= 0 ? row_a : row_b], b = l->of_row[row_b >= 0 ? row_b : row_a];
    return &l->assignments[dry_min_int(a, b)];
}

/* Lists the bodies by tier, partition and row. */
static void order_bodies(dry_solver_step *step, const layout *l)
{
    dry_solver_state *s = step->state;
    const dry_bodies *bodies = step->bodies;
    for (int row = 0; row < bodies->awake_count; row++)
        if (bodies->sleep[row].island >= 0)
            l->assignments[l->of_row[row] = find_assignment(step, l, row)].bodies++;
    int next = 0;
    for (int t = 0; t < s->plan.range_count; t++) {
        s->plan.ranges[t].body_begin = next;
        s->plan.ranges[t].partition_begin = l->begin[t];
        s->plan.ranges[t].partition_end = l->begin[t + 1];
        for (int d = l->begin[t]; d < l->begin[t + 1]; d++) {
            s->plan.partitions[d].body_begin = next;
            next += l->assignments[d].bodies;
            s->plan.partitions[d].body_end = next;
            l->assignments[d].bodies = s->plan.partitions[d].body_begin;
        }
        s->plan.ranges[t].body_end = next;
    }
    for (int row = 0; row < bodies->awake_count; row++)
        if (bodies->sleep[row].island >= 0)
            s->plan.order[l->assignments[l->of_row[row]].bodies++] = row;
}

/* Returns whether a constraint of overflow has a body in common with an earlier one of its bundle. */
static bool shares_body(const dry_solver_step *step, const int32_t *members, int count, dry_kind k,
                        const int body[DRY_CONSTRAINT_BODIES], int bodies)
{
    for (int i = 0; i < count; i++) {
        int other[DRY_CONSTRAINT_BODIES];
        const int others = step->kinds[k]->bodies(step, members[i], other);
        for (int a = 0; a < bodies; a++)
            for (int b = 0; b < others; b++)
                if (body[a] == other[b])
                    return true;
    }
    return false;
}

/* Turns the counts of a color into its next free lanes, which begin with bundles `next` of each kind, and
 * moves `next` behind them. Returns whether there are any. */
static bool take_bundles(dry_assignment *assignment, int color, int next[DRY_KIND_COUNT])
{
    bool any = false;
    for (int k = 0; k < DRY_KIND_COUNT; k++) {
        int *count = &assignment->count[k][color];
        /* Each constraint of OVERFLOW may need a bundle for itself. */
        const int bundles = color == DRY_COLOR_OVERFLOW ? *count : (*count + DRY_BUNDLE - 1) / DRY_BUNDLE;
        *count = next[k] * DRY_BUNDLE;
        next[k] += bundles;
        any |= bundles > 0;
    }
    return any;
}

/* Appends a phase that begins with bundles `next` of each kind. */
static void add_phase(dry_solver_state *s, int color, const int next[DRY_KIND_COUNT])
{
    DRY_ASSERT(s->plan.phase_count < s->plan.phases_capacity);
    dry_phase *phase = &s->plan.phases[s->plan.phase_count++];
    phase->color = color;
    memcpy(phase->begin, next, sizeof phase->begin);
}

/* Appends the phase of one color of a partition if it has bundles. */
static void add_color(dry_solver_state *s, dry_assignment *assignment, int color, int next[DRY_KIND_COUNT])
{
    add_phase(s, color, next);
    if (!take_bundles(assignment, color, next))
        s->plan.phase_count--;
}

/* Sets the phases, partition after partition and color after color. */
static void set_phases(dry_solver_state *s, const layout *l)
{
    int next[DRY_KIND_COUNT] = {0};
    s->plan.phase_count = 0;
    for (int t = 0; t < s->plan.range_count; t++) {
        dry_tier_range *range = &s->plan.ranges[t];
        range->phase_begin = s->plan.phase_count;
        for (int d = l->begin[t]; d < l->begin[t + 1]; d++) {
            s->plan.partitions[d].phase_begin = s->plan.phase_count;
            for (int color = 0; color < l->colors; color++)
                add_color(s, &l->assignments[d], color, next);
            add_color(s, &l->assignments[d], DRY_COLOR_OVERFLOW, next);
            s->plan.partitions[d].phase_end = s->plan.phase_count;
        }
        range->phase_end = s->plan.phase_count;
        add_phase(s, COUPLED, next);
        for (int d = l->begin[t]; d < l->begin[t + 1]; d++)
            take_bundles(&l->assignments[d], COUPLED, next);
    }
    add_phase(s, COUPLED, next); /* ends the last one */
    s->plan.phase_count--;
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        s->sweeps.bundles[k].count = next[k];
}

static int32_t *lanes_of(dry_solver_state *s, dry_kind k, int bundle)
{
    DRY_ASSERT(bundle >= 0 && bundle < s->sweeps.bundles[k].count);
    return s->sweeps.bundles[k].members[bundle].index;
}

/* Returns the color that a contact is placed by. */
static int color_of_edge(const dry_solver_step *step, const dry_edge *edge)
{
    const dry_articulations *a = &step->state->articulations;
    const bool coupled = (edge->row_a >= 0 && dry_articulated_body_of(a, edge->row_a)) ||
                         (edge->row_b >= 0 && dry_articulated_body_of(a, edge->row_b));
    return coupled ? COUPLED : (int)edge->color;
}

static dry_assignment *assignment_of_edge(const dry_solver_step *step, const layout *l, const dry_edge *edge)
{
    if (!step->order || !step->order->find_layers)
        return assignment_of(l, edge->row_a, edge->row_b);
    const int t = dry_island_range(dry_row_island(step, edge->row_a >= 0 ? edge->row_a : edge->row_b));
    return &l->assignments[l->begin[t] + step->order->layer_of_contact(step, edge)];
}

/* Returns the assignment of a joint; null if the joint is not solved. */
static dry_assignment *assignment_of_joint(const dry_solver_step *step, const layout *l, int joint)
{
    int row[DRY_JOINT_SIDES];
    const int count = dry_joint_rows_of(step, joint, row);
    if (count == 0 || step->joints->joint[joint].color == DRY_COLOR_NONE)
        return NULL;
    const int t = dry_island_range(dry_row_island(step, row[0]));
    if (step->state->plan.ranges[t].layered)
        return &l->assignments[l->begin[t] + step->order->layer_of_joint(step, joint)];
    dry_assignment *lowest = assignment_of(l, row[0], -1);
    for (int i = 1; i < count; i++) {
        dry_assignment *other = assignment_of(l, row[i], -1);
        lowest = other < lowest ? other : lowest;
    }
    return lowest;
}

/* Assigns a constraint of overflow to the last overflow bundle of the partition. One that shares a body with
 * that bundle begins the next. */
static void place_overflow(const dry_solver_step *step, dry_assignment *assignment, dry_kind k, int index)
{
    int body[DRY_CONSTRAINT_BODIES];
    const int bodies = step->kinds[k]->bodies(step, index, body);
    int *next = &assignment->count[k][DRY_COLOR_OVERFLOW];
    int bundle = *next / DRY_BUNDLE, lane = *next % DRY_BUNDLE;
    int32_t *lanes = lanes_of(step->state, k, bundle);
    if (lane > 0 && shares_body(step, lanes, lane, k, body, bodies)) {
        bundle++, lane = 0;
        lanes = lanes_of(step->state, k, bundle);
    }
    lanes[lane] = index;
    *next = bundle * DRY_BUNDLE + lane + 1;
}

/* Counts one lane of a constraint, or gives it its place. */
static inline void add_lane(const dry_solver_step *step, dry_assignment *assignment, dry_kind k, int color,
                            int index, bool counts)
{
    if (!counts && color == DRY_COLOR_OVERFLOW) {
        place_overflow(step, assignment, k, index);
        return;
    }
    const int at = assignment->count[k][color]++;
    if (!counts)
        lanes_of(step->state, k, at / DRY_BUNDLE)[at % DRY_BUNDLE] = index;
}

/* Returns the lower row of a contact. What is solved in order comes after all rows. */
static int row_of_edge(const dry_solver_step *step, const dry_edge *edge)
{
    const uint32_t a = (uint32_t)edge->row_a, b = (uint32_t)edge->row_b;
    return color_of_edge(step, edge) >= DRY_COLOR_OVERFLOW ? step->bodies->awake_count : (int)(a < b ? a : b);
}

/* Lists the contacts by row: then the rows of a bundle, and all that preparing it reads of them, lie near
 * each other. */
static void order_edges(const dry_solver_step *step, layout *l)
{
    const dry_islands *islands = step->islands;
    memset(l->places, 0, (size_t)(step->bodies->awake_count + 2) * sizeof *l->places);
    for (int i = 0; i < islands->edge_count; i++)
        l->places[row_of_edge(step, &islands->edge[i]) + 1]++;
    for (int row = 0; row < step->bodies->awake_count; row++)
        l->places[row + 1] += l->places[row];
    for (int i = 0; i < islands->edge_count; i++)
        l->edges[l->places[row_of_edge(step, &islands->edge[i])]++] = i;
}

static inline void note(layout *l, int color)
{
    l->overflow += color == DRY_COLOR_OVERFLOW;
    l->used |= color < DRY_COLOR_OVERFLOW ? 1ull << color : 0;
}

/* Counts all lanes of contacts and joints, or gives them their places. Inline: each has its loops. */
static inline void for_lanes(const dry_solver_step *step, layout *l, bool counts)
{
    for (int i = 0; i < step->islands->edge_count; i++) {
        const dry_edge *edge = &step->islands->edge[counts || !l->edges ? i : l->edges[i]];
        if (edge->color == DRY_EDGE_UNCOLORED)
            continue;
        const int color = color_of_edge(step, edge);
        add_lane(step, assignment_of_edge(step, l, edge), DRY_KIND_CONTACT, color, edge->contact, counts);
        note(l, color);
    }
    for (int i = 0; i < step->joints->active_count; i++) {
        const int index = step->joints->active[i];
        dry_assignment *assignment = assignment_of_joint(step, l, index);
        if (!assignment)
            continue;
        const bool direct = dry_joint_is_direct(step->settings, step->joints, index);
        const int color = direct ? COUPLED : step->joints->joint[index].color;
        for (int k = 0; k < DRY_KIND_JOINTS; k++)
            if (dry_joint_has_lane(step->settings, step->joints, index, (dry_kind)k))
                add_lane(step, assignment, (dry_kind)k, color, index, counts);
        note(l, color);
    }
}

/* Finds the partitions. Makes room for them and for their assignments. If any body is awake, all tiers have
 * room, so that a step in which one more tier has bodies allocates nothing. */
static bool begin_layout(dry_solver_step *step, layout *l, dry_memory *memory, dry_scratch *scratch)
{
    dry_solver_state *s = step->state;
    const int rows = step->bodies->awake_count;
    int partitions[DRY_RANGE_COUNT], swept = dry_min_int(step->joints->active_count, DRY_TIER_COUNT);
    if (!dry_partitions_update(step, memory, partitions))
        return false;
    l->begin[0] = l->room = 0;
    for (int t = 0; t < s->plan.range_count; t++) {
        l->begin[t + 1] = l->begin[t] + partitions[t];
        l->room += dry_max_int(partitions[t], t < DRY_TIER_COUNT && rows > 0);
        swept -= t >= DRY_TIER_COUNT && partitions[t] > 0;
    }
    l->room += dry_max_int(swept, 0);
    return dry_scratch_reserve(scratch, memory,
                               dry_scratch_bytes((size_t)l->room, sizeof *l->assignments) +
                                   dry_scratch_bytes((size_t)step->islands->edge_count, sizeof *l->edges) +
                                   2 * dry_scratch_bytes((size_t)rows + 2, sizeof *l->places)) &&
           DRY_RESERVE(memory, s->plan.partitions, s->plan.partitions_capacity, l->room);
}

static bool reserve_members(dry_solver_state *s, dry_memory *memory)
{
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        if (!DRY_RESERVE(memory, s->sweeps.bundles[k].members, s->sweeps.bundles[k].members_capacity,
                         s->sweeps.bundles[k].count))
            return false;
    return DRY_RESERVE(memory, s->sweeps.headers, s->sweeps.headers_capacity,
                       s->sweeps.bundles[DRY_KIND_CONTACT].count);
}

static bool assign(dry_solver_step *step, layout *l, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    if (l->room > 0) /* else there is no array */
        memset(l->assignments, 0, (size_t)l->begin[s->plan.range_count] * sizeof *l->assignments);
    order_bodies(step, l);
    l->used = l->overflow = 0;
    for_lanes(step, l, true);
    s->plan.overflow = l->overflow;
    s->plan.colors = dry_count_bits(l->used);
    l->colors = l->used ? 1 + dry_highest_bit(l->used) : 0;
    /* Room as if each partition had all colors in use, and for those that end the tiers. */
    const int phases = l->room * (l->colors + (s->plan.overflow > 0)) + s->plan.range_count + 1;
    if (!DRY_RESERVE(memory, s->plan.phases, s->plan.phases_capacity, phases))
        return false;
    set_phases(s, l);
    if (!reserve_members(s, memory))
        return false;
    for (int k = 0; k < DRY_KIND_COUNT; k++) /* all lanes are empty */
        if (s->sweeps.bundles[k].count > 0)
            memset(s->sweeps.bundles[k].members, -1,
                   (size_t)s->sweeps.bundles[k].count * sizeof(dry_bundle_members));
    if (l->edges)
        order_edges(step, l);
    for_lanes(step, l, false);
    return true;
}

/* Makes room for as many ranges as there may be, and no more: worlds without joints keep half. */
static bool reserve_ranges(dry_solver_step *step, dry_memory *memory)
{
    dry_plan *plan = &step->state->plan;
    const int count = step->joints->active_count > 0 ? DRY_RANGE_COUNT : DRY_TIER_COUNT;
    if (count <= plan->range_count)
        return true;
    const size_t bytes = (size_t)count * sizeof *plan->ranges;
    dry_tier_range *ranges = dry_memory_allocate(memory, bytes, DRY_CACHE_LINE);
    if (!ranges)
        return false;
    memset(ranges, 0, bytes);
    DRY_RELEASE(memory, plan->ranges, plan->range_count);
    plan->ranges = ranges;
    plan->range_count = count;
    step->islands->scheduled = false; /* they are of no layout yet */
    return true;
}

bool dry_layout_begin(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    if (!reserve(step, memory) || !reserve_ranges(step, memory))
        return false;
    for (int t = 0; t < s->plan.range_count && step->bodies->awake_count > 0; t++) {
        s->plan.ranges[t].index = (uint8_t)t;
        s->plan.ranges[t].substeps =
            (uint16_t)dry_island_substeps(step->settings, t % DRY_TIER_COUNT, step->dt);
        s->plan.ranges[t].sweeps = (uint16_t)dry_island_sweeps(step->settings, t % DRY_TIER_COUNT, step->dt);
    }
    return true;
}

bool dry_layout_stays(const dry_solver_step *step)
{
    const dry_solver_state *s = step->state;
    return step->islands->scheduled && s->plan.assigned_for == step->settings->method.solver &&
           s->plan.assigned_in == step->settings->method.order && !(step->order && step->order->find_layers);
}

void dry_layout_find_swept(const dry_solver_step *step)
{
    for (int i = 0; i < step->joints->active_count; i++) {
        const int joint = step->joints->active[i];
        const bool direct = dry_joint_is_direct(step->settings, step->joints, joint);
        const int of = dry_joint_island(step, joint);
        if (of < 0 || step->joints->joint[joint].color == DRY_COLOR_NONE)
            continue;
        dry_island *island = &step->islands->island[of];
        DRY_ASSERT(direct || island->solved != DRY_JOINTS_ALONE);
        island->solved = island->solved == DRY_JOINTS_ALONE ? DRY_JOINTS_ALONE : DRY_JOINTS_SWEPT;
        island->direct |= direct ? step->joints->joint[joint].features : 0;
    }
}

bool dry_layout_assign(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch)
{
    layout l;
    const int rows = step->bodies->awake_count;
    dry_plan *plan = &step->state->plan;
    if (!step->method->split_masses)
        DRY_RELEASE(memory, plan->constraints, plan->constraints_capacity);
    else if (!step->method->split_masses(step, memory))
        return false;
    if (!begin_layout(step, &l, memory, scratch))
        return false;
    const size_t mark = scratch->used;
    l.assignments = DRY_SCRATCH_TAKE(scratch, dry_assignment, l.room);
    l.edges = rows > DRY_ROWS_NEAR ? DRY_SCRATCH_TAKE(scratch, int32_t, step->islands->edge_count) : NULL;
    l.places = DRY_SCRATCH_TAKE(scratch, int32_t, rows + 2);
    l.of_row = DRY_SCRATCH_TAKE(scratch, int32_t, rows + 2);
    const bool assigned = assign(step, &l, memory);
    dry_scratch_give_back(scratch, mark);
    return assigned;
}
