/* The same bits for every thread count, instruction set and compiler, on every built-in scene, with
 * bodies created and destroyed on the way.
 *
 * golden_hashes.txt holds the hashes that every machine must find; DRYSTONE_RENEW_GOLDEN=path writes it. */
#include "tests/golden_scenes.h"
#include "tests/sanitizers.h"
#include "tests/scene_worlds.h"

#include "world/world.h"

#ifndef DRYSTONE_TEST_GOLDEN
#define DRYSTONE_TEST_GOLDEN "tests/golden_hashes.txt"
#endif

enum { STEPS = 30 }; /* one for each kind of disturbance, and some between */

/* The hashes after each stage of each step, and after the step. */
typedef struct trace {
    uint64_t stages[STEPS][DRY_STAGE_COUNT];
    uint64_t steps[STEPS];
} trace;

typedef struct team_row {
    int threads;
    dry_team team; /* THREADS where the build has no other */
} team_row;

static const team_row team_rows[] = {{1, DRY_TEAM_THREADS},
                                     {2, DRY_TEAM_OPENMP},
                                     {2, DRY_TEAM_THREADS},
                                     {3, DRY_TEAM_THREADS},
                                     {8, DRY_TEAM_OPENMP}};

static dry_scene make_scene(const dry_scene_builtin *builtin)
{
    dry_scene scene = scene_of(builtin->name, golden_length_of(builtin).size);
    return scene;
}

/* Destroys every seventh dynamic body a third of the way, and drops new ones, jointed, half-way. */
static void disturb(dry_world *world, const dry_scene *scene, dry_body_id *ids, int step)
{
    if (step == STEPS / 3) {
        int count = 0;
        dry_body_id *gone = malloc((size_t)scene->body_count * sizeof *gone);
        assert_non_null(gone);
        for (int i = 0; i < scene->body_count; ++i)
            if (scene->bodies[i].def.type == DRY_BODY_DYNAMIC && i % 7 == 3)
                gone[count++] = ids[i];
        if (count)
            assert_ok(dry_world_destroy_bodies(world, count, gone));
        free(gone);
    }
    if (step == STEPS / 2) {
        dry_body_id last = {0};
        for (int i = 0; i < 6; ++i) {
            dry_shape_def shape = i % 2 ? sphere_shape(0.4) : capsule_shape(0.3, 0.4);
            shape.restitution = 0.5f;
            dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0.3 * i, 14 + 1.5 * i, 0.2 * i), &shape);
            def.velocity.linear = v3(0, -8, 0);
            dry_body_id id = add_def(world, &def);
            if (i) {
                dry_joint_def joint = dry_default_joint_def(i % 2 ? DRY_JOINT_BALL : DRY_JOINT_DISTANCE);
                joint.body_a = last;
                joint.body_b = id;
                joint.anchor_a = v3(0, 0.75, 0);
                joint.anchor_b = v3(0, -0.75, 0);
                dry_joint_id joint_id;
                assert_ok(dry_world_create_joint(world, &joint, &joint_id));
            }
            last = id;
        }
    }
}

static void run_trace(const dry_scene *scene, const dry_world_def *base, trace *out)
{
    dry_world_def def = *base;
    def.settings.gravity = scene->gravity;
    dry_world *world = world_from(&def);
    dry_body_id *ids = built_in(world, scene);
    for (int i = 0; i < STEPS; ++i) {
        disturb(world, scene, ids, i);
        run_steps(world, 1, scene->dt);
        out->steps[i] = dry_world_hash(world);
        for (int s = 0; s < DRY_STAGE_COUNT; ++s)
            out->stages[i][s] = dry_world_stage_hash(world, (dry_stage)s);
    }
    free(ids);
    dry_world_destroy(world);
}

/* Names the first step and stage that differ. */
static void compare_traces(const trace *a, const trace *b, const char *scene, const char *what)
{
    for (int i = 0; i < STEPS; ++i) {
        for (int s = 0; s < DRY_STAGE_COUNT; ++s)
            if (a->stages[i][s] != b->stages[i][s])
                fail_msg("%s, %s: differs first after step %d, stage %s", scene, what, i,
                         dry_stage_name((dry_stage)s));
        if (a->steps[i] != b->steps[i])
            fail_msg("%s, %s: differs first at the end of step %d, after all stages", scene, what, i);
    }
}

static dry_world_def trace_def(dry_isa isa, team_row row)
{
    dry_world_def def = test_world_def();
    def.isa = isa;
    def.threads = row.threads;
    def.team = dry_team_available(row.team) ? row.team : DRY_TEAM_THREADS;
    def.hash_stages = true;
    return def;
}

/* Returns the instruction set that others are compared with. Under the sanitizers, which watch the kernels of
 * each in test_kernels, that is the fastest. */
static dry_isa reference_isa(void)
{
    return TEST_ADDRESS_SANITIZER || TEST_THREAD_SANITIZER ? test_widest_isa() : DRY_ISA_SCALAR;
}

static void check_scene(const dry_scene *scene, dry_solver solver, dry_joint_solver joints, trace *expected,
                        trace *got)
{
    dry_world_def def = trace_def(reference_isa(), team_rows[0]);
    def.settings.method.solver = solver;
    def.settings.joint_solver = joints;
    run_trace(scene, &def, expected);
    assert_true(expected->steps[0] != expected->steps[STEPS - 1]);
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; ++isa) {
        if (!dry_isa_available((dry_isa)isa))
            continue;
        for (int t = 0; t < COUNT_OF(team_rows); ++t) {
            /* The default runs with all teams at the widest instruction set, in a scene of all kinds of
             * shapes and joints at every one. All else runs with one team at each instruction set, and in the
             * quick form with one at the widest. */
            const bool widest = isa == (int)test_widest_isa();
            const bool few = solver != DRY_SOLVER_GAUSS_SEIDEL || joints == DRY_JOINT_SOLVER_AUTO ||
                             !(widest || strcmp(scene->name, "mixed") == 0);
            if ((few || test_quick()) && t != (isa + 2) % COUNT_OF(team_rows))
                continue;
            if (test_quick() && !widest)
                continue;
            def = trace_def((dry_isa)isa, team_rows[t]);
            def.settings.method.solver = solver;
            def.settings.joint_solver = joints;
            run_trace(scene, &def, got);
            char what[64];
            snprintf(what, sizeof what, "%s with %d threads (%s)", dry_isa_name((dry_isa)isa), def.threads,
                     dry_team_name(def.team));
            compare_traces(expected, got, scene->name, what);
        }
    }
}

static void test_threads_and_instruction_sets(void **state)
{
    (void)state;
    trace *expected = calloc(1, sizeof *expected), *got = calloc(1, sizeof *got);
    assert_true(expected && got);
    assert_true(dry_isa_available(DRY_ISA_SCALAR));
    for (const dry_scene_builtin *builtin = dry_scene_builtins(); builtin->name; ++builtin) {
        dry_scene scene = make_scene(builtin);
        check_scene(&scene, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE, expected, got);
        if (scene.joint_count > 0)
            check_scene(&scene, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_DIRECT, expected, got);
        if (scene.joint_count > 0 && golden_runs_direct(builtin) && !test_quick())
            check_scene(&scene, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_AUTO, expected, got);
        if (strcmp(builtin->name, "pile") == 0)
            check_scene(&scene, DRY_SOLVER_JACOBI, DRY_JOINT_SOLVER_ITERATIVE, expected, got);
        if (strcmp(builtin->name, "pile") == 0 || strcmp(builtin->name, "mixed") == 0 ||
            strcmp(builtin->name, "ragdolls") == 0)
            check_scene(&scene, DRY_SOLVER_XPBD, DRY_JOINT_SOLVER_ITERATIVE, expected, got);
        if (strcmp(builtin->name, "pile") == 0 || strcmp(builtin->name, "ragdolls") == 0)
            check_scene(&scene, DRY_SOLVER_PBD, DRY_JOINT_SOLVER_ITERATIVE, expected, got);
        if (strcmp(builtin->name, "pile") == 0 || strcmp(builtin->name, "mixed") == 0)
            check_scene(&scene, DRY_SOLVER_AVBD, DRY_JOINT_SOLVER_ITERATIVE, expected, got);
        dry_scene_free(&scene);
    }
    free(expected);
    free(got);
}

/* A step that deals nothing anew, since nothing about the graph changed, is one that deals all anew; classes
 * change with the number of substeps that is least. */
static void test_kept_layouts(void **state)
{
    (void)state;
    if (TEST_THREAD_SANITIZER)
        skip(); /* of one thread alone */
    for (const dry_scene_builtin *builtin = dry_scene_builtins(); builtin->name; ++builtin) {
        dry_scene scene = make_scene(builtin);
        dry_world *worlds[2];
        dry_body_id *ids[2];
        for (int w = 0; w < 2; ++w) {
            dry_world_def def = trace_def(DRY_ISA_AUTO, team_rows[0]);
            worlds[w] = world_from(&def);
            ids[w] = built_in(worlds[w], &scene);
        }
        for (int step = 0; step < STEPS; ++step) {
            worlds[1]->islands.stale = true;
            for (int w = 0; w < 2; ++w) {
                dry_settings settings = dry_world_get_settings(worlds[w]);
                settings.substeps_min = step / 8 % 3 == 1 ? 8 : 4;
                assert_ok(dry_world_set_settings(worlds[w], &settings));
                disturb(worlds[w], &scene, ids[w], step);
                run_steps(worlds[w], 1, TEST_DT);
            }
            if (dry_world_hash(worlds[0]) != dry_world_hash(worlds[1]))
                fail_msg("%s: differs first at the end of step %d", scene.name, step);
        }
        for (int w = 0; w < 2; ++w) {
            free(ids[w]);
            dry_world_destroy(worlds[w]);
        }
        dry_scene_free(&scene);
    }
}

/* Stage hashes, the ids' tag, reserved room and stage times do not enter the state. */
static void test_what_does_not_matter(void **state)
{
    (void)state;
    const dry_scene_builtin *builtin = dry_scene_builtins();
    while (builtin->name && strcmp(builtin->name, "pile") != 0)
        builtin++;
    assert_non_null(builtin->name);
    dry_scene scene = make_scene(builtin);
    trace *expected = calloc(1, sizeof *expected), *got = calloc(1, sizeof *got);
    assert_true(expected && got);
    dry_world_def def = trace_def(DRY_ISA_AUTO, team_rows[1]);
    run_trace(&scene, &def, expected);
    for (int i = 0; i < DRY_STAGE_COUNT; ++i)
        assert_true(expected->stages[STEPS - 1][i] != 0);
    def.hash_stages = false;
    def.tag = 4711;
    def.body_capacity = 3000;
    def.count_stage_times = false;
    run_trace(&scene, &def, got);
    for (int i = 0; i < STEPS; ++i) {
        assert_true(expected->steps[i] == got->steps[i]);
        assert_true(got->stages[i][0] == 0);
    }
    free(expected);
    free(got);
    dry_scene_free(&scene);
}

/* The hash sees every change, however small: else equal hashes would say nothing. */
static void test_hash_sees_changes(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id box = add_dynamic(world, pose_at(0, 3, 0), box_shape(0.5, 0.5, 0.5));
    uint64_t before = dry_world_hash(world), motion = dry_world_motion_hash(world);
    assert_true(dry_world_hash(world) == before);
    assert_true(dry_world_motion_hash(world) == motion);
    assert_ok(dry_body_apply_force(world, box, v3(1, 0, 0)));
    assert_true(dry_world_hash(world) != before);
    assert_true(dry_world_motion_hash(world) == motion);
    before = dry_world_hash(world);
    assert_ok(dry_body_set_pose(world, box, pose_at(nextafter(1.0, 2.0) - 1.0, 3, 0)));
    uint64_t moved = dry_world_hash(world);
    assert_true(moved != before);
    assert_true(dry_world_motion_hash(world) != motion);
    motion = dry_world_motion_hash(world);
    set_velocity(world, box, (d3){0, FLT_MIN, 0}, (d3){0, 0, 0});
    uint64_t pushed = dry_world_hash(world);
    assert_true(pushed != moved);
    assert_true(dry_world_motion_hash(world) != motion);
    assert_ok(dry_body_set_awake(world, box, false));
    assert_true(dry_world_hash(world) != pushed);
    dry_world_destroy(world);
}

/* Copies the hashes of a scene's line in the file; returns false if the file has none. */
static bool golden_find(FILE *file, const char *name, int size, int steps, golden_hashes *hashes)
{
    char line[256], scene[64];
    int found_size, found_steps;
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] != '#' &&
            sscanf(line, "%63s %d %d %" SCNx64 " %" SCNx64, scene, &found_size, &found_steps, &hashes->state,
                   &hashes->motion) == 5 &&
            strcmp(scene, name) == 0 && found_size == size && found_steps == steps)
            return true;
    }
    return false;
}

/* Prints a hash that is not the recorded one; returns 1 then. */
static int golden_differs(const char *scene, int size, const char *name, uint64_t hash, uint64_t golden)
{
    if (hash != golden)
        print_error("%s %d: %s hash %016" PRIx64 ", recorded %016" PRIx64 "\n", scene, size, name, hash,
                    golden);
    return hash != golden;
}

static void write_golden_header(FILE *file)
{
    fprintf(file, "# Hashes of the built-in scenes after some steps at default settings:\n"
                  "# scene size steps state-hash motion-hash\n"
                  "# The state hash covers all that decides the future, the motion hash poses and velocities "
                  "alone. Both are equal\n"
                  "# for every compiler, processor, instruction set and thread count. A change of what the "
                  "engine keeps changes\n"
                  "# the first, a change of the arithmetic or of an order both. Renew with\n"
                  "# DRYSTONE_RENEW_GOLDEN=tests/golden_hashes.txt and say why in the commit.\n");
}

/* Skips in the quick form: the gate compares the same lines by hash_scenes. */
static void test_golden_hashes(void **state)
{
    (void)state;
    if (test_quick() && !getenv("DRYSTONE_RENEW_GOLDEN"))
        skip();
    const char *renew = getenv("DRYSTONE_RENEW_GOLDEN");
    FILE *file = fopen(renew ? renew : DRYSTONE_TEST_GOLDEN, renew ? "w" : "r");
    if (!file)
        fail_msg("cannot open %s", renew ? renew : DRYSTONE_TEST_GOLDEN);
    if (renew)
        write_golden_header(file);
    int missing = 0, differing = 0;
    for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < GOLDEN_SOLVERS_END; ++solver)
        for (const dry_scene_builtin *builtin = dry_scene_builtins(); builtin->name; ++builtin) {
            dry_world_def def = test_world_def();
            golden_hashes hashes = {0}, golden = {0};
            const golden_length length = golden_length_of(builtin);
            char name[64];
            def.settings.joint_solver = (dry_joint_solver)solver;
            if (solver == DRY_JOINT_SOLVER_DIRECT && !golden_runs_direct(builtin))
                continue;
            snprintf(name, sizeof name, "%s%s", builtin->name, golden_suffix(def.settings.joint_solver));
            assert_true(golden_run(builtin, &def, &hashes));
            if (renew) {
                golden_print(file, builtin, def.settings.joint_solver, hashes);
            } else if (!golden_find(file, name, length.size, length.steps, &golden)) {
                print_error("%s has no line for %s %d\n", DRYSTONE_TEST_GOLDEN, name, length.size);
                missing++;
            } else {
                differing += golden_differs(name, length.size, "state", hashes.state, golden.state);
                differing += golden_differs(name, length.size, "motion", hashes.motion, golden.motion);
            }
        }
    for (const golden_variant *v = golden_variants; v->name; ++v) {
        const dry_world_def def = test_world_def();
        golden_hashes hashes = {0}, golden = {0};
        assert_true(golden_run_variant(v, v->size, &def, &hashes));
        if (renew) {
            golden_print_variant(file, v, hashes);
        } else if (!golden_find(file, v->name, v->size, v->steps, &golden)) {
            print_error("%s has no line for %s %d\n", DRYSTONE_TEST_GOLDEN, v->name, v->size);
            missing++;
        } else {
            differing += golden_differs(v->name, v->size, "state", hashes.state, golden.state);
            differing += golden_differs(v->name, v->size, "motion", hashes.motion, golden.motion);
        }
    }
    assert_int_equal(fclose(file), 0);
    if (missing || differing)
        fail_msg("%d lines missing, %d hashes differ; if the change is meant, renew them with "
                 "DRYSTONE_RENEW_GOLDEN=tests/golden_hashes.txt",
                 missing, differing);
}

/* Variants have the same bits for threads and instruction sets, at sizes that threads share. */
static void test_variants(void **state)
{
    (void)state;
    for (const golden_variant *each = golden_variants; each->name; ++each) {
        golden_hashes expected = {0}, found = {0};
        golden_variant variant = *each;
        const golden_variant *v = &variant;
        variant.steps = test_pick(each->steps, (each->steps + 1) / 2);
        const int size = strcmp(v->scene, "mixed") == 0     ? 200
                         : strcmp(v->scene, "pyramid") == 0 ? 24
                         : strcmp(v->scene, "tower") == 0   ? 20
                                                            : v->size;
        dry_world_def def = test_world_def();
        def.isa = reference_isa();
        def.threads = 1;
        assert_true(golden_run_variant(v, size, &def, &expected));
        for (int isa = DRY_ISA_SCALAR + 1; isa < DRY_ISA_COUNT; ++isa) {
            if (!dry_isa_available((dry_isa)isa) || isa == DRY_ISA_SSE2)
                continue;
            if (test_quick() && isa != (int)test_widest_isa())
                continue;
            def.isa = (dry_isa)isa;
            def.threads = 2 + isa % 3;
            assert_true(golden_run_variant(v, size, &def, &found));
            if (found.state != expected.state || found.motion != expected.motion)
                fail_msg("%s with %s and %d threads differs", v->name, dry_isa_name((dry_isa)isa),
                         def.threads);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_sees_changes), cmocka_unit_test(test_what_does_not_matter),
        cmocka_unit_test(test_kept_layouts),      cmocka_unit_test(test_threads_and_instruction_sets),
        cmocka_unit_test(test_golden_hashes),     cmocka_unit_test(test_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
