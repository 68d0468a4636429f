/* Projected Gauss-Seidel: constraints of one color at a time, each of which sees what those before it changed
 * [Spook 27-36]. */
#include "solver/bodies/begin.h"
#include "solver/bodies/frames.h"
#include "solver/constraint/spook.h"
#include "solver/laws/ledger.h"
#include "solver/methods/method.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/layout.h"
#include "solver/sweeps/contacts/kind.h"
#include "solver/sweeps/joints/place.h"
#include "solver/sweeps/passes.h"

#include <math.h>

/* By Young's relation (l + xi - 1)^2 = xi^2 mu^2 l [Waterson 8.17] the ratio l tells the largest eigenvalue
 * mu of Jacobi's iteration, and that the best xi [Waterson 4.79, with mu^2 under the root]. A ratio of xi - 1
 * or less is that of a relaxation beyond the best one, which it cannot tell: a tenth of what exceeds 1 goes.
 *
 * Sweeps of two colors that alternate visit each color twice in a row, and shrink errors by the root of l. */
static double gauss_seidel_relaxation(const dry_settings *settings, double present, double ratio)
{
    if (settings->method.order == DRY_ORDER_COLOR || settings->method.order == DRY_ORDER_LAYERS ||
        settings->method.order == DRY_ORDER_SHUFFLED)
        ratio *= ratio;
    if (!(ratio > present - 1.0) || !(ratio > 0.0))
        return present > 1.0 ? 1.0 + 0.9 * (present - 1.0) : present;
    const double sum = ratio + present - 1.0, square = sum * sum / (present * present * ratio);
    return 2.0 / (1.0 + sqrt(square < 1.0 ? 1.0 - square : 0.0));
}

static bool begin_joints(dry_solver_step *step, dry_memory *memory)
{
    return dry_frames_begin(step, memory) && dry_line_search_reserve(step, memory) &&
           dry_joints_hold_reserve(step, memory);
}

const dry_method_joints dry_joints_in_sweeps = {
    .find_swept = dry_layout_find_swept,
    .measure = dry_joint_measure_swept,
    .begin_rows = dry_rows_make_heavier,
    .begin = begin_joints,
    .repair = dry_joints_hold,
};

bool dry_sweeps_may_rest(const dry_settings *settings)
{
    return settings->warm_start && settings->relax_sweeps > 0 && !dry_spook_is_given(settings);
}

const dry_method dry_method_gauss_seidel = {
    .is_plain = dry_contacts_are_plain,
    .falls = 1.0f,
    .whole_below = 2 * DRY_PARTITION_LEAST,
    .joints = &dry_joints_in_sweeps,
    .meet = 1.0f,
    .may_rest = dry_sweeps_may_rest,
    .springs = &dry_springs_as_substeps,
    .has_account = dry_ledger_has_account,
    .lag = dry_lag_damping,
    .no_geometric_stiffness = "solver gauss-seidel solves for velocities: geometric_stiffness must be false",
    .each = {1, 1},
    .relaxation = gauss_seidel_relaxation,
};
