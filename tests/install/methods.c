/* A program of another project that asks for a solver of the second volume. Prints what the engine says, and
 * returns 0 if a world of such a solver steps. Built by test_install with that library, and without it. */
#include <drystone/drystone.h>

#include <stdio.h>

int main(void)
{
#ifdef WITH_METHODS
    dry_methods_register();
#endif
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.settings.method.solver = DRY_SOLVER_AVBD;
    dry_world *world = NULL;
    if (dry_world_create(&def, &world) != DRY_OK) {
        puts(dry_last_error());
        return 1;
    }
    const dry_result result = dry_world_step(world, 1.0f / 60.0f);
    dry_world_destroy(world);
    puts(dry_result_name(result));
    return result == DRY_OK ? 0 : 1;
}
