/* Validation of the solver's layout: each constraint in one lane, no body twice in a phase, no constraint
 * past the next partition; after the phases, what acts on articulations. */
#include "host/validate/check.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/plan/islands.h"

#include <limits.h>

typedef struct layout_check {
    const dry_world *world;
    const dry_validation *validation;
    int *contact_lanes, *joint_lanes; /* how many lanes each constraint has */
    int *last_group;                  /* by row: the last group of lanes that held it */
    int *partition;                   /* by row: the partition that lists it, an index of the solver's; -1 */
    int group;                        /* counts phases and, in OVERFLOW phases, bundles */
    int next[DRY_KIND_COUNT];         /* the first bundle of the next phase */
} layout_check;

/* Returns the constraints of a bundle, -1 for an empty lane. */
static const int32_t *constraints_of(const dry_solver_state *solver, int kind, int bundle)
{
    return solver->sweeps.bundles[kind].members[bundle].index;
}

/* One lane: of the bodies that its constraint moves, the lowest is in `partition` and all are in it or,
 * unless partitions are apart, in the next; layers of bodies lie between layers of constraints. No other lane
 * of the group holds them. */
static void validate_lane(layout_check *l, const dry_phase *phase, int kind, int index, int partition,
                          const dry_tier_range *range)
{
    const dry_validation *validation = l->validation;
    const dry_world *world = l->world;
    int bodies[DRY_JOINT_SIDES], count = 2, lowest = INT_MAX, highest = -1;
    bool again = false; /* a joint's axes come after its block, in the same phase */
    if (kind == DRY_KIND_CONTACT) {
        const dry_contact_link *link = &world->contacts.link[index];
        bodies[0] = link->body_a, bodies[1] = link->body_b;
        CHECK(link->color == phase->color);
        l->contact_lanes[index]++;
    } else {
        const dry_joint *joint = &world->joints.joint[index];
        count = dry_joint_find_bodies(&world->joints, index, bodies);
        CHECK(joint->color == phase->color && dry_joint_has_kind(joint, (dry_kind)kind));
        again = kind == DRY_KIND_AXES && dry_joint_has_kind(joint, DRY_KIND_BLOCK);
        l->joint_lanes[index]++;
    }
    for (int side = 0; side < count; side++) {
        if (!checked_moves(world, bodies[side]))
            continue;
        int row = dry_bodies_row(&world->bodies, bodies[side]);
        CHECK(l->last_group[row] != l->group || again);
        l->last_group[row] = l->group;
        lowest = dry_min_int(lowest, l->partition[row]);
        highest = dry_max_int(highest, l->partition[row]);
    }
    if (range->layered)
        CHECK(lowest <= partition + 1 && highest >= partition - 1);
    else
        CHECK(lowest == partition && highest <= partition + !range->partitions_apart);
}

static void validate_phase(layout_check *l, int index, int partition, const dry_tier_range *range)
{
    const dry_validation *validation = l->validation;
    const dry_solver_state *solver = &l->world->solver;
    const dry_phase *phase = &solver->plan.phases[index];
    int bundles = 0;
    l->group++;
    for (int kind = 0; kind < DRY_KIND_COUNT; kind++) {
        const dry_bundle_range of_kind = dry_phase_bundles(phase, kind);
        CHECK(of_kind.begin == l->next[kind] && of_kind.begin <= of_kind.end);
        l->next[kind] = of_kind.end;
        bundles += of_kind.end - of_kind.begin;
        for (int bundle = of_kind.begin; bundle < of_kind.end; bundle++) {
            const int32_t *constraints = constraints_of(solver, kind, bundle);
            l->group += phase->color == DRY_COLOR_OVERFLOW;
            for (int lane = 0; lane < DRY_BUNDLE; lane++)
                if (constraints[lane] >= 0)
                    validate_lane(l, phase, kind, constraints[lane], partition, range);
        }
    }
    CHECK(bundles > 0);
}

/* Tells whether a joint that is solved directly holds a body of a constraint. */
static bool is_articulated(const dry_world *world, int body)
{
    if (!checked_moves(world, body))
        return false;
    return dry_articulated_body_of(&world->solver.articulations, dry_bodies_row(&world->bodies, body));
}

/* The bundles after a tier's phases: what acts on articulations, in any order. */
static void validate_coupled(layout_check *l, const dry_tier_range *range)
{
    const dry_validation *validation = l->validation;
    const dry_world *world = l->world;
    for (int kind = 0; kind < DRY_KIND_COUNT; kind++) {
        const dry_bundle_range coupled = dry_coupled_bundles(&world->solver, range, kind);
        CHECK(coupled.begin == l->next[kind] && coupled.begin <= coupled.end);
        l->next[kind] = coupled.end;
        for (int bundle = coupled.begin; bundle < coupled.end; bundle++)
            for (int lane = 0; lane < DRY_BUNDLE; lane++) {
                const int index = constraints_of(&world->solver, kind, bundle)[lane];
                if (index < 0)
                    continue;
                if (kind == DRY_KIND_CONTACT) {
                    const dry_contact_link *link = &world->contacts.link[index];
                    CHECK(is_articulated(world, link->body_a) || is_articulated(world, link->body_b));
                    l->contact_lanes[index]++;
                } else {
                    CHECK(kind == DRY_KIND_AXES &&
                          dry_joint_is_direct(&world->settings, &world->joints, index));
                    l->joint_lanes[index]++;
                }
            }
    }
}

/* A tier lists each of its bodies in one partition; its phases go through the partitions, in each through
 * rising colors. */
static void validate_tier(layout_check *l, int tier)
{
    const dry_validation *validation = l->validation;
    const dry_world *world = l->world;
    const dry_solver_state *solver = &world->solver;
    const dry_tier_range *range = &solver->plan.ranges[tier];
    int body = range->body_begin, phase = range->phase_begin;
    for (int b = range->partition_begin; b < range->partition_end; b++) {
        CHECK(solver->plan.partitions[b].body_begin == body && solver->plan.partitions[b].body_end >= body);
        for (; body < solver->plan.partitions[b].body_end; body++) {
            int row = solver->plan.order[body];
            CHECK(row >= 0 && row < world->bodies.awake_count && l->partition[row] < 0);
            CHECK(dry_island_range(&world->islands.island[world->bodies.sleep[row].island]) == tier);
            l->partition[row] = b;
        }
    }
    CHECK(body == range->body_end);
    for (int b = range->partition_begin; b < range->partition_end; b++) {
        CHECK(solver->plan.partitions[b].phase_begin == phase &&
              solver->plan.partitions[b].phase_end >= phase);
        for (int color = -1; phase < solver->plan.partitions[b].phase_end; phase++) {
            CHECK(solver->plan.phases[phase].color > color &&
                  solver->plan.phases[phase].color <= DRY_COLOR_OVERFLOW);
            color = solver->plan.phases[phase].color;
            validate_phase(l, phase, b, range);
        }
    }
    CHECK(phase == range->phase_end);
}

/* The tiers follow each other without gaps. Returns the most partitions of a tier. */
static int validate_tiers(layout_check *l)
{
    const dry_validation *validation = l->validation;
    const dry_solver_state *solver = &l->world->solver;
    int bodies = 0, phases = 0, partitions = 0;
    for (int tier = 0; tier < solver->plan.range_count; tier++) {
        const dry_tier_range *range = &solver->plan.ranges[tier];
        CHECK(range->body_begin == bodies && range->phase_begin == phases);
        for (int kind = 0; kind < DRY_KIND_COUNT; kind++)
            CHECK(dry_tier_bundles(solver, range, kind).begin == l->next[kind]);
        validate_tier(l, tier);
        validate_coupled(l, range);
        bodies = range->body_end, phases = range->phase_end + 1; /* with the coupled one */
        partitions = dry_max_int(partitions, range->partition_end - range->partition_begin);
    }
    CHECK(phases == solver->plan.phase_count);
    for (int kind = 0; kind < DRY_KIND_COUNT; kind++)
        CHECK(l->next[kind] == solver->sweeps.bundles[kind].count);
    return partitions;
}

/* Tells whether a constraint has a lane: bodies that only kinematic motion moves have nothing to solve.
 */
static bool is_solved(const dry_world *world, const int *bodies, int count, int color)
{
    bool moves = false;
    for (int i = 0; i < count; i++)
        moves = moves || checked_moves(world, bodies[i]);
    return moves && color != DRY_COLOR_NONE;
}

/* Returns how many lanes a joint has: one in the bundles of each of its kinds. */
static int joint_lane_count(const dry_world *world, int joint)
{
    int count = 0;
    for (int k = 0; k < DRY_KIND_JOINTS; k++)
        count += dry_joint_has_lane(&world->settings, &world->joints, joint, (dry_kind)k);
    return count;
}

static void validate_lane_counts(const layout_check *l)
{
    const dry_validation *validation = l->validation;
    const dry_world *world = l->world;
    for (int row = 0; row < world->bodies.awake_count; row++)
        CHECK((l->partition[row] >= 0) == (world->bodies.sleep[row].island >= 0));
    for (int i = 0; i < world->contacts.used; i++) {
        const dry_contact_link *link = &world->contacts.link[i];
        bool solved = (link->flags & DRY_CONTACT_USED) &&
                      is_solved(world, (const int[]){link->body_a, link->body_b}, 2, link->color);
        CHECK(l->contact_lanes[i] == solved);
    }
    for (int i = 0; i < world->joints.slots.used; i++) {
        int bodies[DRY_JOINT_SIDES];
        bool solved = checked_lives(&world->joints.slots, i) &&
                      is_solved(world, bodies, dry_joint_find_bodies(&world->joints, i, bodies),
                                world->joints.joint[i].color);
        CHECK(l->joint_lanes[i] == (solved ? joint_lane_count(world, i) : 0));
    }
}

int dry_world_validate_layout(const dry_world *world, const dry_validation *validation)
{
    const dry_islands *islands = &world->islands;
    if (islands->stale || islands->patched || !islands->scheduled)
        return 0;
    const int rows = world->bodies.awake_count;
    layout_check l = {.world = world, .validation = validation};
    l.contact_lanes = checked_array(validation, world->contacts.used, sizeof *l.contact_lanes);
    l.joint_lanes = checked_array(validation, world->joints.slots.used, sizeof *l.joint_lanes);
    l.last_group = checked_array(validation, rows, sizeof *l.last_group);
    l.partition = checked_array(validation, rows, sizeof *l.partition);
    for (int row = 0; row < rows; row++)
        l.partition[row] = -1;
    int partitions = validate_tiers(&l);
    validate_lane_counts(&l);
    free(l.contact_lanes);
    free(l.joint_lanes);
    free(l.last_group);
    free(l.partition);
    return partitions;
}
