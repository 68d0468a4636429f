/* Measures what is no single scene: the longest step of random scenes, and a position that must be refused.
 */
#include "perf/joint_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES_MAX = 20, WILD_SCENES = 2000, WILD_STEPS = 60, WILD_REPEATS = 3, REST_STEPS = 60 };

static void begin(dry_joint_trial *trial, const char *scene, const dry_joint_setup *setup,
                  const dry_world_def *def)
{
    char error[300];
    if (!dry_joint_trial_begin(trial, dry_joint_scene_find(scene), setup, def, 0.0f, error, sizeof error))
        joint_fail(error);
}

static double step(dry_joint_trial *trial)
{
    const double began = joint_processor_ms();
    if (dry_world_step(trial->world, trial->dt) != DRY_OK)
        joint_fail("a step failed");
    return joint_processor_ms() - began;
}

/* Returns the median step of a chain of so many bodies that hang at rest on direct joints, ms. */
static double rest_ms(int bodies, dry_world_def def)
{
    double least[REST_STEPS];
    for (int i = 0; i < REST_STEPS; i++)
        least[i] = INFINITY;
    def.settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    for (int repeat = 0; repeat < WILD_REPEATS; repeat++) {
        dry_joint_trial trial;
        begin(&trial, "hung-chain", &(dry_joint_setup){.size = bodies}, &def);
        for (int i = 0; i < REST_STEPS; i++)
            least[i] = fmin(least[i], step(&trial));
        dry_joint_trial_end(&trial);
    }
    return joint_quantile(least, REST_STEPS, 0.5);
}

/* Returns the longest step of one random scene, ms, each step being the least of the repeats. */
static double longest_ms(uint64_t seed, const dry_world_def *def, int repeats, int *bodies)
{
    double least[WILD_STEPS];
    for (int i = 0; i < WILD_STEPS; i++)
        least[i] = INFINITY;
    for (int repeat = 0; repeat < repeats; repeat++) {
        dry_joint_trial trial;
        begin(&trial, "random-wild", &(dry_joint_setup){.seed = seed}, def);
        *bodies = trial.body_count - 1; /* without the floor */
        for (int i = 0; i < WILD_STEPS; i++)
            least[i] = fmin(least[i], step(&trial));
        dry_joint_trial_end(&trial);
    }
    return joint_quantile(least, WILD_STEPS, 1.0);
}

bool joint_longest_step(int solver, const joint_options *options)
{
    static const dry_joint_solver solvers[DRY_ROW_SOLVERS] = {DRY_JOINT_SOLVER_ITERATIVE,
                                                              DRY_JOINT_SOLVER_DIRECT, DRY_JOINT_SOLVER_AUTO};
    dry_world_def def = joint_world_def(options);
    def.settings.sleep = false;
    double rest[BODIES_MAX + 1] = {0}; /* by bodies; 0: not measured yet */
    def.settings.joint_solver = solvers[solver];
    const uint64_t first = options->seed_last > 0 ? options->seed_first : 1;
    const int repeats = options->tiny ? 1 : WILD_REPEATS;
    const uint64_t last = options->tiny ? first : options->seed_last > 0 ? options->seed_last : WILD_SCENES;
    double worst = 0.0, worst_ms = 0.0;
    uint64_t worst_seed = 0;
    int over = 0;
    for (uint64_t seed = first; seed <= last; seed++) {
        int bodies = 0;
        const double once = longest_ms(seed, &def, 1, &bodies);
        rest[bodies] = rest[bodies] > 0.0 ? rest[bodies] : rest_ms(bodies, def);
        /* Repeats are for scenes that may be over the bound: most are far below it. */
        const double most = once > 10.0 * rest[bodies] ? longest_ms(seed, &def, repeats, &bodies) : once;
        over += most > 20.0 * rest[bodies];
        if (most / rest[bodies] > worst) {
            worst = most / rest[bodies];
            worst_ms = most;
            worst_seed = seed;
        }
    }
    printf("longest step of random scenes, %s: %.3g ms, %.3g times the step of as many bodies at rest on "
           "direct joints (seed %llu); over 20 times: %d of %llu scenes; %s\n",
           dry_row_solver_name(solver), worst_ms, worst, (unsigned long long)worst_seed, over,
           (unsigned long long)(last - first + 1), worst <= 20.0 ? "HOLDS" : "FAILS");
    fflush(stdout);
    return worst <= 20.0;
}

bool joint_far_target(void)
{
    const joint_options options = {.threads = 1};
    const dry_world_def def = joint_world_def(&options);
    dry_joint_trial trial;
    begin(&trial, "servo", &(dry_joint_setup){0}, &def);
    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_TARGET);
    joint.body_b = trial.bodies[0];
    joint.target.x = 1e274;
    dry_joint_id id;
    const dry_result result = dry_world_create_joint(trial.world, &joint, &id);
    printf("joint with a target of 1e274 m: %s, energy %g J; %s\n", dry_result_name(result),
           dry_world_energy(trial.world).total_J, result == DRY_ERROR_ARGUMENT ? "HOLDS" : "FAILS");
    dry_joint_trial_end(&trial);
    return result == DRY_ERROR_ARGUMENT;
}
