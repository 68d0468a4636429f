/* Stage "prepare". First the layout, and what is listed with it: parts, and the islands whose momentum or
 * energy is bounded. Next: bodies/begin.c. Then bundles are filled from manifolds, joints and poses. Reads
 * what the layout placed; writes bundles, and the blocks of those contact bundles that want one. Next:
 * substeps.c. */
#include "solver/sweeps/contacts/prepare.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/stiffened.h"
#include "solver/data/constraint.h"
#include "solver/data/context.h"
#include "solver/data/part.h"
#include "solver/laws/ledger.h"
#include "solver/methods/method.h"
#include "solver/plan/islands.h"
#include "solver/plan/layout.h"
#include "solver/stages/stages.h"
#include "solver/sweeps/contacts/kind.h"
#include "solver/sweeps/fill.h"
#include "solver/sweeps/joints/joint_bundles.h"

bool dry_solver_layout(dry_solver_step *step, dry_memory *memory, dry_scratch *scratch)
{
    dry_solver_state *s = step->state;
    if (!dry_layout_begin(step, memory))
        return false;
    bool slabs = false;
    const bool stays = dry_layout_stays(step);
    if (stays && !dry_slabs_search(step, memory, &slabs))
        return false;
    if (stays && !slabs)
        return dry_ledger_reserve(step, memory);

    step->islands->scheduled = false; /* until all constraints are assigned */
    step->stored = false;
    for (int i = 0; i < step->islands->count; i++) {
        dry_island *island = &step->islands->island[i];
        island->direct = 0;
        island->solved = island->solved == DRY_JOINTS_SWEPT ? DRY_JOINTS_NONE : island->solved;
    }
    if (step->method->joints->find_swept)
        step->method->joints->find_swept(step);
    bool done = true;
    DRY_TRY_PARTS(done, step, reserve, step, memory);
    dry_parts_find(step, true);
    done = done && dry_layout_assign(step, memory, scratch) && dry_ledger_reserve(step, memory);
    DRY_TRY_PARTS(done, step, plan, step, memory);
    if (!done)
        return false;
    step->islands->scheduled = true;
    s->plan.assigned_for = step->settings->method.solver;
    s->plan.assigned_in = step->settings->method.order;
    return true;
}

/* Block 0 of all worlds that have no other. It has no flags. */
static const dry_contact_cold ordinary;

/* Makes room for cold blocks, and as many of static friction and of springs while some shape has any. */
static bool reserve_cold_blocks(dry_solver_step *step, dry_memory *memory, int count)
{
    dry_solver_state *s = step->state;
    if (s->sweeps.cold_capacity == 0)
        s->sweeps.cold = count == 1 ? (dry_contact_cold *)&ordinary : NULL;
    return (s->sweeps.cold == &ordinary ||
            DRY_RESERVE(memory, s->sweeps.cold, s->sweeps.cold_capacity, count)) &&
           (!step->shapes->stiction ||
            (DRY_RESERVE(memory, s->sweeps.stiction, s->sweeps.stiction_capacity, count) &&
             dry_contacts_need_sticking(step->contacts, memory))) &&
           (!step->shapes->spring ||
            DRY_RESERVE(memory, s->sweeps.springs, s->sweeps.springs_capacity, count));
}

/* Resets the headers of the bundles that do not stay, and makes room for the cold blocks. Some settings give
 * a cold block to each bundle; otherwise preparing finds the bundles that need one. */
static bool begin_headers(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    const int count = s->sweeps.bundles[DRY_KIND_CONTACT].count;
    const bool all = dry_contacts_need_cold_blocks(step->settings, step->method->update[DRY_SWEEP_SOLVE]);
    if (!reserve_cold_blocks(step, memory, 1 + (all ? count : 0)) ||
        !DRY_RESERVE(memory, s->sweeps.compliance, s->sweeps.compliance_capacity, count) ||
        ((dry_some_contacts_turn(step) || s->sweeps.turning_capacity > 0) &&
         !DRY_RESERVE(memory, s->sweeps.turning, s->sweeps.turning_capacity,
                      s->sweeps.compliance_capacity)) ||
        (step->islands->unloads && !DRY_RESERVE(memory, s->sweeps.past, s->sweeps.past_capacity, count)))
        return false;
    const dry_contact_bundle *bundles = dry_contact_bundles(s);
    s->sweeps.all_cold = all;
    const bool stored = step->stored && !step->islands->leaving && s->sweeps.kept;
    for (int b = 0; b < count; b++)
        if (!stored || !s->sweeps.headers[b].stays || (const void *)&bundles[b] < s->sweeps.kept)
            s->sweeps.headers[b] = (dry_contact_header){.cold = all ? 1 + b : 0};
    return true;
}

/* Gives blocks to the bundles that preparing marked. Bundles with restitution need one of impacts as soon as
 * anything bounces, since an impact may reach them through others. False if memory fails. */
static bool assign_blocks(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    const bool impacts = atomic_load_explicit(&s->sweeps.impacts, memory_order_relaxed);
    int cold = 1, impact = 1;
    for (int b = 0; b < s->sweeps.bundles[DRY_KIND_CONTACT].count; b++) {
        dry_contact_header *header = &s->sweeps.headers[b];
        DRY_ASSERT(!s->sweeps.all_cold || header->cold > 0);
        if (header->cold == DRY_BLOCK_WANTED)
            header->cold = cold++;
        if (header->impact == DRY_BLOCK_WANTED || (header->impact == DRY_BLOCK_FOR_BOUNCES && impacts))
            header->impact = impact++;
        else
            header->impact = 0;
    }
    return reserve_cold_blocks(step, memory, cold) &&
           (impact == 1 || DRY_RESERVE(memory, s->sweeps.impact, s->sweeps.impact_capacity, impact));
}

bool dry_solver_prepare(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    if (!begin_headers(step, memory))
        return false;
    atomic_store_explicit(&s->sweeps.impacts, false, memory_order_relaxed);
    atomic_store_explicit(&s->sweeps.hits, false, memory_order_relaxed);
    atomic_store_explicit(&s->sweeps.open, false, memory_order_relaxed);
    atomic_store_explicit(&s->sweeps.marked, false, memory_order_relaxed);
    s->bodies.turned_count = 0;
    s->bodies.frames_count = 0;
    for (int tier = 0; tier < s->plan.range_count; tier++)
        for (int k = DRY_KIND_JOINTS; k < DRY_KIND_COUNT; k++)
            dry_over_bundles(step, &s->plan.ranges[tier], k, step->kinds[k]->prepare, DRY_WHERE_STEP_BEGAN);
    if (atomic_load_explicit(&s->sweeps.marked, memory_order_relaxed)) {
        if (!assign_blocks(step, memory))
            return false;
        for (int tier = 0; tier < s->plan.range_count; tier++)
            dry_over_bundles(step, &s->plan.ranges[tier], DRY_KIND_CONTACT, dry_prepare_marked_contacts,
                             DRY_WHERE_STEP_BEGAN);
    }
    if (dry_islands_lengthen(step->islands, step->contacts) &&
        (!dry_contacts_need_rest(step->contacts, memory) || !dry_bodies_need_rest_pose(step->bodies, memory)))
        return false;
    if (!step->method->joints->begin(step, memory) || !dry_stiffened_prepare(step, memory))
        return false;
    for (int tier = 0; tier < s->plan.range_count; tier++) {
        const dry_tier_range *range = &s->plan.ranges[tier];
        dry_joints_pair(step, range);
        if (!dry_solver_begins_in_substeps(range))
            dry_solver_begin_joints(step, range);
        if (dry_islands_lengthen(step->islands, step->contacts))
            dry_over_bundles(step, range, DRY_KIND_CONTACT, dry_contacts_lengthen, DRY_WHERE_STEP_BEGAN);
        if (s->bodies.frames_count > 0 && range->turning)
            dry_solver_turn_contacts(step, range);
    }
    bool done = true;
    dry_parts_find(step, false);
    DRY_TRY_PARTS(done, step, prepare, step, memory);
    return done;
}
