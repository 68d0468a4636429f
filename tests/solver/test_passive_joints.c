/* Rows of joints (tools/scenes/joints/joint_rows.h), for the rows and seeds where it holds: energy never
 * rises, no body goes to quarantine, and figures meet their closed forms.
 *
 * A row or a seed that does not hold is in no table here. `perf/joints` measures all of them, with the same
 * bounds, and a change that makes one hold widens these tables. */
#include "tests/quick.h"
#include "tools/scenes/joints/joint_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SWEEPS = 1u << DRY_ROW_SWEEPS, DIRECT = 1u << DRY_ROW_DIRECT, AUTO = 1u << DRY_ROW_AUTO };
enum { ALL = SWEEPS | DIRECT | AUTO };

/* A row, the solvers for which it holds, and the seeds of its trials; 1, 1 where it has no seeds. */
typedef struct holding {
    const char *row;
    unsigned solvers;
    int first, last;
    bool slow; /* left out of the short form, which runs smaller ones of the kind */
} holding;

static void no_log(const char *line, void *user)
{
    (void)line;
    (void)user;
}

static dry_world_def world_of(int threads)
{
    dry_world_def def = dry_default_world_def();
    def.threads = threads;
    def.log.write = no_log;
    return def;
}

static const dry_joint_row *row_named(const char *name)
{
    const dry_joint_row *row = dry_joint_row_find(name);
    if (!row)
        fail_msg("there is no row `%s`", name);
    return row;
}

static dry_joint_trial run(const dry_joint_row *row, int solver, int seed)
{
    char error[300];
    dry_joint_trial trial;
    const dry_world_def def = world_of(1);
    if (!dry_row_run(row, solver, 0, (uint64_t)seed, &def, &trial, error, sizeof error))
        fail_msg("%s", error);
    return trial;
}

typedef bool law(const dry_joint_row *row, int solver, const dry_joint_trial *trial, char *why,
                 size_t why_bytes);

/* Tells whether nothing drives the scene, its energy was never above the start's by over 1 % of its scale,
 * and no body was lost. */
static bool keeps(const dry_joint_row *row, int solver, const dry_joint_trial *trial, char *why,
                  size_t why_bytes)
{
    (void)row;
    (void)solver;
    snprintf(why, why_bytes, "energy above the start's by %g J of %g J, %d bodies lost", trial->above_J,
             trial->scale_J, trial->lost);
    return trial->passive && trial->above_J <= 0.01 * trial->scale_J && trial->lost == 0;
}

/* Tells whether its energy never rose by over 1 % of its scale. */
static bool rises_little(const dry_joint_row *row, int solver, const dry_joint_trial *trial, char *why,
                         size_t why_bytes)
{
    (void)row;
    (void)solver;
    snprintf(why, why_bytes, "energy rose by %g J of %g J", trial->gained_J, trial->scale_J);
    return trial->gained_J <= 0.01 * trial->scale_J;
}

static void check(const holding *all, size_t count, law *holds)
{
    for (size_t i = 0; i < count; i++) {
        const holding *h = &all[i];
        const dry_joint_row *row = row_named(h->row);
        for (int solver = 0; solver < DRY_ROW_SOLVERS && !(h->slow && test_quick()); solver++)
            for (int seed = h->first; seed <= h->last && h->solvers >> solver & 1u; seed++) {
                if (test_quick() && seed >= h->first + 2)
                    break;
                char why[200] = "";
                dry_joint_trial trial = run(row, solver, seed);
                if (!holds(row, solver, &trial, why, sizeof why))
                    fail_msg("%s, %s, seed %d: %s", h->row, dry_row_solver_name(solver), seed, why);
                dry_joint_trial_end(&trial);
            }
    }
}

static void test_random_passive_scenes_never_gain_energy(void **state)
{
    (void)state;
    static const holding all[] = {
        {"random passive", SWEEPS, 1, 48, false},
        {"random passive, stiff", SWEEPS, 1, 43, false},
        {"random passive", DIRECT | AUTO, 1, 40, false},
        {"random passive, stiff", DIRECT, 1, 40, false},
        {"random passive, stiff", AUTO, 1, 40, false},
        {"random passive, stiff", DIRECT, 107, 107, false},
        {"random passive, stiff", DIRECT, 162, 162, false},
        {"random passive, stiff", DIRECT, 187, 187, false},
        {"random passive, stiff", DIRECT, 200, 200, false},
    };
    check(all, sizeof all / sizeof *all, dry_row_holds);
}

static void test_random_passive_scenes_keep_their_bodies_and_the_energy_of_the_start(void **state)
{
    (void)state;
    static const holding all[] = {
        {"random passive", SWEEPS, 1, 48, false},
    };
    check(all, sizeof all / sizeof *all, keeps);
}

/* Joints that cannot all hold are closed as far as they can be, again and again: without a limit on the
 * energy of an articulation 3 of 20 such pairs gain up to 4 %, and 14 of 80 others up to 31 %. */
static void test_joints_that_do_not_fit_gain_no_energy(void **state)
{
    (void)state;
    static const holding all[] = {{"conflict", DIRECT | AUTO, 1, 40, false}};
    check(all, sizeof all / sizeof *all, rises_little);
}

static void test_rows_hold(void **state)
{
    (void)state;
    static const holding all[] = {
        {"chain of 100 balls", ALL, 1, 1, false},
        {"chain of 20 hinges", ALL, 1, 1, false},
        {"chain of 10 welds", ALL, 1, 1, false},
        {"links that touch", ALL, 1, 1, false},
        {"two cubes 1000", ALL, 1, 1, false},
        {"two cubes 3400", ALL, 1, 1, false},
        {"ball and chain", SWEEPS, 1, 1, true},
        {"bridge 150", SWEEPS | DIRECT, 1, 1, true},
        {"taut bridge", DIRECT, 1, 1, true},
        {"rods swinging", SWEEPS | DIRECT, 1, 1, true},
        {"arm 1", ALL, 1, 1, false},
        {"arm 2", ALL, 1, 1, false},
        {"arm 4", SWEEPS | DIRECT, 1, 1, false},
        {"arm 6", SWEEPS | DIRECT, 1, 1, true},
        {"arm 8", SWEEPS | DIRECT, 1, 1, true},
        {"servo", SWEEPS | DIRECT, 1, 1, false},
        {"crank 1000", ALL, 1, 1, false},
        {"crank 2000", ALL, 1, 1, true},
        {"crank 2500", ALL, 1, 1, true},
        {"crank 3000", ALL, 1, 1, true},
        {"hub 16", ALL, 1, 1, false},
        {"hub 200", ALL, 1, 1, false},
        {"hub 1000", SWEEPS | DIRECT, 1, 1, true},
        {"springs 2, 1e6", ALL, 1, 1, false},
        {"springs 10, 1e4", ALL, 1, 1, false},
        {"springs 10, 1e6", ALL, 1, 1, false},
        {"springs 40, 1e4", ALL, 1, 1, false},
        {"springs 40, 1e6", ALL, 1, 1, true},
        {"springs riding 10, 1e5", ALL, 1, 1, false},
        {"springs riding 40, 1e6", ALL, 1, 1, true},
        {"springs jerked 10, 1e5", ALL, 1, 1, false},
        {"springs jerked 40, 1e6", ALL, 1, 1, true},
        {"ten tons", ALL, 1, 1, false},
        {"governor", SWEEPS | DIRECT, 1, 1, false},
        {"andrews 1e-4", DIRECT | AUTO, 1, 1, false},
        {"andrews 1e-5", DIRECT, 1, 1, false},
        {"joint open by 3 m", ALL, 1, 1, false},
        {"conflict, 1 substep", SWEEPS, 1, 20, false},
        {"conflict, at most 4", SWEEPS, 1, 20, false},
    };
    check(all, sizeof all / sizeof *all, dry_row_holds);
}

/* At each of 40 phases of a step an impact of 50 N s breaks a joint and raises an event, and reactions tell
 * the momentum that it took. */
static void test_impacts_are_told_at_every_phase(void **state)
{
    (void)state;
    const dry_joint_row *row = row_named("impact");
    for (int solver = 0; solver < DRY_ROW_SOLVERS; solver++)
        for (int phase = 0; phase < dry_row_trials(row); phase++) {
            char why[200] = "";
            const dry_world_def def = world_of(1);
            dry_joint_trial trial;
            if (!dry_row_run(row, solver, phase, 1, &def, &trial, why, sizeof why) ||
                !dry_row_holds(row, solver, &trial, why, sizeof why))
                fail_msg("%s, phase %d of 40: %s", dry_row_solver_name(solver), phase, why);
            dry_joint_trial_end(&trial);
        }
}

/* Returns the hash of a random scene after half a second. */
static uint64_t hash_of(int solver, int seed, int threads)
{
    dry_joint_row row = *row_named("random passive");
    row.steps = 30;
    char error[300];
    dry_joint_trial trial;
    const dry_world_def def = world_of(threads);
    if (!dry_row_run(&row, solver, 0, (uint64_t)seed, &def, &trial, error, sizeof error))
        fail_msg("%s", error);
    const uint64_t hash = dry_world_motion_hash(trial.world);
    dry_joint_trial_end(&trial);
    return hash;
}

/* The ledger tells where it acted: on a ball of 33 t that falls on a chain, and not on springs that hang. */
static void test_repairs_are_counted(void **state)
{
    (void)state;
    dry_joint_trial fall = run(row_named("ball and chain"), DRY_ROW_SWEEPS, 1);
    assert_true(dry_world_statistics(fall.world).repairs > 0);
    dry_joint_trial_end(&fall);
    dry_joint_trial rest = run(row_named("springs 10, 1e4"), DRY_ROW_SWEEPS, 1);
    assert_true(dry_world_statistics(rest.world).repairs == 0);
    dry_joint_trial_end(&rest);
}

static void test_random_scenes_have_the_same_bits_with_every_number_of_threads(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_ROW_SOLVERS; solver++)
        for (int seed = 1; seed <= 3; seed++)
            assert_int_equal(hash_of(solver, seed, 1), hash_of(solver, seed, 3));
    assert_int_not_equal(hash_of(DRY_ROW_SWEEPS, 1, 1), hash_of(DRY_ROW_SWEEPS, 2, 1));
}

/* Checks that a row refuses a trial, and names the figure. */
static void assert_refused(const dry_joint_row *row, dry_joint_trial trial, const char *expected)
{
    char why[200] = "";
    assert_false(dry_row_holds(row, DRY_ROW_SWEEPS, &trial, why, sizeof why));
    if (!strstr(why, expected))
        fail_msg("`%s` does not name `%s`", why, expected);
}

static void test_the_judgment_refuses_each_figure_that_is_out_of_bounds(void **state)
{
    (void)state;
    const dry_joint_row *row = row_named("chain of 20 hinges"), *substeps = row_named("conflict, at most 4");
    char why[200];
    const dry_joint_trial good = {.scale_J = 100.0, .gap_m = 1e-3, .gained_J = 0.5, .substeps = 4};
    assert_true(dry_row_holds(row, DRY_ROW_SWEEPS, &good, why, sizeof why));
    dry_joint_trial bad = good;
    bad.gained_J = 1.5;
    assert_refused(row, bad, "energy gained, share 0.015");
    bad.gained_J = (double)NAN;
    assert_refused(row, bad, "energy gained");
    bad = good;
    bad.gap_m = 9e-3;
    assert_refused(row, bad, "gap mm 9");
    bad = good;
    bad.lost = 1;
    assert_refused(row, bad, "bodies lost 1");
    bad = good;
    bad.substeps = 5;
    assert_refused(substeps, bad, "substeps 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_passive_scenes_never_gain_energy),
        cmocka_unit_test(test_random_passive_scenes_keep_their_bodies_and_the_energy_of_the_start),
        cmocka_unit_test(test_joints_that_do_not_fit_gain_no_energy),
        cmocka_unit_test(test_rows_hold),
        cmocka_unit_test(test_impacts_are_told_at_every_phase),
        cmocka_unit_test(test_repairs_are_counted),
        cmocka_unit_test(test_random_scenes_have_the_same_bits_with_every_number_of_threads),
        cmocka_unit_test(test_the_judgment_refuses_each_figure_that_is_out_of_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
