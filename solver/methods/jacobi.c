/* Projected Jacobi: all constraints see the same velocities. Their changes are summed, then applied. Each
 * body's mass is split among its constraints, so that the sum does not overshoot. */
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/contacts/source.h"
#include "solver/data/context.h"
#include "solver/laws/ledger.h"
#include "solver/methods/method.h"
#include "solver/plan/islands.h"
#include "solver/sweeps/joints/place.h"

#include <string.h>

/* With split masses the iteration has eigenvalues l from 0 to 1, and with relaxation 1 - xi (1 - l). The
 * ratio tells the largest l; the best xi makes those of 0 and of l equal, but for their sign. */
static double jacobi_relaxation(const dry_settings *settings, double present, double ratio)
{
    (void)settings;
    return 2.0 / (1.0 + (1.0 - ratio) / present);
}

/* Counts the constraints of each body, with and without a color. */
static void count_by_body(const dry_solver_step *step)
{
    int32_t *constraints = step->state->plan.constraints;
    memset(constraints, 0, (size_t)step->bodies->awake_count * sizeof *constraints);
    for (int i = 0; i < step->islands->edge_count; i++) {
        const dry_edge *edge = &step->islands->edge[i];
        const int32_t row[2] = {edge->row_a, edge->row_b}; /* -1: of no island */
        for (int side = 0; side < 2 && edge->color != DRY_EDGE_UNCOLORED; side++)
            if (row[side] >= 0)
                constraints[row[side]]++;
    }
    for (int i = 0; i < step->joints->active_count; i++) {
        const int index = step->joints->active[i];
        int row[DRY_JOINT_SIDES];
        const int count = dry_joint_rows_of(step, index, row);
        const bool swept = !dry_joint_is_direct(step->settings, step->joints, index) ||
                           dry_joint_has_lane(step->settings, step->joints, index, DRY_KIND_AXES);
        for (int k = 0; k < count && swept && step->joints->joint[index].color != DRY_COLOR_NONE; k++)
            constraints[row[k]]++;
    }
}

static bool jacobi_split(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    const int rows = step->bodies->awake_count;
    if (!DRY_RESERVE(memory, s->bodies.sums, s->bodies.sums_capacity, rows + 1) ||
        !DRY_RESERVE(memory, s->plan.constraints, s->plan.constraints_capacity, rows + 1))
        return false;
    count_by_body(step);
    return true;
}

/* Counts the constraints that split the masses of a contact's bodies. */
static void fill_shares(const dry_contact_filling *f, int lane)
{
    for (int side = 0; side < 2; side++) {
        const int32_t row = f->moves[side][lane];
        f->source->share[side][lane] = row ? dry_mass_share(f->step->state, row - 1) : 1.0f;
    }
}

/* A spring's impulse lags by as much for any number of sweeps (solver/constraint/joints/DECISIONS.md). */
static float jacobi_lag(const dry_settings *settings, float squared)
{
    (void)settings;
    return 0.5f * squared;
}

static const char *jacobi_refuses(const dry_settings *settings)
{
    return settings->method.order != DRY_ORDER_COLOR
               ? "jacobi solves all constraints at once: order must be color"
               : NULL;
}

const dry_method dry_method_jacobi = {
    .split_masses = jacobi_split,
    .fill_contact = fill_shares,
    .update = {[DRY_SWEEP_SOLVE] = DRY_UPDATE_SUMMED, [DRY_SWEEP_RELAX] = DRY_UPDATE_SUMMED},
    .whole_below = DRY_PARTITION_NEVER,
    .joints = &dry_joints_in_sweeps,
    .meet = 1.0f,
    .may_rest = dry_sweeps_may_rest,
    .springs = &dry_springs_as_substeps,
    .has_account = dry_ledger_has_account,
    .lag = jacobi_lag,
    .no_geometric_stiffness = "solver jacobi solves for velocities: geometric_stiffness must be false",
    /* A sweep moves a load half as far as one of Gauss-Seidel: with as many, a tower of 10 never rests. */
    .each = {2, 2},
    .relaxation = jacobi_relaxation,
    .refuses = jacobi_refuses,
};
