/* The end of the solver's memory. */
#include "solver/bodies/frames.h"
#include "solver/bodies/stiffened.h"
#include "solver/bodies/turned.h"
#include "solver/data/context.h"
#include "solver/direct/articulations.h"
#include "solver/laws/hold.h"
#include "solver/laws/ledger.h"
#include "solver/laws/linkage_energy.h"
#include "solver/methods/blocks/blocks.h"
#include "solver/plan/layers.h"
#include "solver/plan/motor_masses.h"
#include "solver/stages/stages.h"
#include "solver/sweeps/impacts.h"

void dry_solver_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->bodies.rows, state->bodies.rows_capacity);
    DRY_RELEASE(memory, state->bodies.sums, state->bodies.sums_capacity);
    DRY_RELEASE(memory, state->bodies.changes, state->bodies.changes_capacity);
    DRY_RELEASE(memory, state->plan.constraints, state->plan.constraints_capacity);
    DRY_RELEASE(memory, state->bodies.invalid, state->bodies.invalid_capacity);
    DRY_RELEASE(memory, state->bodies.rested, state->bodies.rested_capacity);
    DRY_RELEASE(memory, state->plan.motors, state->plan.motors_capacity);
    DRY_RELEASE(memory, state->plan.order, state->plan.order_capacity);
    DRY_RELEASE(memory, state->bodies.load, state->bodies.load_capacity);
    DRY_RELEASE(memory, state->bodies.turned_angle, state->bodies.turned_angle_capacity);
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        DRY_RELEASE(memory, state->sweeps.bundles[k].members, state->sweeps.bundles[k].members_capacity);
    DRY_RELEASE(memory, state->sweeps.headers, state->sweeps.headers_capacity);
    DRY_RELEASE(memory, state->sweeps.cold, state->sweeps.cold_capacity);
    DRY_RELEASE(memory, state->sweeps.stiction, state->sweeps.stiction_capacity);
    DRY_RELEASE(memory, state->sweeps.springs, state->sweeps.springs_capacity);
    DRY_RELEASE(memory, state->plan.ranges, state->plan.range_count);
    DRY_RELEASE(memory, state->plan.partitions, state->plan.partitions_capacity);
    DRY_RELEASE(memory, state->plan.phases, state->plan.phases_capacity);
    dry_layers_free(state, memory);
    DRY_RELEASE(memory, state->plan.slab, state->plan.slab_capacity);
    DRY_RELEASE(memory, state->plan.slab_bodies, state->plan.slab_bodies_capacity);
    dry_impacts_free(state, memory);
    dry_ledger_free(state, memory);
    dry_linkage_energy_free(state, memory);
    dry_turned_free(state, memory);
    dry_stiffened_free(state, memory);
    dry_frames_free(state, memory);
    DRY_RELEASE(memory, state->laws.search, state->laws.search_capacity);
    dry_joints_hold_free(state, memory);
    dry_articulations_free(&state->articulations, memory);
    dry_blocks_free(state, memory);
}
