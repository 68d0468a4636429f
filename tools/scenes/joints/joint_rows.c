/* The rows of what joints must do, and their judgment (joint_rows.h). */
#include "tools/scenes/joints/joint_rows.h"

#include "tools/scenes/scene_parts.h"

#include <math.h>
#include <string.h>

#define ALL(bound)                                                                                           \
    {                                                                                                        \
        {                                                                                                    \
            bound, bound, bound                                                                              \
        }                                                                                                    \
    }
#define EACH(sweeps, direct, automatic)                                                                      \
    {                                                                                                        \
        {                                                                                                    \
            sweeps, direct, automatic                                                                        \
        }                                                                                                    \
    }
#define SKIP_DIRECT (1u << DRY_ROW_DIRECT)
#define SKIP_SWEEPS (1u << DRY_ROW_SWEEPS)
#define SKIP_AUTO (1u << DRY_ROW_AUTO)
#define ARM(title, rods)                                                                                     \
    {                                                                                                        \
        .name = title, .scene = "arm", .setup = {.size = rods}, .steps = 600, .gained_J = ALL(0.1),          \
        .look = dry_look_arm, .own = "tip, share of the arm", .own_most = ALL(0.01)                          \
    }
#define CRANK(title, rpm)                                                                                    \
    {                                                                                                        \
        .name = title, .scene = "crank", .setup = {.value = rpm}, .steps = 600,                              \
        .gap_mm = EACH(80, 1e-3, 1e-3), .look = dry_look_crank, .own = "energy over the largest",            \
        .own_most = ALL(1.05)                                                                                \
    }
#define HUB(title, cubes, count)                                                                             \
    {                                                                                                        \
        .name = title, .scene = "hub", .setup = {.size = cubes}, .steps = count, .look = dry_look_hub,       \
        .own = "speed, m/s", .own_most = ALL(1e-3)                                                           \
    }
#define SPRINGS(title, kind, springs, k, looks, label, bound)                                                \
    {                                                                                                        \
        .name = title, .scene = kind, .setup = {.size = springs, .value = k}, .steps = 900, .awake = true,   \
        .look = looks, .own = label, .own_most = ALL(bound)                                                  \
    }
#define MANY(title, kind, turning, other, share)                                                             \
    {                                                                                                        \
        .name = title, .scene = kind, .setup = {.value = turning}, .steps = 60, .substeps = 4,               \
        .awake = true, .skip = SKIP_DIRECT | SKIP_AUTO, .beside = other, .us = ALL(share)                    \
    }

static const dry_joint_row rows[] = {
    /* Beside Box3D. */
    {.name = "joint grid",
     .scene = "joint-grid",
     .steps = 100,
     .awake = true,
     .end_gap_mm = ALL(2),
     .gained = 0.01,
     .peer = 0.6},
    {.name = "rain", .scene = "rain", .steps = 400, .end_gap_mm = ALL(8), .gained = 0.01, .peer = 1.0},
    {.name = "ragdolls 8",
     .scene = "figure-pairs",
     .steps = 300,
     .end_gap_mm = ALL(3),
     .gained = 0.01,
     .peer = 1.0},
    {.name = "ragdoll pile", .scene = "figure-pile", .steps = 600, .gained = 0.01, .peer = 1.0},
    {.name = "ragdolls falling 100",
     .scene = "falling-figures",
     .steps = 120,
     .gap_mm = ALL(15),
     .gained = 0.01,
     .peer = 1.0},
    {.name = "ball and chain",
     .scene = "ball-and-chain",
     .steps = 1800,
     .end_gap_mm = EACH(20, 1, 1),
     .gained = 0.01,
     .peer = 2.0},
    {.name = "bridge 150",
     .scene = "plank-bridge",
     .steps = 120,
     .end_gap_mm = ALL(15),
     .gained = 0.01,
     .peer = 2.0},
    {.name = "chain of 100 balls",
     .scene = "chain-of-balls",
     .steps = 300,
     .gap_mm = ALL(5),
     .gained = 0.01,
     .peer = 1.0},
    {.name = "chain of 20 hinges",
     .scene = "chain-of-hinges",
     .steps = 300,
     .gap_mm = ALL(8),
     .gained = 0.01,
     .peer = 1.5},
    {.name = "chain of 10 welds",
     .scene = "chain-of-welds",
     .steps = 300,
     .gap_mm = ALL(5),
     .gained = 0.01,
     .peer = 1.5},
    /* The price of a joint, at 4 substeps. */
    {.name = "4000 bodies calm",
     .scene = "many-bodies",
     .steps = 60,
     .substeps = 4,
     .awake = true,
     .skip = SKIP_DIRECT | SKIP_AUTO},
    {.name = "4000 bodies turning",
     .scene = "many-bodies",
     .setup = {.value = 1.0},
     .steps = 60,
     .substeps = 4,
     .awake = true,
     .skip = SKIP_DIRECT | SKIP_AUTO},
    MANY("4000 balls calm", "many-balls", 0.0, "4000 bodies calm", 0.1),
    MANY("4000 balls turning", "many-balls", 1.0, "4000 bodies turning", 0.1),
    MANY("4000 cones calm", "many-cones", 0.0, "4000 bodies calm", 0.25),
    MANY("4000 cones turning", "many-cones", 1.0, "4000 bodies turning", 0.25),
    {.name = "calm chains", .scene = "calm-chains", .steps = 60, .awake = true, .skip = SKIP_DIRECT},
    {.name = "calm chains, one spins",
     .scene = "calm-chains",
     .setup = {.value = 30.0},
     .steps = 60,
     .awake = true,
     .skip = SKIP_DIRECT,
     .beside = "calm chains",
     .times_beside = 1.05},
    /* Nothing drives these. */
    {.name = "two cubes 1000",
     .scene = "two-cubes",
     .setup = {.value = 1000.0},
     .steps = 600,
     .gained = 0.01},
    {.name = "two cubes 3400",
     .scene = "two-cubes",
     .setup = {.value = 3400.0},
     .steps = 600,
     .gained = 0.01},
    {.name = "random passive", .scene = "random-passive", .steps = 120, .trials = 60, .gained = 0.01},
    {.name = "random passive, stiff",
     .scene = "random-passive",
     .setup = {.value = 1e3},
     .steps = 120,
     .trials = 60,
     .gained = 0.01},
    {.name = "random trees", .scene = "random-trees", .steps = 300, .trials = 60, .gained = 0.01},
    {.name = "random trees, stiff",
     .scene = "random-trees",
     .setup = {.value = 1e3},
     .steps = 300,
     .trials = 60,
     .gained = 0.01},
    {.name = "links that touch", .scene = "touching-links", .steps = 60, .gained = 0.01, .lost = 0.01},
    {.name = "taut bridge",
     .scene = "taut-bridge",
     .steps = 600,
     .gained = 0.01,
     .look = dry_look_rest,
     .own = "speed at the end, m/s",
     .own_most = ALL(0.01)},
    {.name = "rods swinging", .scene = "swinging-rods", .steps = 3600, .gained = 0.01},
    /* Closed forms. */
    ARM("arm 1", 1),
    ARM("arm 2", 2),
    ARM("arm 3", 3),
    ARM("arm 4", 4),
    ARM("arm 5", 5),
    ARM("arm 6", 6),
    ARM("arm 7", 7),
    ARM("arm 8", 8),
    CRANK("crank 1000", 1000),
    CRANK("crank 1500", 1500),
    CRANK("crank 2000", 2000),
    CRANK("crank 2500", 2500),
    CRANK("crank 3000", 3000),
    HUB("hub 16", 16, 120),
    HUB("hub 200", 200, 120),
    HUB("hub 1000", 1000, 120),
    HUB("hub 10000", 10000, 10),
    SPRINGS("springs 2, 1e6", "springs-at-rest", 2, 1e6, dry_look_springs, "stretch, share", 0.01),
    SPRINGS("springs 10, 1e4", "springs-at-rest", 10, 1e4, dry_look_springs, "stretch, share", 0.01),
    SPRINGS("springs 10, 1e6", "springs-at-rest", 10, 1e6, dry_look_springs, "stretch, share", 0.01),
    SPRINGS("springs 40, 1e4", "springs-at-rest", 40, 1e4, dry_look_springs, "stretch, share", 0.01),
    SPRINGS("springs 40, 1e6", "springs-at-rest", 40, 1e6, dry_look_springs, "stretch, share", 0.01),
    SPRINGS("springs riding 10, 1e5", "springs-riding", 10, 1e5, dry_look_springs, "stretch, share", 0.01),
    SPRINGS("springs riding 40, 1e6", "springs-riding", 40, 1e6, dry_look_springs, "stretch, share", 0.01),
    SPRINGS("springs jerked 10, 1e5", "springs-jerked", 10, 1e5, dry_look_jerked, "energy gained, share",
            0.01),
    SPRINGS("springs jerked 40, 1e6", "springs-jerked", 40, 1e6, dry_look_jerked, "energy gained, share",
            0.01),
    {.name = "ten tons",
     .scene = "ten-tons",
     .setup = {.value = 1e4},
     .steps = 600,
     .look = dry_look_load,
     .own = "fall, share of the height",
     .own_most = EACH(0.01, 0.001, 0.001)},
    {.name = "impact",
     .scene = "impact",
     .steps = 12,
     .trials = 40,
     .phases = true,
     .look = dry_look_impact,
     .own = "faults of break, event, reaction",
     .own_most = ALL(0.5)},
    {.name = "joint open by 3 m",
     .scene = "open-joint",
     .setup = {.value = 3.0},
     .steps = 60,
     .end_gap_mm = ALL(1),
     .look = dry_look_rest,
     .own = "speed at the end, m/s",
     .own_most = ALL(1e-3)},
    {.name = "servo",
     .scene = "servo",
     .steps = 60,
     .awake = true,
     .look = dry_look_servo,
     .own = "off, rad",
     .own_most = ALL(0.02)},
    {.name = "governor",
     .scene = "governor",
     .steps = 120,
     .gained = 0.01,
     .look = dry_look_governor,
     .own = "slider off, m",
     .own_most = ALL(0.01)},
    {.name = "andrews 1e-3",
     .scene = "andrews",
     .steps = 30,
     .dt = 1e-3f,
     .look = dry_look_andrews,
     .own = "crank off, rad"},
    {.name = "andrews 1e-4",
     .scene = "andrews",
     .steps = 300,
     .dt = 1e-4f,
     .look = dry_look_andrews,
     .own = "crank off, rad",
     .own_most = ALL(0.1)},
    {.name = "andrews 1e-5",
     .scene = "andrews",
     .steps = 3000,
     .dt = 1e-5f,
     .look = dry_look_andrews,
     .own = "crank off, rad",
     .own_most = ALL(0.01)},
    /* Budgets. */
    {.name = "conflict",
     .scene = "conflict",
     .steps = 40,
     .trials = 20,
     .awake = true,
     .look = dry_look_corrections,
     .own = "corrections a substep",
     .own_most = ALL(4)},
    {.name = "conflict, 1 substep",
     .scene = "conflict",
     .steps = 40,
     .trials = 20,
     .substeps = 1,
     .awake = true,
     .look = dry_look_corrections,
     .own = "corrections a substep",
     .own_most = ALL(4)},
    {.name = "conflict, at most 4",
     .scene = "conflict",
     .steps = 40,
     .trials = 20,
     .substeps_max = 4,
     .awake = true,
     .look = dry_look_corrections,
     .own = "corrections a substep",
     .own_most = ALL(4)},
    {.name = "bridge 30 direct",
     .scene = "taut-bridge",
     .steps = 600,
     .awake = true,
     .skip = SKIP_SWEEPS | SKIP_AUTO,
     .p99_to_median = 3.0},
    {.name = NULL},
};

const dry_joint_row *dry_joint_rows(void)
{
    return rows;
}

const dry_joint_row *dry_joint_row_find(const char *name)
{
    for (const dry_joint_row *row = rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

const char *dry_row_solver_name(int solver)
{
    static const char *const names[DRY_ROW_SOLVERS] = {"sweeps", "direct", "auto"};
    return names[solver];
}

int dry_row_trials(const dry_joint_row *row)
{
    return row->trials > 0 ? row->trials : 1;
}

bool dry_row_begin(const dry_joint_row *row, int solver, int index, uint64_t first_seed,
                   const dry_world_def *def, dry_joint_trial *trial, char *error, size_t error_bytes)
{
    static const dry_joint_solver solvers[DRY_ROW_SOLVERS] = {DRY_JOINT_SOLVER_ITERATIVE,
                                                              DRY_JOINT_SOLVER_DIRECT, DRY_JOINT_SOLVER_AUTO};
    dry_world_def own = *def;
    own.settings.joint_solver = solvers[solver];
    own.settings.sleep = !row->awake;
    if (row->substeps > 0)
        own.settings.substeps = row->substeps;
    if (row->substeps_max > 0)
        own.settings.substeps_max = row->substeps_max;
    dry_joint_setup setup = row->setup;
    if (row->phases)
        setup.value = (double)index / dry_row_trials(row);
    else
        setup.seed = first_seed + (uint64_t)index;
    const dry_joint_scene *scene = dry_joint_scene_find(row->scene);
    if (!dry_joint_trial_begin(trial, scene, &setup, &own, row->dt, error, error_bytes))
        return false;
    if (row->look)
        row->look(trial);
    return true;
}

void dry_row_look(const dry_joint_row *row, dry_joint_trial *trial)
{
    dry_joint_trial_look(trial);
    if (row->look)
        row->look(trial);
}

bool dry_row_run(const dry_joint_row *row, int solver, int index, uint64_t first_seed,
                 const dry_world_def *def, dry_joint_trial *trial, char *error, size_t error_bytes)
{
    if (!dry_row_begin(row, solver, index, first_seed, def, trial, error, error_bytes))
        return false;
    for (int i = 0; i < row->steps; i++) {
        if (!dry_joint_trial_ready(trial, error, error_bytes)) {
            dry_joint_trial_end(trial);
            return false;
        }
        const dry_result done = dry_world_step(trial->world, trial->dt);
        if (done != DRY_OK) {
            dry_joint_trial_end(trial);
            return dry_scene_fail(error, error_bytes, "%s: %s", row->name, dry_result_name(done));
        }
        dry_row_look(row, trial);
    }
    return true;
}

/* Returns true if a figure is within its bound; a bound of 0 is none. A figure that is not a number is not.
 */
static bool within(double figure, double bound, const char *what, char *why, size_t why_bytes)
{
    if (figure <= bound || (bound == 0.0 && figure == figure))
        return true;
    return dry_scene_fail(why, why_bytes, "%s %.3g, not %.3g", what, figure, bound);
}

bool dry_row_holds(const dry_joint_row *row, int solver, const dry_joint_trial *t, char *why,
                   size_t why_bytes)
{
    const double scale = t->scale_J, lost = scale > 0.0 ? (t->start_J - t->end_J) / scale : 0.0;
    const double gained = scale > 0.0 ? t->gained_J / scale : 0.0;
    const int substeps = row->substeps > 0 ? row->substeps : row->substeps_max;
    return within(t->substeps, substeps, "substeps", why, why_bytes) &&
           (row->may_lose_bodies || within(t->lost, 0.5, "bodies lost", why, why_bytes)) &&
           within(1e3 * t->gap_m, row->gap_mm.most[solver], "gap mm", why, why_bytes) &&
           within(1e3 * t->end_gap_m, row->end_gap_mm.most[solver], "gap at the end mm", why, why_bytes) &&
           within(gained, row->gained, "energy gained, share", why, why_bytes) &&
           within(t->above_J, row->gained_J.most[solver], "energy gained J", why, why_bytes) &&
           within(lost, row->lost, "energy lost, share", why, why_bytes) &&
           (!row->own || within(t->own[0], row->own_most.most[solver], row->own, why, why_bytes));
}
