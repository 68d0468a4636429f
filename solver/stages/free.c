/* The end of the solver's memory. */
#include "solver/bodies/frames.h"
#include "solver/bodies/stiffened.h"
#include "solver/bodies/turned.h"
#include "solver/data/context.h"
#include "solver/direct/articulations.h"
#include "solver/laws/hold.h"
#include "solver/laws/linkage_energy.h"
#include "solver/laws/momentum.h"
#include "solver/laws/spin.h"
#include "solver/laws/weigh.h"
#include "solver/methods/blocks/blocks.h"
#include "solver/plan/layers.h"
#include "solver/stages/stages.h"
#include "solver/sweeps/impacts.h"

void dry_solver_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->rows, state->rows_capacity);
    DRY_RELEASE(memory, state->sums, state->sums_capacity);
    DRY_RELEASE(memory, state->changes, state->changes_capacity);
    DRY_RELEASE(memory, state->constraints, state->constraints_capacity);
    DRY_RELEASE(memory, state->invalid, state->invalid_capacity);
    DRY_RELEASE(memory, state->order, state->order_capacity);
    DRY_RELEASE(memory, state->load, state->load_capacity);
    DRY_RELEASE(memory, state->turned_angle, state->turned_angle_capacity);
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        DRY_RELEASE(memory, state->bundles[k].members, state->bundles[k].members_capacity);
    DRY_RELEASE(memory, state->headers, state->headers_capacity);
    DRY_RELEASE(memory, state->cold, state->cold_capacity);
    DRY_RELEASE(memory, state->stiction, state->stiction_capacity);
    DRY_RELEASE(memory, state->springs, state->springs_capacity);
    DRY_RELEASE(memory, state->partitions, state->partitions_capacity);
    DRY_RELEASE(memory, state->phases, state->phases_capacity);
    dry_layers_free(state, memory);
    DRY_RELEASE(memory, state->slab, state->slab_capacity);
    DRY_RELEASE(memory, state->slab_bodies, state->slab_bodies_capacity);
    dry_impacts_free(state, memory);
    dry_momentum_free(state, memory);
    dry_spin_free(state, memory);
    dry_linkage_energy_free(state, memory);
    dry_turned_free(state, memory);
    dry_stiffened_free(state, memory);
    dry_frames_free(state, memory);
    dry_weigh_free(state, memory);
    dry_joints_hold_free(state, memory);
    dry_articulations_free(&state->articulations, memory);
    dry_blocks_free(state, memory);
}
