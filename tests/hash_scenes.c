/* Prints "scene size steps hash" for every built-in scene: the lines of golden_hashes.txt, as this build
 * on this processor (or emulator) finds them.
 *
 * usage: hash_scenes [isa [threads]] */
#include <inttypes.h>

#include "tests/golden_scenes.h"

int main(int argc, char **argv)
{
    dry_world_def def = dry_default_world_def();
    def.tag = 1;
    def.threads = argc > 2 ? atoi(argv[2]) : 1;
    if (argc > 3 || (argc > 2 && def.threads < 1)) {
        fprintf(stderr, "usage: hash_scenes [isa [threads]]\n");
        return 2;
    }
    if (argc > 1 && !dry_isa_from_name(argv[1], &def.isa)) {
        fprintf(stderr, "hash_scenes: unknown instruction set %s\n", argv[1]);
        return 2;
    }
    for (const dry_scene_builtin *builtin = dry_scene_builtins(); builtin->name; ++builtin) {
        uint64_t hash;
        if (!golden_hash(builtin, GOLDEN_STEPS, &def, &hash))
            return 1;
        printf("%s %d %d %016" PRIx64 "\n", builtin->name, golden_size(builtin), GOLDEN_STEPS, hash);
    }
    return 0;
}
