/* Prints "scene size steps state-hash motion-hash" for every built-in scene: the lines of golden_hashes.txt,
 * as this build finds them on this processor or emulator.
 *
 * usage: hash_scenes [--variants|--iterative] [isa [threads]]
 *
 * --variants leaves out the scenes at default settings, whose lines come first; --iterative only those of
 * them on direct joints, which take half of the time. */
#include "tests/golden_scenes.h"

/* Prints the lines of the scenes at default settings, for joint solvers before `end`. Returns false if one
 * cannot run. */
static bool print_builtins(dry_world_def def, int end)
{
    for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < end; ++solver)
        for (const dry_scene_builtin *builtin = dry_scene_builtins(); builtin->name; ++builtin) {
            golden_hashes hashes;
            def.settings.joint_solver = (dry_joint_solver)solver;
            if (solver == DRY_JOINT_SOLVER_DIRECT && !golden_runs_direct(builtin))
                continue;
            if (!golden_run(builtin, &def, &hashes))
                return false;
            golden_print(stdout, builtin, (dry_joint_solver)solver, hashes);
        }
    return true;
}

int main(int argc, char **argv)
{
    const bool variants = argc > 1 && strcmp(argv[1], "--variants") == 0;
    const bool iterative = argc > 1 && strcmp(argv[1], "--iterative") == 0;
    argc -= variants || iterative;
    argv += variants || iterative;
    dry_world_def def = dry_default_world_def();
    def.tag = 1;
    def.threads = argc > 2 ? atoi(argv[2]) : 1;
    if (argc > 3 || (argc > 2 && def.threads < 1)) {
        fprintf(stderr, "usage: hash_scenes [--variants|--iterative] [isa [threads]]\n");
        return 2;
    }
    if (argc > 1 && !dry_isa_from_name(argv[1], &def.isa)) {
        fprintf(stderr, "hash_scenes: unknown instruction set %s\n", argv[1]);
        return 2;
    }
    if (!variants && !print_builtins(def, iterative ? DRY_JOINT_SOLVER_DIRECT : GOLDEN_SOLVERS_END))
        return 1;
    for (const golden_variant *variant = golden_variants; variant->name; ++variant) {
        golden_hashes hashes;
        if (!golden_run_variant(variant, variant->size, &def, &hashes))
            return 1;
        golden_print_variant(stdout, variant, hashes);
    }
    return 0;
}
